//! Argument domains: the constants that can occur at each argument of each relation, fluent and move.
//!
//! The domains are found by an abstract interpretation of the rules, in which every argument has its own set
//! of constants. The domain of a rule's variable is the intersection of the domains of the body arguments
//! where the variable occurs. This domain is added to the domain of each head argument where the variable
//! occurs, until a fixpoint is reached. The domains over-approximate the values that occur, except where a
//! bound cuts them off. Arguments of nested terms have domains only down to depth 4. The number of rounds and
//! the size of a domain are bounded too, so that no rulesheet takes long.
//!
//! [`Domains::ties`] gives the number of variables that an argument of a fluent and an argument of a move
//! share in the rules. The inference of game boards uses the domains.

mod ties;

use crate::{Atom, Description, Literal, Symbol, Term, TermId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The largest nesting depth at which the arguments of terms have domains.
const MAX_DEPTH: u8 = 4;
/// The largest number of passes in which values are propagated over all rules.
const MAX_ROUNDS: usize = 64;
/// The maximum number of constants in the domain of one argument, and also the maximum number of different
/// functions in terms at one argument. Further constants and functions are dropped.
const MAX_DOMAIN: usize = 4096;

/// The identifier of a place where terms can stand: an argument of a relation, of a fluent, of a move or of a
/// nested term. One further place stands for whole fluents, and another for whole moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place(u32);

/// The owner of an argument: a relation, or a function that occurs at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Holder {
    Relation(Symbol),
    Inside(Place, Symbol),
}

#[derive(Clone, Default, Debug)]
struct Node {
    /// The constants of the domain, in the order of their symbols.
    constants: Vec<Symbol>,
    /// The functions that occur at this place and their arities, in order of first occurrence.
    functions: Vec<(Symbol, usize)>,
    depth: u8,
    /// A counter that is incremented whenever the domain grows.
    version: u32,
}

/// The occurrences of variables in a head or a body, as pairs of a variable and a place where it occurs.
type Occurrences = Vec<(Symbol, Place)>;

/// One variable of a rule, along which values flow from the body to the head. `from` holds all places of the
/// variable in the body, and `to` is one of its places in the head. `seen` is the sum of
/// [`Domains::tree_version`] over the places `from` at the last pass. If the sum is still the same, no new
/// values can flow.
#[derive(Debug)]
struct Flow {
    from: Vec<Place>,
    to: Place,
    seen: u32,
}

/// The argument domains of one description.
///
/// # Examples
/// ```
/// use ggp_gdl::domains::Domains;
/// let rules = ggp_gdl::parse(
///     b"(init (at 1)) (succ 1 2) (succ 2 3) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))",
/// )
/// .unwrap();
/// let domains = Domains::new(&rules);
/// let (at, arity) = domains.functions(domains.fluent())[0];
/// let step = domains.inside(domains.fluent(), at, arity, 0).unwrap();
/// let values: Vec<&str> = domains.constants(step).iter().map(|&value| rules.name(value)).collect();
/// assert_eq!(values, ["1", "2", "3"]);
///
/// let succ = rules.symbols.get("succ").unwrap();
/// assert_eq!(domains.constants(domains.argument(succ, 2, 1).unwrap()).len(), 2);
/// ```
#[derive(Debug)]
pub struct Domains {
    nodes: Vec<Node>,
    places: FxHashMap<(Holder, usize, usize), Place>,
    fluent: Place,
    mv: Place,
    ties: BTreeMap<(Place, Place), u32>,
}

