"""What import and export share."""

import contextlib
import hashlib
import json
import os
import struct
import tempfile

import bpy
import meshwright
from mathutils import Matrix

KEPT = "meshwright"
"""The text that goes along, in glTF's extras and on collections."""

FORMAT = "meshwright_format"
"""The format that a collection came from."""

KEYED_AT = "meshwright_keyed_at"
"""How many frames of Blender are a second of the glTF, of a collection that came with clips."""

RATE = "meshwright_rate"
"""The frames per second of an action that came as a clip."""

SCALE = "meshwright_scale"
"""The factor of all lengths of the import."""

UNEDITED = "meshwright_unedited"
"""What Blender writes of a collection that was not edited, as a hash."""

MOST_TOLD = 12
"""Reports of a kind that are made one by one."""


def formats():
    """The formats that hold models, as the library lists them, but for glTF, which Blender reads itself."""
    targets = meshwright.targets()
    return [entry for entry in meshwright.formats() if entry[0] in targets and entry[0] != "gltf"]


RECORDS = ["oft", "apr"]
"""Formats that hold no model, but lead to one: outfits of The Sims Online, and parts of such."""


def extensions(more=()):
    """Extensions of files that can be opened, those of packs included, each once."""
    own = [extension for _, _, names in formats() for extension in names]
    return list(dict.fromkeys([*own, *more, *meshwright.packs()]))


def glob(more=()):
    return ";".join("*." + extension for extension in extensions(more))


@contextlib.contextmanager
def one_second(scene, frames):
    """A second of glTF is so many whole frames of the scene meanwhile. Blender's own glTF code multiplies by `fps_base` where it
    should divide, so that is 1."""
    render = scene.render
    had = render.fps, render.fps_base
    render.fps, render.fps_base = frames, 1.0
    try:
        yield
    finally:
        render.fps, render.fps_base = had


@contextlib.contextmanager
def new_clips(scene, keyed_at):
    """Actions that came from no game say in their glTF how they are played: at the rate of the scene."""
    render = scene.render
    said = {"rate": render.fps / render.fps_base, "frames_at": keyed_at}
    new = [action for action in bpy.data.actions if RATE not in action and not said.keys() & action.keys()]
    for action in new:
        for name, value in (*said.items(), ("loop", action.use_cyclic)):
            action[name] = value
    try:
        yield
    finally:
        for action in new:
            for name in (*said, "loop"):
                del action[name]


def known(operator, **options):
    """The options that an operator of this version of Blender has."""
    properties = operator.get_rna_type().properties
    return {name: value for name, value in options.items() if name in properties}


def document(glb):
    """The JSON of a GLB, and what follows."""
    (length,) = struct.unpack_from("<I", glb, 12)
    return json.loads(glb[20 : 20 + length]), glb[20 + length :]


def digest(glb):
    """What a GLB holds of models, whoever wrote it and whatever is said of the scene, as a hash."""
    gltf, binary = document(glb)
    del gltf["asset"]
    for scene in gltf["scenes"]:
        scene.pop("extras", None)
    return hashlib.sha256(json.dumps(gltf).encode() + binary).hexdigest()


def packed(gltf, binary):
    """A GLB of its JSON and of what follows that."""
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(binary), len(text), 0x4E4F534A)
    return head + text + binary


def layers_to(layer, collection):
    """The parts of a view layer from one to that of a collection; empty where it does not show it."""
    if layer.collection == collection:
        return [layer]
    below = next(filter(None, (layers_to(child, collection) for child in layer.children)), [])
    return [layer, *below] if below else []


def layers_below(layer):
    yield layer
    for child in layer.children:
        yield from layers_below(child)


@contextlib.contextmanager
def kept(things, **values):
    """Sets attributes of things meanwhile."""
    had = [(thing, {name: getattr(thing, name) for name in values}) for thing in things]
    try:
        for thing, _ in had:
            for name, value in values.items():
                setattr(thing, name, value)
        yield
    finally:
        # Excluding a collection excludes those in it: outer ones first.
        for thing, before in had:
            for name, value in before.items():
                if getattr(thing, name) != value:
                    setattr(thing, name, value)


@contextlib.contextmanager
def at_rest(layer, armatures):
    """Clips alone move armatures meanwhile: what the user posed without keys is in no clip."""
    motions, poses = [], []
    for armature in armatures:
        motion = armature.animation_data
        if motion:
            is_tweaked = motion.use_tweak_mode
            motion.use_tweak_mode = False
            motions.append((motion, is_tweaked, motion.action, getattr(motion, "action_slot", None)))
            motion.action = None
        for bone in armature.pose.bones:
            poses.append((bone, bone.matrix_basis.copy()))
            bone.matrix_basis = Matrix()
    try:
        yield
    finally:
        for motion, is_tweaked, action, slot in motions:
            if action:
                motion.action = action
                if slot:
                    motion.action_slot = slot
            if is_tweaked:
                motion.use_tweak_mode = True
        # The action moves bones now and not later.
        layer.update()
        for bone, basis in poses:
            bone.matrix_basis = basis


