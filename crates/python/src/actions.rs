//! Methods of `Batch` that show and draw the legal actions of all lanes.

use crate::array::{input, wrong_shape};
use crate::batch::Batch;
use ggp::{Role, Rows};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

impl Batch {
    /// The number of columns of a mask.
    fn width(&self, py: Python<'_>, rows: Rows) -> PyResult<usize> {
        let width = match rows {
            Rows::Of(role) => self.moves.get(role.index()).copied(),
            Rows::OfTurns => self.moves.iter().copied().max(),
        };
        width.ok_or_else(|| self.without_network(py))
    }

    fn rows(&self, role: Option<&Bound<'_, PyAny>>) -> PyResult<Rows> {
        role.map_or(Ok(Rows::OfTurns), |role| Ok(Rows::Of(self.game.role(role)?)))
    }
}

#[pymethods]
impl Batch {
    /// The legal actions of all lanes. In lanes whose episodes are over, none is legal.
    ///
    /// Args:
    ///     role: The role, by name or number. By default the role whose turn it is in each lane; in lanes in which several
    ///         roles choose, no action is legal then.
    ///     layout: `"mask"` for a bool array of shape (n, A), where A is `len(game.moves(role))`, and by default that of
    ///         the role with most moves; `"packed"` for bits, a uint64 array of shape (n, ceil(A / 64)); `"csr"` for a
    ///         tuple of two arrays: where the actions of each lane begin, int64 of shape (n + 1,), and the actions, int32.
    ///         The last two need a role.
    ///     out: An array of that shape and dtype to fill, instead of a new one.
    ///
    /// Raises:
    ///     NoNetworkError: If the game has no network and the layout is not `"csr"`.
    #[pyo3(signature = (role = None, layout = "mask", out = None))]
    fn legal<'py>(
        &self,
        py: Python<'py>,
        role: Option<&Bound<'py, PyAny>>,
        layout: &str,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.rows(role)?;
        match (layout, rows) {
            ("mask", rows) => {
                let width = self.width(py, rows)?;
                self.filled(py, out, &[self.lanes, width], "bool", |batch, out| {
                    batch.write_legal(rows, width, out)
                })
            }
            ("packed", Rows::Of(role)) => {
                let words = self.width(py, rows)?.div_ceil(64);
                self.filled(py, out, &[self.lanes, words], "uint64", |batch, out| {
                    batch.write_packed_legal(role, words, out)
                })
            }
            ("csr", Rows::Of(role)) => {
                if out.is_some() {
                    return Err(PyValueError::new_err(
                        "the layout csr makes its arrays itself: leave out `out`",
                    ));
                }
                let (begins, actions) = py.detach(|| self.lock().legal_lists(role));
                let begins = self.filled(py, None, &[begins.len()], "int64", |_, out: &mut [i64]| {
                    out.iter_mut().zip(&begins).for_each(|(out, &begin)| *out = (begin as u64).cast_signed());
                    Ok(())
                })?;
                let actions = self.filled(py, None, &[actions.len()], "int32", |_, out: &mut [i32]| {
                    out.copy_from_slice(&actions);
                    Ok(())
                })?;
                Ok((begins, actions).into_pyobject(py)?.into_any())
            }
            ("packed" | "csr", Rows::OfTurns) => {
                Err(PyValueError::new_err(format!("the layout {layout} needs a role")))
            }
            _ => Err(PyValueError::new_err(format!("layout is mask, packed or csr, not {layout}"))),
        }
    }

    /// `legal()`: the legal actions of the role whose turn it is in each lane, a bool array of shape (n, A).
    #[getter]
    fn legal_action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.legal(py, None, "mask", None)
    }

    /// Draws legal actions.
    ///
    /// Args:
    ///     logits: A float array of shape (n, A). Actions are drawn with probabilities proportional to the exponentials of
    ///         their logits, among the legal ones. Without logits, all legal actions are equally probable, and `step`
    ///         without actions makes the same ones.
    ///     role: With logits, the role that acts; by default the one whose turn it is in each lane.
    ///
    /// Returns:
    ///     An int32 array: of shape (n,) with logits, -1 where the role does not act; else of shape (n, R), -1 in lanes
    ///     whose episodes are over.
    #[pyo3(signature = (logits = None, role = None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        logits: Option<&Bound<'py, PyAny>>,
        role: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(logits) = logits else {
            return self.filled(py, None, &[self.lanes, self.roles], "int32", |batch, out| {
                batch.write_drawn(out);
                Ok(())
            });
        };
        let rows = self.rows(role)?;
        let width = self.width(py, rows)?;
        let (logits, shape) = input::<f32>(logits, "logits", "f", "float32")?;
        if shape != [self.lanes, width] {
            return Err(wrong_shape("logits", &shape, &[&[self.lanes, width]]));
        }
        self.filled(py, None, &[self.lanes], "int32", |batch, out| {
            out.fill(-1);
            match rows {
                Rows::Of(role) => batch.sample(role, &logits, width, |_| true, out),
                Rows::OfTurns => {
                    let mut turns = vec![-1; out.len()];
                    batch.write_turns(&mut turns);
                    for role in 0..self.roles {
                        let own = |lane: usize| turns[lane] == role as i8;
                        batch.sample(Role(role as u8), &logits, width, own, out)?;
                    }
                    Ok(())
                }
            }
        })
    }
}
