//! Inference of a [`BoardModel`] from rules and states. The inference picks the fluent that makes the best
//! board, or the fluent that a sidecar names, and completes the model around this fluent.

use crate::border::give_sides;
use crate::candidate::{Candidate, best_board, best_track, board_of, track_of};
use crate::conduct::observe;
use crate::evidence::Evidence;
use crate::fence::fences;
use crate::fluent::{Table, tables};
use crate::fold::folded;
use crate::fusion::fuse;
use crate::layer::{groups_and_layers, holes, trim};
use crate::layout::{boxes, lay_out};
use crate::men::{block, dress};
use crate::model::{Axis, BoardModel, Cell, Kind, Order, TextPart};
use crate::moves::patterns;
use crate::orient::{face, orient};
use crate::owner::assign;
use crate::pits::mark_pits;
use crate::position::Position;
use crate::reach::Reach;
use crate::side::side;
use crate::sidecar::{Sidecar, SidecarError};
use crate::stack::stack;
use crate::statics::{Listed, pairs, relations};
use crate::wall::{draw_lines, wall_off};
use ggp_game::{Fact, Game};
use ggp_gdl::Description;
use ggp_gdl::domains::Domains;
use std::collections::{BTreeMap, BTreeSet};

/// Infers the board of `game` from its rules, its initial state and `states`. Each element of `states` lists
/// the facts of a state that a playout reached; the states are in the order of play. There may be none.
pub fn infer(game: &Game, states: &[Vec<Fact>]) -> BoardModel {
    infer_with(game, states, &Sidecar::default()).expect("nothing is asked of the board")
}

/// The same as [`infer`], but with the entries of `sidecar` in place of inferred ones.
///
/// # Errors
/// Fails if the sidecar names a fluent, an argument, a square or a role that the game does not have. Also
/// fails if the sidecar names a fluent but does not give `x`, and no argument of the fluent can be an axis.
pub fn infer_with(game: &Game, states: &[Vec<Fact>], sidecar: &Sidecar) -> Result<BoardModel, SidecarError> {
    let description = game.description();
    let listed = Listed::new(description);
    let mut seen: Vec<&[Fact]> = vec![&listed.init];
    seen.extend(states.iter().map(Vec::as_slice));
    let domains = Domains::new(description);
    let reach = Reach::new(description);
    let possible = reach.as_ref().map_or(&[][..], |reach| &reach.facts);
    let (names, related): (Vec<String>, Vec<_>) = relations(description).into_iter().unzip();
    let mut tables = tables(description, &domains, &seen, &listed.base, possible);
    let fusions = fuse(description, &names, &related, &mut tables);
    let chains = pairs(description).into_iter().map(|facts| {
        let text = |symbol| description.name(symbol).to_owned();
        facts.into_iter().map(|(a, b)| (text(a), text(b))).collect()
    });
    let roles = game.roles().map(|role| game.role_name(role).to_owned()).collect();
    let flags = domains.constants(domains.fluent()).iter().map(|&f| description.name(f).to_owned()).collect();
    let moves = reach.as_ref().map(|reach| reach.moves.as_slice());
    let evidence = Evidence { chains: chains.collect(), domains, tables, fusions, roles, flags, moves };
    if sidecar.relation.is_none() {
        let mut model = table(&evidence);
        if stack(&evidence, &mut model) {
            model.side = side(description, &evidence, &model);
            sidecar.give_axes(&mut model);
            sidecar.give_contents(&mut model)?;
            return Ok(model);
        }
    }
    let best = match &sidecar.relation {
        Some(relation) => Some(given(&evidence, relation, sidecar)?),
        None => best_board(&evidence)
            .map(|board| folded(&related, &evidence, &board).unwrap_or(board))
            .or_else(|| best_track(&evidence)),
    };
    let mut model = match &best {
        Some(candidate) => board(description, &evidence, candidate),
        None => table(&evidence),
    };
    model.side = side(description, &evidence, &model);
    if best.is_none() {
        return if sidecar.is_empty() { Ok(model) } else { Err(SidecarError::NoBoard) };
    }
    model.moves = patterns(description, &evidence, &model);
    orient(description, &mut model, sidecar);
    sidecar.give_axes(&mut model);
    dig(&evidence, &mut model);
    assign(description, &evidence, &mut model);
    if sidecar.x.is_none() && face(&listed.init, &mut model) {
        dig(&evidence, &mut model);
    }
    lay_out(&related, &mut model);
    mark_pits(&evidence, &mut model);
    draw_lines(description, &evidence, &mut model);
    let positions: Vec<Position> = seen.iter().map(|facts| model.place(facts)).collect();
    wall_off(description, &positions, &mut model);
    trim(&mut model);
    model.fences = fences(description, &names, &related, &model);
    give_sides(description, &related, &mut model);
    let positions: Vec<Position> = seen.iter().skip(1).map(|facts| model.place(facts)).collect();
    dress(&positions, &mut model);
    model.boxes = boxes(description, &model);
    observe(description, &positions, &mut model);
    block(&positions, &mut model);
    model.paint();
    sidecar.give_contents(&mut model)?;
    Ok(model)
}

