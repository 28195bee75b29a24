//! The headline of a tournament's results. It names the players that have too many faults, and the stronger
//! of the two best players, if the evidence suffices.
//!
//! Invariant: the headline calls a player stronger only if the two players have at least [`REQUIRED_PAIRS`]
//! pairs of matches, from at least [`REQUIRED_PAIRS`] different encounters, and neither of them was at fault
//! in more than a tenth of its matches. An encounter is all matches of the same players in one game from one
//! opening.

use crate::elo::Hypothesis;
use crate::interval::Estimate;
use crate::summary::{PairSummary, PlayerSummary, REQUIRED_PAIRS, Summary};
use std::fmt::Write as _;

/// The smallest likelihood of superiority at which the headline calls a player stronger. A player reaches it
/// when no part of the two-sided 95 % interval of its Elo difference lies below 0.
const SETTLED: f64 = 0.975;

/// The limit of tolerated faults: one match with a fault in this number of matches. A player is often at
/// fault if it had a fault in more than the share `1 / TOLERATED` (a tenth) of its matches.
const TOLERATED: u64 = 10;

/// The doubt about matches that say nothing new.
const REPEATED: &str = "This is too little evidence: most pairs are the same matches again. Give --openings K, so that \
                        matches begin differently.";

impl PlayerSummary {
    /// Whether the player was at fault in more than a tenth of its matches.
    pub fn is_often_at_fault(&self) -> bool {
        TOLERATED * self.faulty_matches > self.entered
    }
}

impl Summary {
    /// The sentences of the headline. First, one sentence for each player that was often at fault. Then one
    /// sentence about the two best players, which calls one of them stronger only if the evidence suffices.
    /// The functions `name` and `elo` format a player's name and an Elo difference.
    pub fn headline(&self, name: &dyn Fn(&str) -> String, elo: &dyn Fn(Estimate) -> String) -> Vec<String> {
        let mut sentences: Vec<String> = Vec::new();
        for player in self.players.iter().filter(|player| player.is_often_at_fault()) {
            let (faulty, entered) = (player.faulty_matches, player.entered);
            let matches = if entered == 1 { "match" } else { "matches" };
            sentences
                .push(format!("{} was at fault in {faulty} of its {entered} {matches}.", name(&player.name)));
        }
        sentences.push(self.verdict(name, elo));
        sentences
    }

    fn verdict(&self, name: &dyn Fn(&str) -> String, elo: &dyn Fn(Estimate) -> String) -> String {
        if self.matches == self.unscored {
            return "No match was scored.".to_owned();
        }
        let (best, second) = match &self.players[..] {
            [only] => return format!("{} played alone.", name(&only.name)),
            [best, second, ..] => (best, second),
            [] => return "Nobody took part.".to_owned(),
        };
        let met = self.pairs.iter().find(|pair| pair.players == [best.name.clone(), second.name.clone()]);
        let Some((pair, difference)) = met.and_then(|pair| Some((pair, pair.difference?))) else {
            return format!(
                "The two best players, {} and {}, have not met.",
                name(&best.name),
                name(&second.name)
            );
        };
        let [first, other] = [name(&best.name), name(&second.name)];
        let counted = if pair.is_paired { pairs(pair) } else { matches(pair) };
        let doubt = doubt(pair, difference.superiority, best, second, self.accepted);
        let mut sentence = match doubt {
            None => format!("{first} is stronger than {other}"),
            Some(_) if difference.score.value > 0.5 => format!("{first} is ahead of {other}"),
            Some(_) if difference.score.value < 0.5 => {
                format!("{first} is rated above {other}, but behind in their own matches")
            }
            Some(_) => format!("{first} and {other} are level"),
        };
        let _ = write!(sentence, ": {} Elo in {counted}.", elo(difference.elo));
        if let Some(doubt) = doubt {
            let _ = write!(sentence, " {doubt}");
        }
        sentence
    }
}

