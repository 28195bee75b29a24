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
use ggp_game::{
    EvalError, Fact, Firing, Game, Goal, Goals, Interpreter, Move, Role, StateMachine, StopToken, Unfired,
    rng, written_goals,
};
use ggp_gdl::lines::Lines;
use ggp_gdl::{Keyword, Span};
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;

/// A playout that has taken this many steps counts as endless.
const MAX_STEPS: u32 = 10_000;

/// The maximum number of joint moves that are shown for a refutation: the last ones before the state that
/// refutes the property.
const SHOWN: usize = 10;

/// The maximum number of facts of a state that are shown.
const FACTS: usize = 30;

/// The number of states at the end of an endless playout that are compared with each other.
const COMPARED: usize = 64;

/// The number of playouts, and the number of states of each, that are looked at to find rules that never fire.
const FIRING_PLAYOUTS: u64 = 100;
const FIRING_STEPS: u32 = 200;
/// The largest number of rows that joins may try in one state to find the rules that fire there.
const FIRING_ROWS: u64 = 200_000;
/// The largest number of rules that never fired that are shown as text.
const FIRING_SHOWN: usize = 20;

/// The seed of the playouts of a game that is being written.
const DRAFT_SEED: u64 = 1;

/// A property that is checked in every playout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Property {
    Ends,
    Playable,
    HasGoal,
    OneGoal,
    GoalInRange,
    Informed,
    Monotonic,
}

const PROPERTIES: [Property; 7] = [
    Property::Ends,
    Property::Playable,
    Property::HasGoal,
    Property::OneGoal,
    Property::GoalInRange,
    Property::Informed,
    Property::Monotonic,
];

impl Property {
    fn words(self) -> &'static str {
        match self {
            Property::Ends => "every playout ends",
            Property::Playable => "every role always has a move",
            Property::HasGoal => "every role has a goal at the end",
            Property::OneGoal => "no role has several goals then",
            Property::GoalInRange => "goals are from 0 to 100 then",
            Property::Informed => "roles know moves, end and goals",
            Property::Monotonic => "goals never fall",
        }
    }

    /// The code of the finding that the property is refuted, and the keyword whose rules it is about.
    fn code(self) -> (&'static str, Keyword) {
        match self {
            Property::Ends => ("no-end", Keyword::Terminal),
            Property::Playable => ("no-move", Keyword::Legal),
            Property::HasGoal => ("no-goal-at-the-end", Keyword::Goal),
            Property::OneGoal => ("several-goals-at-the-end", Keyword::Goal),
            Property::GoalInRange => ("goal-out-of-range", Keyword::Goal),
            Property::Informed => ("uninformed", Keyword::Sees),
            Property::Monotonic => ("falling-goals", Keyword::Goal),
        }
    }

    /// Whether a well-formed game must have the property. Monotonicity is not vital: most published games
    /// violate it, because they give goals in every state although only those of the last state are meant.
    fn is_vital(self) -> bool {
        self != Property::Monotonic
    }

    /// Whether the last state of a playout refutes the property.
    fn is_of_end(self) -> bool {
        matches!(self, Property::HasGoal | Property::OneGoal | Property::GoalInRange)
    }

    /// What a refutation means and when it is harmless, for a property that is not vital.
    fn remark(self) -> Option<&'static str> {
        (self == Property::Monotonic).then_some(
            "harmless if only the goals of the last state are meant, as in most games; the specification wants \
             goals in mid-game not to fall",
        )
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
    /// Whether the game can be played as it is meant in spite of the refutation.
    harmless: bool,
    /// The facts of the state that refutes the property, at most [`FACTS`]. Empty for some properties.
    state: Vec<String>,
    /// For a role without a legal move: the line of the rule of `legal` that comes nearest, and the condition that
    /// fails.
    nearest: Option<Place>,
    /// The number of joint moves after which an endless playout comes back to the state before them.
    repeats: Option<usize>,
    /// The place in the playout of the joint move with which `moves` begins. The first joint move of the
    /// playout has the place 1. If `moves` is empty, `first` is 1.
    first: usize,
    /// The last joint moves before the state that refutes the property, at most [`SHOWN`].
    moves: Vec<Vec<String>>,
    /// The joint moves of the playout before those in `moves`.
    #[serde(skip)]
    before: Vec<Vec<String>>,
}

/// A rule and one of its conditions.
#[derive(Debug, Serialize)]
pub(crate) struct Place {
    /// The line of the rule, from 1.
    pub(crate) line: usize,
    /// The head of the rule.
    pub(crate) rule: String,
    /// The line of the condition, from 1.
    pub(crate) condition_line: usize,
    /// The condition that fails.
    pub(crate) condition: String,
}

