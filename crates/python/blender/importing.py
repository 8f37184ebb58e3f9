"""Models into Blender."""

import os
import tempfile

import bpy
import meshwright
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from .shared import (
    FORMAT,
    KEPT,
    KEYED_AT,
    RATE,
    RECORDS,
    UNEDITED,
    Tells,
    digest,
    document,
    glob,
    known,
    losses,
    one_second,
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


def load(context, model, options):
    """Imports a model: its collection, and lines to be reported."""
    said = [("WARNING", str(found)) for found in model.check() if found.severity != "info"]
    clips = model.scene().clips
    rate = clips[0].rate if clips else None
    if options.rate == "SCENE" or rate is None:
        render = context.scene.render
        rate = render.fps / render.fps_base
    keyed_at = round(rate) if abs(rate - round(rate)) < 1e-6 else FRACTION
    files, lost = model.convert(
        "glb",
        keep=model.format not in ("gltf", *RECORDS),
        influences="all",
        frames_at=max(keyed_at, 1),
        scale=None if options.scale == 1.0 else options.scale,
    )
    glb = files[0][1]
    gltf, _ = document(glb)
    collection = bpy.data.collections.new(model.name)
    context.collection.children.link(collection)
    actions = set(bpy.data.actions)
    with one_second(context.scene, max(keyed_at, 1)):
        read(context, collection, glb, tips(gltf))
    kept = gltf["scenes"][gltf.get("scene", 0)].get("extras", {}).get(KEPT)
    if kept is not None:
        collection[KEPT] = kept
    collection[FORMAT] = model.format
    if clips:
        collection[KEYED_AT] = max(keyed_at, 1)
        play(context.scene, collection, clips, rate, options, not actions)
        if options.rate == "CLIP" and len({clip.rate for clip in clips}) > 1:
            said.append(("INFO", f"clips have several rates; the scene has {rate:g}, that of {clips[0].name!r}"))
    if options.exact and kept is not None:
        collection[UNEDITED] = digest(written(context, collection))
    return collection, said + losses(lost)


def read(context, collection, glb, bones):
    """Lets Blender read a GLB into a collection, in which further scenes of it are collections of their own."""
    scene, layer = context.scene, context.view_layer
    had, active, before = scene.get(KEPT), layer.active_layer_collection, set(bpy.data.objects)
    layer.active_layer_collection = layer_of(layer.layer_collection, collection)
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


def layer_of(layer, collection):
    """The part of a view layer that shows a collection."""
    if layer.collection == collection:
        return layer
    return next(filter(None, (layer_of(child, collection) for child in layer.children)), None)


def play(scene, collection, clips, rate, options, first):
    """Rate and range of the scene and of actions, and which of them loop: glTF has no words for these."""
    if options.rate == "CLIP":
        scene.render.fps = max(1, round(rate))
        scene.render.fps_base = scene.render.fps / rate
    if first:
        scene.frame_start, scene.frame_end = 0, max(clips[0].frames - 1, 0)
        scene.frame_set(0)
    by_name = {clip.name: clip for clip in clips}
    for thing in collection.all_objects:
        for track in thing.animation_data.nla_tracks if thing.animation_data else ():
            clip = by_name.get(track.name)
            if clip is None:
                continue
            for strip in track.strips:
                action = strip.action
                # Blender begins them at 1.
                strip.frame_start_ui = strip.action_frame_start
                action.use_frame_range = True
                action.frame_start, action.frame_end = 0, max(clip.frames - 1, 0)
                action.use_cyclic = clip.looping
                action[RATE] = clip.rate


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
        description="Frames per second of the scene; every frame of a clip is a frame of the scene",
        items=(
            ("CLIP", "Clip's", "The scene gets the rate of the first clip"),
            ("SCENE", "Scene's", "The scene keeps its rate; clips play at that, and go back with their own"),
        ),
        default="CLIP",
    )
    exact: BoolProperty(
        name="Exact",
        description="Remember what Blender writes of the model unedited, so that what it changes by itself is no edit. "
        "Takes as long as an export",
        default=True,
    )
    scale: FloatProperty(
        name="Scale",
        description="Multiply all lengths; the export divides them again. 0.0254 converts Quake's units to metres",
        default=1.0,
        min=1e-6,
        soft_min=0.001,
        soft_max=1000.0,
    )

    def opened(self, path):
        return meshwright.open(path, textures=self.textures, lenient=self.lenient)


class IMPORT_SCENE_OT_meshwright(bpy.types.Operator, ImportHelper, Tells, Options):
    """Import models of old games, alone or out of packs"""

    bl_idname = "import_scene.meshwright"
    bl_label = "Import Game Model"
    bl_options = {"UNDO", "PRESET"}

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
        try:
            if self.figure:
                self.tell(load(context, meshwright.figure([self.opened(path) for path in paths]), self)[1])
                return {"FINISHED"}
            for path in paths:
                if path.rsplit(".", 1)[-1].lower() in meshwright.packs() and os.path.isfile(path):
                    if self.chosen_of(path) == {"CANCELLED"}:
                        return {"CANCELLED"}
                else:
                    self.tell(load(context, self.opened(path), self)[1])
        except (meshwright.Error, ValueError) as error:
            return self.refuse(error)
        return {"FINISHED"}

    def chosen_of(self, pack):
        """Asks which model of a pack is meant; of a single one that is clear."""
        found = meshwright.models(pack)
        if not found:
            return self.refuse(f"{pack} holds no models")
        operator = bpy.ops.import_scene.meshwright_member
        chosen = {name: getattr(self, name) for name in Options.__annotations__}
        if len(found) == 1:
            return operator("EXEC_DEFAULT", pack=pack, found=found[0][0], **chosen)
        if bpy.app.background:
            members = "\n".join(path for path, _ in found)
            return self.refuse(f"{pack} holds {len(found)} models; each is a path:\n{members}")
        return operator("INVOKE_DEFAULT", pack=pack, **chosen)


class IMPORT_SCENE_OT_meshwright_member(bpy.types.Operator, Tells, Options):
    """Import a model out of a pack"""

    bl_idname = "import_scene.meshwright_member"
    bl_label = "Import from Pack"
    bl_options = {"UNDO"}
    bl_property = "found"

    listed = {}
    """Members of packs: Blender wants the texts of a list to live on."""

    def members(self, _context):
        cls = IMPORT_SCENE_OT_meshwright_member
        if self.pack and self.pack not in cls.listed:
            found = meshwright.models(self.pack)
            cls.listed[self.pack] = [(path, os.path.relpath(path, self.pack), kind) for path, kind in found]
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
            self.tell(load(context, self.opened(self.found), self)[1])
        except meshwright.Error as error:
            return self.refuse(error)
        return {"FINISHED"}
