//! The fixtures of a tournament, which are its planned matches: an unbounded sequence, numbered from 0.
//!
//! Invariants: fixture `n` depends on the settings and on `n` alone. All runs of a tournament, resumed runs
//! and shards included, therefore have the same fixtures. An encounter is the matches of one group of
//! entrants from one opening, one match for each seating. A round is one encounter of each group. The matches
//! of an encounter are consecutive fixtures, and so are those of a round. In each complete round, every
//! player takes all roles of a game equally often, and meets the same opponents in each role.

use crate::digest::Digest;
use crate::entrants::{Contest, Entrant, Pairing};
use crate::seating::{combinations, seatings};
use ggp_game::rng::{Stream, mix};
use ggp_game::{Game, Role};

/// A match to be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// The index of the match in the plan, from 0.
    pub number: u64,
    /// The match id. It consists of the plan's fingerprint, the game, the round, the group and the seating.
    pub id: String,
    /// The index of the match's encounter in the plan, from 0.
    pub encounter: u64,
    /// The id of the encounter: the match id without the seating.
    pub encounter_id: String,
    /// The index of the match's game in the tournament's list of games ([`Contest`]), from 0.
    pub contest: usize,
    /// For each role, in role order, the index of the entrant that plays it. `None` for the role `random`.
    pub seats: Vec<Option<usize>>,
    /// The seed of the opening. All matches of one round in one game have the same opening.
    pub opening_seed: u64,
    /// The seed of the random choices of the match's players and referee.
    pub seed: u64,
}

