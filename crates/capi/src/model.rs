//! Models.

use crate::call::new_handle;
use crate::options::{MwOptions, opening};
use crate::raw::{MwText, Refused, borrow_handle, freed, items, os_path, text, write_out};
use crate::status::{MwError, MwStatus};
use facade::{Finding, Model, Severity};
use std::ffi::c_char;

/// A model with what belongs to it: to be freed by mw_model_free.
#[derive(Debug)]
pub struct MwModel {
    pub(crate) asset: Model,
    findings: Vec<Noticed>,
}

/// A finding with its texts made.
#[derive(Debug)]
struct Noticed {
    finding: Finding,
    path: String,
}

/// A companion file in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwFile {
    /// Its name, relative to that of the model's folder; ends with a zero byte.
    pub name: *const c_char,
    /// The content.
    pub bytes: *const u8,
    /// The length of the content in bytes.
    pub length: usize,
}

/// The severity of a finding.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MwSeverity {
    /// Worth knowing.
    Info = 0,
    /// Odd; readers may differ.
    Warning = 1,
    /// Against the format.
    Error = 2,
}

/// A finding about a model.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwFinding {
    /// The severity.
    pub severity: MwSeverity,
    /// True if offset is known.
    pub has_offset: bool,
    /// The first byte of the field.
    pub offset: u64,
    /// A stable code.
    pub code: MwText,
    /// The field.
    pub path: MwText,
    /// The expected and the actual content.
    pub message: MwText,
}

impl MwModel {
    fn new(asset: Model) -> Self {
        let noticed =
            |finding: &Finding| Noticed { finding: finding.clone(), path: finding.path.to_string() };
        let findings = asset.check().iter().map(noticed).collect();
        Self { asset, findings }
    }
}

/// Opens a file on disk. A pack is a folder: data.pk3/models/player/marine.zym is a path. Paths are UTF-8; on Unix any other
/// bytes are what they are. `options` may be NULL, and so may `error`; it is set to NULL where there is none.
///
/// # Safety
/// `path` is a text that ends with a zero byte; the other pointers are NULL or point to what they are pointers to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_model_open(
    path: *const c_char,
    options: *const MwOptions,
    model: *mut *mut MwModel,
    error: *mut *mut MwError,
) -> MwStatus {
    let open = || {
        // SAFETY: the caller's contract.
        let (path, options) = unsafe { (os_path(path)?, opening(options)?) };
        Ok(MwModel::new(options.open(path)?))
    };
    // SAFETY: the caller's contract.
    unsafe { new_handle(model, error, open) }
}

/// Opens a file that is in memory, with its companion files. The caller may free the bytes afterwards.
///
/// # Safety
/// `name` is a text that ends with a zero byte; `bytes` points to `length` bytes, `beside` to `beside_count` files
/// that point to their bytes; the other pointers are NULL or point to values of their type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_model_from_memory(
    name: *const c_char,
    bytes: *const u8,
    length: usize,
    beside: *const MwFile,
    beside_count: usize,
    options: *const MwOptions,
    model: *mut *mut MwModel,
    error: *mut *mut MwError,
) -> MwStatus {
    let open = || {
        // SAFETY: the caller's contract.
        let (name, options) = unsafe { (text(name)?, opening(options)?) };
        // SAFETY: the caller's contract.
        let (bytes, beside) = unsafe { (items(bytes, length)?, items(beside, beside_count)?) };
        let mut files = Vec::new();
        for file in beside {
            // SAFETY: the caller's contract.
            let (name, bytes) = unsafe { (text(file.name)?, items(file.bytes, file.length)?) };
            files.push((name.to_owned(), bytes.to_vec()));
        }
        let asset = options.open_bytes(name, bytes.to_vec(), files)?;
        Ok(MwModel::new(asset))
    };
    // SAFETY: the caller's contract.
    unsafe { new_handle(model, error, open) }
}

/// Joins several models to one character: meshes, and the skeleton and the clips that belong to them. Their order does not
/// matter. They remain the caller's.
///
/// # Safety
/// `models` points to `count` models, each NULL or not freed; the other pointers are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_model_figure(
    models: *const *const MwModel,
    count: usize,
    model: *mut *mut MwModel,
    error: *mut *mut MwError,
) -> MwStatus {
    let join = || {
        // SAFETY: the caller's contract.
        let models = unsafe { items(models, count) }?;
        // SAFETY: the caller's contract.
        let parts = models.iter().map(|model| Ok(unsafe { borrow_handle(*model) }?.asset.clone()));
        Ok(MwModel::new(Model::figure(parts.collect::<Result<_, Refused>>()?)?))
    };
    // SAFETY: the caller's contract.
    unsafe { new_handle(model, error, join) }
}

/// Frees a model. Its scenes remain valid.
///
/// # Safety
/// `model` is NULL, or came from this library and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_model_free(model: *mut MwModel) {
    // SAFETY: the caller's contract.
    unsafe { freed(model) }
}

/// The format's short name, as in dpm.
///
/// # Safety
/// `model` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_model_format(model: *const MwModel) -> MwText {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(model) }.map_or(MwText::NONE, |m| MwText::new(m.asset.format().id()))
}

/// The number of findings about the model and its companion files.
///
/// # Safety
/// `model` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_model_finding_count(model: *const MwModel) -> usize {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(model) }.map_or(0, |m| m.findings.len())
}

/// Gets a finding. Returns false if the index is out of range.
///
/// # Safety
/// `model` is NULL or not freed; `finding` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_model_finding(
    model: *const MwModel,
    index: usize,
    finding: *mut MwFinding,
) -> bool {
    // SAFETY: the caller's contract.
    let Some(noticed) = unsafe { borrow_handle(model) }.ok().and_then(|m| m.findings.get(index)) else {
        return false;
    };
    let severity = match noticed.finding.severity {
        Severity::Error => MwSeverity::Error,
        Severity::Warning => MwSeverity::Warning,
        _ => MwSeverity::Info,
    };
    let told = MwFinding {
        severity,
        has_offset: noticed.finding.offset.is_some(),
        offset: noticed.finding.offset.unwrap_or(0),
        code: MwText::new(noticed.finding.rule.code),
        path: MwText::new(&noticed.path),
        message: MwText::new(&noticed.finding.message),
    };
    // SAFETY: the caller's contract.
    unsafe { write_out(finding, told) }
}
