//! Errors as an exception.

use meshwright::Failure;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    meshwright,
    Error,
    PyException,
    "Why something could not be done: code, path, offset, message."
);

/// A failure as an exception with its parts as attributes.
pub(crate) fn raised(failure: impl Into<Failure>) -> PyErr {
    let failure = failure.into();
    let error = Error::new_err(failure.to_string());
    Python::attach(|py| {
        let value = error.value(py);
        // An exception takes any attribute; if it did not, its words say the same.
        let _ = value.setattr("code", failure.code);
        let _ = value.setattr("path", &failure.path);
        let _ = value.setattr("offset", failure.offset);
        let _ = value.setattr("message", &failure.message);
    });
    error
}
