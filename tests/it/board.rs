//! The boards that `view` infers from whole rulesheets, the project's and published ones, and from the
//! same rulesheets with scrambled names.

use ggp_game::rng::Stream;
use ggp_game::{Fact, Game, Interpreter, StateMachine};
use ggp_tests::{corpus, rulesheets_in, workspace};
use ggp_view::{BoardModel, Cell, Gesture, Kind, Sidecar, Slot, Style, infer, infer_with};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A game, with the states of a few short random playouts.
struct Seen {
    game: Arc<Game>,
    states: Vec<Vec<Fact>>,
    /// The legal moves of the initial state.
    moves: Vec<String>,
}

/// Limit on the legal moves listed, after which playouts stop. It bounds the time for games with very
/// many moves.
const MAX_MOVES: usize = 3000;

fn see(text: &[u8], playouts: u64, steps: usize) -> Option<Seen> {
    let game = Arc::new(Game::new(ggp_gdl::parse(text).ok()?).ok()?);
    let mut machine = Interpreter::new(&game);
    let mut seen = Seen { game: Arc::clone(&game), states: Vec::new(), moves: Vec::new() };
    let mut asked = 0;
    for playout in 0..playouts {
        let random = Stream::new(7, playout);
        let mut state = machine.initial_state().ok()?;
        for step in 0..steps {
            let mut facts = Vec::new();
            machine.facts(&state, &mut facts).ok()?;
            seen.states.push(facts);
            let mut joint = Vec::new();
            for role in game.roles() {
                let mut legal = Vec::new();
                machine.legal_moves(&state, role, &mut legal).ok()?;
                asked += legal.len();
                if playout == 0 && step == 0 {
                    seen.moves.extend(legal.iter().map(|&mv| machine.move_text(mv).to_owned()));
                }
                if !legal.is_empty() {
                    joint.push(legal[random.below(step as u32, role, legal.len() as u32) as usize]);
                }
            }
            if asked > MAX_MOVES || joint.len() < game.role_count() || machine.is_terminal(&state).ok()? {
                break;
            }
            state = machine.next_state(&state, &joint).ok()?;
        }
    }
    Some(seen)
}

fn ours(name: &str) -> Seen {
    let path = workspace().join("games").join(name).with_extension("kif");
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    see(&text, 2, 40).expect("our own rulesheets evaluate")
}

/// The kind, the two side lengths in ascending order, the number of boards, and the number of layers.
fn shape(model: &BoardModel) -> (Kind, [usize; 2], usize, usize) {
    let mut sides = [model.columns.values.len(), model.rows.values.len()];
    sides.sort_unstable();
    (model.kind, sides, model.board_count(), model.layers.len())
}

#[test]
fn our_games_have_the_boards_that_their_rules_describe() {
    let expected = [
        ("breakthrough_holes", Kind::Grid, 8, 8, 4),
        ("pawn_whopping", Kind::Grid, 8, 8, 0),
        ("endgame", Kind::Grid, 8, 8, 0),
        ("english_draughts", Kind::Grid, 8, 8, 32),
        ("skirmish", Kind::Grid, 8, 8, 4),
        ("tic_tac_toe", Kind::Grid, 3, 3, 0),
        ("connect_four", Kind::Grid, 7, 6, 0),
        ("eight_puzzle", Kind::Grid, 3, 3, 0),
        ("hex", Kind::Grid, 5, 5, 0),
        ("three_player_tic_tac_toe", Kind::Grid, 4, 4, 0),
        ("maze", Kind::Occupancy, 3, 3, 0),
        ("nim", Kind::Track, 4, 1, 0),
        ("rock_paper_scissors", Kind::Table, 0, 0, 0),
        ("reversi", Kind::Grid, 8, 8, 0),
        ("chess", Kind::Grid, 8, 8, 0),
        ("kalah", Kind::Track, 14, 1, 0),
    ];
    for (name, kind, columns, rows, holes) in expected {
        let seen = ours(name);
        let model = infer(&seen.game, &seen.states);
        let got = (model.kind, model.columns.values.len(), model.rows.values.len(), model.holes.len());
        assert_eq!(got, (kind, columns, rows, holes), "{name}");
    }
}

/// The shape of the squares, whether boards are parts of one, and the number of sides that belong to somebody.
fn geometry(model: &BoardModel) -> (Cell, bool, usize, usize) {
    (model.cell, model.joined, model.boxes, model.sides.iter().flatten().count())
}

#[test]
fn our_games_have_the_geometry_that_their_rules_describe() {
    let geometry_of = |name: &str| {
        let seen = ours(name);
        let model = infer(&seen.game, &seen.states);
        (geometry(&model), model)
    };
    assert_eq!(geometry_of("hex").0, (Cell::Hexagon, false, 0, 4));
    let (geometry, kalah) = geometry_of("kalah");
    assert_eq!(geometry, (Cell::Pit, false, 0, 0));
    // Two rows of six houses, and a store between them at each end.
    let height = |y: i32| kalah.places.iter().filter(|place| place[1] == y).count();
    assert_eq!([height(0), height(50), height(100)], [6, 2, 6]);
    let (_, chess) = geometry_of("chess");
    assert!(chess.chequered && chess.dark == 1 && chess.glyphs["black knight"] == "♞");
    let (_, draughts) = geometry_of("english_draughts");
    assert!(draughts.chequered && draughts.glyphs["white pawn"] == "⛀");
}

