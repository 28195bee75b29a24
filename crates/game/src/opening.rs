//! Findings that the first steps of a game show: it is over before the first move, a role has no first move, or facts
//! are gone after a step because no rule keeps them.
//!
//! A game that cannot begin is an error, except at the lenient strictness: its rules can be evaluated, but nobody can play
//! it. No published rulesheet is like this.
//!
//! The work is bounded. Where the bound is reached, nothing is reported.

mod cause;
mod no_move;

use crate::adapt::semantics_of;
use crate::fact::split_term;
use crate::game::Game;
use cause::Reasons;
use ggp_datalog::{Database, EvalError, Limits, Value};
use ggp_gdl::check::{Unkept, fold_unused, unkept};
use ggp_gdl::{Diagnostic, Keyword, Severity, Span, Strictness};
use no_move::Stuck;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The number of playouts whose first steps are looked at.
const PLAYOUTS: usize = 4;
/// The number of steps of a playout that are looked at.
const STEPS: usize = 8;
/// The largest number of rows that the joins may try in all. It takes some hundredths of a second.
const ROWS: u64 = 300_000;
/// The largest size of the texts of the facts of a state, and of the legal moves of a role, in bytes.
const TEXT: u64 = 4 << 20;
/// The largest number of rules for `terminal` that are tried one by one.
const ENDS: usize = 16;

/// The code of the finding that the game is over before the first move.
const OVER_AT_START: &str = "over-at-start";

/// How a game begins.
enum Start {
    /// The game is over before the first move, by the rule at this place.
    Over(Span),
    /// Roles have no legal move in the first state.
    Stuck(Stuck),
    /// Every role can move.
    Moves,
}

impl Start {
    /// The severity of what is found about the start.
    fn severity(&self, strictness: Strictness) -> Severity {
        match self {
            Start::Over(_) | Start::Stuck(_) if strictness > Strictness::Lenient => Severity::Error,
            _ => Severity::Warning,
        }
    }
}

/// What the first steps show about the facts of one candidate.
#[derive(Clone, Default)]
struct Seen {
    /// The largest number of facts in a state.
    most: usize,
    /// The number of facts in the first state.
    first: usize,
    /// Whether a step left fewer facts than there were in the first state.
    fell: bool,
    /// The number of steps from a state with facts.
    steps: usize,
    /// The number of these steps after which one of the facts still held.
    survived: usize,
    /// For each joint move, by the names of the moves: whether one of the facts still held after it, and whether
    /// it left fewer facts than there were before.
    by_move: BTreeMap<String, (bool, bool)>,
}

/// Adds to `findings`, those about the rules of `game`, what its first steps show. If another finding explains
/// it, it is left out, and the other one gets its severity. `strictness` decides whether a game that cannot begin is an
/// error.
pub fn add_opening_findings(findings: &mut Vec<Diagnostic>, game: &Game, strictness: Strictness) {
    let is_cause = |finding: &Diagnostic| match finding.code {
        // A relation that nothing uses is a cause only if its name is probably misspelled.
        "never-used" => !finding.edits.is_empty(),
        "duplicate-rule" | "case-collision" | "stratified-by-constants" | "several-goals" => false,
        _ => true,
    };
    let (start, mut shown) = opening_findings(game);
    let severity = start.severity(strictness);
    let reasons = match &start {
        Start::Over(end) => Some(Reasons::of_end(game.description(), *end)),
        Start::Stuck(_) => Some(Reasons::of_moves(game.description())),
        Start::Moves => None,
    };
    let decides = |finding: &Diagnostic| reasons.as_ref().is_none_or(|reasons| reasons.include(finding));
    if let Some(cause) = findings.iter_mut().find(|finding| is_cause(finding) && decides(finding)) {
        match &start {
            Start::Over(_) => cause.message.push_str("; the game is over before the first move"),
            Start::Stuck(stuck) => cause.message.push_str(&stuck.remark()),
            Start::Moves => {}
        }
        cause.severity = cause.severity.max(severity);
        return;
    }
    for finding in &mut shown {
        finding.severity = severity;
    }
    findings.extend(shown);
    fold_unused(findings);
    findings.sort_by_key(|finding| finding.span);
}

