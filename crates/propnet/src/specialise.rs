//! Networks with some fluents fixed: fluents that never change, and fluents that the number of steps
//! determines (such as whose turn it is).
//!
//! Fluents whose next values depend only on one another form an autonomous part. If that part returns to its
//! initial values after few steps, the step number modulo the period (the phase) determines its values. The
//! network is then specialised to each phase: the rules for another role's turn vanish, and a role that can
//! only pass has no choice.

use crate::builder::NetBuilder;
use crate::dependence::{Dependence, simulate_in, simulate_step, value_of};
use crate::net::{Fluent, NetMove, NetRole, PropNet};
use crate::node::{Node, Signal};
use crate::walk::Walk;
use ggp_game::{EvalError, StopToken};

/// The longest period considered, in steps.
const MAX_PERIOD: usize = 4;
/// Networks with more nodes than this get no phases by the legal moves: finding them visits each node up to some
/// tens of times, which takes half a second for so many.
const MOST_SIMULATED: usize = 500_000;

/// A network with some fluents fixed, without the moves that are then never legal.
#[derive(Clone, Debug)]
pub(crate) struct Specialised {
    pub(crate) net: PropNet,
    /// For each role, the remaining moves, as indices into the role's moves of the original network.
    pub(crate) moves: Vec<Vec<u32>>,
    /// For each role, signals about the legal moves that its moves in this network are a part of; empty for most
    /// networks. See [`decisive`](crate::decisive).
    pub(crate) verdicts: Vec<Vec<Signal>>,
}

/// `net` with every fluent that has a value in `fixed` replaced by that value.
///
/// # Errors
/// [`EvalError::Interrupted`] soon after `stop` is raised.
pub(crate) fn specialise(
    net: &PropNet,
    fixed: &[Option<bool>],
    stop: &StopToken,
) -> Result<Specialised, EvalError> {
    let all: Vec<Vec<u32>> = net.roles.iter().map(|role| (0..role.moves.len() as u32).collect()).collect();
    let mut legal = net.roles.iter().flat_map(|role| role.moves.iter().map(|mv| mv.legal));
    if fixed.iter().all(Option::is_none) && legal.all(|legal| legal != Signal::FALSE) {
        return Ok(Specialised { net: net.clone(), moves: all, verdicts: Vec::new() });
    }
    let legal = net.roles.iter().flat_map(|role| role.moves.iter().map(|mv| mv.legal));
    let first = Rebuilt::new(net, fixed, &all, legal, stop)?;
    let is_possible =
        |role: usize, mv: u32| first.of(net.roles[role].moves[mv as usize].legal) != Signal::FALSE;
    let moves = all.into_iter().enumerate().map(|(role, mut moves)| {
        moves.retain(|&mv| is_possible(role, mv));
        moves
    });
    let moves: Vec<Vec<u32>> = moves.collect();
    let net = Rebuilt::new(net, fixed, &moves, net.outputs(), stop)?.finish(net, &moves);
    Ok(Specialised { net, moves, verdicts: Vec::new() })
}

/// The nodes of a network that some signals need, rebuilt with some fluents fixed and without some moves.
struct Rebuilt {
    builder: NetBuilder,
    /// For each node of the network, its image. False for a node that is not needed.
    image: Vec<Signal>,
}

