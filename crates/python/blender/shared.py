"""What import and export share."""

import contextlib

import meshwright

KEPT = "meshwright"
"""The text that goes along, in glTF's extras and on collections."""

FORMAT = "meshwright_format"
"""The format that a collection came from."""

KEYED_AT = "meshwright_keyed_at"
"""How many frames of Blender are a second of the glTF, of a collection that came with clips."""

MOST_TOLD = 12
"""Reports of a kind that are made one by one."""


def formats():
    """The formats that hold models, as the library lists them, but for glTF, which Blender reads itself."""
    targets = meshwright.targets()
    return [entry for entry in meshwright.formats() if entry[0] in targets and entry[0] != "gltf"]


def extensions():
    """Extensions of files that can be opened, those of packs included, each once."""
    own = [extension for _, _, names in formats() for extension in names]
    return list(dict.fromkeys(own + meshwright.packs()))


def glob():
    return ";".join("*." + extension for extension in extensions())


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


def known(operator, **options):
    """The options that an operator of this version of Blender has."""
    properties = operator.get_rna_type().properties
    return {name: value for name, value in options.items() if name in properties}


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
