//! What calls that fail, answers that get lost and caches that lag mean for a sync.

use std::sync::Arc;

use jiff::SignedDuration;
use jobsworth_core::{
    Action, Decision, Effort, Failure, Gates, Limits, Memory, Notice, Outcome, PodView, Requeue, Sample, Snapshot,
    reconcile,
};
use rstest::rstest;

use crate::world;

struct Sync {
    memory: Memory,
    requeue: Requeue,
    effort: Option<Effort>,
    calls: Vec<Action>,
}

/// One sync of `job | pods | status`; `answer` says what the n-th call comes to.
fn sync(text: &str, memory: &Memory, revision: u64, answer: impl Fn(usize, &Action) -> Outcome) -> Sync {
    sync_at(0, text, memory, revision, answer)
}

/// The same, so many seconds later.
fn sync_at(
    seconds: i64,
    text: &str,
    memory: &Memory,
    revision: u64,
    answer: impl Fn(usize, &Action) -> Outcome,
) -> Sync {
    let now = world::ago(-seconds);
    let mut parts = text.split('|').map(str::trim);
    let mut job = world::job(parts.next().unwrap());
    let pods = world::pods(parts.next().unwrap_or_default(), &job);
    job.status = world::status(parts.next().unwrap_or_default(), &job);
    let pods: Vec<&PodView> = pods.iter().collect();
    let seen = Snapshot { job: &job, pods: &pods, pods_revision: revision };
    let mut decision = reconcile(&seen, memory, now, &Gates::V1_36, &Limits::UPSTREAM);
    let mut calls = Vec::new();
    loop {
        let mut outcomes = Vec::new();
        for batch in std::mem::take(&mut decision.batches) {
            let results = batch.actions.into_iter().map(|action| {
                let outcome = answer(calls.len(), &action);
                calls.push(action);
                outcome
            });
            outcomes.push(results.collect::<Vec<_>>());
        }
        match decision.awaiting.take() {
            Some(awaiting) => decision = awaiting.after(&outcomes, now),
            None => break,
        }
    }
    let Decision { memory, requeue, effort, .. } = decision;
    Sync { memory, requeue, effort, calls }
}

fn fine(_: usize, action: &Action) -> Outcome {
    match action {
        Action::CreatePod(_) => Outcome::Created { uid: "new".into(), name: "new".into(), revision: 50 },
        _ => Outcome::Done { revision: 51 },
    }
}

fn refused() -> Outcome {
    Outcome::Failed(Failure::Other("no".into()))
}

/// The numbers in the last status that was to be written: active, ready, terminating.
fn counts(sync: &Sync) -> (u32, Option<u32>, Option<u32>) {
    let written = sync.calls.iter().rev().find_map(|call| match call {
        Action::WriteStatus(new) => Some(&new.status),
        _ => None,
    });
    written.map(|status| (status.active, status.ready, status.terminating)).unwrap()
}

/// (PAR-012, PAR-027, SYN-016)
#[rstest]
#[case::one_of_three(1, (2, Some(0), Some(0)))]
#[case::none_was_made(3, (0, Some(0), Some(0)))]
fn creations_that_fail_are_neither_active_nor_expected(
    #[case] failed: usize,
    #[case] numbers: (u32, Option<u32>, Option<u32>),
) {
    let answer = |at: usize, action: &Action| match action {
        Action::CreatePod(_) if at < failed => refused(),
        Action::CreatePod(_) => {
            Outcome::Created { uid: format!("n{at}").into(), name: "n".into(), revision: 50 + at as u64 }
        }
        _ => fine(at, action),
    };
    let sync = sync("3 pods | | fresh", &Memory::default(), 9, answer);
    let refused = Requeue::Refused(SignedDuration::from_secs(1));
    assert_eq!((counts(&sync), sync.requeue, sync.effort), (numbers, refused, Some(Effort::PodsCreated)));
    assert_eq!(sync.memory.is_satisfied(), failed == 3);
}

fn births(sync: &Sync) -> usize {
    sync.calls.iter().filter(|call| matches!(call, Action::CreatePod(_))).count()
}