#[test]
fn the_difference_of_two_states_tells_the_move() {
    let seen = ours("chess");
    let model = infer(&seen.game, &seen.states);
    let [before, after] = [0, 1].map(|state| model.place(&seen.states[state]));
    let changes = model.changes(&before, &after);
    assert_eq!((changes.slides.len(), changes.new.len(), changes.taken.len()), (1, 0, 0));
    let svg = model.svg(&after, &changes);
    assert_eq!(svg.matches("<g ").count(), 32, "each man is drawn");
}

#[test]
fn each_view_beside_our_games_fits_its_game() {
    let mut views = 0;
    for path in rulesheets_in(&workspace().join("games")) {
        let Ok(text) = std::fs::read_to_string(path.with_extension("view.json")) else { continue };
        views += 1;
        let sidecar = Sidecar::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let seen = ours(path.file_stem().expect("a name").to_str().expect("UTF-8"));
        let given = infer_with(&seen.game, &seen.states, &sidecar);
        let given = given.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let inferred = infer(&seen.game, &seen.states);
        assert_eq!(shape(&given), shape(&inferred), "{}", path.display());
        assert_eq!(given.holes, inferred.holes, "{}: what it says of holes is so", path.display());
        // Each glyph belongs to a possible content of a square.
        let contents = |layer: &ggp_view::Layer| match layer.values.as_slice() {
            [one] => one.clone(),
            [first, second] => {
                first.iter().flat_map(|a| second.iter().map(move |b| format!("{a} {b}"))).collect()
            }
            _ => Vec::new(),
        };
        let known = contents(&given.layers[0]);
        for glyph in sidecar.glyphs.keys() {
            assert!(known.contains(glyph), "{}: nothing is called `{glyph}`", path.display());
        }
    }
    assert_eq!(views, 6);
}

#[test]
fn every_move_of_our_board_games_is_made_on_the_board() {
    for name in [
        "breakthrough_holes",
        "pawn_whopping",
        "endgame",
        "english_draughts",
        "skirmish",
        "tic_tac_toe",
        "hex",
    ] {
        let seen = ours(name);
        let model = infer(&seen.game, &seen.states);
        let position = model.place(&seen.states[0]);
        for mv in &seen.moves {
            let gesture = model.gesture(mv, &position);
            let expected = if mv == "noop" {
                gesture == Gesture::Button
            } else if name == "tic_tac_toe" || name == "hex" {
                matches!(gesture, Gesture::Place { .. })
            } else {
                // A piece moves from its own square.
                matches!(&gesture, Gesture::Path { squares, .. } if squares.len() == 2
                    && !position.squares[model.square_number(squares[0])].is_empty())
            };
            assert!(expected, "{name}: {mv} is {gesture:?}");
        }
    }
    let seen = ours("connect_four");
    let model = infer(&seen.game, &seen.states);
    let gesture = model.gesture("(drop 3)", &model.place(&seen.states[0]));
    assert_eq!(gesture, Gesture::Line { column: Some(2), row: None, rest: Vec::new() });
}

#[test]
fn boards_stay_within_eighty_columns_and_colour_is_only_there_if_asked_for() {
    for path in rulesheets_in(&workspace().join("games")) {
        let name = path.file_stem().expect("a name").to_str().expect("UTF-8");
        let seen = ours(name);
        let model = infer(&seen.game, &seen.states);
        for facts in seen.states.iter().take(10) {
            let position = model.place(facts);
            let plain = model.draw(&position, Style { ascii: true, ..Style::default() });
            assert!(plain.is_ascii() && !plain.contains('\x1b'), "{name}:\n{plain}");
            assert!(plain.lines().all(|line| line.len() <= 80), "{name}:\n{plain}");
            let coloured = model.draw(&position, Style { colour: true, ..Style::default() });
            assert!(model.kind == Kind::Table || coloured.contains("\x1b["), "{name}:\n{coloured}");
        }
    }
}

/// Renames names consistently.
#[derive(Default)]
struct Scrambler {
    names: BTreeMap<String, String>,
}

impl Scrambler {
    /// The new name of `token`. Keywords and integers stay; a variable stays a variable.
    fn rename(&mut self, token: &str) -> String {
        const KEYWORDS: [&str; 17] = [
            "<=", "role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input",
            "distinct", "or", "not", "and", "sees", "random",
        ];
        if KEYWORDS.contains(&token.to_lowercase().as_str()) || token.parse::<i64>().is_ok() {
            return token.to_owned();
        }
        let mark = if token.starts_with('?') { "?" } else { "" };
        let count = self.names.len() as u64;
        let new = self.names.entry(token.to_owned()).or_insert_with(|| {
            // Syllables of a scattered number, so that the order of the names is lost.
            let mut number = (count + 3).wrapping_mul(2_654_435_761) % 1_000_003;
            let mut out = String::from("z");
            for _ in 0..7 {
                out.push(char::from(b"bdfgklmnprstv"[(number % 13) as usize]));
                out.push(char::from(b"aeiou"[(number % 5) as usize]));
                number /= 13;
            }
            out
        });
        format!("{mark}{new}")
    }