@contextlib.contextmanager
def evaluated(context, collection):
    """Blender evaluates all of a collection meanwhile: it is shown, in pose position, without a pose of the user's. Then all is
    as the user had it."""
    layer = context.view_layer
    path = layers_to(layer.layer_collection, collection)
    if not path:
        raise ValueError(f"the collection {collection.name!r} is not in the scene {context.scene.name!r}")
    layers = [*path[:-1], *layers_below(path[-1])]
    collections = [part.collection for part in layers[1:]]
    with contextlib.ExitStack() as stack:
        # The collection of the scene can neither be excluded nor hidden.
        stack.enter_context(kept(layers[1:], exclude=False))
        stack.enter_context(kept(layers[1:], hide_viewport=False))
        stack.enter_context(kept(collections, hide_viewport=False))
        things = list(collection.all_objects)
        stack.enter_context(kept([thing for thing in things if thing.hide_viewport], hide_viewport=False))
        hidden = [thing for thing in things if thing.hide_get()]
        for thing in hidden:
            thing.hide_set(False)
        armatures = [thing for thing in things if thing.type == "ARMATURE"]
        stack.enter_context(kept({thing.data for thing in armatures}, pose_position="POSE"))
        stack.enter_context(at_rest(layer, armatures))
        layer.update()
        try:
            yield
        finally:
            for thing in hidden:
                thing.hide_set(True)


def has_modifiers(collection):
    """Whether Blender shows other meshes than are stored."""
    meshes = (thing for thing in collection.all_objects if thing.type == "MESH")
    return any(m.type != "ARMATURE" and m.show_viewport for mesh in meshes for m in mesh.modifiers)


def written(context, collection, *, modifiers=True, selected=False, native=True):
    """What Blender makes of a collection: a GLB, with the text that goes along if `native`."""
    scene, render = context.scene, context.scene.render
    had, text = scene.get(KEPT), collection.get(KEPT)
    keyed_at = collection.get(KEYED_AT) or max(1, round(render.fps / render.fps_base))
    if KEPT in scene:
        del scene[KEPT]
    if native and text is not None:
        scene[KEPT] = text
    operator = bpy.ops.export_scene.gltf
    frame = scene.frame_current, scene.frame_subframe
    try:
        with (
            new_clips(scene, keyed_at),
            one_second(scene, keyed_at),
            evaluated(context, collection),
            tempfile.TemporaryDirectory() as folder,
        ):
            file = os.path.join(folder, "model.glb")
            options = known(
                operator,
                export_format="GLB",
                export_extras=True,
                export_all_influences=True,
                export_animation_mode="ACTIONS",
                # All actions that fit, also those that are on no track, unless they may be another model's.
                export_anim_single_armature=len(bpy.data.armatures) < 2,
                export_optimize_animation_size=False,
                export_frame_range=False,
                export_apply=modifiers and has_modifiers(collection),
                use_selection=selected,
                collection="" if collection == scene.collection else collection.name,
            )
            operator(filepath=file, **options)
            with open(file, "rb") as glb:
                return glb.read()
    finally:
        if KEPT in scene:
            del scene[KEPT]
        if had is not None:
            scene[KEPT] = had
        if frame != (scene.frame_current, scene.frame_subframe):
            scene.frame_set(frame[0], subframe=frame[1])


class Tells:
    """What every operator says, and how."""

    def tell(self, said):
        """Reports lines with their levels, the first ones of each level."""
        told = {}
        for level, text in said:
            told[level] = told.get(level, 0) + 1
            if told[level] <= MOST_TOLD:
                self.report({level}, text)
        for level, count in told.items():
            if count > MOST_TOLD:
                self.report({level}, f"and {count - MOST_TOLD} more")

    def refuse(self, error):
        """Reports why nothing was done: code, field, what is wrong, and the byte."""
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}


def sentence(finding):
    """A finding as a line."""
    at = "" if finding.offset is None else f" (offset {finding.offset:#x})"
    return f"{finding.path}: {finding.message}{at} [{finding.code}]" if finding.path else f"{finding.message}{at} [{finding.code}]"


def losses(found):
    """What a result does not hold, as lines."""
    return [("WARNING", f"{loss.path}: {loss.message} [{loss.code}]") for loss in found if not loss.is_note]
