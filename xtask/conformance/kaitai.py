#!/usr/bin/env python3
"""Compares what generated readers and hex editors' patterns find in files with what an implementation of the formats prints.

    kaitai.py [--program COMMAND] [--descriptions DIR] [--modules DIR] [--out DIR] [--only WORD]... FOLDER...

Every `.ksy` of `DIR/kaitai` is compiled to Python by the package `kaitai-struct-compiler` of npm, and every file below the folders
is read by the class that was generated for its format. Every `.hexpat` of `DIR/imhex` is run over the
same files by the interpreter `imhex.py` next to this script, which knows as much of ImHex' language as the patterns use. The two
trees must be the same, value by value, and hold what the `native` part of `COMMAND dump`, bones, materials and triangles hold. Of files
that `dump` refuses, it prints how many the readers and the patterns refuse too, and the codes of those that the readers read: these
break rules that a description does not state. Patterns compare no magic and no version.

Needs Node.js with the packages `kaitai-struct-compiler` and `js-yaml` in the folder that `--modules` names, and the package
`kaitaistruct` of PyPI. A difference is explained by a row of `kaitai.tsv` next to this script; a row that explains nothing any more
is an error. Exit status 0: everything agrees or is explained; 1: not; 2: nothing was compared; 3: the compiler or the package is
missing.
"""
import argparse, collections, fnmatch, importlib, json, math, os, pathlib, re, shlex, signal, struct, subprocess, sys
import imhex

COMPILER = '''
const [out, ...files] = process.argv.slice(1), fs = require('fs'), path = require('path');
const { createRequire } = require('module'), load = createRequire(path.resolve(process.env.NODE_MODULES) + '/');
const compiler = load('kaitai-struct-compiler'), yaml = load('js-yaml');
(async () => {
  for (const file of files) {
    const made = await compiler.compile('python', yaml.load(fs.readFileSync(file, 'utf8')), null, false);
    for (const name in made) fs.writeFileSync(path.join(out, name), made[name]);
  }
})().catch(error => { console.error(String(error)); process.exit(1); });
'''
# Not in the trees: the streams, parents and roots of the generated classes.
PLUMBING = ('close', 'from_bytes', 'from_file', 'from_io')


def plain(value):
    """A value of a generated class as lists, dictionaries, numbers, texts and bytes."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if type(value).__module__ in ('builtins',):
        return value
    names = [n for n in {*vars(value), *(n for n in dir(type(value)) if isinstance(getattr(type(value), n), property))}
             if not n.startswith('_') and n not in PLUMBING]
    tree = {name: plain(getattr(value, name)) for name in names if getattr(value, name, None) is not None}
    return tree


def same(a, b, path=''):
    """The first place where two values differ, or None. Floats are compared as floats of 32 bits."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a.keys() | b.keys():
            if key not in a or key not in b:
                return f'{path}.{key}: only one has it'
            if found := same(a[key], b[key], f'{path}.{key}'):
                return found
        return None
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return f'{path}: {len(a)} and {len(b)} items'
        return next((found for i, (x, y) in enumerate(zip(a, b)) if (found := same(x, y, f'{path}[{i}]'))), None)
    if isinstance(a, bytes) and isinstance(b, str):
        # Letters that every file has are bytes in a generated reader.
        a = a.decode('latin-1').split('\0')[0]
    if isinstance(a, float) or isinstance(b, float):
        return None if single(a) == single(b) else f'{path}: {a} and {b}'
    return None if a == b else f'{path}: {str(a)[:60]!r} and {str(b)[:60]!r}'


def single(value):
    value = {'Infinity': math.inf, '-Infinity': -math.inf, 'NaN': math.nan}.get(value, value)
    try:
        value = float(value)
    except (TypeError, ValueError):
        return value
    return 'NaN' if math.isnan(value) else struct.pack('<f', value) if abs(value) < 3.5e38 else value


def bounds(b, *more):
    return {key: b[key] for key in ('mins', 'maxs', *more)}


def flat(rows):
    return [value for row in rows for value in (flat(row) if isinstance(row, list) else [row])]


