//! Meshwright for Python. `python/meshwright/__init__.pyi` says what everything is.

mod arrays;
mod error;
mod model;
mod operations;
mod options;
mod program;
mod report;
mod scene;
mod writing;

use pyo3::prelude::*;

/// Old game models: opened, checked, posed, converted.
#[pymodule(gil_used = false)]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("Error", m.py().get_type::<error::Error>())?;
    m.add_class::<model::Model>()?;
    m.add_class::<report::Finding>()?;
    m.add_class::<report::Loss>()?;
    m.add_class::<scene::Scene>()?;
    m.add_class::<scene::Mesh>()?;
    m.add_class::<scene::Material>()?;
    m.add_class::<scene::Joint>()?;
    m.add_class::<scene::Clip>()?;
    m.add_class::<scene::Player>()?;
    m.add_class::<operations::Repair>()?;
    m.add_class::<model::Found>()?;
    m.add("NotFoundError", error::not_found(m.py())?)?;
    m.add_function(wrap_pyfunction!(operations::diff, m)?)?;
    m.add_function(wrap_pyfunction!(operations::repair, m)?)?;
    m.add_function(wrap_pyfunction!(operations::dump, m)?)?;
    m.add_function(wrap_pyfunction!(operations::render, m)?)?;
    m.add_function(wrap_pyfunction!(operations::optimize, m)?)?;
    m.add_function(wrap_pyfunction!(model::open, m)?)?;
    m.add_function(wrap_pyfunction!(model::figure, m)?)?;
    m.add_function(wrap_pyfunction!(model::models, m)?)?;
    m.add_function(wrap_pyfunction!(model::targets, m)?)?;
    m.add_function(wrap_pyfunction!(model::target_of, m)?)?;
    m.add_function(wrap_pyfunction!(model::formats, m)?)?;
    m.add_function(wrap_pyfunction!(model::dialects, m)?)?;
    m.add_function(wrap_pyfunction!(model::packs, m)?)?;
    m.add_function(wrap_pyfunction!(program::run_program, m)?)?;
    m.add_function(wrap_pyfunction!(writing::write_one, m)?)?;
    m.add_function(wrap_pyfunction!(writing::write, m)?)
}
