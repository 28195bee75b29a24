//! Steps with moves that the caller chooses.

use super::{Episodes, Lanes, programs};
use crate::lanes::set_rows;
use crate::rows::Row;
use crate::select::NO_MOVE;
use std::sync::Arc;

/// An action that is not legal, or a missing action of a role that has a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IllegalAction {
    /// The lane.
    pub lane: usize,
    /// The index of the role.
    pub role: usize,
    /// The action, or a negative number if it is missing.
    pub action: i32,
}

/// Actions that [`Episodes::check`] has checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The lanes in which a role has no legal move.
    stuck: Lanes,
    /// The lanes with an action that is not legal.
    wrong: Lanes,
    /// For each role, the lanes without an action.
    open: Vec<Lanes>,
    faults: Vec<IllegalAction>,
}

impl Checked {
    /// An action that is not legal. `None` if all of them are.
    pub fn fault(&self) -> Option<IllegalAction> {
        self.faults.first().copied()
    }
}

impl Episodes {
    /// Makes a step in each lane whose episode is not over. `actions` has one action for each lane and role. In lanes
    /// whose episodes are over, actions do not count. A negative action stands for the only legal move of the role,
    /// and for a drawn one if the role is chance.
    ///
    /// # Errors
    /// An illegal action. No lane has changed then.
    pub fn step(&mut self, actions: &[i32]) -> Result<(), IllegalAction> {
        let checked = self.check(actions);
        checked.fault().map_or(Ok(()), Err)?;
        self.step_checked(actions, &checked);
        Ok(())
    }

    /// Checks that `actions` are legal. No lane changes.
    pub fn check(&mut self, actions: &[i32]) -> Checked {
        let roles = self.shared.net.roles.len();
        self.evaluate_legal();
        let (mut wrong, mut stuck, mut faults) = (Row::ZERO, Row::ZERO, Vec::new());
        let mut open = vec![Row::ZERO; roles];
        for (role, open) in open.iter_mut().enumerate() {
            let (any, several) = self.counted(role);
            stuck |= self.moving() & !any;
            let is_chance = self.shared.nature == Some(role);
            let first = self.move_rows(role).start;
            (self.moving() & any).for_each_lane(|lane| {
                let action = actions[lane * roles + role];
                let is_legal = if action < 0 {
                    open.set(lane);
                    is_chance || !several.has(lane)
                } else {
                    let row = self.row_of()[role].get(action as usize).copied().unwrap_or(NO_MOVE);
                    row != NO_MOVE && self.rows[first + row as usize].has(lane)
                };
                if !is_legal {
                    wrong.set(lane);
                    faults.push(IllegalAction { lane, role, action });
                }
            });
        }
        faults.retain(|fault| !stuck.has(fault.lane));
        Checked { stuck, wrong: wrong & !stuck, open, faults }
    }

    /// The same step as that of [`Episodes::step`], with `actions` that have been checked. In a lane with an illegal
    /// action the episode is over without a step: the roles at fault get the goal 0, and the others get 100.
    pub fn step_checked(&mut self, actions: &[i32], checked: &Checked) {
        let roles = self.shared.net.roles.len();
        for (role, &open) in checked.open.iter().enumerate() {
            self.choose(role, open, actions);
        }
        self.advance(checked.stuck, checked.wrong);
        checked.wrong.for_each_lane(|lane| self.goals[lane * roles..][..roles].fill(100));
        for fault in &checked.faults {
            self.goals[fault.lane * roles + fault.role] = 0;
        }
    }

    /// Replaces the legal moves of `role` by the chosen ones. In the lanes of `open`, the only legal move is chosen, or
    /// a drawn one.
    fn choose(&mut self, role: usize, open: Lanes, actions: &[i32]) {
        let roles = self.shared.net.roles.len();
        let range = self.move_rows(role);
        let given = self.moving() & !open;
        let is_drawn = self.shared.nature == Some(role) && open.any();
        if is_drawn {
            self.draw(role);
        }
        let shared = Arc::clone(&self.shared);
        let choice = &programs(&shared).phases[self.at].program.choices[role];
        let (row_of, at) = (Arc::clone(&self.row_of), self.at);
        let row = |lane: usize| row_of[at][role].get(actions[lane * roles + role] as usize).copied();
        let Some(sets) = &choice.sets else {
            self.rows[range.clone()].iter_mut().for_each(|row| *row &= open);
            given.for_each_lane(|lane| {
                if let Some(row) = row(lane).filter(|&row| row != NO_MOVE) {
                    self.rows[range.start + row as usize].set(lane);
                }
            });
            return;
        };
        let mut chosen = std::mem::take(&mut self.chosen[role]);
        if !is_drawn {
            chosen.fill(NO_MOVE);
            for (at, row) in (0..).zip(&self.rows[range]) {
                (*row & open).for_each_lane(|lane| chosen[lane] = at);
            }
        }
        given.for_each_lane(|lane| chosen[lane] = row(lane).unwrap_or(NO_MOVE));
        set_rows(&mut self.rows, sets, &chosen);
        self.chosen[role] = chosen;
    }

    /// The lanes in which `role` has a legal move, and those in which it has several.
    pub(super) fn counted(&self, role: usize) -> (Lanes, Lanes) {
        let (mut any, mut several) = (Row::ZERO, Row::ZERO);
        for &row in &self.rows[self.move_rows(role)] {
            several |= any & row;
            any |= row;
        }
        (any, several)
    }
}