/// Reads the fluent `relation`, which `sidecar` names, as a board or a track. Arguments that the sidecar does
/// not give are inferred.
fn given(evidence: &Evidence<'_>, relation: &str, sidecar: &Sidecar) -> Result<Candidate, SidecarError> {
    let arity = |table: &Table<'_>| sidecar.arity.is_none_or(|arity| table.arity == arity);
    let table = evidence.tables.iter().position(|table| table.name == relation && arity(table));
    let table = table.ok_or_else(|| SidecarError::NoRelation(relation.to_owned()))?;
    let Some(x) = &sidecar.x else {
        let found = board_of(evidence, table).or_else(|| track_of(evidence, table));
        return found.ok_or(SidecarError::Incomplete("`relation` has no argument like an axis; give `x`"));
    };
    let column = |path: Vec<usize>| {
        let columns = &evidence.tables[table].columns;
        let found = columns.iter().position(|c| c.coordinate.path == path && !c.domain.is_empty());
        found.ok_or_else(|| SidecarError::NoArgument { relation: relation.to_owned(), path })
    };
    let mut y = match &sidecar.y {
        Some(y) => Some(column(y.path())?),
        None => None,
    };
    let x = column(x.path())?;
    if y == Some(x) || evidence.tables[table].columns[x].coordinate.part != TextPart::Whole {
        y = Some(x + 1);
    }
    let index: Result<Vec<usize>, SidecarError> =
        sidecar.index.iter().flatten().take(2).map(|argument| column(argument.path())).collect();
    Ok(Candidate { table, x, y, index: index?, score: 0.0 })
}

/// Finds the holes of `model`, and cuts off the lines at its rim that have only holes.
fn dig(evidence: &Evidence<'_>, model: &mut BoardModel) {
    model.holes = holes(evidence, model);
    trim(model);
}

fn table(evidence: &Evidence<'_>) -> BoardModel {
    BoardModel {
        kind: Kind::Table,
        roles: evidence.roles.clone(),
        columns: Axis { values: Vec::new(), order: Order::Listed },
        rows: Axis { values: Vec::new(), order: Order::Listed },
        index: Vec::new(),
        groups: Vec::new(),
        stacked: false,
        layers: Vec::new(),
        fusions: evidence.fusions.clone(),
        barriers: Vec::new(),
        fences: Vec::new(),
        holes: Vec::new(),
        owners: BTreeMap::new(),
        glyphs: BTreeMap::new(),
        chequered: false,
        dark: 1,
        cell: Cell::Square,
        places: Vec::new(),
        joined: false,
        boxes: 0,
        sides: [const { None }; 4],
        blocks: BTreeSet::new(),
        trails: BTreeSet::new(),
        fading: Vec::new(),
        shades: None,
        sizes: BTreeMap::new(),
        ahead: Vec::new(),
        colours: crate::colour::of_roles(&evidence.roles),
        side: Vec::new(),
        moves: Vec::new(),
    }
}

fn board(description: &Description, evidence: &Evidence<'_>, candidate: &Candidate) -> BoardModel {
    let axis = |column| evidence.axis(candidate.table, column);
    let mut model = table(evidence);
    [model.columns, model.rows] = match candidate.y {
        Some(y) => evidence.axes(candidate.table, candidate.x, y),
        None => [axis(candidate.x), Axis { values: vec![String::new()], order: Order::Listed }],
    };
    model.index = candidate.index.iter().map(|&column| axis(column)).collect();
    groups_and_layers(description, evidence, candidate, &mut model);
    model.kind = match candidate.y {
        None => Kind::Track,
        Some(_) if model.layers[0].content.is_empty() => Kind::Occupancy,
        Some(_) => Kind::Grid,
    };
    model
}
