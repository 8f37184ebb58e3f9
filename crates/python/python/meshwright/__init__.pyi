import os
from mmap import mmap
from typing import Any, BinaryIO, Literal, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

__version__: str

Path = Union[str, "os.PathLike[str]"]
Bytes = Union[bytes, bytearray, memoryview, mmap]
Source = Union[Path, Bytes, BinaryIO, "Found"]
Snap = Literal["exact", "default", "loose"]
Report = dict[str, Any]
"""What was edited: `untouched`; `meshes`, `joints`, `clips`, `materials` with name and state of each; `lines` for people."""

class Error(Exception):
    """Why something could not be done."""

    code: str
    """A stable code: that of the broken rule, or cannot-read, unknown-format, invalid-model, not-convertible, limit."""
    path: str
    """The field at fault; empty where it is no field's."""
    offset: Optional[int]
    """The first byte of the field, where the fault is one of a file."""
    message: str

class NotFoundError(Error, FileNotFoundError):
    """A file that does not exist."""

class Finding:
    """Something odd about a model. Its text is a line: severity, code, field, what is wrong, and the byte."""

    severity: str
    code: str
    kind: str
    path: str
    offset: Optional[int]
    message: str

class Found:
    """A model in a folder or in a pack, which `open` takes."""

    path: str
    """A path that can be opened."""
    format: str
    place: str
    """Where the model is in its game, as other files name it."""

class Repair:
    """A kind of fault that was repaired."""

    code: str
    message: str
    paths: list[str]
    count: int

class Loss:
    """Something that a result does not hold or, as a note, that was decided."""

    code: str
    path: str
    message: str
    count: int
    amount: Optional[float]
    unit: str
    is_note: bool

class Model:
    """A model with its companion files and textures. A copy in another process reads the files of the model again."""

    @property
    def format(self) -> str:
        """The short name of the format, such as "dpm"."""
    @property
    def name(self) -> str:
        """The name of the file without its extension."""
    def to_bytes(self) -> bytes:
        """The bytes that were read."""
    def check(self) -> list[Finding]:
        """All findings about the model and its companion files."""
    def info(self) -> dict[str, Any]:
        """The number of meshes, vertices, triangles, bones, clips and frames; `notes`; and `parts`, the files that took part."""
    def scene(self, *, space: Literal["scene", "file"] = "scene") -> Scene:
        """The drawn content of the model. In the space "file" axes, unit and winding are those of the file."""
    @property
    def has_kept(self) -> bool:
        """True for a glTF document that embeds a game's file, as `convert` writes it with `keep`."""
    def convert(
        self,
        target: str,
        *,
        stem: str = "",
        keep: bool = False,
        influences: Literal["four", "all"] = "four",
        frames_at: Optional[int] = None,
        scale: Optional[float] = None,
        dialect: Optional[str] = None,
        prune: bool = False,
        extras: bool = False,
        pose: Optional[str] = None,
    ) -> tuple[list[tuple[str, bytes]], list[Loss]]:
        """Converts the model: the files by name, the main one first, and the losses.

        `keep` embeds the game's files in a glTF document, so that `restore` keeps unedited data. `influences` are those of a
        vertex, `frames_at` is the number of keys per second of all clips. `scale` multiplies all lengths, `dialect` is that of
        the written files, `prune` drops vertices that no triangle uses, `extras` keeps fields that only games use, and `pose`
        is that of an OBJ file, such as "walk:3".
        """
    def restore(
        self,
        name: str,
        *,
        to: Optional[str] = None,
        onto: Optional[Model] = None,
        snap: Snap = "default",
        unedited: bool = False,
        frames_at: Optional[int] = None,
        scale: Optional[float] = None,
        dialect: Optional[str] = None,
    ) -> tuple[list[tuple[str, bytes]], list[Loss], Optional[Report]]:
        """Converts an edited model back: the files, the main one called `name`; the losses; and the edits.

        The original is `onto`, or the embedded one. Unedited data keeps every bit. `snap` is the tolerance within which a
        value counts as unedited. `unedited` says that nothing was edited. Without an original there is no report.
        """