impl Place {
    fn of(game: &Game, unfired: &Unfired) -> Place {
        let source = &game.description().source;
        let lines = Lines::new(source);
        let text = |span: Span| {
            let text = String::from_utf8_lossy(&source[span.range()]).into_owned();
            text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
        };
        Place {
            line: lines.position(unfired.head.start).line,
            rule: text(unfired.head),
            condition_line: lines.position(unfired.condition.start).line,
            condition: text(unfired.condition),
        }
    }
}

impl Refutation {
    /// What was seen, in one line.
    fn seen(&self) -> String {
        let Refutation { playout, step, why, .. } = self;
        format!("playout {playout}, step {step}: {why}")
    }

    /// Writes the refutation as text: the property, and the joint moves of `moves` with their numbers.
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let words = self.property.words();
        if let Some(repeats) = self.repeats {
            let many = count(repeats, "joint move");
            let all = if repeats > self.moves.len() {
                format!(", of which the last {} are these", self.moves.len())
            } else {
                String::new()
            };
            writeln!(
                out,
                "  ; `{words}` is refuted: {many}{all} lead back to the same state, so nothing counts the steps:"
            )?;
            return self.write_moves(out);
        }
        let place = match (self.moves.len(), self.before.len()) {
            (0, _) => "in the initial state".to_owned(),
            (shown, 0) => format!("by {}:", count(shown, "joint move")),
            (shown, before) => format!(
                "by {}; the last {shown} are these, --save FILE keeps all:",
                count(before + shown, "joint move")
            ),
        };
        writeln!(out, "  ; `{words}` is refuted {place}")?;
        self.write_moves(out)?;
        if !self.state.is_empty() {
            writeln!(out, "  ; the state then: {}", console::printable(&self.state.join(" ")))?;
        }
        if let Some(Place { line, rule, condition_line, condition }) = &self.nearest {
            let condition = console::printable(condition);
            let rule = console::printable(rule);
            writeln!(
                out,
                "  ; the nearest rule is `{rule}` in line {line}; `{condition}` in line {condition_line} fails"
            )?;
        }
        Ok(())
    }

    fn write_moves(&self, out: &mut impl Write) -> std::io::Result<()> {
        for (number, joint) in (self.first..).zip(&self.moves) {
            writeln!(out, "  {number:>5}. ({})", console::printable(&joint.join(" ")))?;
        }
        Ok(())
    }
}

