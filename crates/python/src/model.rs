//! Models.

use crate::error::raised;
use crate::options::{named, target, writing};
use crate::report::{Finding, Loss, Reduced, to_finding, to_loss};
use crate::scene::Scene;
use meshwright::files::PackKind;
use meshwright::gltf::ExportOptions;
use meshwright::scene::{OutputFiles, SceneOptions};
use meshwright::{
    ConvertOptions, Format, FoundModel, Limits, Opener, Original, OriginalSource, RecoverOptions, Target,
    WriteOptions, models_in, recovery_document, recovery_lines,
};
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyMemoryView, PyTuple};
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::sync::Arc;

/// A model with what belongs to it: companions, pictures.
#[pyclass(frozen, module = "meshwright")]
pub(crate) struct Model {
    pub(crate) asset: meshwright::Model,
    origin: Origin,
}

/// A name and what the file holds.
type File<'py> = (String, Bound<'py, PyBytes>);

/// Files, what they do not hold, and what was edited.
type Restored<'py> = (Vec<File<'py>>, Vec<Loss>, Option<Bound<'py, PyAny>>);

/// The source of a model.
pub(crate) enum Source {
    Path(PathBuf),
    /// Bytes, and the name of the file that they were read from.
    Bytes(Vec<u8>, Option<String>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Source {
    type Error = PyErr;

    fn extract(source: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let bytes_of = |object: &Bound<'py, PyAny>| -> PyResult<Option<Vec<u8>>> {
            Ok(if let Ok(bytes) = object.cast::<PyBytes>() {
                Some(bytes.as_bytes().to_vec())
            } else if let Ok(bytes) = object.cast::<PyByteArray>() {
                Some(bytes.to_vec())
            } else if let Ok(view) = PyMemoryView::from(object) {
                Some(view.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes().to_vec())
            } else {
                None
            })
        };
        if let Some(bytes) = bytes_of(&source)? {
            return Ok(Self::Bytes(bytes, None));
        }
        if source.hasattr("read")? && !source.hasattr("__fspath__")? {
            let read = source.call_method0("read")?;
            let why = "the file is open for text; open it with \"rb\"";
            let bytes = bytes_of(&read)?.ok_or_else(|| PyTypeError::new_err(why))?;
            // An open file knows its path; others have numbers or nothing.
            let path = source.getattr("name").ok().and_then(|name| name.extract::<PathBuf>().ok());
            let name = path.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
            return Ok(Self::Bytes(bytes, name));
        }
        Ok(Self::Path(source.extract()?))
    }
}

/// The source and the options of a model, for another process.
#[derive(Clone)]
enum Origin {
    Path(PathBuf, Opening),
    Bytes(String, Arc<Vec<(String, Vec<u8>)>>, Opening),
    Figure(Arc<Vec<Py<Model>>>),
}

/// The options of `open`.
#[derive(Clone, Default)]
struct Opening {
    lenient: bool,
    companions: bool,
    /// `None` searches when a target holds textures.
    textures: Option<bool>,
    skin: Option<u32>,
    max_memory: Option<u64>,
    fps: Option<f32>,
    recompute_normals: bool,
    format: Option<String>,
    dialect: Option<String>,
    skeleton: Option<PathBuf>,
    root: Vec<PathBuf>,
}

impl Opening {
    fn opener(&self) -> PyResult<Opener> {
        let limits = Limits::default();
        let mut open = Opener::new()
            .companions(self.companions)
            .textures(self.textures == Some(true))
            .skin(self.skin)
            .fps(self.fps)
            .recompute_normals(self.recompute_normals)
            .format(self.format.as_deref().map(named).transpose()?)
            .limits(limits.with_memory(self.max_memory.unwrap_or(limits.memory)))
            .lenient(self.lenient);
        if self.fps.is_some_and(|fps| !fps.is_finite() || fps <= 0.0) {
            return Err(PyValueError::new_err("fps is a positive number"));
        }
        open = open.dialect(self.dialect.as_deref().map(crate::options::dialect).transpose()?);
        if let Some(skeleton) = &self.skeleton {
            open = open.skeleton(skeleton);
        }
        Ok(self.root.iter().fold(open, Opener::root))
    }