/// The reason why a plan cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// There is no player, no game, or no role for a player to take. The text names what is missing.
    #[error("a tournament needs at least one {0}")]
    Nothing(&'static str),
    /// Two players or two games have the same name. Holds the word `players` or `games`, and that name.
    #[error("there are two {0} with the name `{1}`: give each a name of its own")]
    Twice(&'static str, String),
    /// There is only one entrant, but a game has several roles for players, so the entrant would play against
    /// itself.
    #[error("{player} would play against itself in {game}, which has {roles} roles: add a second player")]
    Alone {
        /// The name of the only player.
        player: String,
        /// The name of the game.
        game: String,
        /// The number of roles of the game, not counting the role `random`.
        roles: usize,
    },
    /// The name of a player or game is empty, or has a character that match ids do not allow. Holds the name.
    #[error("`{0}` is not a valid name: use letters, digits and . _ - + only")]
    BadName(String),
    /// A round has more encounters than allowed (`MAX_ROUND`).
    #[error("one round has more than {MAX_ROUND} encounters: take fewer players or games")]
    TooMany,
}

/// The maximum number of encounters in a round.
const MAX_ROUND: usize = 100_000;

/// A game and a set of entrants that play it together. The group plays one encounter in each round.
#[derive(Clone, Debug)]
struct Group {
    contest: usize,
    /// The index of the group among the groups of the same game, from 0.
    number: usize,
    members: Vec<usize>,
    /// The number of matches of the group in each round, one for each of its seatings.
    matches: u64,
    /// The index of the group's first match within a round, from 0.
    first: u64,
}

/// The fixtures of a tournament.
#[derive(Clone, Debug)]
pub struct Plan {
    fingerprint: String,
    seed: u64,
    /// The names of the games.
    names: Vec<String>,
    /// For each game and each of its roles, whether an entrant plays the role; false for the role `random`.
    roles: Vec<Vec<bool>>,
    groups: Vec<Group>,
    round: u64,
}

impl Plan {
    /// Makes the plan of the matches between `entrants` in `contests`. `rules` describes all other settings
    /// that the results depend on (clocks, openings, faults). `rules` becomes part of the fingerprint, so
    /// plans with different `rules` have different match ids.
    ///
    /// # Errors
    /// When there is no entrant, no game or no role for a player to take; when a name is invalid or not
    /// unique; when the only entrant would take several roles of a game; or when a round has too many
    /// encounters.
    pub fn new(
        entrants: &[Entrant],
        contests: &[Contest],
        pairing: Pairing,
        seed: u64,
        rules: &str,
    ) -> Result<Plan, PlanError> {
        check_names("players", "player", entrants.iter().map(|e| &e.name))?;
        check_names("games", "game", contests.iter().map(|c| &c.name))?;
        let mut plan = Plan {
            fingerprint: fingerprint(entrants, contests, pairing, seed, rules),
            seed,
            names: contests.iter().map(|c| c.name.clone()).collect(),
            roles: contests.iter().map(|c| played_roles(&c.game)).collect(),
            groups: Vec::new(),
            round: 0,
        };
        for (contest, roles) in plan.roles.iter().enumerate() {
            let seats = roles.iter().filter(|&&played| played).count();
            if let ([only], 2..) = (entrants, seats) {
                let (player, game) = (only.name.clone(), plan.names[contest].clone());
                return Err(PlanError::Alone { player, game, roles: seats });
            }
            let groups = combinations(entrants.len(), seats.min(entrants.len()), MAX_ROUND);
            let mut groups = groups.ok_or(PlanError::TooMany)?;
            if seats == 1 {
                // In a single-player game the matches of all entrants on one opening are one encounter.
                groups = vec![(0..entrants.len()).collect()];
            } else if pairing == Pairing::Gauntlet {
                groups.retain(|members| members.contains(&0));
            }
            for (number, members) in groups.into_iter().enumerate() {
                let matches = seatings(&members, seats, 0).len() as u64;
                plan.groups.push(Group { contest, number, members, matches, first: plan.round });
                plan.round += matches;
                if plan.groups.len() > MAX_ROUND {
                    return Err(PlanError::TooMany);
                }
            }
        }
        if plan.round == 0 {
            return Err(PlanError::Nothing("role that is played"));
        }
        Ok(plan)
    }

    /// The hash of all settings that the results depend on. It tells results of different tournaments apart.
    /// The number of matches, the shards and the number of matches that run at once are not part of it.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The number of matches in one round: all seatings of every encounter.
    pub fn round(&self) -> u64 {
        self.round
    }

    /// The smallest number of matches that is at least `wanted` and ends with a complete encounter.
    pub fn whole_encounters(&self, wanted: u64) -> u64 {
        let (rounds, rest) = (wanted / self.round, wanted % self.round);
        let ends = self.groups.iter().map(|group| group.first + group.matches);
        rounds * self.round
            + if rest == 0 { 0 } else { ends.min_by_key(|&end| (end < rest, end)).unwrap_or(rest) }
    }

    /// The index of the match with this id. `None` if the plan has no such match.
    pub fn number_of(&self, id: &str) -> Option<u64> {
        let (rest, seating) = id.rsplit_once(".s")?;
        let (rest, group) = rest.rsplit_once(".g")?;
        let (rest, round) = rest.rsplit_once(".r")?;
        let game = rest.strip_prefix(self.fingerprint.as_str())?.strip_prefix('.')?;
        let contest = self.names.iter().position(|name| name == game)?;
        let (seating, round): (u64, u64) = (seating.parse().ok()?, round.parse().ok()?);
        let wanted = (contest, group.parse().ok()?);
        let group = self.groups.get(self.groups.partition_point(|g| (g.contest, g.number) < wanted))?;
        if seating >= group.matches {
            return None;
        }
        let number = round.checked_mul(self.round)?.checked_add(group.first + seating)?;
        // Rejects ids that spell a number differently, such as with leading zeros.
        (self.fixture(number).id == id).then_some(number)
    }

    /// The index of the encounter to which the match with index `number` belongs.
    pub fn encounter(&self, number: u64) -> u64 {
        let (round, place) = (number / self.round, number % self.round);
        round * self.groups.len() as u64 + self.group_at(place) as u64
    }

    /// The index of the group that plays the match with index `place` within a round. Both indices count
    /// from 0.
    fn group_at(&self, place: u64) -> usize {
        self.groups.partition_point(|group| group.first <= place) - 1
    }

    /// The match with index `number`.
    pub fn fixture(&self, number: u64) -> Fixture {
        let (round, place) = (number / self.round, number % self.round);
        let group = &self.groups[self.group_at(place)];
        let roles = &self.roles[group.contest];
        let played = roles.iter().filter(|&&played| played).count();
        let seating = (place - group.first) as usize;
        let mut sitting = seatings(&group.members, played, round).swap_remove(seating).into_iter();
        let encounter_id =
            format!("{}.{}.r{round}.g{}", self.fingerprint, self.names[group.contest], group.number);
        let draw = |what: u64, number: u64| Stream::new(mix(self.seed.wrapping_add(what)), number).key();
        Fixture {
            number,
            id: format!("{encounter_id}.s{seating}"),
            encounter: self.encounter(number),
            encounter_id,
            contest: group.contest,
            seats: roles.iter().map(|&played| if played { sitting.next() } else { None }).collect(),
            opening_seed: draw(1 + group.contest as u64, round),
            seed: draw(0, number),
        }
    }
}

fn check_names<'a>(
    several: &'static str,
    one: &'static str,
    names: impl Iterator<Item = &'a String> + Clone,
) -> Result<(), PlanError> {
    for (position, name) in names.clone().enumerate() {
        let allowed = |c: char| c.is_alphanumeric() || "._-+".contains(c);
        if name.is_empty() || !name.chars().all(allowed) {
            return Err(PlanError::BadName(name.clone()));
        }
        if names.clone().take(position).any(|other| other == name) {
            return Err(PlanError::Twice(several, name.clone()));
        }
    }
    if names.count() == 0 { Err(PlanError::Nothing(one)) } else { Ok(()) }
}

