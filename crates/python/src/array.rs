//! Arrays of numpy: made for the caller, or the caller's own, checked.

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Ok(MODULE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy")?.unbind()))?.bind(py))
}

/// An array of `shape` that a call fills. The result is the caller's array `out`, or a new one. A bool array is filled
/// as an array of bytes that are 0 or 1.
pub(crate) struct Output<'py, T> {
    filled: Bound<'py, PyArrayDyn<T>>,
    result: Bound<'py, PyAny>,
}

impl<'py, T: Element> Output<'py, T> {
    pub(crate) fn new(
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
        shape: &[usize],
        dtype: &str,
    ) -> PyResult<Output<'py, T>> {
        let result = match out {
            Some(out) => {
                checked(&out, shape, dtype)?;
                out
            }
            None => numpy(py)?.call_method1("empty", (shape.to_vec(), dtype))?,
        };
        let filled = if dtype == "bool" { result.call_method1("view", ("uint8",))? } else { result.clone() };
        Ok(Output { filled: filled.cast_into()?, result })
    }

    /// Fills the array by `fill`, without the interpreter lock, and returns it.
    pub(crate) fn fill<E: Send>(
        self,
        py: Python<'py>,
        fill: impl FnOnce(&mut [T]) -> Result<(), E> + Send,
        failed: impl FnOnce(E) -> PyErr,
    ) -> PyResult<Bound<'py, PyAny>>
    where
        T: Send,
    {
        let mut array = self
            .filled
            .try_readwrite()
            .map_err(|_| PyValueError::new_err("the array is in use by another call, or it is read-only"))?;
        let slice = array.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;
        py.detach(|| fill(slice)).map_err(failed)?;
        Ok(self.result)
    }
}

/// Checks the array that a caller gives for the result.
fn checked(out: &Bound<'_, PyAny>, shape: &[usize], dtype: &str) -> PyResult<()> {
    let wanted = format!("out must be a C-contiguous array of shape {} and dtype {dtype}", tuple(shape));
    let Ok(array) = out.cast::<numpy::PyUntypedArray>() else {
        return Err(PyTypeError::new_err(format!("{wanted}, not {}", out.get_type().name()?)));
    };
    let found = array.dtype().getattr("name")?.extract::<String>()?;
    if found != dtype {
        return Err(PyTypeError::new_err(format!("{wanted}; its dtype is {found}")));
    }
    if array.shape() != shape {
        return Err(PyValueError::new_err(format!("{wanted}; its shape is {}", tuple(array.shape()))));
    }
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err(format!("{wanted}; it is not C-contiguous")));
    }
    Ok(())
}

/// A shape as Python writes it.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The items and the shape of the array `given`, which `name` names in errors. Its dtype must be of one of `kinds`
/// (letters of numpy); its items become items of `dtype`.
pub(crate) fn input<T: Element + Copy>(
    given: &Bound<'_, PyAny>,
    name: &str,
    kinds: &str,
    dtype: &str,
) -> PyResult<(Vec<T>, Vec<usize>)> {
    let numpy = numpy(given.py())?;
    let array = numpy.call_method1("asarray", (given,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !kinds.contains(&kind) {
        let found: String = array.getattr("dtype")?.getattr("name")?.extract()?;
        let message = format!("{name} must be an array of dtype {dtype}, not {found}");
        return Err(PyTypeError::new_err(message));
    }
    let array = numpy.call_method1("ascontiguousarray", (array, dtype))?;
    let array = array.cast_into::<PyArrayDyn<T>>()?;
    let shape = array.shape().to_vec();
    let items = array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let items = items.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))?.to_vec();
    Ok((items, shape))
}

/// The error for an array `name` of a wrong shape.
pub(crate) fn wrong_shape(name: &str, found: &[usize], wanted: &[&[usize]]) -> PyErr {
    let wanted: Vec<String> = wanted.iter().map(|shape| tuple(shape)).collect();
    PyValueError::new_err(format!("{name} must have the shape {}, not {}", wanted.join(" or "), tuple(found)))
}
