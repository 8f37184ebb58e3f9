import json
import pathlib
import threading

import meshwright
import numpy as np
import pytest

TESTDATA = pathlib.Path(__file__).resolve().parents[3] / "testdata"
FILES = sorted(p for p in TESTDATA.rglob("*") if p.is_file() and p.suffix not in (".md", ".bin"))
GOOD = [p for p in FILES if ".ok." in p.name]
BROKEN = [p for p in FILES if ".reject." in p.name]


def ids(paths):
    return [str(p.relative_to(TESTDATA)) for p in paths]


@pytest.mark.parametrize("path", GOOD, ids=ids(GOOD))
def test_good_files_open_pose_and_convert(path):
    model = meshwright.open(path)
    assert model.to_bytes() == path.read_bytes()
    assert not [f for f in model.check() if f.severity == "error"]
    assert model.info()["format"] == model.format
    try:
        scene = model.scene()
    except meshwright.Error as e:
        assert e.code in ("not-convertible", "invalid-model")
        return
    player = scene.player()
    for number, clip in enumerate(scene.clips):
        player.frame(number, clip.frames / 2)
        for m, mesh in enumerate(scene.meshes):
            positions, normals = player.vertices(m)
            assert positions.shape == mesh.positions.shape and positions.dtype == np.float32
            assert (normals is None) == (len(mesh.normals) == 0)
    glb = meshwright.to_glb(model)
    length = int.from_bytes(glb[12:16], "little")
    assert glb[:4] == b"glTF" and json.loads(glb[20 : 20 + length])["asset"]["version"] == "2.0"


@pytest.mark.parametrize("path", BROKEN, ids=ids(BROKEN))
def test_broken_files_say_what_and_where(path):
    with pytest.raises(meshwright.Error) as caught:
        meshwright.open(path)
    error = caught.value
    assert error.code and error.message and error.code in str(error)


def test_the_hostile_corpus_raises_or_opens():
    corpus = TESTDATA.parent.parent / "shared" / "corpus" / "hostile"
    if not corpus.is_dir():
        pytest.skip("no corpus beside the project")
    for path in sorted(p for p in corpus.rglob("*") if p.is_file() and p.stat().st_size < 1 << 20):
        try:
            meshwright.open(path, lenient=True, max_memory=16 << 20).scene()
        except meshwright.Error as e:
            assert e.code


def test_arrays_are_views():
    mesh = meshwright.open(TESTDATA / "dpm/hopper.ok.dpm").scene().meshes[0]
    first, second = mesh.positions, mesh.positions
    assert np.shares_memory(first, second) and first.base is not None
    with pytest.raises(ValueError):
        first[0, 0] = 1
    assert mesh.influence_starts[-1] == len(mesh.influence_joints) == len(mesh.influence_weights)
    sums = np.add.reduceat(mesh.influence_weights, mesh.influence_starts[:-1])
    assert np.allclose(sums, 1, atol=1e-3)
    del mesh, second
    assert np.isfinite(first).all()


def test_vertices_fill_arrays_of_the_caller():
    scene = meshwright.open(TESTDATA / "dpm/hopper.ok.dpm").scene()
    player = scene.player()
    player.rest()
    count = len(scene.meshes[0].positions)
    out = np.full((count, 3), np.nan, np.float32)
    positions, _ = player.vertices(0, out)
    assert positions is out and np.isfinite(out).all()
    assert np.allclose(out, scene.meshes[0].positions, atol=1e-3)
    with pytest.raises(ValueError):
        player.vertices(0, np.zeros((count + 1, 3), np.float32))
    with pytest.raises(IndexError):
        player.vertices(99)
    assert player.joints(0).shape == (len(scene.skeletons[0]), 4, 4)


def test_bytes_with_what_belongs_to_them():
    name = "hopper.ok.dpm"
    groups = name + ".framegroups"
    data = {n: (TESTDATA / "dpm" / n).read_bytes() for n in (name, groups)}
    alone = meshwright.open(data[name], name=name).scene()
    whole = meshwright.open(data[name], name=name, beside={groups: data[groups]}).scene()
    assert len(alone.clips) != len(whole.clips) or alone.clips[0].rate != whole.clips[0].rate
    with pytest.raises(TypeError):
        meshwright.open(TESTDATA / "dpm" / name, name="x")


def test_conversion_writes_all_files_or_none(tmp_path):
    out = tmp_path / "deep" / "hopper.zym"
    paths, losses = meshwright.convert(TESTDATA / "dpm/hopper.ok.dpm", out)
    assert out.is_file() and str(out) == paths[0] and all(pathlib.Path(p).is_file() for p in paths)
    assert meshwright.open(out).format == "zym"
    assert all(loss.code for loss in losses)
    with pytest.raises(ValueError):
        meshwright.convert(TESTDATA / "dpm/hopper.ok.dpm", tmp_path / "x.nothing")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["deep"]
    assert "glb" in meshwright.targets() and "dpm" in [f[0] for f in meshwright.formats()]


def test_folders_list_their_models():
    found = dict(meshwright.models(TESTDATA / "dpm"))
    assert {"dpm", "zym"} <= set(found.values())
    assert all(pathlib.Path(p).is_file() for p in found)


def test_threads_work_side_by_side():
    paths = [p for p in GOOD if p.suffix in (".dpm", ".zym", ".bmd")] * 8
    failed = []

    def work(part):
        try:
            for path in part:
                meshwright.to_glb(path)
        except Exception as e:  # pragma: no cover
            failed.append(e)

    threads = [threading.Thread(target=work, args=(paths[k::4],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
