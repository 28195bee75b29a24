//! Lowering from GDL to Datalog.
//!
//! A carrier is a relation whose last argument is a fluent, a move or a percept (`true`, `next`, `init`,
//! `does`, `legal`, …). A carrier is lowered to several relations, its forms. A flattened form belongs to one
//! root function of the last argument, and has the arguments of that function as columns. For example,
//! `(true (cell ?x ?y b))` becomes the relation `true cell/3` with three columns, so that joins can use the
//! arguments. If a variable stands for the whole fluent or move, as in `(true ?f)`, the rules use the whole
//! form: a relation with one column for the term.
//!
//! If a derived carrier is needed in both forms, bridge rules copy the tuples from one form to the other. The
//! inputs `true` and `does` need no bridge rules, because the machine fills both of their forms. If bridge
//! rules in both directions are needed, they would form a cycle between the forms, and every move would
//! depend on every other move. A separate relation avoids this cycle. It replaces the whole form in the heads
//! of the rules. Bridge rules copy its tuples to the flattened forms and to the whole form, and the other
//! rules read those forms.
//!
//! Any other compound term that contains variables becomes a [`Literal::Compose`]. No function in this module
//! recurses over terms.

mod rule;

use crate::move_table::canonical_term;
use ggp_datalog::split::split_by_constants;
use ggp_datalog::{Argument, Atom, Functor, Literal, RelationId, Rule, Signature, Value, Values, Variable};
use ggp_gdl::{Description, Symbol};
use rule::{RuleLowering, ground_terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The level ([`Signature::level`]) of the relation `true`, whose tuples change with the state.
pub const STATE_LEVEL: u8 = 1;
/// The level ([`Signature::level`]) of the relation `does`, whose tuples change with the joint move.
pub const MOVE_LEVEL: u8 = 2;

/// A relation that carries a fluent, a move or a percept in its last argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Carrier {
    /// `(init FLUENT)`
    Init,
    /// `(true FLUENT)`
    True,
    /// `(next FLUENT)`
    Next,
    /// `(base FLUENT)`
    Base,
    /// `(does ROLE MOVE)`
    Does,
    /// `(legal ROLE MOVE)`
    Legal,
    /// `(input ROLE MOVE)`
    Input,
    /// `(sees ROLE PERCEPT)`
    Sees,
}

/// All carriers.
pub const CARRIERS: [Carrier; 8] = [
    Carrier::Init,
    Carrier::True,
    Carrier::Next,
    Carrier::Base,
    Carrier::Does,
    Carrier::Legal,
    Carrier::Input,
    Carrier::Sees,
];

impl Carrier {
    /// The carrier with the keyword `name` and the given arity. `None` if there is no such carrier.
    pub fn of(name: &str, arity: usize) -> Option<Carrier> {
        CARRIERS.into_iter().find(|c| c.name() == name && c.prefix() + 1 == arity)
    }

    /// The keyword of the carrier.
    pub fn name(self) -> &'static str {
        match self {
            Carrier::Init => "init",
            Carrier::True => "true",
            Carrier::Next => "next",
            Carrier::Base => "base",
            Carrier::Does => "does",
            Carrier::Legal => "legal",
            Carrier::Input => "input",
            Carrier::Sees => "sees",
        }
    }

    /// The number of arguments before the fluent, move or percept: 1 for a carrier with a role, otherwise 0.
    pub fn prefix(self) -> usize {
        usize::from(matches!(self, Carrier::Does | Carrier::Legal | Carrier::Input | Carrier::Sees))
    }

    fn level(self) -> u8 {
        match self {
            Carrier::True => STATE_LEVEL,
            Carrier::Does => MOVE_LEVEL,
            _ => 0,
        }
    }
}

/// A form of a carrier: one of the relations into which the carrier is lowered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// The function whose arguments are the columns of this form. `None` for the whole form, whose column is
    /// the whole term.
    pub functor: Option<Functor>,
    /// The relation that this form is in the Datalog program.
    pub relation: RelationId,
    /// Whether the relation is the head of a rule of the game.
    pub defined: bool,
    /// Whether the relation occurs in the body of a rule of the game.
    pub read: bool,
}

