//! Models as files of any format.

use crate::call::new_handle;
use crate::model::MwModel;
use crate::raw::{MwText, Refused, borrow_handle, freed, text, write_out};
use crate::status::{MwError, MwStatus};
use facade::Target;
use facade::scene::{Loss, OutputFile};
use std::ffi::c_char;

/// The files of a conversion: to be freed by mw_files_free. They belong together: write all, or none.
#[derive(Debug)]
pub struct MwFiles {
    files: Vec<OutputFile>,
    losses: Vec<Loss>,
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
    /// The number of affected items.
    pub count: u64,
    /// A stable code.
    pub code: MwText,
    /// The field path in the scene.
    pub path: MwText,
    /// The dropped data, in words.
    pub message: MwText,
}

/// A model as the files of a target: glb, gltf, obj, or the short name of a format that is read, such as dpm. In the
/// model's own format they are the bytes that were read.
///
/// # Safety
/// `model` is NULL or not freed; `target` is a text that ends with a zero byte; the other pointers are NULL or may be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_model_convert(
    model: *const MwModel,
    target: *const c_char,
    files: *mut *mut MwFiles,
    error: *mut *mut MwError,
) -> MwStatus {
    let make = || {
        // SAFETY: the caller's contract.
        let (model, target) = unsafe { (borrow_handle(model)?, text(target)?) };
        let target: Target = target.parse().map_err(|_| Refused::Argument("there is no such target"))?;
        let done = model.asset.convert(target)?;
        let losses = done.losses().to_vec();
        Ok(MwFiles { files: done.into_files().into_iter().collect(), losses })
    };
    // SAFETY: the caller's contract.
    unsafe { new_handle(files, error, make) }
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
    unsafe { borrow_handle(files) }.map_or(0, |f| f.files.len())
}

/// Gets a file. Returns false if the index is out of range.
///
/// # Safety
/// `files` is NULL or not freed; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_files_get(files: *const MwFiles, index: usize, out: *mut MwOutput) -> bool {
    // SAFETY: the caller's contract.
    let Some(file) = unsafe { borrow_handle(files) }.ok().and_then(|f| f.files.get(index)) else {
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
    unsafe { borrow_handle(files) }.map_or(0, |f| f.losses.len())
}

/// Gets a loss or a note. Returns false if the index is out of range.
///
/// # Safety
/// `files` is NULL or not freed; `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_files_loss(files: *const MwFiles, index: usize, out: *mut MwLoss) -> bool {
    // SAFETY: the caller's contract.
    let Some(loss) = unsafe { borrow_handle(files) }.ok().and_then(|f| f.losses.get(index)) else {
        return false;
    };
    let told = MwLoss {
        is_note: loss.is_note(),
        count: loss.count,
        code: MwText::new(loss.code),
        path: MwText::new(&loss.path),
        message: MwText::new(&loss.message),
    };
    // SAFETY: the caller's contract.
    unsafe { write_out(out, told) }
}
