#!/usr/bin/env python3
"""Compares the poses that raylib reads from IQM files with what an implementation of the format prints.

    raylib_poses.py [--program COMMAND] [--python COMMAND] [--only WORD]... [-v] FOLDER...

Every .iqm below the folders is compared as it is, every .dpm and .zym after `COMMAND convert FILE -o FILE.iqm`. raylib's
`LoadModelAnimations` needs no window; it gives the bones of every frame in the space of the model. Compared for each clip: its
name and frames; in the first, the middle and the last frame the position and rotation of every bone, and the position of every
vertex that raylib's bones move, with `COMMAND dump --pose` of the file.

Everything agrees within 1e-4 of the model's extent. A difference is explained by a row of `raylib.tsv` next to this script; a row
that explains nothing any more is an error. raylib does not scale the places of bones by the scale of their parents: a file with
scaled bones is compared by that rule, counts as explained, and has no vertices compared.

Needs the package `raylib` of PyPI for the Python that `--python` names. Exit status 0: everything agrees or is explained; 1: not;
2: nothing was compared; 3: raylib cannot run here.
"""
import argparse, collections, fnmatch, json, math, pathlib, shlex, struct, subprocess, sys, tempfile
from darkplaces import TOLERANCE, TURN, Program, angle, frame_of, quaternion, rest_of, sampled, turn, world

# Prints the clips of the file that it is given, as one JSON document. It is a process of its own: raylib trusts files.
READER = '''
import json, sys
from raylib import ffi, rl
rl.SetTraceLogLevel(rl.LOG_NONE)
count = ffi.new('int *')
clips = rl.LoadModelAnimations(sys.argv[1].encode(), count)
def transform(t):
    return [[t.translation.x, t.translation.y, t.translation.z], [t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w],
            [t.scale.x, t.scale.y, t.scale.z]]
print('CLIPS' + json.dumps([{
    'name': ffi.string(clips[i].name).decode('latin-1'), 'bones': clips[i].boneCount, 'frames': clips[i].keyframeCount,
    'poses': [[transform(clips[i].keyframePoses[f][b]) for b in range(clips[i].boneCount)] for f in range(clips[i].keyframeCount)],
} for i in range(count[0] if clips else 0)]))
'''
# Numbers of a vertex array by its format: a letter of `struct`, and what the greatest integer stands for.
FORMATS = {0: ('b', 1), 1: ('B', 255), 2: ('h', 1), 3: ('H', 65535), 4: ('i', 1), 5: ('I', 1), 6: ('e', 1), 7: ('f', 1), 8: ('d', 1)}


def read_by_raylib(python, path):
    """The clips of a file; None if raylib crashes."""
    run = subprocess.run([*python, '-c', READER, str(path)], capture_output=True, text=True, timeout=300)
    line = next((line for line in run.stdout.splitlines() if line.startswith('CLIPS')), None)
    return json.loads(line[5:]) if run.returncode == 0 and line else None


def array(native, kind, normalized=False):
    """The values of a vertex array by vertex; None if the file has none of this kind."""
    found = next((array for array in native['vertexarrays'] if array['type'] == kind), None)
    if not found or not found['size']:
        return None
    letter, most = FORMATS[found['format']]
    values = [value[0] for value in struct.iter_unpack('<' + letter, bytes.fromhex(found['data']))]
    values = [value / most if normalized else value for value in values]
    return [values[i:i + found['size']] for i in range(0, len(values), found['size'])]


def skinned(rest, posed, influences, point):
    """Where bones move a point of the rest pose."""
    total, sum_of = [0.0] * 3, sum(weight for _, weight in influences) or 1.0
    for bone, weight in influences:
        (at, around, size), (to, turned, now) = rest[bone], posed[bone]
        local = turn([list(column) for column in zip(*around)], [(p - a) / (size or 1.0) for p, a in zip(point, at)])
        total = [t + weight / sum_of * (a + now * b) for t, a, b in zip(total, to, turn(turned, local))]
    return total


