//! Programs with guards compute the same as programs without.

use super::Compiler;
use crate::circuit::Sharing;
use crate::cpu::Kernels;
use crate::ground::GroundLimits;
use crate::guard::Sizes;
use crate::hold::Holds;
use crate::latch::Kept;
use crate::net::PropNet;
use crate::program::{Block, Layout, ONES, Outputs, Program, state_row};
use crate::rows::Bits;
use ggp_game::rng::mix;
use ggp_game::{Game, StopToken};
use proptest::prelude::*;
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

const TINY: Sizes = Sizes { section: 0, group: 2, each_block: 0 };
const NONE: Sizes = Sizes { section: usize::MAX, group: usize::MAX, each_block: usize::MAX };

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
/// all of them. In the second half some states are replaced by arbitrary ones, as if other playouts began there.
/// Returns the number of guards.
fn agree(net: &PropNet, sharing: Sharing, layout: Layout) -> usize {
    let fluents: Vec<u32> = (0..net.fluents().len() as u32).collect();
    let moves = net.roles().iter().map(|role| (0..role.moves.len() as u32).collect()).collect();
    let outputs =
        Outputs { net, fluents: &fluents, moves, percepts: false, kept: Kept::default(), verdicts: &[] };
    let compiler = Compiler::new(&outputs, sharing, &StopToken::new()).unwrap();
    let (mut plain, mut grouped) =
        (Walk::new(&compiler, net, layout, NONE), Walk::new(&compiler, net, layout, TINY));
    assert_eq!(guards(&plain.program), 0);
    for step in 0..40 {
        if step > 20 {
            let lanes = mix(step) & mix(step + 100);
            for fluent in 0..fluents.len() {
                let value = mix(step << 20 | fluent as u64);
                for walk in [&mut plain, &mut grouped] {
                    let row = &mut walk.rows[state_row(fluent)];
                    *row = *row & !lanes | value & lanes;
                }
            }
        }
        for walk in [&mut plain, &mut grouped] {
            walk.run(|program| &program.terminal_blocks);
        }
        let of = |walk: &Walk, (row, negated): (u32, bool)| walk.rows[row as usize].negate_if(negated);
        let terminal = |walk: &Walk| of(walk, walk.program.terminal);
        assert_eq!(terminal(&plain), terminal(&grouped), "terminal in step {step}");
        let goals = |walk: &mut Walk| -> Vec<u64> {
            walk.run(|program| &program.goal_blocks);
            let goals = walk.program.goals.iter().flatten().map(|&goal| of(walk, goal)).collect();
            // The goal section may overwrite values that the legal section reads.
            walk.run(|program| &program.terminal_blocks);
            goals
        };
        assert_eq!(goals(&mut plain), goals(&mut grouped), "goals in step {step}");
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
            for sharing in [Sharing::Off, Sharing::Once, Sharing::Best] {
                assert!(agree(&net, sharing, layout) > 0, "{sharing:?} {layout:?} has guards");
            }
        }
    }
    for rules in [
        include_bytes!("../../../../games/english_draughts.kif").as_slice(),
        include_bytes!("../../../../games/pawn_whopping.kif"),
        include_bytes!("../../../../games/connect_four.kif"),
        include_bytes!("../../../../games/hex.kif"),
    ] {
        let net = net(str::from_utf8(rules).unwrap());
        agree(&net, Sharing::Best, Layout::Refill);
    }
}

