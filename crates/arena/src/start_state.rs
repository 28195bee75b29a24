//! The rules of a game that begins in a given state.
//!
//! All players, external programs included, learn the initial state only from the rules that they receive. A
//! match that begins in another state is therefore a match of a game with other rules.

use ggp_game::{Fact, Game};

/// The rules of `game` with the initial state `facts`. The text is the rulesheet of `game` without its `init`
/// rules, followed by a fact `(init …)` for each of `facts`. The caller parses and checks the text like any
/// rulesheet.
pub fn rules_from(game: &Game, facts: &[Fact]) -> Vec<u8> {
    let description = game.description();
    let mut rules = Vec::with_capacity(description.source.len());
    let mut copied = 0;
    for rule in &description.rules {
        // Several rules may come from one source rule, and then have the same span.
        if description.name(rule.head.relation) == "init" && rule.span.start >= copied {
            rules.extend_from_slice(&description.source[copied..rule.span.start]);
            copied = rule.span.end;
        }
    }
    rules.extend_from_slice(&description.source[copied..]);
    // The source may end in a comment without a newline.
    rules.push(b'\n');
    for fact in facts {
        rules.extend_from_slice(format!("(init {fact})\n").as_bytes());
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggp_game::{Interpreter, StateMachine};
    use std::sync::Arc;

    #[test]
    fn a_game_begins_where_it_is_told() {
        let source = "(role a) (init (at 1)) ; (init (at 9))
            (<= (init (gold ?x)) (or (p ?x) (q ?x))) (p 1) (q 2)
            (legal a go) (<= (next (at 3)) (does a go))
            (<= terminal (true (at 3))) (goal a 100) ; the end";
        let game = |text: &[u8]| Game::new(ggp_gdl::parse(text).unwrap()).unwrap();
        let first = game(source.as_bytes());
        let facts = [Fact::from_canonical("(at 2)"), Fact::from_canonical("(gold 7)")];
        let second = Arc::new(game(&rules_from(&first, &facts)));
        let mut machine = Interpreter::new(&second);
        let state = machine.initial_state().unwrap();
        let mut found = Vec::new();
        machine.facts(&state, &mut found).unwrap();
        assert_eq!(found, facts);
        // The replacement works on its own output.
        let third = game(&rules_from(&second, &facts[..1]));
        assert_eq!(third.description().source.windows(5).filter(|w| w == b"(init").count(), 2);
    }
}
