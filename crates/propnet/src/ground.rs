//! Grounding: from a game's rules to a [`PropNet`].
//!
//! 1. [`relax`]: one run of the Datalog evaluator computes every fact that may hold in some state. A fluent
//!    is possible if it is initial or may be next, a move if it may be legal. Negations of dynamic relations
//!    (those that depend on the state or on the moves) are assumed true, so the result is an
//!    over-approximation. Static relations are exact.
//! 2. [`instances`]: each rule is instantiated over the possible facts. An instance becomes the conjunction
//!    of its conditions, and a fact the disjunction of the instances that derive it. Conditions on `does`
//!    become move sets, so that instances which differ only in the move are never enumerated.
//! 3. [`recursion`]: facts that depend on each other in a cycle become the least fixpoint of their equations,
//!    one fixpoint for each strongly connected component.
//!
//! Rules such as those of chess ask for a hypothetical state ("would my king be attacked after this move") and
//! have one instance for each move, each place of the king and each attacker. If the plain rules are too large,
//! [`exchange`] rewrites them with the help of sets of fluents of which at most one holds, [`tables`]
//! replaces conditions on small tables by constants, [`domains`] leaves out facts for which no rule asks, and
//! [`disjunction`] shares equal parts of long disjunctions.

mod alternatives;
mod disjunction;
mod domains;
mod exchange;
mod exclusive;
mod instances;
mod recursion;
mod relax;
mod tables;
mod whole;

use crate::builder::NetBuilder;
use crate::net::GroundCounts;
use crate::net::{Fluent, NetMove, NetRole, PropNet};
use crate::node::Signal;
use exchange::Exchanged;
use ggp_datalog::{EvalError, RelationId, Value};
use ggp_game::lower::{Carrier, Form};
use ggp_game::{Fact, Game, Goal, StopToken};
use instances::Instances;
use relax::{Relaxed, Rules};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Bounds on the size and the work of grounding, checked while grounding runs.
#[derive(Clone, Copy, Debug)]
pub struct GroundLimits {
    /// The maximum number of possible facts (facts that may hold in some state), summed over all relations.
    /// The same bound applies to the number of terms.
    pub tuples: usize,
    /// The maximum number of rows of relations that joins may try while the possible facts are computed.
    pub rows: u64,
    /// The maximum number of instances of rules; an instance may stand for many moves.
    pub instances: usize,
    /// The maximum number of nodes of the network.
    pub nodes: usize,
    /// The maximum number of bytes in the texts of all terms.
    pub text: u64,
}

impl Default for GroundLimits {
    /// Bounds for at most about 2 GiB of memory and some tens of seconds of CPU time.
    fn default() -> Self {
        GroundLimits {
            tuples: 8_000_000,
            rows: 400_000_000,
            instances: 12_000_000,
            nodes: 12_000_000,
            text: 512 << 20,
        }
    }
}

impl GroundLimits {
    /// Bounds for about `mib` MiB of memory. No bound exceeds its default.
    pub fn within(mib: u64) -> GroundLimits {
        let all = GroundLimits::default();
        let share = |most: u64| most / 2048 * mib.clamp(1, 2048);
        GroundLimits {
            tuples: share(all.tuples as u64) as usize,
            rows: all.rows,
            instances: share(all.instances as u64) as usize,
            nodes: share(all.nodes as u64) as usize,
            text: share(all.text),
        }
    }

    /// Bounds for rules that are grounded in about a second at most. No bound exceeds that of `self`.
    fn small(&self) -> GroundLimits {
        GroundLimits {
            tuples: self.tuples.min(250_000),
            rows: self.rows.min(8_000_000),
            instances: self.instances.min(250_000),
            nodes: self.nodes.min(500_000),
            text: self.text,
        }
    }

    /// Bounds for the rules of a superset, which is grounded in a few seconds at most. No bound exceeds that
    /// of `self`.
    fn for_superset(&self) -> GroundLimits {
        GroundLimits {
            rows: self.rows.min(30_000_000),
            instances: self.instances.min(3_000_000),
            nodes: self.nodes.min(1_000_000),
            ..self.small()
        }
    }

    /// Bounds for possible facts that are computed in a few seconds at most. No bound exceeds that of `self`.
    fn medium(&self) -> GroundLimits {
        GroundLimits { tuples: self.tuples.min(1_500_000), rows: self.rows.min(100_000_000), ..*self }
    }
}

/// The reason why a game has no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroundError {
    /// Grounding exceeded a bound.
    #[error("grounding is too large: {0}")]
    TooLarge(String),
    /// The stop token was raised.
    #[error("grounding was stopped")]
    Interrupted,
}