impl Rebuilt {
    fn new(
        net: &PropNet,
        fixed: &[Option<bool>],
        moves: &[Vec<u32>],
        needed: impl Iterator<Item = Signal>,
        stop: &StopToken,
    ) -> Result<Rebuilt, EvalError> {
        let mut walk = Walk::new(net);
        walk.on(needed, |_| ());
        let counts: Vec<usize> = moves.iter().map(Vec::len).collect();
        let mut builder = NetBuilder::new(&net.game, &counts);
        // The new index of each remaining move.
        let left: Vec<Vec<Option<u32>>> = net
            .roles
            .iter()
            .zip(moves)
            .map(|(role, moves)| {
                let mut left = vec![None; role.moves.len()];
                moves.iter().zip(0..).for_each(|(&mv, index)| left[mv as usize] = Some(index));
                left
            })
            .collect();
        let mut image = vec![Signal::FALSE; net.nodes.len()];
        let mut opened: Vec<Option<(u32, Vec<Signal>)>> = vec![None; net.components.len()];
        let mut closed: Vec<Option<Vec<Signal>>> = vec![None; net.components.len()];
        for (number, node) in net.nodes.iter().enumerate().filter(|&(number, _)| walk.has_met(number)) {
            stop.check()?;
            let through =
                |image: &[Signal], signal: Signal| image[signal.node()].negated_if(signal.is_negated());
            image[number] = match node {
                Node::False => Signal::FALSE,
                Node::State(fluent) => match fixed[*fluent as usize] {
                    Some(value) => Signal::constant(value),
                    None => builder.state(*fluent as usize),
                },
                Node::MoveSet(set) => {
                    let set = net.move_set(*set);
                    let left = &left[set.role as usize];
                    let members: Vec<u32> =
                        set.members.iter().filter_map(|&member| left[member as usize]).collect();
                    builder.move_set(set.role as usize, &members)
                }
                Node::And(inputs) => {
                    let inputs: Vec<Signal> = inputs.iter().map(|&input| through(&image, input)).collect();
                    builder.and(inputs)
                }
                Node::Variable(unknown) => {
                    let component = unknown.component as usize;
                    let size = net.components[component].len();
                    let (_, unknowns) = opened[component].get_or_insert_with(|| builder.open_fixpoint(size));
                    unknowns[unknown.index as usize]
                }
                Node::Fixpoint(unknown) => {
                    let component = unknown.component as usize;
                    let values = closed[component].get_or_insert_with(|| {
                        let bodies: Vec<Signal> =
                            net.components[component].iter().map(|&body| through(&image, body)).collect();
                        let (number, _) =
                            opened[component].take().unwrap_or_else(|| builder.open_fixpoint(bodies.len()));
                        builder.close_fixpoint(number, bodies)
                    });
                    values[unknown.index as usize]
                }
            };
        }
        Ok(Rebuilt { builder, image })
    }

    /// The image of a signal that is needed.
    fn of(&self, signal: Signal) -> Signal {
        self.image[signal.node()].negated_if(signal.is_negated())
    }

    /// The network with the outputs of `net` that belong to `moves`. All outputs must be needed.
    fn finish(self, net: &PropNet, moves: &[Vec<u32>]) -> PropNet {
        let through = |signal: Signal| self.of(signal);
        let fluents = net
            .fluents
            .iter()
            .map(|fluent| Fluent { next: through(fluent.next), ..fluent.clone() })
            .collect();
        let roles = net
            .roles
            .iter()
            .zip(moves)
            .map(|(role, left)| NetRole {
                moves: left
                    .iter()
                    .map(|&mv| {
                        let NetMove { text, legal } = &role.moves[mv as usize];
                        NetMove { text: text.clone(), legal: through(*legal) }
                    })
                    .collect(),
                goals: role.goals.iter().map(|&(goal, signal)| (goal, through(signal))).collect(),
                bad_goal: role.bad_goal.map(through),
                sees: role.sees.iter().map(|(fact, signal)| (fact.clone(), through(*signal))).collect(),
            })
            .collect();
        let terminal = through(net.terminal);
        self.builder.finish(fluents, roles, terminal)
    }
}

/// For each fluent, its value if it keeps its initial value in every match, otherwise `None`. The values are
/// found by ternary simulation from the initial state, with all moves unknown. `dependence` is that of `net`.
///
/// # Errors
/// [`EvalError::Interrupted`] soon after `stop` is raised.
pub(crate) fn constant_fluents(
    net: &PropNet,
    dependence: &Dependence<'_>,
    stop: &StopToken,
) -> Result<Vec<Option<bool>>, EvalError> {
    let initial = net.fluents.iter().map(|fluent| Some(fluent.initial)).collect();
    dependence.constant(initial, stop)
}

