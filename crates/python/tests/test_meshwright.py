import ast
import base64
import builtins
import gc
import inspect
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import threading
import zipfile

import meshwright
import numpy as np
import pytest

TESTDATA = pathlib.Path(__file__).resolve().parents[3] / "testdata"
FILES = sorted(p for p in TESTDATA.rglob("*") if p.is_file() and p.suffix not in (".md", ".bin"))
GOOD = [p for p in FILES if ".ok." in p.name]
ODD = [p for p in FILES if ".warn." in p.name]
BROKEN = [p for p in FILES if ".reject." in p.name]
PACKS = [p for p in FILES if p.suffix[1:] in meshwright.packs()]
PACKED = [pathlib.Path(found) for pack in PACKS for found in meshwright.models(pack)]


def skipped(why):
    """Leaves a test out, or fails where that may not be."""
    (pytest.fail if os.environ.get("MESHWRIGHT_REQUIRE") else pytest.skip)(why)


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


@pytest.mark.parametrize("path", ODD, ids=ids(ODD))
def test_odd_files_open_and_say_so(path):
    model = meshwright.open(path)
    assert [f for f in model.check() if f.code and f.message]
    try:
        scene = model.scene()
    except meshwright.Error as e:
        assert e.code in ("not-convertible", "invalid-model")
        return
    player = scene.player()
    for number, clip in enumerate(scene.clips):
        for frame in (0, clip.frames / 2, clip.frames):
            player.frame(number, frame)
            assert all(np.isfinite(player.vertices(m)[0]).all() for m in range(len(scene.meshes)))
    try:
        assert meshwright.to_glb(model)[:4] == b"glTF"
    except meshwright.Error as e:
        assert e.code in ("not-convertible", "invalid-model")


@pytest.mark.parametrize("path", BROKEN, ids=ids(BROKEN))
def test_broken_files_say_what_and_where(path):
    with pytest.raises(meshwright.Error) as caught:
        meshwright.open(path)
    error = caught.value
    assert error.code and error.message and error.code in str(error)


def test_the_hostile_corpus_raises_or_opens():
    corpus = TESTDATA.parent.parent / "shared" / "corpus" / "hostile"
    if not corpus.is_dir():
        skipped("no corpus beside the project")
    for path in sorted(p for p in corpus.rglob("*") if p.is_file() and p.stat().st_size < 1 << 20):
        try:
            meshwright.open(path, lenient=True, max_memory=16 << 20).scene()
        except meshwright.Error as e:
            assert e.code


def scenes(paths):
    """Models that can be drawn or moved, of a game's format."""
    for path in paths:
        model = meshwright.open(path)
        try:
            model.scene()
        except meshwright.Error:
            continue
        if model.format in meshwright.targets() and model.format != "gltf":
            yield path


SHOWN = list(scenes(GOOD))


def test_every_format_and_every_pack_is_tried():
    assert {meshwright.open(path).format for path in GOOD} == {name for name, _, _ in meshwright.formats()}
    assert {pack.suffix for pack in PACKS} == {".pak", ".pk3", ".vp", ".far", ".dat"}
    assert len({next(p for p in path.parents if p.is_file()) for path in PACKED}) == len(PACKS) - 1


@pytest.mark.parametrize("path", PACKED, ids=ids(PACKED))
def test_members_of_packs_are_files(path):
    model = meshwright.open(path, textures=True)
    assert not [f for f in model.check() if f.severity == "error"]
    scene = model.scene()
    player = scene.player()
    for number, clip in enumerate(scene.clips):
        for frame in (0, clip.frames / 2, clip.frames - 1):
            player.frame(number, frame)
            assert all(np.isfinite(player.vertices(m)[0]).all() for m in range(len(scene.meshes)))
    files, _ = model.convert("glb", keep=True, influences="all", frames_at=24)
    back, _, report = meshwright.open(files[0][1], name="edited.glb").restore(path.name, to=model.format)
    assert report["untouched"] and back[0] == (path.name, model.to_bytes())
    # The pack's own pictures, and what else belongs to it, came along.
    parts = model.info()["parts"]
    if path.name in ("hopper.dpm", "xskin-flower-ROOT-BODY.skn"):
        assert len(parts) > 2 and any(material.image for material in scene.materials), parts


def test_an_outfit_in_an_archive_is_a_figure():
    path = TESTDATA / "game/online/avatardata.dat/flower.00c0ffee0000000d.oft"
    outfit = meshwright.open(path, textures=True)
    scene = outfit.scene()
    assert (outfit.format, len(scene.skeletons)) == ("oft", 1) and any(m.image for m in scene.materials)
    mesh = meshwright.open(path.with_name("flower.00c0ffee00000009.mesh")).scene().meshes[0]
    # The figure's body, and a hand that is the same once more.
    assert len(scene.meshes) >= 2 and all(len(m.positions) == len(mesh.positions) for m in scene.meshes)
    anim = meshwright.open(path.with_name("sway.00c0ffee00000007.anim"))
    moving = meshwright.figure([outfit, anim]).scene()
    assert [clip.frames for clip in moving.clips] == [61]
    player = moving.player()
    player.rest()
    rest = player.vertices(0)[0]
    player.frame(0, 15)
    assert np.abs(player.vertices(0)[0] - rest).max() > 0.01


