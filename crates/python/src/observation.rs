//! Methods of `Batch` that show the facts and percepts of all lanes.

use crate::batch::Batch;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

impl Batch {
    fn fluents(&self, py: Python<'_>) -> PyResult<usize> {
        self.fluents.ok_or_else(|| self.without_network(py))
    }
}

#[pymethods]
impl Batch {
    /// The facts of all lanes.
    ///
    /// Args:
    ///     layout: `"rows"` for one row of fluents a lane, shape (n, F); `"facts"` for one row of lanes a fluent, shape
    ///         (F, n); `"packed"` for bits, a uint64 array of shape (n, ceil(F / 64)), lowest bit first; `"planes"` for the
    ///         board as channels of an image, shape (n, C, height, width), top row first. F is `len(game.fluents)`, C is
    ///         `len(game.planes)`, which names the channels.
    ///     dtype: `"bool"`, `"uint8"` or `"float32"`. Packed rows are always uint64.
    ///     out: An array of that shape and dtype to fill, instead of a new one.
    ///     role: The role that observes. It makes a difference in a game of hidden information alone: the columns are then
    ///         the percepts of `game.percepts(role)`, of which each lane shows those of its last step, and the layout must
    ///         be `"rows"`. Without a role everything is shown.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network.
    ///     ValueError: If the layout is planes and no board is inferred from the rules.
    #[pyo3(signature = (layout = "rows", dtype = "bool", out = None, *, role = None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        layout: &str,
        dtype: &str,
        out: Option<Bound<'py, PyAny>>,
        role: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let fluents = self.fluents(py)?;
        let observer = role.map(|role| self.game.role(role)).transpose()?;
        let observer = observer.filter(|_| self.game.game.has_percepts());
        let is_float = match dtype {
            "bool" | "uint8" => false,
            "float32" => true,
            _ => return Err(PyValueError::new_err(format!("dtype is bool, uint8 or float32, not {dtype}"))),
        };
        let percepts =
            observer.and_then(|role| self.game.read(py, |reasoner| Some(reasoner.percepts_of(role)?.len())));
        let (shape, is_rows) = match layout {
            "rows" if percepts.is_some() => ([self.lanes, percepts.unwrap_or(0)], true),
            "facts" | "packed" | "planes" if percepts.is_some() => {
                return Err(PyValueError::new_err("what a role observes has the layout rows"));
            }
            "packed" => {
                let words = fluents.div_ceil(64);
                return self.filled(py, out, &[self.lanes, words], "uint64", |batch, out| {
                    batch.write_packed_fluents(words, out)
                });
            }
            "planes" => {
                let planes = self.game.planes(py)?;
                let shape = [self.lanes, planes.names.len(), planes.height, planes.width];
                return if is_float {
                    self.filled(py, out, &shape, dtype, |batch, out: &mut [f32]| {
                        batch.write_planes(planes, out)
                    })
                } else {
                    self.filled(py, out, &shape, dtype, |batch, out: &mut [u8]| {
                        batch.write_planes(planes, out)
                    })
                };
            }
            "rows" => ([self.lanes, fluents], true),
            "facts" => ([fluents, self.lanes], false),
            _ => {
                return Err(PyValueError::new_err(format!(
                    "layout is rows, facts, packed or planes, not {layout}"
                )));
            }
        };
        let write = move |batch: &mut ggp::Batch, out: &mut [u8]| match (observer, percepts) {
            (Some(role), Some(percepts)) => batch.write_percepts(role, percepts, out),
            _ if is_rows => batch.write_fluents(fluents, out),
            _ => batch.write_facts(out),
        };
        if is_float {
            return self.filled(py, out, &shape, dtype, |batch, out: &mut [f32]| {
                let mut bytes = vec![0; out.len()];
                write(batch, &mut bytes)?;
                out.iter_mut().zip(bytes).for_each(|(out, byte)| *out = f32::from(byte));
                Ok(())
            });
        }
        self.filled(py, out, &shape, dtype, write)
    }

    /// `observe()`: the facts of each lane, a bool array of shape (n, F).
    #[getter]
    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.observe(py, "rows", "bool", None, None)
    }

    /// The states as bits, a uint64 array of shape (n, ceil(F / 64)): `observe("packed")`.
    fn pack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.observe(py, "packed", "bool", None, None)
    }
}