def triangles_of(dump):
    return [mesh['triangles'] for mesh in dump['meshes']]


def dpm(k, d):
    n = d['native']
    yield [bounds(k['header']['bounds'], 'yawradius', 'allradius')], [bounds(n, 'yawradius', 'allradius')]
    yield [(b['name'], b['parent'], b['flags']) for b in k['bones']], \
        [(b['name'], b['parent'], o['flags']) for b, o in zip(d['bones'], n['bones'], strict=True)]
    yield [m['mesh']['shadername'] for m in k['meshes']], [m['material'] for m in d['meshes']]
    yield [m['groupids'] for m in k['meshes']], [m['groupids'] for m in n['meshes']]
    yield [[[(i['bonenum'], i['influence'], i['origin'], i['normal']) for i in v['influences']] for v in m['vertices']] for m in k['meshes']], \
        [[[(i['bone'], i['influence'], i['origin'], i['normal']) for i in v] for v in m['vertices']] for m in n['meshes']]
    yield [[[t['u'], t['v']] for t in m['texcoords']] for m in k['meshes']], [m['uvs'] for m in d['meshes']]
    yield [[[t['v0'], t['v1'], t['v2']] for t in m['triangles']] for m in k['meshes']], triangles_of(d)
    yield [f['frame']['name'] for f in k['frames']], [f['name'] for f in n['frames']]
    yield [[p['matrix'] for p in f['pose']] for f in k['frames']], [[flat(p) for p in n['poses'][f['pose']]] for f in n['frames']]


def zym(k, d):
    n = d['native']
    yield bounds(k['header']['bounds']), bounds(n)
    yield [(s['name'], s['framerate'], s['flags'], s['start'], s['length'], s['bounds']['mins']) for s in k['scenes']], \
        [(s['name'], s['framerate'], s['flags'], s['start'], s['length'], s['mins']) for s in n['scenes']]
    yield [(b['name'], b['parent'], b['flags']) for b in k['bones']], \
        [(b['name'], b['parent'], o['flags']) for b, o in zip(d['bones'], n['bones'], strict=True)]
    yield flat([p['matrix'] for p in k['poses']]), flat(n['poses'])
    yield k['counts'], [len(v) for v in n['vertices']]
    yield [(v['bonenum'], v['origin']) for v in k['vertices']], [(i['bone'], i['origin']) for v in n['vertices'] for i in v]
    yield [[t['u'], t['v']] for t in k['texcoords']], n['texcoords']
    yield [s['name'] for s in k['shaders']], [r['name'] for r in n['runs']]
    yield list(k['trizone']), n['trizone']
    yield [r['count'] for r in k['runs']], [len(m['triangles']) for m in d['meshes']]


def iqm(k, d):
    n, h = d['native'], k['header']
    joints = [j['joint'] for j in k.get('joints') or k.get('joints_v1') or []]
    poses = k.get('poses') or k.get('poses_v1') or []
    keys = ('first_vertex', 'num_vertexes', 'first_triangle', 'num_triangles')
    yield (h['version'], h['flags'], h['num_frames']), (n['version'], n['flags'], n['num_frames'])
    yield [[m['mesh'][key] for key in keys] for m in k['meshes']], [[m[key] for key in keys] for m in n['meshes']]
    ascii_only = lambda texts: [t if t.isascii() and '\ufffd' not in t else None for t in texts]
    yield ascii_only([m[key] for m in k['meshes'] for key in ('name', 'material')]), \
        ascii_only([m[key] for m in n['meshes'] for key in ('name', 'material')])
    keys = ('type', 'flags', 'format', 'size')
    yield [[a['array'][key] for key in keys] + [a['data'].hex()] for a in k['vertexarrays']], \
        [[a[key] for key in keys] + [a['data']] for a in n['vertexarrays']]
    yield [[t['v0'], t['v1'], t['v2']] for t in k['adjacency']] if 'adjacency' in k else None, n['adjacency']
    yield [j['parent'] for j in joints], [b['parent'] for b in d['bones']]
    yield [(j['translate'], j['scale']) for j in joints], [(j['translate'], j['scale']) for j in n['joints']]
    yield [j['rotate'] for j in joints if 'joints' in k], [j['rotate'] for j in n['joints'] if 'joints' in k]
    count = 9 if h['version'] == 1 else 10
    if h['version'] != 1:
        yield [(p['parent'], p['channelmask'], p['channeloffset'], p['channelscale']) for p in poses], \
            [(p['parent'], p['channelmask'], p['channeloffset'][:count], p['channelscale'][:count]) for p in n['poses']]
    keys = ('first_frame', 'num_frames', 'framerate', 'flags')
    yield [[a['anim'][key] for key in keys] for a in k['anims']], [[a[key] for key in keys] for a in n['anims']]
    yield k['frames'], n['frames']
    yield k.get('bounds'), n['bounds']
    yield k['comment'].hex(), n['comment']
    extensions, node = [], k.get('extensions')
    while node:
        extensions.append(node['data'].hex())
        node = node.get('next')
    yield extensions, [e['data'] for e in n['extensions']]


