//! Every invariant of Volcano's Jobs says no to histories that break it, and to no other.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod falsified;
mod story;
#[path = "../telling/mod.rs"]
mod telling;
#[expect(dead_code, reason = "of the builder only the setting and the merging of patches are used")]
#[path = "../timelines/mod.rs"]
mod timelines;
mod told;

use jobsworth_api::Resource;
use jobsworth_oracle::{Check, Ending, Expectations, Timeline, Verdict, invariants, judge, wire};
use telling::Way;
use told::{Told, told};

fn broken_by(timeline: &Timeline) -> Vec<String> {
    telling::broken_of(invariants::of(&Resource::VOLCANO_JOBS), timeline)
}

fn misjudged(told: &Told) -> Option<String> {
    telling::misjudged(told, &broken_by(&(told.story)().end()))
}

#[test]
fn histories_are_told_apart() {
    let misjudged: Vec<String> = told().filter_map(misjudged).collect();
    assert!(misjudged.is_empty(), "{}", misjudged.join("\n"));
}

#[test]
fn every_invariant_has_histories_that_break_it_and_histories_that_look_like_it() {
    // Those of whatever API have theirs elsewhere.
    let own = invariants::volcano::ALL.iter().filter(|invariant| invariant.id().starts_with('V'));
    for invariant in own {
        let count = |way| told().filter(|told| told.id == invariant.id() && told.way == way).count();
        let (breaks, legal) = (count(Way::Breaks), count(Way::Legal));
        assert!(breaks >= 3, "{}: {breaks} breaking histories", invariant.id());
        assert!(legal >= 2, "{}: {legal} tricky legal histories", invariant.id());
    }
}

#[test]
fn every_history_is_about_an_invariant_that_is_judged() {
    for told in told() {
        let is_known = invariants::volcano::ALL.iter().any(|invariant| invariant.id() == told.id);
        assert!(is_known, "{}: {}", told.id, told.says);
    }
}

#[test]
fn numbers_ascend_and_sentences_differ() {
    let ids: Vec<_> = invariants::volcano::ALL.iter().map(|invariant| invariant.id()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    let mut says: Vec<_> = invariants::volcano::ALL.iter().map(|invariant| invariant.says()).collect();
    says.sort_unstable();
    says.dedup();
    assert_eq!(says.len(), ids.len());
}

#[test]
fn nothing_is_held_on_a_history_with_a_hole() {
    let timeline = story::restarted().gap("pods").end();
    for invariant in invariants::volcano::ALL {
        assert_ne!(invariant.check(&timeline), Check::Held, "{}", invariant.id());
    }
}

#[test]
fn a_recorded_nothing_breaks_nothing() {
    let timeline = Timeline::seal(story::running().setting, vec![], Ending::Complete);
    assert_eq!(broken_by(&timeline), Vec::<String>::new());
}

#[test]
fn a_history_is_judged_alike_after_it_was_written_down() {
    for told in told() {
        let timeline = (told.story)().end();
        let mut lines = vec![wire::head(&timeline.setting)];
        lines.extend(timeline.entries().iter().map(wire::entry));
        lines.push(wire::end(&timeline.ending, timeline.entries().len()));
        let again = wire::read((lines.join("\n") + "\n").as_bytes()).unwrap();
        assert_eq!(broken_by(&again), broken_by(&timeline), "{}: {}", told.id, told.says);
    }
}

#[test]
fn a_whole_life_passes() {
    let timeline = story::restarted().succeed("worker-0").succeed("worker-1").phase("Completed").end();
    assert_eq!(judge(&timeline, &Expectations::new()).verdict, Verdict::Pass);
}
