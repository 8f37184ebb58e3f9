"""Models out of Blender."""

import os

import bpy
import meshwright
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from .shared import FORMAT, UNEDITED, Tells, digest, extensions, formats, glob, has_modifiers, losses, written

AUTO = ("AUTO", "By the file's name", "")
DIALECTS = {name: meshwright.dialects(name) for name, _, _ in formats()}
TARGETS = [AUTO] + [(name, title, "." + names[0]) for name, title, names in formats()]


def model_of(context, name=""):
    """The collection that is meant: the one that is named, else the imported one that the active object is in, else the active
    one that holds something, else the only imported one."""
    if name:
        found = bpy.data.collections.get(name)
        if found is None:
            raise ValueError(f"there is no collection {name!r}")
        return found
    imported = [collection for collection in bpy.data.collections if FORMAT in collection]
    thing = context.view_layer.objects.active
    for collection in imported if thing else ():
        if thing.name in collection.all_objects:
            return collection
    if context.collection in imported or context.collection.all_objects and (thing or not imported):
        return context.collection
    here = [collection for collection in imported if collection in context.scene.collection.children_recursive]
    if len(here) == 1:
        return here[0]
    if not here:
        raise ValueError("nothing to export: select an object of the model, or the collection that it is in")
    names = ", ".join(repr(collection.name) for collection in here)
    raise ValueError(f"select an object of the model to export: the scene has {len(here)} models, {names}")


def save(context, collection, path, options):
    """Writes a collection as a game's model: lines to be reported."""
    said = []
    if options.selected and not any(thing.select_get() for thing in collection.all_objects):
        raise ValueError(f"no object of {collection.name!r} is selected; turn off Selected Only to write all")
    if options.modifiers and has_modifiers(collection):
        said.append(("INFO", "modifiers were applied; turn off Apply Modifiers to write meshes without them"))
        if any(thing.type == "MESH" and thing.data.shape_keys for thing in collection.all_objects):
            said.append(("WARNING", "Blender writes no shape keys of meshes whose modifiers it applies"))
    glb = written(context, collection, modifiers=options.modifiers, selected=options.selected)
    edited = meshwright.open(glb, name=f"{collection.name}.glb")
    paths, lost, report = meshwright.restore(
        edited,
        path,
        to=None if options.target == "AUTO" else options.target,
        snap=options.snap.lower(),
        unedited=collection.get(UNEDITED) == digest(glb),
        dialect=None if options.dialect == "AUTO" else options.dialect,
        scale=None if options.scale == 1.0 else options.scale,
    )
    if report is not None:
        said += [("INFO", line) for line in report["lines"]]
    elif not edited.has_kept:
        said.append(("INFO", "no embedded original: the model is written as a new file"))
    said.append(("INFO", "written: " + ", ".join(paths)))
    return said + losses(lost)


class EXPORT_SCENE_OT_meshwright(bpy.types.Operator, ExportHelper, Tells):
    """Write a collection as a game's model; what was not edited stays as it was"""

    bl_idname = "export_scene.meshwright"
    bl_label = "Export Game Model"
    bl_options = {"PRESET"}

    lists = {}
    """Blender wants the texts of a list to live on."""

    def dialects(self, _context):
        names = DIALECTS.get(self.target) or sorted({name for names in DIALECTS.values() for name in names})
        lists = EXPORT_SCENE_OT_meshwright.lists
        key = self.target if DIALECTS.get(self.target) else ""
        return lists.setdefault(key, [("AUTO", "Default", "")] + [(name, name, "") for name in names])

    filename_ext = ""
    filter_glob: StringProperty(default=glob(), options={"HIDDEN"})
    collection: StringProperty(
        name="Collection", description="By default that of the active object", options={"SKIP_SAVE"}
    )
    target: EnumProperty(name="Format", items=TARGETS, default="AUTO", options={"SKIP_SAVE"})
    dialect: EnumProperty(name="Dialect", description="That of the game's branch", items=dialects)
    snap: EnumProperty(
        name="Snap",
        description="Tolerance within which a value counts as unedited",
        items=(
            ("EXACT", "Exact", "Equal numbers alone"),
            ("DEFAULT", "Default", "What Blender changes without being asked is no edit"),
            ("LOOSE", "Loose", "What programs change that make files smaller is no edit"),
        ),
        default="DEFAULT",
    )
    modifiers: BoolProperty(
        name="Apply Modifiers",
        description="Write meshes as modifiers change them, except for those of armatures",
        default=True,
    )
    selected: BoolProperty(
        name="Selected Only", description="Leave out objects that are not selected", default=False, options={"SKIP_SAVE"}
    )
    scale: FloatProperty(
        name="Scale",
        description="Multiply all lengths, after the scale of the import is undone",
        default=1.0,
        min=1e-6,
        soft_min=0.001,
        soft_max=1000.0,
        options={"SKIP_SAVE"},
    )

    def invoke(self, context, event):
        try:
            collection = model_of(context, self.collection)
        except ValueError as error:
            return self.refuse(error)
        target = collection.get(FORMAT)
        if target in (entry[0] for entry in TARGETS):
            self.target = target
        if not self.filepath:
            self.filepath = bpy.path.clean_name(collection.name)
            self.check(context)
        return super().invoke(context, event)

    def check(self, _context):
        """Gives the name the extension of the format."""
        stem, extension = os.path.splitext(self.filepath)
        fitting = next((names for name, _, names in formats() if name == self.target), ())
        if not fitting or extension[1:].lower() in fitting:
            return False
        stem = stem if extension[1:].lower() in extensions() else self.filepath
        self.filepath = f"{stem}.{fitting[0]}"
        return True

    def execute(self, context):
        try:
            self.tell(save(context, model_of(context, self.collection), self.filepath, self))
        except (meshwright.Error, ValueError, OSError) as error:
            return self.refuse(error)
        return {"FINISHED"}
