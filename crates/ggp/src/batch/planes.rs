//! The facts of a batch as planes of the board.

use super::{Batch, each};
use crate::batch_error::BatchError;
use crate::board::Planes;

impl Batch {
    /// Writes the facts of each lane as planes: lane after lane, plane after plane, row after row. `planes` are those of
    /// the facts of [`Reasoner::fluents`](crate::Reasoner::fluents). Squares are 0 or 1.
    ///
    /// # Errors
    /// [`BatchError::NoNetwork`].
    ///
    /// # Examples
    /// ```
    /// use ggp::{Batch, BatchOptions, Reasoner};
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    /// let mut reasoner = Reasoner::new(&ggp::load("games/tic_tac_toe.kif")?)?;
    /// let model = ggp::board::of_game(&mut reasoner);
    /// let planes = model.planes(&reasoner.fluents().expect("a network")).expect("a board");
    /// assert_eq!((planes.height, planes.width), (3, 3));
    /// let mut batch = Batch::new(&reasoner, 2, &BatchOptions::default())?;
    /// let mut out = vec![0f32; 2 * planes.names.len() * 9];
    /// batch.write_planes(&planes, &mut out)?;
    /// let of_first = &out[..planes.names.len() * 9];
    /// let turn = planes.names.iter().position(|name| name == "(control x)").expect("a plane");
    /// assert_eq!(of_first[turn * 9..][..9], [1.0; 9]);
    /// let marks = planes.names.iter().position(|name| name == "(cell ?x ?y o)").expect("a plane");
    /// assert_eq!(of_first[marks * 9..][..9], [0.0; 9]);
    /// # Ok::<(), ggp::Error>(())
    /// ```
    pub fn write_planes<T: Copy + From<u8> + Send>(
        &mut self,
        planes: &Planes,
        out: &mut [T],
    ) -> Result<(), BatchError> {
        let size = planes.size();
        let words = planes.places.len().div_ceil(64);
        let (pool, mut parts) = self.parts(out, size)?;
        each(pool, &mut parts, |(block, out)| {
            let mut packed = vec![0; block.lanes() * words];
            block.write_packed_fluents(words, &mut packed);
            let lanes = packed.chunks(words.max(1)).zip(out.chunks_mut(size.max(1)));
            lanes.for_each(|(words, out)| planes.write(words, out));
        });
        Ok(())
    }
}
