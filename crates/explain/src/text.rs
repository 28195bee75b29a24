//! Conversion of atoms and conditions to text, in the spelling of the description.

use super::{Explainer, Ground, Shape};
use ggp_datalog::{Literal, Value, Variable};
use ggp_gdl::{self as gdl, Symbol, Term, TermId};
use rustc_hash::FxHashMap;

impl Explainer {
    /// The conditions of the rule with the index `number`. Each is given by two indices: its place in the
    /// body of the lowered rule, and its place in the body of the rule in the rulesheet.
    pub(super) fn conditions(&self, number: usize) -> Vec<(usize, usize)> {
        let body = self.program.rules()[number].body.iter().enumerate();
        let conditions = body.filter(|(_, literal)| !matches!(literal, Literal::Compose { .. }));
        conditions.enumerate().map(|(literal, (place, _))| (place, literal)).collect()
    }

    /// The line of the rule with the index `number` in the rulesheet, from 1.
    pub(super) fn line(&self, number: usize) -> usize {
        let description = self.game.description();
        let start = description.rules[number].span.start;
        gdl::lines::Lines::new(&description.source).position(start).line
    }

    pub(super) fn text(&self, (relation, tuple): &Ground) -> String {
        let values = self.database.values();
        let list = |name: &str, args: &[Value]| {
            let args: Vec<String> = args.iter().map(|&v| values.text(v)).collect();
            format!("({name} {})", args.join(" "))
        };
        match &self.shapes[relation.index()] {
            Shape::Ordinary(name) if tuple.is_empty() => name.clone(),
            Shape::Ordinary(name) => list(name, tuple),
            Shape::Whole(carrier) => list(carrier.name(), tuple),
            Shape::Flat(carrier, functor) => {
                let (prefix, args) = tuple.split_at(carrier.prefix());
                let name = values.spelling(functor.name);
                let carried = match functor.arity {
                    None => name.to_owned(),
                    Some(0) => format!("({name})"),
                    Some(_) => list(name, args),
                };
                let prefix: String = prefix.iter().map(|&v| values.text(v) + " ").collect();
                format!("({} {prefix}{carried})", carrier.name())
            }
        }
    }

    /// The text of a condition as it is written in the rules. Variables that are bound are replaced by their
    /// values.
    pub(super) fn condition_text(
        &self,
        number: usize,
        literal: usize,
        value: impl Fn(Variable) -> Option<Value>,
    ) -> String {
        let description = self.game.description();
        let spelled: FxHashMap<Symbol, Value> = self.lowering.variables[number]
            .iter()
            .filter_map(|&(symbol, variable)| Some((symbol, value(variable)?)))
            .collect();
        let atom = |atom: &gdl::Atom| {
            let name = description.name(atom.relation);
            if atom.args.is_empty() { name.to_owned() } else { self.list_text(name, &atom.args, &spelled) }
        };
        match &description.rules[number].body[literal] {
            gdl::Literal::Positive(positive) => atom(positive),
            gdl::Literal::Negative(negative) => format!("(not {})", atom(negative)),
            gdl::Literal::Distinct(a, b, _) => self.list_text("distinct", &[*a, *b], &spelled),
        }
    }

    /// The text of the list `(NAME ARG…)`. Variables in `spelled` are replaced by their values. The traversal
    /// of the terms uses a stack and does not recurse.
    fn list_text(&self, name: &str, args: &[TermId], spelled: &FxHashMap<Symbol, Value>) -> String {
        enum Piece<'a> {
            Term(TermId),
            Text(&'a str),
        }
        let description = self.game.description();
        let mut out = format!("({name}");
        let mut stack = vec![Piece::Text(")")];
        let push = |stack: &mut Vec<Piece<'_>>, args: &[TermId]| {
            for &arg in args.iter().rev() {
                stack.push(Piece::Term(arg));
                stack.push(Piece::Text(" "));
            }
        };
        push(&mut stack, args);
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Term(id) => match description.terms.get(id) {
                    Term::Variable(symbol) => match spelled.get(symbol) {
                        Some(&value) => out.push_str(&self.database.values().text(value)),
                        None => out.push_str(description.name(*symbol)),
                    },
                    Term::Constant(symbol) => out.push_str(description.name(*symbol)),
                    Term::Compound(symbol, args) => {
                        out.push('(');
                        out.push_str(description.name(*symbol));
                        stack.push(Piece::Text(")"));
                        push(&mut stack, args);
                    }
                },
            }
        }
        out
    }
}