class Scene:
    """Right-handed, +Y up, +Z front, counter-clockwise, texture coordinates from the top left, seconds; metres where the
    format has a unit."""

    @property
    def meshes(self) -> list[Mesh]:
        """The meshes."""
    @property
    def materials(self) -> list[Material]:
        """The materials."""
    @property
    def skeletons(self) -> list[list[Joint]]:
        """The joints of each skeleton, parents first."""
    @property
    def clips(self) -> list[Clip]:
        """The clips."""
    @property
    def losses(self) -> list[Loss]:
        """The data of the model that the scene does not hold, and notes."""
    def drawn(self) -> list[tuple[int, npt.NDArray[np.float64]]]:
        """The instances of meshes: the index of the mesh, and a matrix of rows from its space to the scene's.

        A mesh without an instance is not drawn, such as a collision mesh. A mesh with a skeleton follows only that.
        """
    def player(self) -> Player:
        """The scene in a pose, first in its rest pose."""

class Mesh:
    """Arrays are views of the library's memory: they are not copied and cannot be written to."""

    @property
    def name(self) -> str:
        """The name."""
    @property
    def material(self) -> Optional[int]:
        """The index of its material in the scene."""
    @property
    def skeleton(self) -> Optional[int]:
        """The index of the skeleton that moves it."""
    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """A row of x, y, z for each vertex, in the bind pose."""
    @property
    def normals(self) -> npt.NDArray[np.float32]:
        """A row for each vertex, normalised; no rows if the mesh has no normals."""
    @property
    def uvs(self) -> npt.NDArray[np.float32]:
        """A row of u, v for each vertex, from the top left; no rows if the mesh has none."""
    @property
    def triangles(self) -> npt.NDArray[np.uint32]:
        """A row of three vertices for each triangle, counter-clockwise seen from the front."""
    @property
    def influence_starts(self) -> npt.NDArray[np.uint32]:
        """The influences of vertex v are those from `influence_starts[v]` up to `influence_starts[v + 1]`."""
    @property
    def influence_joints(self) -> npt.NDArray[np.uint32]:
        """The joint of each influence."""
    @property
    def influence_weights(self) -> npt.NDArray[np.float32]:
        """The weight of each influence."""

class Material:
    """A material."""

    @property
    def name(self) -> str:
        """The name."""
    @property
    def base_color(self) -> list[float]:
        """Red, green, blue, alpha; linear."""
    @property
    def double_sided(self) -> bool:
        """True if both sides are drawn."""
    @property
    def image(self) -> Optional[tuple[str, bytes]]:
        """The media type and the bytes of the file of its texture."""

class Joint:
    """A joint of a skeleton."""

    name: str
    parent: Optional[int]
    """The index of the parent joint."""

class Clip:
    """A clip of a skeleton."""

    name: str
    skeleton: int
    """The index of the skeleton that it moves."""
    frames: int
    rate: float
    """Frames per second."""
    looping: bool
    seconds: float

class Player:
    """A scene in a pose. Only one thread at a time may use it."""

    def rest(self) -> None:
        """Moves to the rest pose."""
    def frame(self, clip: int, frame: float) -> None:
        """Moves to a frame of a clip, which may be fractional. A looping clip repeats, another one is held at its ends."""
    def seconds(self, clip: int, seconds: float) -> None:
        """Moves to a time of a clip."""
    def vertices(
        self,
        mesh: int,
        positions: Optional[npt.NDArray[np.float32]] = None,
        normals: Optional[npt.NDArray[np.float32]] = None,
    ) -> tuple[npt.NDArray[np.float32], Optional[npt.NDArray[np.float32]]]:
        """The positions and normals of a mesh in the pose, in the mesh's space: in the given arrays, or in new ones."""
    def joints(self, skeleton: int) -> npt.NDArray[np.float64]:
        """A matrix of rows for each joint, from the joint's space to the model's."""

def open(
    source: Source,
    *,
    name: Optional[str] = None,
    beside: Optional[Mapping[str, Bytes]] = None,
    lenient: bool = False,
    companions: bool = True,
    textures: Optional[bool] = None,
    skin: Optional[int] = None,
    max_memory: Optional[int] = None,
    fps: Optional[float] = None,
    recompute_normals: bool = False,
    format: Optional[str] = None,
    dialect: Optional[str] = None,
    skeleton: Optional[Path] = None,
    root: Union[Path, Sequence[Path], None] = None,
) -> Model:
    """Opens a model: a path, which may lead into a pack, or bytes or an open file with a name and companion files `beside` it.

    `lenient` accepts faults that leave the rest readable. `max_memory` limits the memory of reading and of each conversion, in
    bytes. Textures are searched with the model if `textures` is true, never if it is false, and by default when a target
    holds them. `skin` selects one of several skins. `fps` is the rate of clips in formats with arbitrary key times. `format` and
    `dialect` replace the detection. `skeleton` is the file of the skeleton, `root` one or several folders or packs of the game
    in which companion files are searched.
    """

