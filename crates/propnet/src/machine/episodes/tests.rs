//! Episodes agree with single states of the machine, step by step, and draw the moves of playouts.

use super::{Episodes, IllegalAction};
use crate::{Cpu, GroundLimits, PropNet, PropNetMachine};
use ggp_game::rng::Stream;
use ggp_game::{Batches, Game, Goals, Move, PlayoutPlan, Role, StateMachine, StopToken};
use std::sync::Arc;

/// Games of one, two and three roles, with and without chance, by turns and at once.
const GAMES: [&str; 8] = [
    include_str!("../../../../../games/connect_four.kif"),
    include_str!("../../../../../games/endgame.kif"),
    include_str!("../../../../../games/eight_puzzle.kif"),
    include_str!("../../../../../games/hex.kif"),
    include_str!("../../../../../games/kuhn_poker.kif"),
    include_str!("../../../../../games/rock_paper_scissors.kif"),
    include_str!("../../../../../games/skirmish.kif"),
    include_str!("../../../../../games/three_player_tic_tac_toe.kif"),
];

fn machine(rules: &str) -> PropNetMachine {
    let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
    let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap();
    PropNetMachine::new(net).unwrap()
}

/// A few lanes less than a block.
const LANES: usize = Episodes::LANES - 3;
const SEED: u64 = 5;

