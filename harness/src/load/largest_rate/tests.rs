//! Which paces are probed, when a search is over, and what is said of it.

use std::time::Duration;

use proptest::prelude::*;
use rstest::rstest;

use super::*;

const HOW: RateSearch =
    RateSearch { probe: Duration::from_secs(60), end_within: Duration::from_secs(5), ratio_at_least: None };

fn probe(per_second: f64, is_held: bool) -> Probe {
    let cause = (!is_held).then_some(Cause::Backlog);
    Probe { per_second, backlog_growth: Some(0.0), p99_ms: Some(10.0), cause }
}

/// A search for a controller that holds everything up to `largest`.
fn search(first: f64, largest: f64) -> Found {
    let mut found = Found::default();
    while let Some(pace) = found.next_pace(first) {
        found.take(Ok(probe(pace, pace <= largest)));
    }
    found
}

#[test]
fn paces_double_until_one_is_not_held_and_then_halve_the_bracket() {
    let paces: Vec<f64> = search(8.0, 13.1).probes.iter().map(|probe| probe.per_second).collect();
    assert_eq!(paces, [8.0, 16.0, 12.0, 14.0, 13.0, 13.5]);
    let paces: Vec<f64> = search(8.0, 3.0).probes.iter().map(|probe| probe.per_second).collect();
    assert_eq!(paces, [8.0, 4.0, 2.0, 3.0, 3.5, 3.25, 3.125]);
}

#[rstest]
#[case::held(100.0, 0.1, 900.0, Ok(None))]
#[case::growing(100.0, 9.0, 900.0, Ok(Some(Cause::Backlog)))]
#[case::late(100.0, 0.1, 5001.0, Ok(Some(Cause::Late)))]
fn a_probe_is_judged_by_its_trial(
    #[case] pace: f64,
    #[case] growth: f64,
    #[case] p99: f64,
    #[case] wanted: Result<Option<Cause>, String>,
) {
    let figures = BTreeMap::from([(BACKLOG_GROWTH.to_owned(), growth), (END_P99.to_owned(), p99)]);
    let trial = Trial { figures, ..Trial::default() };
    assert_eq!(Probe::of(&trial, pace, HOW).map(|probe| probe.cause), wanted);
    let void = Trial { void: Some("late".to_owned()), ..trial };
    assert!(Probe::of(&void, pace, HOW).is_err_and(|why| why.ends_with("is void: late")));
    assert!(Probe::of(&Trial::default(), pace, HOW).is_err_and(|why| why.contains(BACKLOG_GROWTH)));
}

#[test]
fn jobs_that_had_not_ended_in_time_are_a_pace_that_was_not_held_and_the_next_is_half_of_it() {
    let void = Some("120 Jobs had not ended within 300 s".to_owned());
    let probed = Probe::of(&Trial { void, undrained: Some(120), ..Trial::default() }, 8.0, HOW);
    let wanted = Probe { per_second: 8.0, backlog_growth: None, p99_ms: None, cause: Some(Cause::Undrained) };
    assert_eq!(probed, Ok(wanted));
    let mut found = Found::default();
    found.take(probed);
    assert_eq!((found.next_pace(8.0), found.not_held, &found.stopped), (Some(4.0), Some(8.0), &None));
    assert!(found.says().starts_with("less than 8 Jobs a second (the backlog did not drain in time)"));
}

#[rstest]
#[case::one_of_480(8.0, 1, true)]
#[case::three_of_480(8.0, 3, true)]
#[case::four_of_480(8.0, 4, false)]
#[case::three_of_thirty(0.5, 3, false)]
fn a_few_of_many_jobs_that_never_end_are_lost_and_end_the_search(
    #[case] pace: f64,
    #[case] left: usize,
    #[case] are_lost: bool,
) {
    let void = Some("some Jobs had not ended within 300 s".to_owned());
    let probed = Probe::of(&Trial { void, undrained: Some(left), ..Trial::default() }, pace, HOW);
    assert_eq!(probed.is_err_and(|why| why.contains(&format!("{left} Jobs never ended"))), are_lost);
}

#[test]
fn a_void_probe_ends_the_search_and_is_no_pace_that_was_not_held() {
    let mut found = Found::default();
    found.take(Ok(probe(8.0, true)));
    found.take(Err("noise".to_owned()));
    assert_eq!((found.next_pace(8.0), found.held, found.not_held), (None, Some(8.0), None));
    assert_eq!(found.says(), "8 Jobs a second or more, 1 probe; the bracket is not narrow: noise");
}

