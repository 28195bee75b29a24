//! Colours of roles and of things. A name gives a colour if it begins with the name of one. Roles without
//! such a name get colours of a palette that no other role has.

use crate::model::BoardModel;
use crate::position::Token;
use crate::stroke::stroke_owner;

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

impl BoardModel {
    /// Gives roles whose names say no colour the colours of the things that they own, if the names of these things say
    /// one each.
    pub(crate) fn paint(&mut self) {
        if self.roles.iter().any(|role| of_name(role).is_some()) {
            return;
        }
        let colour = |role: usize| {
            let owned = self.owners.iter().filter(|(name, owner)| **owner == role && is_name(name));
            let mut colours = owned.filter_map(|(name, _)| of_name(name));
            let first = colours.next()?;
            colours.all(|colour| colour == first).then(|| first.to_owned())
        };
        let colours: Option<Vec<String>> = (0..self.roles.len()).map(colour).collect();
        if let Some(colours) =
            colours.filter(|colours| (1..colours.len()).all(|n| !colours[..n].contains(&colours[n])))
        {
            self.colours = colours;
        }
    }

    /// The colour of the role or the thing `name`.
    pub(crate) fn colour_of(&self, name: &str) -> Option<&str> {
        let role = self.roles.iter().position(|role| role == name).or_else(|| self.owners.get(name).copied());
        of_name(name).or_else(|| self.colours.get(role?).map(String::as_str))
    }

    /// The colour of `token`. `None` if it has none.
    pub fn colour(&self, token: &Token) -> Option<&str> {
        let name = token.content.join(" ");
        let by_mark = || {
            let relation = &self.layers.get(token.layer).filter(|_| token.content.is_empty())?.relation;
            stroke_owner(self, relation)
        };
        if token.content.is_empty()
            && let [colour] = self.colours.as_slice()
            && self.layers.get(token.layer).is_some_and(|layer| layer.walker)
        {
            return Some(colour);
        }
        // The name of a colour says more than the colour of an owner whose name says none.
        let owned_by_colour = token.owner.is_some_and(|role| of_name(&self.roles[role]).is_some());
        if !owned_by_colour && let Some(colour) = token.content.iter().find(|value| is_name(value)) {
            return of_name(colour);
        }
        let owner = token.owner.or_else(by_mark).or_else(|| stroke_owner(self, &name));
        // A letter may stand for a team: for all roles with this initial, if they have one colour.
        let team = || {
            let initial = |role: &&String| {
                name.len() == 1 && role.to_ascii_lowercase().starts_with(&name.to_ascii_lowercase())
            };
            let mut colours = self
                .roles
                .iter()
                .zip(&self.colours)
                .filter(|(role, _)| initial(role))
                .map(|(_, colour)| colour);
            let first = colours.next()?;
            (of_name(&name).is_none() && colours.all(|colour| colour == first)).then_some(first)
        };
        match owner.and_then(|role| self.colours.get(role)).or_else(team) {
            Some(colour) => Some(colour),
            None => {
                token.content.iter().find_map(|value| of_name(value)).filter(|_| !self.blocks.contains(&name))
            }
        }
    }
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