impl Domains {
    /// Computes the domains of `description`.
    pub fn new(description: &Description) -> Domains {
        let mut domains = Domains {
            nodes: vec![Node::default(), Node::default()],
            places: FxHashMap::default(),
            fluent: Place(0),
            mv: Place(1),
            ties: BTreeMap::new(),
        };
        let mut flows = Vec::new();
        let mut occurrences = Vec::with_capacity(description.rules.len());
        for rule in &description.rules {
            let mut head = Occurrences::new();
            domains.enter(description, &rule.head, true, &mut head);
            let mut body = Occurrences::new();
            for literal in &rule.body {
                if let Literal::Positive(atom) = literal {
                    domains.enter(description, atom, false, &mut body);
                }
            }
            // Rules for `base` and `input` often list too many fluents and moves and sometimes too few, so no
            // values come from these rules.
            if !matches!(description.name(rule.head.relation), "base" | "input") {
                for &(variable, to) in &head {
                    let from: Vec<Place> = body.iter().filter(|b| b.0 == variable).map(|b| b.1).collect();
                    if !from.is_empty() {
                        flows.push(Flow { from, to, seen: u32::MAX });
                    }
                }
            }
            occurrences.push((head, body));
        }
        domains.settle(&mut flows);
        domains.tie(description, &occurrences);
        domains
    }

    /// The place of the argument of `atom` with the index `argument`, from 0. The argument of `true`, `next`,
    /// `init` and `base` is at the place of whole fluents. The second argument of `does`, `legal` and `input`
    /// is at the place of whole moves. The first argument of `does`, `legal` and `input` shares the place of
    /// the argument of `role`; the result is `None` if the rules do not mention `role`. The arguments of
    /// every other relation have places of their own.
    fn root(&mut self, description: &Description, atom: &Atom, argument: usize) -> Option<Place> {
        match (description.name(atom.relation), atom.args.len()) {
            ("true" | "next" | "init" | "base", 1) => Some(self.fluent),
            ("does" | "legal" | "input", 2) if argument == 1 => Some(self.mv),
            ("does" | "legal" | "input", 2) => {
                let role = description.symbols.get("role")?;
                Some(self.place(Holder::Relation(role), 1, 0, 0))
            }
            (_, arity) => Some(self.place(Holder::Relation(atom.relation), arity, argument, 0)),
        }
    }

    fn place(&mut self, holder: Holder, arity: usize, argument: usize, depth: u8) -> Place {
        let nodes = &mut self.nodes;
        *self.places.entry((holder, arity, argument)).or_insert_with(|| {
            nodes.push(Node { depth, ..Node::default() });
            Place(nodes.len() as u32 - 1)
        })
    }

    /// Appends the variables of `atom` and their places to `out`. If `is_head` is true, also adds the
    /// constants and functions of `atom` to the domains, unless the relation of `atom` is `base` or `input`.
    fn enter(&mut self, description: &Description, atom: &Atom, is_head: bool, out: &mut Occurrences) {
        let mut stack: Vec<(Place, TermId)> = Vec::new();
        let seeds = is_head && !matches!(description.name(atom.relation), "base" | "input");
        for (argument, &term) in atom.args.iter().enumerate() {
            let role_of_move = argument == 0 && matches!(description.name(atom.relation), "legal" | "input");
            if is_head && role_of_move && atom.args.len() == 2 {
                continue;
            }
            if let Some(place) = self.root(description, atom, argument) {
                stack.push((place, term));
            }
        }
        while let Some((place, term)) = stack.pop() {
            match description.terms.get(term) {
                Term::Variable(variable) => out.push((*variable, place)),
                Term::Constant(constant) => {
                    if seeds {
                        self.add_constant(place, *constant);
                    }
                }
                Term::Compound(function, args) => {
                    let depth = self.nodes[place.0 as usize].depth + 1;
                    if depth > MAX_DEPTH {
                        continue;
                    }
                    if seeds {
                        self.add_function(place, (*function, args.len()));
                    }
                    for (i, &arg) in args.iter().enumerate() {
                        stack.push((self.place(Holder::Inside(place, *function), args.len(), i, depth), arg));
                    }
                }
            }
        }
    }

    fn add_constant(&mut self, place: Place, constant: Symbol) {
        let node = &mut self.nodes[place.0 as usize];
        if let Err(at) = node.constants.binary_search(&constant)
            && node.constants.len() < MAX_DOMAIN
        {
            node.constants.insert(at, constant);
            node.version += 1;
        }
    }

    fn add_function(&mut self, place: Place, function: (Symbol, usize)) {
        let node = &mut self.nodes[place.0 as usize];
        if !node.functions.contains(&function) && node.functions.len() < MAX_DOMAIN {
            node.functions.push(function);
            node.version += 1;
        }
    }