    fn is_without_textures(&self) -> bool {
        self.textures == Some(false)
    }

    /// The arguments that give these options again.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("lenient", self.lenient)?;
        all.set_item("companions", self.companions)?;
        all.set_item("textures", self.textures)?;
        all.set_item("skin", self.skin)?;
        all.set_item("max_memory", self.max_memory)?;
        all.set_item("fps", self.fps)?;
        all.set_item("recompute_normals", self.recompute_normals)?;
        all.set_item("format", self.format.as_deref())?;
        all.set_item("dialect", self.dialect.as_deref())?;
        all.set_item("skeleton", self.skeleton.as_ref().map(|path| path.as_os_str()))?;
        let root: Vec<_> = self.root.iter().map(|path| path.as_os_str()).collect();
        all.set_item("root", root)?;
        Ok(all)
    }
}

/// One folder, or several.
#[derive(FromPyObject)]
pub(crate) enum Roots {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

/// Opens a model: a path, which may lead into a pack (data.pk3/models/x.zym), or bytes or an open file with a name.
///
/// For bytes, `beside` holds the companion files by name. A file that breaks a rule of its format raises `Error`;
/// `lenient` accepts faults that leave the rest readable. `max_memory` bounds reading and every conversion in bytes,
/// 256 MiB by default. Textures are searched with the model if `textures` is true, never if it is false, and by default
/// when a target holds them. `format` and `dialect` override the detection. `skin` selects one of several skins, from 0.
/// `skeleton` is the file of the skeleton, and `root` one or several folders or packs of the game, in which companion
/// files are searched.
#[pyfunction]
#[pyo3(signature = (
    source, *, name = None, beside = None, lenient = false, companions = true, textures = None, skin = None,
    max_memory = None, fps = None, recompute_normals = false, format = None, dialect = None, skeleton = None,
    root = None
))]
#[expect(clippy::too_many_arguments, reason = "they have names where they are given")]
pub(crate) fn open(
    py: Python<'_>,
    source: Source,
    name: Option<&str>,
    beside: Option<BTreeMap<String, Source>>,
    lenient: bool,
    companions: bool,
    textures: Option<bool>,
    skin: Option<u32>,
    max_memory: Option<u64>,
    fps: Option<f32>,
    recompute_normals: bool,
    format: Option<String>,
    dialect: Option<String>,
    skeleton: Option<PathBuf>,
    root: Option<Roots>,
) -> PyResult<Model> {
    let root = match root {
        None => Vec::new(),
        Some(Roots::One(path)) => vec![path],
        Some(Roots::Several(paths)) => paths,
    };
    let opening = Opening {
        lenient,
        companions,
        textures,
        skin,
        max_memory,
        fps,
        recompute_normals,
        format,
        dialect,
        skeleton,
        root,
    };
    let open = opening.opener()?;
    let (asset, origin) = match source {
        Source::Path(_) if name.is_some() || beside.is_some() => {
            return Err(PyTypeError::new_err("`name` and `beside` are for bytes; leave them out for a path"));
        }
        Source::Path(path) => (py.detach(|| open.open(&path)), Origin::Path(path, opening)),
        Source::Bytes(bytes, known) => {
            let beside = beside.into_iter().flatten().map(|(name, file)| match file {
                Source::Bytes(bytes, _) => Ok((name, bytes)),
                Source::Path(_) => Err(PyTypeError::new_err("the values of `beside` must be bytes")),
            });
            let beside = Arc::new(beside.collect::<PyResult<Vec<_>>>()?);
            let name = name.or(known.as_deref()).unwrap_or("model").to_owned();
            let asset = py.detach(|| open.open_bytes(&name, bytes, beside.iter().cloned()));
            (asset, Origin::Bytes(name, beside, opening))
        }
    };
    Ok(Model { asset: asset.map_err(raised)?, origin })
}

