#!/usr/bin/env python3
"""Asks `file` and the desktop's database what files are, by the signatures of docs/descriptions.

    names.py [--program COMMAND] [--descriptions DIR] [--others DIR]... [--count N] FOLDER...

Every file below the folders that `COMMAND check` calls a model without errors must have its own name: from `file -m magic` if it has
the marks of its format, which PRONOM's signatures tell, and from the database by content or extension. Of N files (1,000) of the other folders (/usr) that have none of our
extensions none may have a name of ours. The database is made by `update-mime-database` in a folder of its own, next to the
installed one, and asked by `gio info`.

Needs `file`, `shared-mime-info` and `libglib2.0-bin` of Debian. Exit status 0: all names are right; 1: not; 2: nothing was compared;
3: a program is missing.
"""
import argparse, collections, json, os, pathlib, random, re, shlex, shutil, subprocess, sys, tempfile
import xml.etree.ElementTree

SPACE = '{http://www.freedesktop.org/standards/shared-mime-info}'


def batches(files, size=200):
    return (files[i:i + size] for i in range(0, len(files), size))


def by_file(magic, files):
    """The names that `file` gives."""
    names = []
    for batch in batches(files):
        run = subprocess.run(['file', '-m', magic, '-b', '--', *batch], capture_output=True, text=True, errors='replace')
        lines = run.stdout.splitlines()
        if len(lines) != len(batch):
            raise SystemExit(f'file: {len(lines)} names of {len(batch)} files: {run.stderr}')
        names += lines
    return names


def by_desktop(home, files):
    """The media types that the desktop gives."""
    types = []
    for batch in batches(files):
        run = subprocess.run(['gio', 'info', '-a', 'standard::content-type', '--', *batch], capture_output=True, text=True,
                             errors='replace', env={**os.environ, 'XDG_DATA_HOME': str(home), 'LC_ALL': 'C.UTF-8'})
        found = [line.split('content-type: ')[1] for line in run.stdout.splitlines() if 'standard::content-type: ' in line]
        if len(found) != len(batch):
            raise SystemExit(f'gio: {len(found)} types of {len(batch)} files: {run.stderr}')
        types += found
    return types


def sequence(text):
    """A sequence of PRONOM as a regular expression."""
    parts = re.findall(r'\{(\d+)\}|([0-9A-F]{2})', text)
    return re.compile(b''.join(b'.{%s}' % gap.encode() if gap else re.escape(bytes.fromhex(byte)) for gap, byte in parts), re.DOTALL)


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folders', nargs='+', type=pathlib.Path)
    parser.add_argument('--program', default='meshwright')
    parser.add_argument('--descriptions', type=pathlib.Path, default=here / '../../docs/descriptions')
    parser.add_argument('--others', action='append', default=[])
    parser.add_argument('--count', type=int, default=1000)
    arguments = parser.parse_args()
    missing = [name for name in ('file', 'update-mime-database', 'gio') if not shutil.which(name)]
    if missing:
        print(f'not here: {", ".join(missing)}')
        return 3
    magic, database = arguments.descriptions / 'magic', arguments.descriptions / 'meshwright.xml'
    pronom = xml.etree.ElementTree.parse(arguments.descriptions / 'pronom.xml').getroot()
    by_id = {kind.get('PUID').removeprefix('dev/'): kind.get('Name') for kind in pronom.iter() if kind.get('PUID')}
    kinds = xml.etree.ElementTree.parse(database).getroot().findall(f'{SPACE}mime-type')
    signatures = {e.get('ID'): e[0].get('Sequence') for e in pronom.iter() if e.tag.endswith('}InternalSignature')}
    sequences = {e.get('MIMEType'): sequence(signatures[e.get('ID')]) for e in pronom.iter() if e.get('PUID') and e.get('ID') in signatures}
    title = {kind.get('type'): kind.find(f'{SPACE}comment').text for kind in kinds}
    marked = {kind.get('type') for kind in kinds if kind.find(f'{SPACE}magic') is not None}
    media = {text: kind for kind, text in title.items()}
    globs = {glob.get('pattern')[1:]: (kind.get('type'), int(glob.get('weight'))) for kind in kinds for glob in kind.findall(f'{SPACE}glob')}
    wrong, count = [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        (home / 'mime/packages').mkdir(parents=True)
        shutil.copy(database, home / 'mime/packages/meshwright.xml')
        subprocess.run(['update-mime-database', home / 'mime'], check=True, env={**os.environ, 'XDG_DATA_HOME': str(home)})

        # Our own files: what the program calls them is expected.
        ours = [f for d in arguments.folders for f in sorted(d.rglob('*')) if f.is_file() and f.suffix in globs]
        asked = lambda word: json.loads(subprocess.run(
            [*shlex.split(arguments.program), word, '--format', 'json', *map(str, ours)], capture_output=True).stdout)['files']
        broken = {f['file'] for f in asked('check') if 'findings' not in f or any(finding['severity'] == 'error' for finding in f['findings'])}
        known = [(f['file'], by_id[f['format']]) for f in asked('info') if f.get('format') in by_id and f['file'] not in broken]
        # A name that another format's files have says nothing of the content.
        known = [(path, text) for path, text in known if globs[pathlib.Path(path).suffix][0] == media[text]]
        paths = [path for path, _ in known]
        for (path, text), name, kind in zip(known, by_file(magic, paths), by_desktop(home, paths)):
            expected = media[text]
            weight = globs[pathlib.Path(path).suffix][1]
            # The marks by PRONOM's signatures, which DROID would look for.
            has_marks = expected in sequences and sequences[expected].match(pathlib.Path(path).read_bytes())
            if (expected in marked) != (expected in sequences):
                wrong.append(f'{expected}: has marks in one database only')
            elif has_marks and not name.startswith(text):
                wrong.append(f'{path}: file says {name}, expected {text}')
            elif not has_marks and any(name.startswith(other) for other in media):
                wrong.append(f'{path}: file says {name}, expected no name of ours')
            else:
                count['named by file and by PRONOM' if has_marks else 'without marks'] += 1
            # The extension of another program's files decides for that program.
            if kind == expected:
                count['named by the desktop'] += 1
            elif weight == 10 and kind not in title:
                count['left to others by the desktop'] += 1
            else:
                wrong.append(f'{path}: the desktop says {kind}, expected {expected}')

        # Files of other kinds, drawn alike every time.
        others = []
        for other in arguments.others or ['/usr']:
            for parent, folders, names in os.walk(other):
                folders.sort()
                others += [os.path.join(parent, name) for name in sorted(names) if '.' + name.rsplit('.', 1)[-1] not in globs]
        others = [f for f in random.Random(1).sample(others, min(len(others), 4 * arguments.count)) if os.path.isfile(f) and not os.path.islink(f)]
        others = others[:arguments.count]
        for path, name, kind in zip(others, by_file(magic, others), by_desktop(home, others)):
            if any(name.startswith(text) for text in media):
                wrong.append(f'{path}: file says {name}')
            if kind in title:
                wrong.append(f'{path}: the desktop says {kind}')
            count['of other kinds'] += 1
    for line in wrong:
        print(line)
    print(', '.join(f'{n} {what}' for what, n in sorted(count.items())) + f', {len(wrong)} wrong')
    return 2 if not count['of other kinds'] or not known else 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
