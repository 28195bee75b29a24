//! The order of the values of an axis. Facts that chain the values determine it, such as `(succ 1 2)`.
//! Without such facts, the order is numeric or alphabetic, or else the order in which the rulesheet first
//! mentions the values.
//!
//! A chain fixes the order except for its direction. The direction is ascending for numbers and letters. For
//! other values it is the direction of the facts.

use crate::model::Order;
use crate::term::letters_and_number;
use rustc_hash::FxHashMap;

/// The facts of one relation with two arguments, as pairs of constants.
pub(crate) type Pairs = Vec<(String, String)>;

/// A chain must contain at least this share of an axis's values. Otherwise it does not determine their order.
const CHAINED_SHARE: f64 = 0.75;

/// Sorts `values`, which are in the order of first mention. If facts chain the values, a value outside the
/// chain comes last if `keep` holds for the value, and is dropped otherwise. Returns the sorted values and
/// the source of their order.
pub(crate) fn order(
    values: &[&str],
    relations: &[Pairs],
    keep: impl Fn(&str) -> bool,
) -> (Vec<String>, Order) {
    let owned = |values: &[&str]| values.iter().map(|&v| v.to_owned()).collect::<Vec<String>>();
    if values.len() >= 2
        && let Some(mut chain) = longest_chain(values, relations)
    {
        if is_descending(&chain) {
            chain.reverse();
        }
        let mut out = owned(&chain);
        out.extend(values.iter().filter(|v| !chain.contains(v) && keep(v)).map(|&v| v.to_owned()));
        return (out, Order::Successor);
    }
    let mut sorted = values.to_vec();
    if let Some(order) = natural_order(values) {
        sorted.sort_by_key(|value| natural_key(value));
        return (owned(&sorted), order);
    }
    (owned(values), Order::Listed)
}

/// The kind of natural order that `values` have. `None` if they have no natural order.
pub(crate) fn natural_order(values: &[&str]) -> Option<Order> {
    if values.iter().all(|v| v.parse::<i64>().is_ok()) {
        return Some(Order::Integers);
    }
    if values.iter().all(|v| v.chars().count() == 1 && v.chars().all(char::is_alphabetic)) {
        return Some(Order::Letters);
    }
    let prefix = letters_and_number(values.first()?)?.0;
    let numbered = values.iter().all(|v| letters_and_number(v).is_some_and(|(letters, _)| letters == prefix));
    (numbered && values.len() > 1).then_some(Order::Numbered)
}

/// The sort key of a value within its kind of natural order.
fn natural_key(value: &str) -> (i64, &str) {
    if let Ok(number) = value.parse::<i64>() {
        return (number, value);
    }
    match letters_and_number(value) {
        Some((_, number)) => (number.parse().unwrap_or(i64::MAX), value),
        None => (0, value),
    }
}

fn is_descending(chain: &[&str]) -> bool {
    natural_order(chain).is_some() && chain.windows(2).all(|w| natural_key(w[0]) > natural_key(w[1]))
}

/// The longest chain that the facts of one relation form among `values`; the first one if several are equally
/// long. `None` if the chain contains fewer than two values, or less than the share [`CHAINED_SHARE`] of
/// `values`.
fn longest_chain<'a>(values: &[&'a str], relations: &[Pairs]) -> Option<Vec<&'a str>> {
    let number: FxHashMap<&str, usize> = values.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let mut best: Option<Vec<usize>> = None;
    for pairs in relations {
        let edges =
            pairs.iter().filter_map(|(a, b)| Some((*number.get(a.as_str())?, *number.get(b.as_str())?)));
        let mut edges: Vec<(usize, usize)> = edges.filter(|(a, b)| a != b).collect();
        edges.sort_unstable();
        edges.dedup();
        if let Some(chain) = chain_of(values, &edges)
            && best.as_ref().is_none_or(|b| b.len() < chain.len())
        {
            best = Some(chain);
        }
    }
    let best = best?;
    (best.len() >= 2 && best.len() as f64 >= CHAINED_SHARE * values.len() as f64)
        .then(|| best.into_iter().map(|i| values[i]).collect())
}

