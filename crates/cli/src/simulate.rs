//! Checks of a game by random playouts: the dynamic conditions of the specification (Love et al. 2008,
//! section 4).
//!
//! Invariant: no property is reported as proved. A property is reported either as not refuted in the given
//! number of playouts, or as refuted, with the joint moves that refute it as evidence.

mod indistinguishable;

use self::indistinguishable::Indistinguishable;
use crate::console;
use crate::rulesheet::count;
use ggp_arena::Record;
use ggp_game::{EvalError, Game, Goal, Goals, Move, StateMachine, rng};
use ggp_gdl::Keyword;
use serde::Serialize;
use std::io::Write;

/// A playout that has taken this many steps counts as endless.
const MAX_STEPS: u32 = 10_000;

/// The maximum number of joint moves that are shown for a refutation: the last ones before the state that
/// refutes the property.
const SHOWN: usize = 10;

/// A property that is checked in every playout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Property {
    Ends,
    Playable,
    OneGoal,
    Informed,
    Monotonic,
}

const PROPERTIES: [Property; 5] =
    [Property::Ends, Property::Playable, Property::OneGoal, Property::Informed, Property::Monotonic];

impl Property {
    fn words(self) -> &'static str {
        match self {
            Property::Ends => "every playout ends",
            Property::Playable => "every role always has a move",
            Property::OneGoal => "one goal for each role at the end",
            Property::Informed => "roles know moves, end and goals",
            Property::Monotonic => "goals never fall",
        }
    }

    /// Whether a well-formed game must have the property. Monotonicity is not vital: most published games
    /// violate it, because they give goals in every state although only those of the last state are meant.
    fn is_vital(self) -> bool {
        self != Property::Monotonic
    }
}

/// The refutation of a property by a playout. Scripts rely on the names of the members.
#[derive(Debug, Serialize)]
struct Refutation {
    property: Property,
    /// The index of the playout, from 0. It also identifies the random stream of the playout.
    playout: u64,
    /// The number of joint moves before the state that refutes the property.
    step: u32,
    why: String,
    /// The place in the playout of the joint move with which `moves` begins. The first joint move of the
    /// playout has the place 1. If `moves` is empty, `first` is 1.
    first: usize,
    /// The last joint moves before the state that refutes the property, at most [`SHOWN`].
    moves: Vec<Vec<String>>,
    /// The joint moves of the playout before those in `moves`.
    #[serde(skip)]
    before: Vec<Vec<String>>,
}

impl Refutation {
    /// Writes the refutation as text: the property, and the joint moves of `moves` with their numbers.
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let words = self.property.words();
        let place = match (self.moves.len(), self.before.len()) {
            (0, _) => "in the initial state".to_owned(),
            (shown, 0) => format!("by {}:", count(shown, "joint move")),
            (shown, before) => format!(
                "by {}; the last {shown} are these, --save FILE keeps all:",
                count(before + shown, "joint move")
            ),
        };
        writeln!(out, "  ; `{words}` is refuted {place}")?;
        for (number, joint) in (self.first..).zip(&self.moves) {
            writeln!(out, "  {number:>5}. ({})", console::printable(&joint.join(" ")))?;
        }
        Ok(())
    }
}

/// The goals that a role has reached.
#[derive(Debug, Serialize)]
struct Reached {
    role: String,
    /// The largest goal that the role has reached. Null if no playout ended with a goal for the role.
    best: Option<u8>,
    /// The number of playouts in which the role got 100.
    wins: u64,
}

/// The results of the playouts.
#[derive(Debug, Serialize)]
pub(crate) struct Simulation {
    playouts: u64,
    seed: u64,
    steps: u64,
    refuted: Vec<Refutation>,
    reached: Vec<Reached>,
    /// Whether the game has hidden information, so that [`Property::Informed`] is checked.
    #[serde(skip)]
    has_percepts: bool,
}