fn refuse_creations(at: usize, action: &Action) -> Outcome {
    if matches!(action, Action::CreatePod(_)) { refused() } else { fine(at, action) }
}

/// What holds creations back, and what frees them before their time (SYN-005, BKO-017).
#[rstest]
#[case::nothing_happened(0, "4 pods | 0 runs, 1 runs, 2 fails untracked | 2 active", 0)]
#[case::the_time_is_over(1, "4 pods | 0 runs, 1 runs, 2 fails untracked | 2 active", 2)]
#[case::a_pod_ended(0, "4 pods | 0 runs, 1 ok, 2 fails untracked | 2 active", 2)]
#[case::an_ended_pod_is_gone(0, "4 pods | 0 runs, 1 runs | 2 active", 2)]
#[case::a_pod_is_told_to_stop(0, "4 pods | 0 runs, 1 stops, 2 fails untracked | 2 active", 0)]
#[case::the_spec_changed(0, "4 pods, of another generation | 0 runs, 1 runs, 2 fails untracked | 2 active", 2)]
fn refused_creations_wait_until_there_may_be_room(#[case] seconds: i64, #[case] then: &str, #[case] created: usize) {
    let world = "4 pods | 0 runs, 1 runs, 2 fails untracked | 2 active";
    let memory = sync(world, &Memory::default(), 9, refuse_creations).memory;
    assert_eq!(births(&sync_at(seconds, then, &memory, 9, refuse_creations)), created);
}

/// Each refusal in a row doubles the wait of creations; a deadline does not wait for it (SYN-005, DLN-005).
#[test]
fn creations_that_are_refused_again_and_again_wait_longer_and_the_deadline_does_not() {
    let world = "3 pods, deadline 121 | 0 runs | started 100, 1 active";
    let (mut memory, mut now, mut waits) = (Memory::default(), 0, Vec::new());
    while waits.len() < 5 {
        let sync = sync_at(now, world, &memory, 9, refuse_creations);
        let Requeue::Refused(wait) = sync.requeue else { panic!("{:?}", sync.requeue) };
        waits.push(wait.as_secs());
        (memory, now) = (sync.memory, now + wait.as_secs());
    }
    assert_eq!(waits, [1, 2, 4, 8, 6], "the last one ends with the deadline");
    let ended = sync_at(now, world, &memory, 9, fine);
    assert!(ended.calls.iter().any(|call| matches!(call, Action::WriteStatus(_))), "{:?}", ended.calls);
}

/// While creations wait, everything else goes on (SYN-015, FIN-010).
#[rstest]
#[case::an_end_is_counted("2 pods | 0 runs, 1 fails since 0 | 1 active", "release")]
#[case::a_surplus_goes("1 pods, 1 at a time, of another generation | 0 runs, 1 runs | 2 active", "remove")]
#[case::a_suspended_job_stops("3 pods, suspended | 0 runs | 1 active", "remove")]
fn refused_creations_hold_up_nothing_else(#[case] then: &str, #[case] what: &str) {
    let memory = sync("3 pods | 0 runs, 1 runs | 2 active", &Memory::default(), 9, refuse_creations).memory;
    let calls = sync(then, &memory, 9, fine).calls;
    let done = |call: &Action| match call {
        Action::ReleasePod { .. } => what == "release",
        Action::StripAndDelete { .. } => what == "remove",
        _ => false,
    };
    assert!(calls.iter().any(done), "{calls:?}");
}

/// An API server that asks for time gets it: no failure, no event, no sample.
#[test]
fn a_call_that_is_put_off_has_not_failed() {
    let wait = SignedDuration::from_secs(7);
    let later = |at: usize, action: &Action| match action {
        Action::CreatePod(_) => Outcome::Failed(Failure::Later(wait)),
        _ => fine(at, action),
    };
    let first = sync("700 pods | | fresh", &Memory::default(), 9, later);
    assert_eq!((first.requeue, first.memory.is_satisfied()), (Requeue::After(wait), true));
    let unwritten =
        sync("1 pods | 0 ok | 1 active", &Memory::default(), 9, |_, _| Outcome::Failed(Failure::Later(wait)));
    assert_eq!(unwritten.requeue, Requeue::After(wait));
    let create = &first.calls[0];
    let outcome = Outcome::Failed(Failure::Later(wait));
    assert_eq!((Notice::about(create, &outcome), Sample::about(create, &outcome)), (None, None));
}

