//! Programs with guards compute the same as programs without.

use super::Compiler;
use crate::circuit::Sharing;
use crate::cpu::Kernels;
use crate::ground::GroundLimits;
use crate::guard::Sizes;
use crate::hold::Holds;
use crate::net::PropNet;
use crate::program::{Block, Layout, ONES, Outputs, Program, state_row};
use ggp_game::rng::mix;
use ggp_game::{Game, StopToken};
use std::sync::Arc;

/// Stones on a ring of twelve points. A new stone takes over the groups beside it, whose numbers are steps.
const GROUPS: &str =
    "(role r) (init (step 0)) (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
    (after 6 7) (after 7 8) (after 8 9) (after 9 10) (after 10 11) (after 11 0)
    (<= (point ?p) (after ?p ?q)) (<= (near ?p ?q) (after ?p ?q)) (<= (near ?p ?q) (after ?q ?p))
    (<= (legal r (put ?p)) (point ?p) (not (taken ?p)))
    (<= (taken ?p) (true (in ?k ?p)))
    (<= (merged ?k) (does r (put ?p)) (near ?p ?q) (true (in ?k ?q)))
    (<= (next (step ?n)) (true (step ?k)) (after ?k ?n))
    (<= (next (in ?k ?p)) (does r (put ?p)) (true (step ?k)))
    (<= (next (in ?k ?p)) (merged ?e) (true (in ?e ?p)) (true (step ?k)))
    (<= (next (in ?k ?p)) (true (in ?k ?p)) (not (merged ?k)))
    (<= terminal (true (in ?k 0)) (true (in ?k 6)))
    (<= (goal r 100) (true (in 0 ?p))) (<= (goal r 0) (not (true (in 0 0))))";

/// Marks that a wave sets and clears while it reads the marks beside them, and a mark that follows another one.
const WAVES: &str = "(role r) (legal r on) (legal r off) (legal r wait) (init (m 1)) (init (copy 0))
    (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 0) (<= (point ?p) (after ?p ?q))
    (<= (next (m ?p)) (true (m ?p)) (not (does r off)))
    (<= (next (m ?p)) (after ?q ?p) (true (m ?q)) (does r on))
    (<= (next (copy ?p)) (true (m ?p)))
    (<= (next (k ?p)) (true (k ?p))) (<= (next (k ?p)) (point ?p) (does r on) (true (copy ?p)))
    (<= terminal (true (k 0)) (true (k 3))) (<= (goal r 100) (true (k 1))) (<= (goal r 0) (not (true (k 1))))";

const TINY: Sizes = Sizes { section: 0, group: 2 };
const NONE: Sizes = Sizes { section: usize::MAX, group: usize::MAX };

fn net(rules: &str) -> PropNet {
    let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
    PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap()
}

fn guards(program: &Program) -> usize {
    program.blocks().filter(|block| matches!(block, Block::Guard { .. })).count()
}

/// A program and its rows, with 64 states at once.
struct Walk {
    program: Program,
    rows: Vec<u64>,
}

impl Walk {
    fn new(compiler: &Compiler<'_>, net: &PropNet, layout: Layout, sizes: Sizes) -> Walk {
        let program = compiler.compile(layout, sizes, &StopToken::new()).unwrap();
        let mut rows = vec![0; program.rows];
        rows[ONES as usize] = !0;
        for (at, fluent) in net.fluents().iter().enumerate() {
            rows[state_row(at)] = if fluent.initial { !0 } else { 0 };
        }
        Walk { program, rows }
    }

    fn run(&mut self, blocks: fn(&Program) -> &Vec<Block>) {
        Kernels::run_packed(blocks(&self.program), &self.program.gates, &mut self.rows);
    }

    fn states(&self, net: &PropNet) -> Vec<u64> {
        self.rows[state_row(0)..][..net.fluents().len()].to_vec()
    }
}

