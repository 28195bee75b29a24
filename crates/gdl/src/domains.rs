//! Argument domains: the constants that can occur at each argument of each relation, fluent and move.
//!
//! The domains are found by an abstract interpretation of the rules, in which every argument has its own set
//! of constants. The domain of a rule's variable is the intersection of the domains of the positive body
//! arguments where the variable occurs. A rule may fire if all its positive conditions can hold; then its head
//! adds its constants, and the domains of its variables, to the arguments of its relation. A true fluent has
//! the domain of `init` and `next`, and a move that is done the domain of `legal`. `base` and `input` have
//! domains of their own and give no values. The result is the least fixpoint.
//!
//! Invariant: the domains over-approximate the values that occur. Where a bound cuts a domain off, the domain
//! becomes open: it stands for every term. So a rule that may not fire by [`Domains::may_fire`] never fires.
//! The bounds keep the time small for every rulesheet.
//!
//! [`Domains::ties`] gives the number of variables that an argument of a fluent and an argument of a move
//! share in the rules. The inference of game boards uses the domains.

mod clause;
mod flow;
mod ties;

pub(crate) use clause::{Clause, Clauses, Give, Need};
pub(crate) use flow::{Assumptions, Failure};

use crate::{Atom, Description, Keyword, Span, Symbol};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The largest nesting depth at which the arguments of terms have domains. Deeper arguments are open.
pub(crate) const MAX_DEPTH: u8 = 4;
/// The maximum number of constants in the domain of one argument. A larger domain is open.
const MAX_DOMAIN: usize = 4096;
/// The maximum number of functions in terms at one argument. With more functions the argument is open.
const MAX_FUNCTIONS: usize = 256;
/// The maximum number of places. Places beyond it are one open place. Published rulesheets have up to a few
/// hundred places.
const MAX_PLACES: usize = 1 << 15;

/// The identifier of a place where terms can stand: an argument of a relation, of a fluent, of a move or of a
/// nested term. Further places stand for whole fluents, whole moves, and what `base` lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place(u32);

/// The place of whole fluents, those of `init`, `next` and `true`.
const FLUENT: Place = Place(0);
/// The place of whole moves, those of `legal` and `does`.
const MOVE: Place = Place(1);
/// The place of whole fluents in `base`.
const BASE: Place = Place(2);
/// The place of every argument beyond the bounds. It is open.
const ANYTHING: Place = Place(3);

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
    /// The functions that occur at this place and their arities.
    functions: Vec<(Symbol, usize)>,
    /// Whether every term may stand here. Then every term may stand at the places inside, too.
    open: bool,
    depth: u8,
    /// The place of the term in which this place is an argument.
    parent: Option<Place>,
    /// The index of the argument, from 0.
    argument: usize,
}

/// The occurrences of variables in a head or a body, as pairs of a variable and a place where it occurs.
type Occurrences = Vec<(Symbol, Place)>;

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
#[derive(Clone, Debug)]
pub struct Domains {
    nodes: Vec<Node>,
    places: FxHashMap<(Holder, usize, usize), Place>,
    role: Option<Symbol>,
    ties: BTreeMap<(Place, Place), u32>,
    /// For each rule, whether it may fire.
    fires: Vec<bool>,
    /// For each relation of [`Clauses`], whether a rule with it in the head may fire.
    holds: Vec<bool>,
    complete: bool,
}

impl Domains {
    /// Computes the domains of `description`.
    pub fn new(description: &Description) -> Domains {
        let clauses = Clauses::of(description);
        let mut domains = clauses.settle(&Assumptions::default());
        domains.tie(description, &clauses.occurrences);
        domains
    }

    /// Domains without any value.
    fn empty(description: &Description) -> Domains {
        let mut nodes = vec![Node::default(); 4];
        nodes[ANYTHING.0 as usize].open = true;
        nodes[MOVE.0 as usize].argument = 1;
        Domains {
            nodes,
            places: FxHashMap::default(),
            role: description.symbols.get(Keyword::Role.name()),
            ties: BTreeMap::new(),
            fires: vec![false; description.rules.len()],
            holds: Vec::new(),
            complete: true,
        }
    }

