//! Tables for the text form, and properties against a naive set.

use super::{IndexSet, IndexSetError};
use proptest::prelude::*;
use rstest::rstest;
use std::collections::BTreeSet;

/// (IDX-014)
#[rstest]
#[case::nothing_is_empty(&[], "")]
#[case::two_neighbours_are_listed(&[4, 5], "4,5")]
#[case::three_neighbours_are_a_range(&[1, 2, 3], "1-3")]
#[case::order_of_arrival_is_irrelevant(&[7, 3, 5, 4, 1], "1,3-5,7")]
#[case::the_highest_index(&[u32::MAX], "4294967295")]
fn prints(#[case] indexes: &[u32], #[case] text: &str) {
    assert_eq!(indexes.iter().copied().collect::<IndexSet>().to_string(), text);
}

/// (SUC-022, VAL-036, VST-204)
#[rstest]
#[case::a_pair_written_as_a_range("2-3", Ok("2,3"))]
#[case::adjacent_parts_are_joined("1-3,4-5", Ok("1-5"))]
#[case::the_same_index_twice("1,1", Err(IndexSetError::NotIncreasing("1".into())))]
#[case::a_falling_range("3-1", Err(IndexSetError::NotAscending("3-1".into())))]
#[case::a_blank("1, 2", Err(IndexSetError::Malformed(" 2".into())))]
#[case::a_sign("+1", Ok("1"))]
#[case::a_leading_zero("01,+2-0003", Ok("1-3"))]
#[case::more_zeros_than_a_number_has_digits("00000000000000000000004294967295", Ok("4294967295"))]
#[case::more_than_any_index("4294967296", Err(IndexSetError::Malformed("4294967296".into())))]
#[case::two_signs("++1", Err(IndexSetError::Malformed("++1".into())))]
#[case::a_sign_alone("+", Err(IndexSetError::Malformed("+".into())))]
#[case::a_negative_number("-1", Err(IndexSetError::Malformed("-1".into())))]
#[case::a_sign_after_a_hyphen("1--3", Err(IndexSetError::Malformed("1--3".into())))]
#[case::digits_of_another_script("\u{0661}", Err(IndexSetError::Malformed("\u{0661}".into())))]
#[case::two_hyphens("1-2-3", Err(IndexSetError::Malformed("1-2-3".into())))]
#[case::a_trailing_comma("1,", Err(IndexSetError::Malformed(String::new())))]
fn parses_strictly(#[case] text: &str, #[case] expected: Result<&str, IndexSetError>) {
    assert_eq!(text.parse::<IndexSet>().map(|set| set.to_string()), expected.map(str::to_owned));
}

/// (IDX-015)
#[rstest]
#[case::broken_parts_are_left_out("0,x,2", 5, "0,2")]
#[case::reading_stops_at_the_limit("0,5,1", 5, "0")]
#[case::ends_are_clipped("3-9", 5, "3,4")]
#[case::signs_and_zeros_are_read("+0,02-+3", 5, "0,2,3")]
#[case::the_last_index_of_all("4294967294-4294967295", u32::MAX, "4294967294")]
#[case::no_completions("0-3", 0, "")]
fn parses_leniently(#[case] text: &str, #[case] completions: u32, #[case] expected: &str) {
    assert_eq!(IndexSet::parse_lenient(text, completions).to_string(), expected);
}

#[rstest]
#[case::nothing("", Some(""))]
#[case::the_usual_form("0,2-4", Some("0,2-4"))]
#[case::a_pair_as_a_range("2-3", Some("2,3"))]
#[case::a_sign("+1", None)]
#[case::a_leading_zero("01", None)]
#[case::zero_twice("00", None)]
fn plain_texts_have_no_signs_and_no_leading_zeros(#[case] text: &str, #[case] expected: Option<&str>) {
    assert_eq!(IndexSet::parse_plain(text).map(|set| set.to_text()), expected.map(str::to_owned));
}

/// Nothing wraps at the highest index there is.
#[test]
fn the_ends_of_the_range_of_indexes_are_no_special_case() {
    let mut set = IndexSet::from_iter([0, u32::MAX - 2, u32::MAX]);
    assert!(set.insert(u32::MAX - 1));
    assert!(set.insert(1));
    assert_eq!((set.to_text().as_str(), set.len()), ("0,1,4294967293-4294967295", 5));
    assert_eq!(set.union(&IndexSet::below(u32::MAX)).len(), 1 << 32);
    assert_eq!(set.minus(&IndexSet::from_iter([u32::MAX])).last(), Some(u32::MAX - 1));
    assert_eq!(set.missing(u32::MAX, 2), [2, 3]);
    assert_eq!(set.clipped(0), IndexSet::new());
}

#[test]
fn huge_ranges_cost_nothing() {
    let all = IndexSet::below(u32::MAX);
    assert_eq!(all.len(), u64::from(u32::MAX));
    assert_eq!(all.minus(&IndexSet::from_iter([5])).ranges().count(), 2);
}