/// Walks `steps` steps. The moves of even steps are drawn; in odd steps they are given. Lanes begin their next episodes
/// at different times. After each step, every output of every tenth lane is compared with that of single states.
fn walk(rules: &str, steps: usize) {
    let mut machine = machine(rules);
    let mut episodes = machine.episodes(SEED, 0, LANES, &StopToken::new()).unwrap();
    let roles = machine.net().roles().len();
    let nature = machine.game().nature();
    let start = machine.initial_state().unwrap();
    let mut states = vec![start.clone(); LANES];
    let (mut made, mut episode) = (vec![0u32; LANES], vec![0u64; LANES]);
    let fluents = machine.net().fluents().len();
    let moves: Vec<Vec<Move>> = machine.shared.moves.clone();
    let most = moves.iter().map(Vec::len).max().unwrap();
    for step in 0..steps {
        // 1. The lanes show the states that single steps give.
        let mut rows = vec![9; LANES * fluents];
        episodes.write_fluents(&mut rows);
        let mut packed = vec![0; LANES * fluents.div_ceil(64)];
        episodes.write_packed_fluents(fluents.div_ceil(64), &mut packed);
        let mut legal: Vec<Vec<u8>> = moves.iter().map(|moves| vec![9; LANES * moves.len()]).collect();
        (0..roles).for_each(|role| episodes.write_legal(role, moves[role].len(), &mut legal[role]));
        let mut of_turns = vec![9; LANES * most];
        episodes.write_legal_of_turns(most, &mut of_turns);
        let mut turns = vec![9; LANES];
        episodes.write_turns(&mut turns);
        let mut drawn = vec![9; LANES * roles];
        episodes.write_drawn(&mut drawn);
        for lane in (0..LANES).filter(|lane| lane % 10 == step % 10) {
            let state = &states[lane];
            for fluent in 0..fluents {
                let holds = state.has(fluent);
                assert_eq!(rows[lane * fluents + fluent], u8::from(holds), "step {step}, lane {lane}");
                let word = packed[lane * fluents.div_ceil(64) + fluent / 64];
                assert_eq!(word >> (fluent % 64) & 1 == 1, holds, "step {step}, lane {lane}");
            }
            let is_over = machine.is_terminal(state).unwrap();
            assert_eq!(episodes.is_terminated(lane), is_over, "step {step}, lane {lane}");
            let (mut choosing, mut own) = (Vec::new(), Vec::new());
            for role in machine.game().roles().collect::<Vec<_>>() {
                machine.legal_moves(state, role, &mut own).unwrap();
                if is_over {
                    own.clear();
                }
                let of_lane = &legal[role.index()][lane * moves[role.index()].len()..];
                for (mv, &byte) in moves[role.index()].iter().zip(of_lane) {
                    assert_eq!(byte, u8::from(own.contains(mv)), "step {step}, lane {lane}, {role:?}");
                }
                if own.len() > 1 && Some(role) != nature {
                    choosing.push(role.index() as i8);
                }
                let stream = Stream::new(SEED, lane as u64 | episode[lane] << 32);
                let action = drawn[lane * roles + role.index()];
                if own.is_empty() {
                    assert_eq!(action, -1);
                } else {
                    let rank = stream.below(made[lane], role, own.len() as u32) as usize;
                    assert_eq!(moves[role.index()][action as usize], own[rank], "step {step}, lane {lane}");
                }
            }
            let turn = turns[lane];
            match choosing[..] {
                _ if is_over => assert_eq!(turn, -1),
                [] => assert!(turn >= 0 && Some(Role(turn as u8)) != nature),
                [one] => assert_eq!(turn, one),
                _ => assert_eq!(turn, -1),
            }
            for (mv, &byte) in of_turns[lane * most..][..most].iter().enumerate() {
                let own = (turn >= 0).then(|| &legal[turn as usize]);
                let count = moves[turn.max(0) as usize].len();
                let expected = own.filter(|_| mv < count).map_or(0, |own| own[lane * count + mv]);
                assert_eq!(byte, expected, "step {step}, lane {lane}, move {mv}");
            }
        }
        // 2. The step.
        if step % 2 == 0 {
            episodes.step_at_random();
        } else {
            let mut given = drawn.clone();
            for lane in 0..LANES {
                for role in 0..roles {
                    let count = moves[role].len();
                    let own = &legal[role][lane * count..][..count];
                    let is_forced = own.iter().map(|&byte| u32::from(byte)).sum::<u32>() == 1;
                    if is_forced && lane % 2 == 0 || nature == Some(Role(role as u8)) {
                        given[lane * roles + role] = -1;
                    }
                }
            }
            episodes.step(&given).unwrap();
        }
        // 3. The same steps of single states.
        for lane in 0..LANES {
            if drawn[lane * roles..][..roles].contains(&-1) {
                continue;
            }
            let of_role = |role: usize| moves[role][drawn[lane * roles + role] as usize];
            let joint: Vec<Move> = (0..roles).map(of_role).collect();
            if lane % 10 == (step + 1) % 10 {
                for role in machine.game().clone().roles() {
                    let mut percepts = Vec::new();
                    machine.percepts(&states[lane], &joint, role, &mut percepts).unwrap();
                    let all = &machine.net().roles()[role.index()].sees;
                    let mut seen = vec![9; LANES * all.len()];
                    episodes.write_percepts(role.index(), &mut seen);
                    let seen = all.iter().zip(&seen[lane * all.len()..]).filter(|&(_, &byte)| byte == 1);
                    let mut seen: Vec<_> = seen.map(|((fact, _), _)| fact.clone()).collect();
                    seen.sort_unstable();
                    assert_eq!(seen, percepts, "step {step}, lane {lane}, {role:?}");
                }
            }
            states[lane] = machine.next_state(&states[lane], &joint).unwrap();
            made[lane] += 1;
            assert_eq!(episodes.steps(lane), made[lane]);
            let is_over = machine.is_terminal(&states[lane]).unwrap();
            assert_eq!(episodes.has_just_ended(lane), is_over, "step {step}, lane {lane}");
            if is_over {
                let mut goals = vec![Goals::None; roles];
                machine.goals(&states[lane], &mut goals).unwrap();
                let goals: Vec<u8> = goals.iter().map(|goals| goals.score().value()).collect();
                assert_eq!(episodes.goals(lane), goals, "step {step}, lane {lane}");
            }
        }
        // 4. New episodes: of some lanes whose episodes are over, and of a few others.
        let again = |lane: usize| lane % 7 == step % 7 && (lane.is_multiple_of(3) || drawn[lane * roles] < 0);
        let again: Vec<bool> = (0..LANES).map(again).collect();
        episodes.reset(|lane| again[lane]);
        for lane in (0..LANES).filter(|&lane| again[lane]) {
            (states[lane], made[lane], episode[lane]) = (start.clone(), 0, episode[lane] + 1);
        }
    }
}

#[test]
fn episodes_agree_with_single_states() {
    for rules in GAMES {
        walk(rules, 40);
    }
}

#[test]
fn episodes_with_thousands_of_moves_agree_with_single_states() {
    walk(crate::lanes::tests::MANY, 12);
}

