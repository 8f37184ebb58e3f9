#!/usr/bin/env python3
"""Compares `COMMAND check` of glTF documents with the Khronos validator.

    gltf_check.py [--program COMMAND] [--modules DIR] [--changed N] [--seed N] [--out DIR] FOLDER...

The documents are every .glb and .gltf below the folders, and N changed copies of those in which the validator finds no error: one to
three values of the document are removed, replaced or repeated, or bytes of the binary chunk are replaced. Of the documents in which
the validator finds an error, `check` must find one in at least 95 %. In a document without errors for the validator it may find one
only if a row of `gltf_check.tsv` next to this script gives the reason, by the code and a word that must be in the document or among
the validator's warnings.

Needs Node.js with the package `gltf-validator` in the folder that `--modules` names. Exit status 0: they agree; 1: not; 2: nothing
was compared; 3: the package is missing.
"""
import argparse, collections, copy, json, os, pathlib, random, shlex, shutil, struct, subprocess, sys, urllib.parse

VALIDATOR = '''
const { createRequire } = require('module'), fs = require('fs'), path = require('path');
const validator = createRequire(path.resolve(process.env.NODE_MODULES) + '/_.js')('gltf-validator');
(async () => {
  for (const file of fs.readFileSync(0, 'utf8').split('\\0').filter(Boolean)) {
    const near = uri => fs.promises.readFile(path.join(path.dirname(file), decodeURIComponent(uri))).then(b => new Uint8Array(b));
    const found = [[], []];
    // The validator ends the process for some documents, or throws what is no error of them.
    process.removeAllListeners('uncaughtException');
    const fault = new Promise((_, reject) => process.once('uncaughtException', reject));
    try {
      const options = { uri: path.basename(file), maxIssues: 0, externalResourceFunction: near };
      const report = await Promise.race([validator.validateBytes(new Uint8Array(fs.readFileSync(file)), options), fault]);
      for (const m of report.issues.messages) if (m.severity < 2) found[m.severity].push(m.code);
    } catch (error) { found[0].push(String(error)); }
    console.log(JSON.stringify(found));
  }
})();
'''
SHARE = 0.95


class Document:
    """A document of a file: its JSON and the bytes of its binary chunk."""

    def __init__(self, path):
        data = path.read_bytes()
        self.path, self.binary, self.is_glb = path, bytearray(), data[:4] == b'glTF'
        if self.is_glb:
            (length,) = struct.unpack_from('<I', data, 12)
            self.binary = bytearray(data[28 + length:])
            data = data[20:20 + length]
        self.json = json.loads(data)

    def write(self, path):
        text = json.dumps(self.json).encode()
        if self.is_glb:
            text += b' ' * (-len(text) % 4)
            rest = struct.pack('<I4s', len(self.binary), b'BIN\0') + self.binary if self.binary else b''
            text = struct.pack('<4sIIII', b'glTF', 2, 20 + len(text) + len(rest), len(text), 0x4e4f534a) + text + rest
        path.write_bytes(text)

    def companions(self):
        for part in ('buffers', 'images'):
            for item in self.json.get(part, []):
                uri = item.get('uri', 'data:')
                if not uri.startswith('data:'):
                    yield urllib.parse.unquote(uri)


