//! Memory of the library's as arrays of numpy's, without copies.

use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Rows of `N` numbers, read-only.
///
/// # Safety
/// `rows` stay as they are, where they are, for as long as `owner` lives.
pub(crate) unsafe fn rows<'py, T: Element, const N: usize>(
    rows: &[[T; N]],
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let view = ArrayView2::from_shape((rows.len(), N), rows.as_flattened());
    let view = view.map_err(|e| PyValueError::new_err(e.to_string()))?;
    // SAFETY: the contract of this function is that of the call.
    let array = unsafe { PyArray2::borrow_from_array(&view, owner) };
    array.try_readwrite()?.make_nonwriteable();
    Ok(array)
}

/// Numbers, read-only.
///
/// # Safety
/// As [`rows`].
pub(crate) unsafe fn numbers<'py, T: Element>(
    numbers: &[T],
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    // SAFETY: the contract of this function is that of the call.
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(numbers), owner) };
    array.try_readwrite()?.make_nonwriteable();
    Ok(array)
}
