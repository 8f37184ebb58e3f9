"""What import and export share."""

import contextlib
import hashlib
import json
import os
import struct
import tempfile

import bpy
import meshwright

KEPT = "meshwright"
"""The text that goes along, in glTF's extras and on collections."""

FORMAT = "meshwright_format"
"""The format that a collection came from."""

KEYED_AT = "meshwright_keyed_at"
"""How many frames of Blender are a second of the glTF, of a collection that came with clips."""

RATE = "meshwright_rate"
"""The frames per second of an action that came as a clip."""

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


def written(context, collection):
    """What Blender makes of a collection: a GLB with the text that goes along."""
    scene, render = context.scene, context.scene.render
    had, kept = scene.get(KEPT), collection.get(KEPT)
    keyed_at = collection.get(KEYED_AT) or max(1, round(render.fps / render.fps_base))
    if KEPT in scene:
        del scene[KEPT]
    if kept is not None:
        scene[KEPT] = kept
    operator = bpy.ops.export_scene.gltf
    try:
        with new_clips(scene, keyed_at), one_second(scene, keyed_at), tempfile.TemporaryDirectory() as folder:
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


def losses(found):
    """What a result does not hold, as lines."""
    return [("WARNING", f"{loss.path}: {loss.message} [{loss.code}]") for loss in found if not loss.is_note]
