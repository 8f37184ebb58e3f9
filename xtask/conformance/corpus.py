#!/usr/bin/env python3
"""Compares an implementation with the results of independent readers for a folder of real files that is not published.

    corpus.py DIR [--program COMMAND] [--only WORD]...

DIR has a `manifest.json` with a file, its format and its reference dump in each entry, and broken files in `malformed/cases.json`.
The commands are those of run.py. Exit status 0: everything agrees.
"""
import argparse, array, collections, concurrent.futures, json, os, pathlib, sys
import run

# How far positions and normals may be off at rest and in poses, as a part of the extent, and added to that. Formats without a
# row store plain numbers.
TOLERANCE = {'bmd': (0, 1e-5, 0), 'dpm': (1e-6, 1e-6, 1e-6), 'zym': (1e-6, 1e-6, 1e-6), 'iqm': (0, 5e-6, 0), 'tso': (1e-5, 1e-5, 0)}
# How far numbers of records may be from a reference, which is rounded to nine digits; what references derive is not compared.
NEAR, DERIVED = 1e-6, ('issues', 'world_rest_rows')
# Files whose companions say what they themselves hold.
COMPLETED = ('.dpm', '.zym', '.fom', '.cmx', '.bcf')
RECORDS = ('bcf', 'cmx', 'apr', 'oft', 'hag', 'po', 'col')
# Archives have commands of their own; documents of glTF are compared by the library's tests.
DIALECTS = ('seed', 'tangent', 'bone32')
ARCHIVES = ('far', 'pk3', 'pak', 'vp')
ELSEWHERE = (*ARCHIVES, 'gltf', 'png', 'bmp')
# Broken beyond recognition by their content: their names decide.
NAMED = {'.mesh': 'tso', '.cmx': 'cmx', '.bcf': 'bcf', '.cfp': 'cfp', '.apr': 'apr', '.bnd': 'bnd', '.oft': 'oft', '.hag': 'hag', '.po': 'po',
         '.col': 'col', '.skn': 'skn', '.bmf': 'bmf'}


def listed(path):
    document = json.loads(path.read_text())
    return document if isinstance(document, list) else next(v for v in document.values() if isinstance(v, list))


def floats(rows):
    return [array.array('f', [float(c) for c in row]) for row in rows or []]


def rows(what, ours, theirs, tolerance, skipped=()):
    """Differences of lists of vectors, as 32-bit floats."""
    ours, theirs = floats(ours), floats(theirs)
    if len(ours) != len(theirs):
        yield f'{what}: {len(ours)} rows, expected {len(theirs)}'
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if i not in skipped and any(x != y and not (x != x and y != y) and not abs(x - y) <= tolerance for x, y in zip(a, b)):
            yield f'{what}[{i}]: {list(a)}, expected {list(b)}'
            return


def dumps(ours, theirs):
    """Differences of a dump and a reference."""
    for key in ('format', 'sha256'):
        if ours[key] != theirs[key]:
            yield f'{key}: {ours[key]}, expected {theirs[key]}'
    for key, fields in (('bones', ('name', 'parent')), ('clips', ('name', 'frames'))):
        pick = lambda items: [[item[field] for field in fields] for item in items]
        yield from run.differences(pick(ours[key]), pick(theirs[key]), 0, key)
    for a, b in zip(ours['clips'], theirs['clips']):
        if b.get('fps') is not None and not abs(a['fps'] - b['fps']) <= 1e-6 * b['fps']:
            yield f'{b["name"]}: {a["fps"]} frames a second, expected {b["fps"]}'
        if b.get('loop') is not None and a['loop'] != b['loop']:
            yield f'{b["name"]}: loop {a["loop"]}'
    if len(ours['meshes']) != len(theirs['meshes']):
        yield f'{len(ours["meshes"])} meshes, expected {len(theirs["meshes"])}'
    rest, posed, added = TOLERANCE.get(ours['format'], (0, 0, 0))
    size = run.extent(ours['meshes'])
    native = theirs.get('native') or {}
    for i, (a, b) in enumerate(zip(ours['meshes'], theirs['meshes'])):
        # The texture of a TSO mesh is named by another file.
        keys = ('vertex_count', 'triangles') + (('material',) if ours['format'] != 'tso' else ())
        yield from (f'meshes[{i}].{key} differ' for key in keys if a[key] != b.get(key))
        if (a['colors'] or None) != (b.get('colors') or None):
            yield f'meshes[{i}].colors differ'
        # Runs of a ZYM share one array, which the reference lists once.
        if (b.get('native') or {}).get('vertices_shared_with') is None:
            yield from rows(f'meshes[{i}].uvs', a['uvs'], b.get('uvs'), 0)
        for pose in b['poses']:
            key = (pose.get('clip'), pose.get('frame'))
            tolerance = (rest if key == (None, None) else posed) * size + added
            found = [p for p in a['poses'] if (p['clip'], p['frame']) == key]
            if not found:
                yield f'meshes[{i}]: no pose {key}'
                continue
            yield from rows(f'meshes[{i}].positions at {key}', found[0]['positions'], pose['positions'], tolerance)
            unreliable = (b.get('native') or {}).get('unreliable_normals') or native.get('unreliable_normals') or ()
            yield from rows(f'meshes[{i}].normals at {key}', found[0]['normals'], pose.get('normals'), tolerance, unreliable)


