//! The least fixpoint of argument domains.
//!
//! A worklist holds the rules that may add something. When the domain of a place grows, the rules that read
//! this place, or a place around it, go on the list again.

use super::clause::{Clause, Clauses, Give, Need, Variable};
use super::{ANYTHING, Domains, Holder, MAX_DEPTH, MAX_DOMAIN, MAX_FUNCTIONS, Place};
use crate::Symbol;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The maximum number of steps of one fixpoint. A step looks at one need, or at one value of one domain. The
/// largest published rulesheet takes about a hundredth of it.
const WORK: usize = 5_000_000;

/// What a fixpoint takes for granted. The default takes nothing for granted.
#[derive(Clone, Default, Debug)]
pub(crate) struct Assumptions {
    /// Whether every rule fires.
    pub(crate) all_fire: bool,
    /// Conditions that are taken to hold, each as the index of its rule and of the literal in the body.
    pub(crate) holding: FxHashSet<(usize, usize)>,
    /// Constants that can stand at a place in any case.
    pub(crate) given: Vec<(Place, Symbol)>,
    /// Parts of heads that are ignored, each with the index of the rule.
    pub(crate) ignored: FxHashSet<(usize, Give)>,
}

/// The reason why a rule may not fire.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// Condition `literal` needs something that nothing gives.
    Need { literal: usize, need: Need },
    /// No value can stand at all places of the variable in positive conditions.
    Variable(Variable),
    /// Condition `literal` never holds: it states that a term differs from itself.
    Never { literal: usize },
}

/// The state of one computation of the fixpoint.
struct Fixpoint<'a> {
    clauses: &'a Clauses,
    assumed: &'a Assumptions,
    domains: Domains,
    /// For each place of the rules, the clauses that read it.
    readers: Vec<Vec<u32>>,
    /// For each relation, the clauses that need it.
    users: Vec<Vec<u32>>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    work: usize,
}

impl Clauses {
    /// Computes the least domains in which every rule that may fire gives its values.
    pub(crate) fn settle(&self, assumed: &Assumptions) -> Domains {
        let mut readers = vec![Vec::new(); self.empty.nodes.len()];
        let mut users = vec![Vec::new(); self.relations];
        for (number, clause) in self.all.iter().enumerate() {
            for (_, need) in &clause.needs {
                match *need {
                    Need::Relation(relation) => users[relation].push(number as u32),
                    Need::Constant(place, _) | Need::Function(place, _) => {
                        readers[place.0 as usize].push(number as u32);
                    }
                }
            }
            for &(_, place) in clause.variables.iter().flat_map(|variable| &variable.from) {
                readers[place.0 as usize].push(number as u32);
            }
        }
        for list in &mut readers {
            list.dedup();
        }
        let mut fixpoint = Fixpoint {
            clauses: self,
            assumed,
            domains: Domains { holds: vec![false; self.relations], ..self.empty.clone() },
            readers,
            users,
            queue: (0..self.all.len() as u32).collect(),
            queued: vec![true; self.all.len()],
            work: WORK,
        };
        fixpoint.run();
        let mut domains = fixpoint.domains;
        for node in &mut domains.nodes {
            node.functions.sort_unstable();
        }
        domains
    }

    /// The reason why the rule with the index `rule` may not fire in `domains`; `None` if there is none.
    pub(crate) fn failure(&self, domains: &Domains, assumed: &Assumptions, rule: usize) -> Option<Failure> {
        let clause = &self.all[rule];
        if let Some(literal) = clause.never {
            return Some(Failure::Never { literal });
        }
        let lacks = |&&(literal, need): &&(usize, Need)| {
            !assumed.holding.contains(&(rule, literal)) && !domains.meets(need)
        };
        if let Some(&(literal, need)) = clause.needs.iter().find(lacks) {
            return Some(Failure::Need { literal, need });
        }
        let empty = |variable: &&Variable| !domains.has_value(&sources(assumed, rule, variable));
        clause.variables.iter().find(empty).cloned().map(Failure::Variable)
    }
}

/// The places of a variable in those positive conditions of a rule that are not taken to hold anyway, each once.
fn sources(assumed: &Assumptions, rule: usize, variable: &Variable) -> Vec<Place> {
    let mut known = FxHashSet::default();
    let counts = |&&(literal, place): &&(usize, Place)| {
        !assumed.holding.contains(&(rule, literal)) && known.insert(place)
    };
    variable.from.iter().filter(counts).map(|&(_, place)| place).collect()
}

