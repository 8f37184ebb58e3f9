#!/usr/bin/env python3
"""Runs an implementation of the formats against the conformance suite, and says what agrees.

    run.py [--program COMMAND] [--files DIR] [--expected DIR] [--only WORD]... [--skip CLASS]... [--record]

COMMAND (default: meshwright) is called in two ways; docs/conformance.md describes what it prints.

    COMMAND dump FILE [--skeleton FILE] [--anim FILE]... [--pose CLIP:FRAME]...
    COMMAND check --format json FILE

Classes of comparison: opened (sound files open, broken ones are refused), content (bones, clips, meshes), poses (where
vertices are), findings (codes and offsets of what is wrong). `--skip` leaves classes out. `--record` writes the expected
results anew from what COMMAND prints. Exit status 0: everything agrees; 1: something does not; 2: nothing was compared.
"""
import argparse, collections, json, pathlib, shlex, subprocess, sys

CLASSES = ('opened', 'content', 'poses', 'findings')
# A mesh of The Sims Online is evaluated on a skeleton, a motion moves one.
FIGURES = {
    'tso/flower.ok.mesh': ['--skeleton', 'tso/flower.ok.skel', '--anim', 'tso/sway.ok.anim'],
    'tso/flower.ok.skel': ['--anim', 'tso/sway.ok.anim'],
}
# How far a position or a normal may be off, as a part of the model's largest extent, and added to that.
TOLERANCE = 1e-5
# Frames of a clip that are evaluated: the first, one in the middle, the last.
CLIPS = 3


