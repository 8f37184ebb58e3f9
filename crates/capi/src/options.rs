//! Options for opening models.

use crate::raw::{Refused, borrow_handle, text};
use facade::{Format, Limits, Opener};
use std::ffi::c_char;

/// Options for opening models. Begin with mw_options_default().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwOptions {
    /// Bytes that one file may take in memory, and a scene or a conversion of it each.
    pub max_memory: u64,
    /// Pass over broken rules that leave the rest readable: they are among the findings.
    pub lenient: bool,
    /// Search for companion files next to the model.
    pub companions: bool,
    /// Look for the pictures of materials.
    pub textures: bool,
    /// The format, as in "dpm", whatever content and name say; NULL to have it detected.
    pub format: *const c_char,
}

/// 256 MiB, strict, with companion files, without textures.
#[unsafe(no_mangle)]
pub extern "C" fn mw_options_default() -> MwOptions {
    MwOptions {
        max_memory: Limits::default().memory,
        lenient: false,
        companions: true,
        textures: false,
        format: std::ptr::null(),
    }
}

/// The options, those of `mw_options_default` for NULL.
///
/// # Safety
/// `options` is null or points to options, whose format is null or a text.
pub(crate) unsafe fn opening(options: *const MwOptions) -> Result<Opener, Refused> {
    // SAFETY: the caller's contract.
    let given = if options.is_null() { mw_options_default() } else { *unsafe { borrow_handle(options) }? };
    let mut opening = Opener::new()
        .companions(given.companions)
        .textures(given.textures)
        .limits(Limits::default().with_memory(given.max_memory))
        .lenient(given.lenient);
    if !given.format.is_null() {
        // SAFETY: the caller's contract.
        let name = unsafe { text(given.format) }?;
        let format: Format = name.parse().map_err(|_| Refused::Argument("there is no such format"))?;
        opening = opening.format(format);
    }
    Ok(opening)
}
