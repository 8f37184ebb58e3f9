//! Errors.

use crate::raw::{MwText, borrow_handle, freed, write_out};
use facade::Error;

/// The result of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MwStatus {
    /// It is done.
    Ok = 0,
    /// The file cannot be read, converted or written: the error says why.
    Failed = 1,
    /// An argument is invalid: NULL where something is needed, an index out of range, a name that is in no list, a time that
    /// is not a number, text that is not UTF-8.
    Argument = 2,
    /// A fault of the library. Nothing was made.
    Internal = 3,
}

/// Why a call gave nothing: to be freed by mw_error_free.
#[derive(Debug)]
pub struct MwError {
    code: &'static str,
    path: String,
    offset: Option<u64>,
    message: String,
}

impl MwError {
    pub(crate) fn new(code: &'static str, why: &str) -> Self {
        Self { code, path: String::new(), offset: None, message: why.into() }
    }

    pub(crate) fn from_failure(e: &Error) -> Self {
        Self { code: e.code(), path: e.path().into(), offset: e.offset(), message: e.message().into() }
    }
}

/// A stable code: that of the broken rule, or one of cannot-read, unknown-format, invalid-model, not-convertible,
/// not-writable, bad-output, would-replace, cannot-write, limit, usage, argument, internal.
///
/// # Safety
/// `error` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_error_code(error: *const MwError) -> MwText {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(error) }.map_or(MwText::NONE, |e| MwText::new(e.code))
}

/// The message.
///
/// # Safety
/// `error` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_error_message(error: *const MwError) -> MwText {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(error) }.map_or(MwText::NONE, |e| MwText::new(&e.message))
}

/// The field at fault, as in meshes[0].vertices[7].position; empty where it is no field's.
///
/// # Safety
/// `error` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_error_path(error: *const MwError) -> MwText {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(error) }.map_or(MwText::NONE, |e| MwText::new(&e.path))
}

/// The first byte of the field at fault. False where the fault is not one of a file; `offset` then stays as it is.
///
/// # Safety
/// `error` is NULL or not freed; `offset` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_error_offset(error: *const MwError, offset: *mut u64) -> bool {
    // SAFETY: the caller's contract.
    let at = unsafe { borrow_handle(error) }.ok().and_then(|e| e.offset);
    // SAFETY: the caller's contract.
    at.is_some_and(|at| unsafe { write_out(offset, at) })
}

/// Frees an error.
///
/// # Safety
/// `error` is NULL, or came from this library and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_error_free(error: *mut MwError) {
    // SAFETY: the caller's contract.
    unsafe { freed(error) }
}
