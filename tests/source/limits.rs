//! The table of limits in `.github/SECURITY.md` says what the code says. The last column of a row names a file and in it a
//! constant (`MAX_BODY`), a field that a `Default` sets (`body`), or an option with a default (`--sessions`), and the
//! unit of the code if that is a plain number (`in MiB`).

use ggp_tests::workspace;
use std::collections::HashMap;
use std::fs;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprLit, Field, FieldValue, ImplItemConst, ItemConst, ItemImpl, Lit, Meta};

/// A number as the code has it.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Value {
    Number(f64),
    Seconds(f64),
}

/// The numbers of a file.
#[derive(Default)]
struct Numbers {
    constants: HashMap<String, Vec<Value>>,
    fields: HashMap<String, Vec<Value>>,
    options: HashMap<String, Vec<Value>>,
    in_default: bool,
}

impl<'a> Visit<'a> for Numbers {
    fn visit_item_const(&mut self, item: &'a ItemConst) {
        self.constants.entry(item.ident.to_string()).or_default().extend(value(&item.expr));
    }

    fn visit_impl_item_const(&mut self, item: &'a ImplItemConst) {
        self.constants.entry(item.ident.to_string()).or_default().extend(value(&item.expr));
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        let of = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        self.in_default = of.is_some_and(|segment| segment.ident == "Default");
        visit::visit_item_impl(self, item);
        self.in_default = false;
    }

    fn visit_field_value(&mut self, field: &'a FieldValue) {
        if let (true, syn::Member::Named(name)) = (self.in_default, &field.member) {
            self.fields.entry(name.to_string()).or_default().extend(value(&field.expr));
        }
        visit::visit_field_value(self, field);
    }

    fn visit_field(&mut self, field: &'a Field) {
        let Some(name) = &field.ident else { return };
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("arg")) {
            let Meta::List(list) = &attribute.meta else { continue };
            let Ok(parts) =
                list.parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated)
            else {
                continue;
            };
            for part in parts {
                let Meta::NameValue(pair) = part else { continue };
                if pair.path.is_ident("default_value") || pair.path.is_ident("default_value_t") {
                    let name = format!("--{}", name.to_string().replace('_', "-"));
                    self.options.entry(name).or_default().extend(value(&pair.value));
                }
            }
        }
    }
}

/// The value of a literal, of `<<`, `*` and `+`, and of `Duration::from_…`.
fn value(expression: &Expr) -> Option<Value> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok().map(Value::Number),
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text.value().parse().ok().map(Value::Number),
        Expr::Paren(inner) => value(&inner.expr),
        Expr::Binary(pair) => {
            let (Value::Number(left), Value::Number(right)) = (value(&pair.left)?, value(&pair.right)?)
            else {
                return None;
            };
            Some(Value::Number(match pair.op {
                BinOp::Shl(_) => left * right.exp2(),
                BinOp::Mul(_) => left * right,
                BinOp::Add(_) => left + right,
                _ => return None,
            }))
        }
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return None };
            let scale = match &*path.path.segments.last()?.ident.to_string() {
                "from_secs" => 1.0,
                "from_millis" => 0.001,
                _ => return None,
            };
            let Value::Number(number) = value(call.args.first()?)? else { return None };
            Some(Value::Seconds(number * scale))
        }
        _ => None,
    }
}

fn unit(name: &str) -> Value {
    match name {
        "" | "characters" => Value::Number(1.0),
        "KiB" => Value::Number(f64::from(1 << 10)),
        "MiB" => Value::Number(f64::from(1 << 20)),
        "GiB" => Value::Number(f64::from(1 << 30)),
        "s" => Value::Seconds(1.0),
        "min" => Value::Seconds(60.0),
        "h" => Value::Seconds(3600.0),
        "days" => Value::Seconds(86_400.0),
        _ => panic!("unknown unit: {name}"),
    }
}

fn times(number: f64, unit: Value) -> Value {
    match unit {
        Value::Number(one) => Value::Number(number * one),
        Value::Seconds(one) => Value::Seconds(number * one),
    }
}

/// The value in the text of a cell, such as `4 MiB`.
fn shown(cell: &str) -> Value {
    let (number, name) = cell.split_once(' ').unwrap_or((cell, ""));
    let number = number.replace(',', "").parse().unwrap_or_else(|_| panic!("no number: {cell}"));
    times(number, unit(name))
}

#[test]
fn the_table_of_limits_says_what_the_code_says() {
    let page = fs::read_to_string(workspace().join(".github/SECURITY.md")).expect("the page");
    let mut files: HashMap<String, Numbers> = HashMap::new();
    let mut named = Vec::new();
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [what, told, _, place] = cells[..] else { panic!("four columns: {line}") };
        let words: Vec<&str> = place.split_whitespace().collect();
        let (path, name, of_code) = match words[..] {
            [path, name] if path.starts_with('`') => (path, name, ""),
            [path, name, "in", of_code] => (path, name, of_code),
            _ => continue,
        };
        let (path, name) = (path.trim_matches('`'), name.trim_matches('`'));
        let numbers = files.entry(path.to_owned()).or_insert_with(|| {
            let text =
                fs::read_to_string(workspace().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
            let mut numbers = Numbers::default();
            numbers.visit_file(&syn::parse_file(&text).expect("Rust"));
            numbers
        });
        let kind = match name {
            _ if name.starts_with("--") => &numbers.options,
            _ if name.starts_with(char::is_uppercase) => &numbers.constants,
            _ => &numbers.fields,
        };
        let [found] = kind.get(name).map(Vec::as_slice).unwrap_or_default() else {
            panic!("{what}: {path} has no number {name}, or several");
        };
        let real = match *found {
            Value::Number(number) => times(number, unit(of_code)),
            seconds @ Value::Seconds(_) => seconds,
        };
        assert_eq!(shown(told), real, "{what}: {path}, {name}");
        named.push(format!("{path} {name}"));
    }
    assert!(named.len() >= 50, "only {} rows", named.len());
    // A new bound of connections has a row, too.
    for name in files["crates/server/src/http/limits.rs"].fields.keys() {
        assert!(named.contains(&format!("crates/server/src/http/limits.rs {name}")), "no row for {name}");
    }
}
