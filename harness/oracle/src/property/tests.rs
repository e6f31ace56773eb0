//! Claims against hand-made timelines: each of the eight forms, and what missing evidence does to it.

use super::{
    Check, Property, after, always, any_of, before, eventually, eventually_within, never, never_within, stable,
    whenever,
};
use crate::{
    fact::{Entry, Fact},
    predicate::Predicate,
    request::Request,
    setting::{Ownership, Setting},
    timeline::{Death, Ending, Timeline},
    vocabulary::passed,
    world::Change,
};
use jobsworth_api::Resource;
use rstest::rstest;
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// The script passes these points, one a second; `GAP` is a hole instead, and `SLOW` a request of the controller that was answered after a
/// second.
fn timeline(points: &str, ending: Ending) -> Timeline {
    let fact = |point: &str| match point {
        "GAP" => Fact::Gap("pods".to_owned()),
        "SLOW" => Fact::Request(Arc::new(Request { code: Some(200), took_us: 1_000_000, ..Request::default() })),
        point => Fact::Mark(point.to_owned()),
    };
    let entries = points.split_whitespace().zip(1u64..).map(|(point, revision)| Entry {
        revision,
        at: Duration::from_secs(revision),
        fact: fact(point),
    });
    let setting = Setting {
        case: "a/case".to_owned(),
        namespace: "jw-1".to_owned(),
        started: "2026-01-01T00:00:00Z".parse().unwrap(),
        kubernetes: "1.37.1".parse().unwrap(),
        emulated: None,
        gates: BTreeMap::new(),
        subject: "builtin".to_owned(),
        judged: Resource::JOBS,
        ownership: Ownership::BuiltIn,
        shared: false,
    };
    Timeline::seal(setting, entries.collect(), ending)
}

fn a() -> Predicate {
    passed("a").named("a")
}

fn b() -> Predicate {
    passed("b").named("b")
}