impl Simulation {
    /// An empty result for `playouts` random playouts of `game`.
    pub(crate) fn new(game: &Game, playouts: u64, seed: u64) -> Simulation {
        let reached =
            game.roles().map(|role| Reached { role: game.role_name(role).to_owned(), best: None, wins: 0 });
        Simulation {
            playouts,
            seed,
            steps: 0,
            refuted: Vec::new(),
            reached: reached.collect(),
            has_percepts: game.has_percepts(),
        }
    }

    /// Plays the playout with the index `number`. `machine` may be any state machine of the game.
    ///
    /// # Errors
    /// See [`StateMachine`].
    pub(crate) fn play<M: StateMachine>(&mut self, machine: &mut M, number: u64) -> Result<(), EvalError> {
        let game = machine.game().clone();
        let stream = rng::Stream::new(self.seed, number);
        let mut state = machine.initial_state()?;
        let mut line: Vec<Vec<Move>> = Vec::new();
        let mut legal = Vec::new();
        let mut highest: Vec<Option<Goal>> = vec![None; game.role_count()];
        let mut goals = vec![Goals::None; game.role_count()];
        let mut alike = game
            .has_percepts()
            .then(|| Indistinguishable::new(game.role_count(), rng::mix(self.seed ^ number)));
        for step in 0.. {
            let terminal = machine.is_terminal(&state)?;
            machine.goals(&state, &mut goals)?;
            for (role, (goals, before)) in game.roles().zip(goals.iter().zip(&mut highest)) {
                let (name, now) = (game.role_name(role), goals.largest());
                if let (Some(now), Some(before)) = (now, *before)
                    && now < before
                {
                    let why = format!("the goal of {name} falls from {before} to {now}");
                    self.refute(Property::Monotonic, number, why, &line, machine);
                }
                if terminal && goals.only().is_none() {
                    let why = match now {
                        None => format!("{name} has no goal from 0 to 100; it scores 0"),
                        Some(largest) => format!("{name} has several goals; the largest, {largest}, counts"),
                    };
                    self.refute(Property::OneGoal, number, why, &line, machine);
                }
                *before = now.or(*before);
            }
            if let Some(alike) = &alike
                && let Some(why) = alike.difference(machine, &state, terminal)?
            {
                self.refute(Property::Informed, number, why, &line, machine);
            }
            if terminal {
                for (reached, goal) in self.reached.iter_mut().zip(&goals) {
                    let goal = goal.largest().map(Goal::value);
                    reached.best = reached.best.max(goal);
                    reached.wins += u64::from(goal == Some(100));
                }
                break;
            }
            if step == MAX_STEPS {
                let why = format!("it has not ended after {MAX_STEPS} steps");
                self.refute(Property::Ends, number, why, &line, machine);
                break;
            }
            let mut joint = Vec::with_capacity(game.role_count());
            for role in game.roles() {
                machine.legal_moves(&state, role, &mut legal)?;
                if legal.is_empty() {
                    let why = format!("{} has no legal move and the game is not over", game.role_name(role));
                    self.refute(Property::Playable, number, why, &line, machine);
                    return Ok(());
                }
                joint.push(legal[stream.below(step, role, legal.len() as u32) as usize]);
            }
            let next = machine.next_state(&state, &joint)?;
            if let Some(alike) = &mut alike {
                alike.follow(machine, (&state, &joint, &next))?;
            }
            state = next;
            line.push(joint);
            self.steps += 1;
        }
        Ok(())
    }

    /// Records the refutation of `property`, unless it has been refuted before.
    fn refute<M: StateMachine>(
        &mut self,
        property: Property,
        playout: u64,
        why: String,
        line: &[Vec<Move>],
        machine: &M,
    ) {
        if self.refuted.iter().all(|r| r.property != property) {
            let text = |&mv: &Move| machine.move_text(mv).to_owned();
            let mut before: Vec<Vec<String>> =
                line.iter().map(|joint| joint.iter().map(text).collect()).collect();
            let moves = before.split_off(line.len().saturating_sub(SHOWN));
            let (step, first) = (line.len() as u32, before.len() + 1);
            self.refuted.push(Refutation { property, playout, step, why, first, moves, before });
        }
    }