def places(value, found):
    """Every value inside a value, as the list or object that has it and its index or key."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        found.append((value, key))
        places(value[key], found)
    return found


def change(document, rng):
    """Changes one thing of a document."""
    if document.binary and rng.random() < 0.15:
        at = rng.randrange(len(document.binary)) & ~3
        document.binary[at:at + 4] = rng.choice([b'\0\0\0\0', b'\xff\xff\xff\xff', b'\0\0\xc0\x7f', b'\0\0\x80\x7f', rng.randbytes(4)])
        return
    all_places = places(document.json, []) or [({'': None}, '')]
    where, key = rng.choice(all_places)
    old = where[key]
    kind = rng.random()
    if kind < 0.25:
        del where[key]
    elif kind < 0.45 and isinstance(old, (int, float)) and not isinstance(old, bool):
        where[key] = rng.choice([old + 1, old - 1, -old, old * 2, old + 0.5, 0, 1 << 31, 1e30])
    elif kind < 0.6:
        there, other = rng.choice(all_places)
        where[key] = copy.deepcopy(there[other])
    elif kind < 0.7 and isinstance(where, list):
        where.insert(key, copy.deepcopy(old))
    elif kind < 0.8 and isinstance(where, dict):
        where[rng.choice(['name', 'extras', 'extensions', 'index', 'min', 'max', 'byteOffset', 'sparse', 'matrix', 'unknown'])] = copy.deepcopy(old)
    else:
        where[key] = rng.choice([-1, 0, 1, 2, 5121, 5126, 0.5, 1e300, '', 'x', 'VEC3', 'data:,', [], [0], [0, 0], {}, {'index': 0}, True, None])


def changed_copies(files, count, seed, out):
    documents = []
    for file in files:
        try:
            documents.append(Document(file))
        except (ValueError, struct.error, IndexError, RecursionError):
            continue
    documents = [d for d in documents if isinstance(d.json, dict) and d.json.get('meshes') and len(json.dumps(d.json)) < 200_000]
    rng = random.Random(seed)
    for i in range(count if documents else 0):
        document = copy.deepcopy(rng.choice(documents))
        folder = out / str(documents.index(next(d for d in documents if d.path == document.path)))
        if not folder.is_dir():
            folder.mkdir()
            try:
                names = list(document.companions())
            except (AttributeError, TypeError):
                names = []
            for name in names:
                if (document.path.parent / name).is_file() and '/' not in name:
                    shutil.copy(document.path.parent / name, folder / name)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            change(document, rng)
        path = folder / f'{i}{document.path.suffix}'
        document.write(path)
        yield path


def by_validator(modules, files):
    """The codes of errors and of warnings that the validator finds in each file."""
    run = subprocess.run(['node', '--eval', VALIDATOR], input='\0'.join(map(str, files)), capture_output=True, text=True,
                         env={**os.environ, 'NODE_MODULES': modules})
    if 'Cannot find module' in run.stderr:
        raise ModuleNotFoundError
    run.check_returncode()
    return [json.loads(line) for line in run.stdout.splitlines()]


def by_check(program, files):
    """The codes of errors that `check` finds in each file."""
    found = {}
    for start in range(0, len(files), 100):
        run = subprocess.run([*program, 'check', '--format', 'json', *files[start:start + 100]], capture_output=True, stdin=subprocess.DEVNULL)
        for file in json.loads(run.stdout)['files']:
            codes = [finding['code'] for finding in file.get('findings', []) if finding['severity'] == 'error']
            found[file['file']] = codes or ([file['error'].get('code', 'error')] if 'error' in file else [])
    return [found.get(str(file), ['no answer']) for file in files]


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folders', nargs='+', type=pathlib.Path)
    parser.add_argument('--program', default='meshwright')
    parser.add_argument('--modules', default=os.environ.get('NODE_MODULES', 'node_modules'))
    parser.add_argument('--changed', type=int, default=2000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--out', type=pathlib.Path, default=pathlib.Path('target/gltf_check'))
    arguments = parser.parse_args()
    whole = [file for folder in arguments.folders for file in sorted(folder.rglob('*')) if file.suffix in ('.glb', '.gltf') and file.is_file()]
    shutil.rmtree(arguments.out, ignore_errors=True)
    arguments.out.mkdir(parents=True)
    try:
        theirs = by_validator(arguments.modules, whole)
        clean = [file for file, (errors, _) in zip(whole, theirs, strict=True) if not errors]
        changed = list(changed_copies(clean, arguments.changed, arguments.seed, arguments.out))
        theirs += by_validator(arguments.modules, changed)
    except ModuleNotFoundError:
        print('the package gltf-validator is not here')
        return 3
    files = whole + changed
    ours = by_check(shlex.split(arguments.program), files)
    reasons = [line.split('\t') for line in (here / 'gltf_check.tsv').read_text().splitlines()[1:]]
    count, used, missed, wrong = collections.Counter(), collections.Counter(), [], []
    for file, (errors, warnings), codes in zip(files, theirs, ours, strict=True):
        group = 'as they are' if file in set(whole) else 'changed'
        if errors:
            count[group, 'broken'] += 1
            count[group, 'found'] += bool(codes)
            if not codes:
                missed.append(f'{file}: no error here, for the validator {sorted(set(errors))}')
        else:
            count[group, 'clean'] += 1
            text = file.read_text(errors='replace') + ' '.join(warnings)
            rows = {code: next((reason for row, where, reason in reasons if row == code and (where == '*' or where in text)), None) for code in codes}
            if codes and all(rows.values()):
                count[group, 'explained'] += 1
                used.update(rows.items())
            elif codes:
                count[group, 'wrong'] += 1
                wrong.append(f'{file}: {sorted(set(codes))}, for the validator none{f", warnings {sorted(set(warnings))}" if warnings else ""}')
    print('\n'.join(missed + wrong))
    for group in ('as they are', 'changed'):
        n = {name: count[group, name] for name in ('broken', 'found', 'clean', 'explained', 'wrong')}
        print('{0}: of {broken} documents with errors for the validator {found} have one here; of {clean} without, {explained} have one that is '
              'explained and {wrong} one that is not'.format(group, **n))
    for (code, reason), n in used.most_common():
        print(f'explained: {code} ({n}): {reason}')
    broken, found = (sum(count[group, name] for group in ('as they are', 'changed')) for name in ('broken', 'found'))
    if not broken:
        return 2
    return 1 if wrong or found < SHARE * broken else 0


if __name__ == '__main__':
    sys.exit(main())
