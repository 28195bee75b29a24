//! Decisive and anti-decisive moves (Teytaud & Teytaud 2010): networks for playouts in which a role that
//! can win at once does so, and else, of two, makes no move after which the other can.
//!
//! Each move of a role that chooses alone gets a signal that says whether the game is over after it and won:
//! the next phase's terminal condition and best goal, read through the next values that the fluents have by
//! that move. Two things keep those signals small: that the game is not over yet, so that of all lines of a
//! board only those that the move touches are left, and that the move is legal. In the same way another
//! signal says whether another role has such a move then. The legal moves are narrowed by both, as long as
//! any are left.
//!
//! Where several roles choose at once, none of that is looked for (it gained nothing), but a move that ends
//! the game and does not win it, whatever the others do, is left out.

use crate::net::{NetBuilder, PropNet, Signal};
use crate::specialise::Specialised;
use crate::successor::{Successor, TooMuch, any_of, is_alone};

/// The networks of a game's phases with decisive moves; none if no phase has a move that is seen to win,
/// or seeing it would take too much. The role `nature` wants nothing.
pub(crate) fn decisive(nets: &[Specialised], nature: Option<usize>) -> Option<Vec<Specialised>> {
    let after = |number: usize| (number + 1) % nets.len();
    let roles = nets.first()?.net.roles.len();
    let wants = |role: usize| Some(role) != nature;
    let mut narrowed = nets.to_vec();
    // 1. The moves that win, by phase and role.
    let mut wins: Vec<Vec<Option<Wins>>> = Vec::with_capacity(nets.len());
    for (number, one) in narrowed.iter_mut().enumerate() {
        let next = &nets[after(number)].net;
        let find = |role| if wants(role) { Wins::find(&mut one.net, next, role) } else { Ok(None) };
        wins.push((0..roles).map(find).collect::<Result<_, _>>().ok()?);
    }
    // 2. Those that lose or leave another role such a move, by phase and role.
    let mut guards: Vec<Vec<Option<Guard>>> = Vec::with_capacity(nets.len());
    for number in 0..nets.len() {
        let next = narrowed[after(number)].net.clone();
        let to_come = &wins[after(number)];
        let net = &mut narrowed[number].net;
        let find = |role| if wants(role) { Guard::find(net, &next, role, to_come) } else { Ok(None) };
        guards.push((0..roles).map(find).collect::<Result<_, _>>().ok()?);
    }
    // 3. Winning at once is overrated against those who do not see it coming.
    for number in 0..nets.len() {
        let guards = &guards[number];
        for (role, wins) in wins[after(number)].iter_mut().enumerate() {
            let is_guarded = guards.iter().flatten().any(|guard| guard.is_against(role));
            if roles > 1 && !is_guarded {
                *wins = None;
            }
        }
    }
    let loses = |guard: &Guard| guard.losses.iter().any(|&loss| loss != Signal::FALSE);
    if wins.iter().flatten().all(Option::is_none) && !guards.iter().flatten().flatten().any(loses) {
        return None;
    }
    // 4. Of more than two, nobody is made to stop the next: who has to is only the one whose turn comes just
    // before, and he may have better to do.
    let are_two = (0..roles).filter(|&role| wants(role)).count() == 2;
    let nothing: Vec<Option<Wins>> = (0..roles).map(|_| None).collect();
    for (number, one) in narrowed.iter_mut().enumerate() {
        let to_come = if are_two { &wins[after(number)] } else { &nothing };
        for (role, (wins, guard)) in wins[number].iter().zip(&guards[number]).enumerate() {
            one.net = narrowed_moves(&one.net, role, wins.as_ref(), guard.as_ref(), to_come);
        }
    }
    Some(narrowed)
}

/// `net` with the moves of `role` narrowed to those that `wins`, or else to those that neither lose nor leave
/// another role what it has `to_come`.
fn narrowed_moves(
    net: &PropNet,
    role: usize,
    wins: Option<&Wins>,
    guard: Option<&Guard>,
    to_come: &[Option<Wins>],
) -> PropNet {
    let mut builder = NetBuilder::of(net);
    let mut roles = net.roles.clone();
    let moves = &mut roles[role].moves;
    if let Some(guard) = guard {
        let mut safe = Vec::with_capacity(moves.len());
        for ((mv, threats), &loss) in moves.iter().zip(&guard.threats).zip(&guard.losses) {
            let felt = threats.iter().filter(|&&(other, _)| to_come[other].is_some());
            let none: Vec<Signal> = felt.map(|&(_, threat)| !threat).chain([!loss, mv.legal]).collect();
            safe.push(builder.and(none));
        }
        let any = any_of(&mut builder, &safe);
        for (mv, safe) in moves.iter_mut().zip(safe) {
            let another = builder.and([any, !safe]);
            mv.legal = builder.and([mv.legal, !another]);
        }
    }
    if let Some(wins) = wins {
        for (mv, &winning) in moves.iter_mut().zip(&wins.moves) {
            let quiet = builder.and([mv.legal, !wins.any]);
            mv.legal = builder.or([winning, quiet]);
        }
    }
    builder.finish(net.fluents.clone(), roles, net.terminal)
}

