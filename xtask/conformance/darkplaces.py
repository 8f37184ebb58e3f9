#!/usr/bin/env python3
"""Compares what the DarkPlaces engine reads with what an implementation of the formats prints.

    darkplaces.py [--program COMMAND] [--engine COMMAND] [--only WORD]... [-v] FOLDER...

Every .dpm, .zym and .iqm below the folders is given to the engine as it is, converted to each of the other two formats,
optimized, edited in a GLB and converted back, and edited in a GLB without the original and merged into it. A file that is
rewritten must have the same bytes. The engine's console command `modeldecompile` loads a model with the engine's own loader and
writes what it holds as SMD text. For each of these files bones, clips, rates, loops, triangles, weights and vertices in poses must agree with `COMMAND dump` of the file, and
`COMMAND diff` must find the poses of the original in it, as near as the conversion states.

Positions agree within 1e-4 of the model's extent, and what the engine's numbers explain: it stores places and rotations of
bones in 16 bits, which adds up along a chain of bones, and weights in 8 bits. A difference is explained if `COMMAND check
--for darkplaces` finds that the engine reads the file otherwise, or by a row of `darkplaces.tsv` next to this script. A row that
explains nothing any more is an error.

Needs Debian's `darkplaces-server` (`apt-get install --no-install-recommends darkplaces-server`). The engine runs in a network
namespace of its own, so that it neither reaches nor serves anybody. Exit status 0: everything agrees or is explained; 1: not;
2: nothing was compared; 3: the engine cannot run here.
"""
import argparse, collections, fnmatch, json, math, pathlib, re, shlex, shutil, struct, subprocess, sys, tempfile

TOLERANCE = 1e-4
# Frames of a clip that are evaluated: the first, one in the middle, the last.
FRAMES = 3
# How far a rotation in the engine's 16 bits may be turned, in radians: four parts that are cut, and twice the angle.
TURN = 4 / 32767
IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


