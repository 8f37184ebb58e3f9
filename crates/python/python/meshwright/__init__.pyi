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
    @property
    def format(self) -> str: ...
    @property
    def name(self) -> str: ...
    def to_bytes(self) -> bytes: ...
    def check(self) -> list[Finding]: ...
    def info(self) -> dict[str, Any]: ...
    def scene(self, *, space: Literal["scene", "file"] = "scene") -> Scene:
        """The drawn content of the model. In the space "file" axes, unit and winding are those of the file."""
    @property
    def has_kept(self) -> bool: ...
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
    ) -> tuple[list[tuple[str, bytes]], list[Loss]]: ...
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
    ) -> tuple[list[tuple[str, bytes]], list[Loss], Optional[Report]]: ...

class Scene:
    """Right-handed, +Y up, +Z front, counter-clockwise, texture coordinates from the top left, seconds; metres where the
    format has a unit."""

    @property
    def meshes(self) -> list[Mesh]: ...
    @property
    def materials(self) -> list[Material]: ...
    @property
    def skeletons(self) -> list[list[Joint]]: ...
    @property
    def clips(self) -> list[Clip]: ...
    @property
    def losses(self) -> list[Loss]: ...
    def drawn(self) -> list[tuple[int, npt.NDArray[np.float64]]]: ...
    def player(self) -> Player: ...

class Mesh:
    """Arrays are views of the library's memory: they are not copied and cannot be written to."""

    @property
    def name(self) -> str: ...
    @property
    def material(self) -> Optional[int]: ...
    @property
    def skeleton(self) -> Optional[int]: ...
    @property
    def positions(self) -> npt.NDArray[np.float32]: ...
    @property
    def normals(self) -> npt.NDArray[np.float32]: ...
    @property
    def uvs(self) -> npt.NDArray[np.float32]: ...
    @property
    def triangles(self) -> npt.NDArray[np.uint32]: ...
    @property
    def influence_starts(self) -> npt.NDArray[np.uint32]: ...
    @property
    def influence_joints(self) -> npt.NDArray[np.uint32]: ...
    @property
    def influence_weights(self) -> npt.NDArray[np.float32]: ...

class Material:
    @property
    def name(self) -> str: ...
    @property
    def base_color(self) -> list[float]: ...
    @property
    def double_sided(self) -> bool: ...
    @property
    def image(self) -> Optional[tuple[str, bytes]]: ...

class Joint:
    name: str
    parent: Optional[int]

class Clip:
    name: str
    skeleton: int
    frames: int
    rate: float
    looping: bool
    seconds: float

class Player:
    def rest(self) -> None: ...
    def frame(self, clip: int, frame: float) -> None: ...
    def seconds(self, clip: int, seconds: float) -> None: ...
    def vertices(
        self,
        mesh: int,
        positions: Optional[npt.NDArray[np.float32]] = None,
        normals: Optional[npt.NDArray[np.float32]] = None,
    ) -> tuple[npt.NDArray[np.float32], Optional[npt.NDArray[np.float32]]]: ...
    def joints(self, skeleton: int) -> npt.NDArray[np.float64]: ...

def open(
    source: Source,
    *,
    name: Optional[str] = None,
    beside: Optional[Mapping[str, Bytes]] = None,
    lenient: bool = False,
    companions: bool = True,
    textures: bool = False,
    max_memory: Optional[int] = None,
    format: Optional[str] = None,
    dialect: Optional[str] = None,
) -> Model: ...
def figure(models: Sequence[Model]) -> Model: ...
def to_glb(source: Union[Model, Source], **options: Any) -> bytes: ...
def convert(
    source: Union[Model, Source], output: Path, *, to: Optional[str] = None, force: bool = False, **options: Any
) -> tuple[list[str], list[Loss]]: ...
def restore(
    source: Union[Model, Source],
    output: Path,
    *,
    to: Optional[str] = None,
    onto: Union[Model, Source, None] = None,
    force: bool = False,
    **options: Any,
) -> tuple[list[str], list[Loss], Optional[Report]]: ...
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

def targets() -> list[str]: ...
def target_of(file: str) -> str: ...
def formats() -> list[tuple[str, str, Sequence[str]]]: ...
def dialects(format: str) -> list[str]: ...
def packs() -> list[str]: ...
