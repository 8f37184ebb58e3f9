//! Findings and losses.

use pyo3::prelude::*;

/// A finding about a model.
#[pyclass(frozen, get_all, module = "meshwright")]
pub(crate) struct Finding {
    severity: String,
    code: &'static str,
    kind: String,
    path: String,
    offset: Option<u64>,
    message: String,
}

#[pymethods]
impl Finding {
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
    code: &'static str,
    path: String,
    message: String,
    count: u64,
    amount: Option<f64>,
    unit: &'static str,
    is_note: bool,
}

#[pymethods]
impl Loss {
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
    Loss { code, path, message, count, amount, unit, is_note }
}

/// A finding as Python has it.
pub(crate) fn to_finding(f: &meshwright::Finding) -> Finding {
    Finding {
        severity: f.severity.to_string(),
        code: f.rule.code,
        kind: f.rule.kind.to_string(),
        path: f.path.to_string(),
        offset: f.offset,
        message: f.message.clone().into_owned(),
    }
}
