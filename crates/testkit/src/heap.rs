//! Measures the heap memory and the running time of code.
//!
//! A test program enables it once with `#[global_allocator] static ALLOCATOR: Counting = Counting;`.
#![allow(unsafe_code, reason = "an allocator has to implement an unsafe trait")]

use crate::deadline::Stopwatch;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

/// The system's allocator, which counts the memory of every thread.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

thread_local! {
    /// The bytes in use. It is negative if another thread freed memory of this thread.
    static NOW: Cell<isize> = const { Cell::new(0) };
    /// The maximum number of bytes in use since the measurement began.
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn count_allocation(size: usize) {
    // A thread that ends no longer has these variables.
    let _ = NOW.try_with(|now| {
        now.set(now.get().wrapping_add_unsigned(size));
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now.get())));
        let _ = CALLS.try_with(|calls| calls.set(calls.get().wrapping_add(1)));
    });
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_allocation(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        let _ = NOW.try_with(|now| now.set(now.get().wrapping_sub_unsigned(layout.size())));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_allocation(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }
    // The default `realloc` is used: a growing block counts twice while it is copied, as it may really be.
}

/// The cost of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The maximum heap memory in bytes, in addition to the memory in use before. The memory of the result
    /// counts.
    pub peak: usize,
    /// The number of allocations.
    pub calls: usize,
    /// The working time of the thread.
    pub time: Duration,
}

/// Returns the result of `f`, and its cost for this thread. Threads that `f` starts are measured separately.
///
/// # Panics
/// If the program does not use [`Counting`].
pub fn measured<T>(f: impl FnOnce() -> T) -> (T, Cost) {
    let watch = Stopwatch::start();
    let (answer, peak, calls) = count_allocations(f);
    (answer, Cost { peak, calls, time: watch.elapsed() })
}

/// Returns the result of `f`, and [`Cost::peak`] without the rest, which takes longer to measure.
///
/// # Panics
/// If the program does not use [`Counting`].
pub fn peak_of<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let (answer, peak, _) = count_allocations(f);
    (answer, peak)
}

/// Returns the result of `f`, and what it allocates: the peak and the calls.
fn count_allocations<T>(f: impl FnOnce() -> T) -> (T, usize, usize) {
    let (calls, outer) = (CALLS.get(), PEAK.get());
    drop(std::hint::black_box(Box::new(0_u8)));
    assert!(CALLS.get() != calls, "`Counting` is not the global allocator");
    let (before, calls) = (NOW.get(), CALLS.get());
    PEAK.set(before);
    let answer = f();
    let peak = usize::try_from(PEAK.get().wrapping_sub(before)).unwrap_or(0);
    let calls = CALLS.get().wrapping_sub(calls);
    PEAK.set(outer.max(PEAK.get()));
    (answer, peak, calls)
}
