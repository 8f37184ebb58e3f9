"""The example on two workers of this machine, held against the program (`MESHWRIGHT` is its path)."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import ray

HERE = pathlib.Path(__file__).resolve().parent
TESTDATA = HERE.parent.parent.parent / "testdata"
sys.path.insert(0, os.fspath(HERE))
# Workers import it too.
os.environ["PYTHONPATH"] = os.pathsep.join([os.fspath(HERE), os.environ.get("PYTHONPATH", "")])

import ray_convert  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, configure_logging=False)
    yield
    ray.shutdown()


@pytest.fixture
def data(tmp_path):
    """A game of every fixture: each kind in a folder of its own below `models`."""
    top = tmp_path / "data"
    for kind in sorted(TESTDATA.iterdir()):
        if kind.is_dir() and kind.name not in ("game",):
            shutil.copytree(kind, top / "models" / kind.name)
    return top


def tree(folder):
    """Every file below a folder, and its bytes."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {os.fspath(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_cluster_writes_what_the_program_writes(data, tmp_path):
    report = tmp_path / "report.jsonl"
    rows = ray_convert.run(data, tmp_path / "ray", report=report, workers=2)
    program = os.environ["MESHWRIGHT"]
    told = subprocess.run(
        [program, "convert", data, "-o", tmp_path / "program"],
        capture_output=True,
        text=True,
    )
    assert told.returncode in (0, 1, 3), told.stderr
    ours, theirs = tree(tmp_path / "ray"), tree(tmp_path / "program")
    assert sorted(ours) == sorted(theirs)
    different = [name for name in ours if ours[name] != theirs[name]]
    assert not different
    good = [row for row in rows if row["error"] is None]
    bad = [row for row in rows if row["error"]]
    print(f"{len(rows)} rows, {len(ours)} files, {len(bad)} failed")
    assert len(good) > 80 and len(bad) > 80
    assert all(row["error"]["code"] and row["error"]["message"] for row in bad)
    assert any(row["error"]["offset"] is not None for row in bad)
    assert any(row["losses"] for row in good)
    # On a busy machine one may be done before the other has begun.
    workers = {row["worker"] for row in rows}
    assert 1 <= len(workers) <= 2 and all(int(worker.split(":")[1]) != os.getpid() for worker in workers)
    assert [json.loads(line)["path"] for line in report.read_text().splitlines()] == [row["path"] for row in rows]


def test_two_workers_share_the_models(data, tmp_path):
    """One batch of 256 would join their blocks."""
    for number in range(3):
        shutil.copytree(data / "models", data / f"more{number}")
    rows = ray_convert.run(data, tmp_path / "out", report=tmp_path / "report.jsonl", workers=2)
    shares = collections.Counter(row["worker"] for row in rows)
    assert len(rows) > 600 and len(shares) == 2 and min(shares.values()) > len(rows) // 10, shares


def test_a_run_goes_on_where_it_was_ended(data, tmp_path):
    out, report = tmp_path / "out", tmp_path / "report.jsonl"
    shutil.rmtree(data / "models" / "tso")
    first = ray_convert.run(data, out, report=report, workers=2)
    whole = tree(out)
    # Ended in the middle of a line.
    lines = report.read_text().splitlines(keepends=True)
    report.write_text("".join(lines[: len(lines) // 2]) + lines[-1][:20])
    again = ray_convert.run(data, out, report=report, workers=2)
    kept = collections.Counter(row["kept"] for row in again)
    assert kept[True] > 10 and kept[False] > 10
    assert tree(out) == whole
    assert sorted(row["path"] for row in again) == sorted(row["path"] for row in first)
    # A companion that changes makes its models anew; so does an output that is gone.
    changed = data / "models" / "dpm" / "hopper.ok.dpm.framegroups"
    changed.write_text("1 3 6 1 short\n")
    gone = next(pathlib.Path(row["files"][0]) for row in again if "/iqm/" in row["path"] and row["files"])
    gone.unlink()
    last = ray_convert.run(data, out, report=report, workers=2)
    made = {os.path.basename(os.path.dirname(row["path"])) for row in last if not row["kept"] and not row["error"]}
    assert made == {"dpm", "iqm"}
    assert gone.read_bytes() == whole[os.fspath(gone.relative_to(out))]
    hopper = next(row for row in last if row["path"].endswith("hopper.ok.dpm"))
    assert pathlib.Path(hopper["files"][0]).read_bytes() != whole[os.path.relpath(hopper["files"][0], out)]


def test_a_pack_is_a_folder(tmp_path):
    program = os.environ["MESHWRIGHT"]
    (tmp_path / "stage" / "models").mkdir(parents=True)
    shutil.copy(TESTDATA / "dpm" / "hopper.ok.dpm", tmp_path / "stage" / "models" / "hopper.dpm")
    pack = tmp_path / "data.pk3"
    subprocess.run([program, "pack", tmp_path / "stage", "-o", pack], check=True, capture_output=True)
    rows = ray_convert.run(pack, tmp_path / "ray", report=tmp_path / "report.jsonl", workers=2)
    subprocess.run([program, "convert", pack, "-o", tmp_path / "program"], check=True, capture_output=True)
    assert [row["error"] for row in rows] == [None]
    assert tree(tmp_path / "ray") == tree(tmp_path / "program")
    assert ray_convert.run(pack, tmp_path / "ray", report=tmp_path / "report.jsonl", workers=2)[0]["kept"]


@pytest.mark.parametrize("game", ["", "base", "mod", "sims", "online"])
def test_packs_of_a_game_are_its_folder(game, tmp_path):
    data, program = TESTDATA / "game" / game, os.environ["MESHWRIGHT"]
    rows = ray_convert.run(data, tmp_path / "ray", report=tmp_path / "report.jsonl", workers=2)
    subprocess.run([program, "convert", data, "-o", tmp_path / "program"], check=True, capture_output=True)
    ours = tree(tmp_path / "ray")
    assert ours and ours == tree(tmp_path / "program")
    assert len(ours) == len(rows) and not any(row["error"] for row in rows)


def test_names_are_any_bytes_and_one_bad_file_ends_nothing(tmp_path):
    program = os.environ["MESHWRIGHT"]
    models = tmp_path / "Spiel ü" / "models"
    models.mkdir(parents=True)
    for name in ("héros 骨.dpm", os.fsdecode(b"\xff.dpm"), "héros #2.dpm"):
        shutil.copy(TESTDATA / "dpm" / "hopper.ok.dpm", models / name)
    shutil.copy(TESTDATA / "dpm" / "truncated.reject.dpm", models / "cut.dpm")
    (models / "empty.dpm").touch()
    (models / "notes.txt").write_text("nothing")
    rows = ray_convert.run(models.parent, tmp_path / "ray", report=tmp_path / "report.jsonl", workers=2)
    subprocess.run([program, "convert", models.parent, "-o", tmp_path / "program"], capture_output=True)
    assert len(tree(tmp_path / "ray")) == 3 and tree(tmp_path / "ray") == tree(tmp_path / "program")
    bad = {os.path.basename(row["path"]): row["error"]["code"] for row in rows if row["error"]}
    assert sorted(bad) == ["cut.dpm", "empty.dpm"] and all(bad.values())
    (tmp_path / "bare").mkdir()
    assert ray_convert.run(tmp_path / "bare", tmp_path / "out", report=tmp_path / "bare.jsonl", workers=2) == []
    with pytest.raises(ray_convert.meshwright.Error, match="no such file"):
        ray_convert.run(tmp_path / "none", tmp_path / "out", report=tmp_path / "none.jsonl", workers=2)
