//! Errors of the library as exceptions of Python. Their classes are Python's own, in `ggp._errors`, so that they pickle.

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The exception of the class `name` in `ggp._errors`, with `arguments`.
pub(crate) fn exception<A>(py: Python<'_>, name: &'static str, arguments: A) -> PyErr
where
    A: pyo3::PyErrArguments + Send + Sync + 'static,
{
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let class = MODULE
        .get_or_try_init(py, || Ok::<_, PyErr>(py.import("ggp._errors")?.unbind()))
        .and_then(|module| Ok(module.bind(py).getattr(name)?.cast_into::<PyType>()?));
    match class {
        Ok(class) => PyErr::from_type(class, arguments),
        Err(error) => error,
    }
}

/// The exception for rules that cannot be loaded.
pub(crate) fn of_load(py: Python<'_>, error: &ggp::LoadError, text: &[u8]) -> PyErr {
    let line = |at: usize| text[..at.min(text.len())].split(|&byte| byte == b'\n').count();
    let findings: Vec<(String, String, usize, String, Option<String>)> = error
        .diagnostics()
        .iter()
        .map(|one| {
            let severity = if one.severity == ggp::Severity::Error { "error" } else { "warning" };
            (
                severity.to_owned(),
                one.code.to_owned(),
                line(one.span.start),
                one.message.clone(),
                one.help.clone(),
            )
        })
        .collect();
    if findings.is_empty() {
        return PyErr::new::<pyo3::exceptions::PyFileNotFoundError, _>(error.to_string());
    }
    exception(py, "RulesError", (error.to_string(), findings))
}

/// The exception for an error of the library.
pub(crate) fn of(py: Python<'_>, error: &ggp::Error) -> PyErr {
    let message = error.to_string();
    match error {
        ggp::Error::Batch(error) => of_batch(py, error),
        ggp::Error::JointMove(_) => exception(py, "IllegalMoveError", (message,)),
        ggp::Error::UnknownRole(_) => PyKeyError::new_err(message),
        ggp::Error::Eval(_) | ggp::Error::Build(_) => exception(py, "EvaluationError", (message,)),
        _ => PyValueError::new_err(message),
    }
}

/// The exception for an error of an evaluation.
pub(crate) fn of_eval(py: Python<'_>, error: &ggp::EvalError) -> PyErr {
    exception(py, "EvaluationError", (error.to_string(),))
}

/// The exception for an error of a batch.
pub(crate) fn of_batch(py: Python<'_>, error: &ggp::BatchError) -> PyErr {
    let message = error.to_string();
    match error {
        ggp::BatchError::Illegal { .. } => {
            let mend =
                "; legal(role) shows the legal actions, and illegal=\"end\" ends such episodes instead";
            exception(py, "IllegalMoveError", (format!("{message}{mend}"),))
        }
        ggp::BatchError::NoNetwork => exception(py, "NoNetworkError", (message,)),
        ggp::BatchError::Eval(_) => exception(py, "EvaluationError", (message,)),
        _ => PyValueError::new_err(message),
    }
}