#[test]
fn lists_of_gates_with_recursion_get_no_guards() {
    // The terminal condition reads what is linked, and has a large conjunction under some fluents.
    let rules = |before: &str| {
        let mut rules = String::from(
            "(role r) (legal r on) (legal r off) (goal r 0) (init (at 0)) (<= (linked 0) (true (at 0)))
            (<= (linked 3) (linked 5) (not (true (at 2)))) (<= (other ?p) (true (at ?p)))",
        );
        for at in 0..8 {
            let next = (at + 1) % 8;
            rules += &format!(
                "(<= (next (at {at})) (does r on) (not (true (at {next}))))
                (<= (linked {next}) ({before} {at}) (true (at {next})))
                (<= terminal (true (at 3)) (linked {at}) (true (at {next})) (not (true (at 0))))"
            );
        }
        rules
    };
    let recursive = net(&rules("linked"));
    let apart = net(&rules("other"));
    assert!(!recursive.component(0).is_empty());
    for layout in [Layout::Refill, Layout::Share] {
        assert_eq!(agree(&recursive, Sharing::Best, layout), 0, "{layout:?}");
        assert!(agree(&apart, Sharing::Best, layout) > 0, "{layout:?}");
    }
}

/// A condition of random rules: fluents, moves and helping relations, each of them negated or not.
fn condition() -> impl Strategy<Value = String> {
    let literal = (0..16_u32, any::<bool>()).prop_map(|(at, negated)| {
        let atom = match at {
            0..8 => format!("(true (f {at}))"),
            8..12 => format!("(help {at})"),
            12..15 => format!("(does r {})", at - 12),
            _ => "(true (f 0))".to_owned(),
        };
        if negated { format!("(not {atom})") } else { atom }
    });
    prop::collection::vec(literal, 1..4).prop_map(|literals| literals.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn guards_change_no_value_of_random_rules(
        next in prop::collection::vec((0..8_u32, condition()), 8..60),
        help in prop::collection::vec((8..12_u32, condition()), 4..12),
        kept in prop::collection::vec((0..8_u32, any::<bool>()), 0..8),
        end in condition(),
    ) {
        let mut rules = String::from("(role r) (legal r 0) (legal r 1) (<= (legal r 2) (true (f 1))) (goal r 0)");
        for at in 0..8 {
            rules += &format!("(init (f {at}))");
        }
        let without = |text: &str, parts: &[&str]| !parts.iter().any(|part| text.contains(part));
        for (at, condition) in &help {
            if without(condition, &["help"]) {
                rules += &format!("(<= (help {at}) {condition})");
            }
        }
        for (at, condition) in &next {
            rules += &format!("(<= (next (f {at})) {condition})");
        }
        for (at, clears) in &kept {
            let unless = if *clears { "(not (does r 1))" } else { "" };
            rules += &format!("(<= (next (f {at})) (true (f {at})) {unless})");
        }
        if without(&end, &["help", "does"]) {
            rules += &format!("(<= terminal {end})");
        } else {
            rules += "(<= terminal (true (f 2)) (true (f 3)))";
        }
        let net = net(&rules);
        for layout in [Layout::Refill, Layout::Share] {
            agree(&net, Sharing::Best, layout);
        }
    }
}

/// The texts of the fluents that are computed in their own rows.
fn held(rules: &str) -> Vec<String> {
    let net = net(rules);
    let fluents: Vec<u32> = (0..net.fluents().len() as u32).collect();
    let moves = net.roles().iter().map(|role| (0..role.moves.len() as u32).collect()).collect();
    let outputs = Outputs {
        net: &net,
        fluents: &fluents,
        moves,
        percepts: false,
        kept: Kept::default(),
        verdicts: &[],
    };
    let compiler = Compiler::new(&outputs, Sharing::Once, &StopToken::new()).unwrap();
    let holds = Holds::find(&compiler.circuit, &fluents, &compiler.next, &[], 2);
    let names = net.fluents().iter().enumerate().filter(|&(at, _)| holds.has(at));
    let mut names: Vec<String> = names.map(|(_, fluent)| fluent.fact.as_str().to_owned()).collect();
    names.sort_unstable();
    names
}

#[test]
fn fluents_are_held_only_if_nothing_reads_their_old_values_later() {
    // Clearing and setting need the move only.
    let rest = "(role r) (legal r on) (legal r off) (legal r wait) (init a) (init c) (init d) (goal r 0)
        (<= terminal (true c) (true d))";
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