/// For each phase, the fluents that it determines, with their values. If there is no short period, the result
/// is a single phase, which determines no fluents. `constant` holds the values of the fluents that never
/// change, and `dependence` is that of `net`.
///
/// # Errors
/// [`EvalError::Interrupted`] soon after `stop` is raised.
pub(crate) fn phases(
    net: &PropNet,
    dependence: &Dependence<'_>,
    constant: &[Option<bool>],
    stop: &StopToken,
) -> Result<Vec<Vec<(u32, bool)>>, EvalError> {
    let autonomous = dependence.independent(vec![true; net.fluents.len()], stop)?;
    if !autonomous.iter().zip(constant).any(|(&own, constant)| own && constant.is_none()) {
        return phases_by_moves(net, constant, stop);
    }
    let mut cone = Walk::new(net);
    cone.on(
        net.fluents.iter().zip(&autonomous).filter(|&(_, &own)| own).map(|(fluent, _)| fluent.next),
        |_| (),
    );
    let mut states: Vec<Vec<Option<bool>>> = Vec::new();
    let mut now: Vec<Option<bool>> =
        net.fluents.iter().zip(&autonomous).map(|(fluent, &own)| own.then_some(fluent.initial)).collect();
    for _ in 0..MAX_PERIOD {
        let nodes = simulate_in(net, &now, &cone);
        let next = net
            .fluents
            .iter()
            .zip(&autonomous)
            .map(|(fluent, &own)| if own { value_of(&nodes, fluent.next) } else { None });
        let next: Vec<Option<bool>> = next.collect();
        states.push(now);
        now = next;
    }
    states.push(now);
    let mut best: Vec<Vec<(u32, bool)>> = vec![Vec::new()];
    for period in 2..=MAX_PERIOD {
        // The largest set of fluents that have the same values in the first state and `period` steps later,
        // and whose next values depend only on fluents in the set.
        let same =
            states[0].iter().zip(&states[period]).map(|(first, later)| first.is_some() && first == later);
        let returning = dependence.independent(same.collect(), stop)?;
        let interesting = |fluent: &u32| returning[*fluent as usize] && constant[*fluent as usize].is_none();
        let fluents: Vec<u32> = (0..net.fluents.len() as u32).filter(interesting).collect();
        if fluents.len() > best[0].len() {
            best = states[..period]
                .iter()
                .map(|state| {
                    let value = |fluent: u32| (fluent, state[fluent as usize] == Some(true));
                    fluents.iter().map(|&fluent| value(fluent)).collect()
                })
                .collect();
        }
    }
    if best.len() == 1 { phases_by_moves(net, constant, stop) } else { Ok(best) }
}