def bmd(k, d):
    n = d['native']
    yield [k['header'][f'resv{i}'] for i in (1, 2, 3)], n['reserved']
    yield [(lod['id_mesh'], lod['n_mesh'], lod['ld_sc']) for lod in k['lods']], \
        [(lod['first'], lod['count'], lod['scale_code']) for lod in n['bmd_lods']]
    yield [m['mesh']['flags'] for m in k['meshes']], [m['flags'] for m in n['meshes']]
    yield [m.get('material') for m in k['meshes'] if m['mesh']['n_vtx']], \
        [m['material'] for m, o in zip(d['meshes'], n['meshes']) if o['vertices']]
    words = lambda v: f"{v['first']:016x}" + (f"{v['second_96']:08x}" if 'second_96' in v else '') + \
        (f"{v['second_128']:016x}" if 'second_128' in v else '')
    yield [[words(v) for v in m['vertices']] for m in k['meshes']], [[v['words'] for v in m['vertices']] for m in n['meshes']]
    yield [[corners(p) for p in m.get('primitives', [])] for m in k['meshes']], \
        [[(p['bits'], p['indices']) for p in m['primitives']] for m in n['meshes']]
    yield [(b['bone']['id_parent'], b['bone']['id_solid'], f"{b['bone']['xform']:016x}") for b in k['bones']], \
        [(b['parent'], b['solid'], b['transform'].removeprefix('0x')) for b in n['bones']]
    # The first of them is the model itself.
    yield [a.get('name', '') for a in k['anims']], [c['name'] for c in d['clips']]
    for ours, theirs in zip(k['anims'], n['clips']):
        bones = [[]]
        for key in ours.get('keys', []):
            if key['tag'] == 0:
                bones.append([])
            else:
                bones[-1].append(key['tag'])
        expected = [list(bytes.fromhex(b['tags'])) for b in theirs['bones']]
        yield bones[:len(expected)], expected


def corners(primitive):
    """The width and the corners of a triangle or quad."""
    word, tag = primitive['low'] | primitive.get('high', 0) << 32, primitive['low'] & 3
    count, width = ((3, 10), (4, 7), (3, 20), (4, 15))[tag]
    return 32 if tag < 2 else 64, [word >> 2 + width * i & (1 << width) - 1 for i in range(count)]


def chunk(k):
    return (k['header']['index_size'], [(s['header']['flag'], s['header']['size']) for s in k['streams']])


def chunk_of(mesh):
    own = mesh['crucible']
    return (own['index_size'], [(s['flag'], s['size']) for s in own['streams']])


def crucible(k, d):
    yield [chunk(k)], [chunk_of(m) for m in d['native']['meshes']]


def cmodel(k, d):
    yield [chunk(m['chunk']) for m in k['meshes']], [chunk_of(m) for m in d['native']['meshes']]


def cskel(k, d):
    yield k['header']['bone_count'], len(d['bones'])


def fso(k, d):
    n = d['native']
    yield k['header']['version'], n['version']
    yield [c['chunk']['id'] for c in k['chunks']], [c['id'].split('\0')[0] for c in n['chunks']]
    table = [m for c in k['chunks'] for m in c.get('meshes', [])]
    if table:
        yield [(m['offset'], m['count'], m['base_index']) for m in table], [(m['raw_offset'], m['count'], m['base_index']) for m in n['meshes']]


