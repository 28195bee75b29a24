//! [`Search`]: a tree search on the state machine of a reasoner, whichever machine that is.

use crate::error::Error;
use crate::reasoner::{Reasoner, State, WithMachine};
use ggp_game::{EvalError, Fact, Playouts, Role, SearchReport, StateMachine, StopToken};
use ggp_search::{Halt, Lesson, Limits, MctsOptions, Solver};
use std::collections::HashSet;
use std::fmt::{self, Debug, Formatter};

/// A tree search that runs within limits, reports statistics of moves, and follows the moves of a match.
///
/// It runs on a clone of the reasoner's concrete machine. If the network is still being built, the search
/// starts on the interpreter. When the network is ready, the search changes over to it with an empty tree.
///
/// # Examples
/// ```
/// use ggp::{MctsOptions, Reasoner, Search, SearchLimits};
/// let rules = "(role a) (init (left 3)) (less 3 1 2) (less 3 2 1) (less 2 1 1) (less 2 2 0) (less 1 1 0)
///     (<= (legal a (take ?n)) (true (left ?m)) (less ?m ?n ?k))
///     (<= (next (left ?k)) (does a (take ?n)) (true (left ?m)) (less ?m ?n ?k))
///     (next moved) (<= terminal (true (left 0))) (<= terminal (true (left 1)) (true moved))
///     (<= (goal a 100) (true (left 0))) (<= (goal a 0) (not (true (left 0))))";
/// let game = ggp::parse(rules)?;
/// let role = game.role("a")?;
/// let options = MctsOptions { seed: Some(1), ..MctsOptions::default() };
/// let mut search = Search::new(&Reasoner::new(&game)?, &options)?;
/// search.run(&SearchLimits::iterations(100));
/// assert_eq!(search.best_move(role)?, "(take 1)");
/// search.advance(&["(take 1)"])?;
/// assert_eq!(search.facts()?[0].as_str(), "(left 2)");
/// # Ok::<(), ggp::Error>(())
/// ```
pub struct Search {
    reasoner: Reasoner,
    options: MctsOptions,
    inner: Box<dyn AnySearch>,
    /// The total number of iterations that `inner` reported when its current root was set. It is subtracted
    /// from later totals.
    before: u64,
    /// The lesson of [`Search::use_lesson`], which the search on the network gets too.
    lesson: Option<Lesson>,
}

/// A [`ggp_search::Search`] on a machine of any type. Its methods take and return moves as texts, and states
/// as lists of facts.
trait AnySearch: Send {
    fn run(&mut self, limits: &Limits) -> Halt;
    fn run_among(&mut self, limits: &Limits, role: Role, moves: &HashSet<&str>) -> Halt;
    fn run_for_move(&mut self, limits: &Limits, role: Role) -> Halt;
    fn run_part_for_move(&mut self, limits: &Limits, role: Role, spent: f64) -> Halt;
    fn best_move(&mut self, role: Role) -> Result<Option<String>, EvalError>;
    fn strategy(&mut self, role: Role) -> Result<Vec<(String, f64)>, EvalError>;
    fn report(&self, role: Role) -> SearchReport;
    fn advance(&mut self, joint: &[&str]) -> Result<(), Error>;
    fn restart(&mut self, facts: &[Fact]) -> Result<(), EvalError>;
    fn facts(&mut self) -> Result<Vec<Fact>, EvalError>;
    fn use_lesson(&mut self, lesson: &Lesson) -> Result<bool, EvalError>;
    fn iterations(&self) -> u64;
    fn nodes(&self) -> usize;
    fn interrupt_on(&mut self, stop: &StopToken);
}

impl<M: Playouts> AnySearch for ggp_search::Search<M> {
    fn run(&mut self, limits: &Limits) -> Halt {
        ggp_search::Search::run(self, limits)
    }

    fn run_among(&mut self, limits: &Limits, role: Role, moves: &HashSet<&str>) -> Halt {
        let (state, mut legal) = (self.state().clone(), Vec::new());
        let machine = self.machine();
        if let Err(error) = machine.legal_moves(&state, role, &mut legal) {
            return Halt::Failing(error);
        }
        legal.retain(|&mv| moves.contains(machine.move_text(mv)));
        ggp_search::Search::run_among(self, limits, role, &legal)
    }

    fn run_for_move(&mut self, limits: &Limits, role: Role) -> Halt {
        ggp_search::Search::run_for_move(self, limits, role)
    }