    /// The place of the argument of `atom` with the index `argument`, from 0. The argument of `true`, `next`
    /// and `init` is at the place of whole fluents, and the second argument of `does` and `legal` at that of
    /// whole moves. The first argument of `does` shares the place of the argument of `role`. The argument of
    /// `base` has a place of its own, as have the arguments of all other relations.
    fn root(&mut self, description: &Description, atom: &Atom, argument: usize) -> Place {
        match (description.name(atom.relation), atom.args.len(), self.role) {
            ("true" | "next" | "init", 1, _) => FLUENT,
            ("base", 1, _) => BASE,
            ("does" | "legal", 2, _) if argument == 1 => MOVE,
            ("does", 2, Some(role)) => self.place(Holder::Relation(role), 1, 0, 0),
            ("does", 2, None) => ANYTHING,
            (_, arity, _) => self.place(Holder::Relation(atom.relation), arity, argument, 0),
        }
    }

    fn place(&mut self, holder: Holder, arity: usize, argument: usize, depth: u8) -> Place {
        let nodes = &mut self.nodes;
        *self.places.entry((holder, arity, argument)).or_insert_with(|| {
            if nodes.len() >= MAX_PLACES {
                return ANYTHING;
            }
            let parent = match holder {
                Holder::Relation(_) => None,
                Holder::Inside(place, _) => Some(place),
            };
            nodes.push(Node { depth, parent, argument, ..Node::default() });
            Place(nodes.len() as u32 - 1)
        })
    }

    fn node(&self, place: Place) -> &Node {
        &self.nodes[place.0 as usize]
    }

    /// The number of variables in the rules that tie a place inside fluents (`fluent`) to a place inside
    /// moves (`mv`). A variable ties two places if its values come from both of them, directly or through
    /// other relations.
    pub fn ties(&self, fluent: Place, mv: Place) -> u32 {
        self.ties.get(&(fluent, mv)).copied().unwrap_or(0)
    }

    /// The place that stands for whole fluents.
    pub fn fluent(&self) -> Place {
        FLUENT
    }

    /// The place that stands for whole moves.
    pub fn mv(&self) -> Place {
        MOVE
    }

    /// The place that stands for whole fluents as `base` lists them.
    pub fn base(&self) -> Place {
        BASE
    }

    /// Whether the rule with the index `rule` may fire in some state. If the result is `false`, it never fires.
    pub fn may_fire(&self, rule: usize) -> bool {
        self.fires[rule]
    }

    /// The spans of the rules that may fire in some state. The alternatives of a source rule have its span, so that it is
    /// there if one of them may fire. `description` has the rules of which these are the domains.
    pub fn live_spans(&self, description: &Description) -> BTreeSet<Span> {
        let rules = description.rules.iter().enumerate();
        rules.filter(|&(rule, _)| self.may_fire(rule)).map(|(_, rule)| rule.span).collect()
    }

    /// Whether every term may stand at `place`. Then [`Domains::constants`] and [`Domains::functions`] are only
    /// examples.
    pub fn is_open(&self, place: Place) -> bool {
        let mut at = Some(place);
        while let Some(place) = at {
            let node = self.node(place);
            if node.open {
                return true;
            }
            at = node.parent;
        }
        false
    }

