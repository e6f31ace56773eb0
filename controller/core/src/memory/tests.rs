//! What is remembered, and for how long.

use jiff::SignedDuration;
use rstest::rstest;

use super::*;
use crate::pod::Phase;
use crate::{PodView, Status};

fn job() -> JobView {
    JobView {
        name: "j".into(),
        namespace: "n".into(),
        uid: "job".into(),
        generation: 1,
        revision: 7,
        created: Timestamp::UNIX_EPOCH,
        deleting: false,
        spec: std::sync::Arc::new(crate::JobSpec::parse(&Default::default()).unwrap()),
        status: Status::default(),
        unreadable: None,
    }
}

fn pod(uid: &str, tracked: bool) -> PodView {
    PodView {
        uid: uid.into(),
        name: uid.into(),
        revision: 1,
        created: Timestamp::UNIX_EPOCH,
        deleting: false,
        tracked,
        owner: None,
        labels: [].into(),
        index: None,
        failures: Default::default(),
        phase: Phase::Running,
        ready: false,
        ready_since: None,
        assigned: true,
        restarts: 0,
        restarts_with_init: 0,
        exits: Vec::new(),
        conditions: Vec::new(),
        finished: Timestamp::UNIX_EPOCH,
    }
}

fn busy() -> Memory {
    Memory {
        job: Some("job".into()),
        created: [("born".into(), 50)].into(),
        deleted: ["old".into()].into(),
        released: ["old".into(), "gone".into()].into(),
        waiting_since: Some(Timestamp::UNIX_EPOCH),
        ..Memory::default()
    }
}

fn look(memory: &Memory, pods: &[&PodView], pods_revision: u64, after_s: i64, gates: &Gates) -> Memory {
    let seen = Snapshot { job: &job(), pods, pods_revision };
    memory.after_looking(&seen, Timestamp::from_second(after_s).unwrap(), gates, &Limits::UPSTREAM)
}

/// (FIN-020, FIN-009)
#[test]
fn removals_are_remembered_only_as_long_as_the_pod_is_there_with_its_finalizer() {
    let old = pod("old", true);
    let kept = look(&busy(), &[&old], 10, 1, &Gates::V1_36);
    assert_eq!(kept.released, ["old".into()].into());
    assert!(look(&kept, &[&pod("old", false)], 10, 1, &Gates::V1_36).released.is_empty());
    assert!(look(&kept, &[], 10, 1, &Gates::V1_36).released.is_empty());
}

/// Five minutes free a Job only where the cache does not say how far it is (SYN-014).
#[rstest]
#[case::the_cache_says_how_far_it_is(10, true, 300, false)]
#[case::it_does_not_say(0, true, 300, true)]
#[case::not_before_the_time(0, true, 299, false)]
#[case::without_the_gate(10, false, 300, true)]
fn an_own_write_that_is_never_seen(
    #[case] revision: u64,
    #[case] gate: bool,
    #[case] after_s: i64,
    #[case] satisfied: bool,
) {
    let gates = Gates { stale_consistency: gate, ..Gates::V1_36 };
    assert_eq!(look(&busy(), &[&pod("old", true)], revision, after_s, &gates).is_satisfied(), satisfied);
}

/// (SYN-018, BKO-012)
#[test]
fn another_job_of_the_name_starts_clean() {
    let record = Record { failures: 3, last: Some(Timestamp::UNIX_EPOCH) };
    let memory = Memory { job: Some("before".into()), backoff: record, finished: true, ..busy() };
    let fresh = look(&memory, &[], 10, 1, &Gates::V1_36);
    assert_eq!(fresh, Memory { job: Some("job".into()), ..Memory::default() });
    assert_eq!(fresh.backoff.remaining(Timestamp::UNIX_EPOCH, &Limits::UPSTREAM), SignedDuration::ZERO);
}