/// A role's moves that win at once, as signals of its phase's network.
struct Wins {
    /// Whether each of the moves is legal and wins.
    moves: Vec<Signal>,
    any: Signal,
}

impl Wins {
    /// Those of `role` in `now`, which gets the gates for them, where `next` is the network of the phase
    /// after; none if no move is seen to win, or others choose at the same time.
    fn find(now: &mut PropNet, next: &PropNet, role: usize) -> Result<Option<Wins>, TooMuch> {
        let best = next.roles[role].goals.iter().max_by_key(|(goal, _)| goal.value());
        let won = best.map_or(Signal::FALSE, |&(_, won)| won);
        if now.roles[role].moves.len() < 2 || won == Signal::FALSE || !is_alone(now, role) {
            return Ok(None);
        }
        let Some(after) = Successor::new(now, next, role, true, vec![next.terminal, won]) else {
            return Ok(None);
        };
        let (mut builder, after) = after.by_move()?;
        let mut moves = Vec::with_capacity(after.len());
        for (mv, after) in now.roles[role].moves.iter().zip(after) {
            moves.push(match after {
                Some(after) => builder.and(after.into_iter().chain([mv.legal])),
                None => Signal::FALSE,
            });
        }
        let any = any_of(&mut builder, &moves);
        if any == Signal::FALSE {
            return Ok(None);
        }
        *now = builder.finish(now.fluents.clone(), now.roles.clone(), now.terminal);
        Ok(Some(Wins { moves, any }))
    }
}

/// What a role has to beware of, as signals of its phase's network.
struct Guard {
    /// For each of its moves, whether that leaves which other role a move that wins.
    threats: Vec<Vec<(usize, Signal)>>,
    /// For each of its moves, whether it ends the game and loses it.
    losses: Vec<Signal>,
}

impl Guard {
    /// Whether it sees anything of that role coming.
    fn is_against(&self, other: usize) -> bool {
        self.threats.iter().flatten().any(|&(role, threat)| role == other && threat != Signal::FALSE)
    }

    /// Against what roles other than `role` have `to_come` in the phase after `now`, which gets the gates for
    /// it; where those choose at the same time, against losing.
    fn find(
        now: &mut PropNet,
        next: &PropNet,
        role: usize,
        to_come: &[Option<Wins>],
    ) -> Result<Option<Guard>, TooMuch> {
        let alone = is_alone(now, role);
        let others = to_come.iter().enumerate().filter(|&(other, _)| other != role && alone);
        let (others, mut signals): (Vec<usize>, Vec<Signal>) =
            others.filter_map(|(other, wins)| Some((other, wins.as_ref()?.any))).unzip();
        let lost = if alone { Signal::FALSE } else { lost(next, role) };
        if now.roles[role].moves.len() < 2 || others.is_empty() && lost == Signal::FALSE {
            return Ok(None);
        }
        // A move that ends the game leaves nobody anything.
        signals.extend([!next.terminal, next.terminal, lost]);
        let Some(after) = Successor::new(now, next, role, alone, signals) else { return Ok(None) };
        let (mut builder, after) = after.by_move()?;
        let mut guard = Guard { threats: Vec::new(), losses: Vec::new() };
        for after in after {
            let mut threats = Vec::new();
            let mut loss = Signal::FALSE;
            if let Some([after @ .., on, over, lost]) = after.as_deref() {
                for (&other, &threat) in others.iter().zip(after) {
                    threats.push((other, builder.and([threat, *on])));
                }
                loss = builder.and([*over, *lost]);
            }
            guard.threats.push(threats);
            guard.losses.push(loss);
        }
        *now = builder.finish(now.fluents.clone(), now.roles.clone(), now.terminal);
        Ok(Some(guard))
    }
}

/// Whether an end of the game in `next`, the phase after one in which `role` chose at the same time as others,
/// is lost for it: all goals but its best count, since the others may run into the same; a role that knows
/// more than a win, a draw and a loss is left to find out. For a role that chooses alone none of this is
/// asked: the tree learns more from playouts that lose at once than from those that put it off.
fn lost(next: &PropNet, role: usize) -> Signal {
    const OUTCOMES: usize = 3;
    let goals = &next.roles[role].goals;
    let best = goals.iter().max_by_key(|(goal, _)| goal.value());
    best.filter(|_| goals.len() <= OUTCOMES).map_or(Signal::FALSE, |&(_, won)| !won)
}