THIRD = np.array([-1, 1, 1]) / 3
SPACES = {
    "bmd": lambda p: p[:, [0, 2, 1]] * [-1 / 40, 1 / 40, 1 / 40],
    "dpm": lambda p: p[:, [1, 2, 0]],
    "zym": lambda p: p[:, [1, 2, 0]],
    "iqm": lambda p: p[:, [1, 2, 0]],
    "crucible": lambda p: p * [-1, 1, 1],
    "cmodel": lambda p: p * [-1, 1, 1],
    "tso": lambda p: p * THIRD,
    "bmf": lambda p: p * THIRD,
    "skn": lambda p: p * THIRD,
    "fso": lambda p: p,
    "gltf": lambda p: p,
}
"""From the space and the unit of each format's files to those of scenes."""

FLAT = {"plane.ok.cmesh"}
"""Places of two numbers, which stay where they are."""

BONES = {"anim", "bcf", "cmx", "cskel", "skel"}
"""Formats without vertices."""


def furthest(these, those):
    """The furthest that one of these lies from the nearest of those."""
    return max((np.abs(those - point).max(1).min() for point in these), default=0.0)


@pytest.mark.parametrize("path", SHOWN + [p for p in GOOD if meshwright.open(p).format == "gltf"], ids=lambda p: p.name)
def test_vertices_are_those_of_the_native_evaluation(path):
    """The program's, in the space of the file, by the format's own order of operations."""
    if "MESHWRIGHT" not in os.environ:
        skipped("MESHWRIGHT names no program")
    model = meshwright.open(path)
    if model.format in BONES:
        return
    scene = model.scene()
    words = [os.environ["MESHWRIGHT"], "dump", path]
    for number, clip in enumerate(scene.clips):
        for frame in {0, clip.frames // 2, max(clip.frames - 1, 0)}:
            words += ["--pose", f"{number}:{frame}"]
    plain = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    dump = json.loads(subprocess.run(words, env=plain, check=True, capture_output=True).stdout)
    drawn = sorted({mesh for mesh, _ in scene.drawn()})
    # Some formats are split otherwise in a scene. What is not drawn is what things collide with.
    native = dump["meshes"]
    if len(native) == len(scene.meshes):
        native = [native[mesh] for mesh in drawn]
    player = scene.player()
    for number in range(len(native[0]["poses"]) if native else 0):
        poses = [mesh["poses"][number] for mesh in native]
        clip, frame = poses[0]["clip"], poses[0]["frame"]
        if clip is None:
            player.rest()
        else:
            player.frame(clip, frame)
        theirs = np.concatenate([np.array(pose["positions"], float).reshape(-1, 3) for pose in poses])
        theirs = theirs if path.name in FLAT else SPACES[model.format](theirs)
        ours = np.concatenate([player.vertices(mesh)[0] for mesh in drawn])
        if not len(theirs):
            assert not len(ours)
            continue
        away = max(furthest(ours, theirs), furthest(theirs, ours))
        assert away <= 1e-6 * (np.ptp(theirs, axis=0).max() or 1.0) + 1e-6, (clip, frame, away)


@pytest.mark.parametrize("influences", ["four", "all"])
@pytest.mark.parametrize("path", SHOWN, ids=ids(SHOWN))
def test_what_was_not_edited_comes_back_byte_for_byte(path, influences):
    model = meshwright.open(path)
    files, _ = model.convert("glb", keep=True, influences=influences, frames_at=24)
    edited = meshwright.open(files[0][1], name="edited.glb")
    assert edited.has_kept and not model.has_kept
    back, _, report = edited.restore(path.name, to=model.format)
    assert report["untouched"] and report["lines"] == ["nothing was edited"]
    assert back[0] == (path.name, path.read_bytes())
    for name, content in back[1:]:
        assert (path.parent / name).read_bytes() == content


def test_an_edited_vertex_comes_back_alone(tmp_path):
    path = TESTDATA / "dpm/hopper.ok.dpm"
    model = meshwright.open(path)
    glb = bytearray(meshwright.to_glb(model, keep=True))
    length = int.from_bytes(glb[12:16], "little")
    document, binary = json.loads(glb[20 : 20 + length]), 28 + length
    accessor = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    view = document["bufferViews"][accessor["bufferView"]]
    at = binary + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    first = np.frombuffer(glb, np.float32, 3, at)
    glb[at : at + 12] = (first + np.float32([0, 0.5, 0])).tobytes()
    out = tmp_path / "new" / "hopper.ok.dpm"
    paths, _, report = meshwright.restore(bytes(glb), out, name="hopper.glb")
    assert not report["untouched"] and paths[0] == str(out)
    trusted = meshwright.open(bytes(glb)).restore("x.dpm", unedited=True)
    assert trusted[0][0][1] == path.read_bytes() and trusted[2]["untouched"]
    (mesh,) = [mesh for mesh in report["meshes"] if mesh["state"] != "untouched"]
    assert mesh["moved"] == 1 and abs(mesh["furthest"] - 0.5) < 1e-5
    assert all(clip["state"] == "untouched" for clip in report["clips"])
    old, new = model.scene(), meshwright.open(out).scene()
    moved = [np.abs(a.positions - b.positions).max(1) > 1e-4 for a, b in zip(old.meshes, new.meshes)]
    assert sum(m.sum() for m in moved) == 1
    for a, b in zip(old.meshes, new.meshes):
        assert np.array_equal(a.triangles, b.triangles) and np.array_equal(a.influence_weights, b.influence_weights)


def test_edits_are_held_against_a_named_original(tmp_path):
    path = TESTDATA / "dpm/hopper.ok.dpm"
    plain = meshwright.to_glb(path)
    out = tmp_path / "hopper.ok.dpm"
    _, _, report = meshwright.restore(plain, out, onto=path)
    assert report["untouched"] and out.read_bytes() == path.read_bytes()
    _, losses, report = meshwright.restore(plain, out)
    assert report is None and all(loss.code for loss in losses)
    with pytest.raises(ValueError, match="exact, default, loose"):
        meshwright.restore(plain, out, snap="hardly")
    with pytest.raises(ValueError, match="name one"):
        meshwright.restore(plain, tmp_path / "x.nothing")


def test_lengths_are_multiplied_there_and_back(tmp_path):
    path = TESTDATA / "dpm/hopper.ok.dpm"
    model = meshwright.open(path)
    glb = meshwright.to_glb(model, keep=True, scale=0.0254)
    size = lambda scene: max(np.abs(mesh.positions).max() for mesh in scene.meshes)  # noqa: E731
    assert np.isclose(size(meshwright.open(glb).scene()), size(model.scene()) * 0.0254, rtol=1e-5)
    out = tmp_path / "hopper.ok.dpm"
    assert meshwright.restore(glb, out)[2]["untouched"] and out.read_bytes() == path.read_bytes()
    meshwright.restore(glb, out, scale=2.0)
    assert np.isclose(size(meshwright.open(out).scene()), size(model.scene()) * 2, rtol=1e-4)


def test_several_files_make_a_figure():
    parts = [meshwright.open(TESTDATA / "tso" / name) for name in ("flower.ok.skel", "flower.ok.mesh")]
    figure = meshwright.figure(parts)
    assert figure.format == parts[1].format and len(figure.scene().skeletons) == 1
    with pytest.raises(ValueError):
        meshwright.figure([parts[1], meshwright.open(TESTDATA / "dpm/hopper.ok.dpm")])


def test_dialects_and_packs_are_the_registrys():
    assert {"pk3", "pak", "vp", "far"} <= set(meshwright.packs())
    assert meshwright.dialects("fso") and meshwright.dialects("dpm") == []
    with pytest.raises(ValueError, match="dialect is one of"):
        meshwright.open(TESTDATA / "fsomodel/fighter.ok.fom", dialect="no such")
    assert meshwright.target_of("a/b.zym") == "zym"


def test_nodes_place_meshes():
    scene = meshwright.open(TESTDATA / "fsomodel/pairs/fighter.ok.fom").scene()
    drawn = scene.drawn()
    assert {mesh for mesh, _ in drawn} <= set(range(len(scene.meshes)))
    assert all(matrix.shape == (4, 4) and np.array_equal(matrix[3], [0, 0, 0, 1]) for _, matrix in drawn)
    assert any(not np.array_equal(matrix, np.eye(4)) for _, matrix in drawn)
    hopper = meshwright.open(TESTDATA / "dpm/hopper.ok.dpm").scene()
    assert [mesh for mesh, _ in hopper.drawn()] == list(range(len(hopper.meshes)))


def test_stubs_say_what_is_there():
    stub = ast.parse(pathlib.Path(meshwright.__file__).with_suffix(".pyi").read_text())
    named = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert set(named) == set(meshwright.__all__) - {"__version__"}

    def same(node, function):
        if any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list):
            return
        theirs = [a.arg for a in node.args.args + node.args.kwonlyargs]
        theirs += [a.arg for a in (node.args.kwarg,) if a]
        assert theirs == list(inspect.signature(function).parameters), node.name

    for name, node in named.items():
        thing = getattr(meshwright, name)
        assert thing.__doc__, name
        if isinstance(node, ast.FunctionDef):
            same(node, thing)
            continue
        own = {n for n in vars(thing) if not n.startswith("_")}
        told = [m for m in node.body if isinstance(m, (ast.FunctionDef, ast.AnnAssign))]
        if not issubclass(thing, Exception):
            assert own == {m.name if isinstance(m, ast.FunctionDef) else m.target.id for m in told}, name
        for method in told:
            if isinstance(method, ast.FunctionDef):
                same(method, getattr(thing, method.name))