# --- the engine ---
def decompile(engine, files):
    """For each file, a path and the bytes of its .framegroups or None, the engine's texts by name; None if it crashes."""
    with tempfile.TemporaryDirectory() as root:
        models, user = pathlib.Path(root, 'id1/models'), pathlib.Path(root, 'user')
        models.mkdir(parents=True)
        script = []
        for i, (path, groups) in enumerate(files):
            shutil.copy(path, models / f'm{i}{path.suffix}')
            if groups:
                (models / f'm{i}{path.suffix}.framegroups').write_bytes(groups)
            script.append(f'modeldecompile models/m{i}{path.suffix}')
        (models.parent / 'probe.cfg').write_text('\n'.join([*script, 'quit', '']))
        run = subprocess.run(['unshare', '-rn', *engine, '-basedir', root, '-userdir', user, '+exec', 'probe.cfg'],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        if run.returncode and len(files) > 1:
            return [decompile(engine, [file])[0] for file in files]
        if run.returncode:
            return [None]
        texts = []
        for i in range(len(files)):
            found = (user / 'id1/models').glob(f'm{i}_decompiled*')
            files = [file for place in found for file in ([place] if place.is_file() else place.iterdir())]
            texts.append({file.name.replace(f'm{i}_decompiled', ''): file.read_bytes().decode('latin-1') for file in files})
        return texts


def rotation(x, y, z):
    """The matrix of the three angles of SMD: about x, then y, then z."""
    cx, sx, cy, sy, cz, sz = math.cos(x), math.sin(x), math.cos(y), math.sin(y), math.cos(z), math.sin(z)
    return [[cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx]]


def smd(text):
    """Bones, frames of places and rotations relative to the parent, and triangles in the order of the file."""
    bones, frames, triangles, section = [], [], [], None
    lines = iter(text.split('\n'))
    for line in lines:
        word = line.strip()
        if section is None:
            section = word if word in ('nodes', 'skeleton', 'triangles') else None
        elif word == 'end':
            section = None
        elif section == 'nodes':
            found = re.match(r'\s*(\d+)\s+"(.*)"\s+(-?\d+)', line)
            bones.append({'name': found[2], 'parent': int(found[3])})
        elif section == 'skeleton' and word.startswith('time'):
            frames.append([None] * len(bones))
        elif section == 'skeleton':
            numbers = [float(n) for n in word.split()]
            frames[-1][int(numbers[0])] = (numbers[1:4], rotation(*numbers[4:]))
        else:
            corners = []
            for _ in range(3):
                n = next(lines).split()
                numbers, pairs = [float(number) for number in n[1:9]], n[10:]
                weights = {}
                for bone, weight in zip(pairs[::2], pairs[1::2]):
                    weights[int(bone)] = weights.get(int(bone), 0.0) + float(weight)
                weights = weights or {int(n[0]): 1.0}
                corners.append({'p': numbers[:3], 'uv': [numbers[6], 1 - numbers[7]], 'w': weights})
            triangles.append({'material': word, 'corners': corners})
    return bones, frames, triangles


def obj(text):
    """Triangles of a model without bones."""
    points, uvs, triangles, material = [], [], [], ''
    for line in text.splitlines():
        word, *rest = line.split(' ')
        if word == 'v':
            x, z, y = map(float, rest)
            points.append([x, y, z])
        elif word == 'vt':
            uvs.append([float(rest[0]), 1 - float(rest[1])])
        elif word == 'usemtl':
            material = ' '.join(rest)
        elif word == 'f':
            numbers = [int(corner.split('/')[0]) - 1 for corner in rest]
            triangles.append({'material': material, 'corners': [{'p': points[n], 'uv': uvs[n], 'w': {}} for n in numbers]})
    return triangles


def read_by_engine(path, texts, whole):
    """A model as the engine reads it; None if it reads none. `whole` has all poses of the file as one clip: the engine writes
    each clip from the first pose of the file on, wherever the clip begins."""
    if not texts or not any(name in texts for name in ('ref1.smd', '.obj')):
        return None
    if 'ref1.smd' not in texts:
        return {'bones': [], 'triangles': obj(texts['.obj']), 'clips': [], 'poses': []}
    bones, _, triangles = smd(texts['ref1.smd'])
    # The loader of IQM keeps the order of corners, which the writer of SMD turns.
    for triangle in triangles if path.suffix == '.iqm' else ():
        triangle['corners'].reverse()
    clips = []
    for line in texts.get('.framegroups', '').splitlines():
        found = re.match(r'(\d+) (\d+) (\S+) (\d+) // ?(.*)', line)
        clips.append({'name': found[5], 'first': int(found[1]), 'frames': int(found[2]), 'fps': float(found[3]), 'loop': found[4] == '1'})
    poses = smd(whole['all.smd'])[1] if whole and 'all.smd' in whole else []
    return {'bones': bones, 'triangles': triangles, 'clips': clips, 'poses': poses}


# --- the implementation ---
class Program:
    def __init__(self, command):
        self.command = shlex.split(command)

    def run(self, *words):
        return subprocess.run([*self.command, *map(str, words)], capture_output=True, stdin=subprocess.DEVNULL, timeout=300)

    def json(self, *words):
        return numbers(json.loads(self.run(*words).stdout or b'null'))


def numbers(value):
    """The value with numbers for the texts of those that are not finite, from which every distance is no distance."""
    if isinstance(value, list):
        return [numbers(part) for part in value]
    if isinstance(value, dict):
        return {key: numbers(part) for key, part in value.items()}
    return float(value) if value in ('NaN', 'Infinity', '-Infinity') else value


def quaternion(x, y, z, w):
    length = math.sqrt(x * x + y * y + z * z + w * w) or 1.0
    x, y, z, w = x / length, y / length, z / length, w / length
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def split(matrix):
    """Place, rotation and scale of a matrix of three rows."""
    scale = math.sqrt(sum(row[0] ** 2 for row in matrix))
    turned = [[n / scale for n in row[:3]] for row in matrix] if scale else IDENTITY
    return [row[3] for row in matrix], turned, scale


def frame_of(native, number):
    """Bones of a frame of the file: places, rotations and scales relative to the parent."""
    if native['format'] != 'iqm':
        pose = native['frames'][number]['pose'] if native['format'] == 'dpm' else number
        return [split(matrix) for matrix in native['poses'][pose]]
    bones = []
    at = number * sum(bin(pose['channelmask'] & 0x3ff).count('1') for pose in native['poses'])
    for pose in native['poses']:
        channels = list(pose['channeloffset'])
        for c in range(10):
            if pose['channelmask'] >> c & 1:
                channels[c] += native['frames'][at] * pose['channelscale'][c]
                at += 1
        x, y, z, w = channels[3:7]
        # Version 1 stores three parts of a rotation.
        w = -math.sqrt(max(0.0, 1 - x * x - y * y - z * z)) if native['version'] == 1 else w
        bones.append((channels[:3], quaternion(x, y, z, w), 1.0))
    return bones


def frame_count(native):
    return native['num_frames'] if native['format'] == 'iqm' else len(native['frames' if native['format'] == 'dpm' else 'poses'])


def rest_of(native):
    if native['format'] != 'iqm':
        return frame_of(native, 0)
    return [(joint['translate'], quaternion(*joint['rotate']), 1.0) for joint in native['joints']]


def turn(matrix, point):
    return [sum(matrix[i][k] * point[k] for k in range(3)) for i in range(3)]


def world(bones, frame):
    placed = []
    for bone, (place, turned, scale) in zip(bones, frame):
        if bone['parent'] >= 0:
            at, around, size = placed[bone['parent']]
            place = [a + size * b for a, b in zip(at, turn(around, place))]
            turned = [[sum(around[i][k] * turned[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
            scale *= size
        placed.append((place, turned, scale))
    return placed


def angle(a, b):
    # Half of the distance between the matrices: exact for small angles, where the trace is not.
    far = math.sqrt(sum((a[i][j] - b[i][j]) ** 2 for i in range(3) for j in range(3)) / 8)
    return 2 * math.asin(min(1.0, far))


def joined(clips, name):
    """The engine's clip of this name, or its clips of single frames `name_0`, `name_1`, ... as one without rate and loop."""
    exact = next((clip for clip in clips if clip['name'] == name), None)
    if exact:
        return exact
    numbered = [clip for clip in clips if re.fullmatch(re.escape(name) + r'_?\d+', clip['name'])]
    return dict(numbered[0], frames=len(numbered), fps=None, loop=None) if numbered else None


def rounding(bones, posed, bone, point, step):
    """How far the 16 bits of a bone and of those that it hangs from may move a point of it."""
    far = 0.0
    while bone >= 0:
        far += TURN * math.dist(point, posed[bone][0]) + step
        bone = bones[bone]['parent']
    return far


def skinned(bones, corner, rest, posed, step):
    """Where the engine draws a corner, and how far its bits may move that."""
    places = []
    for bone, weight in corner['w'].items():
        (at, around, _), (to, turned, _) = rest[bone], posed[bone]
        local = turn([list(column) for column in zip(*around)], [p - a for p, a in zip(corner['p'], at)])
        place = [a + b for a, b in zip(to, turn(turned, local))]
        places.append((place, weight, rounding(bones, posed, bone, place, step)))
    point = [sum(p[i] * weight for p, weight, _ in places) for i in range(3)]
    bytes_of_weights = sum(math.dist(p, point) for p, _, _ in places) / 255
    return point, max(far for _, _, far in places) + bytes_of_weights


def compared(dump, engine):
    """Pairs of what differs and how; the last is the largest distance, as a part of the extent."""
    native, corners = dump['native'], []
    for mesh in dump['meshes']:
        for triangle in mesh['triangles']:
            corners += [(mesh, v) for v in triangle]
    points = [p for mesh in dump['meshes'] for p in mesh['poses'][0]['positions']]
    extent = max((max(c) - min(c) for c in zip(*points)), default=1.0) or 1.0
    bones = [(bone['name'], bone['parent']) for bone in engine['bones']]
    if engine['bones']:
        ours = [(bone['name'], bone['parent']) for bone in dump['bones']]
        if bones != ours:
            yield 'bones', f'{len(bones)} bones, expected {len(ours)}: {[a for a in zip(bones, ours) if a[0] != a[1]][:2]}'
            return
    drawn = [corner for triangle in engine['triangles'] for corner in triangle['corners']]
    if len(drawn) != len(corners):
        yield 'triangles', f'{len(drawn) // 3}, expected {len(corners) // 3}'
        return
    worst = 0.0
    for corner, (mesh, v) in zip(drawn, corners):
        worst = max(worst, math.dist(corner['p'], mesh['poses'][0]['positions'][v]) / extent)
        if mesh['uvs'] and max(abs(a - b) for a, b in zip(corner['uv'], mesh['uvs'][v])) > 1e-5:
            yield 'triangles', f'texture coordinates {corner["uv"]}, expected {mesh["uvs"][v]}'
            return
    if worst > TOLERANCE:
        yield 'triangles', f'vertices at rest are {worst:.1e} of the extent apart'
    if not engine['bones']:
        if dump['clips'] and dump['bones']:
            yield 'bones', 'none'
        yield 'apart', worst
        return
    rest, poses = None, {(pose['clip'], pose['frame']): i for i, pose in enumerate(dump['meshes'][0]['poses'])}
    # The engine bakes the scale of a bone into the places of those below it.
    rest = [(place, turned, 1.0) for place, turned, _ in world(dump['bones'], rest_of(native))]
    step = max((abs(n) for pose in engine['poses'] for place, _ in pose for n in place), default=0.0) * 2 / 32767
    if dump['clips'] and len(engine['poses']) != frame_count(native):
        yield 'poses', f'{len(engine["poses"])}, expected {frame_count(native)}'
        return
    for number, clip in enumerate(dump['clips']):
        found = joined(engine['clips'], clip['name'])
        # The engine writes a wrong count for a clip of one frame.
        if not found or found['frames'] != clip['frames'] > 1:
            yield 'clips', f'{clip["name"]!r}: {found["frames"] if found else "no"} frames, expected {clip["frames"]}'
            continue
        if found['fps'] is not None and (abs(found['fps'] - clip['fps']) > 1e-3 or found['loop'] != clip['loop']):
            yield 'clips', f'{clip["name"]!r}: {found["fps"]:g} fps, loop {found["loop"]}, expected {clip["fps"]:g}, {clip["loop"]}'
        for frame in sampled(clip):
            own = frame_of(native, found['first'] + frame)
            local = [(*bone, 1.0) for bone in engine['poses'][found['first'] + frame]]
            posed, wanted = world(dump['bones'], local), world(dump['bones'], own)
            for i, bone in enumerate(dump['bones']):
                apart = math.dist(posed[i][0], wanted[i][0])
                worst = max(worst, apart / extent)
                if apart > TOLERANCE * extent + rounding(dump['bones'], posed, i, posed[i][0], step):
                    yield 'poses', f'{clip["name"]!r} frame {frame}: bone {bone["name"]!r} is {apart / extent:.1e} of the extent away'
                # A bone of size 0 has no rotation.
                if own[i][2] and angle(own[i][1], local[i][1]) > 2 * TURN:
                    yield 'poses', f'{clip["name"]!r} frame {frame}: bone {bone["name"]!r} is turned by {angle(own[i][1], local[i][1]):.1e}'
            seen = set()
            for corner, (mesh, v) in zip(drawn, corners):
                if (id(mesh), v) in seen:
                    continue
                seen.add((id(mesh), v))
                point, allowed = skinned(dump['bones'], corner, rest, posed, step)
                apart = math.dist(point, mesh['poses'][poses[number, frame]]['positions'][v])
                if apart > TOLERANCE * extent + allowed:
                    yield 'poses', f'{clip["name"]!r} frame {frame}: a vertex is {apart / extent:.1e} of the extent away'
                    break
                worst = max(worst, apart / extent if len(corner['w']) == 1 else 0.0)
    yield 'apart', worst


def sampled(clip):
    last = clip['frames'] - 1
    return sorted({0, last // 2, last} if last >= 0 else set())[:FRAMES]


def edited(glb):
    """The document with its first vertex moved and its first clip renamed."""
    (length,) = struct.unpack_from('<I', glb, 12)
    document, rest = json.loads(glb[20:20 + length]), bytearray(glb[20 + length:])
    accessor = document['accessors'][document['meshes'][0]['primitives'][0]['attributes']['POSITION']]
    view = document['bufferViews'][accessor['bufferView']]
    at = 8 + view.get('byteOffset', 0) + accessor.get('byteOffset', 0)
    point = [n + (high - low) / 50 for n, low, high in zip(struct.unpack_from('<3f', rest, at), accessor['min'], accessor['max'])]
    struct.pack_into('<3f', rest, at, *point)
    accessor['max'] = [max(pair) for pair in zip(point, accessor['max'])]
    for animation in document.get('animations', [])[:1]:
        animation['name'] = 'edited'
    text = json.dumps(document).encode()
    text += b' ' * (-len(text) % 4)
    return struct.pack('<4sIIII', b'glTF', 2, 20 + len(text) + len(rest), len(text), 0x4e4f534a) + text + rest


def result(run):
    """The reason why a command wrote nothing, and the losses that it states."""
    report = json.loads(run.stdout)
    file = report.get('files', [report])[0]
    return file['error']['message'] if 'error' in file else None, file.get('losses', [])


def variants(program, source, folder):
    """Files that are made of a model: name, path, the reason why there is none, and losses that were stated."""
    yield 'as it is', source, None, []
    own = source.suffix[1:]
    copy = folder / source.name
    program.run('convert', source, '-o', copy)
    if not copy.exists() or copy.read_bytes() != source.read_bytes():
        yield 'rewritten', None, 'has other bytes', []
    jobs = [(to, ['convert', source, '-o', folder / f'to.{to}', '--for', 'darkplaces']) for to in ('dpm', 'zym', 'iqm') if to != own]
    if own != 'iqm':
        jobs.append(('optimized', ['optimize', source, '-o', folder / f'optimized.{own}']))
    for name, words in jobs:
        yield name, words[3], *result(program.run(*words, '--format', 'json'))
    for name, out, back in (('edited', ['--keep-native'], []), ('merged', ['--extras'], ['--onto', source])):
        document = folder / f'{name}.glb'
        if program.run('convert', source, *out, '-o', document).returncode == 0 and b'POSITION' in document.read_bytes():
            document.write_bytes(edited(document.read_bytes()))
            made = folder / f'{name}.{own}'
            yield name, made, *result(program.run('convert', document, *back, '-o', made, '--format', 'json'))


def judged(program, engine, source, folder):
    """For each file that is made of a model its name and what differs, as pairs; and how far it is apart at most."""
    made, asked = [], []
    for name, path, why, losses in variants(program, source, folder):
        dump = None if why else program.json('dump', path)
        if dump:
            poses = [f'{i}:{frame}' for i, clip in enumerate(dump['clips']) for frame in sampled(clip)] if dump['bones'] else []
            dump = program.json('dump', path, *[word for pose in poses for word in ('--pose', pose)])
            groups = path.with_name(path.name + '.framegroups')
            asked += [(path, groups.read_bytes() if groups.exists() else None), (path, b'0 %d 10 1 all\n' % frame_count(dump['native']))]
        made.append((name, path, why, losses, dump))
    texts = iter(decompile(engine, asked))
    for name, path, why, losses, dump in made:
        if why:
            yield name, [('made', why)], None, []
            continue
        found, found_apart, text = [], None, next(texts)
        model = read_by_engine(path, text, next(texts))
        if model is None:
            found.append(('opened', 'the engine crashes' if text is None else 'the engine reads no model'))
        else:
            for kind, what in compared(dump, model):
                if kind == 'apart':
                    found_apart = what
                else:
                    found.append((kind, what))
        if name not in ('as it is', 'edited', 'merged'):
            diff = program.json('diff', '--format', 'json', source, path)
            clips = [clip['apart'] for clip in diff.get('clips', []) if isinstance(clip['apart'], (int, float))]
            apart = max([diff.get('rest') or 0.0, *clips])
            stated = max([diff['tolerance'], *(loss['amount'] for loss in losses if loss['unit'] == 'units')])
            if apart > stated * 1.01 and not any(loss['code'] == 'influences-dropped' for loss in losses):
                found.append(('original', f'poses are {apart:.3g} units away from the original, {stated:.3g} are stated'))
        report = program.json('check', '--for', 'darkplaces', '--format', 'json', path) if found else None
        codes = {finding['code'] for finding in report['files'][0]['findings']} if report else set()
        yield name, found, found_apart, sorted(code for code in codes if code.startswith('engine-'))


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folders', nargs='+', type=pathlib.Path)
    parser.add_argument('--program', default='meshwright')
    parser.add_argument('--engine', default='/usr/games/darkplaces-server')
    parser.add_argument('--only', action='append', default=[])
    parser.add_argument('-v', '--verbose', action='store_true', help='print explained differences too')
    arguments = parser.parse_args()
    program, engine = Program(arguments.program), shlex.split(arguments.engine)
    if not shutil.which(engine[0]):
        print(f'{engine[0]} is not here: install darkplaces-server')
        return 3
    if subprocess.run(['unshare', '-rn', 'true'], capture_output=True).returncode:
        print('unshare makes no network namespace here')
        return 3
    reasons = [line.split('\t') for line in (here / 'darkplaces.tsv').read_text().splitlines()[1:]]
    used, count = set(), collections.Counter()
    files = [file for folder in arguments.folders for file in sorted(folder.rglob('*')) if file.suffix in ('.dpm', '.zym', '.iqm')]
    for source in files:
        if arguments.only and not any(word in str(source) for word in arguments.only):
            continue
        dump = program.json('dump', source)
        # The engine crashes on files without triangles, or says that it has nothing to write.
        if not dump or not any(mesh['triangles'] for mesh in dump['meshes']):
            continue
        # SMD has no way to write a line break in a name.
        if any('\n' in name for name in [bone['name'] for bone in dump['bones']] + [mesh['material'] for mesh in dump['meshes']]):
            continue
        line = []
        with tempfile.TemporaryDirectory() as folder:
            for name, found, apart, codes in judged(program, engine, source, pathlib.Path(folder)):
                unexplained = []
                for kind, what in found:
                    if codes and kind != 'original':
                        if arguments.verbose:
                            print(f'  {name}: {kind}: {what} ({", ".join(codes)})')
                        continue
                    row = next((i for i, (file, made, about, _) in enumerate(reasons) if fnmatch.fnmatch(source.name, file)
                                and fnmatch.fnmatch(name, made) and about == kind), None)
                    used.add(row)
                    if row is None:
                        unexplained.append(f'{kind}: {what}')
                    elif arguments.verbose:
                        print(f'  {name}: {kind}: {what} ({reasons[row][3]})')
                count['differ' if unexplained else 'explained' if found else 'agree'] += 1
                line.append(f'{name} {"DIFFERS" if unexplained else "explained" if found else f"{max(apart or 0.0, 0.0):.0e}"}')
                for text in unexplained[:5]:
                    print(f'{source.name}: {name}: {text}')
        print(f'{source.name}: {", ".join(line)}')
    names = [file.name for file in files]
    idle = [row for i, row in enumerate(reasons) if i not in used and fnmatch.filter(names, row[0])]
    if not arguments.only:
        for file, made, about, _ in idle:
            print(f'darkplaces.tsv: {file}, {made}, {about}: explains nothing')
    print(', '.join(f'{count[kind]} {kind}' for kind in ('agree', 'explained', 'differ')))
    if not count:
        return 2
    return 1 if count['differ'] or (idle and not arguments.only) else 0


if __name__ == '__main__':
    sys.exit(main())