def records(ours, theirs, path='native'):
    """Whatever the reference says of a record, ours says too."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in theirs:
            if key not in DERIVED:
                yield from records(ours.get(key), theirs[key], f'{path}.{key}')
    elif isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        for i, pair in enumerate(zip(ours, theirs)):
            yield from records(*pair, f'{path}[{i}]')
    elif not run.near(ours, theirs, NEAR):
        yield f'{path}: {ours!r}, the reference has {theirs!r}'


def words_of(expected):
    """The poses of a reference, as the command line names them."""
    keys = {(p.get('clip'), p.get('frame')) for mesh in expected.get('meshes', []) for p in mesh['poses']}
    return [f'{"" if clip is None else clip}:{frame}' for clip, frame in sorted(keys, key=str) if frame is not None]


def figure(folder, expected):
    """A mesh of The Sims Online on the skeleton in its folder, with those clips of a reference whose files are there."""
    files = {path.name.split('.')[0]: path for path in folder.glob('*.anim')}
    kept = [i for i, clip in enumerate(expected['clips']) if clip['name'] in files]
    number = {old: new for new, old in enumerate(kept)}
    arguments = [word for i in kept for word in ('--anim', str(files[expected['clips'][i]['name']]))]
    expected['clips'] = [expected['clips'][i] for i in kept]
    for mesh in expected['meshes']:
        mesh['poses'] = [{**p, 'clip': number.get(p['clip'])} for p in mesh['poses'] if p['clip'] is None or p['clip'] in number]
    return ['--skeleton', str(next(folder.glob('*.skel'))), *arguments], expected


def arguments_of(entry):
    companions = entry.get('companions', ())
    if not companions or not entry['file'].endswith(COMPLETED):
        return ['--no-companions']
    return [word for name in companions if name.endswith('.framegroups') for word in ('--framegroups', name)]


def cases_of_files(folder, implementation):
    for entry in listed(folder / 'manifest.json'):
        if entry['format'] in ELSEWHERE or 'expected' not in entry:
            continue
        expected = json.loads((folder / entry['expected']).read_text())
        case = {'file': entry['file'], 'arguments': arguments_of(entry)}
        yield entry['file'], 'dump', lambda c=case, e=expected: dumped(implementation, c, e)
        if 'posed' in entry:
            case, expected = posed(entry, folder)
            yield entry['file'], 'posed', lambda c=case, e=expected: posed_dump(implementation, c, e)
        adult = folder / 'expected_adult' / (entry['file'].split('/')[-1] + '.json')
        if adult.is_file():
            arguments, expected = figure(folder / 'tso', json.loads(adult.read_text()))
            case = {'file': entry['file'], 'arguments': arguments}
            yield entry['file'], 'adult', lambda c=case, e=expected: dumped(implementation, c, e)


def posed(entry, folder):
    """A mesh of The Sims on its skeleton, in poses of skills: the reference, and the words that name these files. Its normals
    are those that the format blends, which no dump has."""
    expected = json.loads((folder / entry['posed']).read_text())
    for mesh in expected['meshes']:
        mesh['poses'] = [{**pose, 'normals': None} for pose in mesh['poses']]
    skills = [word for file, _ in entry['clips'] for word in ('--anim', file)]
    return {'file': entry['file'], 'arguments': ['--skeleton', entry['companions'][0], *skills]}, expected


def posed_dump(implementation, case, expected):
    """Files of skills may hold others: poses are named by their clips' names."""
    names = [clip['name'] for clip in expected['clips']]
    poses = {(p['clip'], p['frame']) for p in expected['meshes'][0]['poses'] if p['clip'] is not None}
    dump = implementation.dump(case, [f'{names[clip]}:{frame}' for clip, frame in sorted(poses)])
    if dump is None:
        return ['is refused']
    number = {clip['name']: i for i, clip in reversed(list(enumerate(dump['clips'])))}
    kept = [number[name] for name in names]
    dump['clips'] = [dump['clips'][i] for i in kept]
    for mesh in dump['meshes']:
        mesh['poses'] = [{**p, 'normals': None, 'clip': p['clip'] if p['clip'] is None else kept.index(p['clip'])}
                         for p in mesh['poses']]
    return list(dumps(dump, expected))


