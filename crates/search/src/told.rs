//! What other searches have of a node (see [`crate::exchange`]).

/// The part of the statistics of a node that the other searches have.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// The hash of the state, because another node may get the place of one that was recycled.
    pub(crate) state: u64,
    pub(crate) visits: u32,
    /// The sum of each role's shares.
    pub(crate) totals: Vec<f64>,
    /// The visits and the sum of each arm.
    pub(crate) arms: Vec<(u32, f64)>,
}
