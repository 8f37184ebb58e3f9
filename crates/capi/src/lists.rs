//! Lists: targets, formats, and the models of folders and archives.

use crate::call::new_handle;
use crate::raw::{MwText, borrow_handle, freed, os_path, write_out};
use crate::status::{MwError, MwStatus};
use facade::{Format, FoundModel, Target, models_in};
use std::ffi::{CString, c_char};

/// A target of conversions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwTarget {
    /// The short name, as mw_model_convert takes it.
    pub id: MwText,
    /// The extension of the main file, without a dot.
    pub extension: MwText,
}

/// A format that the library reads.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwFormat {
    /// The short name, as in dpm.
    pub id: MwText,
    /// The name for people.
    pub title: MwText,
    /// False for files that only belong to models, such as outfits.
    pub holds_model: bool,
    /// The number of extensions: see mw_format_extension.
    pub extension_count: usize,
    /// The number of variants: see mw_format_dialect.
    pub dialect_count: usize,
}

/// The models of a folder or an archive: to be freed by mw_members_free.
#[derive(Debug)]
pub struct MwMembers {
    members: Vec<Member>,
    refused: Vec<String>,
}

#[derive(Debug)]
struct Member {
    path: CString,
    format: Format,
    place: String,
}

/// A model of a folder or an archive.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwMember {
    /// The path, as mw_model_open takes it; ends with a zero byte.
    pub path: *const c_char,
    /// The short name of its format.
    pub format: MwText,
    /// Its path in the game, as other files name it.
    pub place: MwText,
}

/// The number of targets.
#[unsafe(no_mangle)]
pub extern "C" fn mw_target_count() -> usize {
    Target::all().count()
}

/// Gets a target. Returns false if the index is out of range.
///
/// # Safety
/// `target` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_target(index: usize, target: *mut MwTarget) -> bool {
    Target::all().nth(index).is_some_and(|found| {
        let told = MwTarget { id: MwText::new(found.id()), extension: MwText::new(found.extension()) };
        // SAFETY: the caller's contract.
        unsafe { write_out(target, told) }
    })
}

/// The number of formats.
#[unsafe(no_mangle)]
pub extern "C" fn mw_format_count() -> usize {
    Format::ALL.len()
}

/// Gets a format. Returns false if the index is out of range.
///
/// # Safety
/// `format` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_format(index: usize, format: *mut MwFormat) -> bool {
    Format::ALL.get(index).is_some_and(|found| {
        let told = MwFormat {
            id: MwText::new(found.id()),
            title: MwText::new(found.title()),
            holds_model: found.holds_model(),
            extension_count: found.extensions().len(),
            dialect_count: found.values("dialect").len(),
        };
        // SAFETY: the caller's contract.
        unsafe { write_out(format, told) }
    })
}

/// An extension of a format, in lower case without a dot, the usual one first; empty if an index is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn mw_format_extension(format: usize, index: usize) -> MwText {
    let found = Format::ALL.get(format).and_then(|format| format.extensions().get(index));
    found.map_or(MwText::NONE, |name| MwText::new(name))
}

/// A variant of a format, which its bytes do not tell apart; empty if an index is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn mw_format_dialect(format: usize, index: usize) -> MwText {
    let found = Format::ALL.get(format).and_then(|format| format.values("dialect").get(index));
    found.map_or(MwText::NONE, |name| MwText::new(name))
}

/// Lists the models of a folder or an archive. A folder in it that has archives is a data folder of its own, whose archives
/// hide each other's files.
///
/// # Safety
/// `path` is a text that ends with a zero byte; the other pointers are NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_members_new(
    path: *const c_char,
    members: *mut *mut MwMembers,
    error: *mut *mut MwError,
) -> MwStatus {
    let list = || {
        // SAFETY: the caller's contract.
        let found = models_in(unsafe { os_path(path) }?)?;
        let member = |FoundModel { path, format, place, .. }: FoundModel| {
            // No file system has names with a zero byte.
            let path = CString::new(path.into_os_string().into_encoded_bytes()).ok()?;
            Some(Member { path, format, place: place.to_string() })
        };
        let refused = found.refused.iter().map(ToString::to_string).collect();
        Ok(MwMembers { members: found.models.into_iter().filter_map(member).collect(), refused })
    };
    // SAFETY: the caller's contract.
    unsafe { new_handle(members, error, list) }
}

/// Frees a list of models.
///
/// # Safety
/// `members` is NULL, or came from this library and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_members_free(members: *mut MwMembers) {
    // SAFETY: the caller's contract.
    unsafe { freed(members) }
}

/// The number of models.
///
/// # Safety
/// `members` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_members_count(members: *const MwMembers) -> usize {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(members) }.map_or(0, |m| m.members.len())
}

/// Gets a model. Returns false if the index is out of range.
///
/// # Safety
/// `members` is NULL or not freed; `member` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_members_get(
    members: *const MwMembers,
    index: usize,
    member: *mut MwMember,
) -> bool {
    // SAFETY: the caller's contract.
    let Some(found) = unsafe { borrow_handle(members) }.ok().and_then(|m| m.members.get(index)) else {
        return false;
    };
    let told = MwMember {
        path: found.path.as_ptr(),
        format: MwText::new(found.format.id()),
        place: MwText::new(&found.place),
    };
    // SAFETY: the caller's contract.
    unsafe { write_out(member, told) }
}

/// The number of files and folders that cannot be read.
///
/// # Safety
/// `members` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_members_refused_count(members: *const MwMembers) -> usize {
    // SAFETY: the caller's contract.
    unsafe { borrow_handle(members) }.map_or(0, |m| m.refused.len())
}

/// Why a file or a folder cannot be read; empty if the index is out of range.
///
/// # Safety
/// `members` is NULL or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_members_refused(members: *const MwMembers, index: usize) -> MwText {
    // SAFETY: the caller's contract.
    let why = unsafe { borrow_handle(members) }.ok().and_then(|m| m.refused.get(index));
    why.map_or(MwText::NONE, |why| MwText::new(why))
}
