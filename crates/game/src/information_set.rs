//! The information set of a role in a game of imperfect information (GDL-II): the states that are consistent
//! with the role's moves and percepts, and their probabilities when all other roles draw their moves uniformly
//! (Thielscher, "A General Game Description Language for Incomplete Information Games", 2010).
//!
//! The set is enumerated while it is small. A set that outgrows its bound becomes a particle filter: an
//! update draws some joint moves in each state, and systematic resampling reduces the states after these
//! moves to the bound. If few of the particles agree with the percepts, random walks add new particles
//! ([`walk`]). These walks repeat the role's moves and percepts from the start of the match.
//!
//! Invariants: the weights are positive and, unless the set is empty, sum to 1. An enumerated set holds exactly
//! the possible states. No state is terminal except the start, because a role is only told of turns after which
//! the match goes on.

mod knowledge;
mod walk;

pub use knowledge::Knowledge;

use self::walk::Walks;
use crate::rng::{Sequence, mix};
use crate::{EvalError, Fact, JointMoveError, Move, Observation, PlayError, Role, StateMachine};
use rustc_hash::FxHashMap;

/// The states of a match that one role considers possible.
///
/// # Examples
/// ```
/// use ggp_game::{Extent, Fact, Game, InformationSet, Interpreter, Observation, Role, StateMachine};
/// use std::sync::Arc;
/// // A coin falls; `you` hear it, but not on which side it lies.
/// let rules = b"(role random) (role you) (side heads) (side tails) (init falling) (legal you listen)
///     (<= (legal random (drop ?s)) (side ?s)) (<= (next (lies ?s)) (does random (drop ?s)))
///     (<= (sees you click) (true falling)) (<= terminal (true never)) (goal random 0) (goal you 0)";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
/// let mut machine = Interpreter::new(&game);
/// let mut set = InformationSet::initial(&mut machine, Role(1), 100).unwrap();
/// let seen = [Fact::from_canonical("click")];
/// let turn = Observation::Percepts { turn: 1, own: "listen", seen: &seen };
/// set.follow(&mut machine, turn, 7).unwrap();
/// assert_eq!((set.states().len(), set.extent()), (2, Extent::Enumerated));
/// let knowledge = set.knowledge(&mut machine).unwrap();
/// assert!(knowledge.certain.is_empty());
/// assert_eq!(knowledge.possible[0].0.as_str(), "(lies heads)");
/// ```
#[derive(Clone, Debug)]
pub struct InformationSet<M: StateMachine> {
    role: Role,
    /// The state in which the history begins. All roles know it.
    start: M::State,
    history: Vec<OwnTurn>,
    states: Vec<(M::State, f64)>,
    bound: usize,
    extent: Extent,
}

/// What a role knows of one turn: its own move and its percepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnTurn {
    /// The canonical text of the role's move.
    pub own: String,
    /// The role's percepts after the turn, sorted bytewise.
    pub seen: Vec<Fact>,
}

/// How the states of an information set relate to the possible states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The set holds all possible states with their exact probabilities.
    Enumerated,
    /// The set is a weighted sample of the possible states.
    Sampled,
}

/// A limit for an update that enumerates the set. The update may examine as many joint moves as this factor
/// times the bound of the set, plus one for each state in the set. If there are more, it draws a sample
/// instead.
const JOINT_MOVES: usize = 16;

/// An update that cannot examine all joint moves draws some at random: about as many as this factor times the
/// bound of the set.
const DRAWS: usize = 4;

/// If an update of a sampled set leaves fewer states than this share of the bound of the set, random walks
/// from the start of the match add new states.
const RENEWED_BELOW: f64 = 0.125;