fn some() -> impl Strategy<Value = BTreeSet<u32>> {
    proptest::collection::btree_set(0u32..60, 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn reading_leniently_equals_a_naive_reading(parts in proptest::collection::vec("[0-9]{1,2}(-[0-9]{1,2})?|x|-", 0..8), limit in 0u32..60) {
        let mut naive = BTreeSet::new();
        for part in &parts {
            let range = part.split_once('-').map_or_else(|| Some((part.parse().ok()?, part.parse().ok()?)), |(a, b)| {
                let (a, b): (u32, u32) = (a.parse().ok()?, b.parse().ok()?);
                (a < b).then_some((a, b))
            });
            let Some((first, last)) = range else { continue };
            if first >= limit {
                break;
            }
            naive.extend((first..=last).filter(|index| *index < limit));
        }
        let set = IndexSet::parse_lenient(&parts.join(","), limit);
        prop_assert_eq!(set, naive.into_iter().collect::<IndexSet>());
    }

    #[test]
    fn the_text_form_reads_back(naive in some()) {
        let set: IndexSet = naive.iter().copied().collect();
        prop_assert_eq!(set.to_string().parse::<IndexSet>(), Ok(set));
    }

    #[test]
    fn the_algebra_equals_that_of_a_naive_set(a in some(), b in some(), limit in 0u32..70) {
        let (x, y): (IndexSet, IndexSet) = (a.iter().copied().collect(), b.iter().copied().collect());
        let list = |set: &IndexSet| set.iter().collect::<Vec<_>>();
        prop_assert_eq!(list(&x.union(&y)), a.union(&b).copied().collect::<Vec<_>>());
        prop_assert_eq!(list(&x.intersection(&y)), a.intersection(&b).copied().collect::<Vec<_>>());
        prop_assert_eq!(list(&x.minus(&y)), a.difference(&b).copied().collect::<Vec<_>>());
        prop_assert_eq!(list(&x.clipped(limit)), a.range(..limit).copied().collect::<Vec<_>>());
        let missing = (0..limit).filter(|index| !a.contains(index)).take(7).collect::<Vec<_>>();
        prop_assert_eq!(x.missing(limit, 7), missing);
        prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
        prop_assert_eq!(x.shared(&y), a.intersection(&b).count() as u64);
        prop_assert_eq!(x.len(), a.len() as u64);
        prop_assert_eq!(x.union(&y).len(), a.union(&b).count() as u64);
        prop_assert_eq!(x.minus(&y).len(), a.difference(&b).count() as u64);
        prop_assert!((0..70).all(|index| x.contains(index) == a.contains(&index)));
    }

    /// Numbers of all lengths, near and far from each other (IDX-014, IDX-029).
    #[test]
    fn long_and_short_numbers_are_written_as_their_digits(steps in proptest::collection::vec(prop_oneof![0u32..30, 0u32..200_000_000], 0..20)) {
        let ends = steps.iter().scan(0u32, |at, step| { *at = at.saturating_add(*step); Some(*at) });
        let set: IndexSet = ends.collect();
        let parts = set.ranges().map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first},{last}"),
            _ => format!("{first}-{last}"),
        });
        prop_assert_eq!(set.to_text(), parts.collect::<Vec<_>>().join(","));
    }

    /// Whatever the text, the quick way through it accepts and finds what the slow one does.
    #[test]
    fn reading_quickly_equals_reading_part_by_part(text in "([0-9]{1,3}|[0-9]{1,2}-[0-9]{1,3}|x|)(,([0-9]{1,3}|[0-9]{1,2}-[0-9]{1,3}|4294967295|4294967296|-|)){0,4}") {
        let mut naive = Ok(BTreeSet::new());
        let mut highest = None;
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            match (first.parse::<u32>(), last.parse::<u32>()) {
                (Ok(a), Ok(b)) if (a < b || !part.contains('-')) && highest.is_none_or(|highest| a > highest) => {
                    highest = Some(b);
                    if let Ok(set) = &mut naive {
                        set.extend([a, b]);
                    }
                }
                _ => naive = Err(()),
            }
        }
        let read = text.parse::<IndexSet>();
        prop_assert_eq!(read.is_err(), !text.is_empty() && naive.is_err(), "{:?}", read);
        if let (Ok(read), Ok(naive)) = (read, naive) {
            prop_assert!(naive.iter().all(|index| read.contains(*index)));
        }
    }

    #[test]
    fn inserting_one_by_one_gives_the_same_set(order in proptest::collection::vec(0u32..40, 0..40)) {
        let mut set = IndexSet::new();
        for index in &order {
            set.insert(*index);
        }
        prop_assert_eq!(set, order.into_iter().collect::<IndexSet>());
    }
}
