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
import json
import os

from ._native import (
    Clip,
    Error,
    Finding,
    Found,
    Joint,
    Loss,
    Material,
    Mesh,
    Model,
    NotFoundError,
    Player,
    Repair,
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
from ._native import diff as _diff
from ._native import dump as _dump
from ._native import optimize as _optimize
from ._native import render as _render
from ._native import repair as _repair
from ._native import write as _write
from ._native import write_one as _write_one

__all__ = [
    "Clip",
    "Error",
    "Finding",
    "Found",
    "Joint",
    "Loss",
    "Material",
    "Mesh",
    "Model",
    "NotFoundError",
    "Player",
    "Repair",
    "Scene",
    "__version__",
    "convert",
    "dialects",
    "diff",
    "dump",
    "figure",
    "formats",
    "models",
    "open",
    "optimize",
    "packs",
    "render",
    "repair",
    "restore",
    "target_of",
    "targets",
    "thumbnail",
    "to_glb",
    "to_html",
]


_OPENING = frozenset(inspect.signature(open).parameters)


def to_glb(source, **options):
    """The bytes of a GLB of a model, or of what `open` would take. Options are those of `open` and of `Model.convert`."""
    model, options = _opened(source, options)
    files, _ = model.convert("glb", **options)
    return files[0][1]


def to_html(source, **options):
    """A page that plays a model, as text. Options are those of `open` and of `Model.convert`."""
    model, options = _opened(source, options)
    files, _ = model.convert("html", **options)
    return files[0][1].decode()


def diff(first, second, *, tolerance=None, **options):
    """The differences of two models, as a dict: `same`, `differences`, `rest` and `clips` with the greatest distances of vertices.

    `tolerance` is the length up to which vertices and bones are the same: by default a ten-thousandth of the larger model.
    Options are those of `open`.
    """
    return _diff(_opened(first, options)[0], _opened(second, options)[0], tolerance=tolerance)


def dump(source, *, poses=(), **options):
    """All of a model as a dict, in the axes and units of its file. `poses` are pairs of a clip and a frame. Options are those of
    `open`."""
    return json.loads(_dump(_opened(source, options)[0], list(poses)))


def repair(source, output=None, *, force=False, **options):
    """The file of a model with all repairs that are safe: its bytes, the repairs, and the findings that remain.

    With `output` the file is written too, unless nothing was repaired. What was read is never replaced. Options are those of
    `open`.
    """
    model = _opened(source, {"lenient": True, **options})[0]
    data, repairs, left = _repair(model)
    if output is not None and repairs:
        output = os.fspath(output)
        _written([(_text(os.path.basename(output)), data)], model.format, output, [model], force)
    return data, repairs, left


def optimize(source, output=None, *, force=False, **options):
    """The files of a BMD, DPM or ZYM with fewer bytes, and a report: sizes, counts and errors, as `meshwright optimize --format json`.

    With `output` the files are written too. What was read is never replaced. Options are those of `open`, and those of the
    program's command with underscores: `max_position`, `unused_bones`, `skip`, `also` and others.
    """
    model, options = _opened(source, options)
    options.pop("dialect", None)
    name = _text(os.path.basename(os.fspath(output))) if output is not None else f"{model.name}.{model.format}"
    files, report = _optimize(model, name, **options)
    if output is not None:
        _written(files, model.format, os.fspath(output), [model], force)
    return files, report


def render(source, output=None, *, force=False, **options):
    """A rendering of a model as the bytes of a PNG, written to `output` too if that is given.

    Options are those of `open`, and `clip`, `frame`, `width`, `height`, `camera` ("front", "side", "three-quarter", "120,20"),
    `view` ("lit", "unlit", "normals", "uvs") and `background` (red, green, blue, alpha, from 0 to 255).
    """
    model, options = _opened(source, options if isinstance(source, Model) else {"textures": True, **options})
    options.pop("dialect", None)
    png = _render(model, **options)
    if output is not None:
        output = os.fspath(output)
        if os.path.exists(output) and not force:
            raise FileExistsError(f"{output} exists; force=True replaces it")
        _write_one(png, output, [model])
    return png


def thumbnail(source, size=256, **options):
    """A small rendering of a model, as of `render`."""
    return render(source, width=size, height=size, **options)


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


def _reopened(source, options):
    """Opens a model again, in another process or from a copy."""
    return open(source, **options)


def _text(name):
    """The name of a file as text: what is none in it is replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


def _written(files, target, output, models, force):
    """Writes files, the first as `output` and the others beside it, all or none: their paths."""
    os.makedirs(os.path.dirname(output) or ".", exist_ok=True)
    return _write(files, target, output, models, force)
