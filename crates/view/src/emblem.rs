//! Emblems: pictures of everyday things that names tell, such as a key, a door or an arrow. A thing without an emblem is
//! drawn as a card or a disc with its name, so that a name decides nothing but the picture.

use crate::colour::is_name;
use crate::term::words;
use std::fmt::Write;

/// A picture of an everyday thing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Emblem {
    /// An arrow, turned by so many degrees from upwards.
    Arrow(u32),
    /// A pile of so many coins.
    Coins(u32),
    Hole,
    Door,
    Bomb,
    Mine,
    Gun,
    Key,
    Gem,
    Ghost(Option<&'static str>),
    Muncher,
    Mummy,
    Person,
    Star,
    Triangle,
    Diamond,
    Heart,
    Trap,
    Flame,
    Flag,
    Chip,
    Ship,
    Tree,
}

const DIRECTIONS: [(&str, u32); 16] = [
    ("up", 0),
    ("north", 0),
    ("right", 90),
    ("east", 90),
    ("down", 180),
    ("south", 180),
    ("left", 270),
    ("west", 270),
    ("northeast", 45),
    ("upright", 45),
    ("southeast", 135),
    ("downright", 135),
    ("southwest", 225),
    ("downleft", 225),
    ("northwest", 315),
    ("upleft", 315),
];

const THINGS: [(Emblem, &[&str]); 21] = [
    (Emblem::Hole, &["hole", "pit", "hollow"]),
    (Emblem::Door, &["exit", "door", "gate", "portal"]),
    (Emblem::Bomb, &["bomb", "grenade", "dynamite", "explosive"]),
    (Emblem::Mine, &["mine", "landmine"]),
    (Emblem::Gun, &["gun", "pistol", "rifle"]),
    (Emblem::Key, &["key"]),
    (Emblem::Gem, &["treasure", "gem", "jewel", "diamonds", "gold"]),
    (Emblem::Ghost(None), &["ghost", "spirit"]),
    (Emblem::Ghost(Some("#d0393f")), &["blinky"]),
    (Emblem::Ghost(Some("#27b4c7")), &["inky"]),
    (Emblem::Ghost(Some("#e58bb4")), &["pinky"]),
    (Emblem::Ghost(Some("#e07b28")), &["clyde"]),
    (Emblem::Muncher, &["pacman"]),
    (Emblem::Mummy, &["mummy", "zombie"]),
    (
        Emblem::Person,
        &[
            "person",
            "explorer",
            "soldier",
            "terrorist",
            "guard",
            "thief",
            "robber",
            "policeman",
            "boy",
            "girl",
            "walker",
            "runner",
            "hunter",
            "prisoner",
            "hero",
            "wanderer",
        ],
    ),
    (Emblem::Trap, &["trap", "snare"]),
    (Emblem::Flame, &["fire", "flame", "burning"]),
    (Emblem::Flag, &["flag", "goal", "finish"]),
    (Emblem::Chip, &["disc", "disk", "chip"]),
    (Emblem::Ship, &["ship", "boat"]),
    (Emblem::Tree, &["tree", "forest"]),
];

const SHAPES: [(&str, Emblem); 4] = [
    ("star", Emblem::Star),
    ("triangle", Emblem::Triangle),
    ("diamond", Emblem::Diamond),
    ("heart", Emblem::Heart),
];

const COUNTS: [(&str, u32); 7] =
    [("", 1), ("a", 1), ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5)];

/// The emblem that `name` tells. `others` are the names that may stand in its place: directions are only told apart from
/// other words if there are two of them.
pub(crate) fn emblem<'a>(name: &str, others: impl Iterator<Item = &'a String> + Clone) -> Option<Emblem> {
    let plain = words(name).to_ascii_lowercase();
    let plain = plain.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    if let Some(rest) = plain.strip_suffix("coins").or_else(|| plain.strip_suffix("coin")) {
        return COUNTS.iter().find(|(word, _)| *word == rest.trim()).map(|(_, count)| Emblem::Coins(*count));
    }
    if direction(plain).is_some()
        && others.clone().filter(|other| direction(&words(other)).is_some()).count() >= 2
    {
        return direction(plain).map(Emblem::Arrow);
    }
    if let Some((_, shape)) = SHAPES.iter().find(|(word, _)| *word == plain) {
        return Some(*shape);
    }
    let last = plain.rsplit(' ').next()?;
    // Where things are called by colours, gold is one of them.
    if is_name(last) && others.filter(|other| is_name(other)).count() >= 2 {
        return None;
    }
    THINGS.iter().find(|(_, names)| names.contains(&last)).map(|(emblem, _)| *emblem)
}

