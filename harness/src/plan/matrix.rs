//! Combinations of the values of several axes: all of them, or so few that every two values meet.
//!
//! An axis is its number of values; a combination names a value of each. Some combinations cannot exist (a gate that is
//! locked in a version), and two values that never can meet are not missed.

use std::collections::BTreeSet;

/// A value of each axis.
pub type Combination = Vec<usize>;
/// Two axes, and a value of each.
type Pair = ((usize, usize), (usize, usize));

/// Every combination that is possible; the last axis changes fastest.
pub fn all(axes: &[usize], possible: impl Fn(&[usize]) -> bool) -> Vec<Combination> {
    let mut combinations: Vec<Combination> = vec![Vec::new()];
    for &values in axes {
        let longer = |combination: Combination| {
            (0..values).map(move |value| combination.iter().copied().chain([value]).collect())
        };
        combinations = combinations.into_iter().flat_map(longer).collect();
    }
    combinations.retain(|combination| possible(combination));
    combinations
}

/// Few combinations in which every two values meet that can meet: always the one that brings most new pairs, the first of
/// several. With one axis every value is there.
pub fn pairwise(axes: &[usize], possible: impl Fn(&[usize]) -> bool) -> Vec<Combination> {
    let mut left: Vec<(Combination, BTreeSet<Pair>)> =
        all(axes, possible).into_iter().map(|combination| (combination.clone(), pairs(&combination))).collect();
    let mut chosen = Vec::new();
    loop {
        // `max_by_key` takes the last of equals.
        let best = left.iter().enumerate().rev().max_by_key(|(_, (_, new))| new.len());
        let Some((place, _)) = best.filter(|(_, (_, new))| !new.is_empty()) else { return chosen };
        let (combination, met) = left.remove(place);
        left.iter_mut().for_each(|(_, new)| new.retain(|pair| !met.contains(pair)));
        chosen.push(combination);
    }
}

/// The pairs of values that meet in a combination. A lone axis meets itself.
fn pairs(combination: &[usize]) -> BTreeSet<Pair> {
    let places: Vec<(usize, usize)> = combination.iter().copied().enumerate().collect();
    if let [only] = places.as_slice() {
        return [(*only, *only)].into();
    }
    let after = |(at, one): (usize, &(usize, usize))| {
        let one = *one;
        places[at + 1..].iter().map(move |other| (one, *other)).collect::<Vec<_>>()
    };
    places.iter().enumerate().flat_map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    #[test]
    fn all_combinations_are_in_order_and_possible() {
        let without_twins = |combination: &[usize]| combination[0] != combination[1];
        assert_eq!(all(&[2, 3], without_twins), [vec![0, 1], vec![0, 2], vec![1, 0], vec![1, 2]]);
    }

    #[test]
    fn three_axes_of_three_need_no_more_than_ten_of_twenty_seven() {
        assert!(pairwise(&[3, 3, 3], |_| true).len() <= 10);
    }

    #[test]
    fn a_lone_axis_has_every_value() {
        assert_eq!(pairwise(&[3], |_| true), [vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn without_an_axis_there_is_one_empty_combination_and_nothing_to_choose() {
        assert_eq!((all(&[], |_| true), pairwise(&[], |_| true)), (vec![vec![]], Vec::<Combination>::new()));
    }

    proptest! {
        #[test]
        fn every_two_values_that_can_meet_do(axes in vec(1_usize..5, 2..5), modulus in 2_usize..7) {
            let possible = |combination: &[usize]| combination.iter().sum::<usize>() % modulus != 0;
            let everything = all(&axes, possible);
            let chosen = pairwise(&axes, possible);
            let of = |combinations: &[Combination]| {
                combinations.iter().flat_map(|combination| pairs(combination)).collect::<BTreeSet<_>>()
            };
            prop_assert_eq!(of(&chosen), of(&everything));
            prop_assert!(chosen.iter().all(|combination| everything.contains(combination)));
            prop_assert!(chosen.len() <= everything.len());
        }
    }
}
