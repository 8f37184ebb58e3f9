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
import tempfile

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


def convert(source, output, *, to=None, **options):
    """Writes a model, or what `open` would take, as a file of another format, with what belongs to it beside it.

    Options are those of `open` and of `Model.convert`. All files appear, or none. Returns the paths that were written, the
    main one first, and the losses.
    """
    output = os.fspath(output)
    name = _text(os.path.basename(output))
    stem = os.path.splitext(name)[0]
    model, options = _opened(source, options)
    files, losses = model.convert(to or target_of(name), stem=stem, **options)
    return _written(files, output), losses


def restore(source, output, *, to=None, onto=None, **options):
    """Writes an edited model as a game's file: whatever was not edited is as it was in the game's own file, `onto` or the one
    that was kept in it by `convert(..., keep=True)`.

    Options are those of `open` and of `Model.restore`. All files appear, or none. Returns the paths that were written, the
    main one first, the losses, and what was edited: None where no original was known.
    """
    output = os.fspath(output)
    name = _text(os.path.basename(output))
    model, options = _opened(source, options)
    if onto is not None and not isinstance(onto, Model):
        onto = open(onto)
    files, losses, report = model.restore(name, to=to, onto=onto, **options)
    return _written(files, output), losses, report


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


def _written(files, output):
    """Writes files, the first as `output` and the others beside it, all or none: their paths."""
    folder = os.path.dirname(output)
    paths = [output] + [os.path.join(folder, *name.split("/")) for name, _ in files[1:]]
    staged = []
    try:
        for path, (_, content) in zip(paths, files):
            parent = os.path.dirname(path) or "."
            os.makedirs(parent, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".meshwright-", dir=parent)
            staged.append(temporary)
            with os.fdopen(handle, "wb") as out:
                out.write(content)
        # The main file names the others, so it comes last.
        for temporary, path in reversed(list(zip(staged, paths))):
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
    finally:
        for temporary in staged:
            if os.path.exists(temporary):
                os.unlink(temporary)
    return paths


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