def test_arrays_are_views():
    mesh = meshwright.open(TESTDATA / "dpm/hopper.ok.dpm").scene().meshes[0]
    first, second = mesh.positions, mesh.positions
    assert np.shares_memory(first, second) and first.base is not None
    with pytest.raises(ValueError):
        first[0, 0] = 1
    assert mesh.influence_starts[-1] == len(mesh.influence_joints) == len(mesh.influence_weights)
    sums = np.add.reduceat(mesh.influence_weights, mesh.influence_starts[:-1])
    assert np.allclose(sums, 1, atol=1e-3)
    with pytest.raises(ValueError):
        first.flags.writeable = True
    kept = first.copy()
    del mesh, second
    gc.collect()
    assert np.array_equal(first, kept)


def test_arrays_outlive_all_else():
    path = TESTDATA / "dpm/hopper.ok.dpm"
    views = [
        (array, array.copy())
        for _ in range(50)
        for mesh in meshwright.open(path).scene().meshes
        for array in (
            mesh.positions, mesh.normals, mesh.uvs, mesh.triangles, mesh.influence_starts, mesh.influence_joints,
            mesh.influence_weights,
        )
    ]  # fmt: skip
    gc.collect()
    assert all(np.array_equal(view, copy) for view, copy in views)


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
    for wrong in (scene.meshes[0].positions, np.zeros((3, count), np.float32).T, np.zeros((count, 6), np.float32)[:, ::2]):
        with pytest.raises((TypeError, ValueError)):
            player.vertices(0, wrong)
    with pytest.raises(TypeError):
        player.vertices(0, out, out)
    assert player.joints(0).shape == (len(scene.skeletons[0]), 4, 4)