    fn run_part_for_move(&mut self, limits: &Limits, role: Role, spent: f64) -> Halt {
        ggp_search::Search::run_part_for_move(self, limits, role, spent)
    }

    fn best_move(&mut self, role: Role) -> Result<Option<String>, EvalError> {
        let mv = ggp_search::Search::best_move(self, role)?;
        Ok(mv.map(|mv| self.machine().move_text(mv).to_owned()))
    }

    fn strategy(&mut self, role: Role) -> Result<Vec<(String, f64)>, EvalError> {
        let strategy = ggp_search::Search::strategy(self, role)?;
        Ok(strategy.into_iter().map(|(mv, share)| (self.machine().move_text(mv).to_owned(), share)).collect())
    }

    fn report(&self, role: Role) -> SearchReport {
        ggp_search::Search::report(self, role)
    }

    fn advance(&mut self, joint: &[&str]) -> Result<(), Error> {
        let state = self.state().clone();
        let joint = self.machine().parse_legal_joint(&state, joint)?;
        Ok(ggp_search::Search::advance(self, &joint)?)
    }

    fn restart(&mut self, facts: &[Fact]) -> Result<(), EvalError> {
        let state = self.machine().state_of(facts)?;
        ggp_search::Search::restart(self, state)
    }

    fn facts(&mut self) -> Result<Vec<Fact>, EvalError> {
        let (state, mut facts) = (self.state().clone(), Vec::new());
        self.machine().facts(&state, &mut facts)?;
        Ok(facts)
    }

    fn use_lesson(&mut self, lesson: &Lesson) -> Result<bool, EvalError> {
        ggp_search::Search::use_lesson(self, lesson)
    }

    fn iterations(&self) -> u64 {
        ggp_search::Search::iterations(self)
    }

    fn nodes(&self) -> usize {
        ggp_search::Search::nodes(self)
    }

    fn interrupt_on(&mut self, stop: &StopToken) {
        self.machine().interrupt_on(stop);
    }
}

struct MakeSearch<'a> {
    options: &'a MctsOptions,
    facts: &'a [Fact],
}

impl WithMachine for MakeSearch<'_> {
    type Output = Result<Box<dyn AnySearch>, EvalError>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> Self::Output {
        let state = machine.state_of(self.facts)?;
        Ok(Box::new(ggp_search::Search::from_state(machine, self.options, state)?))
    }
}

impl Search {
    /// A search from the initial state.
    ///
    /// # Errors
    /// [`Error::HiddenInformation`] in a game with percepts; [`Error::Eval`] when the machine cannot evaluate the
    /// rules.
    pub fn new(reasoner: &Reasoner, options: &MctsOptions) -> Result<Search, Error> {
        // The state counts for the reasoner that made it: a clone may lack terms that the interpreter has met since.
        let mut reasoner = reasoner.clone();
        let initial = reasoner.initial_state()?;
        Search::from_state(&reasoner, options, &initial)
    }

    /// A search from `state`.
    ///
    /// # Errors
    /// See [`Search::new`].
    pub fn from_state(reasoner: &Reasoner, options: &MctsOptions, state: &State) -> Result<Search, Error> {
        refuse_percepts(reasoner)?;
        let mut reasoner = reasoner.clone();
        reasoner.poll();
        let facts = reasoner.facts_of(state)?;
        let inner = reasoner.with(MakeSearch { options, facts: &facts })?;
        Ok(Search { reasoner, options: options.clone(), inner, before: 0, lesson: None })
    }

    /// Changes over to the network if the network has become ready. Returns whether the change was made.
    fn poll(&mut self) -> Result<bool, EvalError> {
        if !self.reasoner.poll() {
            return Ok(false);
        }
        let facts = self.inner.facts()?;
        self.inner = self.reasoner.with(MakeSearch { options: &self.options, facts: &facts })?;
        self.before = 0;
        if let Some(lesson) = &self.lesson {
            self.inner.use_lesson(lesson)?;
        }
        Ok(true)
    }

    /// Searches until a limit is reached. If the only limit is one of iterations, and the search has a seed
    /// and one thread, the same run on the same state machine always has the same result.
    pub fn run(&mut self, limits: &Limits) -> Halt {
        match self.poll() {
            Ok(_) => self.inner.run(limits),
            Err(error) => Halt::Failing(error),
        }
    }

