//! What holds in every world: properties of the decisions, each tried on ten thousand histories.

use jobsworth_core::{Action, Decision, Gates, Limits, Memory, PodView, Snapshot, reconcile};
use proptest::prelude::*;

use crate::simulator::World;
use crate::world;

/// Jobs to choose from: every policy at least once.
const JOBS: &[&str] = &[
    "3 pods, 2 at a time",
    "2 pods, limit 0",
    "queue of 2, limit 1",
    "4 pods, limit 1, replaces only failed",
    "3 pods, Ignore on 137, FailJob on 42",
    "2 pods, deadline 900",
    "3 pods, indexed, 2 at a time",
    "3 pods, indexed, rule: 1 of 1-2, limit 1",
    "4 pods, indexed, 3 at a time, limit per index 1",
    "3 pods, indexed, limit per index 0, failed indexes up to 1, replaces only failed",
    "3 pods, indexed, limit per index 1, Ignore on 137, FailIndex on 42, rule: 0",
    "0 pods, 1 at a time",
];

/// Something that happens: kind and detail.
type Event = (u8, u8);

fn happens(world: &mut World, (kind, detail): Event) {
    let at = usize::from(detail);
    match kind {
        0 | 1 => {
            world.sync();
        }
        2 => world.end(at, 0),
        3 => world.end(at, [1, 42, world::IGNORED][at % 3]),
        4 => world.run(at),
        5 => world.pass([1, 5, 11, 25, 301, 900][at % 6]),
        6 => {
            let uids: Vec<_> = world.uids().into_iter().collect();
            if !uids.is_empty() {
                world.delete(&uids[at % uids.len()]);
            }
        }
        7 => world.forget(),
        8 => world.calls_left = Some(u32::from(detail % 6)),
        9 => world.refuse = Some(u32::from(detail % 4)),
        10 => world.freeze(),
        11 => world.stale = None,
        12 => world.respec(|spec| spec.suspend = !spec.suspend),
        _ => {
            world.resized = true;
            world.respec(|spec| spec.parallelism = u32::from(detail % 4));
        }
    }
}

/// A world with a history. Crashes and refusals only if the kinds allow for them.
fn history(job: usize, gates: Gates, events: &[Event]) -> World {
    let limits = Limits { pods_per_sync: 3, accounted_per_sync: 2, ..Limits::UPSTREAM };
    let mut world = World::new(world::job(JOBS[job]), gates, limits);
    for event in events {
        happens(&mut world, *event);
    }
    world
}

fn gates() -> impl Strategy<Value = Gates> {
    let odd = |number: u8| Gates {
        success_policy: number & 1 == 0,
        backoff_limit_per_index: number & 2 == 0,
        pod_replacement_policy: number & 4 == 0,
        pod_failure_policy: number & 8 == 0,
        mutable_scheduling_directives: number & 16 == 0,
        ..Gates::V1_36
    };
    prop_oneof![3 => Just(Gates::V1_36), 1 => (0u8..32).prop_map(odd)]
}

fn events(kinds: u8) -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((0..kinds, any::<u8>()), 0..14)
}

fn decide(world: &World, pods: &[&PodView], memory: &Memory) -> Decision {
    let seen = Snapshot { job: &world.job, pods, pods_revision: 0 };
    reconcile(&seen, memory, world.now, &world.gates, &world.limits)
}

fn calls(decision: &Decision) -> Vec<Vec<Action>> {
    decision.batches.iter().map(|batch| batch.actions.clone()).collect()
}