class Implementation:
    def __init__(self, command, files):
        self.command, self.files = shlex.split(command), files

    def run(self, words, case):
        arguments = [self.files / w if '/' in w else w for w in case.get('arguments', [])]
        process = subprocess.run([*self.command, *words, self.files / case['file'], *map(str, arguments)],
                                 capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
        try:
            return process.returncode, json.loads(process.stdout or b'null', parse_constant=str)
        except ValueError:
            return process.returncode, None

    def dump(self, case, poses=()):
        code, dump = self.run(['dump', *[word for pose in poses for word in ('--pose', pose)]], case)
        return dump if code == 0 else None

    def findings(self, case, keys=('code', 'severity', 'offset', 'stream', 'path')):
        _, report = self.run(['check', '--format', 'json'], {'file': case['file']})
        files = (report or {}).get('files') or []
        return [{key: finding.get(key) for key in keys} for file in files for finding in file.get('findings', [])]


def extent(meshes):
    points = [p for mesh in meshes for p in mesh['poses'][0]['positions']] if meshes else []
    finite = [[c for c in column if isinstance(c, (int, float))] for column in zip(*points)]
    return max((max(c) - min(c) for c in finite if c), default=1.0)


def near(ours, theirs, tolerance):
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(near(a, b, tolerance) for a, b in zip(ours, theirs))
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return abs(ours - theirs) <= tolerance
    return ours == theirs


def content(dump):
    """What a file holds, apart from where its vertices are."""
    keys = ('material', 'vertex_count', 'triangles', 'uvs', 'colors')
    return {'format': dump['format'], 'sha256': dump['sha256'], 'bones': dump['bones'], 'clips': dump['clips'],
            'meshes': [{key: mesh[key] for key in keys} for mesh in dump['meshes']]}


def poses(dump):
    return [mesh['poses'] for mesh in dump['meshes']]


def differences(ours, theirs, tolerance, path=''):
    """The first few places where two documents differ."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        found = [f'{path}.{key}: missing' for key in theirs if key not in ours]
        return found + [d for key in theirs if key in ours
                        for d in differences(ours[key], theirs[key], tolerance, f'{path}.{key}')][:3]
    if isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            return [f'{path}: {len(ours)} items, expected {len(theirs)}']
        return [d for i, pair in enumerate(zip(ours, theirs)) for d in differences(*pair, tolerance, f'{path}[{i}]')][:3]
    return [] if near(ours, theirs, tolerance) else [f'{path}: {ours!r}, expected {theirs!r}']


def compared(case, implementation, skipped):
    """Pairs of a class and what differs in it."""
    expected = case.get('dump')
    dump = implementation.dump(case, case.get('poses', ()))
    if 'opened' not in skipped:
        opens = dump is not None
        yield 'opened', [] if opens == (case['outcome'] != 'reject') else ['opens' if opens else 'is refused']
    if expected and dump:
        if 'content' not in skipped:
            yield 'content', differences(content(dump), content(expected), 1e-6)
        if 'poses' not in skipped and poses(expected):
            yield 'poses', differences(poses(dump), poses(expected), TOLERANCE * (extent(expected['meshes']) + 1e-3))
    if 'findings' not in skipped:
        yield 'findings', differences(implementation.findings(case), case['findings'], 0)


def sampled(dump):
    for number, clip in enumerate(dump['clips'][:CLIPS]):
        last = clip['frames'] - 1
        yield from (f'{number}:{frame}' for frame in sorted({0, last // 2, last}) if frame >= 0)


def recorded(implementation):
    """Cases for every file of the suite, from what the implementation prints."""
    suites = collections.defaultdict(list)
    for path in sorted(implementation.files.glob('*/**/*')):
        file, words = path.relative_to(implementation.files).as_posix(), path.name.rsplit('.', 2)
        if len(words) != 3 or words[1] not in ('ok', 'warn', 'reject') or not path.is_file():
            continue
        case = {'file': file, 'outcome': words[1]}
        if file in FIGURES:
            case['arguments'] = FIGURES[file]
        dump = implementation.dump(case)
        if (dump is None) != (words[1] == 'reject') and path.suffix != '.framegroups':
            print(f'{file}: {"is refused" if dump is None else "opens"}')
        if dump is not None:
            posed = list(sampled(dump))
            # A clip without bones cannot be evaluated.
            whole = implementation.dump(case, posed) if posed else None
            case['poses'], dump = (posed, whole) if whole else ([], dump)
            case['dump'] = {**content(dump), 'meshes': [{key: value for key, value in mesh.items() if key != 'triangle_count'}
                                                         for mesh in dump['meshes']]}
        case['findings'] = implementation.findings(case)
        suites[file.split('/')[0]].append(case)
    return suites


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--program', default='meshwright')
    parser.add_argument('--files', type=pathlib.Path, default=here.parents[1] / 'testdata')
    parser.add_argument('--expected', type=pathlib.Path, default=here / 'expected')
    parser.add_argument('--only', action='append', default=[])
    parser.add_argument('--skip', action='append', default=[], choices=CLASSES)
    parser.add_argument('--record', action='store_true')
    arguments = parser.parse_args()
    implementation = Implementation(arguments.program, arguments.files)
    if arguments.record:
        arguments.expected.mkdir(parents=True, exist_ok=True)
        for name, cases in recorded(implementation).items():
            lines = ',\n'.join(json.dumps(case, separators=(',', ':')) for case in cases)
            (arguments.expected / f'{name}.json').write_text(f'[\n{lines}\n]\n')
        return 0
    agreed, failed = collections.Counter(), collections.Counter()
    for path in sorted(arguments.expected.glob('*.json')):
        for case in json.loads(path.read_text()):
            if arguments.only and not any(word in case['file'] for word in arguments.only):
                continue
            for kind, wrong in compared(case, implementation, arguments.skip):
                (failed if wrong else agreed)[kind] += 1
                for line in wrong:
                    print(f'{case["file"]}: {kind}: {line}')
    for kind in CLASSES:
        if agreed[kind] + failed[kind]:
            print(f'{kind:9} {agreed[kind]:5} agree {failed[kind]:5} differ')
    if not agreed and not failed:
        return 2
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
