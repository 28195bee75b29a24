//! Colours of roles and of things. A name gives a colour if it begins with the name of one. Roles without
//! such a name get colours of a palette that no other role has.

/// A named colour.
struct Named {
    name: &'static str,
    colour: &'static str,
}

const fn named(name: &'static str, colour: &'static str) -> Named {
    Named { name, colour }
}

const NAMES: [Named; 20] = [
    named("white", "#f7f1e3"),
    named("black", "#23272b"),
    named("red", "#d0393f"),
    named("blue", "#2f6fd0"),
    named("green", "#2f8f57"),
    named("yellow", "#e8b923"),
    named("orange", "#e07b28"),
    named("purple", "#8a4fc0"),
    named("pink", "#e58bb4"),
    named("brown", "#8a5a3a"),
    named("gold", "#d4a526"),
    named("silver", "#b9c0c6"),
    named("grey", "#8b9298"),
    named("gray", "#8b9298"),
    named("teal", "#18959c"),
    named("cyan", "#27b4c7"),
    named("magenta", "#c13a9a"),
    named("violet", "#8a4fc0"),
    named("light", "#f0dfb8"),
    named("dark", "#4a3527"),
];

/// The colours of roles whose names are no colours.
const PALETTE: [&str; 8] =
    ["#2f6fd0", "#e07b28", "#2f8f57", "#8a4fc0", "#d0393f", "#18959c", "#d9629c", "#8a5a3a"];

/// The colour that a name gives. `None` if it gives none.
pub(crate) fn of_name(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    NAMES.iter().find(|named| name.starts_with(named.name)).map(|named| named.colour)
}

/// Whether a name is that of a colour, and of nothing else.
pub(crate) fn is_name(name: &str) -> bool {
    NAMES.iter().any(|named| named.name.eq_ignore_ascii_case(name))
}

/// The colour of each role. The roles of a game for two never have the same colour.
pub(crate) fn of_roles(roles: &[String]) -> Vec<String> {
    let mut colours: Vec<Option<&str>> = roles.iter().map(|role| of_name(role)).collect();
    if let [Some(one), Some(two)] = *colours.as_slice()
        && one == two
    {
        colours = vec![None, None];
    }
    let mut free = PALETTE.iter().filter(|colour| !colours.contains(&Some(**colour))).collect::<Vec<_>>();
    free.reverse();
    let mut last = 0;
    let mut next = || {
        last += 1;
        free.pop().copied().unwrap_or(PALETTE[last % PALETTE.len()])
    };
    colours.into_iter().map(|colour| colour.unwrap_or_else(&mut next).to_owned()).collect()
}

/// Whether light ink is readable on `colour`, which is given as `#rrggbb`.
pub(crate) fn is_dark(colour: &str) -> bool {
    let part =
        |at: usize| colour.get(at..at + 2).and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or(0);
    30 * part(1) + 59 * part(3) + 11 * part(5) < 14_000
}

#[cfg(test)]
mod tests {
    use super::of_roles;

    #[test]
    fn a_role_without_a_colour_takes_no_colour_from_the_others() {
        let roles = ["red", "someone", "blue", "another"].map(str::to_owned);
        let colours = of_roles(&roles);
        assert_eq!((colours[0].as_str(), colours[2].as_str()), ("#d0393f", "#2f6fd0"));
        assert!((0..4).all(|a| (0..a).all(|b| colours[a] != colours[b])), "{colours:?}");
    }
}