#[rstest]
#[case::once_it_is_known(8.0, 13.1, "13 to 13.5 Jobs a second (the backlog grows), 6 probes")]
#[case::where_no_faster_pace_is_probed(
    600.0,
    5000.0,
    "1000 Jobs a second or more, 2 probes; the bracket is not narrow: no pace is probed but from 0.05 to 1000 Jobs a second"
)]
#[case::nor_any_slower(
    0.08,
    0.001,
    "less than 0.05 Jobs a second (the backlog grows), 2 probes; the bracket is not narrow: no pace is probed but from 0.05 to \
     1000 Jobs a second"
)]
fn what_was_found_is_told_with_the_reason_for_its_end(#[case] first: f64, #[case] largest: f64, #[case] says: &str) {
    assert_eq!(search(first, largest).says(), says);
}

#[test]
fn a_search_that_has_used_up_its_probes_says_so_and_one_that_goes_on_says_nothing_of_an_end() {
    let used_up = search(0.25, 900.0);
    assert_eq!(used_up.probes.len(), MOST_PROBES);
    assert!(used_up.says().ends_with("not narrow: 12 probes are the most that are made"), "{}", used_up.says());
    let mut goes_on = Found::default();
    goes_on.take(Ok(probe(8.0, true)));
    assert_eq!(goes_on.says(), "8 Jobs a second or more, 1 probe; the bracket is not narrow");
}

#[test]
fn the_ratio_of_two_is_an_interval() {
    let of = |held, not_held| Found { held, not_held, ..Found::default() };
    let rates = |base, head| LargestRates {
        found: BTreeMap::from([(Side::Base, base), (Side::Head, head)]),
        ..LargestRates::default()
    };
    let both = rates(of(Some(10.0), Some(12.5)), of(Some(20.0), Some(25.0)));
    assert_eq!(both.ratio(), Some((1.6, Some(2.5))));
    assert_eq!(both.ratio_says().as_deref(), Some("1.60–2.50"));
    assert_eq!(rates(of(Some(10.0), Some(12.5)), of(Some(20.0), None)).ratio(), Some((1.6, None)));
    assert_eq!(rates(of(Some(10.0), None), of(Some(20.0), Some(21.0))).ratio(), None);
}

#[rstest]
#[case::all_of_the_interval_reaches_it(10.5, Some(11.0), Some(10.0), Answer::Met)]
#[case::part_of_it_does(10.2, Some(10.8), Some(10.0), Answer::CannotTell)]
#[case::none_of_it_does(9.0, Some(9.5), Some(9.5), Answer::Missed)]
#[case::nothing_bounds_it(10.2, None, Some(10.0), Answer::CannotTell)]
#[case::the_base_is_not_bounded(10.5, Some(11.0), None, Answer::CannotTell)]
fn the_ratio_is_held_against_its_goal_as_an_interval(
    #[case] held: f64,
    #[case] not_held: Option<f64>,
    #[case] base: Option<f64>,
    #[case] answer: Answer,
) {
    let base = Found { held: Some(9.5), not_held: base, ..Found::default() };
    let head = Found { held: Some(held), not_held, ..Found::default() };
    let found = BTreeMap::from([(Side::Base, base), (Side::Head, head)]);
    let rates = LargestRates { ratio_goal: Some(1.05), found, ..LargestRates::default() };
    assert_eq!(rates.answer(), Some(answer));
    let wanted = format!("; the goal is 1.05 at least: {}", answer.word());
    assert!(rates.ratio_says().is_none_or(|says| says.ends_with(&wanted)), "{:?}", rates.ratio_says());
}

#[test]
fn one_alone_and_a_search_without_a_goal_have_no_answer() {
    let head = Found { held: Some(10.5), not_held: Some(11.0), ..Found::default() };
    let alone = BTreeMap::from([(Side::Head, head.clone())]);
    assert_eq!(LargestRates { ratio_goal: Some(1.05), found: alone, ..LargestRates::default() }.answer(), None);
    let both = BTreeMap::from([(Side::Base, head.clone()), (Side::Head, head)]);
    assert_eq!(LargestRates { found: both, ..LargestRates::default() }.answer(), None);
}

proptest! {
    #[test]
    fn the_bracket_holds_the_largest_pace_and_ends_narrow_or_at_the_last_probe(
        first in 0.5_f64..100.0, times in 0.1_f64..10.0,
    ) {
        let largest = first * times;
        let found = search(first, largest);
        prop_assert!(found.probes.len() <= MOST_PROBES);
        prop_assert!(found.held.is_none_or(|held| held <= largest));
        prop_assert!(found.not_held.is_none_or(|not_held| not_held > largest));
        // Within a factor of ten of the first pace twelve probes are enough, where paces may be probed at all.
        if largest > 0.2 && largest < 500.0 {
            prop_assert!(found.is_narrow(), "{found:?}");
        }
    }
}
