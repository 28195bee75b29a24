//! Checks of a game by random playouts: the dynamic conditions of the specification (Love et al. 2008,
//! section 4).
//!
//! Invariant: no property is reported as proved. A property is reported either as not refuted in the given
//! number of playouts, or as refuted, with the joint moves that refute it as evidence.

mod indistinguishable;
mod property;
mod refutation;

use self::indistinguishable::Indistinguishable;
use self::property::{PROPERTIES, Property, bad_goals};
use self::refutation::{Place, Refutation};
use crate::console;
use ggp_arena::Record;
use ggp_game::{
    EvalError, Fact, Firing, Game, Goal, Goals, Interpreter, Move, NeverFired, Refuted, Role, Simulated,
    StateMachine, StopToken, rng, written_goals,
};
use ggp_gdl::diagnostic::count;
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

/// The goals that a role has reached.
#[derive(Debug, Serialize)]
struct Reached {
    #[serde(skip)]
    id: Role,
    role: String,
    /// The largest goal that the role has reached. Null if no playout ended with a goal for the role.
    best: Option<u8>,
    /// The number of playouts in which the role got 100.
    wins: u64,
}

/// What `playouts` random playouts of a game that is being written show. The interpreter plays them, and the same rules
/// always have the same result, unless `stop` is raised.
pub(crate) fn of_draft(game: &Arc<Game>, playouts: u64, stop: &StopToken) -> Result<Simulated, EvalError> {
    let mut simulation = Simulation::new(game, playouts, DRAFT_SEED);
    let mut machine = Interpreter::new(game);
    machine.interrupt_on(stop);
    for number in 0..playouts {
        match simulation.play(&mut machine, number) {
            Err(EvalError::Interrupted) if number > 0 => {
                simulation.cut(number);
                break;
            }
            played => played?,
        }
    }
    simulation.finish(game);
    Ok(simulation.shown())
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
    /// takes too much work, or if no playout makes a move.
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
        // Nature draws its moves and has no goals.
        let roles = game.roles().filter(|&role| Some(role) != game.nature());
        let reached = roles.map(|role| Reached {
            id: role,
            role: game.role_name(role).to_owned(),
            best: None,
            wins: 0,
        });
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
                let is_spared = Some(role) == game.nature() && now.is_none();
                if terminal && goals.only().is_none() && !is_spared {
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
                for reached in &mut self.reached {
                    let goal = goals[reached.id.index()].largest().map(Goal::value);
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
            code: property.code(),
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

    /// Notes that only `playouts` playouts were played to their end.
    pub(crate) fn cut(&mut self, playouts: u64) {
        self.playouts = playouts;
    }

    /// Ends the simulation: lists the rules that never fired. If no move has been made, nothing can be said of them.
    pub(crate) fn finish(&mut self, game: &Game) {
        let firing = self.firing.take().filter(|_| self.steps > 0);
        self.never_fired =
            firing.map(|firing| firing.unfired().iter().map(|unfired| Place::of(game, unfired)).collect());
    }

    /// What is shown while a game is being written.
    fn shown(&self) -> Simulated {
        let refuted = self.refuted.iter().map(|refutation| {
            let Refutation { property, code, playout, step, why, before, moves, .. } = refutation;
            Refuted {
                code,
                message: format!("playout {playout}, step {step}: {why}"),
                keyword: property.keyword(),
                line: [&before[..], moves].concat(),
                harmless: property.remark(),
            }
        });
        let never_fired = |place: &Place| NeverFired {
            places: place.places.clone(),
            line: place.line,
            rule: place.rule.clone(),
            condition_line: place.condition_line,
            condition: place.condition.clone(),
        };
        Simulated {
            playouts: self.playouts,
            refuted: refuted.collect(),
            never_fired: self.never_fired.as_ref().map(|all| all.iter().map(never_fired).collect()),
        }
    }

    /// Whether a vital property is refuted.
    pub(crate) fn is_bad(&self) -> bool {
        self.refuted.iter().any(|r| r.property.is_vital())
    }

    /// Writes the results as text.
    pub(crate) fn write(&self, file: &str, out: &mut impl Write) -> std::io::Result<()> {
        let playouts = count(self.playouts as usize, "playout");
        if self.playouts == 0 {
            let steps = count(self.steps as usize, "step");
            writeln!(out, "{file}: no playout came to its end; the first one failed after {steps}")?;
        } else {
            let mean = self.steps as f64 / self.playouts as f64;
            writeln!(out, "{file}: {playouts}, {mean:.1} steps on average")?;
        }
        for property in PROPERTIES.into_iter().filter(|&p| p != Property::Informed || self.has_percepts) {
            let verdict = match self.refuted.iter().find(|r| r.property == property) {
                None if self.playouts == 0 => console::paint_stdout(console::FAINT, "not known"),
                None => console::paint_stdout(console::GOOD, &format!("not refuted in {playouts}")),
                Some(r) => {
                    let style = if property.is_vital() { console::BAD } else { console::FAINT };
                    let Refutation { code, playout, step, why, .. } = r;
                    let text = format!("refuted by playout {playout} at step {step}: {why} [{code}]");
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
                0 if self.playouts == 0 => "not known".to_owned(),
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
        // The states of a playout that failed are looked at, too.
        let looked = if self.looked_at > self.playouts {
            "what was played".to_owned()
        } else {
            count(self.looked_at as usize, "playout")
        };
        writeln!(
            out,
            "  ; {} never fired in {looked}; the first condition that failed [never-fired]:",
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

#[cfg(test)]
mod tests {
    use super::*;
    use ggp::{Limits, Rulesheet, Strictness};
    use ggp_game::{Deadline, Watchdog};
    use ggp_gdl::codes::{Example, page, pages};
    use std::time::Duration;

    /// The limits for the example whose facts grow without a bound.
    const TUPLES: usize = 10_000;

    #[test]
    fn every_property_has_a_page_whose_example_refutes_it() {
        for property in PROPERTIES {
            let page = page(property.code()).unwrap_or_else(|| panic!("no page about {}", property.code()));
            assert!(matches!(page.example, Example::Game(_)), "{}", page.code);
        }
    }

    #[test]
    fn what_was_seen_before_the_playouts_are_stopped_counts() {
        let text = page("never-fired").and_then(|page| page.example.rulesheet()).expect("a text");
        let (game, _) = Rulesheet::new("example.kif", text).check(Strictness::Default, Limits::default());
        let game = Arc::new(game.expect("a game"));
        let stop = StopToken::new();
        stop.stop();
        assert_eq!(of_draft(&game, 5, &stop), Err(EvalError::Interrupted));
        let dog = Watchdog::until(Deadline::after(Duration::from_millis(50)));
        let simulated = dog.watch(|stop| of_draft(&game, u64::MAX, stop)).expect("some playouts");
        assert!(simulated.playouts > 0 && simulated.playouts < u64::MAX);
        assert_eq!(simulated.never_fired.map(|rules| rules.len()), Some(1));
    }

    #[test]
    fn playouts_of_the_examples_of_play_give_their_codes() {
        for page in pages().filter(|page| matches!(page.example, Example::Game(_))) {
            let text = page.example.rulesheet().expect("a text");
            let limits = Limits { tuples: TUPLES, ..Limits::default() };
            let (game, findings) = Rulesheet::new("example.kif", text).check(Strictness::Strict, limits);
            assert!(findings.is_empty(), "{}: {findings:?}", page.code);
            let game = Arc::new(game.expect("a game"));
            let mut simulation = Simulation::new(&game, 3, DRAFT_SEED);
            let mut machine = Interpreter::new(&game);
            let played = (0..3).try_for_each(|number| simulation.play(&mut machine, number));
            let codes: Vec<&str> = simulation.refuted.iter().map(|r| r.property.code()).collect();
            match page.code {
                "not-playable" => assert!(played.is_err(), "{codes:?}"),
                "never-fired" => {
                    simulation.finish(&game);
                    let rules: Vec<&str> =
                        simulation.never_fired.iter().flatten().map(|place| &*place.rule).collect();
                    assert_eq!((codes, rules), (vec![], vec!["(legal white jump)"]));
                }
                code => assert_eq!(codes, [code]),
            }
        }
    }
}
