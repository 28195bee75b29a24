//! A role's view of a state as JSON for a page. The view is a function of the role's information set and of the
//! game alone.

use crate::gesture;
use crate::picture;
use crate::style::Style;
use ggp_game::{EvalError, Extent, InformationSet, Move, OwnTurn, Role, StateMachine};
use ggp_view::Position;
use serde_json::{Value, json};

/// A role's knowledge of the match after a step.
pub(crate) struct SeatView {
    /// The state as the role knows it, for display.
    pub(crate) node: Value,
    number: usize,
    /// The same in brief: without its squares.
    pub(super) brief: Value,
    /// The role's legal moves.
    pub(super) legal: Vec<String>,
    /// The layout of what the role knows.
    pub(super) position: Position,
    /// The role's move in the last turn, and its percepts after it. `None` in the first state.
    pub(super) turn: Option<OwnTurn>,
    /// Whether the role has to decide on a move.
    pub(super) decides: bool,
}

impl SeatView {
    /// The number of steps that have been made.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The view of the role of `set` in the game of `machine`. `before` is the layout of what
    /// the role knew a step before.
    pub(crate) fn of<M: StateMachine>(
        style: Style<'_>,
        machine: &mut M,
        set: &InformationSet<M>,
        before: Option<&Position>,
    ) -> Result<SeatView, EvalError> {
        let knowledge = set.knowledge(machine)?;
        let mut moves: Vec<Move> = Vec::new();
        set.legal_moves(machine, &mut moves)?;
        let legal: Vec<String> = moves.iter().map(|&mv| machine.move_text(mv).to_owned()).collect();
        let Style { model, .. } = style;
        let roles = machine.game().role_count();
        let position = model.place_known(&knowledge.certain, &knowledge.possible);
        let number = set.history().len();
        let turn = set.history().last().cloned();
        let brief = brief(roles, number, turn.as_ref());
        let mut node = brief.clone();
        let Role(role) = set.role();
        node["number"] = json!(number);
        node["last"] = json!(
            turn.iter()
                .zip(before)
                .map(|(turn, before)| { gesture::squares(model, &turn.own, before) })
                .collect::<Vec<_>>()
        );
        picture::draw(style, &position, &[], &mut node);
        node["possible"] = json!(position.possible);
        node["extent"] = json!({
            "states": knowledge.states,
            "sampled": knowledge.extent == Extent::Sampled,
        });
        let mut all: Vec<Vec<Value>> = vec![Vec::new(); roles];
        all[usize::from(role)] = picture::gestures(model, &legal, &position);
        node["legal"] = json!(all);
        node["goals"] = json!(vec![Value::Null; roles]);
        node["given"] = json!([]);
        node["thoughts"] = json!([]);
        let decides = gesture::decides(model, &legal, &position);
        Ok(SeatView { node, number, brief, legal, position, turn, decides })
    }
}

/// A state in brief: the role's own move and percepts in the turn that led to it.
fn brief(roles: usize, number: usize, turn: Option<&OwnTurn>) -> Value {
    let seen = turn.map(|turn| turn.seen.iter().map(ggp_game::Fact::as_str).collect::<Vec<_>>());
    json!({
        "parent": number.checked_sub(1),
        "moves": turn.map(|turn| vec![&turn.own]).unwrap_or_default(),
        "seen": seen,
        "scores": vec![Value::Null; roles],
        "terminal": false,
    })
}