    /// The indices of the arguments, from the atom inwards, that lead to `place`.
    pub(crate) fn path(&self, place: Place) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = Some(place);
        while let Some(place) = at {
            path.push(self.node(place).argument);
            at = self.node(place).parent;
        }
        path.reverse();
        path
    }

    /// The name of the relation or function of which `place` is an argument. `None` for whole fluents and moves.
    pub(crate) fn holder(&self, place: Place) -> Option<Symbol> {
        let (&(holder, ..), _) = self.places.iter().find(|(_, known)| **known == place)?;
        Some(match holder {
            Holder::Relation(symbol) | Holder::Inside(_, symbol) => symbol,
        })
    }

    /// Whether the domains were computed within the bound on time. Otherwise all places are open and all rules
    /// may fire.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The place of the argument of `relation` with the index `argument`, from 0. `None` if no head and no
    /// positive condition has the relation with this arity. Also `None` for the keywords whose arguments are
    /// fluents, and for the moves of `does` and `legal`.
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
        // The arguments below the largest depth may be anything.
        let domains = Domains::new(&rules);
        let mut place = domains.fluent();
        while let Some(&(function, arity)) = domains.functions(place).first() {
            let Some(inner) = domains.inside(place, function, arity, 0) else { return };
            place = inner;
        }
        assert!(domains.is_open(place));
    }

    /// The indices of the rules that may not fire.
    fn dead(rules: &str) -> Vec<usize> {
        let description = description(rules);
        let domains = Domains::new(&description);
        (0..description.rules.len()).filter(|&rule| !domains.may_fire(rule)).collect()
    }

    #[test]
    fn a_rule_fires_only_if_its_conditions_can_hold() {
        for (rules, wanted) in [
            ("(p a) (<= q (p ?x)) (<= r q)", &[][..]),
            ("(p a) (<= q (p b)) (<= r q)", &[1, 2]),
            ("(p a) (s b) (<= q (p ?x) (s ?x))", &[2]),
            ("(p (f a)) (<= q (p (f b)))", &[1]),
            ("(p (f a)) (<= (q ?x) (p ?x)) (<= r (q (f a))) (<= s (q (f b)))", &[3]),
            ("(<= p q) (<= q p)", &[0, 1]),
            ("(role a) (legal a go) (<= (next p) (does b go)) (<= (next q) (does a go))", &[2]),
            ("(role a) (legal b go) (<= p (legal b ?m))", &[]),
            ("(base (on a)) (init (on b)) (<= p (true (on a))) (<= q (true (on b)))", &[2]),
            ("(init (control whit)) (<= (next (control black)) (true (control white)))", &[1]),
            ("(<= p (distinct a a))", &[0]),
        ] {
            assert_eq!(dead(rules), wanted, "{rules}");
            assert!(Domains::new(&description(rules)).is_complete());
        }
    }

    #[test]
    fn a_source_rule_is_live_if_one_of_its_alternatives_fires() {
        let rules = description("(p a) (<= q (or (p a) (p b))) (<= r (or (p b) (p c)))");
        let live = Domains::new(&rules).live_spans(&rules);
        let heads = rules.rules.iter().filter(|rule| live.contains(&rule.span));
        let mut names: Vec<&str> = heads.map(|rule| rules.name(rule.head.relation)).collect();
        names.dedup();
        assert_eq!(names, ["p", "q"]);
    }

    #[test]
    fn what_a_bound_cuts_off_may_be_anything() {
        let facts: String = (0..super::MAX_DOMAIN + 10).map(|i| format!("(p c{i}) ")).collect();
        assert!(dead(&format!("{facts} (<= q (p none))")).is_empty());
        let deep = |inner: &str| format!("{}{inner}{}", "(f ".repeat(10), ")".repeat(10));
        assert!(dead(&format!("(p {}) (<= q (p {}))", deep("a"), deep("b"))).is_empty());
        assert!(dead(&format!("(p {}) (<= (q ?x) (p {})) (<= r (q b))", deep("a"), deep("?x"))).is_empty());
        let functions: String = (0..super::MAX_FUNCTIONS + 10).map(|i| format!("(p (f{i} a)) ")).collect();
        assert!(dead(&format!("{functions} (<= q (p none)) (<= r (p (g b)))")).is_empty());
        // Functions of functions: more places than the bound allows.
        let wide: String = (0..200).map(|i| format!("(<= (p (f{i} ?x ?x)) (p ?x)) ")).collect();
        assert!(dead(&format!("(p a) {wide} (<= q (p (f1 (f2 b c) d)))")).is_empty());
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
