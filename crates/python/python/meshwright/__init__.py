"""Old game models in Python: opened, checked, posed, converted.

    import meshwright

    model = meshwright.open("data.pk3/models/player/marine.zym", textures=True)
    for finding in model.check():
        print(finding)
    scene = model.scene()
    player = scene.player()
    player.frame(0, 12)
    positions, normals = player.vertices(0)
    meshwright.convert(model, "marine.glb")
"""

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
    formats,
    models,
    open_bytes,
    open_path,
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
    "formats",
    "models",
    "open",
    "targets",
    "to_glb",
]


def open(
    source,
    *,
    name=None,
    beside=None,
    lenient=False,
    companions=True,
    textures=False,
    max_memory=256 << 20,
    format=None,
):
    """Opens a model: a path, which may lead into a pack (data.pk3/models/x.zym), or bytes with a name.

    Of bytes, `beside` holds the files that belong to them, by name. What breaks a rule of its format raises `Error`;
    `lenient` passes over what leaves the rest readable.
    """
    how = {
        "lenient": lenient,
        "companions": companions,
        "textures": textures,
        "max_memory": max_memory,
        "format": format,
    }
    if isinstance(source, (bytes, bytearray, memoryview)):
        files = {key: bytes(value) for key, value in (beside or {}).items()}
        return open_bytes(name or "model", bytes(source), files, **how)
    if name is not None or beside is not None:
        raise TypeError("name and beside are for bytes: a path has both")
    return open_path(os.fspath(source), **how)


def to_glb(source, **how):
    """The bytes of a GLB of a model, or of what `open` would take."""
    files, _ = _model(source, how).convert("glb")
    return files[0][1]


def convert(source, output, *, to=None, **how):
    """Writes a model, or what `open` would take, as a file of another format, with what belongs to it beside it.

    All files appear, or none. Returns the paths that were written, the main one first, and the losses.
    """
    output = os.fspath(output)
    folder, file = os.path.split(output)
    stem, extension = os.path.splitext(file)
    files, losses = _model(source, how).convert(to or extension.lstrip("."), stem=stem)
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
    return paths, losses


def _model(source, how):
    if not isinstance(source, Model):
        return open(source, **how)
    if how:
        raise TypeError("options of open are for what is not open yet")
    return source


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
