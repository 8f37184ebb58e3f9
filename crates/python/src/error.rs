//! Errors as an exception.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    meshwright,
    Error,
    PyException,
    "Why something could not be done: code, path, offset, message."
);

/// Returns an error as an exception with its parts as attributes.
pub(crate) fn raised(failure: impl Into<meshwright::Error>) -> PyErr {
    raised_with(&failure.into(), "")
}

/// Like [`raised`], with text after the message.
pub(crate) fn raised_with(failure: &meshwright::Error, hint: &str) -> PyErr {
    let message = format!("{}{hint}", failure.message());
    let error = Error::new_err(failure.to_string().replacen(failure.message(), &message, 1));
    Python::attach(|py| {
        let value = error.value(py);
        // An exception takes any attribute; if it did not, its words say the same.
        let _ = value.setattr("code", failure.code());
        let _ = value.setattr("path", failure.path());
        let _ = value.setattr("offset", failure.offset());
        let _ = value.setattr("message", message);
    });
    error
}
