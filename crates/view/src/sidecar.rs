//! The sidecar `NAME.view.json`, in which a person describes a game's board where inference falls short.
//!
//! The file is a JSON object; every key is optional, unknown keys are errors:
//! [`Sidecar::KEYS`] lists the keys.
//!
//! An argument is given by its index, from 0, or by the path of indices to it through nested terms. If the
//! game has `index` arguments, their values precede the column and the row of each hole. A key of `glyphs` is
//! the value of one content argument, or the values of all content arguments of a thing, joined by blanks, or the name of
//! a fluent that has only coordinates.
//!
//! `x` and `y` need `relation`. Missing entries are inferred.

use crate::model::{Axis, BoardModel, Order, Square};
use ggp_game::{Format, FormatError};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// The format of sidecars. The name of a file tells that it is one, so only `version` stands in it.
const VIEW: Format = Format::new("ggp view", 1);

/// The maximum number of values of an axis that a sidecar gives. It bounds the memory for the squares of a board.
const LONGEST_AXIS: usize = 256;

/// A key of a sidecar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SidecarKey {
    /// The key.
    pub name: &'static str,
    /// An example of its value, in JSON.
    pub example: &'static str,
    /// What its value says.
    pub meaning: &'static str,
}

const fn key(name: &'static str, example: &'static str, meaning: &'static str) -> SidecarKey {
    SidecarKey { name, example, meaning }
}

/// The version that the sidecar `text` gives. The entries of a newer version may be unknown, so it is read before them.
fn version(text: &str) -> u32 {
    #[derive(Deserialize)]
    struct Version {
        version: Option<u32>,
    }
    serde_json::from_str(text).ok().and_then(|Version { version }| version).unwrap_or(1)
}

/// Checks texts that are drawn. A control character in one would control the terminal.
fn check_drawn<'a, E: Error>(texts: impl IntoIterator<Item = &'a String>) -> Result<(), E> {
    match texts.into_iter().find(|text| text.contains(char::is_control)) {
        // The parser adds the place.
        Some(text) => {
            Err(E::custom(format_args!("the control character in {text:?} cannot be drawn: leave it out")))
        }
        None => Ok(()),
    }
}

fn drawn_values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let values: Option<Vec<String>> = Deserialize::deserialize(deserializer)?;
    let count = values.as_ref().map_or(0, Vec::len);
    if count > LONGEST_AXIS {
        return Err(D::Error::custom(format_args!("an axis has at most {LONGEST_AXIS} values, not {count}")));
    }
    check_drawn::<D::Error>(values.iter().flatten())?;
    Ok(values)
}

fn drawn_glyphs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let glyphs: BTreeMap<String, String> = Deserialize::deserialize(deserializer)?;
    check_drawn::<D::Error>(glyphs.values())?;
    Ok(glyphs)
}

/// The entries of a sidecar. A missing entry is `None` or empty.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sidecar {
    /// The fluent that holds the board.
    pub relation: Option<String>,
    /// The number of arguments of that fluent.
    pub arity: Option<usize>,
    /// The argument of the fluent that gives the column of a square.
    pub x: Option<ArgumentPath>,
    /// The argument of the fluent that gives the row of a square.
    pub y: Option<ArgumentPath>,
    /// The arguments of the fluent that tell several boards apart.
    pub index: Option<Vec<ArgumentPath>>,
    /// The values that the horizontal axis has, from left to right, at most 256. None has a control character.
    #[serde(deserialize_with = "drawn_values")]
    pub columns: Option<Vec<String>>,
    /// The values that the vertical axis has, from top to bottom, at most 256. None has a control character.
    #[serde(deserialize_with = "drawn_values")]
    pub rows: Option<Vec<String>>,
    /// Whether the first or the last row, in the inferred order, is at the top.
    pub top: Option<Top>,
    /// The content of an empty square.
    pub empty: Option<String>,
    /// Squares that do not exist. Each is given by its values on the index axes, its column and its row.
    pub holes: Option<Vec<Vec<String>>>,
    /// Maps contents to the glyphs to draw for them. No glyph has a control character.
    #[serde(deserialize_with = "drawn_glyphs")]
    pub glyphs: BTreeMap<String, String>,
    /// Maps contents to the names of the roles that own them.
    pub owners: BTreeMap<String, String>,
    /// Whether squares alternate between light and dark.
    pub chequered: Option<bool>,
    /// The version of the format. A missing entry means 1.
    pub version: Option<u32>,
}

