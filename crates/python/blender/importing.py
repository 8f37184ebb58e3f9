"""Models into Blender."""

import os
import tempfile

import bpy
import meshwright
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ImportHelper
from mathutils import Vector

from .shared import (
    FORMAT,
    KEPT,
    KEYED_AT,
    RATE,
    RECORDS,
    SCALE,
    UNEDITED,
    Tells,
    digest,
    document,
    glob,
    known,
    layers_to,
    losses,
    one_second,
    packed,
    sentence,
    written,
)

FRACTION = 32
"""Frames of a second of glTF where a clip's own are no whole number: powers of two keep key times exact."""


def tips(gltf):
    """How Blender lays out bones: with tips on their children, which is wrong where clips scale bones along an axis."""
    scaled = any(
        channel["target"]["path"] == "scale"
        for animation in gltf.get("animations", [])
        for channel in animation["channels"]
    )
    return "TEMPERANCE" if scaled else "FORTUNE"


LARGE = 100_000
"""Vertices of a model above which Blender's export, which *Exact* needs, takes longer than the import."""

TALL = 20.0
"""Metres that a model may be long before its lengths are taken for other units than metres."""


def load(context, model, options):
    """Imports a model: its collection, and lines to be reported."""
    said = [("WARNING", sentence(found)) for found in model.check() if found.severity != "info"]
    clips = model.scene().clips
    render = context.scene.render
    rate = clips[0].rate if clips else render.fps / render.fps_base
    keyed_at = max(round(rate), 1) if abs(rate - round(rate)) < 1e-6 else FRACTION
    files, lost = model.convert(
        "glb",
        keep=model.format not in ("gltf", *RECORDS),
        influences="all",
        frames_at=keyed_at,
        scale=None if options.scale == 1.0 else options.scale,
    )
    glb = files[0][1]
    del files
    gltf, binary = document(glb)
    # Blender would read and write the text of the original, which may be as large as the model.
    kept = gltf["scenes"][gltf.get("scene", 0)].get("extras", {}).pop(KEPT, None)
    if kept is not None:
        glb = packed(gltf, binary)
    del binary
    collection = bpy.data.collections.new(model.name)
    context.collection.children.link(collection)
    had_clips = bool(bpy.data.actions)
    with one_second(context.scene, keyed_at):
        read(context, collection, glb, tips(gltf))
    del glb
    if kept is not None:
        collection[KEPT] = kept
    collection[FORMAT] = model.format
    collection[SCALE] = options.scale
    if clips:
        collection[KEYED_AT] = keyed_at
        said += play(context.scene, collection, clips, options.rate == "CLIP" and not had_clips)
    if kept is not None and options.exact != "NEVER":
        if options.exact == "ALWAYS" or model.info()["vertices"] <= LARGE:
            collection[UNEDITED] = digest(written(context, collection, native=False))
    if len(gltf["scenes"]) > 1:
        show_level(context, list(collection.children), options.level)
    return collection, said + size_hint(context, collection, options.scale) + losses(lost)


def show_level(context, levels, number):
    """Shows one level of detail, the coarsest if there are fewer; all of them for a negative number."""
    for index, level in enumerate(levels):
        shown = number < 0 or index == min(number, len(levels) - 1)
        layers_to(context.view_layer.layer_collection, level)[-1].exclude = not shown


CLIPS_ALONE = ["anim"]
"""Formats of clips that move the skeleton of another file."""


def armature_of(context):
    """The armature that clips without a skeleton go onto, and its imported collection: the active object's, else the only one."""
    imported = [collection for collection in bpy.data.collections if FORMAT in collection]
    active = context.view_layer.objects.active
    found = [
        (thing, collection)
        for collection in imported
        for thing in collection.all_objects
        if thing.type == "ARMATURE" and layers_to(context.view_layer.layer_collection, collection)
    ]
    chosen = [
        (thing, collection)
        for thing, collection in found
        if active is not None and (active == thing or active.parent == thing or active.name in collection.all_objects)
    ]
    if len(chosen or found) != 1:
        raise ValueError(
            "the file has clips without a skeleton: import its character first and select its armature, "
            "or import all files as One Character"
        )
    return (chosen or found)[0]