    /// Searches as [`Search::run`] does, and selects at the root only those moves of `role` that are among `moves`,
    /// as `searchmoves` of the protocol UCI does. The other moves keep their statistics. They are selected only
    /// when none of `moves` can win any more. Texts that are no legal moves have no effect.
    ///
    /// # Examples
    /// ```
    /// use ggp::{MctsOptions, Reasoner, Search, SearchLimits};
    /// let rules = "(role a) (legal a x) (legal a y) (legal a z) (init (left 3)) (less 3 2) (less 2 1) (less 1 0)
    ///     (<= (next (left ?k)) (true (left ?n)) (less ?n ?k)) (<= (next won) (does a z)) (<= (next won) (true won))
    ///     (<= terminal (true (left 0))) (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))";
    /// let game = ggp::parse(rules)?;
    /// let role = game.role("a")?;
    /// let mut search = Search::new(&Reasoner::new(&game)?, &MctsOptions::uct())?;
    /// search.run_among(&SearchLimits::iterations(50), role, &["x", "y"]);
    /// let visits = |mv| search.report(role).candidates.iter().find(|one| one.mv == mv).map(|one| one.visits);
    /// assert_eq!(visits("z"), Some(0));
    /// assert_eq!(visits("x").zip(visits("y")).map(|(x, y)| x + y), Some(50));
    /// # Ok::<(), ggp::Error>(())
    /// ```
    pub fn run_among(&mut self, limits: &Limits, role: Role, moves: &[impl AsRef<str>]) -> Halt {
        let moves = moves.iter().map(AsRef::as_ref).collect();
        match self.poll() {
            Ok(_) => self.inner.run_among(limits, role, &moves),
            Err(error) => Halt::Failing(error),
        }
    }

    /// Searches for the move that `role` plays next. In a game of two roles, at a state where only `role` has a choice, the
    /// search halves its moves round by round (sequential halving, Karnin, Koren & Somekh 2013): the last moves get most of
    /// the visits, and the others few. Elsewhere this is [`Search::run`], which is also the one to compare moves with.
    ///
    /// # Examples
    /// ```
    /// use ggp::{MctsOptions, Reasoner, Search, SearchLimits};
    /// let rules = "(role a) (role b) (init (free 1)) (init (free 2)) (init (free 3)) (init (free 4)) (init (turn a))
    ///     (<= (legal ?r (take ?n)) (true (turn ?r)) (true (free ?n))) (<= (legal a wait) (true (turn b)))
    ///     (<= (legal b wait) (true (turn a))) (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
    ///     (<= (next (free ?n)) (true (free ?n)) (not (does a (take ?n))) (not (does b (take ?n))))
    ///     (<= (next last) (does a (take 3))) (<= (next last) (true last)) (<= terminal (not any))
    ///     (<= any (true (free ?n))) (<= (goal a 100) (true last)) (<= (goal a 0) (not (true last)))
    ///     (<= (goal b 0) (true last)) (<= (goal b 100) (not (true last)))";
    /// let game = ggp::parse(rules)?;
    /// let role = game.role("a")?;
    /// let mut search = Search::new(&Reasoner::new(&game)?, &MctsOptions::default())?;
    /// search.run_for_move(&SearchLimits::iterations(200), role);
    /// assert_eq!(search.best_move(role)?, "(take 3)");
    /// # Ok::<(), ggp::Error>(())
    /// ```
    pub fn run_for_move(&mut self, limits: &Limits, role: Role) -> Halt {
        match self.poll() {
            Ok(_) => self.inner.run_for_move(limits, role),
            Err(error) => Halt::Failing(error),
        }
    }

    /// One part of a search for the move that `role` plays next, for a program that does something else between the parts,
    /// such as showing [`Search::report`]. `spent` is the share of the whole search that is over before this part, from 0 to
    /// 1; it decides which moves [`Search::run_for_move`] would search.
    pub fn run_part_for_move(&mut self, limits: &Limits, role: Role, spent: f64) -> Halt {
        match self.poll() {
            Ok(_) => self.inner.run_part_for_move(limits, role, spent),
            Err(error) => Halt::Failing(error),
        }
    }

    /// The text of the move that the search plays for `role`.
    ///
    /// # Errors
    /// [`Error::NoMove`] if the role has no legal move; another error if the machine cannot evaluate the
    /// rules.
    pub fn best_move(&mut self, role: Role) -> Result<String, Error> {
        let mv = self.inner.best_move(role)?;
        mv.ok_or_else(|| Error::NoMove(self.reasoner.game().role_name(role).to_owned()))
    }

