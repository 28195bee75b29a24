//! Disjunctions of the instances that derive one fact, with sub-disjunctions that many facts share.
//!
//! Facts such as "a man other than the one on this square attacks" have long disjunctions that differ in few
//! inputs. A binary tree over the values of the variables that the head lacks places equal inputs of two
//! disjunctions in equal subtrees, and each subtree is one node of the network.

use crate::builder::NetBuilder;
use crate::node::{Node, Signal};
use ggp_datalog::Value;
use rustc_hash::FxHashMap;

/// The number of bits of a place that one value fills.
const BITS_PER_VALUE: u32 = 16;

/// One way to derive a fact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// The index of the rule.
    pub(super) rule: u32,
    /// The place in the tree: the values of the variables that the head lacks.
    place: u64,
    /// The conjunction of the conditions on moves.
    moves: Signal,
    /// The conjunction of all other conditions.
    state: Signal,
}

impl Way {
    /// The conjunction of `conditions`. `local` are the values of the variables that the head of the rule lacks.
    pub(super) fn new(
        builder: &mut NetBuilder,
        rule: u32,
        local: impl Iterator<Item = Value>,
        conditions: Vec<Signal>,
    ) -> Way {
        let place = local.fold(0u64, |place, value| place.rotate_left(BITS_PER_VALUE) ^ value.index() as u64);
        let is_set = |signal: &Signal| matches!(builder.node(*signal), Node::MoveSet(_));
        let (moves, state): (Vec<Signal>, Vec<Signal>) = conditions.into_iter().partition(is_set);
        Way { rule, place, moves: builder.and(moves), state: builder.and(state) }
    }

    /// Whether the conditions can never hold.
    pub(super) fn is_impossible(&self) -> bool {
        self.moves == Signal::FALSE || self.state == Signal::FALSE
    }
}

/// The disjunction of `ways`. Sorts them.
pub(super) fn any_of(builder: &mut NetBuilder, ways: &mut [Way]) -> Signal {
    ways.sort_unstable_by_key(|way| (way.rule, way.place));
    // 1. Ways with equal conditions on the state become one way for the union of their moves. It has the
    // place of the first of them.
    let mut numbers: FxHashMap<Signal, usize> = FxHashMap::default();
    let mut groups: Vec<(u64, Signal, Vec<Signal>)> = Vec::new();
    for way in ways.iter() {
        let place = u64::from(way.rule).rotate_right(BITS_PER_VALUE) ^ way.place;
        let number = *numbers.entry(way.state).or_insert(groups.len());
        if number == groups.len() {
            groups.push((place, way.state, Vec::new()));
        }
        groups[number].2.push(way.moves);
    }
    let mut inputs: Vec<(u64, Signal)> = Vec::with_capacity(groups.len());
    for (place, state, moves) in groups {
        let moves = builder.or(moves);
        inputs.push((place, builder.and([state, moves])));
    }
    // 2. The tree over the places.
    inputs.sort_unstable();
    tree(builder, &inputs)
}

/// The disjunction of `inputs`, which are sorted by place, as a binary tree over the bits of the places.
fn tree(builder: &mut NetBuilder, inputs: &[(u64, Signal)]) -> Signal {
    let (Some(first), Some(last)) = (inputs.first(), inputs.last()) else { return Signal::FALSE };
    let differ = first.0 ^ last.0;
    if differ == 0 {
        return builder.or(inputs.iter().map(|&(_, signal)| signal));
    }
    // The highest bit in which places differ: it is 0 in the first place and 1 in the last one.
    let bit = 1u64 << differ.ilog2();
    let middle = inputs.partition_point(|&(place, _)| place & bit == 0);
    let (low, high) = inputs.split_at(middle);
    let both = [tree(builder, low), tree(builder, high)];
    builder.or(both)
}

#[cfg(test)]
mod tests {
    use super::{Way, any_of};
    use crate::builder::NetBuilder;
    use crate::node::Signal;
    use ggp_datalog::Value;
    use ggp_game::Game;
    use std::sync::Arc;

    fn builder() -> NetBuilder {
        let rules =
            "(role a) (init x) (<= (legal a m) (true x)) (<= (next x) (true x)) (<= terminal (not (true x)))
            (<= (goal a 50) (true x))";
        let game = Game::new(ggp_gdl::parse(rules.as_bytes()).expect("GDL")).expect("a game");
        NetBuilder::new(&Arc::new(game), &[4])
    }

    fn way(builder: &mut NetBuilder, place: usize, conditions: &[Signal]) -> Way {
        Way::new(builder, 0, [Value::from_index(place)].into_iter(), conditions.to_vec())
    }

    #[test]
    fn disjunctions_that_lack_one_input_each_have_few_nodes() {
        let mut builder = builder();
        let inputs: Vec<Signal> = (0..64).map(|fluent| builder.state(fluent)).collect();
        let before = builder.node_count();
        for left_out in 0..64 {
            let others = (0..64).filter(|&place| place != left_out);
            let mut ways: Vec<Way> = others.map(|place| way(&mut builder, place, &[inputs[place]])).collect();
            any_of(&mut builder, &mut ways);
        }
        // A path of six nodes for each disjunction, and the nodes of the whole tree.
        let nodes = builder.node_count() - before;
        assert!(nodes <= 64 * 6 + 63, "{nodes}");
    }

    #[test]
    fn ways_with_equal_conditions_on_the_state_are_one_for_the_union_of_their_moves() {
        let mut builder = builder();
        let [one, two] = [0, 1].map(|mv| builder.move_set(0, &[mv]));
        let state = builder.state(0);
        let mut ways = [way(&mut builder, 1, &[one, state]), way(&mut builder, 2, &[state, two])];
        let both = builder.move_set(0, &[0, 1]);
        let expected = builder.and([state, both]);
        assert_eq!(any_of(&mut builder, &mut ways), expected);
        assert_eq!(any_of(&mut builder, &mut []), Signal::FALSE);
        assert!(way(&mut builder, 1, &[state, !state]).is_impossible());
    }
}