    /// `text` with all names replaced and comments removed.
    fn scramble(&mut self, text: &str) -> String {
        let mut out = String::new();
        for line in text.replace('\r', "\n").lines() {
            let mut token = String::new();
            let code = line.split(';').next().unwrap_or("");
            for c in code.chars().chain((code.len() < line.len() || text.contains('\n')).then_some('\n')) {
                if c.is_whitespace() || c == '(' || c == ')' {
                    if !token.is_empty() {
                        out.push_str(&self.rename(&token));
                        token.clear();
                    }
                    out.push(c);
                } else {
                    token.push(c);
                }
            }
            if !token.is_empty() {
                out.push_str(&self.rename(&token));
            }
        }
        out
    }

    /// The model inferred from the renamed game and the renamed states.
    fn infer(&mut self, text: &str, states: &[Vec<Fact>]) -> Option<BoardModel> {
        let game = Game::new(ggp_gdl::parse(self.scramble(text).as_bytes()).ok()?).ok()?;
        let mut renamed: Vec<Vec<Fact>> = Vec::new();
        for facts in states {
            let mut facts: Vec<Fact> =
                facts.iter().map(|fact| Fact::from_canonical(self.scramble(fact.as_str()))).collect();
            facts.sort_unstable();
            renamed.push(facts);
        }
        Some(infer(&game, &renamed))
    }
}

#[test]
fn scrambled_names_leave_our_games_their_boards() {
    for path in rulesheets_in(&workspace().join("games")) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let plain = see(text.as_bytes(), 2, 40).expect("our own rulesheets evaluate");
        let one = infer(&plain.game, &plain.states);
        let two = Scrambler::default().infer(&text, &plain.states).expect("so do they under other names");
        assert_eq!(shape(&one), shape(&two), "{}", path.display());
        assert_eq!(one.holes.len(), two.holes.len(), "{}", path.display());
        assert_eq!(geometry(&one), geometry(&two), "{}", path.display());
        let squares =
            |model: &BoardModel| -> Vec<usize> { model.moves.iter().map(|mv| mv.squares).collect() };
        assert_eq!(squares(&one), squares(&two), "{}", path.display());
        let named = |model: &BoardModel| -> usize {
            model.moves.iter().flat_map(|mv| &mv.slots).filter(|slot| slot.1 != Slot::Other).count()
        };
        assert_eq!(named(&one), named(&two), "{}", path.display());
    }
}

/// Counts how many published games get which kind of board, and how many keep it under other names. One
/// short playout per game, as little as a user sees at first.
#[test]
fn published_games_have_boards() {
    let Some(corpus) = corpus() else { return };
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut games, mut same, mut kept, mut differ) = (0, 0, 0, Vec::new());
    let mut slowest = (std::time::Duration::ZERO, String::new());
    for path in rulesheets_in(&corpus.join("rules")) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).expect("readable");
        let seen = see(&bytes, 1, 8).unwrap_or_else(|| panic!("{name} is not evaluated"));
        games += 1;
        let begin = std::time::Instant::now();
        let model = infer(&seen.game, &seen.states);
        slowest = slowest.max((begin.elapsed(), name.clone()));
        let kind = match model.kind {
            Kind::Grid => "grid",
            Kind::Occupancy => "occupancy",
            Kind::Track => "track",
            Kind::Table => "table",
        };
        kinds.entry(kind).or_default().push(name.clone());
        let position = model.place(&seen.states[0]);
        for mv in &seen.moves {
            let named = model.gesture(mv, &position);
            assert!(
                named.squares().iter().all(|&s| model.square_number(s) < position.squares.len()),
                "{name}: {mv}"
            );
        }
        let drawn = model.draw(&position, Style::default());
        assert!(seen.states[0].is_empty() || !drawn.is_empty(), "{name} draws nothing");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match Scrambler::default().infer(&text, &seen.states) {
            Some(scrambled) if shape(&scrambled) == shape(&model) => {
                same += 1;
                kept += usize::from(geometry(&scrambled) == geometry(&model));
            }
            _ => differ.push(name),
        }
    }
    for (kind, names) in &kinds {
        eprintln!("{kind}: {} of {games}", names.len());
    }
    eprintln!("without a board: {}", kinds.get("table").map_or(String::new(), |names| names.join(" ")));
    eprintln!("same shape scrambled: {same} of {games}; not: {}", differ.join(" "));
    eprintln!("same geometry of those: {kept}");
    eprintln!("slowest inference: {:?} in {}", slowest.0, slowest.1);
    let tables = kinds.get("table").map_or(0, Vec::len);
    assert!((games - tables) * 100 >= games * 80, "{tables} of {games} have no board");
    assert!(same * 100 >= games * 80, "{same} of {games} keep their shape");
    // Walls of two games are known by the names of their fluents alone.
    assert!(same - kept <= 3, "{kept} of {same} keep their geometry");
}
