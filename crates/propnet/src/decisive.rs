//! Decisive and anti-decisive moves (Teytaud & Teytaud 2010): networks for playouts in which a role that can
//! win in one move makes such a move. Otherwise, in games of two roles, a role avoids moves after which the
//! opponent can win in one move.
//!
//! Each move of a role that chooses alone gets a signal that is true if the move ends the game with a win.
//! The signal is the conjunction of the next phase's terminal condition and best goal, with each fluent
//! replaced by its next value under that move. (A phase is the step number modulo the game's period.) Two
//! assumptions keep these signals small: the game is not over yet, and the move is legal. In a game about
//! lines on a board, for example, the first assumption implies that no line is complete yet, so only lines
//! through the move's cell need a test. A second signal of each move, built in the same way, is true if
//! another role can win in one move afterwards. If some legal move wins, only winning moves remain legal.
//! Otherwise, moves whose second signal is true are removed, unless no legal move would remain.
//!
//! Where several roles choose simultaneously, the signals are bounds over the moves of the other roles. A move is
//! removed if it ends the game without a win for its role, whatever the other roles do. In games that look like games of
//! constant sum with at most three outcomes, a move counts as winning if it ends the game in any case, never loses, and
//! wins if the others make no move; a move counts as losing if the other role then has such a move in its next turn, if
//! it makes none now.

use crate::builder::NetBuilder;
use crate::net::PropNet;
use crate::node::Signal;
use crate::specialise::Specialised;
use crate::successor::{Others, Successor, any_of, implied, is_alone};
use ggp_game::NoDecisiveMoves;
use serde::{Deserialize, Serialize};

/// The networks of a game's phases with legal moves restricted to decisive ones.
pub(crate) struct DecisiveNets {
    /// The networks. For each role, [`Specialised::verdicts`] has two signals, or none in a game that has not two
    /// roles beside chance. The first is true if the legal moves win at once. The second is true if no move wins
    /// at once and each allows another role to win in its next move.
    pub(crate) nets: Vec<Specialised>,
    /// For each phase and role, whether the end after a winning or a losing move is certain.
    pub(crate) certain: Vec<Vec<Certain>>,
    /// Whether some role has winning moves beside simultaneous moves of others.
    pub(crate) beside_others: bool,
}

/// Which winning moves [`decisive`] looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// All.
    All,
    /// Those of roles that choose alone.
    Alone,
}

/// Whether the goals of both roles are known after a winning or a losing move of one role in one phase: whether
/// the winner's largest goal implies the other role's smallest goal.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Certain {
    /// After a winning move.
    pub(crate) win: bool,
    /// After a losing move and the other role's winning move.
    pub(crate) loss: bool,
}

