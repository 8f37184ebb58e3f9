//! Files of a model on disk.

use crate::error::raised_with;
use crate::model::Model;
use crate::options::named;
use meshwright::files::output::{Clash, Content, Output, OutputRole, Place, Plan, Replace, Writer};
use meshwright::scene::OutputFile;
use meshwright::{Error, StreamedFile, Target, write_files};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// Writes the files of a target, by name, the first as `output` and the others next to it: all or none. It never replaces
/// the files that `models` were read from. It replaces a file that a model names only with `force`. Returns the paths, that
/// of the main file first.
#[pyfunction]
pub(crate) fn write(
    py: Python<'_>,
    files: Vec<(String, PyBackedBytes)>,
    target: &str,
    output: PathBuf,
    models: Vec<PyRef<'_, Model>>,
    force: bool,
) -> PyResult<Vec<OsString>> {
    let target: Target = named(target)?;
    let plan = Plan::default().with_replace(if force { Replace::All } else { Replace::Named });
    models.iter().flat_map(|model| model.sources()).for_each(|path| plan.reads(&path));
    let limits = models.first().map(|model| model.limits()).unwrap_or_default();
    let files = files.into_iter().map(|(name, bytes)| OutputFile { name, bytes: bytes.to_vec() }.into());
    let files: Vec<StreamedFile<'_>> = files.collect();
    let written = py.detach(|| write_files(files, target, &output, &plan, limits));
    let paths = written.map_err(|e| write_error(&e))?;
    Ok(paths.into_iter().map(PathBuf::into_os_string).collect())
}

/// Writes a rendering, whole or not at all. It never replaces a file that `models` were
/// read from.
#[pyfunction]
pub(crate) fn write_one(
    py: Python<'_>,
    bytes: PyBackedBytes,
    output: PathBuf,
    models: Vec<PyRef<'_, Model>>,
) -> PyResult<()> {
    let plan = Plan::default().with_replace(Replace::All);
    models.iter().flat_map(|model| model.sources()).for_each(|path| plan.reads(&path));
    let written = py.detach(|| {
        let content: Content<'_> = Box::new(|out| out.write_all(&bytes));
        let file = Output { place: Place::named(&output), role: OutputRole::Main, content };
        let mut staged = Writer::default().stage([file])?;
        plan.enter(&mut staged, None)?;
        staged.appear()?;
        Ok(())
    });
    written.map_err(|e: Error| write_error(&e))
}

fn write_error(e: &Error) -> PyErr {
    let cause = std::error::Error::source(e);
    if let Some(error) = cause.and_then(|e| e.downcast_ref::<io::Error>()) {
        return io::Error::new(error.kind(), e.message()).into();
    }
    let exists = matches!(cause.and_then(|e| e.downcast_ref()), Some(Clash::Exists(_)));
    raised_with(e, if exists { "; force=True replaces it" } else { "" })
}