RESIZING = """
import sys, threading
import numpy as np
import meshwright

scene = meshwright.open(sys.argv[1]).scene()
player = scene.player()
count = len(scene.meshes[0].positions)
over = threading.Event()
arrays = [np.zeros((count, 3), np.float32)]


def resize():
    while not over.is_set():
        arrays[0].resize((1, 3), refcheck=False)
        arrays[0].resize((count, 3), refcheck=False)


thread = threading.Thread(target=resize)
thread.start()
filled = 0
for frame in range(3000):
    player.frame(0, frame % 7)
    try:
        player.vertices(0, arrays[0])
        filled += 1
    except ValueError:
        pass
over.set()
thread.join()
print(filled)
"""


def test_arrays_may_be_resized_by_another_thread():
    words = [sys.executable, "-c", RESIZING, os.fspath(TESTDATA / "dpm/hopper.ok.dpm")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.returncode, done.stderr)


def test_bytes_with_what_belongs_to_them():
    name = "hopper.ok.dpm"
    groups = name + ".framegroups"
    data = {n: (TESTDATA / "dpm" / n).read_bytes() for n in (name, groups)}
    alone = meshwright.open(data[name], name=name).scene()
    whole = meshwright.open(data[name], name=name, beside={groups: data[groups]}).scene()
    assert len(alone.clips) != len(whole.clips) or alone.clips[0].rate != whole.clips[0].rate
    for other in (bytearray, memoryview):
        again = meshwright.open(other(data[name]), name=name, beside={groups: other(data[groups])})
        assert again.to_bytes() == data[name] and len(again.scene().clips) == len(whole.clips)
    with pytest.raises(TypeError):
        meshwright.open(TESTDATA / "dpm" / name, name="x")
    with pytest.raises(TypeError):
        meshwright.open(data[name], name=name, beside={groups: "a path"})


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


PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)


def textured():
    """A GLB whose material has a picture."""
    glb = (TESTDATA / "gltf/triangle.ok.glb").read_bytes()
    length = int.from_bytes(glb[12:16], "little")
    document, binary = json.loads(glb[20 : 20 + length]), glb[28 + length :]
    place = {"buffer": 0, "byteOffset": len(binary), "byteLength": len(PNG)}
    document["bufferViews"].append(place)
    document["images"] = [{"mimeType": "image/png", "bufferView": len(document["bufferViews"]) - 1}]
    document["textures"] = [{"source": 0}]
    document["materials"][0]["pbrMetallicRoughness"] = {"baseColorTexture": {"index": 0}}
    binary += PNG + bytes(-len(PNG) % 4)
    document["buffers"][0]["byteLength"] = len(binary)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = [(text, b"JSON"), (binary, b"BIN\0")]
    body = b"".join(len(chunk).to_bytes(4, "little") + kind + chunk for chunk, kind in chunks)
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body


