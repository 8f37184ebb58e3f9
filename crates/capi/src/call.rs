//! Calls: no panic leaves them, and what they refuse becomes an error.

use crate::raw::Refused;
use crate::status::{MwError, MwStatus};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// Runs what a function of C's does: no panic leaves it, and what it refuses becomes an error.
///
/// # Safety
/// `error` is null, or may be written to.
pub(crate) unsafe fn guarded(
    error: *mut *mut MwError,
    work: impl FnOnce() -> Result<(), Refused>,
) -> MwStatus {
    let (status, made) = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => (MwStatus::Ok, None),
        Ok(Err(Refused::Argument(why))) => (MwStatus::Argument, Some(MwError::new("argument", why))),
        Ok(Err(Refused::Error(error))) => (MwStatus::Failed, Some(MwError::from_failure(&error))),
        Err(_) => {
            (MwStatus::Internal, Some(MwError::new("internal", "a fault of the library: please report it")))
        }
    };
    if !error.is_null() {
        let made = made.map_or(ptr::null_mut(), |e| Box::into_raw(Box::new(e)));
        // SAFETY: it is not null, and may be written to by the contract.
        unsafe { error.write(made) };
    }
    status
}

/// As [`guarded`], for what makes a handle: null where it fails.
///
/// # Safety
/// `out` and `error` are null, or may be written to.
pub(crate) unsafe fn new_handle<T>(
    out: *mut *mut T,
    error: *mut *mut MwError,
    work: impl FnOnce() -> Result<T, Refused>,
) -> MwStatus {
    if !out.is_null() {
        // SAFETY: it is not null, and may be written to by the contract.
        unsafe { out.write(ptr::null_mut()) };
    }
    let place = || {
        if out.is_null() {
            return Err(Refused::Argument("the pointer for the result is NULL"));
        }
        let handle = Box::into_raw(Box::new(work()?));
        // SAFETY: as above.
        unsafe { out.write(handle) };
        Ok(())
    };
    // SAFETY: `error` as the contract has it.
    unsafe { guarded(error, place) }
}
