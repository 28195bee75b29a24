//! Two computations of expected goals: the goal of one player that plays a best response to given strategies
//! of all others, and the goals of all players that play given strategies.

use crate::unfold::{Kind, Unfolding};

/// The expected goal of `player` if it plays a best response and all other players play `strategy`. For each
/// action of the tree, `strategy` gives the probability of this action in its information set.
pub(crate) fn best_response(tree: &Unfolding, player: usize, strategy: &[f64]) -> f64 {
    let (nodes, sets) = (tree.nodes(), tree.sets());
    // 1. Downwards: for each node, the product of the probabilities of the moves of chance and of the other
    // players on the path to the node.
    let mut reach = vec![0.0; nodes.len()];
    if let Some(root) = reach.first_mut() {
        *root = 1.0;
    }
    for (number, &node) in nodes.iter().enumerate() {
        let children = tree.children(node);
        for (action, &child) in children.iter().enumerate() {
            let share = match node.kind {
                Kind::Chance(_) => 1.0 / children.len() as f64,
                Kind::Decision(set) if sets[set as usize].player != player => {
                    strategy[sets[set as usize].first_action + action]
                }
                _ => 1.0,
            };
            reach[child as usize] = reach[number] * share;
        }
    }
    // 2. Upwards, level by level: in each of its information sets the player takes the action with the
    // highest total value over all nodes of the set. `value` is the expected goal, weighted by `reach`.
    let mut value = vec![0.0; nodes.len()];
    let mut of_action = vec![0.0; tree.action_count()];
    for level in tree.levels().rev() {
        for number in level.clone() {
            let node = nodes[number];
            match node.kind {
                Kind::Terminal(row) => value[number] = reach[number] * f64::from(tree.goal(row, player)),
                Kind::Decision(set) if sets[set as usize].player == player => {
                    let actions = sets[set as usize].actions();
                    for (action, &child) in actions.zip(tree.children(node)) {
                        of_action[action] += value[child as usize];
                    }
                }
                _ => value[number] = tree.children(node).iter().map(|&child| value[child as usize]).sum(),
            }
        }
        for number in level {
            let Kind::Decision(set) = nodes[number].kind else { continue };
            let set = &sets[set as usize];
            if set.player == player {
                let values = &of_action[set.actions()];
                let best = (0..values.len()).fold(0, |a, b| if values[b] > values[a] { b } else { a });
                value[number] = value[tree.children(nodes[number])[best] as usize];
            }
        }
    }
    value.first().copied().unwrap_or(0.0)
}

/// The expected goal of each player if all players play `strategy`, which gives the probability of each
/// action.
pub(crate) fn expected_goals(tree: &Unfolding, strategy: &[f64]) -> Vec<f64> {
    let nodes = tree.nodes();
    let mut reach = vec![0.0; nodes.len()];
    if let Some(root) = reach.first_mut() {
        *root = 1.0;
    }
    let mut goals = vec![0.0; tree.players().len()];
    for (number, &node) in nodes.iter().enumerate() {
        if let Kind::Terminal(row) = node.kind {
            for (player, goal) in goals.iter_mut().enumerate() {
                *goal += reach[number] * f64::from(tree.goal(row, player));
            }
        }
        let children = tree.children(node);
        for (action, &child) in children.iter().enumerate() {
            let share = match node.kind {
                Kind::Decision(set) => strategy[tree.sets()[set as usize].first_action + action],
                _ => 1.0 / children.len() as f64,
            };
            reach[child as usize] = reach[number] * share;
        }
    }
    goals
}
