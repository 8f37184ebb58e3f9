"""The extension in Blender's own Python module: installed as a zip, every fixture in and out, edits, errors.

`MESHWRIGHT_EXTENSION` names the zip; `cargo run -p xtask -- bindings blender` makes it and sets that.
"""

import os
import pathlib
import struct
import tempfile
import time
import zipfile

# Before Blender looks for the user's own.
os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="meshwright-blender-")

import bpy  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

TESTDATA = pathlib.Path(__file__).resolve().parents[4] / "testdata"
MODULE = "bl_ext.user_default.meshwright"


def install():
    bpy.ops.extensions.package_install_files(
        filepath=os.environ["MESHWRIGHT_EXTENSION"], repo="user_default", enable_on_install=True
    )
    assert MODULE in bpy.context.preferences.addons


install()

import meshwright  # noqa: E402

FILES = sorted(p for p in TESTDATA.rglob("*") if p.is_file() and ".ok." in p.name)
BROKEN = sorted(p for p in TESTDATA.rglob("*") if p.is_file() and ".reject." in p.name)


def ids(paths):
    return [str(p.relative_to(TESTDATA)) for p in paths]


def shown(path):
    model = meshwright.open(path)
    if model.format == "gltf" or model.format not in meshwright.targets():
        return False
    try:
        model.scene()
    except meshwright.Error:
        return False
    return True


PACKS = [p for p in sorted(TESTDATA.rglob("*")) if p.is_file() and p.suffix[1:] in meshwright.packs()]
PACKED = [pathlib.Path(found) for pack in PACKS for found in meshwright.models(pack)]
FILES = [path for path in FILES + PACKED if shown(path)]
ODD = [p for p in sorted(TESTDATA.rglob("*")) if p.is_file() and ".warn." in p.name and shown(p)]


@pytest.fixture(autouse=True)
def empty():
    bpy.ops.wm.read_homefile(use_empty=True)
    yield


def put_in(path, **options):
    before = set(bpy.data.collections)
    assert bpy.ops.import_scene.meshwright(filepath=str(path), **options) == {"FINISHED"}
    (collection,) = [c for c in set(bpy.data.collections) - before if "meshwright_format" in c]
    return collection


def out(folder, name, **options):
    path = folder / name
    assert bpy.ops.export_scene.meshwright(filepath=str(path), **options) == {"FINISHED"}
    return path


def tracks():
    return [
        (thing, track)
        for thing in bpy.data.objects
        if thing.animation_data
        for track in thing.animation_data.nla_tracks
    ]


def play(clip):
    """Shows one clip alone, as an animator does: its tracks, no active action."""
    for thing, track in tracks():
        thing.animation_data.action = None
        track.mute = track.name != clip