/// How `game` begins, and the findings that its first steps show, in the order of the text.
fn opening_findings(game: &Game) -> (Start, Vec<Diagnostic>) {
    let candidates = unkept(game.description());
    let mut seen = vec![Seen::default(); candidates.len()];
    match look(game, &candidates, &mut seen) {
        Ok(Start::Over(end)) => return (Start::Over(end), vec![over_at_start(game, end)]),
        Ok(Start::Stuck(stuck)) => {
            let findings = stuck.findings(game);
            return (Start::Stuck(stuck), findings);
        }
        Ok(Start::Moves) => {}
        Err(_) => return (Start::Moves, Vec::new()),
    }
    let mut found: Vec<Diagnostic> = Vec::new();
    for (candidate, seen) in candidates.iter().zip(&seen) {
        if !candidate.framed && is_lost(candidate, seen) {
            found.push(candidate.finding(None));
        } else if let Some(mv) = lost_after(candidate, seen) {
            found.push(candidate.finding(Some(mv)));
        }
    }
    found.sort_by_key(|finding| finding.span);
    found.dedup_by_key(|finding| finding.span);
    (Start::Moves, found)
}

/// Whether the first steps confirm that nothing keeps the facts of a candidate.
fn is_lost(candidate: &Unkept, seen: &Seen) -> bool {
    if seen.steps == 0 || seen.survived > 0 {
        return false;
    }
    let joined = candidate.joined > seen.most.max(1);
    let fell = candidate.kept.is_none() && candidate.begins && seen.fell;
    let forbids = candidate.kept.is_none() && !candidate.begins && candidate.forbids;
    joined || fell || forbids
}

/// The moves after which no fact of a candidate that other moves keep is left, although several were there.
fn lost_after<'a>(candidate: &Unkept, seen: &'a Seen) -> Option<&'a str> {
    if !candidate.framed || !candidate.begins || seen.first < 2 {
        return None;
    }
    let mut all = seen.by_move.iter();
    all.find(|(_, (survived, fell))| !survived && *fell).map(|(moves, _)| moves.as_str())
}

/// Plays the first steps and notes in `seen` what becomes of the facts. Returns how the game begins.
fn look(game: &Game, candidates: &[Unkept], seen: &mut [Seen]) -> Result<Start, EvalError> {
    let semantics = game.semantics();
    let limits = Limits { rows: ROWS, ..game.limits().clone() };
    let mut database = semantics.database();
    let roles = semantics.roles_in(&database);
    for playout in 0..PLAYOUTS {
        let mut state = semantics.initial_state(&mut database);
        for step in 0..STEPS {
            semantics.clear_state(&mut database);
            semantics.load_state(&mut database, &state);
            if semantics.ask_terminal(&mut database, &limits)? {
                if step == 0 {
                    return Ok(Start::Over(first_end(game)));
                }
                break;
            }
            if database.total_work() > ROWS {
                return Ok(Start::Moves);
            }
            let mut legal = vec![Vec::new(); roles.len()];
            semantics.ask_legal(&mut database, &roles, &limits, &mut legal)?;
            if legal.iter().chain([&state]).any(|terms| are_long(terms, &database)) {
                return Ok(Start::Moves);
            }
            let texts =
                |values: &[Value]| values.iter().map(|&value| database.values().text(value)).collect();
            if step == 0 && legal.iter().any(Vec::is_empty) {
                let stuck = roles.iter().zip(&legal).filter(|(_, moves)| moves.is_empty());
                let stuck: Vec<Value> = stuck.map(|(&role, _)| role).collect();
                let (roles, facts, moves) = (texts(&stuck), texts(&state), texts(&legal.concat()));
                return Ok(Start::Stuck(Stuck { roles, facts, moves }));
            }
            if candidates.is_empty() {
                return Ok(Start::Moves);
            }
            // A deterministic choice that varies over the playouts, the steps and the roles.
            let pick = |(role, moves): (usize, &Vec<Value>)| {
                moves
                    .get(((playout + 1) * 7919 + step * 104_729 + role * 1_299_709) % moves.len().max(1))
                    .copied()
            };
            let Some(joint) = legal.iter().enumerate().map(pick).collect::<Option<Vec<Value>>>() else {
                break;
            };
            semantics.load_moves(&mut database, &roles, &joint);
            let next = semantics.ask_next(&mut database, &limits)?;
            if are_long(&next, &database) {
                return Ok(Start::Moves);
            }
            let name = |&mv: &Value| split_term(&database.values().text(mv)).0.to_owned();
            let moves = joint.iter().map(name).collect::<Vec<_>>().join(" ");
            for (candidate, seen) in candidates.iter().zip(&mut *seen) {
                note(&database, candidate, (step, &state, &next), &moves, seen);
            }
            state = next;
        }
    }
    Ok(Start::Moves)
}