/// The networks of a game's phases with legal moves restricted to decisive ones. The moves of the role `nature`
/// (chance) stay unrestricted.
///
/// # Errors
/// The reason if no move is found to win or lose, or if the construction takes too much work.
pub(crate) fn decisive(
    nets: &[Specialised],
    nature: Option<usize>,
    scope: Scope,
) -> Result<DecisiveNets, NoDecisiveMoves> {
    let after = |number: usize| (number + 1) % nets.len();
    let roles = nets.first().map_or(0, |one| one.net.roles.len());
    let is_player = |role: usize| Some(role) != nature;
    let mut narrowed = nets.to_vec();
    let mut is_recursive = false;
    // 1. The winning moves, by phase and role.
    let mut wins: Vec<Vec<Option<Wins>>> = Vec::with_capacity(nets.len());
    for (number, one) in narrowed.iter_mut().enumerate() {
        let next = &nets[after(number)].net;
        let find =
            |role| if is_player(role) { Wins::find(&mut one.net, next, role, scope) } else { Ok(None) };
        let find = (0..roles).map(find).map(|found| unless_recursive(found, &mut is_recursive));
        wins.push(find.collect::<Result<_, _>>()?);
    }
    // 2. The moves that lose or allow another role a winning move, by phase and role.
    let mut losing: Vec<Vec<Option<LosingMoves>>> = Vec::with_capacity(nets.len());
    for number in 0..nets.len() {
        let next = narrowed[after(number)].net.clone();
        let next_wins = &wins[after(number)];
        let net = &mut narrowed[number].net;
        let find =
            |role| if is_player(role) { LosingMoves::find(net, &next, role, next_wins) } else { Ok(None) };
        let find = (0..roles).map(find).map(|found| unless_recursive(found, &mut is_recursive));
        losing.push(find.collect::<Result<_, _>>()?);
    }
    // 3. Drop the winning moves of a role if no other role has a move that is found to allow them. The other
    //    roles then do not avoid these wins, and playouts would overrate them.
    for number in 0..nets.len() {
        let losing = &losing[number];
        for (role, wins) in wins[after(number)].iter_mut().enumerate() {
            let is_guarded = losing.iter().flatten().any(|losing_moves| losing_moves.is_against(role));
            if roles > 1 && !is_guarded {
                *wins = None;
            }
        }
    }
    let loses = |losing_moves: &LosingMoves| losing_moves.losses.iter().any(|&loss| loss != Signal::FALSE);
    if wins.iter().flatten().all(Option::is_none) && !losing.iter().flatten().flatten().any(loses) {
        let chooses_alone = |one: &Specialised, role: usize| {
            is_player(role) && one.net.roles[role].moves.len() > 1 && is_alone(&one.net, role)
        };
        let is_any_alone = nets.iter().any(|one| (0..roles).any(|role| chooses_alone(one, role)));
        return Err(match (is_recursive, is_any_alone) {
            (true, _) => NoDecisiveMoves::Recursive,
            (false, true) => NoDecisiveMoves::NoneFound,
            (false, false) => NoDecisiveMoves::NobodyAlone,
        });
    }
    // 4. With more than two roles, threats restrict no moves: only the last role before the threat would
    //    block it, and that role may have better moves.
    let are_two = (0..roles).filter(|&role| is_player(role)).count() == 2;
    let nothing: Vec<Option<Wins>> = (0..roles).map(|_| None).collect();
    let mut certain = Vec::with_capacity(nets.len());
    for (number, one) in narrowed.iter_mut().enumerate() {
        let next_wins = if are_two { &wins[after(number)] } else { &nothing };
        for (role, (wins, losing_moves)) in wins[number].iter().zip(&losing[number]).enumerate() {
            let (net, verdicts) =
                narrowed_moves(&one.net, role, wins.as_ref(), losing_moves.as_ref(), next_wins);
            one.net = net;
            one.verdicts.push(one.net.rival(role).map_or(Vec::new(), |_| verdicts.to_vec()));
        }
        let (next, last) = (&nets[after(number)].net, &nets[after(after(number))].net);
        let of_role = |role: usize| {
            let Some(rival) = next.rival(role) else { return Certain::default() };
            let is_known = |net: &PropNet, role: usize| is_certain(net, role) || are_opposed(net, role);
            // Moves that win or lose beside simultaneous moves are no proofs.
            let wins_alone =
                |number: usize, role: usize| wins[number][role].as_ref().is_none_or(|one| one.alone);
            let loses_alone = losing[number][role].as_ref().is_none_or(|one| one.alone);
            Certain {
                win: is_known(next, role) && wins_alone(number, role),
                loss: is_known(last, rival) && loses_alone && wins_alone(after(number), rival),
            }
        };
        certain.push((0..roles).map(of_role).collect());
    }
    let beside_others = wins.iter().flatten().flatten().any(|wins| !wins.alone);
    Ok(DecisiveNets { nets: narrowed, certain, beside_others })
}

/// Whether some role chooses simultaneously with others in some phase.
pub(crate) fn have_rivals(nets: &[Specialised], nature: Option<usize>) -> bool {
    let beside = |net: &PropNet, role: usize| net.roles[role].moves.len() > 1 && !is_alone(net, role);
    let players = |net: &PropNet| (0..net.roles.len()).filter(|&role| Some(role) != nature);
    nets.iter().any(|one| players(&one.net).any(|role| beside(&one.net, role)))
}

/// The signal of the largest goal of `role`; false if the role has no goals.
fn won(net: &PropNet, role: usize) -> Signal {
    let best = net.roles[role].goals.iter().max_by_key(|(goal, _)| goal.value());
    best.map_or(Signal::FALSE, |&(_, won)| won)
}

/// The signal of the smallest goal of `role`. `None` if the role has no goals.
fn least(net: &PropNet, role: usize) -> Option<Signal> {
    let least = net.roles[role].goals.iter().min_by_key(|(goal, _)| goal.value());
    least.map(|&(_, least)| least)
}

/// The signal of the smallest goal of the rival of `role`. `None` if there is no rival, or a rival without goals.
fn least_of_rival(net: &PropNet, role: usize) -> Option<Signal> {
    least(net, net.rival(role)?)
}