impl<M: StateMachine> InformationSet<M> {
    /// The information set of `role` before the first move: the initial state. The set never keeps more than
    /// `bound` states; a bound of 0 counts as 1.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub fn initial(machine: &mut M, role: Role, bound: usize) -> Result<InformationSet<M>, EvalError> {
        Ok(InformationSet::certain(machine.initial_state()?, role, bound))
    }

    /// The information set of `role` in a state that all roles know. It never keeps more than `bound` states; a
    /// bound of 0 counts as 1.
    pub fn certain(state: M::State, role: Role, bound: usize) -> InformationSet<M> {
        let states = vec![(state.clone(), 1.0)];
        let (history, bound) = (Vec::new(), bound.max(1));
        InformationSet { role, start: state, history, states, bound, extent: Extent::Enumerated }
    }

    /// The largest bound for which an update takes at most `bytes` bytes of memory, if one state takes `each`
    /// bytes. The result is at least 1.
    pub fn bound_within(bytes: usize, each: usize) -> usize {
        // An update holds the kept states and the states of `Successors`, each in a list and as a key of a map.
        let held = (each + size_of::<(f64, usize)>()).saturating_mul(1 + 2 * (DRAWS + 2));
        (bytes / held).max(1)
    }

    /// The role whose information this is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The role's moves and percepts since the last turn in which the role observed all moves, or since the
    /// start if there was no such turn.
    pub fn history(&self) -> &[OwnTurn] {
        &self.history
    }

    /// The states with their probabilities, in a fixed order. Empty if no state that was found agrees with the
    /// percepts.
    pub fn states(&self) -> &[(M::State, f64)] {
        &self.states
    }

    /// Whether the set holds all possible states or only a sample of them.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Replaces `out` by the role's legal moves. By the definition of GDL-II these moves are the same in all
    /// possible states. If the rules violate that condition, `out` gets the legal moves in the most probable
    /// state. `out` becomes empty if the set is empty.
    ///
    /// # Errors
    /// When the rules cannot be evaluated.
    pub fn legal_moves(&self, machine: &mut M, out: &mut Vec<Move>) -> Result<(), EvalError> {
        out.clear();
        let likeliest = self.states.iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
        likeliest.map_or(Ok(()), |(state, _)| machine.legal_moves(state, self.role, out))
    }

    /// Draws a state with the random `bits`, according to the probabilities of the states. `None` if the set
    /// is empty.
    pub fn draw(&self, bits: u32) -> Option<&M::State> {
        let mut left = f64::from(bits) / 4_294_967_296.0;
        let drawn = self.states.iter().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        drawn.or(self.states.last()).map(|(state, _)| state)
    }

    /// Updates the information set with what the role is told before a turn. `seed` determines what is sampled;
    /// it should not depend on anything that the role cannot know.
    ///
    /// # Errors
    /// When a move is unknown, when no state that was found agrees with the observation, or when the rules cannot
    /// be evaluated. The information set is then unchanged.
    pub fn follow(&mut self, machine: &mut M, seen: Observation<'_>, seed: u64) -> Result<(), PlayError> {
        // A machine may parse only the moves that it has listed before.
        let mut legal = Vec::new();
        match seen {
            Observation::Start => Ok(()),
            Observation::Moves(texts) => {
                let Some((state, _)) = self.states.first().cloned() else { return Err(inconsistent()) };
                for role in machine.game().clone().roles() {
                    machine.legal_moves(&state, role, &mut legal)?;
                }
                let joint = machine.parse_joint(texts)?;
                let next = machine.next_state(&state, &joint)?;
                *self = InformationSet::certain(next, self.role, self.bound);
                Ok(())
            }
            Observation::Percepts { own, seen, .. } => {
                self.legal_moves(machine, &mut legal)?;
                let name = machine.game().role_name(self.role).to_owned();
                let own = machine.parse_move(own).ok_or_else(|| JointMoveError::unknown(&name, own))?;
                let mut next = self.clone();
                next.update(machine, own, seen, seed)?;
                if next.states.is_empty() {
                    return Err(inconsistent());
                }
                *self = next;
                Ok(())
            }
        }
    }

    /// Updates the information set after the role has made the move `own` and received the percepts `seen`, in a
    /// turn after which the match goes on. `seed` determines what is sampled. The set is empty afterwards if no
    /// state that was found agrees with the percepts.
    ///
    /// # Errors
    /// When the rules cannot be evaluated. The information set is then unchanged.
    pub fn update(&mut self, machine: &mut M, own: Move, seen: &[Fact], seed: u64) -> Result<(), EvalError> {
        let mut random = Sequence::new(mix(seed ^ self.history.len() as u64));
        let turn = OwnTurn { own: machine.move_text(own).to_owned(), seen: seen.to_vec() };
        let mut extent = self.extent;
        let mut next = self.successors(machine, own, seen, None)?;
        if next.is_none() {
            extent = Extent::Sampled;
            next = self.successors(machine, own, seen, Some(&mut random))?;
        }
        let mut states = next.map(|next| next.order).unwrap_or_default();
        self.history.push(turn);
        if extent == Extent::Sampled {
            reduce(&mut states, self.bound, &mut random);
            if (states.len() as f64) < RENEWED_BELOW * self.bound as f64 {
                let walks = Walks { role: self.role, start: &self.start, history: &self.history };
                let wanted = self.bound - states.len();
                match walks.states(machine, wanted, &mut random) {
                    Ok(walked) => states = merge(states, walked),
                    Err(error) => {
                        self.history.pop();
                        return Err(error);
                    }
                }
            }
        }
        normalise(&mut states);
        (self.states, self.extent) = (states, extent);
        Ok(())
    }

    /// The states after a turn in which the role makes the move `own` and receives the percepts `seen`. Without
    /// `random`, the function examines every joint move and returns all such states; it returns `None` if there
    /// are too many states or joint moves. With `random`, it examines joint moves that it draws in each state of
    /// the set, and draws more of them in a more probable state, in proportion to the probability.
    fn successors(
        &self,
        machine: &mut M,
        own: Move,
        seen: &[Fact],
        mut random: Option<&mut Sequence>,
    ) -> Result<Option<Successors<M>>, EvalError> {
        let mut next = Successors { states: FxHashMap::default(), order: Vec::new() };
        let mut examined = 0;
        for (state, weight) in &self.states {
            let Some(choices) = choices(machine, state, (self.role, own))? else { continue };
            let count = choices.iter().fold(1usize, |count, legal| count.saturating_mul(legal.len()));
            let mut drawn = count;
            if random.is_some() {
                drawn = drawn.min(((DRAWS * self.bound) as f64 * weight).ceil() as usize);
            } else {
                examined = count.saturating_add(examined);
                if examined > JOINT_MOVES * self.bound + self.states.len() {
                    return Ok(None);
                }
            }
            let (mut joint, mut percepts) = (vec![Move(0); choices.len()], Vec::new());
            for number in 0..drawn {
                let mut rest = number;
                for (mv, legal) in joint.iter_mut().zip(&choices) {
                    let at = match &mut random {
                        Some(random) if drawn < count => random.below(legal.len()),
                        _ => rest % legal.len(),
                    };
                    rest /= legal.len();
                    *mv = legal[at];
                }
                machine.percepts(state, &joint, self.role, &mut percepts)?;
                if percepts == seen {
                    let after = machine.next_state(state, &joint)?;
                    if !machine.is_terminal(&after)? {
                        next.insert(after, weight / drawn as f64);
                    }
                }
            }
            if random.is_none() && next.order.len() > self.bound {
                return Ok(None);
            }
        }
        Ok(Some(next))
    }
}