/// (PAR-013)
#[test]
fn a_terminating_namespace_is_no_failure() {
    let answer = |at, action: &Action| match action {
        Action::CreatePod(_) => Outcome::Failed(Failure::NamespaceTerminating),
        _ => fine(at, action),
    };
    assert_eq!(sync("1 pods | | fresh", &Memory::default(), 9, answer).requeue, Requeue::No);
}

/// (SYN-014)
#[test]
fn a_creation_in_doubt_blocks_others_until_the_pods_are_listed() {
    let doubt = |at, action: &Action| match action {
        Action::CreatePod(_) => Outcome::Unknown,
        _ => fine(at, action),
    };
    let mut memory = sync("1 pods | | fresh", &Memory::default(), 9, doubt).memory;
    assert!(!memory.is_satisfied());
    memory.pods_were_listed();
    assert!(memory.is_satisfied());
}

/// (SYN-014)
#[rstest]
#[case::not_yet(49, 0)]
#[case::the_cache_is_past_it(50, 1)]
fn no_pod_is_created_before_the_last_one_was_seen(#[case] revision: u64, #[case] creations: usize) {
    let memory = sync("1 pods | | 1 active", &Memory::default(), 9, fine).memory;
    let again = sync("2 pods | 0 runs | 2 active", &memory, revision, |_, _| refused());
    let births = again.calls.iter().filter(|call| matches!(call, Action::CreatePod(_))).count();
    assert_eq!(births, creations);
}

/// (SYN-015, PAR-021)
#[test]
fn while_own_creations_are_unseen_ended_pods_are_counted_all_the_same() {
    let memory = sync("2 pods, 1 at a time | | 1 active", &Memory::default(), 9, fine).memory;
    let again = sync("3 pods | 0 ok | 1 active", &memory, 9, fine);
    assert_eq!(again.effort, Some(Effort::Reconciling));
    assert!(again.calls.iter().any(|call| matches!(call, Action::ReleasePod { .. })), "{:?}", again.calls);
    assert_eq!(counts(&again).0, 1, "the unseen pod is active");
}

/// (SYN-024, FIN-002)
#[rstest]
#[case::conflict(Outcome::Failed(Failure::Conflict))]
#[case::no_answer(Outcome::Unknown)]
fn without_the_first_status_nothing_is_released(#[case] answer: Outcome) {
    let sync = sync("2 pods | 0 ok, 1 runs | 2 active", &Memory::default(), 9, |at, action| match action {
        Action::WriteStatus(_) => answer.clone(),
        _ if at > 0 => Outcome::Skipped,
        _ => fine(at, action),
    });
    assert_eq!(sync.requeue, Requeue::Failed);
    assert_eq!(sync.calls.iter().filter(|call| matches!(call, Action::WriteStatus(_))).count(), 1);
}

/// (FIN-008, FIN-010)
#[test]
fn releases_that_fail_are_not_counted_and_keep_the_job_open() {
    let sync = sync("2 pods | 0 ok, 1 ok | 2 active", &Memory::default(), 9, |at, action| match action {
        Action::ReleasePod { name, .. } if &**name == "p1" => refused(),
        Action::ReleasePod { .. } => Outcome::Gone,
        _ => fine(at, action),
    });
    let Some(Action::WriteStatus(last)) = sync.calls.last() else { panic!("{:?}", sync.calls) };
    assert_eq!((last.status.succeeded, last.status.uncounted.succeeded.len()), (1, 1));
    assert!(!last.status.is_finished());
    assert_eq!(sync.requeue, Requeue::Failed);
}