/// An argument of the fluent, given by its index or by a path.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
pub enum ArgumentPath {
    /// The index of an argument of the fluent, from 0.
    Number(usize),
    /// The index of an argument, then of an argument within that one, and so on. Indices are from 0.
    Path(Vec<usize>),
}

impl ArgumentPath {
    /// The path to the argument.
    pub(crate) fn path(&self) -> Vec<usize> {
        match self {
            ArgumentPath::Number(number) => vec![*number],
            ArgumentPath::Path(path) => path.clone(),
        }
    }
}

/// The row that is drawn at the top.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Top {
    /// The first row in the inferred order.
    First,
    /// The last row in the inferred order.
    Last,
}

/// An error in a sidecar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SidecarError {
    /// The text is not JSON, or not of the documented form. Holds the message of the JSON parser.
    Syntax(String),
    /// The sidecar has a version that this program does not know.
    Format(FormatError),
    /// The game has no such fluent. Holds the name that the sidecar gives.
    NoRelation(String),
    /// The fluent has no such argument, or the argument holds no constants.
    NoArgument {
        /// The fluent's name.
        relation: String,
        /// The path to the argument.
        path: Vec<usize>,
    },
    /// A key that another key needs is missing. Holds the text of the message.
    Incomplete(&'static str),
    /// The rules show no board, and the sidecar names no fluent that holds one.
    NoBoard,
    /// A hole is not on the board. Holds the values that the sidecar gives for the hole.
    NoSquare(Vec<String>),
    /// The game has no such role. Holds the name that the sidecar gives.
    NoRole(String),
    /// Nothing on the board has such a content.
    NoContent {
        /// The key of the sidecar under which the name stands.
        key: &'static str,
        /// The name that the sidecar gives.
        name: String,
        /// The contents of the board, some of them if there are many.
        known: Vec<String>,
    },
}

/// The largest number of contents that a message lists.
const LISTED: usize = 8;

impl fmt::Display for SidecarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SidecarError::Syntax(message) => write!(f, "not a view: {message}"),
            SidecarError::Format(why) => write!(f, "{why}"),
            SidecarError::NoRelation(name) => write!(f, "`relation`: the game has no fluent `{name}`"),
            SidecarError::NoArgument { relation, path } => {
                write!(f, "fluent `{relation}` has no argument {path:?} of constants; arguments count from 0")
            }
            SidecarError::Incomplete(what) => f.write_str(what),
            SidecarError::NoBoard => {
                f.write_str("the rules show no board; `relation` and `x` name the fluent that holds it")
            }
            SidecarError::NoSquare(names) => {
                write!(f, "`holes`: the board has no square {names:?}; give column and row by their values")
            }
            SidecarError::NoRole(name) => write!(f, "`owners`: the game has no role `{name}`"),
            SidecarError::NoContent { key, name, known } => {
                write!(f, "`{key}`: nothing on the board is called `{name}`")?;
                if known.is_empty() { Ok(()) } else { write!(f, "; its contents are {}", known.join(", ")) }
            }
        }
    }
}

impl std::error::Error for SidecarError {}

