//! Compares two players over matches with rotated seats; used to measure this crate's techniques.
//!
//! `cargo run --release -p ggp-search --example duel -- A B SECONDS MATCHES FILE…` prints, for each
//! rulesheet, A's mean goal share with its standard error. A takes each role in turn and B all the others;
//! roles named `random` play at random. SECONDS is the clock of each move, 0 for none.

use ggp_game::{Clocks, Deadline, Game, Interpreter, Observation, Player, Role, StateMachine, StopToken};
use ggp_search::{MctsPlayer, PlayerSpec, RandomOptions, RandomPlayer};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn make(spec: &PlayerSpec, seed: u64) -> Box<dyn Player> {
    match spec.clone().with_seed(seed) {
        PlayerSpec::Mcts(options) => {
            Box::new(MctsPlayer::new(options, |game: &Arc<Game>, _, _: &StopToken| {
                Ok(Interpreter::new(game))
            }))
        }
        PlayerSpec::Random(options) => {
            Box::new(RandomPlayer::new(&options, |game: &Arc<Game>, _, _: &StopToken| {
                Ok(Interpreter::new(game))
            }))
        }
    }
}

/// Plays one match. Returns each role's goal as a share, and the longest time by which a move exceeded its
/// clock.
fn play(
    game: &Arc<Game>,
    players: &mut [Box<dyn Player>],
    clock: Duration,
) -> Result<(Vec<f64>, Duration), String> {
    let stop = StopToken::new();
    let clocks = Clocks { start: clock, play: clock };
    let due = || if clock.is_zero() { Deadline::never() } else { Deadline::after(clock) };
    let mut machine = Interpreter::new(game);
    let mut state = machine.initial_state().map_err(|e| e.to_string())?;
    for (role, player) in game.roles().zip(players.iter_mut()) {
        player.start(game, role, clocks, due(), &stop).map_err(|e| e.to_string())?;
    }
    let mut late = Duration::ZERO;
    let mut last: Option<Vec<String>> = None;
    while !machine.is_terminal(&state).map_err(|e| e.to_string())? {
        let (mut texts, mut joint, mut legal) = (Vec::new(), Vec::new(), Vec::new());
        for (role, player) in game.roles().zip(players.iter_mut()) {
            let seen = last.as_deref().map_or(Observation::Start, Observation::Moves);
            let began = Instant::now();
            let text = player.play(seen, due(), &stop).map_err(|e| e.to_string())?;
            if !clock.is_zero() {
                late = late.max(began.elapsed().saturating_sub(clock));
            }
            machine.legal_moves(&state, role, &mut legal).map_err(|e| e.to_string())?;
            let mv = machine.parse_move(&text).filter(|mv| legal.contains(mv));
            joint.push(mv.ok_or_else(|| format!("{} may not play {text}", game.role_name(role)))?);
            texts.push(text);
        }
        state = machine.next_state(&state, &joint).map_err(|e| e.to_string())?;
        last = Some(texts);
    }
    let mut goals = vec![ggp_game::Goals::None; players.len()];
    machine.goals(&state, &mut goals).map_err(|e| e.to_string())?;
    Ok((goals.into_iter().map(|goal| goal.score().share()).collect(), late))
}

fn main() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [a, b, seconds, matches, files @ ..] = &args[..] else {
        return Err("A B SECONDS MATCHES FILE… are wanted".to_owned());
    };
    let spec = |text: &str| text.parse::<PlayerSpec>().map_err(|e| e.to_string());
    let (a, b) = (spec(a)?, spec(b)?);
    let clock = Duration::from_secs_f64(seconds.parse().map_err(|_| "SECONDS is a number")?);
    let matches: u64 = matches.parse().map_err(|_| "MATCHES is a number")?;
    for file in files {
        let kif = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
        let description = ggp_gdl::parse(&kif).map_err(|_| format!("{file}: does not parse"))?;
        let game = Arc::new(Game::new(description).map_err(|_| format!("{file}: is no game"))?);
        let seats: Vec<Role> = game.roles().filter(|&role| game.role_name(role) != "random").collect();
        let (mut sum, mut squares, mut late) = (0.0, 0.0, Duration::ZERO);
        let began = Instant::now();
        for number in 0..matches {
            let seat = seats[number as usize % seats.len()];
            let mut players: Vec<Box<dyn Player>> = Vec::new();
            for role in game.roles() {
                let chance = PlayerSpec::Random(RandomOptions::default());
                let spec = if role == seat {
                    &a
                } else if seats.contains(&role) {
                    &b
                } else {
                    &chance
                };
                players.push(make(spec, number * 16 + u64::from(role.0)));
            }
            let (shares, over) = play(&game, &mut players, clock)?;
            let share = shares[seat.index()];
            sum += share;
            squares += share * share;
            late = late.max(over);
        }
        let n = matches as f64;
        let mean = sum / n;
        let error = ((squares / n - mean * mean).max(0.0) / n).sqrt();
        println!(
            "{file}\t{mean:.3} ±{error:.3}\t{matches} matches\t{:.0?}\tlate {late:.1?}",
            began.elapsed()
        );
    }
    Ok(())
}
