//! Models.

use crate::error::raised;
use crate::report::{Finding, Loss, found, told};
use crate::scene::Scene;
use meshwright::files::{Tree, TreePath};
use meshwright::scene::SceneOptions;
use meshwright::{Asset, Failure, Finder, Format, Limits, OpenOptions, Strictness, Target, WriteOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A model with what belongs to it.
#[pyclass(frozen, module = "meshwright")]
pub(crate) struct Model {
    asset: Asset,
    limits: Limits,
}

/// A name and what the file holds.
type File<'py> = (String, Bound<'py, PyBytes>);

/// The options that the caller's words mean.
fn opening(
    lenient: bool,
    companions: bool,
    textures: bool,
    max_memory: u64,
    format: Option<&str>,
) -> PyResult<OpenOptions> {
    let mut options = OpenOptions::default().with_companions(companions).with_textures(textures);
    options.settings.read.limits.memory = max_memory;
    if lenient {
        options.settings.read.strictness = Strictness::Lenient;
    }
    match format {
        Some(name) => {
            let format: Format =
                name.parse().map_err(|e: meshwright::UnknownFormat| PyValueError::new_err(e.to_string()))?;
            Ok(options.with_format(format))
        }
        None => Ok(options),
    }
}

/// Opens a file on disk, or in a pack.
#[pyfunction]
#[pyo3(signature = (path, *, lenient, companions, textures, max_memory, format))]
pub(crate) fn open_path(
    py: Python<'_>,
    path: PathBuf,
    lenient: bool,
    companions: bool,
    textures: bool,
    max_memory: u64,
    format: Option<&str>,
) -> PyResult<Model> {
    let options = opening(lenient, companions, textures, max_memory, format)?;
    let limits = options.settings.read.limits;
    let asset = py.detach(|| Asset::open_path(&path, &options)).map_err(raised)?;
    Ok(Model { asset, limits })
}

/// Opens bytes in memory.
#[pyfunction]
#[pyo3(signature = (name, bytes, beside, *, lenient, companions, textures, max_memory, format))]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
pub(crate) fn open_bytes(
    py: Python<'_>,
    name: &str,
    bytes: Vec<u8>,
    beside: BTreeMap<String, Vec<u8>>,
    lenient: bool,
    companions: bool,
    textures: bool,
    max_memory: u64,
    format: Option<&str>,
) -> PyResult<Model> {
    let options = opening(lenient, companions, textures, max_memory, format)?;
    let limits = options.settings.read.limits;
    let asset = py.detach(|| Asset::from_memory(name, bytes, beside, &options)).map_err(raised)?;
    Ok(Model { asset, limits })
}

/// The models in a folder, or in a pack: paths that can be opened, and their formats.
#[pyfunction]
pub(crate) fn models(py: Python<'_>, path: PathBuf) -> PyResult<Vec<(PathBuf, &'static str)>> {
    let found = py.detach(|| -> Result<_, Failure> {
        let finder = Finder::new(Tree::open(&path)?);
        let tree = finder.tree();
        let files: Vec<TreePath> = match tree.start() {
            Some(start) => vec![start.clone()],
            None => tree.walk().files.into_iter().flatten().collect(),
        };
        let mut found = Vec::new();
        for file in files {
            // What cannot be read says so when it is opened.
            let Ok(Some(seen)) = finder.detect_met(&file, Limits::default()) else { continue };
            if let Some(path) = tree.shown_path(&file).filter(|_| seen.format.holds_model()) {
                found.push((path, seen.format.id()));
            }
        }
        Ok(found)
    });
    found.map_err(raised)
}

/// What models can be converted to.
#[pyfunction]
pub(crate) fn targets() -> Vec<&'static str> {
    Target::all().map(Target::id).collect()
}

/// What can be opened: short name, title, extensions.
#[pyfunction]
pub(crate) fn formats() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    Format::ALL.iter().map(|f| (f.id(), f.title(), f.extensions().to_vec())).collect()
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

    /// The bytes that were read.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.asset.bytes())
    }

    /// Everything that is odd about the model and what belongs to it.
    fn check(&self, py: Python<'_>) -> Vec<Finding> {
        let report = py.detach(|| self.asset.check());
        report.iter().map(found).collect()
    }

    /// What the model holds, in numbers.
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

    /// What the model draws.
    fn scene(&self, py: Python<'_>) -> PyResult<Scene> {
        let options = SceneOptions::default().with_limits(self.limits);
        let made = py.detach(|| self.asset.to_scene(&options)).map_err(raised)?;
        Ok(Scene::new(made.value, made.losses.into_iter().map(told).collect()))
    }

    /// The model as the files of a target, by name, the main one first; and what they do not hold.
    #[pyo3(signature = (target, *, stem = ""))]
    fn convert<'py>(
        &self,
        py: Python<'py>,
        target: &str,
        stem: &str,
    ) -> PyResult<(Vec<File<'py>>, Vec<Loss>)> {
        let target: Target =
            target.parse().map_err(|e: meshwright::UnknownTarget| PyValueError::new_err(e.to_string()))?;
        let options = WriteOptions::default().with_limits(self.limits).with_stem(stem);
        let made = py.detach(|| self.asset.convert(target, &options)).map_err(raised)?;
        let files = made.value.into_iter().map(|f| (f.name, PyBytes::new(py, &f.bytes))).collect();
        Ok((files, made.losses.into_iter().map(told).collect()))
    }

    fn __repr__(&self) -> String {
        format!("<Model {} {}>", self.format(), self.asset.path())
    }
}