/// The same as [`phases`] where no autonomous part has a period: the phases in which the legal moves determine
/// the fluents. In a game in which a role that is not to move has no choice, for example, the turn may pass when
/// a role makes the move by which it waits.
fn phases_by_moves(
    net: &PropNet,
    constant: &[Option<bool>],
    stop: &StopToken,
) -> Result<Vec<Vec<(u32, bool)>>, EvalError> {
    let next_of = |now: &[Option<bool>]| -> Vec<Option<bool>> {
        let nodes = simulate_step(net, now);
        net.fluents.iter().map(|fluent| value_of(&nodes, fluent.next)).collect()
    };
    if net.nodes.len() > MOST_SIMULATED {
        return Ok(vec![Vec::new()]);
    }
    // 1. The values that are known after each of the first steps, as long as some fluent is known in all of them.
    let mut states: Vec<Vec<Option<bool>>> =
        vec![net.fluents.iter().map(|fluent| Some(fluent.initial)).collect()];
    let is_open = |fluent: &usize| constant[*fluent].is_none();
    let mut known: Vec<usize> = (0..net.fluents.len()).filter(is_open).collect();
    while states.len() <= MAX_PERIOD && !known.is_empty() {
        stop.check()?;
        let next = next_of(&states[states.len() - 1]);
        known.retain(|&fluent| next[fluent].is_some());
        states.push(next);
    }
    // 2. For the shortest period: the fluents with known values that return, and that keep returning if nothing
    //    but their values is known. One of them must change, or they tell no phases apart.
    for period in 2..states.len() {
        let returns = |fluent: usize| {
            constant[fluent].is_none()
                && states[..=period].iter().all(|state| state[fluent].is_some())
                && states[0][fluent] == states[period][fluent]
        };
        let mut kept: Vec<bool> = (0..net.fluents.len()).map(returns).collect();
        let changes = |fluent: usize| states[..period].iter().any(|state| state[fluent] != states[0][fluent]);
        let tells_apart = |kept: &[bool]| (0..kept.len()).any(|fluent| kept[fluent] && changes(fluent));
        while tells_apart(&kept) {
            let mut holds = true;
            for phase in 0..period {
                stop.check()?;
                let known =
                    |fluent: usize| if kept[fluent] { states[phase][fluent] } else { constant[fluent] };
                let next = next_of(&(0..kept.len()).map(known).collect::<Vec<_>>());
                for (fluent, kept) in kept.iter_mut().enumerate() {
                    if *kept && next[fluent] != states[phase + 1][fluent] {
                        (*kept, holds) = (false, false);
                    }
                }
            }
            if holds {
                let fluents = (0..kept.len() as u32).filter(|&fluent| kept[fluent as usize]);
                let value =
                    |state: &Vec<Option<bool>>, fluent: u32| (fluent, state[fluent as usize] == Some(true));
                let phase = |state| fluents.clone().map(|fluent| value(state, fluent)).collect();
                return Ok(states[..period].iter().map(phase).collect());
            }
        }
    }
    Ok(vec![Vec::new()])
}

/// The largest set of fluents whose next values depend on no move and on no fluent outside the set.
///
/// # Errors
/// [`EvalError::Interrupted`] soon after `stop` is raised.
pub(crate) fn autonomous_fluents(net: &PropNet, stop: &StopToken) -> Result<Vec<bool>, EvalError> {
    Dependence::new(net).independent(vec![true; net.fluents.len()], stop)
}

/// The fluents that the terminal condition, the goals and the legal moves depend on, now or later, in any of
/// `nets`, which are specialisations of one network.
pub(crate) fn needed_fluents(nets: &[&PropNet]) -> Vec<u32> {
    let Some(first) = nets.first() else { return Vec::new() };
    let mut needed = vec![false; first.fluents.len()];
    let roots = |net: &&PropNet| -> Vec<Signal> {
        let of_role = |role: &NetRole| -> Vec<Signal> {
            let goals = role.goals.iter().map(|&(_, signal)| signal).chain(role.bad_goal);
            role.moves.iter().map(|mv| mv.legal).chain(goals).collect()
        };
        net.roles.iter().flat_map(of_role).chain([net.terminal]).collect()
    };
    let mut walks: Vec<Walk<'_>> = nets.iter().map(|net| Walk::new(net)).collect();
    let mut read: Vec<Vec<Signal>> = nets.iter().map(roots).collect();
    while read.iter().any(|read| !read.is_empty()) {
        let mut found = Vec::new();
        for (walk, read) in walks.iter_mut().zip(read) {
            walk.on(read, |node| {
                if let Node::State(fluent) = *node
                    && !std::mem::replace(&mut needed[fluent as usize], true)
                {
                    found.push(fluent as usize);
                }
            });
        }
        let next = |net: &&PropNet| found.iter().map(|&fluent| net.fluents[fluent].next).collect();
        read = nets.iter().map(next).collect();
    }
    (0..needed.len() as u32).filter(|&fluent| needed[fluent as usize]).collect()
}