/// Whether the largest goal of `role` implies the smallest goal of its rival in the terminal states of `net`. The
/// implication is found only where it follows from conjunctions.
fn is_certain(net: &PropNet, role: usize) -> bool {
    let Some(least) = least_of_rival(net, role) else { return false };
    let mut both = implied(net, won(net, role));
    both.extend(implied(net, !least));
    least == Signal::TRUE || both.iter().any(|&signal| both.contains(&!signal))
}

/// Whether the goals of `role` and its rival look as if they had a constant sum: for each goal of one, the other
/// has the difference to 100.
fn are_opposed(net: &PropNet, role: usize) -> bool {
    let Some(rival) = net.rival(role) else { return false };
    let goals = |role: usize| net.roles[role].goals.iter().map(|(goal, _)| goal.value());
    let has_rest =
        |one: usize, other: usize| goals(one).all(|goal| goals(other).any(|rest| goal + rest == 100));
    has_rest(role, rival) && has_rest(rival, role)
}

/// `found`, or nothing if the conditions depend on recursive rules. `is_recursive` remembers that they do.
fn unless_recursive<T>(
    found: Result<Option<T>, NoDecisiveMoves>,
    is_recursive: &mut bool,
) -> Result<Option<T>, NoDecisiveMoves> {
    if let Err(NoDecisiveMoves::Recursive) = found {
        *is_recursive = true;
        return Ok(None);
    }
    found
}