def text(name):
    return name['text']


def geometry(g, d):
    n = d['native']['meshes'][0]
    yield [text(b) for b in g['bones']], n['bone_names']
    keys = ('bone', 'first_real', 'real_count', 'first_blend', 'blend_count')
    yield [[b[key] for key in keys] for b in g['bindings']], [[b[key] for key in keys] for b in n['bindings']]
    yield [(u['uv'], v['position'], v['normal']) for u, v in zip(g['uvs'], g['real'])], \
        [(v['uv'], v['position'], v['normal']) for v in n['real_vertices']]
    yield [(p['weight'], p['target'], v['position'], v['normal']) for p, v in zip(g['pulls'], g['blends'])], \
        [(v['weight'], v['other_vertex'], v['position'], v['normal']) for v in n['blend_vertices']]
    yield g['total'], n['total_vertex_count']


def tso(k, d):
    yield from geometry(k['geometry'], d)


def bmf(k, d):
    yield (text(k['skin']), text(k['texture'])), (d['native']['skin'], d['native']['texture'])
    yield from geometry(k['geometry'], d)


TAIL = ('translation', 'rotation', 'can_translate', 'can_rotate', 'can_blend', 'wiggle_value', 'wiggle_power')


def lists(value):
    return [[[text(p['key']), text(p['value'])] for p in one['pairs']] for one in value]


def as_pairs(value):
    """Property lists are maps in a dump where no key is there twice."""
    return [[list(pair) for pair in one.items()] if isinstance(one, dict) else one for one in value]


def skel(k, d):
    n = d['native']
    yield text(k['name']), n['name']
    yield [(text(b['name']), text(b['parent']), b['unknown'], [b['tail'][key] for key in TAIL]) for b in k['bones']], \
        [(b['name'], b['parent'], b['unknown'], [b[key] for key in TAIL]) for b in n['bones']]
    yield [lists(b.get('properties', [])) for b in k['bones']], [as_pairs(b.get('properties', [])) for b in n['bones']]


def anim(k, d):
    n = d['native']
    yield (k['name'], k['header']['duration'], k['header']['distance'], k['header']['moving']), \
        (n['name'], n['duration'], n['distance'], n['moving'])
    yield [t['value'] for t in k['translations']], n['translations']
    yield [t['value'] for t in k['rotations']], n['rotations']
    keys = ('frames', 'duration', 'has_translation', 'has_rotation', 'first_translation', 'first_rotation')
    yield [[text(m['bone'])] + [m['keys'][key] for key in keys] for m in k['motions']], \
        [[m['bone']] + [m[key] for key in keys] for m in n['motions']]
    yield [[[(e['time'], lists(e['lists']['lists'])) for e in one['events']] for one in m.get('time_properties', [])] for m in k['motions']], \
        [[[(e['time_ms'], as_pairs(e['properties'])) for e in one] for one in m['time_properties']] for m in n['motions']]


def link(value):
    return {'group': value['id']['group'], 'file': value['id']['file'], 'type': value['id']['kind']} if 'id' in value else None


def bnd(k, d):
    n = d['native']
    yield (text(k['bone']), link(k['mesh']), link(k['texture'])), (n['bone'], n['mesh'], n['texture'])


def pair(reference):
    return [reference['file'], reference['kind']]


def apr(k, d):
    yield (pair(k['thumbnail']), [pair(b) for b in k['bindings']]), (d['native']['thumbnail'], d['native']['bindings'])


def oft(k, d):
    n = d['native']
    yield (k['unknown'], [pair(a) for a in k['appearances']], k['hands'], k['region']), \
        (n['unknown'], n['appearances'], n['hand_group'], n['region'])


def hag(k, d):
    yield [pair(a) for a in k['appearances']], d['native']['hands']