/// True in the world of the very entry that passes the point.
fn at(point: &'static str) -> Predicate {
    Predicate::new(format!("at {point}"), move |world| matches!(&world.change, Change::Marked(mark) if mark == point))
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn died() -> Ending {
    Ending::Death(Death { status: "exit status: 101".to_owned(), last_words: Vec::new() })
}

fn stalled() -> Ending {
    Ending::Stalled { waited_for: "b".to_owned(), limit: seconds(60) }
}

/// `held`, `vacuous`, or `broken` with the revision.
#[track_caller]
fn check(property: &Property, timeline: &Timeline, expected: &str) {
    let outcome = match property.check(timeline) {
        Check::Held => "held".to_owned(),
        Check::Vacuous(_) => "vacuous".to_owned(),
        Check::Broken(breach) => format!("broken at {}", breach.revision),
    };
    assert_eq!(outcome, expected, "{}", property.words());
}

#[rstest]
#[case::always_true(always(at("c").negated()), "a b", "held")]
#[case::once_false(always(at("b").negated()), "a b c", "broken at 2")]
#[case::never_seen(never(b()), "a c", "held")]
#[case::seen_once(never(at("b")), "a b c", "broken at 2")]
#[case::not_seen_in_the_window(never_within(seconds(2), at("b")), "a c b d", "held")]
#[case::seen_in_the_window(never_within(seconds(3), at("b")), "a b c d", "broken at 2")]
#[case::the_recording_is_shorter_than_the_window(never_within(seconds(9), b()), "a c", "vacuous")]
#[case::seen_at_last(eventually(b()), "a b", "held")]
#[case::not_seen_at_all(eventually(b()), "a c", "broken at 2")]
#[case::seen_in_time(eventually_within(seconds(2), b()), "a b", "held")]
#[case::seen_too_late(eventually_within(seconds(1), b()), "a b", "broken at 2")]
#[case::seen_as_much_later_as_the_machine_was(eventually_within(seconds(1), b()), "SLOW c b", "held")]
#[case::seen_later_than_that(eventually_within(seconds(1), b()), "SLOW c c b", "broken at 4")]
#[case::a_slow_machine_makes_nothing_come(eventually_within(seconds(1), b()), "SLOW c c c", "broken at 4")]
#[case::the_claim_begins_at_the_trigger(after(&a(), eventually_within(seconds(1), b())), "c c a b", "held")]
#[case::no_trigger(after(&b(), never(a())), "c c", "vacuous")]
#[case::broken_after_the_trigger(after(&a(), never(at("b"))), "b a b", "broken at 3")]
#[case::broken_before_the_trigger_only(after(&a(), never(at("b"))), "b a c", "held")]
#[case::the_claim_ends_at_the_limit(before(&a(), never(at("b"))), "c a b", "held")]
#[case::broken_before_the_limit(before(&a(), never(at("b"))), "b a", "broken at 1")]
#[case::no_limit(before(&a(), never(b())), "c c", "vacuous")]
#[case::both_at_once(whenever(&b(), a()), "a b", "held")]
#[case::one_without_the_other(whenever(&b(), a()), "b a", "broken at 1")]
#[case::no_occasion(whenever(&b(), a()), "a a", "vacuous")]
#[case::once_and_for_good(stable(&a()), "c a c", "held")]
#[case::once_and_gone(stable(&at("a")), "c a c", "broken at 3")]
#[case::not_once(stable(&a()), "c c", "vacuous")]
fn outcomes(#[case] property: Property, #[case] points: &str, #[case] expected: &str) {
    check(&property, &timeline(points, Ending::Complete), expected);
}

#[rstest]
#[case::always(always(at("z").negated()), "vacuous")]
#[case::never(never(at("z")), "vacuous")]
#[case::whenever(whenever(&a(), a()), "vacuous")]
#[case::stable(stable(&a()), "vacuous")]
#[case::what_was_seen_was_seen(eventually(b()), "held")]
#[case::what_was_not_seen_may_be_in_the_hole(eventually(passed("z")), "vacuous")]
#[case::a_breach_stays_one(never(at("b")), "broken at 3")]
fn a_hole_in_the_history_turns_absence_into_doubt(#[case] property: Property, #[case] expected: &str) {
    check(&property, &timeline("a GAP b", Ending::Complete), expected);
}

#[rstest]
#[case::a_fault_leaves_it_open(Ending::Fault("etcd died".to_owned()), "vacuous")]
#[case::the_death_of_the_controller_leaves_it_open(died(), "vacuous")]
#[case::a_cut_leaves_it_open(Ending::Truncated, "vacuous")]
#[case::waiting_in_vain_does_not(stalled(), "broken at 2")]
#[case::the_end_does_not(Ending::Complete, "broken at 2")]
fn what_was_not_seen_depends_on_the_ending(#[case] ending: Ending, #[case] expected: &str) {
    check(&eventually(b()), &timeline("a c", ending), expected);
}

#[test]
fn what_never_was_is_held_when_the_script_waited_in_vain() {
    check(&never(b()), &timeline("a c", stalled()), "held");
}

#[test]
fn a_claim_on_nothing_that_was_recorded_is_judged_on_the_empty_world() {
    check(&eventually(a()), &timeline("", Ending::Complete), "broken at 0");
    check(&never(a()), &timeline("", Ending::Complete), "held");
}

#[test]
fn words() {
    let claims = [
        always(a()),
        never(a()),
        never_within(seconds(2), a()),
        eventually(a()),
        eventually_within(Duration::from_millis(1500), a()),
        after(&a(), before(&b(), always(a().or(b())))),
        whenever(&a().and(b()), b().negated()),
        stable(&a()),
    ];
    let words: Vec<String> = claims.iter().map(Property::words).collect();
    insta::assert_snapshot!(words.join("\n"));
}

#[test]
fn a_breach_says_what_was_expected_and_what_there_was() {
    let Check::Broken(breach) = eventually_within(seconds(1), b()).check(&timeline("a b", Ending::Complete)) else {
        panic!("it came too late");
    };
    insta::assert_snapshot!(format!("{}\n{}", breach.expected, breach.observed));
}

#[rstest]
#[case::the_first("a", Ending::Complete, "held")]
#[case::the_second("b", Ending::Complete, "held")]
#[case::none("c", Ending::Complete, "broken")]
#[case::none_and_history_is_missing("GAP", Ending::Complete, "vacuous")]
#[case::one_though_history_is_missing("GAP b", Ending::Complete, "held")]
fn one_of_several_is_enough(#[case] points: &str, #[case] ending: Ending, #[case] outcome: &str) {
    let check = any_of([eventually(a()), eventually(b())]).check(&timeline(points, ending));
    let found = match &check {
        Check::Held => "held",
        Check::Vacuous(_) => "vacuous",
        Check::Broken(breach) => {
            assert_eq!(breach.expected, "any of [eventually: a], [eventually: b]");
            "broken"
        }
    };
    assert_eq!(found, outcome, "{check:?}");
}

fn told() -> Predicate {
    Predicate::of_events("it was told", |_| false)
}

#[rstest]
#[case::an_event_that_must_come(eventually(told()), true)]
#[case::soon(eventually_within(Duration::from_secs(1), told()), true)]
#[case::after_something(after(&passed("done"), eventually(told())), true)]
#[case::an_event_that_must_not_come(never(told()), false)]
#[case::one_that_must_come_before_something_has_no_more_time(before(&passed("done"), eventually(told())), false)]
#[case::what_is_no_event(eventually(passed("done")), false)]
#[case::an_event_and_something_else(eventually(told().and(passed("done"))), false)]
fn is_waited_for_at_the_end(#[case] claim: Property, #[case] waits: bool) {
    assert_eq!(claim.awaited_event().map(Predicate::words), waits.then_some("it was told"));
}
