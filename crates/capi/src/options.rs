//! Options for opening models.

use crate::raw::{Refused, optional_text};
use facade::{Dialect, Format, Limits, Opener};
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
    /// The variant of the format, as mw_format_dialect lists them; NULL to have it detected.
    pub dialect: *const c_char,
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
        dialect: std::ptr::null(),
    }
}

/// The options, those of `mw_options_default` for NULL.
///
/// # Safety
/// `options` is null or points to options, whose texts are null or end with a zero byte.
pub(crate) unsafe fn opening(options: *const MwOptions) -> Result<Opener, Refused> {
    // SAFETY: the caller's contract.
    let given = unsafe { options.as_ref() }.copied().unwrap_or_else(|| mw_options_default());
    let mut opening = Opener::new()
        .companions(given.companions)
        .textures(given.textures)
        .limits(Limits::default().with_memory(given.max_memory))
        .lenient(given.lenient);
    // SAFETY: the caller's contract.
    let (format, dialect_name) = unsafe { (optional_text(given.format)?, optional_text(given.dialect)?) };
    if let Some(name) = format {
        let unknown = |_| Refused::Argument("unknown format; mw_format lists all");
        opening = opening.format(name.parse::<Format>().map_err(unknown)?);
    }
    opening = opening.dialect(dialect_name.map(dialect).transpose()?);
    Ok(opening)
}

/// A dialect that some format has.
pub(crate) fn dialect(name: &str) -> Result<Dialect, Refused> {
    name.parse().map_err(|_| Refused::Argument("unknown dialect; mw_format_dialect lists all"))
}