/// The sentence that tells why the headline does not call the better of two players stronger. `None` if the
/// evidence suffices. `pair` sums up the comparisons of the two players. If a sequential test of the two has `accepted` a
/// hypothesis, more pairs are not needed, and the sentence tells the decision.
fn doubt(
    pair: &PairSummary,
    superiority: f64,
    best: &PlayerSummary,
    second: &PlayerSummary,
    accepted: Option<Hypothesis>,
) -> Option<String> {
    if best.is_often_at_fault() || second.is_often_at_fault() {
        return Some("With so many faults this says little about strength.".to_owned());
    }
    if !pair.is_paired {
        return Some(
            "This does not show who is stronger: most matches have no partner with the seats swapped."
                .to_owned(),
        );
    }
    let is_repeated = pair.different < REQUIRED_PAIRS.min(pair.pair_count() / 3);
    if is_repeated && accepted.is_some() {
        return Some(REPEATED.to_owned());
    }
    let doubt = if pair.pair_count() < REQUIRED_PAIRS {
        format!("This is too little evidence yet: at least {REQUIRED_PAIRS} pairs are needed.")
    } else if pair.encounters < REQUIRED_PAIRS {
        format!(
            "This is too little evidence yet: the pairs come from {} encounters, and at least {REQUIRED_PAIRS} are needed.",
            pair.encounters
        )
    } else if is_repeated {
        REPEATED.to_owned()
    } else if superiority < SETTLED {
        "This does not settle who is stronger: more pairs are needed.".to_owned()
    } else {
        return None;
    };
    Some(accepted.map_or(doubt, |hypothesis| format!("The sequential test has accepted {hypothesis:?}.")))
}

fn pairs(pair: &PairSummary) -> String {
    match pair.pair_count() {
        1 => "1 pair".to_owned(),
        count => format!("{count} pairs"),
    }
}

fn matches(pair: &PairSummary) -> String {
    match pair.wins + pair.draws + pair.losses {
        1 => "1 match".to_owned(),
        count => format!("{count} matches"),
    }
}

#[cfg(test)]
mod tests {
    use crate::comparison::tests::result;
    use crate::elo::Hypothesis;
    use crate::fault::{Fault, FaultKind};
    use crate::result::MatchResult;
    use crate::standings::Standings;
    use crate::summary::Summary;

    fn headline(results: &[MatchResult]) -> Vec<String> {
        headline_of(results, None)
    }

    fn headline_of(results: &[MatchResult], accepted: Option<Hypothesis>) -> Vec<String> {
        let mut standings = Standings::default();
        for result in results {
            standings.add(result);
        }
        let summary = Summary { accepted, ..standings.summary() };
        summary.headline(&|name| format!("<{name}>"), &|elo| format!("{:+.0}", elo.value))
    }

    /// `count` pairs of matches. In each pair, the first player wins one match and draws the other.
    fn pairs(count: usize) -> Vec<MatchResult> {
        let both = |encounter| {
            let name = format!("e{encounter}");
            [result(&name, 0, &[("good", 100), ("bad", 0)]), result(&name, 1, &[("bad", 50), ("good", 50)])]
        };
        (0..count).flat_map(both).collect()
    }

    #[test]
    fn a_player_is_stronger_from_thirty_pairs_on() {
        assert_eq!(headline(&pairs(30)), ["<good> is stronger than <bad>: +191 Elo in 30 pairs."]);
        let few = "<good> is ahead of <bad>: +191 Elo in 29 pairs. This is too little evidence yet: at least 30 pairs \
                   are needed.";
        assert_eq!(headline(&pairs(29)), [few]);
        let one = headline(&pairs(1));
        assert!(one[0].contains(" Elo in 1 pair. This is too little"), "{one:?}");
    }

    #[test]
    fn a_sequential_test_that_has_decided_needs_no_more_pairs() {
        for accepted in [Hypothesis::H0, Hypothesis::H1] {
            let told = format!(
                "<good> is ahead of <bad>: +191 Elo in 9 pairs. The sequential test has accepted {accepted:?}."
            );
            assert_eq!(headline_of(&pairs(9), Some(accepted)), [told]);
        }
        let enough = headline_of(&pairs(30), Some(Hypothesis::H1));
        assert_eq!(enough, ["<good> is stronger than <bad>: +191 Elo in 30 pairs."]);
        let mut repeated = pairs(9);
        for result in &mut repeated {
            result.moves_digest = "same".to_owned();
        }
        let said = headline_of(&repeated, Some(Hypothesis::H1));
        assert!(said[0].contains("most pairs are the same matches again"), "{said:?}");
    }