#[test]
fn pods_that_could_not_be_stopped_are_active_again() {
    let sync = sync("2 pods, limit 0 | 0 fails, 1 runs | 2 active", &Memory::default(), 9, |at, action| match action {
        Action::DeletePod { .. } => refused(),
        _ => fine(at, action),
    });
    assert_eq!(counts(&sync), (1, Some(0), Some(0)));
}

/// (SYN-020, MET-004)
#[test]
fn a_finished_job_is_left_alone_until_the_cache_shows_it_finished() {
    let memory = sync("1 pods | 0 ok | 1 active", &Memory::default(), 9, fine).memory;
    let again = sync("1 pods | | 1 active", &memory, 60, fine);
    assert_eq!(
        (again.calls.len(), again.effort, again.requeue),
        (0, None, Requeue::After(SignedDuration::from_secs(1)))
    );
}

/// (SYN-018)
#[test]
fn what_was_known_of_another_job_of_that_name_is_worth_nothing() {
    let old = sync("1 pods | | 1 active", &Memory::default(), 9, fine).memory;
    let mut job = world::job("1 pods");
    (job.uid, job.status) = ("another".into(), world::status("fresh", &job));
    let seen = Snapshot { job: &job, pods: &[], pods_revision: 1 };
    let decision = reconcile(&seen, &old, world::start(), &Gates::V1_36, &Limits::UPSTREAM);
    assert!(matches!(decision.batches[0].actions[..], [Action::CreatePod(_)]), "{:?}", decision.batches);
}

/// (EVT-001, EVT-002, EVT-003, MET-011, MET-013)
#[test]
fn calls_leave_events_and_samples() {
    let create = Action::CreatePod(jobsworth_core::CreatePod { index: None, failures: None, reason: "new" });
    let delete = Action::DeletePod { uid: "u".into(), name: Arc::from("p") };
    let text = |action: &Action, outcome: &Outcome| {
        Notice::about(action, outcome).map(|n| format!("{} {}", n.reason, n.message))
    };
    let born = Outcome::Created { uid: "u".into(), name: "p".into(), revision: 1 };
    assert_eq!(text(&create, &born).as_deref(), Some("SuccessfulCreate Created pod: p"));
    assert_eq!(text(&create, &refused()).as_deref(), Some("FailedCreate Error creating: no"));
    assert_eq!(text(&create, &Outcome::Failed(Failure::NamespaceTerminating)), None);
    assert_eq!(text(&delete, &Outcome::Gone).as_deref(), Some("SuccessfulDelete Deleted pod: p"));
    assert_eq!(text(&delete, &refused()).as_deref(), Some("FailedDelete Error deleting: no"));
    let sample = |outcome: &Outcome| Sample::about(&create, outcome);
    assert_eq!(sample(&born), Some(Sample::PodCreation { reason: "new", succeeded: true }));
    assert_eq!(sample(&refused()), Some(Sample::PodCreation { reason: "new", succeeded: false }));
}

/// (MET-005, MET-007, MET-010)
#[rstest]
#[case::pods_and_end("1 pods | 0 ok | 1 active", &["pods 1+0", "finished CompletionsReached"])]
#[case::indexes("2 pods, indexed, limit per index 0 | 0 fails, 1 ok | lost, 2 active", &["handled", "indexes 1+1 perIndex", "pods 1+1", "finished FailedIndexes"])]
fn statuses_leave_samples(#[case] text: &str, #[case] expected: &[&str]) {
    let sync = sync(text, &Memory::default(), 9, fine);
    let written = sync.calls.iter().filter_map(|call| match call {
        Action::WriteStatus(new) => Some(new.samples.clone()),
        _ => None,
    });
    let (mut pods, mut indexes, mut ends) = ((0, 0), (0, 0), Vec::new());
    for sample in written.flatten() {
        match sample {
            Sample::PodsFinished { succeeded, failed } => pods = (pods.0 + succeeded, pods.1 + failed),
            Sample::IndexesFinished { succeeded, failed, .. } => indexes = (indexes.0 + succeeded, indexes.1 + failed),
            Sample::JobFinished { reason, .. } => ends.push(format!("finished {reason}")),
            other => panic!("{other:?}"),
        }
    }
    let said = [format!("pods {}+{}", pods.0, pods.1), format!("indexes {}+{} perIndex", indexes.0, indexes.1)];
    for line in expected.iter().filter(|line| **line != "handled") {
        assert!(said.iter().chain(&ends).any(|known| known == line), "{line} in {said:?} {ends:?}");
    }
}