/// A description that has been lowered to a Datalog program.
#[derive(Clone, Debug)]
pub struct Lowering {
    /// The relations' names, arities and levels.
    pub signatures: Vec<Signature>,
    /// The rules. The label of a rule is the index of the description's rule from which it was made. A bridge
    /// rule has the label of a rule whose conclusions it copies.
    pub rules: Vec<Rule>,
    /// The terms in the rules.
    pub values: Values,
    /// For each rule of the description, its variables: pairs of the symbol and the lowered variable.
    pub variables: Vec<Vec<(Symbol, Variable)>>,
    forms: FxHashMap<Carrier, Vec<Form>>,
    numbers: FxHashMap<(Carrier, Option<Functor>), usize>,
    concluded: FxHashMap<Carrier, RelationId>,
    ordinary: FxHashMap<(Symbol, usize), RelationId>,
}

impl Lowering {
    /// Lowers all rules of `description`.
    pub fn new(description: &Description) -> Lowering {
        let mut lowering = Lowering {
            signatures: Vec::new(),
            rules: Vec::new(),
            values: Values::default(),
            variables: Vec::with_capacity(description.rules.len()),
            forms: CARRIERS.into_iter().map(|c| (c, Vec::new())).collect(),
            numbers: FxHashMap::default(),
            concluded: FxHashMap::default(),
            ordinary: FxHashMap::default(),
        };
        let ground = ground_terms(description, &mut lowering.values);
        for (label, rule) in description.rules.iter().enumerate() {
            let lowered = RuleLowering::new(description, &ground, &mut lowering);
            let (rule, variables) = lowered.lower(rule, label as u32);
            lowering.rules.push(rule);
            lowering.variables.push(variables);
        }
        lowering.bridge();
        lowering
    }

    /// Lowers all rules of `description`. Splits each relation that depends on itself through negation by the
    /// constants in its rules ([`split_by_constants`]), because the split can remove that dependency.
    pub fn stratified(description: &Description) -> Lowering {
        let mut lowering = Lowering::new(description);
        split_by_constants(&mut lowering.signatures, &mut lowering.rules, &lowering.values);
        lowering
    }

    /// The relations into which `carrier` is lowered, in the order in which the rules first mention them.
    pub fn forms(&self, carrier: Carrier) -> &[Form] {
        &self.forms[&carrier]
    }

    /// The relation with that name and arity, which must not be a carrier. `None` if the rules do not mention
    /// it.
    pub fn relation(&self, description: &Description, name: &str, arity: usize) -> Option<RelationId> {
        self.ordinary.get(&(description.symbols.get(name)?, arity)).copied()
    }

    fn form(&mut self, carrier: Carrier, functor: Option<Functor>, defined: bool) -> RelationId {
        let forms = self.forms.get_mut(&carrier).expect("all carriers are there");
        let number = *self.numbers.entry((carrier, functor)).or_insert(forms.len());
        if let Some(form) = forms.get_mut(number) {
            form.defined |= defined;
            form.read |= !defined;
            return form.relation;
        }
        let relation = RelationId(self.signatures.len() as u32);
        forms.push(Form { functor, relation, defined, read: !defined });
        let (name, columns) = match functor {
            None => (carrier.name().to_owned(), 1),
            Some(Functor { name, arity: None }) => {
                (format!("{} {}", carrier.name(), self.values.spelling(name)), 0)
            }
            Some(Functor { name, arity: Some(arity) }) => {
                let name = self.values.spelling(name);
                (format!("{} {name}/{arity}", carrier.name()), arity as usize)
            }
        };
        self.signatures.push(Signature { name, arity: carrier.prefix() + columns, level: carrier.level() });
        relation
    }

    fn ordinary(&mut self, description: &Description, relation: Symbol, arity: usize) -> RelationId {
        let signatures = &mut self.signatures;
        *self.ordinary.entry((relation, arity)).or_insert_with(|| {
            let name = format!("{}/{arity}", description.name(relation));
            signatures.push(Signature { name, arity, level: 0 });
            RelationId(signatures.len() as u32 - 1)
        })
    }

