//! Conversions and their options.

use crate::call::new_handle;
use crate::files::MwFiles;
use crate::model::MwModel;
use crate::options::dialect;
use crate::raw::{Refused, borrow_handle, optional_text, text};
use crate::status::{MwError, MwStatus};
use facade::edit::Snap;
use facade::gltf::{ExportOptions, Influences};
use facade::{ConvertOptions, Original, OriginalSource, RecoverOptions, Target, WriteOptions};
use std::ffi::c_char;
use std::num::NonZeroU16;
use std::ptr;

/// Tolerance within which a value of an edited model counts as unedited.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MwSnap {
    /// Only equal numbers.
    Exact = 0,
    /// Changes that editors make without being asked.
    Default = 1,
    /// Changes that optimizers make to shrink files.
    Loose = 2,
}

/// Options for converting models. Begin with mw_convert_options_default().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwConvertOptions {
    /// The name of the main file, as in "marine.glb", from which the other files get theirs. NULL for the name of the
    /// model.
    pub name: *const c_char,
    /// The variant of the target format, as mw_format_dialect lists them. NULL for the usual one.
    pub dialect: *const c_char,
    /// The factor of all lengths; 0 for none. Without one, a scale that a glTF document states is undone in a game's
    /// format.
    pub scale: f64,
    /// The number of keys per second of all clips of a glTF document; 0 for the rates of the clips.
    pub frames_at: u16,
    /// Embed the game's files in a glTF document, so that mw_model_restore keeps what was not edited.
    pub embedded: bool,
    /// Store all influences of a vertex in a glTF document instead of the four largest.
    pub all_influences: bool,
    /// Keep fields that only games use as extras of a glTF document or an OBJ file.
    pub extras: bool,
    /// Drop vertices that no triangle uses.
    pub prune: bool,
    /// Search no textures. They are part of a model that was opened with them.
    pub no_textures: bool,
    /// The pose of an OBJ file: a clip by name or number and a frame, as in "walk:3". NULL for the rest pose.
    pub pose: *const c_char,
    /// The tolerance within which mw_model_restore counts a value as unedited; one of MwSnap.
    pub snap: u32,
}

/// The options of a conversion that is given none.
#[unsafe(no_mangle)]
pub extern "C" fn mw_convert_options_default() -> MwConvertOptions {
    MwConvertOptions {
        name: ptr::null(),
        dialect: ptr::null(),
        scale: 0.0,
        frames_at: 0,
        embedded: false,
        all_influences: false,
        extras: false,
        prune: false,
        no_textures: false,
        pose: ptr::null(),
        snap: MwSnap::Default as u32,
    }
}

/// Converts a model to the files of a target: glb, gltf, obj, or the short name of a format that is read, such as dpm. In
/// the model's own format, and without options that change it, they are the bytes that were read. `options` may be NULL.
///
/// # Safety
/// `model` is NULL or not freed; `target` is a text that ends with a zero byte; the texts of `options` are NULL or such;
/// the other pointers are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_model_convert(
    model: *const MwModel,
    target: *const c_char,
    options: *const MwConvertOptions,
    files: *mut *mut MwFiles,
    error: *mut *mut MwError,
) -> MwStatus {
    let make = || {
        // SAFETY: the caller's contract.
        let (model, target) = unsafe { (borrow_handle(model)?, parse_target(target)?) };
        // SAFETY: the caller's contract.
        let options = unsafe { converting(model, options)? };
        Ok(MwFiles::new(model.asset.convert_with(target, &options)?))
    };
    // SAFETY: the caller's contract.
    unsafe { new_handle(files, error, make) }
}

/// Converts an edited model, such as a GLB from an editor, back to a game's format. Unedited data keeps every bit of the
/// original: `onto`, or, if `onto` is NULL, the one that mw_model_convert embedded. mw_files_edits lists the edits.
/// Without an original this is mw_model_convert. `options` may be NULL.
///
/// # Safety
/// As for mw_model_convert; `onto` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_model_restore(
    model: *const MwModel,
    target: *const c_char,
    onto: *const MwModel,
    options: *const MwConvertOptions,
    files: *mut *mut MwFiles,
    error: *mut *mut MwError,
) -> MwStatus {
    let make = || {
        // SAFETY: the caller's contract.
        let (model, target) = unsafe { (borrow_handle(model)?, parse_target(target)?) };
        // SAFETY: the caller's contract.
        let original = match unsafe { onto.as_ref() } {
            Some(onto) => Original::new(onto.asset.clone()).into(),
            None => OriginalSource::Embedded,
        };
        // SAFETY: the caller's contract.
        let options = unsafe { converting(model, options)? }.with_original(original);
        Ok(MwFiles::new(model.asset.convert_with(target, &options)?))
    };
    // SAFETY: the caller's contract.
    unsafe { new_handle(files, error, make) }
}

/// # Safety
/// `target` is null, or a text that ends with a zero byte.
unsafe fn parse_target(target: *const c_char) -> Result<Target, Refused> {
    // SAFETY: the caller's contract.
    let target = unsafe { text(target) }?;
    target.parse().map_err(|_| Refused::Argument("unknown target; mw_target lists all"))
}

/// The options of a conversion, those of `mw_convert_options_default` for null.
///
/// # Safety
/// `options` is null or points to options, whose texts are null or end with a zero byte.
unsafe fn converting(model: &MwModel, options: *const MwConvertOptions) -> Result<ConvertOptions, Refused> {
    // SAFETY: the caller's contract.
    let given = unsafe { options.as_ref() }.copied().unwrap_or_else(|| mw_convert_options_default());
    if !given.scale.is_finite() || given.scale < 0.0 {
        return Err(Refused::Argument("the scale is not 0 or a positive number"));
    }
    // SAFETY: the caller's contract.
    let [name, dialect_name, pose] =
        unsafe { [optional_text(given.name)?, optional_text(given.dialect)?, optional_text(given.pose)?] };
    let frames_at = NonZeroU16::new(given.frames_at);
    let influences = if given.all_influences { Influences::All } else { Influences::Four };
    let export = ExportOptions::default().with_influences(influences).with_frames_at(frames_at);
    let snaps =
        [(MwSnap::Exact, Snap::Exact), (MwSnap::Default, Snap::Default), (MwSnap::Loose, Snap::Loose)];
    let snap = snaps.into_iter().find(|(word, _)| *word as u32 == given.snap).map(|(_, snap)| snap);
    let snap = snap.ok_or(Refused::Argument("the snap is not one of MwSnap"))?;
    let write = WriteOptions::default()
        .with_limits(model.asset.limits())
        .with_dialect(dialect_name.map(dialect).transpose()?)
        .with_gltf(export)
        .without_textures(given.no_textures);
    let options = ConvertOptions::from(write)
        .with_scale(Some(given.scale).filter(|scale| *scale != 0.0))
        .with_embedded(given.embedded)
        .with_extras(given.extras)
        .with_pruning(given.prune)
        .with_pose(pose.map(str::to_owned))
        .with_recovery(RecoverOptions::default().with_snap(snap).with_frames_at(frames_at));
    Ok(match name {
        Some(name) => options.with_output(name),
        None => options,
    })
}