/// Plays 40 steps with both programs. In the first half all states are equal, so that many guards are false in
/// all of them. Returns the number of guards.
fn agree(net: &PropNet, sharing: Sharing, layout: Layout) -> usize {
    let fluents: Vec<u32> = (0..net.fluents().len() as u32).collect();
    let moves = net.roles().iter().map(|role| (0..role.moves.len() as u32).collect()).collect();
    let outputs = Outputs { net, fluents: &fluents, moves, percepts: false };
    let compiler = Compiler::new(&outputs, sharing, &StopToken::new()).unwrap();
    let (mut plain, mut grouped) =
        (Walk::new(&compiler, net, layout, NONE), Walk::new(&compiler, net, layout, TINY));
    assert_eq!(guards(&plain.program), 0);
    for step in 0..40 {
        for walk in [&mut plain, &mut grouped] {
            walk.run(|program| &program.terminal_blocks);
        }
        let terminal = |walk: &Walk| {
            let (row, negated) = walk.program.terminal;
            walk.rows[row as usize] ^ if negated { !0 } else { 0 }
        };
        assert_eq!(terminal(&plain), terminal(&grouped), "terminal in step {step}");
        for walk in [&mut plain, &mut grouped] {
            walk.run(|program| &program.legal_blocks);
        }
        for choice in plain.program.choices.clone() {
            let rows = choice.base as usize..choice.base as usize + choice.moves.len();
            let legal = plain.rows[rows.clone()].to_vec();
            assert_eq!(legal, grouped.rows[rows.clone()], "legal moves in step {step}");
            let mut made = vec![0_u64; legal.len()];
            for lane in 0..64 {
                let own: Vec<usize> = (0..legal.len()).filter(|&mv| legal[mv] >> lane & 1 == 1).collect();
                let seed = if step < 20 { step } else { step * 64 + lane };
                if let Some(&mv) = own.get(mix(seed) as usize % own.len().max(1)) {
                    made[mv] |= 1 << lane;
                }
            }
            plain.rows[rows.clone()].copy_from_slice(&made);
            grouped.rows[rows].copy_from_slice(&made);
        }
        for walk in [&mut plain, &mut grouped] {
            walk.run(|program| &program.next_blocks);
        }
        assert_eq!(plain.states(net), grouped.states(net), "states after step {step}");
    }
    guards(&grouped.program)
}

#[test]
fn guards_change_no_value() {
    for rules in [GROUPS, WAVES] {
        let net = net(rules);
        for layout in [Layout::Refill, Layout::Share] {
            for sharing in [Sharing::Off, Sharing::On, Sharing::Dissolving] {
                assert!(agree(&net, sharing, layout) > 0, "{sharing:?} {layout:?} has guards");
            }
        }
    }
    for rules in [
        include_bytes!("../../../../games/english_draughts.kif").as_slice(),
        include_bytes!("../../../../games/pawn_whopping.kif"),
        include_bytes!("../../../../games/connect_four.kif"),
    ] {
        let net = net(str::from_utf8(rules).unwrap());
        agree(&net, Sharing::Dissolving, Layout::Refill);
    }
}

/// The texts of the fluents that are computed in their own rows.
fn held(rules: &str) -> Vec<String> {
    let net = net(rules);
    let fluents: Vec<u32> = (0..net.fluents().len() as u32).collect();
    let moves = net.roles().iter().map(|role| (0..role.moves.len() as u32).collect()).collect();
    let outputs = Outputs { net: &net, fluents: &fluents, moves, percepts: false };
    let compiler = Compiler::new(&outputs, Sharing::On, &StopToken::new()).unwrap();
    let holds = Holds::find(&compiler.circuit, &fluents, &compiler.next, &[], 2);
    let names = net.fluents().iter().zip(&holds.held).filter(|&(_, &held)| held);
    let mut names: Vec<String> = names.map(|(fluent, _)| fluent.fact.as_str().to_owned()).collect();
    names.sort_unstable();
    names
}

#[test]
fn fluents_are_held_only_if_nothing_reads_their_old_values_later() {
    // Clearing and setting need the move only.
    let rest = "(role r) (legal r on) (legal r off) (legal r wait) (init a) (init c) (init d) (goal r 0) (<= terminal (true c) (true d))";
    let latched =
        "(<= (next a) (true a)) (<= (next a) (does r on)) (<= (next b) (true b)) (<= (next b) (does r on))
        (<= (next c) (true c) (not (does r off))) (<= (next d) (true d) (not (does r off)))
        (<= (next c) (true a) (true x)) (<= (next x) (true b)) (<= (next d) (true x))";
    // The new value of c reads a, and the new value of x is the old value of b.
    assert_eq!(held(&format!("{rest} {latched}")), ["c", "d"]);
    let apart =
        "(<= (next a) (true a)) (<= (next a) (does r on)) (<= (next b) (true b)) (<= (next b) (does r on))
        (<= (next c) (true c) (not (does r off))) (<= (next d) (true d) (not (does r off)))";
    assert_eq!(held(&format!("{rest} {apart}")), ["a", "b", "c", "d"]);
    // A fluent that is not kept, or is kept in part by another condition on itself, is computed anew.
    let lost = "(<= (next a) (does r on)) (<= (next b) (does r on)) (<= (next c) (not (true c)) (does r on))
        (<= (next d) (not (true d)) (does r on))";
    assert_eq!(held(&format!("{rest} {lost}")), [""; 0]);
}