def dumped(implementation, case, expected):
    dump = implementation.dump(case, words_of(expected))
    if dump is None:
        return ['is refused']
    if 'meshes' in expected:
        return list(dumps(dump, expected))
    return list(records(dump.get('native'), expected['native'])) if dump['format'] in RECORDS else []


def cases_of_faults(folder, implementation):
    """Broken files: the code of the error and the field in which it is, from malformed.tsv."""
    rows = [row.split('\t') for row in (pathlib.Path(__file__).parent / 'malformed.tsv').read_text().splitlines()[1:]]
    fields = {f'malformed/{file}': (stream, range(int(first), int(end))) for file, stream, first, end in rows}
    for case in listed(folder / 'malformed/cases.json') if (folder / 'malformed/cases.json').is_file() else ():
        # Numbers of keys are given by another file; the library's tests have those cases.
        if case['format'] not in ARCHIVES and 'counts' not in case:
            yield case['file'], 'malformed', lambda c=case: fault(implementation, c, fields.get(c['file']))


def fault(implementation, case, field):
    size = (implementation.files / case['file']).stat().st_size
    stem, _, dialect = pathlib.Path(case['file']).stem.rpartition('_')
    arguments = ['--dialect', dialect] if case['code'] == 'ReservedFlag' and stem and dialect in DIALECTS else []
    kind = NAMED.get(pathlib.Path(case['file']).suffix)
    arguments += ['--as', kind] if kind else []
    code, document = implementation.run(['dump', '--format', 'json'], {'file': case['file'], 'arguments': arguments})
    error = (document or {}).get('error')
    if case['expect'] != 'reject':
        if error or code:
            return [f'must open: {error}']
        codes = {finding['native'] for finding in implementation.findings(case, ['native'])} if case['expect'] == 'warn' else {case['code']}
        return [] if case['code'] in codes or codes and case['format'] != 'gltf' else [f'{case["code"]} expected: {codes}']
    if error is None:
        return [] if code else ['must be refused']
    # Files without a byte have no kind, and some cases leave a choice.
    free = case['code'] in ('any_error', '?size') or size == 0 or f'or {error["native"]}:' in case['note']
    if not free and error['native'] != case['code']:
        return [f'{error["native"]}, expected {case["code"]}']
    if field is None:
        return ['malformed.tsv has no field for it']
    inside = error.get('stream') == field[0] and error.get('offset') in field[1]
    return [] if inside else [f'{error}, the fault is in {field}']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--program', default='meshwright')
    parser.add_argument('--only', action='append', default=[])
    arguments = parser.parse_args()
    implementation = run.Implementation(arguments.program, arguments.folder.resolve())
    folder = implementation.files
    cases = [c for c in [*cases_of_files(folder, implementation), *cases_of_faults(folder, implementation)]
             if not arguments.only or any(word in c[0] for word in arguments.only)]
    agreed, failed = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (file, kind, _), wrong in zip(cases, pool.map(lambda case: case[2](), cases)):
            (failed if wrong else agreed)[kind] += 1
            for line in wrong[:3]:
                print(f'{file}: {kind}: {line}'[:300])
    for kind in sorted(agreed | failed):
        print(f'{kind:9} {agreed[kind]:5} agree {failed[kind]:5} differ')
    return 1 if failed else 0 if agreed else 2


if __name__ == '__main__':
    sys.exit(main())