impl From<EvalError> for GroundError {
    fn from(error: EvalError) -> Self {
        match error {
            EvalError::Interrupted => GroundError::Interrupted,
            other => GroundError::TooLarge(other.to_string()),
        }
    }
}

impl From<ggp_game::EvalError> for GroundError {
    fn from(error: ggp_game::EvalError) -> Self {
        match error {
            ggp_game::EvalError::Interrupted => GroundError::Interrupted,
            other => GroundError::TooLarge(other.to_string()),
        }
    }
}

impl PropNet {
    /// Grounds `game`. The only simplifications are those that [`NetBuilder`] makes.
    ///
    /// # Errors
    /// [`GroundError::TooLarge`] if a bound of `limits` is exceeded, [`GroundError::Interrupted`] soon after
    /// `stop` is raised.
    pub fn ground(game: &Arc<Game>, limits: &GroundLimits, stop: &StopToken) -> Result<PropNet, GroundError> {
        let rules = Rules::of(game);
        if exchange::may_apply(&rules, stop)? {
            // The exchange costs time and pays only in large games.
            match plain(game, rules.clone(), &limits.small(), stop) {
                Err(GroundError::TooLarge(_)) => {}
                done => return done,
            }
            if let Some(exchanged) = exchange::exchange(game, &rules, limits, stop)? {
                return of_exchanged(game, exchanged, limits, stop);
            }
        }
        plain(game, rules, limits, stop)
    }
}

/// The network of `rules`.
fn plain(
    game: &Arc<Game>,
    rules: Rules,
    limits: &GroundLimits,
    stop: &StopToken,
) -> Result<PropNet, GroundError> {
    network(game, &mut Relaxed::new(game, rules, limits, stop)?, limits, stop, false)
}

/// The network after an exchange.
fn of_exchanged(
    game: &Arc<Game>,
    exchanged: Exchanged,
    limits: &GroundLimits,
    stop: &StopToken,
) -> Result<PropNet, GroundError> {
    // Evaluation on demand suits single states. Of all facts that may hold, most may be demanded.
    let Exchanged { rules, exclusive, bounds } = exchanged;
    let mut whole = rules.evaluated_in_full();
    domains::restrict_to_asked(&mut whole, game.semantics().asked(), bounds);
    let mut relaxed = match Relaxed::new(game, whole, &limits.medium(), stop) {
        Err(GroundError::TooLarge(_)) => Relaxed::new(game, rules, limits, stop)?,
        done => done?,
    };
    let mut net = network(game, &mut relaxed, limits, stop, true)?;
    net.set_exclusive(&exclusive);
    Ok(net)
}

/// The network of the rules from which `relaxed` has computed the possible facts. `shares_disjunctions` is that
/// of [`Instances`].
fn network(
    game: &Arc<Game>,
    relaxed: &mut Relaxed,
    limits: &GroundLimits,
    stop: &StopToken,
    shares_disjunctions: bool,
) -> Result<PropNet, GroundError> {
    // The bound on texts holds for all terms that get one.
    for carrier in [Carrier::Legal, Carrier::Init, Carrier::Next, Carrier::Sees] {
        relaxed.make_terms(carrier);
    }
    if relaxed.database.values().text_bytes() > limits.text {
        let bound = limits.text >> 20;
        return Err(GroundError::TooLarge(format!("the texts of the terms need more than {bound} MiB")));
    }
    let moves = Moves::new(relaxed);
    let mut builder = NetBuilder::new(game, &moves.counts());
    let fluents = Fluents::new(relaxed);
    let mut signals = Signals::new(relaxed);
    signals.set_fluents(&fluents, relaxed, &mut builder);
    let instances = Instances { relaxed, moves: &moves, limits, stop, shares_disjunctions };
    let mut counts = instances.build(&mut builder, &mut signals)?;
    counts.count_facts(relaxed);
    stop.check()?;
    let mut net = finish(builder, relaxed, &fluents, &moves, &signals);
    counts.nodes = net.nodes.len();
    net.grounding = counts;
    Ok(net)
}

impl GroundCounts {
    /// Sets [`GroundCounts::fixed_facts`] and [`GroundCounts::possible_facts`]. Facts of demand (magic)
    /// predicates are left out.
    fn count_facts(&mut self, relaxed: &Relaxed) {
        for relation in (0..relaxed.relation_count()).map(|r| RelationId(r as u32)) {
            let facts = relaxed.rows(relation).len();
            if relaxed.is_dynamic(relation) {
                self.possible_facts += facts;
            } else if !relaxed.is_demand(relation) {
                self.fixed_facts += facts;
            }
        }
    }
}