/// Restricts the legal moves of `role` in `net`. If the role has winning moves, only these are legal.
/// Otherwise, if some legal moves are safe, only these are legal. A move is safe if it does not lose at once
/// and does not allow another role to win in its next move. For each role, `next_wins` holds its winning
/// moves in the next phase. `None` stands for a role that counts as unable to win there. Also returns whether some
/// move wins, and whether none wins and each allows a win. These are no proofs where other roles choose simultaneously.
fn narrowed_moves(
    net: &PropNet,
    role: usize,
    wins: Option<&Wins>,
    losing_moves: Option<&LosingMoves>,
    next_wins: &[Option<Wins>],
) -> (PropNet, [Signal; 2]) {
    let mut builder = NetBuilder::of(net);
    let mut roles = net.roles.clone();
    let won = wins.map_or(Signal::FALSE, |wins| wins.any);
    let mut lost = Signal::FALSE;
    let moves = &mut roles[role].moves;
    if let Some(losing_moves) = losing_moves {
        let mut safe = Vec::with_capacity(moves.len());
        for ((mv, threats), &loss) in moves.iter().zip(&losing_moves.threats).zip(&losing_moves.losses) {
            let possible = threats.iter().filter(|&&(other, _)| next_wins[other].is_some());
            let none: Vec<Signal> = possible.map(|&(_, threat)| !threat).chain([!loss, mv.legal]).collect();
            safe.push(builder.and(none));
        }
        let any = any_of(&mut builder, &safe);
        lost = builder.and([!any, !won]);
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
    (builder.finish(net.fluents.clone(), roles, net.terminal), [won, lost])
}

/// The winning moves of a role: those that win at once. The signals belong to the network of the phase in
/// which the role moves.
struct Wins {
    /// Whether the role chooses alone, so that the wins are certain.
    alone: bool,
    /// For each move, whether it is legal and wins.
    moves: Vec<Signal>,
    /// Whether some move is legal and wins.
    any: Signal,
}

impl Wins {
    /// Finds the winning moves of `role` in the phase `now`, and adds their gates to `now`. `next` is the
    /// network of the following phase. `None` if no move is found to win.
    fn find(
        now: &mut PropNet,
        next: &PropNet,
        role: usize,
        scope: Scope,
    ) -> Result<Option<Wins>, NoDecisiveMoves> {
        let won = won(next, role);
        if now.roles[role].moves.len() < 2 || won == Signal::FALSE {
            return Ok(None);
        }
        let alone = is_alone(now, role);
        let opposed = are_opposed(next, role);
        let (mut builder, after) = if alone {
            // Where the goals look opposed, a move counts as winning only if it gives the rival its smallest goal: the
            // end is then certain, and hardly any signal grows.
            let least = least_of_rival(next, role).filter(|_| opposed && !is_certain(next, role));
            let ends = [next.terminal, won].into_iter().chain(least).collect();
            Successor::new(now, next, role, Others::Forced, ends)?.by_move()?
        } else if scope == Scope::All && opposed && has_few_outcomes(next, role) {
            // It is the move that wins, not what the others do; and the end is certain and no loss.
            let (builder, wins) = Successor::new(now, next, role, Others::Silent, vec![won])?.by_move()?;
            let with_wins = builder.finish(now.fluents.clone(), now.roles.clone(), now.terminal);
            let ends = [next.terminal].into_iter().chain(least(next, role).map(|least| !least)).collect();
            let (builder, mut after) =
                Successor::new(&with_wins, next, role, Others::Any, ends)?.by_move()?;
            for (after, wins) in after.iter_mut().flatten().zip(wins.into_iter().flatten()) {
                after.extend(wins);
            }
            (builder, after)
        } else {
            return Ok(None);
        };
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
        Ok(Some(Wins { alone, moves, any }))
    }
}

/// The losing moves of a role: those that lose at once, or that allow another role to win in its next move.
/// The signals belong to the network of the phase in which the role moves.
struct LosingMoves {
    /// Whether the role chooses alone, so that the other role's wins are certain.
    alone: bool,
    /// For each of the role's moves, a list of other roles, each with the signal that it can win after the
    /// move.
    threats: Vec<Vec<(usize, Signal)>>,
    /// For each of the role's moves, the signal that the move ends the game with a loss for the role.
    losses: Vec<Signal>,
}

impl LosingMoves {
    /// Whether some move allows the role `other` to win in its next move.
    fn is_against(&self, other: usize) -> bool {
        self.threats.iter().flatten().any(|&(role, threat)| role == other && threat != Signal::FALSE)
    }

    /// Finds the losing moves of `role` in the phase `now`, and adds their gates to `now`. `next_wins` holds
    /// the winning moves of each role in the phase `next`. A move loses if it allows another role one of these wins. If
    /// `role` does not choose alone, a move also loses if it ends the game with a loss, whatever the others do.
    fn find(
        now: &mut PropNet,
        next: &PropNet,
        role: usize,
        next_wins: &[Option<Wins>],
    ) -> Result<Option<LosingMoves>, NoDecisiveMoves> {
        let alone = is_alone(now, role);
        let may_threaten = |other: usize| other != role && (alone || now.rival(role) == Some(other));
        let others = next_wins.iter().enumerate().filter(|&(other, _)| may_threaten(other));
        let (others, mut signals): (Vec<usize>, Vec<Signal>) =
            others.filter_map(|(other, wins)| Some((other, wins.as_ref()?.any))).unzip();
        let lost = if alone { Signal::FALSE } else { lost(next, role) };
        let moves = now.roles[role].moves.len();
        if moves < 2 || others.is_empty() && lost == Signal::FALSE {
            return Ok(None);
        }
        let mut losing_moves =
            LosingMoves { alone, threats: vec![Vec::new(); moves], losses: vec![Signal::FALSE; moves] };
        if !others.is_empty() {
            // Where the other role moves too, it is assumed to keep its threat. A move that ends the game allows no
            // further move.
            signals.push(!next.terminal);
            let assumed = if alone { Others::Forced } else { Others::Silent };
            let (mut builder, after) = Successor::new(now, next, role, assumed, signals)?.by_move()?;
            for (threats, after) in losing_moves.threats.iter_mut().zip(after) {
                if let Some([after @ .., on]) = after.as_deref() {
                    let threat = |(&other, &threat)| (other, builder.and([threat, *on]));
                    threats.extend(others.iter().zip(after).map(threat));
                }
            }
            *now = builder.finish(now.fluents.clone(), now.roles.clone(), now.terminal);
        }
        if lost != Signal::FALSE {
            let ends = vec![next.terminal, lost];
            let (mut builder, after) = Successor::new(now, next, role, Others::Any, ends)?.by_move()?;
            for (loss, after) in losing_moves.losses.iter_mut().zip(after) {
                *loss = after.map_or(Signal::FALSE, |after| builder.and(after));
            }
            *now = builder.finish(now.fluents.clone(), now.roles.clone(), now.terminal);
        }
        Ok(Some(losing_moves))
    }
}

/// A signal of the phase `next` that says whether a terminal state is lost for `role`, which chose
/// simultaneously with others in the phase before. Every goal below the best one counts as a loss, because a
/// draw may only mean that another role made the same mistake. For a role with more than three goal values,
/// the signal is constantly false. For a role that chooses alone, callers do not use the signal: the search
/// tree learns more from playouts that lose at once than from playouts that delay the loss.
fn lost(next: &PropNet, role: usize) -> Signal {
    if has_few_outcomes(next, role) { !won(next, role) } else { Signal::FALSE }
}

/// Whether `role` has at most as many goal values as a game of win, draw and loss.
fn has_few_outcomes(net: &PropNet, role: usize) -> bool {
    const OUTCOMES: usize = 3;
    (1..=OUTCOMES).contains(&net.roles[role].goals.len())
}