def load_clips(context, model, options):
    """Puts the clips of a file without a skeleton onto an imported armature: lines to be reported."""
    armature, collection = armature_of(context)
    edited = meshwright.open(written(context, collection), name="character.glb")
    files, _, _ = edited.restore("character.skel", to="skel")
    figure = meshwright.figure([meshwright.open(files[0][1], name=files[0][0]), model])
    clips = figure.scene().clips
    if not clips:
        raise ValueError("the file has no clips")
    rate = clips[0].rate
    if KEYED_AT not in collection:
        collection[KEYED_AT] = max(round(rate), 1) if abs(rate - round(rate)) < 1e-6 else FRACTION
    scale = collection.get(SCALE, 1.0)
    glb = figure.convert(
        "glb", influences="all", frames_at=collection[KEYED_AT], scale=None if scale == 1.0 else scale
    )[0][0][1]
    staged = bpy.data.collections.new(model.name)
    context.scene.collection.children.link(staged)
    active = context.view_layer.objects.active
    try:
        with one_second(context.scene, collection[KEYED_AT]):
            read(context, staged, glb, tips(document(glb)[0]))
        (source,) = (thing for thing in staged.all_objects if thing.type == "ARMATURE")
        fit(source, armature)
        motion = armature.animation_data or armature.animation_data_create()
        for track in list(source.animation_data.nla_tracks):
            if track.name not in {clip.name for clip in clips}:
                continue
            for strip in track.strips:
                new = motion.nla_tracks.new()
                new.name = track.name
                placed = new.strips.new(strip.name, 0, strip.action)
                if getattr(strip, "action_slot", None):
                    placed.action_slot = strip.action_slot
                new.mute = True
    finally:
        for thing in list(staged.all_objects):
            bpy.data.objects.remove(thing)
        bpy.data.collections.remove(staged)
        context.view_layer.objects.active = active
    said = play(context.scene, collection, clips, False)
    names = ", ".join(clip.name for clip in clips)
    return [("INFO", f"clips of {armature.name}: {names}"), *said, *losses(figure.scene().losses)]


def fit(source, armature):
    """Refuses clips whose bones are others than those of an armature, or rest elsewhere."""
    for bone in source.data.bones:
        own = armature.data.bones.get(bone.name)
        if own is None:
            raise ValueError(f"the armature {armature.name!r} has no bone {bone.name!r}, which the clips move")
        reach = 1e-3 * max(1.0, own.matrix_local.translation.length)
        if any(abs(a - b) > reach for x, y in zip(own.matrix_local, bone.matrix_local) for a, b in zip(x, y)):
            raise ValueError(f"the bone {bone.name!r} of {armature.name!r} was moved in Edit Mode, so that the clips do not fit")


def size_hint(context, collection, scale):
    """A line where a model is so large that its lengths are hardly metres."""
    context.view_layer.update()
    things = [thing for thing in collection.all_objects if thing.type == "MESH"]
    points = [thing.matrix_world @ Vector(corner) for thing in things for corner in thing.bound_box]
    extent = max((max(p[axis] for p in points) - min(p[axis] for p in points) for axis in range(3)), default=0.0) if points else 0.0
    if extent <= TALL or scale != 1.0:
        return []
    return [("INFO", f"the model is {extent:.0f} m long in Blender; Scale 0.0254 makes metres of Quake's units")]


def read(context, collection, glb, bones):
    """Lets Blender read a GLB into a collection, in which further scenes of it are collections of their own."""
    scene, layer = context.scene, context.view_layer
    had, active, before = scene.get(KEPT), layer.active_layer_collection, set(bpy.data.objects)
    layer.active_layer_collection = layers_to(layer.layer_collection, collection)[-1]
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.glb")
            with open(file, "wb") as out:
                out.write(glb)
            operator = bpy.ops.import_scene.gltf
            operator(filepath=file, **known(operator, import_scene_extras=False, bone_heuristic=bones))
        # Before 5.0 the active collection is passed over.
        for thing in set(bpy.data.objects) - before - set(collection.all_objects):
            for other in list(thing.users_collection):
                other.objects.unlink(thing)
            collection.objects.link(thing)
    finally:
        layer.active_layer_collection = active
        # Older versions put it there unasked.
        if had is not None:
            scene[KEPT] = had
        elif KEPT in scene:
            del scene[KEPT]