    /// Propagates constants and functions along `flows` until a fixpoint or the bound on passes
    /// ([`MAX_ROUNDS`]) is reached.
    fn settle(&mut self, flows: &mut [Flow]) {
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for flow in &mut *flows {
                let version = flow.from.iter().fold(0u32, |v, &p| v.wrapping_add(self.tree_version(p)));
                if version != flow.seen {
                    flow.seen = version;
                    changed |= self.pour(&flow.from, flow.to);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The sum of [`Node::version`] over `place` and the places inside it, which are the arguments, at any
    /// depth, of the terms at `place`. The sum changes whenever one of the versions changes.
    fn tree_version(&self, place: Place) -> u32 {
        let mut sum = 0u32;
        let mut stack = vec![place];
        while let Some(place) = stack.pop() {
            let node = &self.nodes[place.0 as usize];
            sum = sum.wrapping_add(node.version);
            for &(function, arity) in &node.functions {
                stack.extend((0..arity).filter_map(|i| self.inside(place, function, arity, i)));
            }
        }
        sum
    }

    /// Adds the intersection of the domains of the places `from` to the domain of `to`. Does the same for the
    /// arguments of the terms at these places, at any depth. Returns whether the domain of `to` or of a place
    /// inside it changed.
    fn pour(&mut self, from: &[Place], to: Place) -> bool {
        let mut changed = false;
        let mut stack = vec![(from.to_vec(), to)];
        while let Some((from, to)) = stack.pop() {
            let smallest = from.iter().min_by_key(|p| self.nodes[p.0 as usize].constants.len());
            let Some(&smallest) = smallest else { continue };
            let node = |p: Place| &self.nodes[p.0 as usize];
            let in_all = |c: &Symbol| from.iter().all(|&p| node(p).constants.binary_search(c).is_ok());
            let known = &node(to).constants;
            let mut new: Vec<Symbol> = node(smallest).constants.iter().copied().filter(in_all).collect();
            new.retain(|c| known.binary_search(c).is_err());
            let functions = node(from[0]).functions.clone();
            if !new.is_empty() && known.len() < MAX_DOMAIN {
                new.truncate(MAX_DOMAIN - known.len());
                let target = &mut self.nodes[to.0 as usize];
                target.constants.extend(new);
                target.constants.sort_unstable();
                target.version += 1;
                changed = true;
            }
            let depth = self.nodes[to.0 as usize].depth + 1;
            for function in functions {
                if depth > MAX_DEPTH
                    || !from.iter().all(|p| self.nodes[p.0 as usize].functions.contains(&function))
                {
                    continue;
                }
                let before = self.nodes[to.0 as usize].functions.len();
                self.add_function(to, function);
                changed |= self.nodes[to.0 as usize].functions.len() > before;
                for i in 0..function.1 {
                    let sources: Vec<Place> =
                        from.iter().filter_map(|&p| self.inside(p, function.0, function.1, i)).collect();
                    if sources.len() == from.len() {
                        let target = self.place(Holder::Inside(to, function.0), function.1, i, depth);
                        stack.push((sources, target));
                    }
                }
            }
        }
        changed
    }

    /// The number of variables in the rules that tie a place inside fluents (`fluent`) to a place inside
    /// moves (`mv`). A variable ties two places if its values come from both of them, directly or through
    /// other relations.
    pub fn ties(&self, fluent: Place, mv: Place) -> u32 {
        self.ties.get(&(fluent, mv)).copied().unwrap_or(0)
    }

    /// The place that stands for whole fluents.
    pub fn fluent(&self) -> Place {
        self.fluent
    }

    /// The place that stands for whole moves.
    pub fn mv(&self) -> Place {
        self.mv
    }

    /// The place of the argument of `relation` with the index `argument`, from 0. `None` if no head and no
    /// positive condition has the relation with this arity. Also `None` for the keywords whose arguments are
    /// fluents or moves.
    pub fn argument(&self, relation: Symbol, arity: usize, argument: usize) -> Option<Place> {
        self.places.get(&(Holder::Relation(relation), arity, argument)).copied()
    }

    /// The functions that occur at `place`, with their arities.
    pub fn functions(&self, place: Place) -> &[(Symbol, usize)] {
        &self.nodes[place.0 as usize].functions
    }

    /// The constants that can occur at `place`, in order of first occurrence in the text.
    pub fn constants(&self, place: Place) -> &[Symbol] {
        &self.nodes[place.0 as usize].constants
    }

    /// The place of one argument of the terms `(function …)` that occur at `place` and have `arity`
    /// arguments. `argument` is the index of this argument, from 0. `None` if no such term occurs at `place`,
    /// or if the argument is nested too deep to have a domain.
    pub fn inside(&self, place: Place, function: Symbol, arity: usize, argument: usize) -> Option<Place> {
        self.places.get(&(Holder::Inside(place, function), arity, argument)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::Domains;
    use crate::{Description, parse};

    fn description(kif: &str) -> Description {
        parse(kif.as_bytes()).expect("it parses")
    }

    /// The domain of an argument of a fluent.
    fn domain(description: &Description, fluent: &str, argument: usize) -> Vec<String> {
        let domains = Domains::new(description);
        let functions = domains.functions(domains.fluent()).iter();
        let (function, arity) =
            *functions.clone().find(|f| description.name(f.0) == fluent).expect("the fluent occurs");
        let place =
            domains.inside(domains.fluent(), function, arity, argument).expect("it has that argument");
        domains.constants(place).iter().map(|&c| description.name(c).to_owned()).collect()
    }

    #[test]
    fn constants_flow_through_variables_and_stop_at_conditions() {
        let rules = description(
            "(init (at 1 a)) (succ 1 2) (succ 2 3) (succ 3 4) (file 2) (file 3)
             (<= (next (at ?y ?p)) (true (at ?x ?p)) (succ ?x ?y) (file ?y))",
        );
        assert_eq!(domain(&rules, "at", 0), ["1", "2", "3"]);
        assert_eq!(domain(&rules, "at", 1), ["a"]);
    }

    #[test]
    fn terms_inside_terms_have_domains_of_their_own() {
        let rules = description(
            "(init (at (room 1 2))) (door (room 1 2) (room 3 4))
             (<= (next (at ?b)) (true (at ?a)) (door ?a ?b))",
        );
        let domains = Domains::new(&rules);
        let (at, arity) = domains.functions(domains.fluent())[0];
        let room = domains.inside(domains.fluent(), at, arity, 0).expect("an argument");
        let (function, arity) = domains.functions(room)[0];
        let x = domains.inside(room, function, arity, 0).expect("the room's first argument");
        let names: Vec<&str> = domains.constants(x).iter().map(|&c| rules.name(c)).collect();
        assert_eq!(names, ["1", "3"]);
    }

    #[test]
    fn terms_that_grow_without_end_do_not() {
        let rules = description("(init (count zero)) (<= (next (count (succ ?n))) (true (count ?n)))");
        assert_eq!(domain(&rules, "count", 0), ["zero"]);
    }

    #[test]
    fn moves_are_tied_to_fluents_by_way_of_other_relations() {
        let rules = description(
            "(init (cell 1 2 x)) (<= (entered ?a ?b) (does ?r (go ?a ?b)))
             (<= (legal ?r (go ?a ?b)) (role ?r) (line ?a) (line ?b)) (role r) (line 1) (line 2)
             (<= (next (cell ?a ?b x)) (entered ?a ?b))",
        );
        let domains = Domains::new(&rules);
        let (cell, go) = (domains.functions(domains.fluent())[0], domains.functions(domains.mv())[0]);
        let fluent = |i| domains.inside(domains.fluent(), cell.0, cell.1, i).expect("an argument");
        let mv = |i| domains.inside(domains.mv(), go.0, go.1, i).expect("an argument");
        assert!(domains.ties(fluent(0), mv(0)) > 0 && domains.ties(fluent(1), mv(1)) > 0);
        assert_eq!(domains.ties(fluent(0), mv(1)), 0);
    }
}
