//! Variables for moves: one for each way in which rules have looked for a move.
//!
//! A variable belongs to a role, a family of moves, and values of some of the arguments. Its value is 0 while the
//! role's move is none of these. A step changes only the variables of the last move and of the new one.

use crate::key::NONE;
use crate::recall::Recall;
use rustc_hash::FxHashMap;

/// The variables of one role and input, for the same choice of known arguments. The input [`NONE`] stands for all
/// inputs together, without known arguments.
#[derive(Clone, Debug)]
struct Pattern {
    role: u32,
    input: u32,
    /// For each argument, whether it is known.
    is_known: Box<[bool]>,
    /// The variables by the values of the known arguments.
    variables: FxHashMap<Box<[u32]>, u32>,
}

/// A move that a role has made.
#[derive(Clone, Debug)]
struct Made {
    input: u32,
    args: Box<[u32]>,
    /// The variables that match the move, and their values.
    matching: Vec<(u32, u32)>,
}

/// All variables for moves.
#[derive(Clone, Debug)]
pub(crate) struct MoveVariables {
    patterns: Vec<Pattern>,
    roles_of: FxHashMap<u32, u32>,
    /// The number of moves that a variable has matched.
    counts: FxHashMap<u32, u32>,
    /// For each role, the moves made so far, and the present one.
    made: Vec<Vec<Made>>,
    present: Vec<u32>,
}

impl MoveVariables {
    pub(crate) fn new(roles: usize) -> MoveVariables {
        MoveVariables {
            patterns: Vec::new(),
            roles_of: FxHashMap::default(),
            counts: FxHashMap::default(),
            made: vec![Vec::new(); roles],
            present: vec![NONE; roles],
        }
    }

    /// The role of a variable.
    pub(crate) fn role(&self, variable: u32) -> u32 {
        self.roles_of[&variable]
    }

    /// The variable for the moves of `role` in `input` whose arguments are those of `key`, where they are not
    /// [`NONE`].
    pub(crate) fn variable(
        &mut self,
        recall: &mut Recall,
        input: u32,
        role: u32,
        key: &(impl Iterator<Item = u32> + Clone),
    ) -> u32 {
        let is_it = |pattern: &Pattern| {
            pattern.role == role
                && pattern.input == input
                && pattern.is_known.iter().copied().eq(key.clone().map(|value| value != NONE))
        };
        let at = self.patterns.iter().position(is_it).unwrap_or_else(|| {
            let is_known = key.clone().map(|value| value != NONE).collect();
            self.patterns.push(Pattern { role, input, is_known, variables: FxHashMap::default() });
            self.patterns.len() - 1
        });
        let values: Box<[u32]> = key.clone().filter(|&value| value != NONE).collect();
        if let Some(&known) = self.patterns[at].variables.get(&values) {
            return known;
        }
        let variable = recall.add_input();
        self.patterns[at].variables.insert(values, variable);
        self.roles_of.insert(variable, role);
        let present = self.present[role as usize];
        for (number, made) in self.made[role as usize].iter_mut().enumerate() {
            let matches = |(&arg, value): (&u32, u32)| value == NONE || value == arg;
            if (made.input == input || input == NONE) && made.args.iter().zip(key.clone()).all(matches) {
                let count = self.counts.entry(variable).or_insert(0);
                *count += 1;
                made.matching.push((variable, *count));
                if number as u32 == present {
                    recall.set(variable, *count);
                }
            }
        }
        variable
    }

    /// Adds a move that `role` has not made before. Returns its number. `input` is [`NONE`] if no rule looks for
    /// such moves.
    pub(crate) fn add(&mut self, role: usize, input: u32, args: &[u32]) -> u32 {
        let mut matching = Vec::new();
        for pattern in &self.patterns {
            let fits = pattern.input == input || pattern.input == NONE;
            if pattern.role as usize != role || !fits {
                continue;
            }
            let known = args.iter().zip(&pattern.is_known).filter(|(_, known)| **known);
            let values: Box<[u32]> = known.map(|(&arg, _)| arg).collect();
            if let Some(&variable) = pattern.variables.get(&values) {
                let count = self.counts.entry(variable).or_insert(0);
                *count += 1;
                matching.push((variable, *count));
            }
        }
        self.made[role].push(Made { input, args: args.into(), matching });
        self.made[role].len() as u32 - 1
    }

    /// Makes the move with this number the present one of `role`.
    #[inline]
    pub(crate) fn set(&mut self, recall: &mut Recall, role: usize, number: u32) {
        let before = std::mem::replace(&mut self.present[role], number);
        if before == number {
            return;
        }
        let made = &self.made[role];
        let new = &made[number as usize].matching;
        if before != NONE {
            for &(variable, _) in &made[before as usize].matching {
                if !new.iter().any(|&(other, _)| other == variable) {
                    recall.set(variable, 0);
                }
            }
        }
        for &(variable, value) in new {
            recall.set(variable, value);
        }
    }

    /// The input and the arguments of the present move of a role.
    pub(crate) fn present(&self, role: usize) -> Option<(u32, &[u32])> {
        let made = self.made[role].get(self.present[role] as usize)?;
        Some((made.input, &made.args))
    }
}

#[cfg(test)]
mod tests {
    use super::MoveVariables;
    use crate::key::NONE;
    use crate::recall::Recall;

    #[test]
    fn a_variable_is_0_while_the_move_does_not_match() {
        let (mut recall, mut moves) = (Recall::new(0, 0), MoveVariables::new(1));
        let [a, b] = [[1, 2], [1, 3]].map(|args| moves.add(0, 9, &args));
        moves.set(&mut recall, 0, a);
        let mut variable =
            |key: [u32; 2], recall: &mut Recall| moves.variable(recall, 9, 0, &key.into_iter());
        let (first, second) = (variable([1, NONE], &mut recall), variable([NONE, 3], &mut recall));
        assert_eq!(variable([1, NONE], &mut recall), first, "one variable for each key");
        assert_eq!((recall.values[first as usize], recall.values[second as usize]), (1, 0));
        moves.set(&mut recall, 0, b);
        assert_eq!((recall.values[first as usize], recall.values[second as usize]), (2, 1));
        let other = moves.add(0, 8, &[1, 3]);
        moves.set(&mut recall, 0, other);
        assert_eq!((recall.values[first as usize], recall.values[second as usize]), (0, 0), "another input");
        assert_eq!(moves.present(0), Some((8, &[1, 3][..])));
    }
}
