//! Memory of the library's as arrays of numpy's, without copies.
//!
//! All that is `unsafe` in this crate is [`borrowed`]. An array that numpy does not own must not outlive its memory, nor may
//! that memory change while the array is there. Here it lies in an `O` behind an [`Arc`]:
//!
//! * it outlives the array, which holds an [`Owner`] with a reference of its own as long as it lives itself;
//! * it stays where it is and as it is. The closure takes every `&'a O` to a slice of `'a`, so that the slice is part of
//!   what lies behind the reference, borrowed from it. As long as the owner's reference is there nobody has a `&mut O`, since
//!   an `Arc` gives that to a single holder alone, and a type with interior mutability gives no such slice away of what it
//!   can change;
//! * Python cannot write to it: the array is read-only from the start, and numpy lets nobody turn that back, since what
//!   its memory belongs to is no buffer that can be written to.

use numpy::ndarray::{ArrayView, Dimension};
use numpy::{Element, Ix1, Ix2, PyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::any::Any;
use std::sync::Arc;

/// What arrays are views of.
#[pyclass(frozen, module = "meshwright")]
struct Owner {
    _held: Arc<dyn Any + Send + Sync>,
}

/// Rows of `N` numbers that belong to `owner`, read-only.
pub(crate) fn rows<'py, O: Any + Send + Sync, T: Element, const N: usize>(
    py: Python<'py>,
    owner: &Arc<O>,
    of: impl FnOnce(&O) -> &[[T; N]],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let rows = of(owner);
    let view = ArrayView::<T, Ix2>::from_shape((rows.len(), N), rows.as_flattened());
    let view = view.map_err(|e| PyValueError::new_err(e.to_string()))?;
    // SAFETY: `rows` came of a closure for references of any lifetime.
    unsafe { borrowed(py, owner, &view) }
}

/// Numbers that belong to `owner`, read-only.
pub(crate) fn numbers<'py, O: Any + Send + Sync, T: Element>(
    py: Python<'py>,
    owner: &Arc<O>,
    of: impl FnOnce(&O) -> &[T],
) -> PyResult<Bound<'py, PyArray1<T>>> {
    let view = ArrayView::<T, Ix1>::from(of(owner));
    // SAFETY: the numbers came of a closure for references of any lifetime.
    unsafe { borrowed(py, owner, &view) }
}

/// A view of memory of `owner` as an array that holds it.
///
/// # Safety
/// `view` is what a function of type `for<'a> FnOnce(&'a O) -> &'a [..]` gave for `owner`.
unsafe fn borrowed<'py, O: Any + Send + Sync, T: Element, D: Dimension>(
    py: Python<'py>,
    owner: &Arc<O>,
    view: &ArrayView<'_, T, D>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    let owner = Bound::new(py, Owner { _held: Arc::clone(owner) as _ })?;
    // SAFETY: see the head of this file.
    let array = unsafe { PyArray::borrow_from_array(view, owner.into_any()) };
    array.try_readwrite()?.make_nonwriteable();
    Ok(array)
}
