//! Chess and draughts men, and chequering. Names propose men: words such as `knight`, or a letter after the initial of
//! an owner, as in `wn`. Playouts confirm them: the things move, and knights, bishops and rooks mostly move as such men
//! do. A rulesheet whose names only look alike is spared.

use crate::colour::{is_dark, of_name};
use crate::model::{BoardModel, Cell, Kind, Square};
use crate::position::{Position, Token};
use std::collections::{BTreeMap, BTreeSet};

/// A kind of man is refuted if fewer than half of at least this many of its moves are those of such a man.
const MOVES: usize = 4;
/// One colour of squares is chequered if at least this many squares were occupied, all of the other colour being empty.
const OCCUPIED: usize = 6;

/// A kind of man.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Man {
    King,
    Queen,
    Rook,
    Bishop,
    Knight,
    Pawn,
    Draughtsman,
}

const WORDS: [(&str, Man); 10] = [
    ("king", Man::King),
    ("queen", Man::Queen),
    ("rook", Man::Rook),
    ("castle", Man::Rook),
    ("bishop", Man::Bishop),
    ("knight", Man::Knight),
    ("horse", Man::Knight),
    ("pawn", Man::Pawn),
    ("checker", Man::Draughtsman),
    ("draughtsman", Man::Draughtsman),
];
const LETTERS: [(char, Man); 6] = [
    ('k', Man::King),
    ('q', Man::Queen),
    ('r', Man::Rook),
    ('b', Man::Bishop),
    ('n', Man::Knight),
    ('p', Man::Pawn),
];

impl Man {
    /// The glyph of the man, filled or not.
    fn glyph(self, filled: bool) -> &'static str {
        let glyphs = match self {
            Man::King => ["♔", "♚"],
            Man::Queen => ["♕", "♛"],
            Man::Rook => ["♖", "♜"],
            Man::Bishop => ["♗", "♝"],
            Man::Knight => ["♘", "♞"],
            Man::Pawn => ["♙", "♟"],
            Man::Draughtsman => ["⛀", "⛂"],
        };
        glyphs[usize::from(filled)]
    }

    /// Whether a chessman of this kind can move by so many columns and rows. Kings, queens and pawns have variants, so
    /// that every move of theirs counts as possible.
    fn goes(self, [x, y]: [usize; 2]) -> bool {
        match self {
            Man::Rook => x == 0 || y == 0,
            Man::Bishop => x == y,
            Man::Knight => x + y == 3 && x > 0 && y > 0,
            _ => true,
        }
    }
}

/// Sets glyphs of men and the chequering of `model`. `positions` are positions of playouts in the order of play, the
/// first position of each playout being the same.
pub(crate) fn dress(positions: &[Position], model: &mut BoardModel) {
    if model.kind != Kind::Grid || model.stacked || model.cell != Cell::Square {
        return;
    }
    let proposed = proposal(model);
    let men = proposed.filter(|proposal| is_confirmed(proposal, positions, model));
    if let Some(proposal) = &men {
        let chess = proposal.chess(positions);
        for (content, (man, owner)) in &proposal.men {
            let colour = owner.and_then(|owner| model.colours.get(owner)).map(String::as_str);
            let filled = colour.or_else(|| of_name(content)).is_some_and(is_dark);
            let glyph = match man {
                Man::Pawn if !chess => Man::Draughtsman.glyph(filled),
                Man::King if !chess => ["⛁", "⛃"][usize::from(filled)],
                man => man.glyph(filled),
            };
            model.glyphs.entry(content.clone()).or_insert_with(|| glyph.to_owned());
            if let (Some(owner), false) = (owner, content.contains(' ') || model.roles.contains(content)) {
                model.owners.entry(content.clone()).or_insert(*owner);
            }
        }
    }
    chequer(positions, men.is_some(), model);
}

/// The men that names propose: for each content, as in [`BoardModel::glyphs`], its kind and its owner.
struct Proposal {
    men: BTreeMap<String, (Man, Option<usize>)>,
    /// Whether only letters, and no words, propose the men.
    letters: bool,
}