fn fingerprint(
    entrants: &[Entrant],
    contests: &[Contest],
    pairing: Pairing,
    seed: u64,
    rules: &str,
) -> String {
    let mut digest = Digest::default();
    digest.add(format!("{pairing} {seed} {rules}").as_bytes());
    for entrant in entrants {
        digest.add(entrant.name.as_bytes());
        digest.add(entrant.spec.as_bytes());
    }
    for contest in contests {
        digest.add(contest.name.as_bytes());
        digest.add(&ggp_protocol::rules_line(&contest.game.description().source));
    }
    format!("{:012x}", digest.value() >> 16)
}

/// For each role, whether an entrant plays it; false for the role `random`.
fn played_roles(game: &Game) -> Vec<bool> {
    game.roles().map(|role: Role| !crate::is_nature(game, role)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::Arc;

    fn contest(name: &str, roles: &[&str]) -> Contest {
        let facts: Vec<String> =
            roles.iter().map(|r| format!("(role {r}) (legal {r} a) (goal {r} 50)")).collect();
        let rules = format!("{} (init x) (next x) (<= terminal (true x))", facts.concat());
        let game = Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap();
        Contest { name: name.to_owned(), game: Arc::new(game) }
    }

    fn entrants(count: usize) -> Vec<Entrant> {
        (0..count).map(|i| Entrant { name: format!("p{i}"), spec: "random".to_owned() }).collect()
    }

    fn plan(players: usize, roles: &[&[&str]], pairing: Pairing) -> Plan {
        let contests: Vec<Contest> =
            roles.iter().enumerate().map(|(i, roles)| contest(&format!("g{i}"), roles)).collect();
        Plan::new(&entrants(players), &contests, pairing, 7, "").unwrap()
    }

    /// How often each player has each role in one round. The keys are the indices of game, role and player.
    fn seats_taken(plan: &Plan) -> BTreeMap<(usize, usize, usize), usize> {
        let mut taken = BTreeMap::new();
        for number in 0..plan.round() {
            let fixture = plan.fixture(number);
            for (role, player) in fixture.seats.iter().enumerate() {
                if let Some(player) = player {
                    *taken.entry((fixture.contest, role, *player)).or_default() += 1;
                }
            }
        }
        taken
    }

    #[test]
    fn a_round_seats_everyone_everywhere_equally_often() {
        let games: [&[&str]; 5] =
            [&["a"], &["a", "b"], &["a", "b", "c"], &["a", "b", "c", "d"], &["random", "a", "b"]];
        for players in 2..=5 {
            let plan = plan(players, &games, Pairing::RoundRobin);
            let taken = seats_taken(&plan);
            for (game, roles) in games.iter().enumerate() {
                for (role, name) in roles.iter().enumerate() {
                    let counts: BTreeSet<usize> =
                        (0..players).map(|p| taken.get(&(game, role, p)).copied().unwrap_or(0)).collect();
                    assert_eq!(counts.len(), 1, "{players} players, game {game}, role {role}: {counts:?}");
                    assert_eq!(counts.contains(&0), *name == "random");
                }
            }
        }
    }

    #[test]
    fn a_gauntlet_is_the_first_against_the_others() {
        let plan = plan(4, &[&["a", "b"]], Pairing::Gauntlet);
        assert_eq!(plan.round(), 6);
        assert!((0..6).all(|n| plan.fixture(n).seats.contains(&Some(0))));
    }

    #[test]
    fn ids_are_different_and_openings_shared_within_a_round() {
        let plan = plan(3, &[&["a", "b"], &["a", "b"]], Pairing::RoundRobin);
        assert_eq!(plan.round(), 12);
        let fixtures: Vec<Fixture> = (0..36).map(|n| plan.fixture(n)).collect();
        let ids: BTreeSet<&str> = fixtures.iter().map(|f| f.id.as_str()).collect();
        assert_eq!(ids.len(), 36);
        let openings: BTreeSet<u64> = fixtures.iter().map(|f| f.opening_seed).collect();
        assert_eq!(openings.len(), 6, "one for each game and round");
        assert_eq!(fixtures[0].opening_seed, fixtures[5].opening_seed);
        assert_eq!(fixtures[1].encounter, 0);
        assert_eq!(fixtures[2].encounter, 1);
        assert_eq!(fixtures[12].encounter, 6);
        assert!(fixtures[0].id.ends_with(".g0.r0.g0.s0"), "{}", fixtures[0].id);
    }

    #[test]
    fn a_match_is_found_by_its_id() {
        let plan = plan(3, &[&["a"], &["a", "b"], &["a", "b", "c"]], Pairing::RoundRobin);
        for number in 0..5 * plan.round() {
            let fixture = plan.fixture(number);
            assert_eq!(plan.number_of(&fixture.id), Some(number), "{}", fixture.id);
            assert_eq!(plan.encounter(number), fixture.encounter);
        }
        let id = plan.fixture(5).id;
        for bad in [
            "",
            "x",
            &id[1..],
            &format!("{id}0"),
            &id.replace(".r0", ".r00"),
            &id.replace(".g1.", ".g7."),
            &id.replace(".r0", ".r99999999999999999999"),
            &id.replace(".r0", ".r18446744073709551615"),
        ] {
            assert_eq!(plan.number_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn nobody_plays_against_itself_alone() {
        let new = |roles: &[&str]| {
            Plan::new(&entrants(1), &[contest("g", roles)], Pairing::RoundRobin, 1, "")
                .map(|plan| plan.round())
        };
        assert_eq!(new(&["a"]), Ok(1));
        assert_eq!(new(&["random", "a"]), Ok(1));
        for (roles, count) in [(&["a", "b"][..], 2), (&["a", "b", "c"], 3)] {
            let alone = PlanError::Alone { player: "p0".to_owned(), game: "g".to_owned(), roles: count };
            assert_eq!(new(roles), Err(alone));
        }
    }

    #[test]
    fn a_number_of_matches_is_rounded_up_to_whole_encounters() {
        let plan = plan(3, &[&["a", "b"], &["a", "b", "c"]], Pairing::RoundRobin);
        assert_eq!(plan.round(), 6 + 6);
        let wanted: Vec<u64> = [0, 1, 2, 3, 6, 7, 12, 13].iter().map(|&n| plan.whole_encounters(n)).collect();
        assert_eq!(wanted, [0, 2, 2, 4, 6, 12, 12, 14]);
    }

    #[test]
    fn settings_make_the_fingerprint_and_bad_names_are_refused() {
        let one = [contest("g", &["a", "b"])];
        let new =
            |count, seed, rules| Plan::new(&entrants(count), &one, Pairing::RoundRobin, seed, rules).unwrap();
        let prints: BTreeSet<String> = [new(2, 1, ""), new(2, 2, ""), new(3, 1, ""), new(2, 1, "clock")]
            .iter()
            .map(|plan| plan.fingerprint().to_owned())
            .collect();
        assert_eq!(prints.len(), 4);
        let refuse =
            |entrants: &[Entrant]| Plan::new(entrants, &one, Pairing::RoundRobin, 1, "").unwrap_err();
        let named = |name: &str| Entrant { name: name.to_owned(), spec: String::new() };
        assert_eq!(refuse(&[]), PlanError::Nothing("player"));
        assert_eq!(refuse(&[named("a"), named("a")]), PlanError::Twice("players", "a".to_owned()));
        assert_eq!(refuse(&[named("a b")]), PlanError::BadName("a b".to_owned()));
        assert_eq!(
            Plan::new(&entrants(2), &[], Pairing::RoundRobin, 1, "").unwrap_err(),
            PlanError::Nothing("game")
        );
    }
}