impl Sidecar {
    /// All keys of a sidecar, in the order of the fields of the struct.
    pub const KEYS: [SidecarKey; 14] = [
        key("relation", r#""cell""#, "the fluent that holds the board"),
        key("arity", "3", "the number of arguments of that fluent, if several fluents have its name"),
        key("x", "0", "the argument that gives the column of a square"),
        key("y", "1", "the argument that gives the row of a square; a track has none"),
        key("index", "[0]", "the arguments that tell several boards apart, at most two"),
        key("columns", r#"["a", "b"]"#, "the values of the column, from left to right"),
        key("rows", r#"["2", "1"]"#, "the values of the row, from top to bottom"),
        key("top", r#""last""#, "the row at the top: the `last` or the `first` one in the inferred order"),
        key("empty", r#""b""#, "the content of an empty square"),
        key("holes", r#"[["3", "6"]]"#, "squares that do not exist, each as its column and its row"),
        key("glyphs", r#"{"white pawn": "♙"}"#, "the text to draw for each content"),
        key("owners", r#"{"wp": "white"}"#, "the role that owns a content"),
        key("chequered", "true", "whether squares alternate between light and dark"),
        key("version", "1", "the version of this format, which is 1; later ones are refused"),
    ];

    /// Parses a sidecar from its JSON text.
    ///
    /// # Errors
    /// Fails if the text is not JSON or not of the documented form, or if a text to draw has a control character;
    /// the message then gives the place. Also fails if a key that another key needs is missing.
    pub fn parse(text: &str) -> Result<Sidecar, SidecarError> {
        VIEW.check_version(version(text)).map_err(SidecarError::Format)?;
        let sidecar: Sidecar =
            serde_json::from_str(text).map_err(|error| SidecarError::Syntax(error.to_string()))?;
        if sidecar.relation.is_none() && (sidecar.x.is_some() || sidecar.y.is_some()) {
            return Err(SidecarError::Incomplete("`x` and `y` need `relation`: whose arguments are they?"));
        }
        if sidecar.x.is_none() && (sidecar.y.is_some() || sidecar.index.is_some()) {
            return Err(SidecarError::Incomplete("`y` and `index` need `x`"));
        }
        Ok(sidecar)
    }

    /// Whether everything is left to the inference.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Sidecar { version: self.version, ..Sidecar::default() }
    }

    /// Sets the axes of `model` to those that the sidecar gives.
    pub(crate) fn give_axes(&self, model: &mut BoardModel) {
        let give = |values: &Option<Vec<String>>, axis: &mut Axis| {
            if let Some(values) = values {
                *axis = Axis { values: values.clone(), order: Order::Given };
            }
        };
        give(&self.columns, &mut model.columns);
        give(&self.rows, &mut model.rows);
    }

    /// Sets the empty content, the holes, the owners, the glyphs and the chequering of `model` to those that
    /// the sidecar gives.
    pub(crate) fn give_contents(&self, model: &mut BoardModel) -> Result<(), SidecarError> {
        self.check_names(model)?;
        if let (Some(empty), Some(layer)) = (&self.empty, model.layers.first_mut()) {
            if let Some(values) = layer.values.first_mut() {
                values.extend(layer.empty.take());
                values.retain(|value| value != empty);
            }
            layer.empty = Some(empty.clone());
            model.owners.remove(empty);
        }
        if let Some(holes) = &self.holes {
            let squares: Result<Vec<Square>, SidecarError> =
                holes.iter().map(|names| named_square(model, names)).collect();
            model.holes = squares?;
            model.holes.sort_unstable();
            model.holes.dedup();
        }
        for (content, role) in &self.owners {
            let number = model.roles.iter().position(|name| name == role);
            let number = number.ok_or_else(|| SidecarError::NoRole(role.clone()))?;
            model.owners.insert(content.clone(), number);
        }
        model.glyphs.extend(self.glyphs.clone());
        model.chequered = self.chequered.unwrap_or(model.chequered);
        Ok(())
    }

    /// Checks that each content that the sidecar names can be on the board.
    fn check_names(&self, model: &BoardModel) -> Result<(), SidecarError> {
        let contents = || {
            let layers = model.layers.iter();
            layers.flat_map(|layer| layer.values.iter().flatten().chain(&layer.empty))
        };
        let is_content = |name: &str| contents().any(|content| content == name);
        let bare =
            || model.layers.iter().filter(|layer| layer.content.is_empty()).map(|layer| &layer.relation);
        // The values of all content arguments of a thing, joined by blanks.
        let is_joined = |name: &str| {
            let mut layers = model.layers.iter();
            layers.any(|layer| layer.content.len() > 1 && name.split(' ').all(is_content))
        };
        let fail = |key, name: &String, marks: bool| {
            let mut known: Vec<String> = contents().chain(bare().filter(|_| marks)).cloned().collect();
            known.sort_unstable();
            known.dedup();
            if known.len() > LISTED {
                known.truncate(LISTED);
                known.push("...".to_owned());
            }
            Err(SidecarError::NoContent { key, name: name.clone(), known })
        };
        for name in self.glyphs.keys() {
            if !is_content(name) && !is_joined(name) && !bare().any(|relation| relation == name) {
                return fail("glyphs", name, true);
            }
        }
        if let Some(name) = self.owners.keys().find(|name| !is_content(name)) {
            return fail("owners", name, false);
        }
        match &self.empty {
            Some(name) if !is_content(name) => fail("empty", name, false),
            _ => Ok(()),
        }
    }
}

fn named_square(model: &BoardModel, names: &[String]) -> Result<Square, SidecarError> {
    let unknown = || SidecarError::NoSquare(names.to_vec());
    let (index, square) = names.split_at_checked(model.index.len()).ok_or_else(unknown)?;
    let positions: Option<Vec<usize>> =
        model.index.iter().zip(index).map(|(axis, name)| axis.position(name)).collect();
    let board = model.board_number(0, &positions.ok_or_else(unknown)?);
    let (column, row) = match square {
        [column] if model.layers.first().is_some_and(|layer| layer.y.is_none()) => {
            (model.columns.position(column), Some(0))
        }
        [column, row] => (model.columns.position(column), model.rows.position(row)),
        _ => (None, None),
    };
    Ok(Square { board, row: row.ok_or_else(unknown)?, column: column.ok_or_else(unknown)? })
}

#[cfg(test)]
mod tests {
    use super::{Sidecar, SidecarError};
    use crate::infer::infer_with;
    use crate::model::Kind;
    use crate::sample::game;

    const RULES: &str =
        "(role one) (role two) (init (lies 1 p stone)) (init (lies 2 q stone)) (init (lies 3 p coin))
        (<= (next (lies ?x ?y ?z)) (true (lies ?x ?y ?z))) (<= (legal ?r wait) (role ?r))
        (<= (goal ?r 0) (role ?r)) (<= terminal (true (lies 1 q stone)))";

    fn of(rules: &str, text: &str) -> Result<crate::BoardModel, SidecarError> {
        let game = game(rules);
        infer_with(&game, &[], &Sidecar::parse(text)?)
    }

    fn with(text: &str) -> Result<crate::BoardModel, SidecarError> {
        of(RULES, text)
    }

    #[test]
    fn what_a_sidecar_says_is_so() {
        let model = with(
            r#"{"relation": "lies", "x": 0, "y": 1, "top": "first", "columns": ["3", "2", "1"],
                "holes": [["1", "q"]], "glyphs": {"stone": "o"}, "owners": {"stone": "two"}, "empty": "coin"}"#,
        )
        .expect("it fits");
        assert_eq!(model.kind, Kind::Grid);
        assert_eq!(
            (model.columns.values.join(" "), model.rows.values.join(" ")),
            ("3 2 1".into(), "p q".into())
        );
        assert_eq!(model.holes.iter().map(|&s| model.square_name(s)).collect::<Vec<_>>(), ["1 q"]);
        assert_eq!((model.owners["stone"], model.glyphs["stone"].as_str()), (1, "o"));
        assert_eq!(model.layers[0].empty.as_deref(), Some("coin"));
    }

    #[test]
    fn a_fluent_that_has_only_coordinates_has_a_glyph_by_its_name() {
        let rules = format!(
            "{RULES} (init (gone 3 q)) (<= (next (gone ?x ?y)) (true (gone ?x ?y))) (<= (next (gone ?x ?y)) (does one (take ?x ?y)))
            (<= (legal one (take ?x ?y)) (true (lies ?x ?y coin)))"
        );
        let facts = ["(lies 1 p stone)", "(gone 3 q)"].map(ggp_game::Fact::from_canonical);
        let model =
            of(&rules, r#"{"relation": "lies", "x": 0, "y": 1, "glyphs": {"gone": "█"}}"#).expect("it fits");
        let drawn = model.draw(&model.place(&facts), crate::Style::default());
        assert!(drawn.contains('█') && !drawn.contains('●'), "{drawn}");
        // Only ASCII is drawn if the terminal has nothing else.
        let drawn = model.draw(&model.place(&facts), crate::Style { ascii: true, ..crate::Style::default() });
        assert!(!drawn.contains('█') && drawn.is_ascii(), "{drawn}");
        let error = of(&rules, r#"{"relation": "lies", "x": 0, "y": 1, "glyphs": {"gon": "█"}}"#)
            .expect_err("a slip");
        assert!(error.to_string().ends_with("its contents are coin, gone, stone"), "{error}");
    }

    #[test]
    fn a_game_without_a_board_takes_no_view_but_one_that_names_it() {
        let rules = "(role one) (init (lift low)) (<= (legal one (go ?y)) (above low ?y)) (above low high)
            (<= (next (lift ?y)) (does one (go ?y))) (<= terminal (true (lift high))) (goal one 100)";
        assert_eq!(of(rules, r#"{"glyphs": {"low": "_"}}"#).map(|_| ()), Err(SidecarError::NoBoard));
        assert!(
            of(rules, r#"{"version": 1}"#).is_ok() && of(rules, r#"{"relation": "lift", "x": 0}"#).is_ok()
        );
    }

    #[test]
    fn the_table_has_the_keys_that_the_parser_takes() {
        // The parser's message lists the fields.
        let error = Sidecar::parse(r#"{"none of them": 0}"#).expect_err("an unknown key").to_string();
        let listed: Vec<&str> =
            error.split("expected one of").nth(1).expect("a list").split('`').skip(1).step_by(2).collect();
        assert_eq!(listed, Sidecar::KEYS.map(|key| key.name));
        for key in Sidecar::KEYS {
            let mut entries = serde_json::json!({"relation": "cell", "x": 0});
            entries[key.name] = serde_json::from_str(key.example).expect("JSON");
            assert!(Sidecar::parse(&entries.to_string()).is_ok(), "{}", key.name);
        }
    }

    #[test]
    fn what_would_control_the_terminal_is_no_text_to_draw() {
        for text in [
            r#"{"glyphs": {"stone": "\u001b[2J"}}"#,
            r#"{"columns": ["1", "\u001b[2J"]}"#,
            r#"{"rows": ["\u001b[2J"]}"#,
        ] {
            let error = Sidecar::parse(text).expect_err("a control character").to_string();
            let begin =
                r#"not a view: the control character in "\u{1b}[2J" cannot be drawn: leave it out at line 1"#;
            assert!(error.starts_with(begin), "{error}");
        }
        assert!(Sidecar::parse(r#"{"glyphs": {"stone": "♙ é"}, "columns": null, "rows": ["1"]}"#).is_ok());
    }

    #[test]
    fn the_length_of_a_given_axis_is_bounded() {
        let columns = |count: usize| format!(r#"{{"columns": {:?}}}"#, vec!["a"; count]);
        assert!(Sidecar::parse(&columns(256)).is_ok());
        let error = Sidecar::parse(&columns(257)).expect_err("it is too long").to_string();
        assert!(
            error.starts_with("not a view: an axis has at most 256 values, not 257 at line 1"),
            "{error}"
        );
    }

    #[test]
    fn what_does_not_fit_the_game_is_said() {
        let error = |text: &str| with(text).expect_err("it does not fit").to_string();
        assert_eq!(error(r#"{"relation": "cell"}"#), "`relation`: the game has no fluent `cell`");
        assert_eq!(
            error(r#"{"relation": "lies", "x": 7}"#),
            "fluent `lies` has no argument [7] of constants; arguments count from 0"
        );
        assert_eq!(error(r#"{"y": 1}"#), "`x` and `y` need `relation`: whose arguments are they?");
        assert!(
            error(r#"{"relation": "lies", "x": 0, "y": 1, "holes": [["9", "p"]]}"#).contains("no square")
        );
        assert_eq!(
            error(r#"{"relation": "lies", "x": 0, "y": 1, "owners": {"stone": "three"}}"#),
            "`owners`: the game has no role `three`"
        );
        let contents = "nothing on the board is called `stoen`; its contents are coin, stone";
        for (key, value) in
            [("glyphs", r#"{"stoen": "o"}"#), ("owners", r#"{"stoen": "two"}"#), ("empty", r#""stoen""#)]
        {
            let text = format!(r#"{{"relation": "lies", "x": 0, "y": 1, "{key}": {value}}}"#);
            assert_eq!(error(&text), format!("`{key}`: {contents}"));
        }
        assert!(error(r#"{"glyph": {}}"#).starts_with("not a view: unknown field `glyph`"));
        assert!(error("[").starts_with("not a view: "));
        let newer = error(r#"{"pieces": {"stone": "o"}, "version": 2}"#);
        assert!(newer.starts_with("version 2 of the format `ggp view` is unknown to ggp "), "{newer}");
    }
}