def po(k, d):
    n = d['native']
    three = lambda value: [value['id'][key] for key in ('group', 'file', 'kind')] if 'id' in value else None
    yield (k['unknown'], three(k['outfit']), three(k['collection'])), (n['gender'], n['outfit'], n['collection'])


def col(k, d):
    yield [[i['index'], *pair(i['purchasable'])] for i in k['items']], d['native']['items']


def bcf(k, d):
    n = d['native']
    yield [(text(s['name']), [(text(b['name']), text(b['parent']), [b[key] for key in TAIL], lists(b['properties'])) for b in s['bones']])
           for s in k['skeletons']], \
        [(s['name'], [(b['name'], b['parent_name'], [b['rotation_xyzw' if key == 'rotation' else key] for key in TAIL], b['props'])
                      for b in s['bones']]) for s in n['skeletons']]
    yield [(text(s['name']), s['kind'], [(text(i['bone']), text(i['skin']), i['censor']) for i in s['skins']]) for s in k['suits']], \
        [(s['name'], s['type'], [(i['bone'], i['skin'], i['censor']) for i in s['skins']]) for s in n['suits']]
    keys = ('frames', 'duration', 'has_translation', 'has_rotation', 'first_translation', 'first_rotation')
    yield [(text(s['name']), text(s['keys']), s['duration'], s['distance'], s['moving'], s['translations'], s['rotations'],
            [[text(m['bone'])] + [m[key] for key in keys] for m in s['motions']]) for s in k['skills']], \
        [(s['name'], s['keys'], s['duration'], s['distance'], s['moving'], s['translation_count'], s['rotation_count'],
          [[m['bone']] + [m[key] for key in keys] for m in s['motions']]) for s in n['skills']]
    yield [[[[(e['time'], lists([e['properties']])[0]) for e in one['events']] for one in m['events']] for m in s['motions']] for s in k['skills']], \
        [[[[(e['time_ms'], e['pairs']) for e in one] for one in m['time_properties']] for m in s['motions']] for s in n['skills']]


def cfp(k, d):
    """The numbers that the codes make."""
    values, last = [], 0.0
    rounded = lambda value: struct.unpack('<f', struct.pack('<f', value))[0]
    for number in k['numbers']:
        if number['code'] == 255:
            last = number['value']
        elif number['code'] < 253:
            c = number['code'] - 126
            last = rounded(last + rounded(3.9676e-10 * c ** 3 * abs(c)))
        values += [last] * (number['repetitions'] + 1 if number['code'] == 254 else 1)
    yield len(values), len(d['native']['values'])
    yield all(abs(a - b) <= 1e-5 for a, b in zip(values, d['native']['values'])), True


COMPARED = [dpm, zym, iqm, bmd, crucible, cmodel, cskel, fso, tso, skel, anim, bnd, bmf, bcf, apr, oft, hag, po, col, cfp]


class TooLong(Exception):
    """A file takes more than a minute of processor time."""


def stop(*_):
    raise TooLong('more than 60 s')


def trees(read, pattern, data):
    """What the generated reader and the pattern find: two trees or errors."""
    signal.setitimer(signal.ITIMER_PROF, 60)
    found = []
    for run in (lambda: plain(read(data)), lambda: imhex.run(pattern, data)):
        try:
            found.append(run())
        except Exception as error:  # Whatever a generated reader raises.
            found.append(error)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return found