def vertices(frame):
    """All vertices that Blender draws, in the space of the library."""
    # A strip in a scene of another rate is scaled.
    strips = [track.strips[0] for _, track in tracks() if not track.mute and track.strips]
    frame *= strips[0].scale if strips else 1
    bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
    graph = bpy.context.evaluated_depsgraph_get()
    drawn = [np.zeros((0, 3))]
    for thing in bpy.context.view_layer.objects:
        if thing.type == "MESH":
            thing = thing.evaluated_get(graph)
            flat = np.empty(len(thing.data.vertices) * 3, np.float32)
            thing.data.vertices.foreach_get("co", flat)
            matrix = np.array(thing.matrix_world)
            drawn.append(flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
    return np.concatenate(drawn)[:, [0, 2, 1]] * [1, 1, -1]


def native(scene, player):
    """All vertices of meshes with triangles, of which others are not drawn."""
    posed = [np.zeros((0, 3))]
    for number, matrix in scene.drawn():
        used = np.unique(scene.meshes[number].triangles)
        if len(used):
            points = player.vertices(number)[0][used]
            skinned = scene.meshes[number].skeleton is not None
            posed.append(points if skinned else points @ matrix[:3, :3].T + matrix[:3, 3])
    return np.concatenate(posed)


def furthest(these, those):
    """The furthest that one of these lies from the nearest of those."""
    if len(these) == 0:
        return 0.0
    assert len(those)
    return max(np.sqrt(((those - point) ** 2).sum(1).min()) for point in these)


WORST = {}


@pytest.mark.parametrize("path", FILES, ids=ids(FILES))
def test_it_moves_as_it_does_natively(path):
    put_in(path)
    scene = meshwright.open(path).scene()
    player = scene.player()
    poses = [(None, 0)]
    for number, clip in enumerate(scene.clips):
        last = max(clip.frames - 1, 0)
        poses += [(number, frame) for frame in sorted({0, 1, last // 2, last}) if frame <= last]
    for clip, frame in poses:
        if clip is None:
            if scene.clips:
                continue
            player.rest()
        else:
            play(scene.clips[clip].name)
            player.frame(clip, frame)
        here, there = vertices(frame), native(scene, player)
        extent = float(np.ptp(there, axis=0).max()) if len(there) else 1.0
        # Levels of detail beside the first are there and hidden.
        away = furthest(here, there)
        if len(here) == len(there):
            away = max(away, furthest(there, here))
        WORST[path] = max(WORST.get(path, 0), away / (extent or 1.0))
        assert away <= 1e-4 * (extent or 1.0), (clip, frame, away, extent)
        assert len(here) or not len(there)


@pytest.mark.parametrize("exact", ["ALWAYS", "NEVER"])
@pytest.mark.parametrize("path", FILES, ids=ids(FILES))
def test_what_was_not_edited_comes_out_byte_for_byte(path, exact, tmp_path, capfd):
    collection = put_in(path, exact=exact)
    # Looking at clips is no edit.
    bpy.context.scene.frame_set(1)
    back = out(tmp_path, path.name, target=collection["meshwright_format"])
    said = capfd.readouterr().out
    assert "nothing was edited" in said
    assert back.read_bytes() == meshwright.open(path).to_bytes()
    if path.is_file():
        for beside in tmp_path.iterdir():
            assert beside.read_bytes() == (path.parent / beside.name).read_bytes()


def test_every_format_and_every_pack_is_tried():
    formats = {name for name, _, _ in meshwright.formats()} & set(meshwright.targets()) - {"gltf"}
    assert {meshwright.open(path).format for path in FILES} == formats
    kinds = {part.suffix for path in PACKED for part in path.parents if part.is_file()}
    assert kinds == {".pak", ".pk3", ".far", ".dat"}


def test_it_is_played_as_in_the_game():
    path = TESTDATA / "dpm/hopper.ok.dpm"
    collection = put_in(path)
    scene, clips = bpy.context.scene, meshwright.open(path).scene().clips
    assert scene.render.fps / scene.render.fps_base == pytest.approx(clips[0].rate)
    assert (scene.frame_start, scene.frame_end) == (0, clips[0].frames - 1)
    found = {track.name: track.strips[0].action for _, track in tracks()}
    assert set(found) == {clip.name for clip in clips}
    for clip in clips:
        action = found[clip.name]
        assert action.use_cyclic == clip.looping
        assert tuple(action.frame_range) == (0, clip.frames - 1)
        keys = [key.co[0] for curve in curves(action) for key in curve.keyframe_points]
        assert all(abs(key - round(key)) < 1e-4 for key in keys)
    assert "meshwright" not in scene and "meshwright" in collection


def test_loops_and_others_are_told_apart():
    path = next(p for p in FILES if len({c.looping for c in meshwright.open(p).scene().clips}) == 2)
    put_in(path)
    clips = {clip.name: clip.looping for clip in meshwright.open(path).scene().clips}
    assert {track.name: track.strips[0].action.use_cyclic for _, track in tracks()} == clips


def curves(action):
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    bags = (bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags)
    return [curve for bag in bags for curve in bag.fcurves]


def test_a_rate_that_is_no_whole_number_is_kept(tmp_path):
    path = next(p for p in FILES if any(c.rate % 1 for c in meshwright.open(p).scene().clips))
    clip = meshwright.open(path).scene().clips[0]
    collection = put_in(path)
    render = bpy.context.scene.render
    assert render.fps / render.fps_base == pytest.approx(clip.rate)
    back = out(tmp_path, path.name, target=collection["meshwright_format"])
    assert back.read_bytes() == path.read_bytes()


def test_the_scene_may_keep_its_rate(tmp_path):
    path = TESTDATA / "dpm/hopper.ok.dpm"
    bpy.context.scene.render.fps = 24
    put_in(path, rate="SCENE")
    render = bpy.context.scene.render
    assert (render.fps, render.fps_base) == (24, 1.0)
    assert out(tmp_path, path.name).read_bytes() == path.read_bytes()


CHAINS = [p for p in FILES if meshwright.open(p).info()["bones"] > 1]


@pytest.mark.parametrize("path", CHAINS, ids=ids(CHAINS))
def test_bones_point_at_their_only_child(path):
    put_in(path)
    scaled = "scale" in {c.data_path.rsplit(".", 1)[-1] for a in bpy.data.actions for c in curves(a)}
    for armature in bpy.data.armatures:
        for bone in armature.bones:
            assert bone.length > 0
            if len(bone.children) == 1 and not scaled:
                child = bone.children[0].head_local
                reach = (child - bone.head_local).length
                assert reach < 1e-5 or (bone.tail_local - child).length < 0.01 * reach, bone.name


def moved(a, b):
    return [np.abs(x.positions - y.positions).max(1) > 1e-4 for x, y in zip(a.meshes, b.meshes)]


@pytest.mark.parametrize("name", ["dpm/hopper.ok.dpm", "dpm/pair.ok.zym", "crucible/plane.ok.cmesh", "bmd/moving.ok.bmd"])
def test_an_edited_vertex_is_all_that_changes(name, tmp_path, capfd):
    path = TESTDATA / name
    put_in(path)
    mesh = next(thing.data for thing in bpy.data.objects if thing.type == "MESH")
    extent = max(max(v.co) for v in mesh.vertices) - min(min(v.co) for v in mesh.vertices)
    mesh.vertices[0].co.z += 0.1 * extent
    back = out(tmp_path, path.name)
    assert "1 vertex moved by up to" in capfd.readouterr().out
    old, new = meshwright.open(path).scene(), meshwright.open(back).scene()
    assert sum(m.sum() for m in moved(old, new)) == 1
    for a, b in zip(old.meshes, new.meshes):
        assert np.array_equal(a.triangles, b.triangles) and np.array_equal(a.uvs, b.uvs)
        assert np.array_equal(a.influence_joints, b.influence_joints)
        assert np.array_equal(a.influence_weights, b.influence_weights)
    poses = [scene.player() for scene in (old, new)]
    for number, clip in enumerate(old.clips):
        for player in poses:
            player.frame(number, clip.frames / 2)
        for skeleton in range(len(old.skeletons)):
            assert np.array_equal(*(player.joints(skeleton) for player in poses))


def test_an_edited_key_is_all_that_changes(tmp_path, capfd):
    path = TESTDATA / "dpm/hopper.ok.dpm"
    put_in(path)
    clips = meshwright.open(path).scene().clips
    action = next(track.strips[0].action for _, track in tracks() if track.name == clips[1].name)
    curve = next(c for c in curves(action) if c.data_path.endswith('["head"].location') and c.array_index == 0)
    for key in curve.keyframe_points:
        if round(key.co[0]) == 2:
            key.co[1] += 0.5
    curve.update()
    back = out(tmp_path, path.name)
    said = capfd.readouterr().out
    assert f'"{clips[1].name}" edited: "head" in frame 2' in said
    old, new = meshwright.open(path).scene(), meshwright.open(back).scene()
    assert not sum(m.sum() for m in moved(old, new))
    poses = [scene.player() for scene in (old, new)]
    changed = set()
    for number, clip in enumerate(old.clips):
        for frame in range(clip.frames):
            for player in poses:
                player.frame(number, frame)
            before, after = (player.joints(0) for player in poses)
            if np.abs(before - after).max() > 1e-6:
                changed.add((clip.name, frame))
    assert changed == {(clips[1].name, 2)}


@pytest.mark.parametrize("fraction", [False, True])
def test_a_new_action_is_a_new_clip(fraction, tmp_path):
    rates = [(path, [clip.rate for clip in meshwright.open(path).scene().clips[:1]]) for path in CHAINS]
    path = next(path for path, found in rates if found and any(rate % 1 for rate in found) == fraction)
    collection = put_in(path)
    render = bpy.context.scene.render
    rate = render.fps / render.fps_base
    (armature,) = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    armature.animation_data.action = bpy.data.actions.new("wave")
    armature.animation_data.action.use_cyclic = True
    bone = armature.pose.bones[0]
    bone.rotation_mode = "QUATERNION"
    for frame, turn in ((0, 0.0), (6, 0.5), (12, 0.0)):
        bone.rotation_quaternion = (np.cos(turn / 2), np.sin(turn / 2), 0, 0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    new = meshwright.open(out(tmp_path, path.name, target=collection["meshwright_format"])).scene().clips
    old = meshwright.open(path).scene().clips
    assert [c.name for c in new[:-1]] == [c.name for c in old] and "wave" in new[-1].name
    assert (new[-1].frames, new[-1].rate, new[-1].looping) == (13, pytest.approx(rate, rel=1e-3), True)
    (wave,) = [action for action in bpy.data.actions if action.name == "wave"]
    assert not set(wave.keys())


def test_two_models_lie_side_by_side(tmp_path):
    one, two = TESTDATA / "dpm/hopper.ok.dpm", TESTDATA / "iqm/tube.ok.iqm"
    first, second = put_in(one), put_in(two)
    for path, collection in ((one, first), (two, second)):
        back = out(tmp_path, path.name, collection=collection.name)
        assert back.read_bytes() == path.read_bytes()
    # Without a name it is the model that the active object is in.
    thing = next(t for t in first.all_objects if t.type == "MESH")
    bpy.context.view_layer.objects.active = thing
    assert out(tmp_path, "again.dpm").read_bytes() == one.read_bytes()


def test_any_format_comes_out(tmp_path):
    put_in(TESTDATA / "dpm/hopper.ok.dpm")
    for target, _, names in meshwright.formats():
        if target in ("gltf",) or target not in meshwright.targets():
            continue
        path = tmp_path / f"model.{names[0]}"
        try:
            bpy.ops.export_scene.meshwright(filepath=str(path), target=target)
        except RuntimeError as refused:
            assert "[not-convertible]" in str(refused) or "[invalid-model]" in str(refused), (target, refused)
            continue
        assert meshwright.open(path, format=target).format == target


def test_a_model_of_blender_alone_becomes_one_of_a_game(tmp_path, capfd):
    bpy.ops.mesh.primitive_cube_add(size=2)
    back = out(tmp_path, "cube.iqm", collection="")
    assert "no embedded original" in capfd.readouterr().out
    scene = meshwright.open(back).scene()
    assert sum(len(mesh.triangles) for mesh in scene.meshes) == 12
    double = out(tmp_path, "double.iqm", scale=2.0)
    size = [np.ptp(meshwright.open(path).scene().meshes[0].positions, axis=0).max() for path in (back, double)]
    assert size[1] == pytest.approx(2 * size[0])


def test_lengths_are_multiplied_there_and_back(tmp_path):
    path = TESTDATA / "dpm/hopper.ok.dpm"
    put_in(path, scale=0.0254)
    size = max(abs(c) for t in bpy.data.objects if t.type == "MESH" for v in t.data.vertices for c in v.co)
    native_size = max(np.abs(m.positions).max() for m in meshwright.open(path).scene().meshes)
    assert size == pytest.approx(native_size * 0.0254, rel=1e-4)
    assert out(tmp_path, path.name).read_bytes() == path.read_bytes()


def test_several_files_are_one_figure(tmp_path):
    names = ["flower.ok.mesh", "flower.ok.skel"]
    collection = put_in("", directory=str(TESTDATA / "tso"), files=[{"name": n} for n in names], figure=True)
    assert any(thing.type == "ARMATURE" for thing in collection.all_objects)
    assert any(thing.type == "MESH" for thing in collection.all_objects)


def test_clips_go_onto_an_armature_that_is_there(tmp_path):
    mesh, skeleton, clip = (TESTDATA / "tso" / name for name in ("flower.ok.mesh", "flower.ok.skel", "flat.ok.anim"))
    alone = tmp_path / "wave.anim"
    alone.write_bytes(clip.read_bytes())
    with pytest.raises(RuntimeError, match="One Character"):
        bpy.ops.import_scene.meshwright(filepath=str(alone))
    names = [{"name": path.name} for path in (mesh, skeleton, clip)]
    put_in("", directory=str(TESTDATA / "tso"), files=names, figure=True)
    assert {track.name for _, track in tracks()} == {clip.name for clip in meshwright.figure([meshwright.open(p) for p in (skeleton, clip)]).scene().clips}
    bpy.ops.wm.read_homefile(use_empty=True)
    names = names[:2]
    put_in("", directory=str(TESTDATA / "tso"), files=names, figure=True, scale=2.0)
    things, actions = set(bpy.data.objects), len(bpy.data.actions)
    assert bpy.ops.import_scene.meshwright(filepath=str(alone)) == {"FINISHED"}
    assert set(bpy.data.objects) == things and len(bpy.data.actions) > actions
    scene = meshwright.figure([meshwright.open(p) for p in (mesh, skeleton, alone)]).scene()
    player, moved = scene.player(), 0.0
    (info,) = scene.clips
    play(info.name)
    for frame in (0, info.frames // 2, info.frames - 1):
        player.frame(0, frame)
        here, there = vertices(frame) / 2.0, native(scene, player)
        assert furthest(here, there) <= 1e-3 and furthest(there, here) <= 1e-3
        player.rest()
        moved = max(moved, furthest(there, native(scene, player)))
    assert moved > 1e-2, "the clip moves nothing"
    back = meshwright.open(out(tmp_path, "back.anim"))
    assert back.format == "anim"


def test_a_skeleton_may_have_another_name(tmp_path):
    mesh, skeleton = tmp_path / "body.mesh", tmp_path / "mine.skel"
    mesh.write_bytes((TESTDATA / "tso/flower.ok.mesh").read_bytes())
    skeleton.write_bytes((TESTDATA / "tso/flower.ok.skel").read_bytes())
    collection = put_in(mesh, skeleton=str(skeleton))
    bones = [len(thing.data.bones) for thing in collection.all_objects if thing.type == "ARMATURE"]
    assert bones == [len(meshwright.open(skeleton).scene().skeletons[0])]
    assert out(tmp_path, "back.mesh").read_bytes() == mesh.read_bytes()


def test_one_level_of_detail_is_shown(tmp_path):
    path = TESTDATA / "bmd/lods.ok.bmd"
    for level, shown in ((-1, [True, True, True]), (0, [True, False, False]), (1, [False, True, False]), (9, [False, False, True])):
        bpy.ops.wm.read_homefile(use_empty=True)
        collection = put_in(path, level=level)
        for _ in range(2):
            assert [not layer_of(part).exclude for part in collection.children] == shown
            assert out(tmp_path, path.name).read_bytes() == path.read_bytes()


def test_a_skin_is_chosen(tmp_path):
    path = tmp_path / "quad.dpm"
    path.write_bytes((TESTDATA / "dpm/quad.ok.dpm").read_bytes())
    (mesh,) = {mesh.name for mesh in meshwright.open(path).scene().meshes}
    for number, colour in enumerate(("red", "blue")):
        image = bpy.data.images.new(colour, 4, 4)
        image.filepath_raw, image.file_format = str(tmp_path / f"{colour}.png"), "PNG"
        image.generated_color = (number, 0, 1 - number, 1)
        image.save()
        (tmp_path / f"quad.dpm_{number}.skin").write_text(f"{mesh},{colour}\n")
    for skin, colour in ((-1, "red"), (0, "red"), (1, "blue")):
        bpy.ops.wm.read_homefile(use_empty=True)
        put_in(path, skin=skin)
        (drawn,) = [thing for thing in bpy.data.objects if thing.type == "MESH"]
        nodes = drawn.material_slots[0].material.node_tree.nodes
        assert [colour in node.image.name for node in nodes if node.type == "TEX_IMAGE"] == [True]
        assert out(tmp_path / "back", path.name).read_bytes() == path.read_bytes()


def test_packs_are_folders(tmp_path, capfd):
    pack = tmp_path / "data.pk3"
    with zipfile.ZipFile(pack, "w") as archive:
        for name in ("hopper.ok.dpm", "hopper.ok.dpm.framegroups", "quad.ok.dpm"):
            archive.write(TESTDATA / "dpm" / name, "models/" + name)
    for path in [pack, *PACKS]:
        for member in [found.path for found in meshwright.models(path)[:1]]:
            bpy.ops.wm.read_homefile(use_empty=True)
            bpy.ops.import_scene.meshwright_member(pack=str(path), found=member)
            (collection,) = [c for c in bpy.data.collections if "meshwright_format" in c]
            back = out(tmp_path, "member", target=collection["meshwright_format"])
            assert back.read_bytes() == meshwright.open(member).to_bytes()
    assert len(meshwright.models(pack)) == 2
    with pytest.raises(RuntimeError, match="holds 2 models"):
        bpy.ops.import_scene.meshwright(filepath=str(pack))


def test_an_outfit_is_a_figure_and_comes_out_as_meshes(tmp_path, capfd):
    path = TESTDATA / "game/online/avatardata.dat/flower.00c0ffee0000000d.oft"
    collection = put_in(path)
    scene = meshwright.open(path).scene()
    player = scene.player()
    player.rest()
    here, there = vertices(0), native(scene, player)
    assert len(here) == len(there) == sum(len(mesh.positions) for mesh in scene.meshes)
    assert furthest(here, there) <= 1e-4 and furthest(there, here) <= 1e-4
    assert [image for image in bpy.data.images if image.size[0]] and collection["meshwright_format"] == "oft"
    back = out(tmp_path, "figure.mesh")
    assert "no embedded original" in capfd.readouterr().out
    meshes = [meshwright.open(p) for p in sorted(tmp_path.glob("*.mesh"))]
    figure = meshwright.figure([*meshes, meshwright.open(back.with_suffix(".skel"))]).scene()
    player = figure.player()
    player.rest()
    assert furthest(native(figure, player), there) <= 1e-4
    # An outfit needs a number, which Blender does not ask for.
    with pytest.raises(RuntimeError, match="not-convertible.*number"):
        bpy.ops.export_scene.meshwright(filepath=str(tmp_path / "figure.oft"))


def test_textures_come_along(tmp_path):
    found = None
    for path in sorted((TESTDATA / "game").rglob("*")):
        if path.is_file() and path.suffix[1:] in {e for f in meshwright.formats() for e in f[2]} - {"json"}:
            try:
                scene = meshwright.open(path, textures=True).scene()
            except meshwright.Error:
                continue
            if any(material.image for material in scene.materials):
                found = path
                break
    if found is None:
        import shutil

        found = tmp_path / "quad.dpm"
        shutil.copy(TESTDATA / "dpm/quad.ok.dpm", found)
        name = meshwright.open(found).scene().materials[0].name
        image = bpy.data.images.new("x", 4, 4)
        image.filepath_raw = str(tmp_path / f"{name}.png")
        pathlib.Path(image.filepath_raw).parent.mkdir(parents=True, exist_ok=True)
        image.file_format = "PNG"
        image.save()
        bpy.ops.wm.read_homefile(use_empty=True)
    collection = put_in(found)
    assert [image for image in bpy.data.images if image.size[0]]
    back = out(tmp_path, "back", target=collection["meshwright_format"])
    assert back.read_bytes() == found.read_bytes()
    bpy.ops.wm.read_homefile(use_empty=True)
    put_in(found, textures=False)
    assert not [image for image in bpy.data.images if image.size[0]]


@pytest.mark.parametrize("path", BROKEN, ids=ids(BROKEN))
def test_what_is_wrong_is_said(path):
    with pytest.raises(meshwright.Error) as native_error:
        meshwright.open(path)
    with pytest.raises(RuntimeError) as said:
        bpy.ops.import_scene.meshwright(filepath=str(path))
    error = native_error.value
    text = str(said.value)
    assert f"[{error.code}]" in text and error.message.splitlines()[0] in text
    if error.path:
        assert error.path in text
    if error.offset is not None:
        assert f"offset {error.offset:#x}" in text
    assert not [c for c in bpy.data.collections if "meshwright_format" in c]


@pytest.mark.parametrize("path", ODD, ids=ids(ODD))
def test_odd_models_come_in_and_say_so(path, capfd):
    put_in(path)
    said = capfd.readouterr().out
    found = [f for f in meshwright.open(path).check() if f.severity != "info"]
    assert all(f"{f.message}".splitlines()[0] in said and f"[{f.code}]" in said for f in found[:1])
    assert "<warning" not in said and "<error" not in said


def test_what_is_not_there_is_said(tmp_path):
    hopper = TESTDATA / "dpm/hopper.ok.dpm"
    folder = tmp_path / "Modèles 骨"
    folder.mkdir()
    (folder / "empty.dpm").touch()
    with zipfile.ZipFile(folder / "Spiel ü.pk3", "w") as pack:
        pack.write(hopper, "models/héros #1.dpm")
    (folder / "broken.pk3").write_bytes((folder / "Spiel ü.pk3").read_bytes()[:-30])
    with zipfile.ZipFile(folder / "bare.pk3", "w") as pack:
        pack.writestr("notes.txt", "nothing")
    for name, words in (
        ("none.dpm", "no such file"),
        ("Spiel ü.pk3/none.dpm", "no such file"),
        ("", "folder"),
        ("empty.dpm", "["),
        ("broken.pk3", "broken.pk3"),
        ("bare.pk3", "holds no models"),
    ):
        with pytest.raises(RuntimeError) as said:
            bpy.ops.import_scene.meshwright(filepath=str(folder / name))
        assert words in str(said.value) and "Traceback" not in str(said.value), said.value
    assert not [c for c in bpy.data.collections if "meshwright_format" in c]
    put_in(folder / "Spiel ü.pk3")
    assert out(folder, "größer/héros.dpm").read_bytes() == hopper.read_bytes()
    for name, words, options in (
        ("x.dpm", "no collection", {"collection": "none"}),
        ("empty.dpm/x.dpm", "empty.dpm", {}),
        ("", "", {"target": "dpm"}),
        ("x.nothing", "name one", {}),
    ):
        with pytest.raises(RuntimeError) as said:
            bpy.ops.export_scene.meshwright(filepath=str(folder / name), **options)
        assert words in str(said.value) and "Traceback" not in str(said.value), said.value
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".meshwright")]


def test_the_hostile_corpus_is_refused_or_opened():
    corpus = TESTDATA.parent.parent / "shared" / "corpus" / "hostile"
    if not corpus.is_dir():
        (pytest.fail if os.environ.get("MESHWRIGHT_REQUIRE") else pytest.skip)("no corpus beside the project")
    refused = 0
    for path in sorted(p for p in corpus.rglob("*") if p.is_file() and p.stat().st_size < 1 << 18):
        try:
            bpy.ops.import_scene.meshwright(filepath=str(path))
        except RuntimeError as error:
            refused += 1
            assert "[" in str(error) or "holds" in str(error), error
    assert refused


def test_the_file_dialogs_know_every_format():
    operators = bpy.ops.import_scene.meshwright, bpy.ops.export_scene.meshwright
    every = {e for f in meshwright.formats() if f[0] in meshwright.targets() and f[0] != "gltf" for e in f[2]}
    for operator, more in zip(operators, ({"oft", "apr"}, set())):
        glob = operator.get_rna_type().properties["filter_glob"].default
        # Blender cuts what is longer.
        assert len(glob) < 256
        assert every | more | set(meshwright.packs()) == {part[2:] for part in glob.split(";")}
    targets = operators[1].get_rna_type().properties["target"].enum_items.keys()
    assert set(targets) == {"AUTO"} | {f[0] for f in meshwright.formats() if f[0] in meshwright.targets()} - {"gltf"}


HOPPER = TESTDATA / "dpm/hopper.ok.dpm"


def layer_of(collection, layer=None):
    layer = layer or bpy.context.view_layer.layer_collection
    if layer.collection == collection:
        return layer
    return next(filter(None, (layer_of(collection, child) for child in layer.children)), None)


def rest_position(collection):
    (armature,) = [thing.data for thing in collection.all_objects if thing.type == "ARMATURE"]
    armature.pose_position = "REST"
    return lambda: armature.pose_position == "REST"


def excluded(collection):
    layer_of(collection).exclude = True
    return lambda: layer_of(collection).exclude


def closed_eye(collection):
    layer_of(collection).hide_viewport = True
    return lambda: layer_of(collection).hide_viewport


def closed_monitor(collection):
    collection.hide_viewport = True
    return lambda: collection.hide_viewport


def excluded_with_its_parent(collection):
    outer = bpy.data.collections.new("outer")
    bpy.context.scene.collection.children.link(outer)
    bpy.context.scene.collection.children.unlink(collection)
    outer.children.link(collection)
    layer_of(outer).exclude = True
    return lambda: layer_of(outer).exclude and layer_of(collection).exclude


def hidden_objects(collection):
    things = list(collection.all_objects)
    for thing in things:
        thing.hide_viewport = True
    return lambda: all(thing.hide_viewport for thing in things)


@pytest.mark.parametrize(
    "hide", [rest_position, excluded, closed_eye, closed_monitor, excluded_with_its_parent, hidden_objects]
)
def test_how_the_user_looks_at_a_model_is_no_edit(hide, tmp_path, capfd):
    collection = put_in(HOPPER, exact="NEVER")
    is_as_the_user_had_it = hide(collection)
    back = out(tmp_path, "hopper.dpm", collection=collection.name)
    assert "nothing was edited" in capfd.readouterr().out
    assert back.read_bytes() == HOPPER.read_bytes()
    assert is_as_the_user_had_it()


def test_a_pose_without_keys_is_in_no_clip_and_stays(tmp_path, capfd):
    collection = put_in(HOPPER, exact="NEVER")
    (armature,) = [thing for thing in collection.all_objects if thing.type == "ARMATURE"]
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = (0.8, 0.6, 0, 0)
        bone.location = (1, 2, 3)
    bpy.context.view_layer.update()
    action = armature.animation_data.action
    back = out(tmp_path, "hopper.dpm")
    assert "nothing was edited" in capfd.readouterr().out
    assert back.read_bytes() == HOPPER.read_bytes()
    assert all(tuple(bone.location) == (1, 2, 3) for bone in armature.pose.bones)
    assert armature.animation_data.action == action


def test_modifiers_are_applied_or_left_out(tmp_path, capfd):
    path = TESTDATA / "crucible/plane.ok.cmesh"
    collection = put_in(path)
    mesh = next(thing for thing in collection.all_objects if thing.type == "MESH")
    mesh.modifiers.new("finer", "SUBSURF").levels = 1
    assert out(tmp_path, "plain.cmesh", modifiers=False).read_bytes() == path.read_bytes()
    capfd.readouterr()
    back = out(tmp_path, "fine.cmesh")
    said = capfd.readouterr().out
    assert "modifiers were applied" in said and "nothing was edited" not in said
    counts = [sum(len(m.triangles) for m in meshwright.open(p).scene().meshes) for p in (path, back)]
    assert counts[1] > 3 * counts[0]
    mesh.modifiers["finer"].show_viewport = False
    assert out(tmp_path, "hidden.cmesh").read_bytes() == path.read_bytes()


def test_what_is_not_selected_can_be_left_out(tmp_path):
    collection = put_in(HOPPER)
    meshes = [thing for thing in collection.all_objects if thing.type == "MESH"]
    assert len(meshes) > 1
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing.type == "ARMATURE" or thing == meshes[0])
    back = out(tmp_path, "one.dpm", selected=True)
    kept = [mesh for mesh in meshwright.open(back).scene().meshes if len(mesh.triangles)]
    assert len(kept) == 1 and len(kept[0].triangles) == len(meshes[0].data.polygons)
    for thing in bpy.context.view_layer.objects:
        thing.select_set(False)
    with pytest.raises(RuntimeError, match="Selected Only"):
        bpy.ops.export_scene.meshwright(filepath=str(tmp_path / "none.dpm"), collection=collection.name, selected=True)


def test_a_second_model_keeps_the_rate_of_the_scene(tmp_path, capfd):
    rates = {path: {clip.rate for clip in meshwright.open(path).scene().clips} for path in CHAINS}
    other = next(path for path, found in rates.items() if found and not found & rates[HOPPER])
    first = put_in(HOPPER)
    render = bpy.context.scene.render
    rate = render.fps / render.fps_base
    capfd.readouterr()
    second = put_in(other)
    assert render.fps / render.fps_base == rate
    assert "frames per second" in capfd.readouterr().out
    clips = {clip.name: clip for clip in meshwright.open(other).scene().clips}
    found = [(thing, track) for thing, track in tracks() if thing.name in second.all_objects]
    assert found
    for thing, track in found:
        (strip,), clip = track.strips, clips[track.name]
        seconds = (strip.frame_end - strip.frame_start) / rate
        assert seconds == pytest.approx(max(clip.frames - 1, 1) / clip.rate, rel=1e-3)
        # Frames of the action are those of the game.
        assert tuple(strip.action.frame_range) == (0, max(clip.frames - 1, 0))
        assert thing.animation_data.action is None
    assert sum(not track.mute for _, track in found) >= 1
    for path, collection in ((HOPPER, first), (other, second)):
        assert out(tmp_path, path.name, collection=collection.name).read_bytes() == path.read_bytes()


def test_one_bad_file_among_several_is_reported(tmp_path, capfd):
    (tmp_path / "bad.dpm").write_bytes(b"DARKPLACESMODEL\0")
    for name in ("one.dpm", "two.dpm"):
        (tmp_path / name).write_bytes(HOPPER.read_bytes())
    files = [{"name": name} for name in ("one.dpm", "bad.dpm", "two.dpm")]
    assert bpy.ops.import_scene.meshwright(directory=str(tmp_path), files=files) == {"FINISHED"}
    said = capfd.readouterr().out
    assert "not imported" in said and "bad.dpm" in said
    assert sorted(c.name for c in bpy.data.collections if "meshwright_format" in c) == ["one", "two"]
    with pytest.raises(RuntimeError, match="out-of-file"):
        bpy.ops.import_scene.meshwright(directory=str(tmp_path), files=files[1:2])


def test_the_export_says_what_it_needs(tmp_path):
    def export():
        return bpy.ops.export_scene.meshwright(filepath=str(tmp_path / "x.dpm"))

    with pytest.raises(RuntimeError, match="select an object"):
        export()
    collection = put_in(HOPPER)
    bpy.context.view_layer.objects.active = None
    # Of a single model it is clear.
    assert export() == {"FINISHED"}
    assert (tmp_path / "x.dpm").read_bytes() == HOPPER.read_bytes()
    other = put_in(TESTDATA / "iqm/tube.ok.iqm")
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError) as said:
        export()
    assert collection.name in str(said.value) and other.name in str(said.value)


def test_a_large_model_names_the_scale(tmp_path, capfd):
    large = tmp_path / "large.dpm"
    meshwright.convert(HOPPER, large, scale=100.0)
    put_in(large)
    assert "Scale 0.0254" in capfd.readouterr().out
    put_in(large, scale=0.0254)
    assert "Scale 0.0254" not in capfd.readouterr().out


def test_a_large_model_takes_little_longer_than_its_glb(tmp_path):
    """More vertices than an export is made of by itself."""
    side = 350
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    points = np.stack([x, np.sin(x / 9) * 5, y], -1).reshape(-1, 3).astype("<f4")
    first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1, 1)
    triangles = (first + [0, side, 1, 1, side, side + 1]).astype("<u4")
    gltf = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": len(points),
                "type": "VEC3",
                "min": points.min(0).tolist(),
                "max": points.max(0).tolist(),
            },
            {"bufferView": 1, "componentType": 5125, "count": triangles.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": points.nbytes},
            {"buffer": 0, "byteOffset": points.nbytes, "byteLength": triangles.nbytes},
        ],
        "buffers": [{"byteLength": points.nbytes + triangles.nbytes}],
    }
    binary = points.tobytes() + triangles.tobytes()
    shared = __import__(MODULE + ".shared", fromlist=["packed"])
    source = tmp_path / "grid.glb"
    source.write_bytes(shared.packed(gltf, struct.pack("<II", len(binary), 0x004E4942) + binary))
    meshwright.convert(source, tmp_path / "grid.iqm")
    meshwright.convert(tmp_path / "grid.iqm", tmp_path / "same.glb")
    begun = time.process_time()
    assert bpy.ops.import_scene.gltf(filepath=str(tmp_path / "same.glb")) == {"FINISHED"}
    alone = time.process_time() - begun
    begun = time.process_time()
    put_in(tmp_path / "grid.iqm")
    assert sum(len(mesh.vertices) for mesh in bpy.data.meshes) == 2 * side * side
    whole = time.process_time() - begun
    print(f"{side * side} vertices: GLB {alone:.2f} s, IQM {whole:.2f} s")
    assert whole < 3 * alone


def test_a_large_model_is_exact_on_request(monkeypatch):
    importing = __import__(MODULE + ".importing", fromlist=["LARGE"])
    monkeypatch.setattr(importing, "LARGE", 3)
    assert "meshwright_unedited" not in put_in(HOPPER)
    assert "meshwright_unedited" in put_in(HOPPER, exact="ALWAYS")


def test_zz_how_far_they_were():
    worst = max(WORST, key=WORST.get)
    print(f"\nfurthest from native evaluation: {WORST[worst]:.2e} of the extent, {worst.name}, of {len(WORST)} models")
