//! Proven bounds of a goal.

/// Proven bounds of a role's goal under rational play of all roles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) low: u8,
    pub(crate) high: u8,
}

impl Bounds {
    /// Nothing is proved.
    pub(crate) const UNKNOWN: Bounds = Bounds { low: 0, high: 100 };

    /// The goal is exactly `goal`.
    pub(crate) fn exact(goal: u8) -> Bounds {
        Bounds { low: goal, high: goal }
    }

    /// The lower bound as a share.
    pub(crate) fn low_share(self) -> f64 {
        f64::from(self.low) / 100.0
    }

    /// The proven goal; `None` if the bounds differ.
    pub(crate) fn proven(self) -> Option<u8> {
        (self.low == self.high).then_some(self.low)
    }
}