def play(scene, collection, clips, sets_rate):
    """Rate and range of the scene and of actions, and which of them loop: glTF has no words for these. Returns lines to be
    reported."""
    said, render = [], scene.render
    if sets_rate:
        render.fps = max(1, round(clips[0].rate))
        render.fps_base = render.fps / clips[0].rate
        scene.frame_start, scene.frame_end = 0, max(clips[0].frames - 1, 0)
        scene.frame_set(0)
    rate = render.fps / render.fps_base
    by_name, stretched = {clip.name: clip for clip in clips}, set()
    for thing in collection.all_objects:
        motion = thing.animation_data
        for track in motion.nla_tracks if motion else ():
            clip = by_name.get(track.name)
            if clip is None:
                continue
            factor = rate / clip.rate
            is_stretched = abs(factor - 1.0) > 1e-6
            for strip in track.strips:
                action = strip.action
                # Blender begins them at 1.
                strip.frame_start_ui = strip.action_frame_start
                action.use_frame_range = True
                action.frame_start, action.frame_end = 0, max(clip.frames - 1, 0)
                action.use_cyclic = clip.looping
                action[RATE] = clip.rate
                if not is_stretched:
                    continue
                strip.scale = factor
                stretched.add(clip.rate)
                # An active action has one frame of the scene for each of its own; on the track it lasts as long as in the game.
                if motion.action == action:
                    motion.action = None
                    track.mute = False
    if stretched:
        rates = ", ".join(f"{rate:g}" for rate in sorted(stretched))
        said.append(
            (
                "INFO",
                f"the scene has {rate:g} frames per second, clips {rates}: the strips of these are scaled, so that they last "
                "as long as in the game; their actions have every frame of the game",
            )
        )
    return said


def moves(model):
    """Whether clips have their skeleton."""
    try:
        return bool(model.scene().clips)
    except meshwright.Error:
        return False


class Options:
    """What can be chosen of an import."""

    textures: BoolProperty(
        name="Textures", description="Search for textures as the game does", default=True
    )
    lenient: BoolProperty(
        name="Lenient", description="Read on after broken rules that leave the rest readable, and report them", default=False
    )
    rate: EnumProperty(
        name="Frame Rate",
        description="Frames per second of the scene. Strips of clips with another rate are scaled",
        items=(
            ("CLIP", "Clip's", "A scene without clips gets the rate of the first clip; one with clips keeps its own"),
            ("SCENE", "Scene's", "The scene keeps its rate"),
        ),
        default="CLIP",
    )
    exact: EnumProperty(
        name="Exact",
        description="Remember what Blender writes of the model unedited, so that what it changes by itself is no edit. "
        "Takes as long as an export",
        items=(
            ("AUTO", "Small Models", "Up to 100,000 vertices"),
            ("ALWAYS", "Always", "Models of any size"),
            ("NEVER", "Never", "Compare values alone"),
        ),
        default="AUTO",
    )
    scale: FloatProperty(
        name="Scale",
        description="Multiply all lengths; the export divides them again. 0.0254 converts Quake's units to metres",
        default=1.0,
        min=1e-6,
        soft_min=0.001,
        soft_max=1000.0,
    )

    level: IntProperty(
        name="Level of Detail",
        description="The level that is shown: 0 is the finest, -1 shows all. The others are excluded from the view layer",
        default=0,
        min=-1,
        soft_max=8,
    )
    skin: IntProperty(
        name="Skin",
        description="The skin of a DarkPlaces model whose textures are searched, from 0. -1 is the first, with the others as "
        "variants",
        default=-1,
        min=-1,
        soft_max=16,
    )
    skeleton: StringProperty(
        name="Skeleton",
        description="The file of the skeleton, if its name is not the one that the game uses",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},
    )

    def opened(self, path):
        skeleton = bpy.path.abspath(self.skeleton) if self.skeleton else None
        skin = None if self.skin < 0 else self.skin
        # Clips have no textures, and no scene to search them for.
        textures = self.textures and path.rsplit(".", 1)[-1].lower() not in CLIPS_ALONE
        return meshwright.open(path, textures=textures, lenient=self.lenient, skin=skin, skeleton=skeleton)

    def loaded(self, context, path):
        """Imports a file: lines to be reported."""
        model = self.opened(path)
        if model.format in CLIPS_ALONE and not self.skeleton and not moves(model):
            return load_clips(context, model, self)
        return load(context, model, self)[1]


