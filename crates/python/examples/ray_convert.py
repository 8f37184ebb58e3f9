"""Converts every model of a game folder, or of a folder of games, on a cluster.

    python ray_convert.py DATA OUT [--to glb] [--report report.jsonl] [--address auto] [--workers N]

Each model becomes a row of a Ray dataset. A worker opens it with what belongs to it, converts it, and puts the result where
`meshwright convert DATA -o OUT` would, with the same bytes. What was lost, and what failed, is a row of the report:
one bad file ends nothing. A run that finds its report leaves alone what has not changed since; it may have been ended
anywhere. DATA and OUT lie where all machines see them.
"""

import argparse
import collections
import hashlib
import json
import os
import platform
import time

import meshwright

# Rows that a worker takes at once, and that are in the report when it is done with them. Handing out a block takes some
# milliseconds.
BLOCK = 16


def in_game(path, data):
    """Where a model lies in its game: packs are the folder that they lie in, but for The Sims' archives below the top."""
    parts, at = os.path.relpath(path, data).split(os.sep), data
    for number, part in enumerate(parts[:-1]):
        at = os.path.join(at, part)
        if os.path.isfile(at) and (number == 0 or not part.lower().endswith((".far", ".dat"))):
            del parts[number]
            break
    return os.path.join(*parts)


def jobs(data, out, to, done):
    """Every model of a folder or pack as a row: where it lies, where it goes, and what an earlier run said of it.

    Models of one folder whose names differ in their extension alone keep it, as the program has it.
    """
    found = sorted(model.path for model in meshwright.models(data))
    extension = "." + to

    def place(path, whole):
        # As the program does: in names of results what is no text is replaced.
        below = os.fsencode(in_game(path, data)).decode("utf-8", "replace")
        folder, name = os.path.split(below)
        stem = os.path.splitext(name)[0] or name
        return os.path.join(out, folder, (name if whole else stem) + extension)

    taken = collections.Counter(place(path, False).lower() for path in found)
    for path in found:
        path = os.fspath(path)
        short = place(path, False)
        alone = taken[short.lower()] == 1
        yield {"path": path, "out": short if alone else place(path, True), "before": done.get(path, "")}


class Convert:
    """What a worker does with a batch of rows. It remembers the folders that it looked at."""

    def __init__(self, to):
        self.to, self.folders = to, {}
        self.name = f"{platform.node()}:{os.getpid()}"

    def surroundings(self, path):
        """What lies around a model: names, sizes and times of its folder, or of the pack that it lies in."""
        folder = os.path.dirname(path)
        while folder and not os.path.exists(folder):
            folder = os.path.dirname(folder)
        if folder not in self.folders:
            if os.path.isdir(folder):
                entries = [(e.name, e.stat()) for e in os.scandir(folder) if e.is_file()]
            else:
                entries = [(os.path.basename(folder), os.stat(folder))]
            self.folders[folder] = sorted([name, s.st_size, s.st_mtime_ns] for name, s in entries)
        return hash_of([meshwright.__version__, self.to, self.folders[folder]])

    def unchanged(self, path, before):
        """What an earlier run said of a model, if nothing has changed since."""
        before = json.loads(before) if before else {"state": None}
        if before["state"] == self.surroundings(path) and before["error"] is None:
            if all(os.path.exists(file) for file in before["files"]):
                return {**before, "kept": True, "seconds": 0.0}
        return None

    def one(self, path, out):
        begun = time.perf_counter()
        state = self.surroundings(path)
        row = {"path": path, "worker": self.name, "state": state, "files": [], "losses": [], "error": None}
        row["kept"] = False
        try:
            files, losses = meshwright.convert(path, out, to=self.to, textures=True)
            row["files"] = [os.fspath(file) for file in files]
            row["losses"] = [
                {"code": l.code, "path": l.path, "message": l.message, "count": l.count, "note": l.is_note}
                for l in losses
            ]
        except meshwright.Error as e:
            row["error"] = {"code": e.code, "path": e.path, "offset": e.offset, "message": e.message}
        except OSError as e:
            row["error"] = {"code": "cannot-write", "path": "", "offset": None, "message": str(e)}
        row["seconds"] = time.perf_counter() - begun
        return row

    def __call__(self, batch):
        # One text for each row: columns of nested values would need one type for all.
        rows = (
            self.one(os.fsdecode(path), os.fsdecode(out)) for path, out in zip(batch["path"], batch["out"])
        )
        return {"row": [json.dumps(row) for row in rows]}


def hash_of(value):
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def read_report(path):
    """The lines of earlier runs by model, the last of each; one that was cut off is none."""
    rows = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):
                    rows[json.loads(line)["path"]] = line
    return rows


def end_line(lines):
    """Drops a line that was cut off, so that the next begins a line."""
    lines.seek(0)
    text = lines.read()
    lines.truncate(text.rfind(b"\n") + 1)


def run(data, out, *, to="glb", report="report.jsonl", workers=None):
    """Converts, writes the report line by line, and returns its rows."""
    import ray

    # What has not changed is left alone here: a cluster gets only what is left.
    here, told, rows = Convert(to), [], []
    for row in jobs(os.fspath(data), os.fspath(out), to, read_report(report)):
        before = here.unchanged(row["path"], row["before"])
        if before is not None:
            told.append(before)
        else:
            # Names of files are bytes: columns of texts would take no others than UTF-8.
            rows.append({"path": os.fsencode(row["path"]), "out": os.fsencode(row["out"])})
    if not rows:
        return told
    workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    # Small blocks, so that nobody waits for one that got the large models. A block is a batch: larger batches would join
    # blocks, and one worker would take them all.
    blocks = min(len(rows), max(workers * 4, -(-len(rows) // BLOCK)))
    dataset = ray.data.from_items(rows, override_num_blocks=blocks).map_batches(
        Convert,
        fn_constructor_kwargs={"to": to},
        batch_size=None,
        compute=ray.data.ActorPoolStrategy(size=min(workers, blocks)),
        num_cpus=1,
    )
    with open(report, "a+b") as lines:
        end_line(lines)
        for made in dataset.iter_rows():
            row = json.loads(made["row"])
            told.append(row)
            lines.write(json.dumps(row).encode() + b"\n")
            lines.flush()
    return told


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("data")
    words.add_argument("out")
    words.add_argument("--to", default="glb", choices=meshwright.targets())
    words.add_argument("--report", default="report.jsonl")
    words.add_argument("--address", help="of a cluster; without it this machine is one")
    words.add_argument("--workers", type=int)
    words = words.parse_args()
    import ray

    if words.address:
        ray.init(address=words.address)
    else:
        ray.init(num_cpus=words.workers, include_dashboard=False)
    try:
        rows = run(words.data, words.out, to=words.to, report=words.report, workers=words.workers)
    except meshwright.Error as e:
        raise SystemExit(e) from e
    failed = [row for row in rows if row["error"]]
    for row in failed:
        print(f"{row['path']}: [{row['error']['code']}] {row['error']['message']}")
    kept = sum(row["kept"] for row in rows)
    print(f"{len(rows) - len(failed) - kept} converted, {kept} unchanged, {len(failed)} failed")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