/// One figure of several models: meshes, and a skeleton and clips that go with them. Which of them it is called after does
/// not depend on their order.
#[pyfunction]
pub(crate) fn figure(models: Vec<Bound<'_, Model>>) -> PyResult<Model> {
    let assets: Vec<meshwright::Model> = models.iter().map(|model| model.get().asset.clone()).collect();
    let asset =
        meshwright::Model::figure(assets).map_err(|e| PyValueError::new_err(e.message().to_owned()))?;
    let parts = models.into_iter().map(Bound::unbind).collect();
    Ok(Model { asset, origin: Origin::Figure(Arc::new(parts)) })
}

/// A model in a folder or in a pack.
#[pyclass(frozen, get_all, eq, hash, module = "meshwright")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Found {
    /// A path that can be opened.
    path: OsString,
    /// The format's short name.
    format: String,
    /// The model's path in its game, as other files name it.
    place: String,
}

#[pymethods]
impl Found {
    #[new]
    fn new(path: OsString, format: String, place: String) -> Self {
        Self { path, format, place }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&OsStr, &str, &str)> {
        (py.get_type::<Self>(), (&self.path, &self.format, &self.place))
    }

    fn __fspath__(&self) -> OsString {
        self.path.clone()
    }

    fn __repr__(&self) -> String {
        format!("<Found {} {}>", self.format, self.place)
    }
}

/// The models in a folder, or in a pack. A folder in it that has packs is a data
/// folder by itself, whose packs hide each other. What is in it and cannot be read is a warning.
#[pyfunction]
pub(crate) fn models(py: Python<'_>, path: PathBuf) -> PyResult<Vec<Found>> {
    let found = py.detach(|| models_in(&path)).map_err(raised)?;
    for why in &found.refused {
        let why = CString::new(why.message().replace('\0', "\u{fffd}")).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &why, 1)?;
    }
    let model = |model: FoundModel| Found {
        path: model.path.into_os_string(),
        format: model.format.id().to_owned(),
        place: model.place.to_string(),
    };
    Ok(found.models.into_iter().map(model).collect())
}

/// The target formats of conversions.
#[pyfunction]
pub(crate) fn targets() -> Vec<&'static str> {
    Target::all().map(Target::id).collect()
}

/// The supported formats: short name, title, extensions.
#[pyfunction]
pub(crate) fn formats() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    Format::ALL.iter().map(|f| (f.id(), f.title(), f.extensions().to_vec())).collect()
}

/// The dialects of a format, which its bytes do not tell apart.
#[pyfunction]
pub(crate) fn dialects(format: &str) -> PyResult<Vec<&'static str>> {
    Ok(named::<Format>(format)?.values("dialect").to_vec())
}

/// The extensions of packs, which are folders wherever a path is.
#[pyfunction]
pub(crate) fn packs() -> Vec<&'static str> {
    PackKind::ALL.iter().flat_map(|kind| kind.extensions()).copied().collect()
}

impl Model {
    pub(crate) fn limits(&self) -> Limits {
        self.asset.limits()
    }

    /// Options for writing files of this model.
    fn writing(
        &self,
        stem: &str,
        export: ExportOptions,
        scale: Option<f64>,
        dialect: Option<&str>,
    ) -> PyResult<ConvertOptions> {
        let write = WriteOptions::default()
            .with_limits(self.limits())
            .with_gltf(export)
            .without_textures(self.is_without_textures());
        writing(write, stem, scale, dialect)
    }