def test_what_is_read_stays_and_what_is_there_is_asked_for(tmp_path):
    own = tmp_path / "own.iqm"
    shutil.copy(TESTDATA / "iqm/tube.ok.iqm", own)
    before = own.read_bytes()
    assert refused(lambda: meshwright.convert(own, own, scale=2.0), "own.iqm") == "would-replace"
    assert refused(lambda: meshwright.convert(own, own, scale=2.0, force=True), "own.iqm") == "would-replace"
    assert own.read_bytes() == before
    # The same bytes may be put there.
    meshwright.convert(own, own)
    assert own.read_bytes() == before
    # A companion that was found, and the original of an edited model.
    for end in ("", ".framegroups"):
        shutil.copy(TESTDATA / f"dpm/hopper.ok.dpm{end}", tmp_path / f"h.dpm{end}")
    groups = tmp_path / "h.dpm.framegroups"
    assert refused(lambda: meshwright.convert(tmp_path / "h.dpm", groups, to="glb")) == "would-replace"
    glb = meshwright.to_glb(tmp_path / "h.dpm", keep=True)
    assert refused(lambda: meshwright.restore(glb, own, to="zym", onto=own), "own.iqm") == "would-replace"
    # A texture of somebody else's.
    glb, out = textured(), tmp_path / "out"
    meshwright.convert(glb, out / "x.iqm", name="x.glb")
    assert sorted(os.listdir(out)) == ["wall.png", "x.iqm"]
    (out / "wall.png").write_bytes(b"mine")
    assert refused(lambda: meshwright.convert(glb, out / "y.iqm", name="x.glb"), "force=True") == "would-replace"
    assert (out / "wall.png").read_bytes() == b"mine" and not (out / "y.iqm").exists()
    meshwright.convert(glb, out / "y.iqm", name="x.glb", force=True)
    assert (out / "wall.png").read_bytes() == PNG


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_modes_stay_and_write_protected_files_too(tmp_path):
    out = tmp_path / "out.glb"
    out.write_bytes(b"old")
    out.chmod(0o600)
    meshwright.convert(TESTDATA / "dpm/hopper.ok.dpm", out)
    assert out.stat().st_mode & 0o777 == 0o600 and out.read_bytes() != b"old"
    out.write_bytes(b"old")
    out.chmod(0o400)
    with pytest.raises(OSError):
        meshwright.convert(TESTDATA / "dpm/hopper.ok.dpm", out)
    assert out.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out.glb"]


def test_folders_list_their_models():
    found = meshwright.models(TESTDATA / "dpm")
    assert {"dpm", "zym"} <= {model.format for model in found}
    assert all(isinstance(model.path, str) and pathlib.Path(model).is_file() for model in found)
    assert all(model.place == os.path.basename(model.path) for model in found)
    # Folders with packs of an engine are data folders, one by one.
    game = meshwright.models(TESTDATA / "game")
    inner = [found for part in ("base", "mod") for found in meshwright.models(TESTDATA / "game" / part)]
    assert game[-len(inner) :] == inner and len(game) == len(set(game)) == len(PACKED)


def refused(ask, *words):
    """The code of what is raised, whose text has these words."""
    with pytest.raises(meshwright.Error) as caught:
        ask()
    assert caught.value.code and all(word in str(caught.value) for word in words), str(caught.value)
    return caught.value.code


def test_what_is_not_there_is_said(tmp_path):
    pack = tmp_path / "data.pk3"
    with zipfile.ZipFile(pack, "w") as made:
        made.write(TESTDATA / "dpm/hopper.ok.dpm", "models/hopper.dpm")
    empty, broken, notes = tmp_path / "empty.dpm", tmp_path / "broken.pk3", tmp_path / "notes.txt"
    empty.write_bytes(b"")
    broken.write_bytes(pack.read_bytes()[:-30])
    notes.write_text("nothing")
    for ask in (meshwright.open, meshwright.models, meshwright.to_glb):
        assert refused(lambda: ask(tmp_path / "none.dpm"), "none.dpm", "no such file") == "cannot-read"
        assert refused(lambda: ask(pack / "models/none.dpm"), "models/none.dpm", "no such file") == "cannot-read"
        assert refused(lambda: ask(broken), "broken.pk3", "no end record") == "truncated"
    assert refused(lambda: meshwright.open(tmp_path), "folder") == refused(lambda: meshwright.open(pack), "folder")
    assert refused(lambda: meshwright.open(empty)) and refused(lambda: meshwright.open(b"", name="x.dpm"))
    assert refused(lambda: meshwright.open(notes)) == "unknown-format"
    for path in ("", "a\0b"):
        with pytest.raises((meshwright.Error, ValueError)):
            meshwright.open(path)
    with pytest.raises(TypeError):
        meshwright.open(None)
    # A folder is listed without them, and that is said.
    with pytest.warns(UserWarning, match="broken.pk3"):
        found = meshwright.models(tmp_path)
    # A damaged model is one.
    wanted = {os.fspath(path): "dpm" for path in (empty, pack / "models/hopper.dpm")}
    assert {model.path: model.format for model in found} == wanted
    assert meshwright.models(pack)[0].place == "models/hopper.dpm"
    (tmp_path / "bare").mkdir()
    assert meshwright.models(tmp_path / "bare") == []
    with pytest.raises(OSError):
        meshwright.convert(pack / "models/hopper.dpm", tmp_path, to="glb")
    with pytest.raises(ValueError, match="name one"):
        meshwright.convert(pack / "models/hopper.dpm", os.fspath(tmp_path) + "/")
    assert not [name for name in os.listdir(tmp_path.parent) if name.startswith(".meshwright")]