    /// The relation that replaces the whole form of `carrier` in the heads of the rules, so that the bridge
    /// rules form no cycle (see [`crate::lower`]). `None` if the rules of `carrier` need no such relation.
    pub fn concluded(&self, carrier: Carrier) -> Option<RelationId> {
        self.concluded.get(&carrier).copied()
    }

    /// Adds the bridge rules between the whole form and the flattened forms of derived carriers.
    fn bridge(&mut self) {
        // A bridge has the label of a rule whose conclusions it copies.
        let mut labels: FxHashMap<RelationId, u32> = FxHashMap::default();
        for rule in &self.rules {
            labels.entry(rule.head.relation).or_insert(rule.label);
        }
        for carrier in CARRIERS {
            let forms = self.forms[&carrier].clone();
            let Some(whole) = forms.iter().find(|form| form.functor.is_none()) else { continue };
            if matches!(carrier, Carrier::True | Carrier::Does) {
                continue;
            }
            let flat = || forms.iter().filter_map(|form| Some((form, form.functor?)));
            let to_whole = whole.read && flat().any(|(form, _)| form.defined);
            let to_flat = whole.defined && flat().any(|(form, _)| form.read);
            let apart = to_whole && to_flat;
            // With one bridge per role, the moves of one role do not depend on those of another.
            let roles = if carrier.prefix() == 1 { self.first_values(&forms) } else { Vec::new() };
            let source =
                if apart { self.keep_apart(carrier, whole.relation, &roles) } else { whole.relation };
            let roles: Vec<Option<Value>> =
                if roles.is_empty() { vec![None] } else { roles.into_iter().map(Some).collect() };
            for (flat, functor) in flat() {
                for &role in &roles {
                    if whole.read && flat.defined {
                        let label = labels[&flat.relation];
                        let pair = (flat.relation, whole.relation);
                        self.rules.push(bridge_rule(carrier, role, functor, pair, true, label));
                    }
                    if whole.defined && flat.read {
                        let label = labels[&whole.relation];
                        let pair = (source, flat.relation);
                        self.rules.push(bridge_rule(carrier, role, functor, pair, false, label));
                    }
                }
            }
        }
    }

    /// The roles, if all `role` rules are ground facts and there are at most [`MOST_FIXED_ROLES`] of them.
    /// Otherwise empty.
    fn fixed_roles(&self) -> Vec<Value> {
        let is_role = |rule: &&Rule| self.signatures[rule.head.relation.index()].name == "role/1";
        let role = |rule: &Rule| match rule.head.args[..] {
            [Argument::Value(role)] if rule.body.is_empty() => Some(role),
            _ => None,
        };
        let roles: Option<Vec<Value>> = self.rules.iter().filter(is_role).map(role).collect();
        roles.filter(|roles| roles.len() <= MOST_FIXED_ROLES).unwrap_or_default()
    }

    /// The values in the first column of `forms`, the forms of a carrier with a role, that get bridge rules of
    /// their own: the roles, and all constants in the first place of a head. The other heads are taken to
    /// conclude something about roles only. Empty if [`Lowering::fixed_roles`] is, or if there are more than
    /// [`MOST_FIXED_ROLES`] of these values.
    fn first_values(&self, forms: &[Form]) -> Vec<Value> {
        let mut values = self.fixed_roles();
        if values.is_empty() {
            return values;
        }
        let relations: FxHashSet<RelationId> = forms.iter().map(|form| form.relation).collect();
        for rule in self.rules.iter().filter(|rule| relations.contains(&rule.head.relation)) {
            if let Some(&Argument::Value(first)) = rule.head.args.first()
                && !values.contains(&first)
            {
                values.push(first);
            }
            if values.len() > MOST_FIXED_ROLES {
                return Vec::new();
            }
        }
        values
    }

