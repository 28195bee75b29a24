//! The squares that decided a match: where the facts lie from which the winner's goal follows.
//!
//! They come from the explanation of the goal ([`ggp::Explainer`]), so they are whatever the rules say: a line of four,
//! a chain between two sides, a man on the last rank, a king and the man that attacks it.

use crate::known::Known;
use crate::moment::Moment;
use ggp::{Because, Explainer, Explanation, Fact, Verdict};
use ggp_game::{Deadline, Watchdog};
use std::time::Duration;

/// The CPU time for one explanation.
const TIME: Duration = Duration::from_secs(2);

/// So many squares can decide, even if most men stand there, as in a line that is made early.
const FEW: usize = 6;

/// The numbers of the deciding squares of the terminal state `moment`, in ascending order. Empty when there is no single
/// winner, when the goal does not follow from a few men (as with a count of all men), or when the explanation takes too
/// long.
pub(crate) fn squares(known: &Known, moment: &Moment) -> Vec<usize> {
    let Some(atom) = winners_goal(known, moment) else { return Vec::new() };
    let dog = Watchdog::until(Deadline::never()).or_after_cpu_time(TIME);
    let explanation = dog.watch(|stop| {
        let mut explainer = Explainer::new(&known.game);
        explainer.interrupt_on(stop);
        explainer.load(&moment.facts, &[]).ok()?;
        explainer.explain(&atom).ok()
    });
    let mut facts = Vec::new();
    if !explanation.is_some_and(|explanation| collect(&explanation, &mut facts)) {
        return Vec::new();
    }
    let occupied = |facts: &[Fact]| -> Vec<usize> {
        let squares = known.model.place(facts).squares;
        squares.iter().enumerate().filter(|(_, men)| !men.is_empty()).map(|(square, _)| square).collect()
    };
    let found = occupied(&facts);
    let men = occupied(&moment.facts).len();
    let is_most = 2 * found.len() > men && found.len() > FEW;
    if found.len() == men || is_most { Vec::new() } else { found }
}

/// The atom of the goal of the only role that has the best result.
fn winners_goal(known: &Known, moment: &Moment) -> Option<String> {
    let game = &known.game;
    let scores = moment.scores();
    let rivals: Vec<_> = game
        .roles()
        .zip(&scores)
        .filter(|&(role, _)| game.nature() != Some(role))
        .filter_map(|(role, score)| score.map(|score| (role, score)))
        .collect();
    let &(winner, best) = rivals.iter().max_by_key(|(_, score)| *score)?;
    let is_alone = rivals.iter().filter(|(_, score)| *score == best).count() == 1;
    (moment.terminal && is_alone && best > 0).then(|| format!("(goal {} {best})", game.role_name(winner)))
}

/// Adds the facts of the state on which `explanation` rests. Returns whether it is whole.
fn collect(explanation: &Explanation, facts: &mut Vec<Fact>) -> bool {
    if explanation.verdict != Verdict::Holds {
        return true;
    }
    let fluent = explanation.text.strip_prefix("(true ").and_then(|rest| rest.strip_suffix(')'));
    if let (Because::State, Some(fluent)) = (explanation.because, fluent)
        && let Some(fact) = Fact::new(fluent)
    {
        facts.push(fact);
    }
    explanation.because != Because::Omitted && explanation.parts.iter().all(|part| collect(part, facts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggp::{Choice, Game, StopToken};
    use std::sync::Arc;

    /// The deciding squares of a state of an embedded game.
    fn decided(name: &str, facts: &str) -> Vec<usize> {
        let offers = crate::catalogue::embedded();
        let offer = offers.iter().find(|offer| offer.name == name).expect("it is there");
        let game = Arc::new(Game::new(ggp_gdl::parse(&offer.kif).expect("no errors")).expect("a game"));
        let stop = StopToken::new();
        let known = Known::prepare(name.to_owned(), true, game, None, Choice::Datalog, None, &stop)
            .expect("no errors");
        let facts = facts.split(',').map(|fact| Fact::new(fact).expect("a fact")).collect::<Vec<_>>();
        let moment = known
            .evaluate(|reasoner| Moment::from_facts(&facts, reasoner, &stop))
            .expect("the state can be evaluated");
        squares(&known, &moment)
    }

    #[test]
    fn a_line_decides_and_a_full_board_does_not() {
        let row = "(cell 1 1 x),(cell 2 1 x),(cell 3 1 x),(cell 1 2 o),(cell 2 2 o),(cell 1 3 o),(control o)";
        // Row 1 is the last of three.
        assert_eq!(decided("tic_tac_toe", row), [6, 7, 8]);
        let drawn = "(cell 1 1 x),(cell 2 1 o),(cell 3 1 x),(cell 1 2 x),(cell 2 2 o),(cell 3 2 o),(cell 1 3 o),(cell 2 3 x),(cell 3 3 x),(control o)";
        assert_eq!(decided("tic_tac_toe", drawn), [0; 0]);
    }
}
