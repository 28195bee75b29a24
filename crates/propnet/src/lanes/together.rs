//! Playouts that begin together: idle lanes stay idle until the playouts of all lanes have ended.
//!
//! Guards leave out gates whose guard is false in all lanes. In many games more guards are false if all lanes are
//! in the same step of their playouts: the guards that belong to later steps. The price is the idle lanes.

use crate::rows::Row;

/// Playouts begin together as long as at most one in this many steps of lanes is idle.
const IDLE_AT_MOST: u64 = 4;
/// The first judgement follows after this many sweeps.
const SWEEPS: u64 = 16;

/// Decides whether idle lanes wait.
pub(super) struct Together {
    waits: bool,
    sweeps: u64,
    /// The number of idle lanes, summed over the sweeps.
    idle: u64,
}

impl Together {
    pub(super) fn new(waits: bool) -> Together {
        Together { waits, sweeps: 0, idle: 0 }
    }

    /// Counts a sweep with the running playouts `live`. Returns whether idle lanes wait in this sweep. Once too
    /// many lanes have been idle, they never wait again.
    pub(super) fn holds_back<const W: usize>(&mut self, live: &Row<W>) -> bool {
        if self.waits && live.any() {
            self.sweeps += 1;
            self.idle += (64 * W - live.count()) as u64;
            self.waits = self.sweeps < SWEEPS || self.idle * IDLE_AT_MOST <= self.sweeps * 64 * W as u64;
        }
        self.waits && live.any()
    }
}

#[cfg(test)]
mod tests {
    use super::{IDLE_AT_MOST, SWEEPS, Together};
    use crate::rows::Row;

    #[test]
    fn idle_lanes_wait_unless_too_many_are_idle() {
        let some = |lanes: u64| Row([!0 >> (64 - lanes)]);
        let mut together = Together::new(true);
        for _ in 0..10 * SWEEPS {
            assert!(!together.holds_back(&Row([0])), "all lanes are idle");
            assert!(together.holds_back(&some(64 - 64 / IDLE_AT_MOST)));
        }
        let mut together = Together::new(true);
        let waited = (0..10 * SWEEPS).take_while(|_| together.holds_back(&some(1))).count();
        assert_eq!(waited as u64, SWEEPS - 1);
        assert!(!together.holds_back(&some(64)), "never again");
        assert!(!Together::new(false).holds_back(&some(64)));
    }
}