class IMPORT_SCENE_OT_meshwright(bpy.types.Operator, ImportHelper, Tells, Options):
    """Import models of old games, alone or out of packs"""

    bl_idname = "import_scene.meshwright"
    bl_label = "Import Game Model"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filter_glob: StringProperty(default=glob(RECORDS), options={"HIDDEN"})
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    figure: BoolProperty(
        name="One Character",
        description="The chosen files are one character: meshes with their skeleton and clips",
        default=False,
        options={"SKIP_SAVE"},
    )

    def invoke(self, context, event):
        return self.invoke_popup(context)

    def execute(self, context):
        names = [file.name for file in self.files if file.name]
        paths = [os.path.join(self.directory, name) for name in names] or [self.filepath]
        if self.figure:
            try:
                self.tell(load(context, meshwright.figure([self.opened(path) for path in paths]), self)[1])
            except (meshwright.Error, ValueError) as error:
                return self.refuse(error)
            return {"FINISHED"}
        said, refused = [], []
        manager = context.window_manager
        manager.progress_begin(0, len(paths))
        for number, path in enumerate(paths):
            manager.progress_update(number)
            name = f"{os.path.basename(path)}: " if len(paths) > 1 else ""
            try:
                if path.rsplit(".", 1)[-1].lower() in meshwright.packs() and os.path.isfile(path):
                    self.chosen_of(path)
                    continue
                lines = self.loaded(context, path)
                said += [(level, name + text) for level, text in lines]
            except (meshwright.Error, ValueError, RuntimeError) as error:
                refused.append(f"{name}{error}")
        manager.progress_end()
        if len(refused) == len(paths):
            return self.refuse("\n".join(refused))
        # An error ends the operator: what was imported would not be undone in one step.
        self.tell([("WARNING", f"not imported: {error}") for error in refused] + said)
        return {"FINISHED"}

    def chosen_of(self, pack):
        """Asks which model of a pack is meant; of a single one that is clear."""
        found = meshwright.models(pack)
        if not found:
            raise ValueError(f"{pack} holds no models")
        operator = bpy.ops.import_scene.meshwright_member
        chosen = {name: getattr(self, name) for name in Options.__annotations__}
        if len(found) == 1:
            operator("EXEC_DEFAULT", pack=pack, found=found[0].path, **chosen)
            return
        if bpy.app.background:
            members = "\n".join(model.path for model in found)
            raise ValueError(f"{pack} holds {len(found)} models; each is a path:\n{members}")
        operator("INVOKE_DEFAULT", pack=pack, **chosen)


class IMPORT_SCENE_OT_meshwright_member(bpy.types.Operator, Tells, Options):
    """Import a model out of a pack"""

    bl_idname = "import_scene.meshwright_member"
    bl_label = "Import from Pack"
    bl_options = {"REGISTER", "UNDO"}
    bl_property = "found"

    listed = {}
    """Members of packs: Blender wants the texts of a list to live on."""

    def members(self, _context):
        cls = IMPORT_SCENE_OT_meshwright_member
        if self.pack and self.pack not in cls.listed:
            found = meshwright.models(self.pack)
            cls.listed[self.pack] = [(model.path, model.place, model.format) for model in found]
        return cls.listed.get(self.pack, [])

    pack: StringProperty(options={"HIDDEN"})
    found: EnumProperty(name="Model", items=members)

    def invoke(self, context, _event):
        # The pack may have changed.
        self.listed.pop(self.pack, None)
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        try:
            self.tell(self.loaded(context, self.found))
        except (meshwright.Error, ValueError) as error:
            return self.refuse(error)
        return {"FINISHED"}