def judged(read, pattern, kind, path, dump):
    """What is wrong with a file, or None."""
    tree, other = trees(read, pattern, path.read_bytes())
    for name, found in (('the generated reader', tree), ('the pattern', other)):
        if isinstance(found, Exception):
            return f'{name}: {type(found).__name__}: {found}'
    if found := same(tree, other):
        return f'the reader and the pattern: {found}'
    try:
        return next((found for ours, theirs in kind(tree, dump) if (found := same(ours, theirs))), None)
    except (KeyError, ValueError, IndexError) as error:
        return f'the dump has another form: {type(error).__name__} {error}'


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folders', nargs='+', type=pathlib.Path)
    parser.add_argument('--program', default='meshwright')
    parser.add_argument('--descriptions', type=pathlib.Path, default=here / '../../docs/descriptions')
    parser.add_argument('--modules', default=os.environ.get('NODE_MODULES', 'node_modules'))
    parser.add_argument('--out', type=pathlib.Path, default=pathlib.Path('target/kaitai'))
    parser.add_argument('--only', action='append', default=[])
    arguments = parser.parse_args()
    signal.signal(signal.SIGPROF, stop)
    try:
        import kaitaistruct  # noqa: F401
    except ImportError:
        print('kaitaistruct is not here: pip install kaitaistruct')
        return 3
    arguments.out.mkdir(parents=True, exist_ok=True)
    sources = sorted((arguments.descriptions / 'kaitai').glob('*.ksy'))
    compiled = subprocess.run(['node', '--eval', COMPILER, '--', str(arguments.out), *map(str, sources)],
                              env={**os.environ, 'NODE_MODULES': arguments.modules}, capture_output=True, text=True)
    if compiled.returncode:
        print(compiled.stderr)
        return 3 if 'Cannot find module' in compiled.stderr else 1
    sys.path.insert(0, str(arguments.out))
    readers, patterns = {}, {}
    for kind in COMPARED:
        name = kind.__name__
        readers[name] = getattr(importlib.import_module(name), name.capitalize()).from_bytes
        patterns[name] = imhex.Pattern((arguments.descriptions / 'imhex' / f'{name}.hexpat').read_text())
    kinds = {kind.__name__: kind for kind in COMPARED}
    by_extension = {'.' + word: kinds[source.stem] for source in sources for word in extensions_of(source)}
    count, broken, wrong, used = collections.Counter(), collections.Counter(), 0, set()
    reasons = dict(line.split('\t') for line in (here / 'kaitai.tsv').read_text().splitlines()[1:])
    program = shlex.split(arguments.program)
    files = [file for folder in arguments.folders for file in sorted(folder.rglob('*')) if file.is_file()]
    for path in files:
        kind = by_extension.get(path.suffix)
        if kind is None or (arguments.only and not any(word in str(path) for word in arguments.only)):
            continue
        run = subprocess.run([*program, 'dump', path], capture_output=True, stdin=subprocess.DEVNULL)
        if run.returncode:
            code = re.search(r'error\[([a-z0-9-]+)\]', run.stderr.decode(errors='replace'))
            tree, other = (not isinstance(found, Exception) for found in
                           trees(readers[kind.__name__], patterns[kind.__name__], path.read_bytes()))
            count['refused'] += 1
            count['refused by readers'] += not tree
            count['refused by patterns'] += not other
            if tree:
                broken[code[1] if code else 'without a code'] += 1
            continue
        dump = json.loads(run.stdout, parse_constant=str)
        found = judged(readers[kind.__name__], patterns[kind.__name__], kind, path, dump)
        row = next((row for row in reasons if fnmatch.fnmatch(path.name, row)), None) if found else None
        used.add(row)
        count['explained' if row else kind.__name__ if found is None else 'differ'] += 1
        if row:
            print(f'{path}: {found} ({reasons[row]})')
        elif found:
            wrong += 1
            print(f'{path}: {found}')
    idle = [row for row in reasons if row not in used and any(fnmatch.fnmatch(file.name, row) for file in files)]
    if not arguments.only:
        wrong += len(idle)
        for row in idle:
            print(f'kaitai.tsv: {row}: explains nothing')
    agree = {name: n for name, n in count.items() if name in kinds}
    print(', '.join(f'{name} {n}' for name, n in sorted(agree.items())))
    print(f'{sum(agree.values())} agree, {count["explained"]} explained, {wrong} differ')
    print(f'{count["refused"]} refused by the program, {count["refused by readers"]} of them by the readers, {count["refused by patterns"]} by the patterns')
    print('rules that a reader does not know: ' + ', '.join(f'{code} {n}' for code, n in sorted(broken.items())))
    return 2 if not agree else 1 if wrong else 0


def extensions_of(source):
    lines = source.read_text().split('file-extension:\n', 1)[1].splitlines()
    for line in lines:
        if not line.startswith('    - '):
            return
        yield line[6:]


if __name__ == '__main__':
    sys.exit(main())