impl Domains {
    pub(super) fn has_constant(&self, place: Place, constant: Symbol) -> bool {
        self.node(place).constants.binary_search(&constant).is_ok() || self.is_open(place)
    }

    pub(super) fn has_function(&self, place: Place, function: (Symbol, usize)) -> bool {
        self.node(place).functions.contains(&function) || self.is_open(place)
    }

    /// Whether `need` can be met.
    pub(crate) fn meets(&self, need: Need) -> bool {
        match need {
            Need::Relation(relation) => self.holds[relation],
            Need::Constant(place, constant) => self.has_constant(place, constant),
            Need::Function(place, function) => self.has_function(place, function),
        }
    }

    /// Whether some term can stand at all of `places`.
    pub(crate) fn has_value(&self, places: &[Place]) -> bool {
        let closed: Vec<Place> = places.iter().copied().filter(|&place| !self.is_open(place)).collect();
        let Some(&smallest) = closed.iter().min_by_key(|&&place| self.node(place).constants.len()) else {
            return true;
        };
        let all = |has: &dyn Fn(Place) -> bool| closed.iter().all(|&place| has(place));
        self.node(smallest).constants.iter().any(|&c| all(&|place| self.has_constant(place, c)))
            || self.node(closed[0]).functions.iter().any(|&f| all(&|place| self.has_function(place, f)))
    }
}