/// The moves of each role that are possible in `state`: for `role` only the move `own`, for every other role
/// its legal moves. `None` if `own` is not legal in `state`, or if another role has no legal move there. In
/// both cases the match cannot have reached `state`.
fn choices<M: StateMachine>(
    machine: &mut M,
    state: &M::State,
    (role, own): (Role, Move),
) -> Result<Option<Vec<Vec<Move>>>, EvalError> {
    let mut choices: Vec<Vec<Move>> = Vec::new();
    for other in machine.game().clone().roles() {
        let mut legal = Vec::new();
        machine.legal_moves(state, other, &mut legal)?;
        if other == role {
            legal.retain(|&mv| mv == own);
        }
        if legal.is_empty() {
            return Ok(None);
        }
        choices.push(legal);
    }
    Ok(Some(choices))
}

/// The states after a turn, as far as they have been found, in the order in which they were found.
struct Successors<M: StateMachine> {
    /// The index of each state in `order`.
    states: FxHashMap<M::State, usize>,
    order: Vec<(M::State, f64)>,
}

impl<M: StateMachine> Successors<M> {
    fn insert(&mut self, state: M::State, weight: f64) {
        if let Some(&at) = self.states.get(&state) {
            self.order[at].1 += weight;
        } else {
            self.states.insert(state.clone(), self.order.len());
            self.order.push((state, weight));
        }
    }
}

