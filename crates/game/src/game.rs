//! A game: rules that have passed their checks, lowered to Datalog.

use crate::Role;
use ggp_gdl::Description;

/// A rulesheet that can be played. Exists only if its checks passed.
#[derive(Debug)]
pub struct Game {
    description: Description,
    roles: Vec<String>,
}

impl Game {
    /// The rules.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// How many roles there are: at least 1.
    pub fn role_count(&self) -> usize {
        self.roles.len()
    }

    /// The roles, in the order of the `role` facts.
    pub fn roles(&self) -> impl Iterator<Item = Role> + use<> {
        (0..self.roles.len() as u8).map(Role)
    }

    /// The canonical text of a role.
    pub fn role_name(&self, role: Role) -> &str {
        &self.roles[role.index()]
    }

    /// The role of that name: exact first, else by folded case if exactly one fits.
    pub fn role_named(&self, name: &str) -> Option<Role> {
        let exact = self.roles.iter().position(|r| r == name);
        let role = exact.or_else(|| {
            let mut folded = (0..self.roles.len()).filter(|&i| self.roles[i].eq_ignore_ascii_case(name));
            folded.next().filter(|_| folded.next().is_none())
        });
        role.map(|i| Role(i as u8))
    }
}