impl Fixpoint<'_> {
    fn run(&mut self) {
        for &(place, constant) in &self.assumed.given {
            self.add_constant(place, constant);
        }
        while let Some(number) = self.queue.pop_front() {
            let number = number as usize;
            self.queued[number] = false;
            let clause = &self.clauses.all[number];
            if !self.domains.fires[number] {
                if !self.may_fire(number, clause) {
                    continue;
                }
                self.domains.fires[number] = true;
                if !std::mem::replace(&mut self.domains.holds[clause.relation], true) {
                    let users = std::mem::take(&mut self.users[clause.relation]);
                    for user in users {
                        self.enqueue(user);
                    }
                }
                for &give in &clause.gives {
                    if self.assumed.ignored.contains(&(number, give)) {
                        continue;
                    }
                    match give {
                        Give::Constant(place, constant) => self.add_constant(place, constant),
                        Give::Function(place, function) => self.add_function(place, function),
                    }
                }
            }
            for variable in clause
                .variables
                .iter()
                .filter(|variable| !variable.to.is_empty() && !variable.from.is_empty())
            {
                let from = sources(self.assumed, number, variable);
                for &to in &variable.to {
                    self.pour(&from, to);
                }
            }
            if self.work == 0 {
                self.give_up();
                return;
            }
        }
    }

    /// Whether all needs of a clause are met and each of its variables has a value.
    fn may_fire(&mut self, number: usize, clause: &Clause) -> bool {
        self.work = self.work.saturating_sub(1 + clause.needs.len() + clause.variables.len());
        if self.assumed.all_fire {
            return true;
        }
        let is_met = |&(literal, need): &(usize, Need)| {
            self.assumed.holding.contains(&(number, literal)) || self.domains.meets(need)
        };
        if clause.never.is_some() || !clause.needs.iter().all(is_met) {
            return false;
        }
        for variable in &clause.variables {
            let from = sources(self.assumed, number, variable);
            let smallest = from.iter().map(|&place| self.domains.node(place).constants.len()).min();
            self.work = self.work.saturating_sub(smallest.unwrap_or(0) * from.len());
            if !self.domains.has_value(&from) {
                return false;
            }
        }
        true
    }

    /// Opens all places and lets all rules fire, because the fixpoint takes too long.
    fn give_up(&mut self) {
        self.domains.nodes.iter_mut().for_each(|node| node.open = true);
        self.domains.fires.fill(true);
        for clause in &self.clauses.all {
            self.domains.holds[clause.relation] = true;
        }
        self.domains.complete = false;
    }

    fn enqueue(&mut self, clause: u32) {
        if !std::mem::replace(&mut self.queued[clause as usize], true) {
            self.queue.push_back(clause);
        }
    }

    /// Puts the clauses that read `place`, or a place around it, on the worklist.
    fn grown(&mut self, place: Place) {
        let mut at = Some(place);
        while let Some(place) = at {
            if let Some(readers) = self.readers.get_mut(place.0 as usize) {
                let readers = std::mem::take(readers);
                for &reader in &readers {
                    self.enqueue(reader);
                }
                self.work = self.work.saturating_sub(readers.len());
                self.readers[place.0 as usize] = readers;
            }
            at = self.domains.node(place).parent;
        }
    }

    fn add_constant(&mut self, place: Place, constant: Symbol) {
        self.add_constants(place, &[constant]);
    }

    fn add_constants(&mut self, place: Place, constants: &[Symbol]) {
        if self.domains.is_open(place) {
            return;
        }
        let node = &mut self.domains.nodes[place.0 as usize];
        let before = node.constants.len();
        for &constant in constants {
            if let Err(at) = node.constants.binary_search(&constant) {
                // Many values are appended at once and sorted below.
                if constants.len() == 1 {
                    node.constants.insert(at, constant);
                }
            }
        }
        if constants.len() > 1 {
            node.constants.extend_from_slice(constants);
            node.constants.sort_unstable();
            node.constants.dedup();
        }
        let after = node.constants.len();
        self.work = self.work.saturating_sub(constants.len());
        if after > MAX_DOMAIN {
            self.open(place);
        } else if after > before {
            self.grown(place);
        }
    }

    fn add_function(&mut self, place: Place, function: (Symbol, usize)) {
        if self.domains.has_function(place, function) {
            return;
        }
        let node = &mut self.domains.nodes[place.0 as usize];
        node.functions.push(function);
        if node.functions.len() > MAX_FUNCTIONS {
            self.open(place);
        } else {
            self.grown(place);
        }
    }

    fn open(&mut self, place: Place) {
        if !std::mem::replace(&mut self.domains.nodes[place.0 as usize].open, true) {
            self.grown(place);
        }
    }

    /// Adds the intersection of the domains of the places `from` to the domain of `to`. Does the same for the
    /// arguments of the terms at these places, at any depth.
    fn pour(&mut self, from: &[Place], to: Place) {
        let mut stack = vec![(from.to_vec(), to)];
        while let Some((from, to)) = stack.pop() {
            self.work = self.work.saturating_sub(1 + from.len());
            if self.domains.is_open(to) || self.work == 0 {
                continue;
            }
            let closed: Vec<Place> = from.into_iter().filter(|&p| !self.domains.is_open(p)).collect();
            let Some(&smallest) = closed.iter().min_by_key(|&&p| self.domains.node(p).constants.len()) else {
                self.open(to);
                continue;
            };
            let node = |place: Place| self.domains.node(place);
            let in_all = |c: &Symbol| closed.iter().all(|&p| self.domains.has_constant(p, *c));
            let is_new = |c: &Symbol| node(to).constants.binary_search(c).is_err();
            let candidates = &node(smallest).constants;
            let new: Vec<Symbol> = candidates.iter().copied().filter(|c| is_new(c) && in_all(c)).collect();
            let in_all = |f: &(Symbol, usize)| closed.iter().all(|&p| self.domains.has_function(p, *f));
            let functions: Vec<(Symbol, usize)> =
                node(closed[0]).functions.iter().copied().filter(in_all).collect();
            self.work = self.work.saturating_sub(candidates.len() * closed.len());
            if !new.is_empty() {
                self.add_constants(to, &new);
            }
            let depth = self.domains.node(to).depth + 1;
            for function in functions {
                self.add_function(to, function);
                if depth > MAX_DEPTH {
                    continue;
                }
                // The sources of all arguments wait on the stack, whose size the work bounds.
                self.work = self.work.saturating_sub(function.1 * closed.len());
                if self.work == 0 {
                    return;
                }
                for i in 0..function.1 {
                    let holder = Holder::Inside(to, function.0);
                    let target = self.domains.place(holder, function.1, i, depth);
                    let inside = |&p: &Place| self.domains.inside(p, function.0, function.1, i);
                    // An argument that is nested too deep has no place: it may be anything.
                    let sources = closed.iter().map(|p| inside(p).unwrap_or(ANYTHING)).collect();
                    stack.push((sources, target));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Assumptions, Clauses, sources};

    #[test]
    fn a_place_at_which_a_variable_stands_twice_is_one_source() {
        let rules = crate::parse(b"(<= (q ?x) (p ?x) (s ?x ?x) (p ?x))").expect("well formed");
        let clauses = Clauses::of(&rules);
        let mut assumed = Assumptions::default();
        assert_eq!(sources(&assumed, 0, &clauses.all[0].variables[0]).len(), 3);
        assumed.holding.insert((0, 1));
        assert_eq!(sources(&assumed, 0, &clauses.all[0].variables[0]).len(), 1);
    }
}