def test_names_are_any_text(tmp_path):
    folder = tmp_path / "Modèles 骨"
    folder.mkdir()
    for end in ("", ".framegroups"):
        shutil.copy(TESTDATA / f"dpm/hopper.ok.dpm{end}", folder / f"héros#1 %20.dpm{end}")
    with zipfile.ZipFile(tmp_path / "Spiel ü.pk3", "w") as pack:
        for path in sorted(folder.iterdir()):
            pack.write(path, f"models/{path.name}")
    for path in (folder / "héros#1 %20.dpm", tmp_path / "Spiel ü.pk3" / "models" / "héros#1 %20.dpm"):
        model = meshwright.open(path)
        assert model.name == "héros#1 %20" and len(model.scene().clips) == 2
        paths, _ = meshwright.convert(path, folder / "größer" / "out é.glb")
        assert paths == [os.fspath(folder / "größer" / "out é.glb")]
        assert meshwright.open(paths[0]).format == "gltf"
    listed = meshwright.models(tmp_path)
    assert sum(found.path.endswith("héros#1 %20.dpm") for found in listed) == 2
    assert all(meshwright.open(found).format == found.format for found in listed)
    # Linux has names that are no text.
    odd = os.fsdecode(b"\xff\xfe.dpm")
    try:
        shutil.copy(TESTDATA / "dpm/hopper.ok.dpm", tmp_path / odd)
    except OSError:
        return
    assert meshwright.open(tmp_path / odd).format == "dpm"
    for name in (os.fsdecode(b"\xfe.glb"), os.fsdecode(b"\xfd.dpm")):
        paths, _ = meshwright.convert(tmp_path / odd, tmp_path / name)
        assert paths == [os.fspath(tmp_path / name)] and os.path.exists(paths[0])
    glb = meshwright.to_glb(tmp_path / odd, keep=True)
    assert meshwright.restore(glb, tmp_path / os.fsdecode(b"\xfc.dpm"))[2]["untouched"]
    assert os.fspath(tmp_path / odd) in [found.path for found in meshwright.models(tmp_path)]
    with pytest.raises(meshwright.Error, match="no such file"):
        meshwright.open(tmp_path / os.fsdecode(b"\xff.dpm"))


def test_times_are_any_number():
    scene = meshwright.open(TESTDATA / "dpm/hopper.ok.dpm").scene()
    player = scene.player()
    for frame in (-1, -1e300, 1e300, 0.5, 2**40):
        player.frame(0, frame)
        assert np.isfinite(player.vertices(0)[0]).all(), frame
    for frame in (float("nan"), float("inf")):
        try:
            player.frame(0, frame)
        except (meshwright.Error, ValueError):
            continue
        assert np.isfinite(player.vertices(0)[0]).all(), frame
    with pytest.raises((meshwright.Error, IndexError)):
        player.frame(len(scene.clips), 0)
    with pytest.raises((OverflowError, TypeError)):
        player.frame(-1, 0)


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


def test_the_page_of_the_book_works(tmp_path, monkeypatch):
    page = (TESTDATA.parent / "docs/python.md").read_text()
    monkeypatch.chdir(tmp_path)
    for fixture, name in re.findall(r"^(?:<!-- )?file (\S+) as (\S+)", page, re.MULTILINE):
        pathlib.Path(name).parent.mkdir(exist_ok=True)
        shutil.copy(TESTDATA / fixture, name)
    with zipfile.ZipFile("data.pk3", "w") as pack:
        for path in pathlib.Path("models").iterdir():
            pack.write(path, path.name)
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["report"]["untouched"] and names["sizes"]