    /// The strategy of `role` at the root: the texts of its legal moves, each with its probability. They sum to 1. Where two
    /// roles choose at once, it is the average strategy of regret matching near the end of the game. Further from the end, if
    /// the goals of both roles have a constant sum, it is an equilibrium of what the search knows of the joint moves (Bošanský
    /// et al. 2016). Elsewhere the move of [`Search::best_move`] has probability 1. Empty if the game is over.
    ///
    /// # Errors
    /// When the machine cannot evaluate the rules.
    ///
    /// # Examples
    /// ```
    /// use ggp::{MctsOptions, Reasoner, Search, SearchLimits};
    /// let rules = "(role even) (role odd) (side heads) (side tails) (<= (legal ?r ?s) (role ?r) (side ?s))
    ///     (<= (next same) (does even ?s) (does odd ?s)) (next shown) (<= terminal (true shown))
    ///     (<= (goal even 100) (true same)) (<= (goal even 0) (not (true same)))
    ///     (<= (goal odd 0) (true same)) (<= (goal odd 100) (not (true same)))";
    /// let game = ggp::parse(rules)?;
    /// let mut search = Search::new(&Reasoner::new(&game)?, &MctsOptions::default())?;
    /// search.run(&SearchLimits::iterations(2_000));
    /// for (side, probability) in search.strategy(game.role("even")?)? {
    ///     assert!((0.3..0.7).contains(&probability), "{side}");
    /// }
    /// # Ok::<(), ggp::Error>(())
    /// ```
    pub fn strategy(&mut self, role: Role) -> Result<Vec<(String, f64)>, EvalError> {
        self.inner.strategy(role)
    }

    /// The statistics of `role`'s moves. The preferred move comes first, then the others in descending order
    /// of visits. The number of iterations in the report counts only those since the root was set.
    pub fn report(&self, role: Role) -> SearchReport {
        let report = self.inner.report(role);
        SearchReport { iterations: report.iterations.saturating_sub(self.before), ..report }
    }

    /// The number of iterations since the root was set. The root is set when the search is created, by
    /// [`Search::advance`] and [`Search::restart`], and when the network takes over.
    pub fn iterations(&self) -> u64 {
        self.inner.iterations().saturating_sub(self.before)
    }

    /// Uses what `lesson` says of the game from now on, on a network and if the lesson has passed its tests
    /// ([`Lesson::is_used`]). If the network is still being built, the search uses the lesson when the network is
    /// ready. Returns whether the search uses it now.
    ///
    /// # Errors
    /// When the machine cannot evaluate the rules.
    pub fn use_lesson(&mut self, lesson: &Lesson) -> Result<bool, EvalError> {
        self.lesson = Some(lesson.clone());
        self.inner.use_lesson(lesson)
    }

    /// Makes every evaluation of rules end with [`EvalError::Interrupted`] soon after `stop` is raised.
    pub fn interrupt_on(&mut self, stop: &StopToken) {
        self.reasoner.interrupt_on(stop);
        self.inner.interrupt_on(stop);
    }

    /// Advances the root by `joint`, the texts of one joint move in role order. Keeps the part of the tree
    /// below the new root.
    ///
    /// # Errors
    /// When the joint move is not legal. The search does not change in that case.
    pub fn advance(&mut self, joint: &[impl AsRef<str>]) -> Result<(), Error> {
        let joint: Vec<&str> = joint.iter().map(AsRef::as_ref).collect();
        self.inner.advance(&joint)?;
        self.before = self.inner.iterations();
        Ok(())
    }

    /// Sets the root of the search to the state in which exactly `facts` are true. Keeps the part of the tree
    /// below that state.
    ///
    /// # Errors
    /// When the machine cannot evaluate the rules. The search does not change in that case.
    pub fn restart(&mut self, facts: &[Fact]) -> Result<(), EvalError> {
        self.inner.restart(facts)?;
        self.before = self.inner.iterations();
        Ok(())
    }

    /// The facts of the root's state, sorted bytewise.
    ///
    /// # Errors
    /// When the machine cannot evaluate the rules.
    pub fn facts(&mut self) -> Result<Vec<Fact>, EvalError> {
        self.inner.facts()
    }

    /// The number of nodes in the tree.
    pub fn nodes(&self) -> usize {
        self.inner.nodes()
    }

    /// The name of the machine on which the search runs: `datalog` or `propnet`.
    pub fn machine(&self) -> &'static str {
        self.reasoner.name()
    }
}

impl Debug for Search {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Search");
        shown.field("machine", &self.machine()).field("nodes", &self.nodes()).finish_non_exhaustive()
    }
}