    /// True if the caller wants no textures.
    fn is_without_textures(&self) -> bool {
        match &self.origin {
            Origin::Path(_, how) | Origin::Bytes(_, _, how) => how.is_without_textures(),
            Origin::Figure(parts) => parts.iter().all(|part| part.get().is_without_textures()),
        }
    }

    /// The files on disk that it was read from.
    pub(crate) fn sources(&self) -> impl Iterator<Item = PathBuf> {
        self.asset.sources()
    }
}

fn files(py: Python<'_>, made: OutputFiles) -> Vec<File<'_>> {
    made.into_iter().map(|file| (file.name, PyBytes::new(py, &file.bytes))).collect()
}

#[pymethods]
impl Model {
    /// The format's short name.
    #[getter]
    fn format(&self) -> &'static str {
        self.asset.format().id()
    }

    /// The name of the file without its extension.
    #[getter]
    fn name(&self) -> String {
        self.asset.stem()
    }

    /// True for a glTF document with which a game's own file went along, by `convert` with `keep`.
    #[getter]
    fn has_kept(&self) -> bool {
        self.asset.has_kept()
    }

    /// The bytes that were read.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.asset.bytes())
    }

    /// Everything that is odd about the model and what belongs to it.
    fn check(&self, py: Python<'_>) -> Vec<Finding> {
        let report = py.detach(|| self.asset.check());
        report.iter().map(to_finding).collect()
    }

    /// The content of the model, in numbers.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let summary = self.asset.summary();
        let info = PyDict::new(py);
        info.set_item("format", self.format())?;
        info.set_item("meshes", summary.meshes)?;
        info.set_item("vertices", summary.vertices)?;
        info.set_item("triangles", summary.triangles)?;
        info.set_item("bones", summary.bones)?;
        info.set_item("clips", summary.clips)?;
        info.set_item("frames", summary.frames)?;
        info.set_item("notes", summary.notes)?;
        let parts: Vec<String> = self.asset.parts().iter().map(ToString::to_string).collect();
        info.set_item("parts", parts)?;
        Ok(info)
    }

    /// The drawn content of the model. `space` is "scene" (right-handed, +Y up, +Z front, metres where the format has a
    /// unit) or "file": the axes, the unit and the winding of the file.
    #[pyo3(signature = (*, space = "scene"))]
    fn scene(&self, py: Python<'_>, space: &str) -> PyResult<Scene> {
        let options = SceneOptions::in_space(crate::options::space(space)?).with_limits(self.limits());
        let made = py.detach(|| self.asset.scene_with(&options)).map_err(raised)?;
        Ok(Scene::new(made.value, made.losses.into_iter().map(to_loss).collect()))
    }

    /// Converts the model to the files of a target. Returns them by name, the main one first, and the losses.
    ///
    /// For glTF: `keep` embeds the game's own files, so that `restore` preserves everything that an editor does not
    /// change; `influences` is "four" per vertex or "all"; `frames_at` is the number of keys per second, whatever the
    /// rates of the clips, which are stored in their extras. `scale` multiplies all lengths; without it, a scale that
    /// a document states is undone for a game's format. `dialect` is that of the written files. `prune` drops vertices
    /// that no triangle uses, `extras` keeps fields that only games use. `pose` is that of an OBJ file, as in "walk:3".
    #[pyo3(signature = (
        target, *, stem = "", keep = false, influences = "four", frames_at = None, scale = None, dialect = None,
        prune = false, extras = false, pose = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they have names where they are given")]
    fn convert<'py>(
        &self,
        py: Python<'py>,
        target: &str,
        stem: &str,
        keep: bool,
        influences: &str,
        frames_at: Option<NonZeroU16>,
        scale: Option<f64>,
        dialect: Option<&str>,
        prune: bool,
        extras: bool,
        pose: Option<String>,
    ) -> PyResult<(Vec<File<'py>>, Vec<Loss>)> {
        let target: Target = named(target)?;
        let export = ExportOptions::default()
            .with_influences(crate::options::influences(influences)?)
            .with_frames_at(frames_at);
        let options = self
            .writing(stem, export, scale, dialect)?
            .with_embedded(keep)
            .with_pruning(prune)
            .with_extras(extras)
            .with_pose(pose);
        let made = py.detach(|| self.asset.convert_with(target, &options)).map_err(raised)?;
        let losses = made.losses().iter().cloned().map(to_loss).collect();
        Ok((files(py, made.into_files()), losses))
    }

    /// The files that an edited model becomes, the main one under `name`; what they do not hold; and what was edited.
    ///
    /// The edited model is compared with the game's own file, `onto` or the embedded original. Unedited data keeps every
    /// bit. `snap` is how near values must be to be those: "exact", "default" for what editors change without
    /// being asked, "loose" for what programs change that make files smaller. With `unedited` the file that was kept is taken
    /// without a look, by who knows that nothing was edited. `to` is the format, by default that of the name.
    /// Without any original the files are made as by `convert`, and there is no report.
    #[pyo3(signature = (
        name, *, to = None, onto = None, snap = "default", unedited = false, frames_at = None, scale = None,
        dialect = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they have names where they are given")]
    fn restore<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        to: Option<&str>,
        onto: Option<PyRef<'py, Self>>,
        snap: &str,
        unedited: bool,
        frames_at: Option<NonZeroU16>,
        scale: Option<f64>,
        dialect: Option<&str>,
    ) -> PyResult<Restored<'py>> {
        let target = target(to, name)?;
        let how = RecoverOptions::default()
            .with_snap(crate::options::snap(snap)?)
            .with_unedited(unedited)
            .with_frames_at(frames_at);
        let original =
            onto.map_or(OriginalSource::Embedded, |model| Original::new(model.asset.clone()).into());
        let options = self
            .writing("", ExportOptions::default(), scale, dialect)?
            .with_output(name)
            .with_original(original)
            .with_recovery(how);
        let made = py.detach(|| self.asset.convert_with(target, &options)).map_err(raised)?;
        let report = made.edits().map(|recovery| {
            let report = recovery_document(recovery).to_string();
            let report = py.import("json")?.call_method1("loads", (report,))?;
            report.set_item("lines", recovery_lines(recovery, usize::MAX))?;
            Ok::<_, PyErr>(report)
        });
        let (losses, report) = (made.losses().iter().cloned().map(to_loss).collect(), report.transpose()?);
        Ok((files(py, made.into_files()), losses, report))
    }

    fn __repr__(&self) -> String {
        format!("<Model {} {}>", self.format(), self.asset.path())
    }

    /// The function and the arguments that open it again: a path is read again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let package = py.import("meshwright")?;
        let opening = |source: Bound<'py, PyAny>, opening: &Opening| {
            let arguments = opening.arguments(py)?;
            Ok::<_, PyErr>((source, arguments))
        };
        let (source, arguments) = match &self.origin {
            Origin::Figure(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.clone_ref(py)).collect();
                return Ok((package.getattr("figure")?, (parts,).into_pyobject(py)?));
            }
            Origin::Path(path, how) => opening(path.as_os_str().into_bound_py_any(py)?, how)?,
            Origin::Bytes(name, beside, how) => {
                let (source, arguments) = opening(self.to_bytes(py).into_any(), how)?;
                let files = PyDict::new(py);
                for (name, bytes) in beside.iter() {
                    files.set_item(name, PyBytes::new(py, bytes))?;
                }
                arguments.set_item("name", name)?;
                arguments.set_item("beside", files)?;
                (source, arguments)
            }
        };
        Ok((package.getattr("_reopened")?, (source, arguments).into_pyobject(py)?))
    }
}

/// The short name of what a file's name says that it is to be.
#[pyfunction]
pub(crate) fn target_of(file: &str) -> PyResult<&'static str> {
    target(None, file).map(Target::id)
}