/// Whether the text of a decision names a pod to be born.
fn births(decision: &Decision) -> Vec<Option<u32>> {
    let actions = decision.batches.iter().flat_map(|batch| &batch.actions);
    actions.filter_map(|action| if let Action::CreatePod(pod) = action { Some(pod.index) } else { None }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, max_shrink_iters: 4_000, ..ProptestConfig::default() })]

    /// Validation, order of record and release, no second pod for an index, conservation: the simulator watches over
    /// each call (FIN-002, FIN-003, FIN-006, FIN-010, FIN-011, FIN-019, IDX-010, IDX-016, IDX-018, MGB-008, PAR-005, PAR-024,
    /// STA-002, STA-003, STA-007, STA-009 to STA-013, STA-015 to STA-017, STA-021, SYN-026).
    #[test]
    fn whatever_happens_and_whatever_is_forgotten_the_job_ends_with_every_pod_counted_once(
        job in 0..JOBS.len(), gates in gates(), events in events(14),
    ) {
        let mut world = history(job, gates, &events);
        world.play_out();
    }

    /// (SYN-025)
    #[test]
    fn a_world_that_was_acted_upon_and_does_not_change_is_left_alone(
        job in 0..JOBS.len(), gates in gates(), events in events(14),
    ) {
        let mut world = history(job, gates, &events);
        (world.stale, world.calls_left, world.refuse) = (None, None, None);
        let busy = (0..12).take_while(|_| world.sync()).count();
        prop_assert!(busy < 12, "still busy: {:?}", world.calls);
        prop_assert!(!world.sync());
    }

    /// An answer from memory is the one that a fresh look gives; other limits make it look (SYN-025).
    #[test]
    fn a_quiet_world_gets_the_answer_that_looking_at_it_gives(
        job in 0..JOBS.len(), gates in gates(), events in events(14), later in 0i64..2000,
    ) {
        let mut world = history(job, gates, &events);
        (world.stale, world.calls_left, world.refuse) = (None, None, None);
        while world.sync() {}
        world.sync();
        world.pass(later);
        let remembered = world.decide();
        world.limits.backoff_cap += jiff::SignedDuration::from_nanos(1);
        let looked = world.decide();
        prop_assert_eq!(calls(&remembered), calls(&looked));
        prop_assert_eq!((remembered.requeue, remembered.effort), (looked.requeue, looked.effort));
        prop_assert_eq!((remembered.notices, remembered.samples), (looked.notices, looked.samples));
    }

    #[test]
    fn the_order_of_the_pods_decides_nothing(
        job in 0..JOBS.len(), gates in gates(), events in events(8), turn in any::<usize>(),
    ) {
        let world = history(job, gates, &events);
        let straight: Vec<&PodView> = world.pods.iter().collect();
        let mut turned: Vec<&PodView> = world.pods.iter().rev().collect();
        if !turned.is_empty() {
            let by = turn % turned.len();
            turned.rotate_left(by);
        }
        let (a, b) = (decide(&world, &straight, &world.memory), decide(&world, &turned, &world.memory));
        prop_assert_eq!(calls(&a), calls(&b));
        prop_assert_eq!((a.requeue, a.notices, a.samples, a.effort), (b.requeue, b.notices, b.samples, b.effort));
    }

    /// (IDX-008, IDX-010, BLI-006, PAR-007, PAR-008)
    #[test]
    fn no_pod_is_born_for_an_index_that_is_completed_or_failed_or_has_one(
        job in 6..11_usize, gates in gates(), events in events(14),
    ) {
        let world = history(job, gates, &events);
        let decision = world.decide();
        let born = births(&decision);
        let status = &world.job.status;
        for index in born.iter().flatten() {
            prop_assert!(!status.completed.contains(*index));
            prop_assert!(!status.failed_indexes.as_ref().is_some_and(|failed| failed.contains(*index) && gates.backoff_limit_per_index));
            prop_assert!(!world.pods.iter().any(|pod| pod.is_active() && pod.index == Some(*index)));
        }
        prop_assert!(born.len() <= world.limits.pods_per_sync);
        let removes = |action: &Action| matches!(action, Action::StripAndDelete { .. } | Action::DeletePod { .. });
        let removed = decision.batches.iter().flat_map(|batch| &batch.actions).filter(|action| removes(action)).count();
        prop_assert!(born.is_empty() || removed == 0, "creates and deletes at once");
    }

    /// A restart never makes the controller release, count or declare anything else: it may only act sooner (SYN-026).
    #[test]
    fn forgetting_changes_neither_what_is_written_nor_who_is_released(
        job in 0..JOBS.len(), gates in gates(), events in events(6),
    ) {
        let mut world = history(job, gates, &events);
        (world.stale, world.calls_left, world.refuse) = (None, None, None);
        while world.sync() {}
        let mut forgetful = world.clone();
        forgetful.forget();
        let before = forgetful.job.status.clone();
        forgetful.sync();
        let births = forgetful.calls.iter().all(|call| matches!(call, Action::CreatePod(_) | Action::WriteStatus(_)));
        prop_assert!(births, "{:?}", forgetful.calls);
        prop_assert_eq!(before.succeeded, forgetful.job.status.succeeded);
        prop_assert_eq!(before.failed, forgetful.job.status.failed);
        prop_assert_eq!(before.completed, forgetful.job.status.completed);
    }
}