/// For each relation, the signals of its possible facts, in the order of the relation's rows. The list of a
/// static relation is empty.
struct Signals(Vec<Vec<Signal>>);

impl Signals {
    fn new(relaxed: &Relaxed) -> Signals {
        let rows = |relation: usize| {
            let relation = RelationId(relation as u32);
            let rows = if relaxed.is_dynamic(relation) { relaxed.rows(relation).len() } else { 0 };
            vec![Signal::FALSE; rows]
        };
        Signals((0..relaxed.relation_count()).map(rows).collect())
    }

    fn of(&self, relation: RelationId, row: usize) -> Signal {
        self.0[relation.index()][row]
    }

    /// The signal of a possible fact of any relation. A fact of a static relation is true.
    fn of_any(&self, relation: RelationId, row: usize) -> Signal {
        self.0[relation.index()].get(row).copied().unwrap_or(Signal::TRUE)
    }

    fn set(&mut self, relation: RelationId, row: usize, signal: Signal) {
        self.0[relation.index()][row] = signal;
    }

    fn set_fluents(&mut self, fluents: &Fluents, relaxed: &Relaxed, builder: &mut NetBuilder) {
        for form in relaxed.forms(Carrier::True) {
            for row in 0..relaxed.rows(form.relation).len() {
                let fluent = relaxed.carried(form, row, 0).and_then(|value| fluents.numbers.get(&value));
                let fluent = *fluent.expect("what can be true is initial or next");
                self.set(form.relation, row, builder.state(fluent as usize));
            }
        }
    }
}

/// The possible fluents (those that may hold in some state), in bytewise order of their texts.
struct Fluents {
    values: Vec<Value>,
    texts: Vec<Box<str>>,
    numbers: FxHashMap<Value, u32>,
    initial: FxHashSet<Value>,
}

impl Fluents {
    fn new(relaxed: &mut Relaxed) -> Fluents {
        let initial: FxHashSet<Value> =
            relaxed.all_carried(Carrier::Init).into_iter().map(|(_, value)| value).collect();
        let mut values: Vec<Value> = initial.iter().copied().collect();
        values.extend(relaxed.all_carried(Carrier::Next).into_iter().map(|(_, value)| value));
        values.sort_unstable();
        values.dedup();
        let (values, texts) = by_text(values, relaxed);
        let numbers = values.iter().enumerate().map(|(n, &v)| (v, n as u32)).collect();
        Fluents { values, texts, numbers, initial }
    }
}

/// The possible moves of each role, in bytewise order of their texts.
pub(crate) struct Moves {
    roles: Vec<Value>,
    values: Vec<Vec<Value>>,
    texts: Vec<Vec<Box<str>>>,
    numbers: Vec<FxHashMap<Value, u32>>,
}

impl Moves {
    fn new(relaxed: &mut Relaxed) -> Moves {
        let roles = relaxed.roles().to_vec();
        let mut values: Vec<Vec<Value>> = vec![Vec::new(); roles.len()];
        for (role, mv) in relaxed.all_carried(Carrier::Legal) {
            if let Some(number) = roles.iter().position(|&r| r == role) {
                values[number].push(mv);
            }
        }
        let mut moves = Moves { roles, values: Vec::new(), texts: Vec::new(), numbers: Vec::new() };
        for mut of_role in values {
            of_role.sort_unstable();
            of_role.dedup();
            let (of_role, texts) = by_text(of_role, relaxed);
            moves.numbers.push(of_role.iter().enumerate().map(|(n, &v)| (v, n as u32)).collect());
            moves.values.push(of_role);
            moves.texts.push(texts);
        }
        moves
    }

    fn counts(&self) -> Vec<usize> {
        self.values.iter().map(Vec::len).collect()
    }

    /// The index of `role`, and the index of `mv` among the moves of that role. `None` if there is no such
    /// role, or if the move is not possible.
    fn number(&self, role: Value, mv: Value) -> Option<(u32, u32)> {
        let role = self.roles.iter().position(|&r| r == role)?;
        Some((role as u32, *self.numbers[role].get(&mv)?))
    }
}

fn by_text(values: Vec<Value>, relaxed: &Relaxed) -> (Vec<Value>, Vec<Box<str>>) {
    let mut named: Vec<(Box<str>, Value)> = values.into_iter().map(|v| (relaxed.text(v), v)).collect();
    named.sort_unstable();
    named.into_iter().map(|(text, value)| (value, text)).unzip()
}