/// Reduces `states` to at most `bound` by systematic resampling (Kitagawa 1996): the expected new weight of a
/// state is its old one. Fewer states than the bound stay as they are.
fn reduce<S>(states: &mut Vec<(S, f64)>, bound: usize, random: &mut Sequence) {
    if states.len() <= bound {
        return;
    }
    normalise(states);
    let mut next = random.between(0.0..1.0);
    let mut passed = 0.0;
    states.retain_mut(|(_, weight)| {
        passed += *weight * bound as f64;
        let mut copies = 0.0;
        while next < passed {
            copies += 1.0;
            next += 1.0;
        }
        *weight = copies;
        copies > 0.0
    });
    states.truncate(bound);
}

/// The union of two samples of states. Each sample counts in proportion to its number of states.
fn merge<S: Clone + Eq + std::hash::Hash>(mut one: Vec<(S, f64)>, mut other: Vec<(S, f64)>) -> Vec<(S, f64)> {
    for sample in [&mut one, &mut other] {
        let count = sample.len() as f64;
        normalise(sample);
        for (_, weight) in sample {
            *weight *= count;
        }
    }
    let mut index: FxHashMap<S, usize> =
        one.iter().cloned().enumerate().map(|(at, (s, _))| (s, at)).collect();
    for (state, weight) in other {
        if let Some(&at) = index.get(&state) {
            one[at].1 += weight;
        } else {
            index.insert(state.clone(), one.len());
            one.push((state, weight));
        }
    }
    one
}

/// Scales the weights so that they sum to 1.
fn normalise<S>(states: &mut [(S, f64)]) {
    let sum: f64 = states.iter().map(|(_, weight)| weight).sum();
    for (_, weight) in states {
        *weight /= sum;
    }
}

