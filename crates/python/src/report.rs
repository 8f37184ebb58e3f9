//! Findings and losses.

use crate::options::python_words;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The class of an object and the arguments that make it again.
pub(crate) type Reduced<'py, T> = (Bound<'py, PyType>, T);
/// The arguments of a finding, in the order of its constructor.
type FindingArguments<'f> = (&'f str, &'f str, &'f str, &'f str, Option<u64>, &'f str);
/// The arguments of a loss, in the order of its constructor.
type LossArguments<'l> = (&'l str, &'l str, &'l str, u64, Option<f64>, &'l str, bool);

/// A finding about a model.
#[pyclass(frozen, get_all, module = "meshwright")]
pub(crate) struct Finding {
    severity: String,
    code: String,
    kind: String,
    path: String,
    offset: Option<u64>,
    message: String,
}

#[pymethods]
impl Finding {
    #[new]
    fn new(
        severity: String,
        code: String,
        kind: String,
        path: String,
        offset: Option<u64>,
        message: String,
    ) -> Self {
        Self { severity, code, kind, path, offset, message }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, FindingArguments<'_>> {
        let Self { severity, code, kind, path, offset, message } = self;
        (py.get_type::<Self>(), (severity, code, kind, path, *offset, message))
    }

    fn __str__(&self) -> String {
        let offset = self.offset.map_or_else(String::new, |at| format!(" (offset {at:#x})"));
        let path = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
        format!("{}[{}] {path}{}{offset}", self.severity, self.code, self.message)
    }

    fn __repr__(&self) -> String {
        format!("<Finding {}[{}] {}>", self.severity, self.code, self.path)
    }
}

/// Something that a result does not hold, or (a note) that was decided on the way.
#[derive(Clone)]
#[pyclass(frozen, get_all, module = "meshwright")]
pub(crate) struct Loss {
    code: String,
    path: String,
    message: String,
    count: u64,
    amount: Option<f64>,
    unit: String,
    is_note: bool,
}

#[pymethods]
impl Loss {
    #[new]
    fn new(
        code: String,
        path: String,
        message: String,
        count: u64,
        amount: Option<f64>,
        unit: String,
        is_note: bool,
    ) -> Self {
        Self { code, path, message, count, amount, unit, is_note }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, LossArguments<'_>> {
        let Self { code, path, message, count, amount, unit, is_note } = self;
        (py.get_type::<Self>(), (code, path, message, *count, *amount, unit, *is_note))
    }

    fn __str__(&self) -> String {
        let kind = if self.is_note { "note" } else { "lost" };
        format!("{kind}[{}] {}: {}", self.code, self.path, self.message)
    }

    fn __repr__(&self) -> String {
        format!("<Loss {}[{}] {}>", if self.is_note { "note" } else { "lost" }, self.code, self.path)
    }
}

pub(crate) fn to_loss(loss: meshwright::scene::Loss) -> Loss {
    let is_note = loss.is_note();
    let meshwright::scene::Loss { code, path, message, count, amount, unit, .. } = loss;
    let message = python_words(&message).into_owned();
    Loss { code: code.to_owned(), path, message, count, amount, unit: unit.to_owned(), is_note }
}

/// A finding as Python has it.
pub(crate) fn to_finding(f: &meshwright::Finding) -> Finding {
    Finding {
        severity: f.severity.to_string(),
        code: f.rule.code.to_owned(),
        kind: f.rule.kind.to_string(),
        path: f.path.to_string(),
        offset: f.offset,
        message: python_words(&f.message).into_owned(),
    }
}