/// Builds the network from the signals of the possible facts.
fn finish(
    mut builder: NetBuilder,
    relaxed: &Relaxed,
    fluents: &Fluents,
    moves: &Moves,
    signals: &Signals,
) -> PropNet {
    let mut next: Vec<Vec<Signal>> = vec![Vec::new(); fluents.values.len()];
    each_carried(relaxed, Carrier::Next, signals, |_, value, signal| {
        next[fluents.numbers[&value] as usize].push(signal);
    });
    let fluents = (0..fluents.values.len())
        .map(|number| Fluent {
            fact: Fact::from_canonical(fluents.texts[number].clone()),
            initial: fluents.initial.contains(&fluents.values[number]),
            next: builder.or(next[number].iter().copied()),
        })
        .collect();
    let mut legal: Vec<Vec<Vec<Signal>>> = moves.values.iter().map(|m| vec![Vec::new(); m.len()]).collect();
    each_carried(relaxed, Carrier::Legal, signals, |role, value, signal| {
        if let Some((role, mv)) = moves.number(role, value) {
            legal[role as usize][mv as usize].push(signal);
        }
    });
    let mut roles: Vec<NetRole> = Vec::with_capacity(moves.roles.len());
    for (role, legal) in legal.into_iter().enumerate() {
        let moves = legal
            .into_iter()
            .zip(&moves.texts[role])
            .map(|(signals, text)| NetMove { text: text.clone(), legal: builder.or(signals) })
            .collect();
        roles.push(NetRole { moves, ..NetRole::default() });
    }
    let mut sees: FxHashMap<(usize, Box<str>), Vec<Signal>> = FxHashMap::default();
    each_carried(relaxed, Carrier::Sees, signals, |role, value, signal| {
        if let Some(role) = moves.roles.iter().position(|&r| r == role) {
            sees.entry((role, relaxed.text(value))).or_default().push(signal);
        }
    });
    let mut sees: Vec<_> = sees.into_iter().collect();
    sees.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    for ((role, text), signals) in sees {
        roles[role].sees.push((Fact::from_canonical(text), builder.or(signals)));
    }
    if let Some(goal) = relaxed.goal() {
        goals(&mut builder, relaxed, goal, moves, signals, &mut roles);
    }
    let terminal = match relaxed.terminal() {
        Some(relation) => any_row(&mut builder, relaxed, relation, signals),
        None => Signal::FALSE,
    };
    builder.finish(fluents, roles, terminal)
}

fn any_row(builder: &mut NetBuilder, relaxed: &Relaxed, relation: RelationId, signals: &Signals) -> Signal {
    let rows = relaxed.rows(relation).len();
    if !relaxed.is_dynamic(relation) {
        return Signal::constant(rows > 0);
    }
    builder.or((0..rows).map(|row| signals.of(relation, row)))
}

fn goals(
    builder: &mut NetBuilder,
    relaxed: &Relaxed,
    relation: RelationId,
    moves: &Moves,
    signals: &Signals,
    roles: &mut [NetRole],
) {
    let mut bad: Vec<Vec<Signal>> = vec![Vec::new(); roles.len()];
    for (row, tuple) in relaxed.rows(relation).rows().enumerate() {
        let Some(role) = moves.roles.iter().position(|&r| r == tuple[0]) else { continue };
        let signal = signals.of_any(relation, row);
        match Goal::from_text(&relaxed.text(tuple[1])) {
            Some(goal) => roles[role].goals.push((goal, signal)),
            None => bad[role].push(signal),
        }
    }
    for (role, bad) in roles.iter_mut().zip(bad) {
        role.goals.sort_unstable();
        role.bad_goal = (!bad.is_empty()).then(|| builder.or(bad));
    }
}

/// Calls `each` for every possible fact of `carrier`, a relation such as `next` or `legal` whose last
/// argument is a fluent, a move or a percept. The arguments of `each` are the role, that last argument and
/// the signal of the fact. For a carrier without a role, such as `next`, the first argument of `each` has no
/// meaning.
fn each_carried(
    relaxed: &Relaxed,
    carrier: Carrier,
    signals: &Signals,
    mut each: impl FnMut(Value, Value, Signal),
) {
    for form in relaxed.forms(carrier).iter().filter(|form: &&Form| form.defined) {
        for row in 0..relaxed.rows(form.relation).len() {
            let value = relaxed.carried(form, row, carrier.prefix()).expect("collected before");
            let signal = signals.of_any(form.relation, row);
            let first = relaxed.rows(form.relation).row(row).first().copied().unwrap_or(value);
            each(first, value, signal);
        }
    }
}
