//! Errors as an exception.

use crate::options::python_words;
use meshwright::ErrorKind;
use pyo3::exceptions::{PyException, PyFileNotFoundError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

pyo3::create_exception!(
    meshwright,
    Error,
    PyException,
    "Why something could not be done: code, path, offset, message."
);

static NOT_FOUND: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The exception of a file that does not exist: an `Error` and a `FileNotFoundError`.
pub(crate) fn not_found(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let make = || {
        let bases = (py.get_type::<Error>(), py.get_type::<PyFileNotFoundError>());
        let attributes = PyDict::new(py);
        attributes.set_item("__module__", "meshwright")?;
        attributes.set_item("__doc__", "A file that does not exist.")?;
        let made = py.get_type::<PyType>().call1(("NotFoundError", bases, attributes))?;
        Ok::<_, PyErr>(made.cast_into::<PyType>()?.unbind())
    };
    NOT_FOUND.get_or_try_init(py, make).map(|made| made.bind(py))
}

/// Returns an error as an exception with its parts as attributes.
pub(crate) fn raised(failure: impl Into<meshwright::Error>) -> PyErr {
    raised_with(&failure.into(), "")
}

/// Like [`raised`], with text after the message.
pub(crate) fn raised_with(failure: &meshwright::Error, hint: &str) -> PyErr {
    let message = format!("{}{hint}", python_words(failure.message()));
    let text = failure.to_string().replacen(failure.message(), &message, 1);
    Python::attach(|py| {
        let error = match (failure.kind(), not_found(py)) {
            (ErrorKind::NotFound, Ok(not_found)) => PyErr::from_type(not_found.clone(), text),
            _ => Error::new_err(text),
        };
        let value = error.value(py);
        // An exception takes any attribute; if it did not, its words say the same.
        let _ = value.setattr("code", failure.code());
        let _ = value.setattr("path", failure.path());
        let _ = value.setattr("offset", failure.offset());
        let _ = value.setattr("message", message);
        error
    })
}