    #[test]
    fn the_same_matches_again_are_no_evidence() {
        let mut results = pairs(100);
        for result in &mut results {
            result.moves_digest = result.goals[0].map_or_else(String::new, |goal| goal.to_string());
        }
        let said = headline(&results);
        assert!(
            said[0].contains(
                " in 100 pairs. This is too little evidence: most pairs are the same matches again"
            ),
            "{said:?}"
        );
    }

    #[test]
    fn what_is_not_settled_is_not_called_stronger() {
        let mut results = Vec::new();
        for encounter in 0..40 {
            let name = format!("e{encounter}");
            let goals = if encounter < 21 { [100, 0] } else { [0, 100] };
            results.push(result(&name, 0, &[("a", goals[0]), ("b", goals[1])]));
            results.push(result(&name, 1, &[("b", goals[1]), ("a", goals[0])]));
        }
        let said = headline(&results);
        assert!(
            said[0].starts_with("<a> is ahead of <b>: +17 Elo in 40 pairs. This does not settle"),
            "{said:?}"
        );
        let level =
            headline(&[result("e", 0, &[("a", 50), ("b", 50)]), result("e", 1, &[("b", 50), ("a", 50)])]);
        assert!(level[0].contains("<a> and <b> are level: +0 Elo in 1 pair."), "{level:?}");
    }

    /// Two players take three roles, so every encounter has six matches, which are three pairs of these
    /// players.
    #[test]
    fn pairs_of_one_encounter_do_not_add_up_to_evidence() {
        let encounter = |number: usize| {
            let name = format!("e{number}");
            let seatings = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]];
            seatings.map(|seats| {
                let seats = seats.map(|player| [("good", 100), ("bad", 0)][player]);
                result(&name, 0, &seats)
            })
        };
        let results = |count: usize| -> Vec<MatchResult> { (0..count).flat_map(encounter).collect() };
        let said = headline(&results(29));
        assert!(
            said[0]
                .contains(" in 87 pairs. This is too little evidence yet: the pairs come from 29 encounters"),
            "{said:?}"
        );
        assert!(headline(&results(30))[0].starts_with("<good> is stronger than <bad>: "));
    }

    #[test]
    fn matches_without_swapped_seats_settle_nothing() {
        let results: Vec<MatchResult> =
            (0..500).map(|n| result(&format!("e{n}"), 0, &[("first", 100), ("second", 0)])).collect();
        let said = headline(&results);
        assert!(said[0].starts_with("<first> is ahead of <second>: "), "{said:?}");
        assert!(said[0].ends_with(" in 500 matches. This does not show who is stronger: most matches have no partner with the seats swapped."), "{said:?}");
    }

    #[test]
    fn more_than_a_tenth_of_matches_with_faults_is_named() {
        let faulty = |count: usize| {
            let mut results = pairs(50);
            for result in &mut results[..count] {
                let role = result.players.iter().position(|player| player.as_deref() == Some("bad")).unwrap();
                result.faults = vec![
                    Fault::new(role, 3, FaultKind::Crash, ""),
                    Fault::new(role, 4, FaultKind::Crash, ""),
                ];
            }
            headline(&results)
        };
        assert_eq!(faulty(10), ["<good> is stronger than <bad>: +191 Elo in 50 pairs."]);
        let many = [
            "<bad> was at fault in 11 of its 100 matches.",
            "<good> is ahead of <bad>: +191 Elo in 50 pairs. With so many faults this says little about strength.",
        ];
        assert_eq!(faulty(11), many);
        // Unscored matches count as well.
        let mut unplayed = result("e", 0, &[("good", 0), ("bad", 0)]);
        unplayed.ending = "unplayed".to_owned();
        unplayed.faults = vec![Fault::new(1, 0, FaultKind::Start, "silent")];
        assert_eq!(
            headline(&[unplayed]),
            ["<bad> was at fault in 1 of its 1 match.", "No match was scored."]
        );
    }

    #[test]
    fn who_is_alone_or_has_not_met_the_other_is_said() {
        assert_eq!(headline(&[]), ["No match was scored."]);
        assert_eq!(headline(&[result("e", 0, &[("a", 100)])]), ["<a> played alone."]);
        let apart = [result("e", 0, &[("a", 90)]), result("f", 0, &[("b", 80)])];
        assert_eq!(headline(&apart), ["The two best players, <a> and <b>, have not met."]);
    }
}
