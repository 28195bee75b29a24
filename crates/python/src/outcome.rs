//! Getters of `Batch` that tell how the episodes of all lanes stand: ends, rewards, steps, turns.

use crate::batch::Batch;
use pyo3::prelude::*;

#[pymethods]
impl Batch {
    /// Whether each episode is over by the rules, or by an illegal action: a bool array of shape (n,).
    #[getter]
    fn terminated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.of_lanes(py, "bool", |batch, out| batch.write_terminated(out))
    }

    /// Whether each episode is over without a terminal state, at `max_steps` or because a role has no legal move: a bool
    /// array of shape (n,).
    #[getter]
    fn truncated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.of_lanes(py, "bool", |batch, out| batch.write_truncated(out))
    }

    /// The rewards of the last step, a float32 array of shape (n, R): where it ended an episode, the goals divided by 100,
    /// from 0 to 1; elsewhere 0.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let roles = self.roles;
        self.filled(py, None, &[self.lanes, roles], "float32", |batch, out: &mut [f32]| {
            out.fill(0.0);
            batch.for_each_ended(|lane| {
                for (reward, &goal) in out[lane * roles..].iter_mut().zip(batch.goals(lane)) {
                    *reward = f32::from(goal) / 100.0;
                }
            });
            Ok(())
        })
    }

    /// The goals of all roles in each lane's last state, a uint8 array of shape (n, R) with values from 0 to 100; 0 while
    /// the episode runs.
    #[getter]
    pub(crate) fn goals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let roles = self.roles;
        self.filled(py, None, &[self.lanes, roles], "uint8", |batch, out: &mut [u8]| {
            let parts = out.chunks_mut(roles).enumerate();
            parts.for_each(|(lane, out)| out.copy_from_slice(batch.goals(lane)));
            Ok(())
        })
    }

    /// The number of steps of each episode, a uint32 array of shape (n,).
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.of_lanes(py, "uint32", |batch, out| batch.write_steps(out))
    }

    /// The number of each lane's episode, from 0: a uint32 array of shape (n,).
    #[getter]
    fn episodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.of_lanes(py, "uint32", |batch, out| batch.write_episodes(out))
    }

    /// The number of the role whose turn it is in each lane, an int8 array of shape (n,): the only role with a choice. If no
    /// role has one, it is a role that does more than wait, as far as the network tells. -1 where several roles choose,
    /// and where the episode is over. Chance does not count.
    #[getter]
    fn current_player<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.of_lanes(py, "int8", ggp::Batch::write_turns)
    }
}

impl Batch {
    /// An array with one item for each lane, which `write` fills.
    fn of_lanes<'py, T: numpy::Element + Send>(
        &self,
        py: Python<'py>,
        dtype: &str,
        write: impl FnOnce(&mut ggp::Batch, &mut [T]) + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.filled(py, None, &[self.lanes], dtype, |batch, out| {
            write(batch, out);
            Ok(())
        })
    }
}