/// (PAR-018, SYN-016)
#[test]
fn deleting_a_pod_that_is_gone_already_is_as_good_as_deleting_it() {
    let text = "2 pods, 1 at a time | 0 runs, 1 ready | 2 active, 1 ready";
    let sync = sync(text, &Memory::default(), 9, |at, action| match action {
        Action::StripAndDelete { .. } => Outcome::Gone,
        _ => fine(at, action),
    });
    assert_eq!((counts(&sync), sync.requeue), ((1, Some(1), Some(0)), Requeue::No));
}

/// (SYN-007)
#[test]
fn a_deletion_counts_as_seen_as_soon_as_the_pod_has_a_deletion_timestamp() {
    let text = "2 pods, 1 at a time | 0 runs, 1 ready | 1 active, 1 ready, 1 terminating";
    let memory = sync(text, &Memory::default(), 9, fine).memory;
    assert!(!memory.is_satisfied());
    let still = sync("2 pods | 0 runs, 1 ready | 1 active, 1 ready, 1 terminating", &memory, 9, fine);
    assert_eq!(still.effort, Some(Effort::Reconciling), "the deletion is not seen yet");
    let seen = sync("2 pods | 0 stops untracked, 1 ready | 1 active, 1 ready, 1 terminating", &memory, 9, fine);
    assert!(seen.calls.iter().any(|call| matches!(call, Action::CreatePod(_))), "{:?}", seen.calls);
}

/// (FIN-009)
#[test]
fn a_finalizer_whose_removal_was_not_seen_yet_is_not_removed_again() {
    let memory = sync("2 pods, 1 at a time | 0 ok, 1 runs | 1 active", &Memory::default(), 9, fine).memory;
    let mut job = world::job("2 pods, 1 at a time");
    job.status = world::status("1 active, 1 succeeded", &job);
    job.revision = 51;
    let pods = world::pods("0 ok, 1 runs", &job);
    let pods: Vec<&PodView> = pods.iter().collect();
    let seen = Snapshot { job: &job, pods: &pods, pods_revision: 9 };
    let decision = reconcile(&seen, &memory, world::start(), &Gates::V1_36, &Limits::UPSTREAM);
    assert!(decision.batches.is_empty(), "{:?}", decision.batches);
}

/// (SYN-021, MET-015, MET-004)
#[test]
fn a_cache_behind_the_own_status_puts_the_sync_off() {
    let memory = sync("2 pods, 1 at a time | 0 ok, 1 runs | 2 active", &Memory::default(), 9, fine).memory;
    let mut job = world::job("2 pods, 1 at a time");
    job.status = world::status("2 active", &job);
    let seen = Snapshot { job: &job, pods: &[], pods_revision: 9 };
    let decide = |gates| reconcile(&seen, &memory, world::start(), gates, &Limits::UPSTREAM);
    let put_off = decide(&Gates::V1_36);
    assert!(put_off.batches.is_empty() && put_off.effort.is_none());
    assert_eq!(put_off.samples, [Sample::StaleSyncSkipped]);
    assert_eq!(put_off.requeue, Requeue::After(SignedDuration::from_secs(1)));
    assert!(decide(&Gates { stale_consistency: false, ..Gates::V1_36 }).samples.is_empty());
}