/// Proven bounds of the highest goal that one role can guarantee from one state (its maximin value).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The proven lower bound: the role can guarantee at least this goal.
    pub low: u8,
    /// The proven upper bound: the role cannot exceed this goal against best play. If `low` and `high` are
    /// equal, they are the exact value.
    pub high: u8,
    /// A move that guarantees `low`. `None` if `low` is 0 or the role has no choice.
    pub best: Option<String>,
    /// The number of states that the proof has expanded.
    pub states: u64,
    /// The reason why the proof ended. [`Halt::Decided`] means that no more can be proved.
    pub halt: Halt,
}

/// Proves bounds of the highest goal that `role` can guarantee from `state`. The proof ends when one of
/// `limits` is reached. It uses at most `memory` bytes, not counting the memory of the state machine.
///
/// # Errors
/// [`Error::HiddenInformation`] in a game with percepts; [`Error::Eval`] when the machine cannot evaluate the
/// rules.
///
/// # Examples
/// ```
/// use ggp::{Reasoner, SearchLimits, StateMachine};
/// let rules = "(role a) (role b) (legal a x) (legal a y) (legal b x) (legal b y) (next over)
///     (<= (next same) (does a ?m) (does b ?m)) (<= terminal (true over))
///     (<= (goal a 100) (true same)) (<= (goal a 50) (not (true same))) (goal b 0)";
/// let mut reasoner = Reasoner::new(&ggp::parse(rules)?)?;
/// let state = reasoner.initial_state()?;
/// let role = reasoner.game().role("a")?;
/// let proof = ggp::solve(&reasoner, &state, role, 1 << 20, &SearchLimits::default())?;
/// assert_eq!((proof.low, proof.high), (50, 100), "b decides, and moves at the same time");
/// # Ok::<(), ggp::Error>(())
/// ```
pub fn solve(
    reasoner: &Reasoner,
    state: &State,
    role: Role,
    memory: usize,
    limits: &Limits,
) -> Result<Proof, Error> {
    refuse_percepts(reasoner)?;
    let facts = reasoner.clone().facts_of(state)?;
    Ok(reasoner.with(Prove { facts: &facts, role, memory, limits })?)
}

/// Refuses a game in which the roles do not see the joint moves.
fn refuse_percepts(reasoner: &Reasoner) -> Result<(), Error> {
    if reasoner.game().has_percepts() { Err(Error::HiddenInformation) } else { Ok(()) }
}

struct Prove<'a> {
    facts: &'a [Fact],
    role: Role,
    memory: usize,
    limits: &'a Limits,
}

impl WithMachine for Prove<'_> {
    type Output = Result<Proof, EvalError>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> Self::Output {
        let state = machine.state_of(self.facts)?;
        let mut solver = Solver::new(machine, state, self.role, self.memory);
        let halt = solver.run(self.limits);
        if let Halt::Failing(error) = halt {
            return Err(error);
        }
        let solution = solver.solution();
        let best = solution.best.map(|mv| solver.machine().move_text(mv).to_owned());
        Ok(Proof { low: solution.low, high: solution.high, best, states: solution.states, halt })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interpreter_searches_a_game_whose_initial_facts_follow_from_rules() {
        let rules = "(role you) (<= (init (left ?n)) (most ?n)) (most (s (s z))) (legal you go)
            (<= (next (left ?n)) (true (left (s ?n)))) (<= terminal (true (left z))) (goal you 100)";
        let game = crate::parse(rules).expect("rules");
        let mut search =
            Search::new(&Reasoner::interpreter(&game), &MctsOptions::default()).expect("a search");
        search.run(&Limits::iterations(3));
        assert_eq!(search.best_move(Role(0)).expect("a move"), "go");
    }

    #[test]
    fn games_of_hidden_information_are_refused() {
        let rules =
            "(role random) (role you) (legal random drop) (legal you listen) (<= (sees you click) (true on))
            (next on) (<= terminal (true on)) (goal random 0) (goal you 100)";
        let mut reasoner = Reasoner::new(&crate::parse(rules).expect("rules")).expect("a reasoner");
        let state = reasoner.initial_state().expect("a state");
        let search = Search::new(&reasoner, &MctsOptions::default());
        assert!(matches!(search, Err(Error::HiddenInformation)), "{search:?}");
        let proof = solve(&reasoner, &state, Role(1), 1 << 20, &Limits::default());
        assert!(matches!(proof, Err(Error::HiddenInformation)), "{proof:?}");
    }
}