/// Whether the texts of `terms` take more than [`TEXT`] bytes together.
fn are_long(terms: &[Value], database: &Database) -> bool {
    let lengths = terms.iter().map(|&term| u64::from(database.values().text_len(term)));
    lengths.sum::<u64>() > TEXT
}

fn note(
    database: &Database,
    candidate: &Unkept,
    (step, before, after): (usize, &[Value], &[Value]),
    moves: &str,
    seen: &mut Seen,
) {
    let facts = |state: &[Value]| -> FxHashSet<Value> {
        let texts = state.iter().filter(|&&fact| {
            let text = database.values().text(fact);
            let (name, args) = split_term(&text);
            name == candidate.name
                && args.len() == candidate.arity
                && candidate
                    .kept
                    .as_ref()
                    .is_none_or(|(at, kept)| kept.iter().all(|value| value != args[*at]))
        });
        texts.copied().collect()
    };
    let (before, after) = (facts(before), facts(after));
    if step == 0 {
        seen.first = before.len();
    }
    seen.most = seen.most.max(before.len()).max(after.len());
    if !before.is_empty() {
        seen.steps += 1;
        let survived = !before.is_disjoint(&after);
        seen.survived += usize::from(survived);
        let entry = seen.by_move.entry(moves.to_owned()).or_insert((false, true));
        *entry = (entry.0 | survived, entry.1 & (after.len() < before.len()));
        seen.fell |= after.len() < seen.first;
    }
}

/// The place of the rule for `terminal` that holds in the first state.
fn first_end(game: &Game) -> Span {
    let description = game.description();
    let is_end = |rule: &ggp_gdl::Rule| description.name(rule.head.relation) == Keyword::Terminal.name();
    let ends: Vec<Span> =
        description.rules.iter().filter(|rule| is_end(rule)).map(|rule| rule.span).collect();
    let holds = |span: Span| {
        let mut alone = description.clone();
        alone.rules.retain(|rule| !is_end(rule) || rule.span == span);
        let Ok(semantics) = semantics_of(&alone, game.limits()) else { return false };
        let mut database = semantics.database();
        let state = semantics.initial_state(&mut database);
        semantics.load_state(&mut database, &state);
        semantics.ask_terminal(&mut database, game.limits()).unwrap_or(false)
    };
    let mut tried = ends.iter().take(ENDS);
    let span = if ends.len() == 1 { Some(&ends[0]) } else { tried.find(|&&span| holds(span)) };
    span.or(ends.first()).copied().unwrap_or_default()
}

/// The finding that the game is over before the first move, at the rule at `end`, which says so.
fn over_at_start(game: &Game, end: Span) -> Diagnostic {
    let is_fact = game.description().rules.iter().any(|rule| rule.span == end && rule.body.is_empty());
    let help = if is_fact {
        "as a fact, `terminal` holds in every state; make it a rule, `(<= terminal CONDITION ...)`, or remove it"
    } else {
        "compare the conditions of this rule with the facts that `init` gives"
    };
    Diagnostic::warning(
        OVER_AT_START,
        end,
        "the game is over before the first move: `terminal` holds in the first state",
    )
    .help(help)
}