impl Proposal {
    /// Whether the men are those of chess. Pawns and kings alone are those of draughts, unless kings stand on the board
    /// from the start; pawns without kings are those of chess.
    fn chess(&self, positions: &[Position]) -> bool {
        let is_king =
            |token: &Token| self.men.get(&token.content.join(" ")).is_some_and(|man| man.0 == Man::King);
        let first = positions.first().is_some_and(|position| position.squares.iter().flatten().any(is_king));
        let has = |is: fn(&Man) -> bool| self.men.values().any(|(man, _)| is(man));
        first || has(|man| !matches!(man, Man::King | Man::Pawn)) || !has(|man| *man == Man::King)
    }
}

fn proposal(model: &BoardModel) -> Option<Proposal> {
    let layer = model.layers.first()?;
    let mut men = BTreeMap::new();
    match layer.values.as_slice() {
        [values] => {
            let owner = |value: &String| {
                model.roles.iter().position(|role| role == value).or_else(|| model.owners.get(value).copied())
            };
            for value in values {
                if let Some(man) = by_word(value, owner(value), model) {
                    men.insert(value.clone(), (man, owner(value)));
                }
            }
            if !men.is_empty() {
                return Some(Proposal { men, letters: false });
            }
            let named: Option<Vec<(char, Man)>> = values.iter().map(|value| by_letter(value)).collect();
            let named = named?;
            // Who owns one piece of an initial owns all of them; a role may have that initial itself.
            let of_initial = |initial: char| {
                let mut known = values.iter().zip(&named).filter(|(_, (letter, _))| *letter == initial);
                let role = |role: &String| role.to_ascii_lowercase().starts_with(initial);
                known.find_map(|(value, _)| owner(value)).or_else(|| model.roles.iter().position(role))
            };
            for (value, (initial, man)) in values.iter().zip(&named) {
                men.insert(value.clone(), (*man, owner(value).or_else(|| of_initial(*initial))));
            }
            let kinds: BTreeSet<Man> = men.values().map(|man| man.0).collect();
            let owners: BTreeSet<Option<usize>> = men.values().map(|man| man.1).collect();
            (kinds.len() >= 2 && owners.len() >= 2 && !owners.contains(&None))
                .then_some(Proposal { men, letters: true })
        }
        [one, two] => {
            for (a, b) in one.iter().flat_map(|a| two.iter().map(move |b| (a, b))) {
                let of = |value: &String| {
                    model
                        .roles
                        .iter()
                        .position(|role| role == value)
                        .or_else(|| model.owners.get(value).copied())
                };
                let word = |value: &String| {
                    WORDS.iter().find(|(word, _)| value.eq_ignore_ascii_case(word)).map(|w| w.1)
                };
                if let Some((man, owner)) = word(a).zip(of(b)).or_else(|| word(b).zip(of(a))) {
                    men.insert(format!("{a} {b}"), (man, Some(owner)));
                }
            }
            (!men.is_empty()).then_some(Proposal { men, letters: false })
        }
        _ => None,
    }
}

/// The man that a value names by a word, which may stand before or after the name of its owner or a colour.
fn by_word(value: &str, owner: Option<usize>, model: &BoardModel) -> Option<Man> {
    let value = value.to_ascii_lowercase();
    let plain = value.trim_end_matches(|c: char| c.is_ascii_digit());
    WORDS.iter().find_map(|(word, man)| {
        let rest = plain.strip_suffix(word).or_else(|| plain.strip_prefix(word))?;
        let rest = rest.trim_matches(['_', '-']);
        let is_owner =
            || owner.is_some_and(|owner| model.roles[owner].to_ascii_lowercase().starts_with(rest));
        (rest.is_empty() || of_name(rest).is_some() || is_owner()).then_some(*man)
    })
}

/// The initial of the owner, and the man, that a value of two or three characters names: `wn`, `wpa`.
fn by_letter(value: &str) -> Option<(char, Man)> {
    let letters: Vec<char> = value.chars().map(|c| c.to_ascii_lowercase()).collect();
    let [owner, man, ..] = *letters.as_slice() else { return None };
    let man = LETTERS.iter().find(|(letter, _)| *letter == man)?.1;
    (letters.len() <= 3).then_some((owner, man))
}