/// (EVT-005, EVT-006, EVT-009, MET-006, STA-019)
#[test]
fn the_end_is_told_with_the_status_that_says_so_and_not_before() {
    let ended = |sync: &Sync| {
        let told = sync.calls.iter().filter_map(|call| match call {
            Action::WriteStatus(new) => Some((new.notices.len(), new.status.is_finished())),
            _ => None,
        });
        told.collect::<Vec<_>>()
    };
    let played = sync("1 pods | 0 ok | 1 active", &Memory::default(), 9, fine);
    assert_eq!(ended(&played), [(0, false), (1, true)]);
    let again = sync(
        "1 pods | 0 ok untracked | ended 5, 1 succeeded, SuccessCriteriaMet X, Complete X",
        &played.memory,
        60,
        fine,
    );
    assert_eq!(ended(&again), []);
}

/// The samples that go with the statuses of a sync.
fn samples(sync: &Sync) -> Vec<Sample> {
    let told = sync.calls.iter().filter_map(|call| match call {
        Action::WriteStatus(new) => Some(new.samples.clone()),
        _ => None,
    });
    told.flatten().collect()
}

/// (MET-019)
#[test]
fn indexes_that_fall_out_of_the_range_are_not_uncounted() {
    let sync = sync("2 pods, indexed | 1 runs | done 0+4-6, 1 active", &Memory::default(), 9, fine);
    assert_eq!((sync.calls.len(), samples(&sync)), (1, vec![]));
}

/// (MET-012, MET-011)
#[rstest]
#[case::the_first_ones("1 pods | | fresh", "new")]
#[case::after_a_failure("1 pods | | 1 failed", "recreate_terminating_or_failed")]
#[case::beside_a_terminating_one("1 pods | 0 stops untracked | 1 terminating", "recreate_terminating_or_failed")]
#[case::only_after_failures("1 pods, replaces only failed | | 1 failed", "recreate_failed")]
fn creations_say_why(#[case] text: &str, #[case] expected: &str) {
    let sync = sync(text, &Memory::default(), 9, fine);
    let reasons = sync.calls.iter().filter_map(|call| match call {
        Action::CreatePod(pod) => Some(pod.reason),
        _ => None,
    });
    assert_eq!(reasons.collect::<Vec<_>>(), [expected]);
}

/// (MET-003)
#[rstest]
#[case::nothing_to_do("1 pods | 0 runs | 1 active", Effort::Tracking)]
#[case::held_back_by_the_backoff("1 pods | 0 fails | 1 active", Effort::PodsCreated)]
#[case::too_many("1 pods | 0 runs, 1 runs | 2 active", Effort::PodsDeleted)]
#[case::decided("1 pods, limit 0 | 0 fails | 1 active", Effort::Reconciling)]
#[case::being_deleted("1 pods, deleting | 0 runs | 1 active", Effort::Reconciling)]
fn syncs_say_what_they_did(#[case] text: &str, #[case] expected: Effort) {
    assert_eq!(sync(text, &Memory::default(), 9, fine).effort, Some(expected));
}

/// (MET-008)
#[test]
fn failures_are_counted_by_the_rule_that_matched() {
    let text = "4 pods, limit 0, FailJob on 42 | 0 exits 42, 1 exits 9, 2 runs | 3 active";
    let mut handled = samples(&sync(text, &Memory::default(), 9, fine));
    handled.retain(|sample| matches!(sample, Sample::FailureHandled { .. }));
    assert_eq!(handled, [Sample::FailureHandled { action: "FailJob", count: 1 }]);
}

/// (STA-008, STA-010, STA-020)
#[test]
fn a_complete_job_says_when_and_the_interim_condition_comes_first() {
    let sync = sync("1 pods | 0 ok | started 20, 1 active", &Memory::default(), 9, fine);
    let Some(Action::WriteStatus(last)) = sync.calls.last() else { panic!("{:?}", sync.calls) };
    let [met, complete] = &last.status.conditions[..] else { panic!("{:?}", last.status.conditions) };
    assert_eq!((&*met.kind, &*complete.kind), ("SuccessCriteriaMet", "Complete"));
    assert_eq!(last.status.completion_time, complete.last_transition);
    assert_eq!(complete.last_probe, complete.last_transition);
    assert!(last.status.completion_time >= last.status.start_time);
}
