"""Old game models in Python: opened, checked, posed, converted.

    import meshwright

    model = meshwright.open("data.pk3/models/player/marine.zym", textures=True)
    for finding in model.check():
        print(finding)
    scene = model.scene()
    player = scene.player()
    player.frame(0, 12)
    positions, normals = player.vertices(0)
    meshwright.convert(model, "marine.glb", keep=True)
    # ... an editor changes it ...
    paths, losses, report = meshwright.restore("marine.glb", "marine.zym")
"""

import inspect
import os

from ._native import (
    Clip,
    Error,
    Finding,
    Joint,
    Loss,
    Material,
    Mesh,
    Model,
    Player,
    Scene,
    __version__,
    dialects,
    figure,
    formats,
    models,
    open,
    packs,
    target_of,
    targets,
)
from ._native import write as _write

__all__ = [
    "Clip",
    "Error",
    "Finding",
    "Joint",
    "Loss",
    "Material",
    "Mesh",
    "Model",
    "Player",
    "Scene",
    "__version__",
    "convert",
    "dialects",
    "figure",
    "formats",
    "models",
    "open",
    "packs",
    "restore",
    "target_of",
    "targets",
    "to_glb",
]


_OPENING = frozenset(inspect.signature(open).parameters)


def to_glb(source, **options):
    """The bytes of a GLB of a model, or of what `open` would take. Options are those of `open` and of `Model.convert`."""
    model, options = _opened(source, options)
    files, _ = model.convert("glb", **options)
    return files[0][1]


def convert(source, output, *, to=None, force=False, **options):
    """Writes a model, or what `open` would take, as a file of another format, with what belongs to it beside it.

    Options are those of `open` and of `Model.convert`. All files appear, or none. What was read is never replaced, and no
    file that is there and whose name stands in the model, such as a texture, unless `force` asks for that. Returns the paths that were written, the
    main one first, and the losses.
    """
    output = os.fspath(output)
    name = _text(os.path.basename(output))
    stem = os.path.splitext(name)[0]
    model, options = _opened(source, options)
    target = to or target_of(name)
    files, losses = model.convert(target, stem=stem, **options)
    return _written(files, target, output, [model], force), losses


def restore(source, output, *, to=None, onto=None, force=False, **options):
    """Writes an edited model as a game's file: whatever was not edited is as it was in the game's own file, `onto` or the one
    that was kept in it by `convert(..., keep=True)`.

    Options are those of `open` and of `Model.restore`, and `force` as of `convert`. All files appear, or none. Returns the paths that were written, the
    main one first, the losses, and what was edited: None where no original was known.
    """
    output = os.fspath(output)
    name = _text(os.path.basename(output))
    model, options = _opened(source, options)
    if onto is not None and not isinstance(onto, Model):
        onto = open(onto)
    files, losses, report = model.restore(name, to=to, onto=onto, **options)
    models = [model] if onto is None else [model, onto]
    return _written(files, to or target_of(name), output, models, force), losses, report


def _opened(source, options):
    """A model, and the options that are not those of opening it. A dialect is both that of what is read and of what is made."""
    if isinstance(source, Model):
        return source, options
    how = {name: value for name, value in options.items() if name in _OPENING}
    rest = {name: value for name, value in options.items() if name not in _OPENING or name == "dialect"}
    return open(source, **how), rest


def _text(name):
    """The name of a file as text: what is none in it is replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


def _written(files, target, output, models, force):
    """Writes files, the first as `output` and the others beside it, all or none: their paths."""
    os.makedirs(os.path.dirname(output) or ".", exist_ok=True)
    return _write(files, target, output, models, force)