def test_the_wheel_carries_the_program(tmp_path):
    import subprocess
    import sys

    program = [sys.executable, "-m", "meshwright"]
    done = subprocess.run([*program, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[0]) == (0, "meshwright")
    out = tmp_path / "hopper.glb"
    model = str(TESTDATA / "dpm/hopper.ok.dpm")
    assert subprocess.run([*program, "convert", model, "-o", str(out)], capture_output=True).returncode == 0
    assert out.read_bytes()[:4] == b"glTF"
    assert subprocess.run([*program, "info", str(tmp_path / "none.dpm")], capture_output=True).returncode == 3


HOPPER = TESTDATA / "dpm/hopper.ok.dpm"


def test_open_files_and_buffers_are_models():
    import io
    import mmap

    data = HOPPER.read_bytes()
    with builtins.open(HOPPER, "rb") as file:
        model = meshwright.open(file)
        assert model.to_bytes() == data and model.name == "hopper.ok"
    assert meshwright.open(io.BytesIO(data), name="x.dpm").to_bytes() == data
    assert meshwright.open(np.frombuffer(data, np.uint8), name="x.dpm").to_bytes() == data
    with builtins.open(HOPPER, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert meshwright.open(mapped, name="x.dpm").to_bytes() == data
    with builtins.open(HOPPER, encoding="latin-1") as file, pytest.raises(TypeError, match="rb"):
        meshwright.open(file)


def test_errors_are_those_that_python_has(tmp_path):
    for ask in (meshwright.open, meshwright.models, meshwright.to_glb):
        with pytest.raises(FileNotFoundError) as caught:
            ask(tmp_path / "none.dpm")
        assert isinstance(caught.value, meshwright.NotFoundError) and isinstance(caught.value, meshwright.Error)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, str(again)) == (caught.value.code, str(caught.value))
    player = meshwright.open(HOPPER).scene().player()
    for move in (player.frame, player.seconds):
        with pytest.raises(IndexError, match="2 clips"):
            move(2, 0)
        for place in (float("nan"), float("inf")):
            with pytest.raises(ValueError):
                move(0, place)
    with pytest.raises(IndexError):
        player.vertices(9)
    with pytest.raises(TypeError, match="float32.*float64"):
        player.vertices(0, np.zeros((3, 3)))


def test_objects_are_short_to_read():
    model = meshwright.open(HOPPER)
    scene = model.scene()
    parts = [model, scene, *scene.meshes, *scene.materials, *scene.clips, *scene.skeletons[0], scene.player()]
    found = [f for path in ODD for f in meshwright.open(path).check()] + scene.losses
    assert found
    for part in parts + found:
        assert len(repr(part)) < 120 and " object at 0x" not in repr(part), repr(part)
    finding = next(f for f in found if isinstance(f, meshwright.Finding))
    assert finding.message in str(finding) and f"[{finding.code}]" in str(finding) and not str(finding).startswith("<")


def test_a_model_is_compared_repaired_dumped_and_drawn(tmp_path):
    assert meshwright.diff(HOPPER, HOPPER)["same"]
    meshwright.convert(HOPPER, tmp_path / "double.dpm", scale=2.0)
    found = meshwright.diff(HOPPER, tmp_path / "double.dpm")
    assert not found["same"] and found["rest"] > 1 and found["differences"][0]["code"]
    assert meshwright.diff(HOPPER, tmp_path / "double.dpm", tolerance=100.0)["rest"] == found["rest"]
    dumped = meshwright.dump(HOPPER, poses=[(1, 2)])
    assert dumped["format"] == "dpm" and "hopper" in dumped["source"]
    with pytest.raises(meshwright.Error):
        meshwright.dump(HOPPER, poses=[(9, 0)])
    data, repairs, left = meshwright.repair(HOPPER, tmp_path / "same.dpm")
    assert data == HOPPER.read_bytes() and not repairs and not (tmp_path / "same.dpm").exists()
    fixed = 0
    for path in ODD:
        data, repairs, left = meshwright.repair(path)
        assert (data == path.read_bytes()) == (not repairs)
        fixed += bool(repairs)
    assert fixed
    png = meshwright.render(HOPPER, tmp_path / "hopper.png", width=64, height=48, clip=1, frame=2)
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and (tmp_path / "hopper.png").read_bytes() == png
    assert int.from_bytes(png[16:20], "big") == 64 and int.from_bytes(png[20:24], "big") == 48
    assert png != meshwright.render(HOPPER, width=64, height=48, camera="side")
    assert len(meshwright.thumbnail(HOPPER, 32)) < len(meshwright.thumbnail(HOPPER))
    with pytest.raises(FileExistsError):
        meshwright.render(HOPPER, tmp_path / "hopper.png")
    for wrong, error in (({"clip": 9}, IndexError), ({"view": "x"}, ValueError), ({"camera": "above"}, ValueError)):
        with pytest.raises(error):
            meshwright.render(HOPPER, **wrong)
    assert "<html" in meshwright.to_html(HOPPER)


def test_a_scene_in_the_space_of_its_file():
    model = meshwright.open(HOPPER)
    here, there = (model.scene(space=space).meshes[0].positions for space in ("scene", "file"))
    # DPM: x, y, z of a scene are y, z, x of the file.
    assert np.array_equal(here, there[:, [1, 2, 0]])
    with pytest.raises(ValueError, match="scene, file"):
        model.scene(space="world")


def test_what_was_read_is_never_replaced(tmp_path):
    own = tmp_path / "own.dpm"
    own.write_bytes(HOPPER.read_bytes())
    with pytest.raises(meshwright.Error):
        meshwright.convert(own, own, scale=2.0)
    assert own.read_bytes() == HOPPER.read_bytes()


def test_models_and_reports_go_to_other_processes(tmp_path):
    def again(thing):
        return pickle.loads(pickle.dumps(thing))

    model = meshwright.open(HOPPER, textures=False, max_memory=1 << 26)
    data = HOPPER.read_bytes()
    beside = {HOPPER.name + ".framegroups": (HOPPER.parent / (HOPPER.name + ".framegroups")).read_bytes()}
    in_memory = meshwright.open(data, name=HOPPER.name, beside=beside)
    figure = meshwright.figure([meshwright.open(TESTDATA / "tso" / f"flower.ok.{e}") for e in ("mesh", "skel")])
    for one in (model, in_memory, figure):
        other = again(one)
        assert meshwright.to_glb(other) == meshwright.to_glb(one) and repr(other) == repr(one)
    with pytest.raises(meshwright.Error):
        again(meshwright.open(HOPPER, max_memory=1 << 26)).convert("glb", scale=1e300)
    scene = model.scene()
    odd = next(path for path in ODD if meshwright.open(path).check())
    findings = meshwright.open(odd).check()
    _, repairs, _ = meshwright.repair(next(path for path in ODD if meshwright.repair(path)[1]))
    _, losses = model.convert("obj")
    found = meshwright.models(TESTDATA / "dpm")
    parts = [*findings, *repairs, *losses, *scene.clips, *scene.skeletons[0], *found]
    assert len({type(part) for part in parts}) == 6
    for part in parts:
        fields = [name for name in dir(part) if not name.startswith("_")]
        assert fields and [getattr(again(part), f) for f in fields] == [getattr(part, f) for f in fields]


def test_messages_name_the_arguments_of_python():
    with pytest.raises(meshwright.Error) as caught:
        meshwright.open(HOPPER, max_memory=64)
    assert "--" not in str(caught.value)
    said = [str(f) for path in GOOD + ODD for f in meshwright.open(path).check()]
    for path in GOOD + ODD:
        try:
            _, losses = meshwright.open(path).convert("glb")
        except meshwright.Error as error:
            said.append(str(error))
            continue
        said += [loss.message for loss in losses]
    assert not [line for line in said if "--" in line], [line for line in said if "--" in line]
    assert [line for line in said if "frames_at=24" in line] and [line for line in said if "prune" in line]


def test_a_skeleton_a_root_and_a_skin_are_named(tmp_path):
    mesh, skeleton = tmp_path / "body.mesh", tmp_path / "mine.skel"
    mesh.write_bytes((TESTDATA / "tso/flower.ok.mesh").read_bytes())
    skeleton.write_bytes((TESTDATA / "tso/flower.ok.skel").read_bytes())
    parents = [
        [(joint.name, joint.parent) for joint in model.scene().skeletons[0]]
        for model in (meshwright.open(mesh), meshwright.open(mesh, skeleton=skeleton), meshwright.open(skeleton))
    ]
    assert parents[0] != parents[1] == parents[2] and any(parent is not None for _, parent in parents[1])
    quad = tmp_path / "quad.dpm"
    quad.write_bytes((TESTDATA / "dpm/quad.ok.dpm").read_bytes())
    name = meshwright.open(quad).scene().meshes[0].name
    for number in (0, 1):
        (tmp_path / f"quad.dpm_{number}.skin").write_text(f"{name},skin{number}\n")
        png = meshwright.render(TESTDATA / "dpm/quad.ok.dpm", width=16, height=16 + number)
        (tmp_path / f"skin{number}.png").write_bytes(png)
    images = [meshwright.open(quad, textures=True, skin=n).scene().materials[0].image[1] for n in (0, 1)]
    assert images == [(tmp_path / f"skin{n}.png").read_bytes() for n in (0, 1)]
    assert b'"images"' in meshwright.to_glb(quad) and b'"images"' not in meshwright.to_glb(quad, textures=False)
    far, alone = tmp_path / "far", tmp_path / "game/quad.dpm"
    for path, data in ((far / "textures/quad.png", images[0]), (alone, quad.read_bytes())):
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    assert not meshwright.open(alone, textures=True).scene().materials[0].image
    for root in (far, [str(far)]):
        assert meshwright.open(alone, textures=True, root=root).scene().materials[0].image[1] == images[0]


def test_models_are_optimized(tmp_path):
    files, report = meshwright.optimize(HOPPER, tmp_path / "small.dpm", also=["frames"], skip=["order"])
    assert [name for name, _ in files] == ["small.dpm", "small.dpm.framegroups"]
    assert sorted(os.listdir(tmp_path)) == ["small.dpm", "small.dpm.framegroups"]
    assert report["before"]["bytes"] >= report["after"]["bytes"] == len(files[0][1])
    assert meshwright.diff(HOPPER, tmp_path / "small.dpm")["rest"] < 1e-5
    bmd = next(path for path in GOOD if path.suffix == ".bmd")
    files, report = meshwright.optimize(bmd, max_angle=1.0, effort=1)
    assert len(files) == 1 and len(files[0][1]) <= report["bytes"]["before"]
    for path, wrong in ((HOPPER, {"max_angle": 1}), (bmd, {"skip": ["order"]}), (HOPPER, {"skip": ["x"]}), (bmd, {"max_st": -1})):
        with pytest.raises(ValueError):
            meshwright.optimize(path, **wrong)
    with pytest.raises(meshwright.Error, match="BMD, DPM and ZYM"):
        meshwright.optimize(TESTDATA / "fsomodel/fighter.ok.fom")


def test_a_rendering_never_replaces_the_model(tmp_path):
    own = tmp_path / "own.dpm"
    own.write_bytes(HOPPER.read_bytes())
    with pytest.raises(meshwright.Error):
        meshwright.render(own, own, force=True, width=32, height=32)
    assert own.read_bytes() == HOPPER.read_bytes() and os.listdir(tmp_path) == ["own.dpm"]


def test_stubs_have_docstrings():
    stub = ast.parse(pathlib.Path(meshwright.__file__).with_suffix(".pyi").read_text())
    parts = [node for node in ast.walk(stub) if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    assert len(parts) > 50
    assert [node.name for node in parts if not ast.get_docstring(node)] == []
