//! Memory of the library as numpy arrays, without copies.
//!
//! Only [`borrowed`] contains `unsafe` code in this crate. An array that numpy does not own must not outlive its
//! memory, and that memory must not change while the array exists. Here the memory belongs to an `O` in an [`Arc`]:
//!
//! * It outlives the array, which holds an [`Owner`] with a reference of its own.
//! * It neither moves nor changes. The closure maps every `&'a O` to a slice of `'a`, so that the slice is borrowed
//!   from the data of the reference. As long as the owner's reference exists, no code has a `&mut O`, because an
//!   `Arc` gives that only to a single holder. A type with interior mutability returns no such slice of data that it
//!   can change.
//! * Python cannot write to it: the array is read-only from the start, and numpy does not allow to reverse this,
//!   because the owner of its memory is not a writable buffer.

use numpy::ndarray::{ArrayView, Dimension};
use numpy::{Element, Ix1, Ix2, PyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::any::Any;
use std::sync::Arc;

/// The owner of the memory of arrays.
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