    /// The vital properties that are refuted: the code of each, the keyword whose rules it is about, and what was seen.
    pub(crate) fn refuted(&self) -> impl Iterator<Item = (&'static str, Keyword, String)> {
        self.refuted.iter().filter(|refutation| refutation.property.is_vital()).map(|refutation| {
            let (code, keyword) = match refutation.property {
                Property::Ends => ("endless", Keyword::Terminal),
                Property::Playable => ("no-move", Keyword::Legal),
                Property::OneGoal => ("not-one-goal", Keyword::Goal),
                Property::Informed => ("uninformed", Keyword::Sees),
                Property::Monotonic => ("falling-goals", Keyword::Goal),
            };
            let Refutation { playout, step, why, .. } = refutation;
            (code, keyword, format!("playout {playout}, step {step}: {why}"))
        })
    }

    /// For each of [`Simulation::refuted`], the joint moves from the initial state that refute it.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Vec<Vec<String>>> {
        let vital = self.refuted.iter().filter(|refutation| refutation.property.is_vital());
        vital.map(|refutation| [&refutation.before[..], &refutation.moves].concat())
    }

    /// Whether a vital property is refuted.
    pub(crate) fn is_bad(&self) -> bool {
        self.refuted.iter().any(|r| r.property.is_vital())
    }

    /// Writes the results as text.
    pub(crate) fn write(&self, file: &str, out: &mut impl Write) -> std::io::Result<()> {
        let playouts = count(self.playouts as usize, "playout");
        let mean = self.steps as f64 / self.playouts.max(1) as f64;
        writeln!(out, "{file}: {playouts}, {mean:.1} steps on average")?;
        for property in PROPERTIES.into_iter().filter(|&p| p != Property::Informed || self.has_percepts) {
            let verdict = match self.refuted.iter().find(|r| r.property == property) {
                None => console::paint_stdout(console::GOOD, &format!("not refuted in {playouts}")),
                Some(r) => {
                    let style = if property.is_vital() { console::BAD } else { console::FAINT };
                    let text = format!("refuted by playout {} at step {}: {}", r.playout, r.step, r.why);
                    console::paint_stdout(style, &text)
                }
            };
            writeln!(out, "  {:<34} {verdict}", property.words())?;
        }
        for reached in &self.reached {
            let best = reached.best.map_or("nothing".to_owned(), |best| best.to_string());
            let shown = match reached.wins {
                0 => format!("not seen in {playouts}: its best is {best}"),
                wins => format!("seen in {wins} of {playouts}"),
            };
            writeln!(out, "  {:<34} {shown}", format!("{} can win", reached.role))?;
        }
        for refutation in self.refuted.iter().filter(|r| r.property.is_vital()) {
            refutation.write(out)?;
        }
        Ok(())
    }

    /// A refuted property in words, and a match record with all joint moves that refute it. If several
    /// properties are refuted, a vital one is preferred. `None` if nothing is refuted. `file` is the file of
    /// the rules; the record names it as its game.
    pub(crate) fn record(&self, file: &str) -> Option<(&'static str, Record)> {
        let refutation = self.refuted.iter().min_by_key(|r| !r.property.is_vital())?;
        let mut moves = refutation.before.clone();
        moves.extend_from_slice(&refutation.moves);
        let record = Record {
            match_id: format!("simulation.{}.{}", self.seed, refutation.playout),
            game_meta_url: file.to_owned(),
            is_completed: refutation.property == Property::OneGoal,
            is_aborted: refutation.property != Property::OneGoal,
            moves,
            ..Record::default()
        };
        Some((refutation.property.words(), record))
    }
}
