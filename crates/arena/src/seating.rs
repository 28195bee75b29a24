//! Groups of players, and their seatings.

/// A group with at most this number of members is seated in all orders of its members in every round. A
/// larger group is seated in only one order in each round, and that order changes from round to round.
const ALL_ORDERS: usize = 3;

/// All subsets of `0..count` with `size` members, in lexicographic order; each subset is in ascending order.
/// `None` if there are more than `most` subsets. The list is empty if `size` is 0.
pub(crate) fn combinations(count: usize, size: usize, most: usize) -> Option<Vec<Vec<usize>>> {
    let mut all = Vec::new();
    let mut chosen: Vec<usize> = (0..size).collect();
    if size == 0 {
        return Some(all);
    }
    loop {
        all.push(chosen.clone());
        if all.len() > most {
            return None;
        }
        let Some(at) = (0..size).rev().find(|&i| chosen[i] < count - size + i) else { return Some(all) };
        chosen[at] += 1;
        for i in at + 1..size {
            chosen[i] = chosen[i - 1] + 1;
        }
    }
}

/// The seatings of an encounter, without duplicates. A seating lists, for each seat, the member that sits in
/// it. If there is only one seat, each member alone is a seating. Otherwise, the seatings come from orders of
/// the members. The members fill the seats in the given order; if seats are left, they are filled from the
/// first member on again. The resulting list and all its rotations are seatings. If there are at most
/// [`ALL_ORDERS`] members, all orders are used. If there are more, one order is used; it depends on `round`.
pub(crate) fn seatings(members: &[usize], seats: usize, round: u64) -> Vec<Vec<usize>> {
    if seats == 1 {
        return members.iter().map(|&member| vec![member]).collect();
    }
    let orders = if members.len() <= ALL_ORDERS {
        (0..factorial(members.len())).map(|number| permutation(members, number)).collect()
    } else {
        // The first member stays in front, because the rotations bring it to its other places.
        let rest = permutation(&members[1..], round % factorial(members.len() - 1));
        vec![std::iter::once(members[0]).chain(rest).collect::<Vec<_>>()]
    };
    let mut all: Vec<Vec<usize>> = Vec::new();
    for order in orders {
        for shift in 0..seats {
            let seating: Vec<usize> =
                (0..seats).map(|seat| order[(seat + shift) % seats % order.len()]).collect();
            if !all.contains(&seating) {
                all.push(seating);
            }
        }
    }
    all
}

fn factorial(n: usize) -> u64 {
    (1..=n as u64).try_fold(1u64, u64::checked_mul).unwrap_or(u64::MAX)
}

/// The permutation of `members` with index `number` in lexicographic order.
fn permutation(members: &[usize], mut number: u64) -> Vec<usize> {
    let mut rest = members.to_vec();
    let mut out = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let block = factorial(rest.len() - 1);
        let at = ((number / block) as usize).min(rest.len() - 1);
        number %= block;
        out.push(rest.remove(at));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seatings_are_all_orders_of_few_and_rotations_of_many() {
        assert_eq!(seatings(&[4, 7], 2, 0), [[4, 7], [7, 4]]);
        assert_eq!(seatings(&[0, 1, 2], 3, 0).len(), 6);
        // Two players on three seats: 2³ seatings without the two in which one player has every seat.
        assert_eq!(seatings(&[0, 1], 3, 0).len(), 6);
        let (even, odd) = (seatings(&[0, 1, 2, 3], 4, 0), seatings(&[0, 1, 2, 3], 4, 1));
        assert_eq!(even[0], [0, 1, 2, 3]);
        assert_eq!(odd[0], [0, 1, 3, 2]);
        assert_eq!(even.len(), 4);
        assert_eq!(seatings(&[3], 2, 0), [[3, 3]]);
    }

    #[test]
    fn combinations_are_counted() {
        assert_eq!(combinations(4, 2, 100).unwrap().len(), 6);
        assert_eq!(combinations(3, 3, 100).unwrap(), [[0, 1, 2]]);
        assert_eq!(combinations(3, 0, 100).unwrap().len(), 0);
        assert_eq!(combinations(40, 20, 1000), None);
    }
}