#[test]
fn the_first_episodes_are_the_playouts_of_the_seed() {
    for rules in GAMES {
        let mut machine = machine(rules);
        let start = machine.initial_state().unwrap();
        let roles = machine.net().roles().len();
        let mut expected = vec![(0, Vec::new()); LANES];
        let plan = PlayoutPlan { per_start: LANES, ..PlayoutPlan::new(SEED) };
        let mut add = |playout: ggp_game::Playout<'_>| {
            let goals: Vec<u8> = playout.goals.iter().map(|goals| goals.score().value()).collect();
            expected[playout.index] = (playout.steps, goals);
        };
        machine.playouts(&[start], plan, &mut add).unwrap();
        for cpu in Cpu::available() {
            // Two blocks, which have lanes of the same numbers together.
            let machine = machine.clone().limited_to(cpu);
            let blocks = [(0, 200), (200, LANES - 200)];
            for (first, lanes) in blocks {
                let mut episodes = machine.episodes(SEED, first as u64, lanes, &StopToken::new()).unwrap();
                while (0..lanes).any(|lane| !episodes.is_terminated(lane)) {
                    episodes.step_at_random();
                }
                for lane in 0..lanes {
                    let found = (episodes.steps(lane), episodes.goals(lane).to_vec());
                    assert_eq!(found, expected[first + lane], "{cpu:?}, lane {lane}, {roles} roles");
                }
            }
        }
    }
}

#[test]
fn illegal_actions_are_refused_or_end_the_episode() {
    let machine = machine(GAMES[0]);
    let mut episodes = machine.episodes(SEED, 0, 3, &StopToken::new()).unwrap();
    let mut turns = [9; 3];
    episodes.write_turns(&mut turns);
    let [red, yellow] = [turns[0] as usize, 1 - turns[0] as usize];
    let mut actions = [-1; 6];
    let missing = IllegalAction { lane: 0, role: red, action: -1 };
    assert_eq!(episodes.step(&actions), Err(missing));
    (0..3).zip(0..).for_each(|(lane, action)| actions[2 * lane + red] = action);
    actions[4 + red] = 9999;
    let wrong = IllegalAction { lane: 2, role: red, action: 9999 };
    assert_eq!(episodes.step(&actions), Err(wrong));
    assert_eq!(episodes.steps(0), 0, "nothing has changed");
    let checked = episodes.check(&actions);
    episodes.step_checked(&actions, &checked);
    assert_eq!((episodes.steps(0), episodes.steps(2)), (1, 0));
    assert!(!episodes.is_terminated(0) && episodes.is_terminated(2));
    assert_eq!((episodes.goals(2)[red], episodes.goals(2)[yellow]), (0, 100));
}

#[test]
fn a_pause_changes_no_episode() {
    for rules in [GAMES[0], GAMES[4]] {
        let machine = machine(rules);
        let block = || machine.episodes(SEED, 0, 100, &StopToken::new()).unwrap();
        let (mut one, mut other) = (block(), block());
        (0..9).for_each(|_| one.step_at_random());
        // Each lane makes nine of twelve steps.
        for step in 0..12 {
            other.pause(|lane| (lane + step) % 4 == 0);
            if step % 2 == 0 {
                other.step_at_random();
            } else {
                let mut drawn = vec![-1; 100 * machine.net().roles().len()];
                other.write_drawn(&mut drawn);
                other.step(&drawn).unwrap();
            }
        }
        for lane in 0..100 {
            assert_eq!(one.state(lane), other.state(lane), "lane {lane}");
            assert_eq!(one.steps(lane), other.steps(lane));
            assert_eq!(one.goals(lane), other.goals(lane));
        }
    }
}

#[test]
fn episodes_end_at_the_limit_of_steps() {
    let machine = machine(GAMES[0]);
    let mut episodes = machine.episodes(SEED, 0, 10, &StopToken::new()).unwrap();
    episodes.limit_steps(5);
    for _ in 0..7 {
        episodes.step_at_random();
    }
    assert!((0..10).all(|lane| episodes.is_truncated(lane) && episodes.steps(lane) == 5));
    episodes.reset_ended();
    episodes.step_at_random();
    assert!((0..10).all(|lane| !episodes.is_truncated(lane) && episodes.steps(lane) == 1));
}