/// Whether playouts confirm the proposed men. Letters need a move that was seen; words only must not be refuted.
fn is_confirmed(proposal: &Proposal, positions: &[Position], model: &BoardModel) -> bool {
    let mut moves: BTreeMap<Man, [usize; 2]> = BTreeMap::new();
    let steps =
        positions.windows(2).filter(|pair| Some(&pair[1].squares) != positions.first().map(|p| &p.squares));
    for pair in steps {
        for (from, to) in model.changes(&pair[0], &pair[1]).slides {
            let moved = &pair[0].squares[model.square_number(from)];
            let man = moved.iter().find_map(|token| proposal.men.get(&token.content.join(" ")));
            if let Some((man, _)) = man {
                let by = [from.column.abs_diff(to.column), from.row.abs_diff(to.row)];
                moves.entry(*man).or_default()[usize::from(man.goes(by))] += 1;
            }
        }
    }
    let refuted = moves.values().any(|[wrong, right]| wrong + right >= MOVES && wrong > right);
    !refuted && (!proposal.letters || !moves.is_empty())
}

/// Chequers a board with men on it, a board of which only squares of one colour exist, and a board where things stand on
/// squares of one colour only.
fn chequer(positions: &[Position], men: bool, model: &mut BoardModel) {
    let (width, height) = (model.columns.values.len(), model.rows.values.len());
    if model.board_count() > 1 || width < 3 || height < 3 {
        return;
    }
    let colour = |square: &Square| (square.row + square.column) % 2;
    let holes: BTreeSet<usize> = model.holes.iter().map(colour).collect();
    if model.holes.len() * 5 >= width * height * 2 && holes.len() == 1 {
        model.chequered = true;
        model.dark = 1 - holes.first().copied().unwrap_or(0);
        return;
    }
    if !model.holes.is_empty() && !men {
        return;
    }
    let occupied: BTreeSet<usize> = positions
        .iter()
        .flat_map(|position| position.squares.iter().enumerate())
        .filter(|(_, tokens)| tokens.iter().any(|token| token.layer == 0))
        .map(|(number, _)| number)
        .collect();
    let colours: BTreeSet<usize> = occupied.iter().map(|&number| colour(&model.square(number))).collect();
    if colours.len() == 1 && occupied.len() >= OCCUPIED {
        model.chequered = true;
        model.dark = colours.first().copied().unwrap_or(1);
    } else if men {
        // The square at the left of the lowest row is dark.
        model.chequered = true;
        model.dark = (height - 1) % 2;
    }
}

