//! Results with names. Their classes are Python's own named tuples, in `ggp._results`, so that they print and pickle.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The result of the class `name` in `ggp._results`, with the members `members`.
pub(crate) fn named<'py>(
    py: Python<'py>,
    name: &str,
    members: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("ggp._results")?.unbind()))?.bind(py);
    module.getattr(name)?.call1(members)
}
