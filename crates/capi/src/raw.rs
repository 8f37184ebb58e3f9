//! Between C's pointers and Rust's references.

use facade::Error;
use std::ffi::{CStr, c_char};
use std::path::Path;
use std::ptr;

/// A text: UTF-8, without a zero byte at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MwText {
    /// Its first byte.
    pub bytes: *const c_char,
    /// The number of bytes.
    pub length: usize,
}

impl MwText {
    pub(crate) const NONE: Self = Self { bytes: ptr::null(), length: 0 };

    pub(crate) const fn new(text: &str) -> Self {
        Self { bytes: text.as_ptr().cast(), length: text.len() }
    }
}

/// Why a call gives nothing.
pub(crate) enum Refused {
    /// An invalid argument.
    Argument(&'static str),
    /// The library says no.
    Error(Error),
}

impl<E: Into<Error>> From<E> for Refused {
    fn from(e: E) -> Self {
        Self::Error(e.into())
    }
}

/// Frees a handle.
///
/// # Safety
/// It is null, or was made by [`new_handle`](crate::call::new_handle) and not freed.
pub(crate) unsafe fn freed<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: it came from a box and is owned by the caller.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// A handle.
///
/// # Safety
/// It is null, or was made by [`new_handle`](crate::call::new_handle), is not freed while the reference lives, and is not written to.
pub(crate) unsafe fn borrow_handle<'a, T>(handle: *const T) -> Result<&'a T, Refused> {
    // SAFETY: as the contract has it.
    unsafe { handle.as_ref() }.ok_or(Refused::Argument("a handle is NULL"))
}

/// A handle that is changed.
///
/// # Safety
/// As [`borrow_handle`], and nothing else uses it meanwhile.
pub(crate) unsafe fn used<'a, T>(handle: *mut T) -> Result<&'a mut T, Refused> {
    // SAFETY: as the contract has it.
    unsafe { handle.as_mut() }.ok_or(Refused::Argument("a handle is NULL"))
}

/// Writes to a place of the caller's, where there is one.
///
/// # Safety
/// `out` is null, or may be written to.
pub(crate) unsafe fn write_out<T>(out: *mut T, value: T) -> bool {
    if out.is_null() {
        return false;
    }
    // SAFETY: it is not null, and may be written to by the contract.
    unsafe { out.write(value) };
    true
}

/// An array of the caller's; none for a length of 0.
///
/// # Safety
/// Unless `length` is 0, `first` is null or points to so many items that live and stay as they are while they are used.
pub(crate) unsafe fn items<'a, T>(first: *const T, length: usize) -> Result<&'a [T], Refused> {
    if length == 0 {
        return Ok(&[]);
    }
    if first.is_null() || !fits::<T>(length) {
        return Err(Refused::Argument("an array is NULL, or longer than memory"));
    }
    // SAFETY: not null, of a length that fits; the rest is the contract.
    Ok(unsafe { std::slice::from_raw_parts(first, length) })
}

/// Writes to an array of the caller's, where there is one. No reference is made to it: it may hold nothing yet.
///
/// # Safety
/// `out` is null, or so many items may be written to it, which nothing else uses meanwhile.
pub(crate) unsafe fn put_all<T: Copy>(out: *mut T, items: &[T]) -> bool {
    if out.is_null() {
        return false;
    }
    // SAFETY: not null, of that length by the contract, and none of our own memory.
    unsafe { ptr::copy_nonoverlapping(items.as_ptr(), out, items.len()) };
    true
}

fn fits<T>(length: usize) -> bool {
    length.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok())
}

/// Reads a text that ends with a zero byte.
///
/// # Safety
/// It is null, or ends with a zero byte and lives while it is used.
unsafe fn ended<'a>(text: *const c_char) -> Result<&'a CStr, Refused> {
    if text.is_null() {
        return Err(Refused::Argument("a text is NULL"));
    }
    // SAFETY: not null; the rest is the contract.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// A text that ends with a zero byte.
///
/// # Safety
/// It is null, or ends with a zero byte and lives while it is used.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Refused> {
    // SAFETY: as the contract has it.
    let text = unsafe { ended(text) }?;
    text.to_str().map_err(|_| Refused::Argument("a text is not UTF-8"))
}

/// A text that ends with a zero byte; `None` for null.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn optional_text<'a>(word: *const c_char) -> Result<Option<&'a str>, Refused> {
    // SAFETY: as the contract has it.
    (!word.is_null()).then(|| unsafe { text(word) }).transpose()
}

/// A path that ends with a zero byte: on Unix any bytes, elsewhere UTF-8.
///
/// # Safety
/// It is null, or ends with a zero byte and lives while it is used.
pub(crate) unsafe fn os_path<'a>(path: *const c_char) -> Result<&'a Path, Refused> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        // SAFETY: as the contract has it.
        let path = unsafe { ended(path) }?;
        Ok(Path::new(std::ffi::OsStr::from_bytes(path.to_bytes())))
    }
    #[cfg(not(unix))]
    // SAFETY: as the contract has it.
    Ok(Path::new(unsafe { text(path) }?))
}
