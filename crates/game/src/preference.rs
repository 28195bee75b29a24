//! Moves that random playouts prefer (in the manner of MAST, the move-average sampling technique of
//! Finnsson & Björnsson 2008, with two classes of moves instead of a weight for each).

use crate::{Move, Role};

/// So many playouts one after the other share the preference out among them.
const CYCLE: u64 = 8;

/// The preferred moves of every role, and how many playouts prefer them.
///
/// A playout that prefers draws among those of its legal moves that are preferred, if there are any;
/// else, and in all other playouts, it draws among all of them. Whether a playout prefers depends on
/// its number alone, so results are the same on every machine.
#[derive(Clone, Debug)]
pub struct Preference {
    of_role: Vec<Vec<bool>>,
    playouts: u64,
}

impl Preference {
    /// For no moves yet of `roles` roles, and for this `share` of playouts, between 0 and 1, rounded
    /// to eighths.
    pub fn new(roles: usize, share: f64) -> Preference {
        let playouts = (share.clamp(0.0, 1.0) * CYCLE as f64).round() as u64;
        Preference { of_role: vec![Vec::new(); roles], playouts }
    }

    /// Prefers `mv` of `role`.
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
    pub fn is_felt(&self) -> bool {
        self.playouts > 0 && !self.of_role.iter().all(Vec::is_empty)
    }

    /// Whether the playout of this number prefers.
    pub fn applies(&self, playout: u64) -> bool {
        playout % CYCLE < self.playouts
    }

    /// Leaves only the preferred ones of `role`'s `legal` moves, if there are any.
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