/// The direction that the last word of `name` tells.
fn direction(name: &str) -> Option<u32> {
    let last = name.rsplit(' ').next()?.to_ascii_lowercase();
    DIRECTIONS.iter().find(|(word, _)| *word == last).map(|(_, angle)| *angle)
}

impl Emblem {
    /// Draws the emblem in a box of 100 by 100. Things that belong to a role have the colour `fill`.
    pub(crate) fn draw(self, out: &mut String, fill: Option<&str>) {
        let filled = |out: &mut String, path: &str, own: &str| {
            let fill = fill.unwrap_or(own);
            let _ = write!(
                out,
                r##"<path d="{path}" fill="{fill}" stroke="#0009" stroke-width="2.5" stroke-linejoin="round" fill-rule="evenodd"/>"##
            );
        };
        match self {
            Emblem::Arrow(angle) => {
                let fill = fill.unwrap_or("#5d8a4a");
                let _ = write!(
                    out,
                    r##"<rect x="-3" y="-3" width="106" height="106" rx="22" fill="{fill}"/><path d="M50 16L80 50H61V84H39V50H20Z" fill="#fffb" transform="rotate({angle} 50 50)"/>"##
                );
            }
            Emblem::Coins(count) => coins(out, count),
            Emblem::Hole => out.push_str(
                r##"<ellipse cx="50" cy="52" rx="38" ry="30" fill="#8a7a60"/><ellipse cx="50" cy="55" rx="34" ry="25" fill="#241c15"/>"##,
            ),
            Emblem::Door => {
                filled(out, "M26 90V14H74V90Z", "#8a5a3a");
                out.push_str(r##"<path d="M34 22H66V50H34ZM34 58H66V84H34Z" fill="#0003"/><circle cx="65" cy="54" r="4" fill="#f3d15a"/>"##);
            }
            Emblem::Bomb => {
                filled(out, "M46 34a28 28 0 1 0 .1 0zM56 26l12 8-4 8-14-9z", "#2b2f33");
                out.push_str(r##"<path d="M64 28C70 16 78 18 80 24" fill="none" stroke="#8a5a3a" stroke-width="4"/><circle cx="82" cy="25" r="6" fill="#e8862a"/>"##);
            }
            Emblem::Mine => {
                let stroke = fill.unwrap_or("#2b2f33");
                let _ = write!(
                    out,
                    r#"<path d="M50 12V88M12 50H88M23 23L77 77M77 23L23 77" stroke="{stroke}" stroke-width="8" stroke-linecap="round"/>"#
                );
                filled(out, "M50 26a24 24 0 1 0 .1 0z", "#2b2f33");
                out.push_str(r##"<circle cx="42" cy="42" r="6" fill="#fff9"/>"##);
            }
            Emblem::Gun => filled(out, "M12 32H86V48H56L51 62H38V82H20V50H12ZM42 50v6h6l2-6z", "#3c4247"),
            Emblem::Key => {
                let stroke = fill.unwrap_or("#c9971c");
                let _ = write!(
                    out,
                    r#"<circle cx="30" cy="50" r="15" fill="none" stroke="{stroke}" stroke-width="10"/><path d="M46 50H86V68M70 50V64" fill="none" stroke="{stroke}" stroke-width="10"/>"#
                );
            }
            Emblem::Gem => {
                filled(out, "M30 24H70L88 46L50 86L12 46Z", "#e3b22f");
                out.push_str(r##"<path d="M12 46H88M38 46L50 86L62 46L50 24Z" fill="none" stroke="#0006" stroke-width="2.5"/>"##);
            }
            Emblem::Ghost(own) => {
                filled(out, "M20 86V46a30 30 0 0 1 60 0V86l-10-10-10 10-10-10-10 10-10-10z", own.unwrap_or("#b9c0c6"));
                out.push_str(r##"<circle cx="39" cy="46" r="9" fill="#fff"/><circle cx="61" cy="46" r="9" fill="#fff"/><circle cx="41" cy="48" r="4" fill="#1d2022"/><circle cx="63" cy="48" r="4" fill="#1d2022"/>"##);
            }
            Emblem::Muncher => filled(out, "M50 50L82 31A37 37 0 1 0 82 69Z", "#f0c419"),
            Emblem::Mummy => {
                filled(out, "M50 10a32 34 0 0 1 32 36c0 26-14 44-32 44S18 72 18 46a32 34 0 0 1 32-36z", "#e6dcc0");
                out.push_str(r##"<path d="M22 36L78 28M19 52H81M24 66L78 72M32 80L66 76" stroke="#9a8c68" stroke-width="4"/><path d="M24 40H76V52H24Z" fill="#3b3226"/><circle cx="38" cy="46" r="4" fill="#f5e663"/><circle cx="62" cy="46" r="4" fill="#f5e663"/>"##);
            }
            Emblem::Person => filled(out, "M50 10a17 17 0 1 1-.1 0zM18 90c0-28 12-42 32-42s32 14 32 42z", "#3f6ea8"),
            Emblem::Star => filled(out, "M50 8L61 37L92 38L68 57L76 87L50 70L24 87L32 57L8 38L39 37Z", "#e3b22f"),
            Emblem::Triangle => filled(out, "M50 12L90 84H10Z", "#2f8f57"),
            Emblem::Diamond => filled(out, "M50 8L84 50L50 92L16 50Z", "#8a4fc0"),
            Emblem::Heart => filled(out, "M50 88C10 58 8 40 14 28S40 12 50 32C60 12 80 16 86 28S90 58 50 88Z", "#d0393f"),
            Emblem::Trap => {
                let stroke = fill.unwrap_or("#5b6167");
                let _ = write!(
                    out,
                    r#"<circle cx="50" cy="50" r="36" fill="none" stroke="{stroke}" stroke-width="8"/><path d="M20 44L29 58L38 44L47 58L56 44L65 58L74 44L80 54" fill="none" stroke="{stroke}" stroke-width="6" stroke-linejoin="round"/>"#
                );
            }
            Emblem::Flame => {
                filled(out, "M52 6c4 20 28 28 28 54a30 30 0 0 1-60 0c0-14 8-20 12-32 6 6 8 10 9 16 9-10 12-22 11-38z", "#e8702a");
                out.push_str(r##"<path d="M50 88c-12 0-16-8-16-16 0-10 10-14 14-26 8 10 18 16 18 26 0 8-4 16-16 16z" fill="#f7c948"/>"##);
            }
            Emblem::Flag => {
                out.push_str(r##"<path d="M28 10V92" stroke="#3a352b" stroke-width="6" stroke-linecap="round"/>"##);
                filled(out, "M30 14H82L68 32L82 50H30Z", "#d0393f");
            }
            Emblem::Chip => filled(out, "M50 14a36 36 0 1 0 .1 0zM50 34a16 16 0 1 1-.1 0z", "#c9a06a"),
            Emblem::Ship => {
                filled(out, "M10 60H90L76 86H24Z", "#8a5a3a");
                out.push_str(r##"<path d="M46 10V54H18ZM54 18V54H80Z" fill="#fbf7ec" stroke="#0009" stroke-width="2.5"/>"##);
            }
            Emblem::Tree => {
                out.push_str(r##"<path d="M44 66H56V92H44Z" fill="#8a5a3a"/>"##);
                filled(out, "M50 8L82 50H66L86 72H14L34 50H18Z", "#2f8f57");
            }
        }
    }
}

/// Draws a pile of coins.
fn coins(out: &mut String, count: u32) {
    const COIN: &str = r##"fill="#e3b22f" stroke="#8a6710" stroke-width="2.5""##;
    if count == 1 {
        let _ = write!(
            out,
            r##"<circle cx="50" cy="50" r="32" {COIN}/><circle cx="50" cy="50" r="22" fill="none" stroke="#8a6710" stroke-width="2.5"/>"##
        );
        return;
    }
    let thick = (52 / count).min(18);
    let foot = 46 + count * thick / 2;
    for coin in 0..count {
        let y = foot - coin * thick;
        let _ = write!(
            out,
            r#"<path d="M16 {y}A34 20 0 0 0 84 {y}V{top}A34 20 0 0 0 16 {top}Z" {COIN}/><ellipse cx="50" cy="{top}" rx="34" ry="20" {COIN}/>"#,
            top = y - thick
        );
    }
    let _ = write!(
        out,
        r##"<text x="50" y="{}" text-anchor="middle" dominant-baseline="central" font-size="30" font-weight="700" font-family="system-ui, sans-serif" fill="#4a3608">{count}</text>"##,
        foot - count * thick
    );
}

#[cfg(test)]
mod tests {
    use super::{Emblem, emblem};

    #[test]
    fn names_of_things_have_emblems_and_a_direction_needs_another_one() {
        let names = ["mov_up", "mov_left", "wall"].map(str::to_owned);
        assert_eq!(emblem("mov_left", names.iter()), Some(Emblem::Arrow(270)));
        assert_eq!(emblem("left", names[2..].iter()), None, "a side of a game, perhaps");
        assert_eq!(emblem("twocoins", names.iter()), Some(Emblem::Coins(2)));
        assert_eq!(emblem("terrorist3", names.iter()), Some(Emblem::Person));
        assert_eq!(emblem("keyboard", names.iter()), None);
    }
}