def compared(dump, clips):
    """Pairs of what differs and how; the last is the largest distance, as a part of the extent."""
    native, bones = dump['native'], dump['bones']
    points = [p for mesh in dump['meshes'] for p in mesh['poses'][0]['positions']]
    extent = max((max(c) - min(c) for c in zip(*points)), default=1.0) or 1.0
    ours = [(clip['name'].encode()[:31].decode('latin-1'), clip['frames']) for clip in dump['clips']]
    theirs = [(clip['name'], clip['frames']) for clip in clips]
    if theirs != ours:
        yield 'clips', f'{theirs[:3]}, expected {ours[:3]}'
        return
    frames = [frame_of(native, anim['first_frame'] + f) for anim in native['anims'] for f in range(anim['num_frames'])]
    scales = [scale for numbers in scales_of(native) for scale in numbers]
    is_scaled = any(abs(scale - 1) > 1e-6 for scale in scales) and bool(frames)
    if is_scaled:
        yield 'scaled', 'raylib does not scale the places of bones by the scale of their parents'
    rest = world(bones, rest_of(native))
    positions, indices, weights = array(native, 0), array(native, 4), array(native, 5, True)
    worst = 0.0
    for number, (clip, anim, read) in enumerate(zip(dump['clips'], native['anims'], clips)):
        for frame in sampled(clip):
            wanted = world(bones, [(*bone[:2], 1.0) for bone in frame_of(native, anim['first_frame'] + frame)])
            posed = [(place, quaternion(*rotation), 1.0) for place, rotation, _ in read['poses'][frame]]
            if len(posed) != len(wanted):
                yield 'poses', f'{len(posed)} bones, expected {len(wanted)}'
                return
            for bone, (place, turned, _), (to, around, _) in zip(bones, posed, wanted):
                apart = math.dist(place, to) / extent
                worst = max(worst, apart)
                if not apart <= TOLERANCE:
                    yield 'poses', f'{clip["name"]!r} frame {frame}: bone {bone["name"]!r} is {apart:.1e} of the extent away'
                if not angle(turned, around) <= TURN:
                    yield 'poses', f'{clip["name"]!r} frame {frame}: bone {bone["name"]!r} is turned by {angle(turned, around):.1e}'
            if is_scaled or not (positions and indices and weights):
                continue
            for mesh, section in zip(dump['meshes'], native['meshes']):
                pose = next(p for p in mesh['poses'] if (p['clip'], p['frame']) == (number, frame))
                for v, expected in enumerate(pose['positions'], section['first_vertex']):
                    pairs = [(bone, weight) for bone, weight in zip(indices[v], weights[v]) if weight]
                    point = skinned(rest, posed, pairs, positions[v]) if pairs else positions[v]
                    apart = math.dist(point, expected) / extent
                    worst = max(worst, apart)
                    if not apart <= TOLERANCE:
                        yield 'vertices', f'{clip["name"]!r} frame {frame}: vertex {v} is {apart:.1e} of the extent away'
                        break
    yield 'apart', worst


def scales_of(native):
    """The scales of joints at rest and in all frames."""
    yield from (joint['scale'] for joint in native['joints'])
    first = 6 if native['version'] == 1 else 7
    for pose in native['poses']:
        offsets, steps = pose['channeloffset'][first:], pose['channelscale'][first:]
        yield offsets
        yield [a + 65535 * b for i, (a, b) in enumerate(zip(offsets, steps)) if pose['channelmask'] >> (first + i) & 1]


def judged(program, python, source, folder):
    """What differs, as pairs, and how far a file is apart at most; None for what is not compared."""
    path = source
    if source.suffix != '.iqm':
        path = folder / f'{source.stem}.iqm'
        program.run('convert', source, '-o', path)
    dump = program.json('dump', path) if path.exists() else None
    if not dump or not dump['clips'] or not dump['bones']:
        return None
    poses = [f'{i}:{frame}' for i, clip in enumerate(dump['clips']) for frame in sampled(clip)]
    dump = program.json('dump', path, *[word for pose in poses for word in ('--pose', pose)])
    clips = read_by_raylib(python, path)
    return list(compared(dump, clips)) if clips is not None else [('opened', 'raylib crashes')]


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folders', nargs='+', type=pathlib.Path)
    parser.add_argument('--program', default='meshwright')
    parser.add_argument('--python', default=sys.executable)
    parser.add_argument('--only', action='append', default=[])
    parser.add_argument('-v', '--verbose', action='store_true', help='print explained differences too')
    arguments = parser.parse_args()
    program, python = Program(arguments.program), shlex.split(arguments.python)
    if subprocess.run([*python, '-c', 'import raylib'], capture_output=True).returncode:
        print('raylib is not here: pip install raylib')
        return 3
    reasons = [line.split('\t') for line in (here / 'raylib.tsv').read_text().splitlines()[1:]]
    used, count = set(), collections.Counter()
    files = [file for folder in arguments.folders for file in sorted(folder.rglob('*')) if file.suffix in ('.dpm', '.zym', '.iqm')]
    for source in files:
        if arguments.only and not any(word in str(source) for word in arguments.only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = judged(program, python, source, pathlib.Path(folder))
        if found is None:
            continue
        apart, explained, unexplained = 0.0, [], []
        for kind, what in found:
            if kind == 'apart':
                apart = what
                continue
            row = next((i for i, (file, about, _) in enumerate(reasons) if fnmatch.fnmatch(source.name, file) and about == kind), None)
            used.add(row)
            if kind != 'scaled' and row is None:
                unexplained.append(f'{kind}: {what}')
            else:
                explained.append(what if row is None else f'{kind}: {what} ({reasons[row][2]})')
        verdict = 'differ' if unexplained else 'explained' if explained else 'agree'
        count[verdict] += 1
        print(f'{source.name}: {verdict}, {apart:.0e} of the extent')
        for text in unexplained[:5] + (explained[:5] if arguments.verbose else []):
            print(f'  {text}')
    names = [file.name for file in files]
    idle = [row for i, row in enumerate(reasons) if i not in used and fnmatch.filter(names, row[0])]
    if not arguments.only:
        for file, about, _ in idle:
            print(f'raylib.tsv: {file}, {about}: explains nothing')
    print(', '.join(f'{count[kind]} {kind}' for kind in ('agree', 'explained', 'differ')))
    if not count:
        return 2
    return 1 if count['differ'] or (idle and not arguments.only) else 0


if __name__ == '__main__':
    sys.exit(main())
