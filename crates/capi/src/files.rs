//! The files that conversions make.

use crate::call::guarded;
use crate::raw::{MwText, borrow_handle, freed, os_path, write_out};
use crate::status::{MwError, MwStatus};
use facade::{Converted, recovery_document};
use std::ffi::c_char;

/// The files of a conversion: to be freed by mw_files_free. They belong together: mw_files_write writes all, or none.
#[derive(Debug)]
pub struct MwFiles {
    converted: Converted,
    /// The edits that were imported, as JSON.
    edits: Option<String>,
}

impl MwFiles {
    pub(crate) fn new(converted: Converted) -> Self {
        let edits = converted.edits().map(|edits| recovery_document(edits).to_string());
        Self { converted, edits }
    }
}

/// A file of a conversion.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwOutput {
    /// Its name, relative to where the result is put, with / between folders.
    pub name: MwText,
    /// The content.
    pub bytes: *const u8,
    /// The length of the content in bytes.
    pub length: usize,
}

/// Something that a result does not hold, or that was decided on the way.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwLoss {
    /// A decision, not a loss.
    pub is_note: bool,
    /// The size of the greatest loss in `unit`; NaN if it has none.
    pub amount: f64,
    /// The number of affected items.
    pub count: u64,
    /// The unit of `amount`.
    pub unit: MwText,
    /// A stable code.
    pub code: MwText,
    /// The field path in the scene.
    pub path: MwText,
    /// The dropped data, in words.
    pub message: MwText,
}

/// Frees the files of a conversion.
///
/// # Safety
/// `files` is NULL, or came from this library and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_files_free(files: *mut MwFiles) {
    // SAFETY: the caller's contract.
    unsafe { freed(files) }
}

/// The number of files; the main one is the first.
///
/// # Safety
/// `files` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_files_count(files: *const MwFiles) -> usize {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(files) }.map_or(0, |f| f.converted.files().len())
}

/// Gets a file. Returns false if the index is out of range.
///
/// # Safety
/// `files` is NULL or not freed; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_files_get(files: *const MwFiles, index: usize, out: *mut MwOutput) -> bool {
    // SAFETY: the caller's contract.
    let Some(file) = unsafe { borrow_handle(files) }.ok().and_then(|f| f.converted.files().iter().nth(index))
    else {
        return false;
    };
    let told =
        MwOutput { name: MwText::new(&file.name), bytes: file.bytes.as_ptr(), length: file.bytes.len() };
    // SAFETY: the caller's contract.
    unsafe { write_out(out, told) }
}

/// The number of losses and notes.
///
/// # Safety
/// `files` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_files_loss_count(files: *const MwFiles) -> usize {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(files) }.map_or(0, |f| f.converted.losses().len())
}

/// Gets a loss or a note. Returns false if the index is out of range.
///
/// # Safety
/// `files` is NULL or not freed; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_files_loss(files: *const MwFiles, index: usize, out: *mut MwLoss) -> bool {
    // SAFETY: the caller's contract.
    let Some(loss) = unsafe { borrow_handle(files) }.ok().and_then(|f| f.converted.losses().get(index))
    else {
        return false;
    };
    let told = MwLoss {
        is_note: loss.is_note(),
        amount: loss.amount.unwrap_or(f64::NAN),
        unit: MwText::new(loss.unit),
        count: loss.count,
        code: MwText::new(loss.code),
        path: MwText::new(&loss.path),
        message: MwText::new(&loss.message),
    };
    // SAFETY: the caller's contract.
    unsafe { write_out(out, told) }
}

/// The edits that mw_model_restore found, as JSON: `untouched`, and the meshes, joints, clips and materials with the state
/// of each. Empty without an original.
///
/// # Safety
/// `files` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_files_edits(files: *const MwFiles) -> MwText {
    // SAFETY: the caller's contract.
    let edits = unsafe { borrow_handle(files) }.ok().and_then(|f| f.edits.as_deref());
    edits.map_or(MwText::NONE, MwText::new)
}

/// Writes the files into a folder, which is made if it does not exist: all or none. They replace no file that the model
/// was read from, and files that a model names, such as textures, replace no file at all.
///
/// # Safety
/// `files` is NULL or not freed; `folder` is a text that ends with a zero byte; `error` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_files_write(
    files: *const MwFiles,
    folder: *const c_char,
    error: *mut *mut MwError,
) -> MwStatus {
    let write = || {
        // SAFETY: the caller's contract.
        let (files, folder) = unsafe { (borrow_handle(files)?, os_path(folder)?) };
        files.converted.clone().write_to(folder)?;
        Ok(())
    };
    // SAFETY: the caller's contract.
    unsafe { guarded(error, write) }
}