/// Sets the contents of `model` that stand for blocked squares: those of no role that never leave a square, or the most
/// frequent one if there are several, unless they are numbers.
pub(crate) fn block(positions: &[Position], model: &mut BoardModel) {
    if model.kind != Kind::Grid || model.stacked {
        return;
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut leaves: BTreeSet<String> = BTreeSet::new();
    let own = |token: &&Token| {
        token.owner.is_none() && !token.content.is_empty() && !model.draws_lines(token.layer)
    };
    for pair in
        positions.windows(2).filter(|pair| Some(&pair[1].squares) != positions.first().map(|p| &p.squares))
    {
        for (old, new) in pair[0].squares.iter().zip(&pair[1].squares) {
            let left = old.iter().filter(own).filter(|token| !new.contains(token));
            leaves.extend(left.map(|token| token.content.join(" ")));
        }
    }
    for position in positions {
        let mut here: BTreeMap<String, usize> = BTreeMap::new();
        for token in position.squares.iter().flatten().filter(own) {
            *here.entry(token.content.join(" ")).or_default() += 1;
        }
        for (content, count) in here {
            let most = counts.entry(content).or_default();
            *most = count.max(*most);
        }
    }
    let squares = model.columns.values.len() * model.rows.values.len() * model.board_count();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for token in positions.first().iter().flat_map(|position| position.squares.iter().flatten()).filter(own) {
        *first.entry(token.content.join(" ")).or_default() += 1;
    }
    // What comes in the course of play and shares its square with something else can be entered: it is a trail, and no
    // wall. A wall that stood there from the start may have been run into.
    let mut entered: BTreeSet<String> = BTreeSet::new();
    for tokens in positions.iter().flat_map(|position| &position.squares).filter(|tokens| tokens.len() > 1) {
        let here = tokens.iter().filter(own).map(|token| token.content.join(" "));
        entered.extend(here.filter(|content| !first.contains_key(content)));
    }
    counts.retain(|content, count| {
        let shown = model.glyphs.get(content).unwrap_or(content);
        let is_number = shown.parse::<i64>().is_ok();
        let digits = content.contains(|c: char| c.is_ascii_digit());
        *count >= 2
            && !leaves.contains(content)
            && !is_number
            && !digits
            && first.get(content).copied().unwrap_or(0) * 10 < squares * 7
    });
    let blocks = counts.iter().filter(|(content, _)| !entered.contains(*content));
    let most = blocks.max_by_key(|(content, count)| (**count, std::cmp::Reverse((*content).clone())));
    if let Some((content, _)) = most {
        let content = content.clone();
        model.blocks.insert(content.clone());
        drop_rim(positions, &content, model);
    }
    let comes = |content: &&String| !first.contains_key(*content) && !model.blocks.contains(*content);
    model.trails = counts.keys().filter(comes).cloned().collect();
}

/// Leaves out a line at one edge of a board that always consists of blocked squares, if there are no others: the ground
/// below the board.
fn drop_rim(positions: &[Position], content: &str, model: &mut BoardModel) {
    let (width, height) = (model.columns.values.len(), model.rows.values.len());
    if model.board_count() > 1
        || !model.holes.is_empty()
        || !model.places.is_empty()
        || width < 3
        || height < 3
    {
        return;
    }
    let is_blocked = |tokens: &Vec<Token>| tokens.iter().any(|token| token.content.join(" ") == content);
    let blocked = |position: &Position| -> Vec<usize> {
        (0..position.squares.len()).filter(|&number| is_blocked(&position.squares[number])).collect()
    };
    let edges = [
        (0..width).collect::<Vec<_>>(),
        ((height - 1) * width..height * width).collect(),
        (0..height).map(|row| row * width).collect(),
        (0..height).map(|row| row * width + width - 1).collect(),
    ];
    let edge = edges.into_iter().find(|edge| positions.iter().all(|position| blocked(position) == *edge));
    if let Some(edge) = edge.filter(|_| !positions.is_empty()) {
        model.holes = edge.into_iter().map(|number| model.square(number)).collect();
        model.holes.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use crate::infer;
    use crate::sample::game;
    use ggp_game::Fact;

    /// The number of glyphs of a game with things called like chessmen, of which `wn` goes from place to place.
    fn glyphs(places: [[usize; 2]; 5]) -> usize {
        let rules = "(role white) (role black) (line 1) (line 2) (line 3) (line 4) (line 5)
            (after 1 2) (after 2 3) (after 3 4) (after 4 5)
            (init (at 1 1 wn)) (init (at 2 2 wp)) (init (at 4 4 bp)) (init (at 5 5 bn))
            (<= (legal white (go ?x ?y)) (line ?x) (line ?y)) (legal black wait)
            (<= (next (at ?x ?y wn)) (does white (go ?x ?y)))
            (<= (next (at ?x ?y ?c)) (true (at ?x ?y ?c)) (distinct ?c wn))
            (<= (goal ?r 0) (role ?r)) (<= terminal (true (at 5 5 wn)))";
        let game = game(rules);
        let state = |[x, y]: [usize; 2]| {
            let facts = [
                format!("(at {x} {y} wn)"),
                "(at 2 2 wp)".into(),
                "(at 4 4 bp)".into(),
                "(at 5 5 bn)".into(),
            ];
            facts.map(Fact::from_canonical).to_vec()
        };
        infer(&game, &places.map(state)).glyphs.len()
    }

    #[test]
    fn what_is_only_called_like_a_knight_is_none() {
        assert_eq!(glyphs([[1, 1], [2, 3], [3, 5], [4, 3], [5, 1]]), 4);
        assert_eq!(glyphs([[1, 1], [1, 2], [1, 3], [1, 4], [1, 5]]), 0);
        assert_eq!(glyphs([[1, 1]; 5]), 0, "nothing moves");
    }
}
