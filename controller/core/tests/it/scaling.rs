//! Ten times as much takes about ten times as long: at most twelve times, for every operation that grows with a Job.
//!
//! The least of many runs is compared, small and large in turn, and only the time that the thread itself had on a processor counts:
//! neither a busy machine nor a slow build matters.

use std::hint::black_box;
use std::time::Duration;

use jobsworth_api::IndexSet;
use jobsworth_core::{Gates, JobView, Limits, Memory, PodView, Snapshot, Status, pod::Phase, reconcile};
use nix::time::{ClockId, clock_gettime};
use rstest::rstest;

use crate::world;

const SMALL: u32 = 10_000;
const LARGE: u32 = 100_000;
const AT_MOST: f64 = 12.0;
/// So many that the least is not the machine's doing: who shares its caches takes them away from the larger one first.
const RUNS: usize = 100;

/// Nothing joins: the longest text for so many completions.
fn worst(below: u32) -> IndexSet {
    (0..below).filter(|index| index % 3 != 2).collect()
}

/// How long this thread has been on a processor.
fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap().into()
}

fn timed(work: &mut dyn FnMut()) -> Duration {
    let start = thread_time();
    work();
    thread_time() - start
}

/// Runs both in turn and compares the least times.
fn check(mut small: impl FnMut(), mut large: impl FnMut()) {
    let mut least = [Duration::MAX; 2];
    for _ in 0..RUNS {
        // As long as one of the other, so that both are measured equally well.
        let ten = timed(&mut || (0..10).for_each(|_| small()));
        least = [least[0].min(ten), least[1].min(timed(&mut large))];
        if least[1].as_secs_f64() <= AT_MOST / 10.0 * least[0].as_secs_f64() {
            return;
        }
    }
    panic!("ten times as much takes {:.1} times as long", 10.0 * least[1].as_secs_f64() / least[0].as_secs_f64());
}

/// The indexes at the end of a range, of which none joins another.
fn news(below: u32) -> IndexSet {
    (below..below + 1000).step_by(2).collect()
}

#[rstest]
#[case::reading(|set: &IndexSet, text: &str| { assert_eq!(&text.parse::<IndexSet>().unwrap(), set); })]
#[case::reading_leniently(|set: &IndexSet, text: &str| { black_box((set, IndexSet::parse_lenient(text, u32::MAX))); })]
#[case::writing(|set: &IndexSet, _: &str| { black_box(set.to_text()); })]
#[case::adding_500(|set: &IndexSet, _: &str| { black_box(set.union(&news(set.last().unwrap() + 5))); })]
#[case::taking_away(|set: &IndexSet, _: &str| { black_box(set.minus(&news(0))); })]
#[case::counting_what_is_shared(|set: &IndexSet, _: &str| { black_box(set.shared(set)); })]
#[case::comparing(|set: &IndexSet, _: &str| { black_box(set.is_subset(set)); })]
fn index_sets(#[case] work: fn(&IndexSet, &str)) {
    let sets = [SMALL, LARGE].map(|below| (worst(below), worst(below).to_text()));
    let run = |(set, text): &(IndexSet, String)| work(set, text);
    check(|| run(&sets[0]), || run(&sets[1]));
}

/// An Indexed Job of which the first half is done, the other half runs and the first few of these have ended.
fn half_done(completions: u32, ended: u32) -> (JobView, Vec<PodView>) {
    let mut job = world::job(&format!("{completions} pods, indexed"));
    let half = completions / 2;
    job.status = Status {
        active: completions - half - ended,
        succeeded: half,
        completed: IndexSet::below(half).into(),
        ..world::status("", &job)
    };
    let template = world::pod("p", &job);
    let pod = |index: u32| PodView {
        uid: format!("uid-{index:06}").into(),
        name: format!("j-{index:06}").into(),
        index: Some(index),
        phase: if index < half + ended { Phase::Succeeded } else { Phase::Running },
        ..template.clone()
    };
    let pods = (half..completions).map(pod).collect();
    (job, pods)
}

#[rstest]
#[case::nothing_to_do(0)]
#[case::five_hundred_have_ended(500)]
fn syncs(#[case] ended: u32) {
    let worlds = [SMALL, LARGE].map(|completions| half_done(completions, ended));
    let run = |(job, pods): &(JobView, Vec<PodView>)| {
        let pods: Vec<&PodView> = pods.iter().collect();
        let seen = Snapshot { job, pods: &pods, pods_revision: 0 };
        black_box(reconcile(&seen, &Memory::default(), world::start(), &Gates::V1_36, &Limits::UPSTREAM));
    };
    check(|| run(&worlds[0]), || run(&worlds[1]));
}