def figure(models: Sequence[Model]) -> Model:
    """One character of several models: meshes, and the skeleton and the clips that belong to them, in any order."""

def to_glb(source: Union[Model, Source], **options: Any) -> bytes:
    """The bytes of a GLB. Options are those of `open` and of `Model.convert`."""

def convert(
    source: Union[Model, Source], output: Path, *, to: Optional[str] = None, force: bool = False, **options: Any
) -> tuple[list[str], list[Loss]]:
    """Writes a model as a file of another format: the paths, that of the main file first, and the losses.

    Options are those of `open` and of `Model.convert`. All files are written, or none. The files that were read are never
    replaced; files that the model names, such as textures, only with `force`.
    """

def restore(
    source: Union[Model, Source],
    output: Path,
    *,
    to: Optional[str] = None,
    onto: Union[Model, Source, None] = None,
    force: bool = False,
    **options: Any,
) -> tuple[list[str], list[Loss], Optional[Report]]:
    """Writes an edited model as a game's file: the paths, the losses, and the edits.

    The original is `onto`, or the one that `convert` embedded with `keep`. Options are those of `open` and of `Model.restore`.
    """

def models(path: Path) -> list[Found]:
    """The models in a folder or in a pack."""

def diff(
    first: Union[Model, Source], second: Union[Model, Source], *, tolerance: Optional[float] = None, **options: Any
) -> dict[str, Any]:
    """The differences of two models: `same`, `differences`, `rest` and `clips` with the greatest distances of vertices."""

def dump(
    source: Union[Model, Source], *, poses: Sequence[tuple[int, int]] = (), **options: Any
) -> dict[str, Any]:
    """All of a model, in the axes and units of its file. `poses` are pairs of a clip and a frame."""

def repair(
    source: Union[Model, Source], output: Optional[Path] = None, *, force: bool = False, **options: Any
) -> tuple[bytes, list[Repair], list[Finding]]:
    """The file of a model with all repairs that are safe, the repairs, and the findings that remain."""

def optimize(
    source: Union[Model, Source], output: Optional[Path] = None, *, force: bool = False, **options: Any
) -> tuple[list[tuple[str, bytes]], dict[str, Any]]:
    """The files of a BMD, DPM or ZYM with fewer bytes, written to `output` too if that is given, and a report.

    Options are those of `open`. For BMD: `max_position`, `max_normal`, `max_st`, `max_angle`, `max_distance` and `max_scale`
    are the errors that may be made, 0 by default; `compact`, `engine_safe` and `effort` (0 to 9). For DPM and ZYM: `unused_bones`
    ("keep", "unmarked", "remove"), `skip` ("influences", "vertices", "poses", "triangles", "order") and `also` ("meshes",
    "frames").
    """

def render(
    source: Union[Model, Source],
    output: Optional[Path] = None,
    *,
    force: bool = False,
    **options: Any,
) -> bytes:
    """A rendering of a model as a PNG. Options are those of `open`, and `clip`, `frame`, `width`, `height`, `camera` ("front",
    "side", "three-quarter", "120,20"), `view` ("lit", "unlit", "normals", "uvs") and `background`."""

def thumbnail(source: Union[Model, Source], size: int = 256, **options: Any) -> bytes:
    """A small rendering of a model as a PNG."""

def to_html(source: Union[Model, Source], **options: Any) -> str:
    """A page that plays a model."""

def targets() -> list[str]:
    """The short names of the targets of conversions."""

def target_of(file: str) -> str:
    """The target that the name of a file means."""

def formats() -> list[tuple[str, str, Sequence[str]]]:
    """The short name, the title and the extensions of each format."""

def dialects(format: str) -> list[str]:
    """The variants of a format, which its bytes do not tell apart."""

def packs() -> list[str]:
    """The extensions of packs, which are folders in every path."""
