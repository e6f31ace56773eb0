//! Every invariant says no to histories that break it, and to no other.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod breaking;
mod telling;
mod timelines;

use breaking::{Told, told};
use jobsworth_oracle::{Check, Timeline, invariants};
use rstest::rstest;
use telling::Way;

fn broken_by(timeline: &Timeline) -> Vec<String> {
    telling::broken_of(invariants::ALL, timeline)
}

fn misjudged(told: &Told) -> Option<String> {
    telling::misjudged(told, &broken_by(&(told.story)().end()))
}

#[rstest]
#[case::conditions(&["S01", "S02", "S03", "S04"])]
#[case::ends(&["S05", "S06", "S07"])]
#[case::counters_and_indexes(&["S08", "S09", "S10", "S11"])]
#[case::the_ledger(&["S12", "S13", "S14", "S15", "S16"])]
#[case::numbers_of_pods(&["S17", "S18", "S19", "S20", "S24"])]
#[case::the_shape_of_pods(&["S21"])]
#[case::limits_and_back_off(&["S22", "S23"])]
#[case::what_belongs_to_others(&["S25", "S26", "S28"])]
#[case::time(&["S27", "S31"])]
#[case::what_is_written(&["S29", "S30", "S32", "S33"])]
#[case::what_must_have_come(&["L1", "L2", "L4"])]
#[case::what_happens_while_nothing_happens(&["L3"])]
#[case::what_is_taken_up_again(&["L6", "L8"])]
#[case::what_is_asked(&["W01", "W02", "W03", "W04", "W05", "W06", "W07", "W08", "W09", "W10"])]
fn histories_are_told_apart(#[case] ids: &[&str]) {
    let misjudged: Vec<String> = told().filter(|told| ids.contains(&told.id)).filter_map(misjudged).collect();
    assert!(misjudged.is_empty(), "{}", misjudged.join("\n"));
}

#[test]
fn every_invariant_has_histories_that_break_it_and_histories_that_look_like_it() {
    for invariant in invariants::ALL {
        let count = |way| told().filter(|told| told.id == invariant.id() && told.way == way).count();
        let (breaks, legal) = (count(Way::Breaks), count(Way::Legal));
        assert!(breaks >= 3, "{}: {breaks} breaking histories", invariant.id());
        assert!(legal >= 2, "{}: {legal} tricky legal histories", invariant.id());
        // Also those that the table above forgot.
        let misjudged: Vec<String> = told().filter(|told| told.id == invariant.id()).filter_map(misjudged).collect();
        assert!(misjudged.is_empty(), "{}", misjudged.join("\n"));
    }
}

#[test]
fn every_history_is_about_an_invariant_that_is_judged() {
    for told in told() {
        assert!(invariants::ALL.iter().any(|invariant| invariant.id() == told.id), "{}: {}", told.id, told.says);
    }
}

#[test]
fn numbers_ascend_and_sentences_differ() {
    let ids: Vec<_> = invariants::ALL.iter().map(|invariant| invariant.id()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    let mut says: Vec<_> = invariants::ALL.iter().map(|invariant| invariant.says()).collect();
    says.sort_unstable();
    says.dedup();
    assert_eq!(says.len(), ids.len());
}

#[test]
fn nothing_is_held_on_a_history_with_a_hole() {
    let timeline = timelines::two_complete().gap("pods").end();
    for invariant in invariants::ALL {
        assert_ne!(invariant.check(&timeline), Check::Held, "{}", invariant.id());
    }
}

#[test]
fn what_is_seen_despite_a_hole_still_breaks() {
    let timeline = timelines::two_complete().gap("pods").status(serde_json::json!({"active": 1})).end();
    assert!(broken_by(&timeline).iter().any(|sentence| sentence.starts_with("S05")));
}

#[test]
fn events_that_have_no_order_break_nothing() {
    let timeline = timelines::three_run().events_apart().notice("SuccessfulCreate", 1).notice("Completed", 9000).end();
    assert_eq!(broken_by(&timeline), Vec::<String>::new());
}

#[test]
fn a_recorded_nothing_breaks_nothing() {
    let timeline = Timeline::seal(timelines::two_complete().setting, vec![], jobsworth_oracle::Ending::Complete);
    assert_eq!(broken_by(&timeline), Vec::<String>::new());
}