/// The indices of the values that `edges` chain, in the order of the chain. An edge is a pair of indices in
/// `values`. `None` unless the edges relate each value only to its successor, or each value to all later
/// values.
fn chain_of(values: &[&str], edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let count = values.len();
    let (mut out, mut into) = (vec![0usize; count], vec![0usize; count]);
    for &(a, b) in edges {
        out[a] += 1;
        into[b] += 1;
    }
    let touched: Vec<usize> = (0..count).filter(|&i| out[i] + into[i] > 0).collect();
    let n = touched.len();
    if n < 2 {
        return None;
    }
    if edges.len() == n * (n - 1) / 2 && n > 2 {
        // For `(less 1 2) (less 1 3) (less 2 3)`, the out-degree of a value is the number of later values.
        let mut sorted = touched.clone();
        sorted.sort_by_key(|&i| std::cmp::Reverse(out[i]));
        let ranks = sorted.iter().enumerate().all(|(rank, &i)| out[i] == n - 1 - rank);
        if ranks {
            return Some(sorted);
        }
    }
    if out.iter().chain(&into).any(|&degree| degree > 1) {
        return None;
    }
    let next: FxHashMap<usize, usize> = edges.iter().copied().collect();
    // A cycle begins at its smallest value. Without a natural order, it begins at the value that is mentioned
    // first.
    let mut start = *touched.iter().find(|&&i| into[i] == 0).unwrap_or(&touched[0]);
    if edges.len() == n {
        let natural = natural_order(values).is_some();
        start = *touched.iter().min_by_key(|&&i| (natural.then(|| natural_key(values[i])), i))?;
    }
    let mut best: Vec<usize> = Vec::new();
    let starts = std::iter::once(start).chain(touched.iter().copied().filter(|&i| into[i] == 0));
    for start in starts {
        let mut chain = vec![start];
        let mut at = start;
        while let Some(&after) = next.get(&at) {
            if after == start {
                break;
            }
            chain.push(after);
            at = after;
        }
        if chain.len() > best.len() {
            best = chain;
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::{Pairs, order};
    use crate::model::Order;

    fn pairs(text: &str) -> Pairs {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.chunks(2).map(|w| (w[0].to_owned(), w[1].to_owned())).collect()
    }

    #[test]
    fn a_chain_of_facts_orders_names_that_mean_nothing() {
        let (values, how) = order(&["tik", "tak", "tok"], &[pairs("tak tok tok tik")], |_| false);
        assert_eq!((values.join(" ").as_str(), how), ("tak tok tik", Order::Successor));
    }

    #[test]
    fn a_chain_downwards_still_gives_numbers_upwards() {
        let (values, _) = order(&["1", "2", "10"], &[pairs("10 2 2 1")], |_| false);
        assert_eq!(values, ["1", "2", "10"]);
    }

    #[test]
    fn a_full_order_is_an_order_too() {
        let (values, how) = order(&["u", "v", "w"], &[pairs("w u w v u v")], |_| false);
        assert_eq!((values.join(" ").as_str(), how), ("w u v", Order::Successor));
    }

    #[test]
    fn a_ring_begins_at_its_least_number() {
        let (values, _) = order(&["3", "1", "2"], &[pairs("1 2 2 3 3 1")], |_| false);
        assert_eq!(values, ["1", "2", "3"]);
        let (values, _) = order(&["b", "c", "a"], &[pairs("a b b c c a")], |_| false);
        assert_eq!(values, ["a", "b", "c"]);
        let (values, _) = order(&["tok", "tik", "tak"], &[pairs("tik tok tok tak tak tik")], |_| false);
        assert_eq!(values, ["tok", "tak", "tik"]);
    }

    #[test]
    fn strays_beside_a_chain_stay_only_if_they_are_wanted() {
        let chain = [pairs("1 2 2 3 3 4")];
        assert_eq!(order(&["1", "2", "nowhere", "3", "4"], &chain, |_| false).0, ["1", "2", "3", "4"]);
        assert_eq!(order(&["1", "2", "off", "3", "4"], &chain, |_| true).0, ["1", "2", "3", "4", "off"]);
    }

    #[test]
    fn without_facts_numbers_letters_and_numbered_names_sort_themselves() {
        assert_eq!(order(&["10", "9"], &[], |_| true), (vec!["9".into(), "10".into()], Order::Integers));
        assert_eq!(order(&["c", "b"], &[], |_| true), (vec!["b".into(), "c".into()], Order::Letters));
        assert_eq!(order(&["p10", "p9"], &[], |_| true), (vec!["p9".into(), "p10".into()], Order::Numbered));
        assert_eq!(order(&["so", "da"], &[], |_| true), (vec!["so".into(), "da".into()], Order::Listed));
    }
}