/// The property that the goals `values` of a role in the last state refute, and how. `largest` is the one that
/// counts.
fn bad_goals(role: &str, values: &[&str], largest: Option<Goal>) -> (Property, String) {
    let counts =
        largest.map_or("it scores 0".to_owned(), |largest| format!("the largest, {largest}, counts"));
    match values.iter().find(|value| Goal::from_text(value).is_none()) {
        Some(bad) => {
            (Property::GoalInRange, format!("the goal {bad} of {role} is not from 0 to 100; {counts}"))
        }
        None if values.is_empty() => (Property::HasGoal, format!("{role} has no goal; {counts}")),
        None => (Property::OneGoal, format!("{role} has the goals {}; {counts}", values.join(" and "))),
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
#[derive(Serialize)]
pub(crate) struct Simulation {
    playouts: u64,
    seed: u64,
    steps: u64,
    refuted: Vec<Refutation>,
    reached: Vec<Reached>,
    /// The rules that fired in no state that was looked at, with the first condition that failed. Null if that
    /// takes too much work.
    never_fired: Option<Vec<Place>>,
    /// The number of playouts whose states were looked at for `never_fired`.
    #[serde(skip)]
    looked_at: u64,
    #[serde(skip)]
    firing: Option<Firing>,
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
            never_fired: None,
            looked_at: 0,
            firing: Firing::of_rules(game, FIRING_ROWS),
            has_percepts: game.has_percepts(),
        }
    }

    /// Plays `playouts` playouts of a game that is being written, by the interpreter. The same rules always have the
    /// same result. Stops soon after `stop` is raised.
    pub(crate) fn of_draft(
        game: &Arc<Game>,
        playouts: u64,
        stop: &StopToken,
    ) -> Result<Simulation, EvalError> {
        let mut simulation = Simulation::new(game, playouts, DRAFT_SEED);
        let mut machine = Interpreter::new(game);
        machine.interrupt_on(stop);
        for number in 0..playouts {
            simulation.play(&mut machine, number)?;
        }
        Ok(simulation)
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
        // The last states of a playout that seems endless.
        let mut recent: Vec<M::State> = Vec::new();
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
                    self.refute(Property::Monotonic, number, why, &line, machine, None)?;
                }
                if terminal && goals.only().is_none() {
                    let written = written_goals(&game, &machine.facts_of(&state)?)?;
                    let own: Vec<&str> = written
                        .iter()
                        .filter(|(role, _)| role == name)
                        .map(|(_, value)| value.as_str())
                        .collect();
                    let (property, why) = bad_goals(name, &own, now);
                    self.refute(property, number, why, &line, machine, Some(&state))?;
                }
                *before = now.or(*before);
            }
            if let Some(alike) = &alike
                && let Some(why) = alike.difference(machine, &state, terminal)?
            {
                self.refute(Property::Informed, number, why, &line, machine, None)?;
            }
            if terminal {
                self.look(machine, number, step, &state, None);
                for (reached, goal) in self.reached.iter_mut().zip(&goals) {
                    let goal = goal.largest().map(Goal::value);
                    reached.best = reached.best.max(goal);
                    reached.wins += u64::from(goal == Some(100));
                }
                break;
            }
            if step == MAX_STEPS {
                if !self.is_refuted(Property::Ends) {
                    let why = format!("it has not ended after {MAX_STEPS} steps");
                    self.refute(Property::Ends, number, why, &line, machine, None)?;
                    self.shorten(&recent, &line, machine);
                }
                break;
            }
            let mut joint = Vec::with_capacity(game.role_count());
            for role in game.roles() {
                machine.legal_moves(&state, role, &mut legal)?;
                if legal.is_empty() {
                    let why = format!("{} has no legal move and the game is not over", game.role_name(role));
                    self.refute(Property::Playable, number, why, &line, machine, Some(&state))?;
                    self.explain_stuck(&game, role, &machine.facts_of(&state)?);
                    return Ok(());
                }
                joint.push(legal[stream.below(step, role, legal.len() as u32) as usize]);
            }
            let next = machine.next_state(&state, &joint)?;
            self.look(machine, number, step, &state, Some(&joint));
            if step + COMPARED as u32 >= MAX_STEPS {
                recent.push(state.clone());
            }
            if let Some(alike) = &mut alike {
                alike.follow(machine, (&state, &joint, &next))?;
            }
            state = next;
            line.push(joint);
            self.steps += 1;
        }
        Ok(())
    }

    fn is_refuted(&self, property: Property) -> bool {
        self.refuted.iter().any(|refutation| refutation.property == property)
    }

    /// Records the refutation of `property`, unless it has been refuted before. `state` is the state that refutes
    /// it, if its facts are to be shown.
    fn refute<M: StateMachine>(
        &mut self,
        property: Property,
        playout: u64,
        why: String,
        line: &[Vec<Move>],
        machine: &mut M,
        state: Option<&M::State>,
    ) -> Result<(), EvalError> {
        if self.is_refuted(property) {
            return Ok(());
        }
        let mut facts: Vec<String> = Vec::new();
        if let Some(state) = state {
            let all = machine.facts_of(state)?;
            facts.extend(all.iter().take(FACTS).map(|fact| fact.as_str().to_owned()));
            if all.len() > FACTS {
                facts.push(format!("and {} more facts", all.len() - FACTS));
            }
        }
        let text = |&mv: &Move| machine.move_text(mv).to_owned();
        let mut before: Vec<Vec<String>> =
            line.iter().map(|joint| joint.iter().map(text).collect()).collect();
        let moves = before.split_off(line.len().saturating_sub(SHOWN));
        let (step, first) = (line.len() as u32, before.len() + 1);
        self.refuted.push(Refutation {
            property,
            playout,
            step,
            why,
            harmless: !property.is_vital(),
            state: facts,
            nearest: None,
            repeats: None,
            first,
            moves,
            before,
        });
        Ok(())
    }

    /// Shows an endless playout as a loop, if one of the states `recent` before its last joint moves `line`
    /// occurs twice. The shortest loop is shown.
    fn shorten<M: StateMachine>(&mut self, recent: &[M::State], line: &[Vec<Move>], machine: &M) {
        let Some(refutation) = self.refuted.iter_mut().find(|r| r.property == Property::Ends) else { return };
        let start = line.len() - recent.len();
        let mut best: Option<(usize, usize)> = None;
        for (to, state) in recent.iter().enumerate() {
            if let Some(from) = recent[..to].iter().rposition(|before| before == state)
                && best.is_none_or(|(a, b)| to - from < b - a)
            {
                best = Some((from, to));
            }
        }
        let Some((from, to)) = best else {
            refutation.why.push_str(&format!(", and no state of the last {} repeats", recent.len()));
            return;
        };
        let shown = (to - from).min(SHOWN);
        let text = |&mv: &Move| machine.move_text(mv).to_owned();
        let texts = |joints: &[Vec<Move>]| -> Vec<Vec<String>> {
            joints.iter().map(|joint| joint.iter().map(text).collect()).collect()
        };
        let end = start + to;
        refutation.repeats = Some(to - from);
        refutation.moves = texts(&line[end - shown..end]);
        refutation.before = texts(&line[..end - shown]);
        refutation.first = end - shown + 1;
        refutation.step = end as u32;
        refutation
            .why
            .push_str(&format!("; the state after step {} comes again after step {end}", start + from));
    }

    /// Adds to the refutation of [`Property::Playable`] the rule of `legal` that comes nearest for `role`.
    fn explain_stuck(&mut self, game: &Game, role: Role, facts: &[Fact]) {
        let Some(refutation) = self.refuted.iter_mut().find(|r| r.property == Property::Playable) else {
            return;
        };
        if refutation.nearest.is_some() {
            return;
        }
        let Some(mut firing) = Firing::of_legal(game, role, game.limits().rows) else { return };
        if firing.look(facts, None).is_ok() {
            refutation.nearest = firing.nearest().map(|unfired| Place::of(game, &unfired));
        }
    }

    /// Notes the rules that fire in `state`.
    fn look<M: StateMachine>(
        &mut self,
        machine: &mut M,
        playout: u64,
        step: u32,
        state: &M::State,
        joint: Option<&[Move]>,
    ) {
        if playout >= FIRING_PLAYOUTS || step >= FIRING_STEPS {
            return;
        }
        let Some(firing) = &mut self.firing else { return };
        let text = |&mv: &Move| machine.move_text(mv).to_owned();
        let joint: Option<Vec<String>> = joint.map(|joint| joint.iter().map(text).collect());
        let looked = machine.facts_of(state).and_then(|facts| firing.look(&facts, joint.as_deref()));
        if looked.is_err() {
            self.firing = None;
        }
        self.looked_at = self.looked_at.max(playout + 1);
    }

    /// Ends the simulation: lists the rules that never fired.
    pub(crate) fn finish(&mut self, game: &Game) {
        let firing = self.firing.take();
        self.never_fired =
            firing.map(|firing| firing.unfired().iter().map(|unfired| Place::of(game, unfired)).collect());
    }

    /// The vital properties that are refuted: the code of each, the keyword whose rules it is about, and what was seen.
    pub(crate) fn refuted(&self) -> impl Iterator<Item = (&'static str, Keyword, String)> {
        let vital = self.refuted.iter().filter(|refutation| refutation.property.is_vital());
        vital.map(|refutation| {
            let (code, keyword) = refutation.property.code();
            (code, keyword, refutation.seen())
        })
    }

    /// All properties that are refuted: the code of each, what was seen, when it is harmless, and the joint moves from the
    /// initial state that refute it.
    pub(crate) fn lines(
        &self,
    ) -> impl Iterator<Item = (&'static str, String, Option<&'static str>, Vec<Vec<String>>)> {
        self.refuted.iter().map(|refutation| {
            let line = [&refutation.before[..], &refutation.moves].concat();
            (refutation.property.code().0, refutation.seen(), refutation.property.remark(), line)
        })
    }

    /// The rules that never fired. Empty if no state was looked at, or that takes too much work.
    pub(crate) fn never_fired(&self) -> &[Place] {
        self.never_fired.as_deref().filter(|_| self.looked_at > 0).unwrap_or_default()
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
            if self.refuted.iter().any(|r| r.property == property)
                && let Some(remark) = property.remark()
            {
                writeln!(out, "  {:<34} {}", "", console::paint_stdout(console::FAINT, remark))?;
            }
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
        self.write_never_fired(out)
    }

    fn write_never_fired(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Some(all) = self.never_fired.as_ref().filter(|all| !all.is_empty()) else { return Ok(()) };
        let looked = count(self.looked_at as usize, "playout");
        writeln!(
            out,
            "  ; {} never fired in {looked}; the first condition that failed:",
            count(all.len(), "rule")
        )?;
        for Place { line, rule, condition, .. } in all.iter().take(FIRING_SHOWN) {
            let (rule, condition) = (console::printable(rule), console::printable(condition));
            writeln!(out, "  {line:>5}. {rule}: {condition}")?;
        }
        if all.len() > FIRING_SHOWN {
            writeln!(out, "  ; and {} more; --json lists all", all.len() - FIRING_SHOWN)?;
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
            is_completed: refutation.property.is_of_end(),
            is_aborted: !refutation.property.is_of_end(),
            moves,
            ..Record::default()
        };
        Some((refutation.property.words(), record))
    }
}
