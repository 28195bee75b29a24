//! The outcomes of ended playouts. An outcome is the goals of all roles. Most games have few outcomes, so the lanes
//! are divided by outcome, by operations on whole rows.

use crate::gate::Literal;
use crate::net::NetRole;
use crate::rows::Row;
use ggp_game::Goals;

/// The outcomes of some lanes.
#[derive(Clone, Default, Debug)]
pub(crate) struct Outcomes<const W: usize> {
    /// For each outcome, its lanes.
    lanes: Vec<Row<W>>,
    /// For each outcome, the goals of each role.
    goals: Vec<Goals>,
    /// The index of each lane's outcome in binary, with one row for each digit, lowest digit first.
    digits: Vec<Row<W>>,
    roles: usize,
}

impl<const W: usize> Outcomes<W> {
    /// Finds the outcomes of `lanes`, of which there must be at least one. `rows` holds the values of `goals`, a
    /// literal for each goal of each role in `roles`.
    pub(crate) fn find(
        &mut self,
        lanes: Row<W>,
        rows: &[Row<W>],
        goals: &[Vec<Literal<u32>>],
        roles: &[NetRole],
    ) {
        // 1. At first all lanes have one outcome without goals. Each goal divides outcomes into those lanes in which
        //    it holds and the others.
        self.roles = roles.len();
        self.lanes.clear();
        self.lanes.push(lanes);
        self.goals.clear();
        self.goals.resize(roles.len(), Goals::None);
        for (role, (literals, of_role)) in goals.iter().zip(roles).enumerate() {
            // The last literal belongs to `bad_goal`: a `goal` whose value is invalid.
            let values = of_role.goals.iter().map(|&(goal, _)| Some(goal)).chain([None]);
            for (&(row, negated), goal) in literals.iter().zip(values) {
                let mut holding = rows[row as usize].negated_if(negated) & lanes;
                for outcome in 0..self.lanes.len() {
                    if !holding.any() {
                        break;
                    }
                    let inside = self.lanes[outcome] & holding;
                    if !inside.any() {
                        continue;
                    }
                    holding &= !inside;
                    let outside = self.lanes[outcome] & !inside;
                    let mut changed = outcome * self.roles;
                    if outside.any() {
                        self.lanes[outcome] = outside;
                        self.lanes.push(inside);
                        self.goals.extend_from_within(changed..changed + self.roles);
                        changed = self.goals.len() - self.roles;
                    }
                    let goals = &mut self.goals[changed + role];
                    *goals = goals.and(goal);
                }
            }
        }
        // 2. Number the outcomes in each lane.
        self.digits.clear();
        let digits = usize::BITS - (self.lanes.len() - 1).leading_zeros();
        self.digits.resize(digits as usize, Row::ZERO);
        for (outcome, &lanes) in self.lanes.iter().enumerate() {
            let set = |(at, digit): (usize, _)| (outcome >> at & 1 == 1).then_some(digit);
            for digit in self.digits.iter_mut().enumerate().filter_map(set) {
                *digit |= lanes;
            }
        }
    }

    /// The goals of each role in `lane`.
    #[inline]
    pub(crate) fn goals_of(&self, lane: usize) -> &[Goals] {
        let digits = self.digits.iter().enumerate();
        let outcome: usize = digits.map(|(at, digit)| usize::from(digit.has(lane)) << at).sum();
        &self.goals[outcome * self.roles..][..self.roles]
    }
}

#[cfg(test)]
mod tests {
    use super::Outcomes;
    use crate::net::NetRole;
    use crate::node::Signal;
    use crate::rows::{Bits, Row};
    use ggp_game::{Goal, Goals, rng::mix};

    #[test]
    fn each_lane_has_the_goals_that_hold_in_it() {
        let values = [0, 30, 50, 100].map(|value| Goal::new(value).unwrap());
        let role = || NetRole {
            moves: Vec::new(),
            goals: values.map(|value| (value, Signal::FALSE)).to_vec(),
            bad_goal: None,
            sees: Vec::new(),
        };
        let roles = [role(), role(), role()];
        let mut outcomes = Outcomes::<2>::default();
        for seed in 0..60 {
            // The rows hold in few, half or most of the lanes. Each role reads four goals and one for bad goals.
            let word = |at: u64| {
                let [one, two] = [0, 1].map(|half| mix(seed << 32 | at << 1 | half));
                [one & two, one, one | two, 0, !0][(seed % 5) as usize]
            };
            let rows: Vec<Row<2>> = (0..20).map(|row| Row([word(row), word(row + 100)])).collect();
            let lanes = Row([mix(seed) | 1, mix(seed + 1)]);
            let literal = |role: u32, goal: u32| (role * 5 + goal, (role + goal).is_multiple_of(3));
            let goals: Vec<Vec<_>> =
                (0..3).map(|role| (0..5).map(|goal| literal(role, goal)).collect()).collect();
            outcomes.find(lanes, &rows, &goals, &roles);
            lanes.for_each_lane(|lane| {
                let of_role = |literals: &Vec<(u32, bool)>| {
                    let values = values.into_iter().map(Some).chain([None]);
                    let holding = literals
                        .iter()
                        .zip(values)
                        .filter(|&(&(row, negated), _)| rows[row as usize].negate_if(negated).has(lane));
                    Goals::of(holding.map(|(_, value)| value))
                };
                let expected: Vec<Goals> = goals.iter().map(of_role).collect();
                assert_eq!(outcomes.goals_of(lane), expected, "lane {lane}, seed {seed}");
            });
        }
    }
}
