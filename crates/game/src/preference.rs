//! Preferred moves of random playouts. The technique resembles MAST (move-average sampling technique;
//! Finnsson & Björnsson 2008), with two classes of moves instead of a weight per move.

use crate::{Move, Role};

/// The playouts are divided into groups of this many consecutive playouts. In each group, only the first
/// playouts use the preference. Their number is this constant times the share of playouts that use the
/// preference, rounded.
const CYCLE: u64 = 8;

/// The preferred moves of every role, and the share of playouts that use them.
///
/// A playout that uses the preference draws among the preferred legal moves if there are any. Otherwise, and
/// in all other playouts, it draws among all legal moves. The index of a playout's random stream alone
/// decides whether the playout uses the preference, so results are the same on every machine.
#[derive(Clone, Debug)]
pub struct Preference {
    of_role: Vec<Vec<bool>>,
    playouts: u64,
}

impl Preference {
    /// Makes a preference without moves for `roles` roles. `share`, from 0 to 1, is the share of the
    /// playouts that use the preference. It is rounded to eighths.
    pub fn new(roles: usize, share: f64) -> Preference {
        let playouts = (share.clamp(0.0, 1.0) * CYCLE as f64).round() as u64;
        Preference { of_role: vec![Vec::new(); roles], playouts }
    }

    /// Makes `mv` a preferred move of `role`.
    pub fn add(&mut self, role: Role, mv: Move) {
        let moves = &mut self.of_role[role.index()];
        let at = mv.0 as usize;
        if moves.len() <= at {
            moves.resize(at + 1, false);
        }
        moves[at] = true;
    }

    /// Whether `mv` of `role` is preferred.
    pub fn has(&self, role: Role, mv: Move) -> bool {
        self.of_role[role.index()].get(mv.0 as usize).is_some_and(|&preferred| preferred)
    }

    /// Whether any playout prefers any move.
    pub fn has_effect(&self) -> bool {
        self.playouts > 0 && !self.of_role.iter().all(Vec::is_empty)
    }

    /// Whether the playout whose random stream has the index `playout` uses the preference.
    pub fn applies(&self, playout: u64) -> bool {
        playout % CYCLE < self.playouts
    }

    /// Removes the moves that are not preferred from `legal`, the legal moves of `role`. Keeps all moves if
    /// none of them is preferred.
    pub fn narrow(&self, role: Role, legal: &mut Vec<Move>) {
        if legal.iter().any(|&mv| self.has(role, mv)) {
            legal.retain(|&mv| self.has(role, mv));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Preference;
    use crate::{Move, Role};

    #[test]
    fn preferred_moves_are_left_where_there_are_any() {
        let mut preference = Preference::new(2, 0.25);
        preference.add(Role(1), Move(3));
        preference.add(Role(1), Move(70));
        let narrowed = |role, moves: &[u32]| {
            let mut legal: Vec<Move> = moves.iter().copied().map(Move).collect();
            preference.narrow(role, &mut legal);
            legal.into_iter().map(|mv| mv.0).collect::<Vec<_>>()
        };
        assert_eq!(narrowed(Role(1), &[2, 3, 70, 71]), [3, 70]);
        assert_eq!(narrowed(Role(1), &[2, 71]), [2, 71]);
        assert_eq!(narrowed(Role(0), &[2, 3]), [2, 3]);
        assert_eq!((0..80).filter(|&playout| preference.applies(playout)).count(), 20);
    }
}