fn inconsistent() -> PlayError {
    PlayError::Unable("no possible state agrees with the observations".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Interpreter};
    use std::sync::Arc;

    /// The rules of a game in which a prize is behind one of three doors. The seer picks a door, and the host
    /// opens another one without the prize.
    const DOORS: &str = "
        (role random) (role seer) (door 1) (door 2) (door 3) (init hiding)
        (<= chosen (true (picked ?d)))
        (<= (legal random (hide ?d)) (door ?d) (true hiding))
        (<= (legal random (open ?d)) (door ?d) (true (picked ?p)) (distinct ?d ?p) (not (true (prize ?d))))
        (<= (legal random idle) (not (true hiding)) (not chosen))
        (<= (legal seer idle) (true hiding))
        (<= (legal seer (pick ?d)) (door ?d) (not (true hiding)))
        (<= (next (prize ?d)) (does random (hide ?d)))
        (<= (next (prize ?d)) (true (prize ?d)))
        (<= (next (picked ?d)) (does seer (pick ?d)))
        (<= (sees seer (opened ?d)) (does random (open ?d)))
        (<= terminal (true over)) (<= (goal ?r 50) (role ?r))";

    fn doors() -> Interpreter {
        Interpreter::new(&Arc::new(Game::new(ggp_gdl::parse(DOORS.as_bytes()).unwrap()).unwrap()))
    }

    fn own(machine: &mut Interpreter, set: &InformationSet<Interpreter>, text: &str) -> Move {
        let mut legal = Vec::new();
        set.legal_moves(machine, &mut legal).unwrap();
        legal.into_iter().find(|&mv| machine.move_text(mv) == text).unwrap()
    }

    #[test]
    fn the_other_door_is_twice_as_likely() {
        let mut machine = doors();
        let seer = Role(1);
        let mut set = InformationSet::initial(&mut machine, seer, 100).unwrap();
        for (text, seen) in [("idle", &[][..]), ("(pick 1)", &[]), ("(pick 1)", &["(opened 3)"])] {
            let mv = own(&mut machine, &set, text);
            let seen: Vec<Fact> = seen.iter().map(|&s| Fact::from_canonical(s)).collect();
            set.update(&mut machine, mv, &seen, 1).unwrap();
        }
        assert_eq!(set.extent(), Extent::Enumerated);
        let mut found = Vec::new();
        for (state, weight) in set.states() {
            let mut facts = Vec::new();
            machine.facts(state, &mut facts).unwrap();
            let prize = facts.iter().find(|fact| fact.functor() == "prize").unwrap().as_str().to_owned();
            found.push((prize, (weight * 3000.0).round() as u32));
        }
        found.sort();
        assert_eq!(found, [("(prize 1)".to_owned(), 1000), ("(prize 2)".to_owned(), 2000)]);
        let draws = (0..3000u32).filter(|i| set.draw(i * 1_431_655) == Some(&set.states()[0].0)).count();
        assert!((900..2100).contains(&draws));
    }

    #[test]
    fn what_cannot_have_been_seen_leaves_no_state_and_the_bound_holds() {
        let mut machine = doors();
        let mut set = InformationSet::initial(&mut machine, Role(1), 2).unwrap();
        let idle = own(&mut machine, &set, "idle");
        set.update(&mut machine, idle, &[], 1).unwrap();
        assert_eq!((set.states().len(), set.extent()), (2, Extent::Sampled));
        let pick = own(&mut machine, &set, "(pick 2)");
        set.update(&mut machine, pick, &[Fact::from_canonical("thunder")], 1).unwrap();
        assert!(set.states().is_empty() && set.draw(0).is_none());
    }

    /// The rules of a game in which a left and a right digit are hidden from the seer. In each turn the seer
    /// asks for one of the two digits and perceives it, but perceives nothing in the first turn.
    const DIGITS: &str = "
        (role random) (role seer) (init hiding)
        (digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
        (<= (legal random (hide ?a ?b)) (digit ?a) (digit ?b) (true hiding))
        (<= (legal random idle) (not (true hiding)))
        (legal seer left) (legal seer right)
        (<= (next (left ?a)) (does random (hide ?a ?b)))
        (<= (next (right ?b)) (does random (hide ?a ?b)))
        (<= (next (left ?a)) (true (left ?a)))
        (<= (next (right ?b)) (true (right ?b)))
        (<= (sees seer ?a) (does seer left) (true (left ?a)))
        (<= (sees seer ?b) (does seer right) (true (right ?b)))
        (<= terminal (true over)) (<= (goal ?r 50) (role ?r))";

    /// The seer's information set after `turns`, with the machine that made it. A turn is the seer's move
    /// and its percepts.
    fn after(
        turns: &[(&str, &[&str])],
        bound: usize,
        seed: u64,
    ) -> (Interpreter, InformationSet<Interpreter>) {
        let game = Game::new(ggp_gdl::parse(DIGITS.as_bytes()).unwrap()).unwrap();
        let mut machine = Interpreter::new(&Arc::new(game));
        let mut set = InformationSet::initial(&mut machine, Role(1), bound).unwrap();
        for (number, (own, seen)) in turns.iter().enumerate() {
            let seen: Vec<Fact> = seen.iter().map(|&text| Fact::from_canonical(text)).collect();
            let turn = number as u32 + 1;
            set.follow(&mut machine, Observation::Percepts { turn, own, seen: &seen }, seed).unwrap();
        }
        (machine, set)
    }

    #[test]
    fn all_states_are_kept_while_they_fit() {
        let (mut machine, set) = after(&[("left", &[]), ("left", &["3"])], 100, 1);
        assert_eq!((set.states().len(), set.extent()), (10, Extent::Enumerated));
        let knowledge = set.knowledge(&mut machine).unwrap();
        assert_eq!(knowledge.certain, [Fact::from_canonical("(left 3)")]);
        assert_eq!(knowledge.possible.len(), 10);
        for (number, (fact, share)) in knowledge.possible.iter().enumerate() {
            assert_eq!(fact.as_str(), format!("(right {number})"));
            assert!((share - 0.1).abs() < 1e-9);
        }
        assert_eq!(set.history()[1].own, "left");
    }

    #[test]
    fn a_sample_has_the_shares_of_the_possible_states() {
        // Of 100 states, 50 are kept in each of 200 samples: each left digit has 5 of them in the mean.
        let mut shares = [0.0; 10];
        for seed in 0..200 {
            let (mut machine, set) = after(&[("left", &[])], 50, seed);
            assert_eq!(set.extent(), Extent::Sampled);
            assert!((30..=50).contains(&set.states().len()), "{}", set.states().len());
            assert!((set.states().iter().map(|state| state.1).sum::<f64>() - 1.0).abs() < 1e-9);
            for (fact, share) in set.knowledge(&mut machine).unwrap().possible {
                if let Some(digit) = fact.as_str().strip_prefix("(left ") {
                    shares[digit[..1].parse::<usize>().unwrap()] += share / 200.0;
                }
            }
        }
        // The standard deviation of a mean share is at most 0.003.
        assert!(shares.iter().all(|share| (share - 0.1).abs() < 0.015), "{shares:?}");
    }

    #[test]
    fn a_sample_that_the_percepts_refute_is_renewed() {
        // 20 of 100 states are kept; those with a certain left and right digit are mostly not among them.
        for seed in 0..20 {
            let turns: [(&str, &[&str]); 3] = [("left", &[]), ("left", &["7"]), ("right", &["4"])];
            let (mut machine, set) = after(&turns, 20, seed);
            assert_eq!(set.extent(), Extent::Sampled);
            let knowledge = set.knowledge(&mut machine).unwrap();
            let known: Vec<&str> = knowledge.certain.iter().map(Fact::as_str).collect();
            assert_eq!(known, ["(left 7)", "(right 4)"], "seed {seed}");
        }
    }

    #[test]
    fn what_disagrees_is_an_error_and_changes_nothing() {
        let (mut machine, mut set) = after(&[("left", &[]), ("left", &["3"])], 100, 1);
        let seen = [Fact::from_canonical("4")];
        let turn = Observation::Percepts { turn: 3, own: "left", seen: &seen };
        let error = set.follow(&mut machine, turn, 1).unwrap_err();
        assert_eq!(error.to_string(), "no possible state agrees with the observations");
        assert_eq!((set.states().len(), set.history().len()), (10, 2));
        let turn = Observation::Percepts { turn: 3, own: "sideways", seen: &seen };
        let error = set.follow(&mut machine, turn, 1).unwrap_err();
        assert!(error.to_string().contains("`sideways` is not a move of seer"), "{error}");
    }
}