    /// Makes a new relation and replaces the relation `whole` by it in the heads of all rules. Adds rules
    /// that copy the tuples of the new relation to `whole`: one rule for each of `roles`, or a single rule if
    /// `roles` is empty. Returns the new relation.
    fn keep_apart(&mut self, carrier: Carrier, whole: RelationId, roles: &[Value]) -> RelationId {
        let concluded = RelationId(self.signatures.len() as u32);
        let signature = self.signatures[whole.index()].clone();
        let arity = signature.arity as u32;
        self.signatures.push(Signature { name: format!("{} concluded", signature.name), ..signature });
        let mut label = BRIDGE;
        for rule in self.rules.iter_mut().filter(|rule| rule.head.relation == whole) {
            rule.head.relation = concluded;
            label = label.min(rule.label);
        }
        let open: Vec<Argument> = (0..arity).map(|v| Argument::Variable(Variable(v))).collect();
        let of_role = |&role: &Value| [&[Argument::Value(role)], &open[1..]].concat();
        let all: Vec<Vec<Argument>> =
            if roles.is_empty() { vec![open.clone()] } else { roles.iter().map(of_role).collect() };
        for args in all {
            self.rules.push(Rule {
                head: Atom { relation: whole, args: args.clone() },
                body: vec![Literal::Positive(Atom { relation: concluded, args })],
                variables: arity,
                label,
            });
        }
        self.concluded.insert(carrier, concluded);
        concluded
    }
}

/// If a game has at most this many roles, and other constants in their place, each of them gets bridge rules of
/// its own. Otherwise one bridge rule serves all.
const MOST_FIXED_ROLES: usize = 16;

/// Makes the rule `whole(…, T) ← flat(…, x…), T = f(x…)`, or the converse rule if `to_whole` is false. The
/// rule applies only to `role`, or to any role if `role` is `None`.
fn bridge_rule(
    carrier: Carrier,
    role: Option<Value>,
    functor: Functor,
    (from, to): (RelationId, RelationId),
    to_whole: bool,
    label: u32,
) -> Rule {
    let prefix = carrier.prefix() as u32;
    let count = functor.arity.unwrap_or(0);
    let variables = |range: std::ops::Range<u32>| range.map(|v| Argument::Variable(Variable(v)));
    let prefixes: Vec<Argument> = match role {
        Some(role) => vec![Argument::Value(role)],
        None => variables(0..prefix).collect(),
    };
    let parts: Vec<Argument> = variables(prefix..prefix + count).collect();
    let term = Argument::Variable(Variable(prefix + count));
    let flat = [&prefixes[..], &parts].concat();
    let whole = [&prefixes[..], &[term]].concat();
    let (head, body) = if to_whole { (whole, flat) } else { (flat, whole) };
    let body = vec![
        Literal::Positive(Atom { relation: from, args: body }),
        Literal::Compose { term, functor, args: parts },
    ];
    Rule { head: Atom { relation: to, args: head }, body, variables: prefix + count + 1, label }
}

/// The label of a lowered rule for which no rule of the description is known as its origin.
pub const BRIDGE: u32 = u32::MAX;

/// Interns the ground term `text`, such as `(cell 1 (f a) b)`, in `values`. `None` if `text` is not exactly
/// one term. The function does not recurse.
pub fn ground_term(text: &str, values: &mut Values) -> Option<Value> {
    let text = canonical_term(text)?;
    let mut open: Vec<(Option<ggp_datalog::Name>, Vec<Value>)> = Vec::new();
    let mut rest = text.as_str();
    loop {
        let first = rest.chars().next()?;
        let value = match first {
            ' ' => {
                rest = &rest[1..];
                continue;
            }
            '(' => {
                open.push((None, Vec::new()));
                rest = &rest[1..];
                continue;
            }
            ')' => {
                rest = &rest[1..];
                let (name, args) = open.pop()?;
                let functor = Functor { name: name?, arity: Some(args.len() as u32) };
                values.term(functor, &args)
            }
            _ => {
                let end = rest.find([' ', '(', ')']).unwrap_or(rest.len());
                let (token, after) = rest.split_at(end);
                rest = after;
                match open.last_mut() {
                    Some((name @ None, _)) => {
                        *name = Some(values.name(token));
                        continue;
                    }
                    _ => values.constant(token),
                }
            }
        };
        match open.last_mut() {
            None => return Some(value),
            Some((Some(_), args)) => args.push(value),
            Some((None, _)) => return None,
        }
    }
}
