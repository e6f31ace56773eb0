//! Delays of policies: they end when they should, whoever asks, and in no other case.

use jiff::SignedDuration;
use jobsworth_volcano_core::{Phase, Profile};
use serde_json::{Value, json};

use crate::simulator::World;
use crate::world::{self, task};

fn on(event: &str, action: &str) -> Value {
    let policies = json!([{"event": event, "action": action, "timeout": "10s"}]);
    json!({"tasks": [task("w", 2)], "maxRetry": 3, "policies": policies})
}

fn world(spec: Value) -> World {
    World::new(world::job(spec), Profile::Strict)
}

/// VJ-195, VJ-199: told once, and nothing happens before its time, however often the controller starts anew.
#[test]
fn a_failure_is_acted_on_after_its_delay() {
    let mut world = world(on("PodFailed", "AbortJob"));
    world.up();
    world.end(0, 1);
    world.deliver();
    world.sync();
    assert_eq!(world.notices[0].message, "Execute action AbortJob after 10s");
    for _ in 0..3 {
        world.pass(3);
        world.forget();
        world.settle();
        assert_eq!(world.phase(), Some(Phase::Running));
    }
    // One more second for a controller that did not see when in its second the pod ended.
    world.pass(2);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Aborting));
}

/// VJ-142, VJ-197, VJ-201, VJ-323.
#[test]
fn only_pods_that_wait_too_long_are_acted_on_and_the_job_only_once() {
    let mut world = world(on("PodPending", "RestartJob"));
    world.settle();
    world.let_in("Inqueue");
    world.settle();
    world.run_all();
    world.pass(60);
    world.forget();
    world.settle();
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Running), 0));

    let mut world = self::world(on("PodPending", "RestartJob"));
    world.settle();
    world.let_in("Inqueue");
    world.settle();
    world.pass(10);
    world.settle();
    assert_eq!((world.phase(), world.retries(), world.version()), (Some(Phase::Restarting), 1, 1));
}

/// VJ-195 with a targeted action, which is issue 4743.
#[test]
fn a_pod_that_waits_too_long_is_made_anew_and_its_time_starts_again() {
    let mut world = world(on("PodPending", "RestartPod"));
    world.settle();
    world.let_in("Inqueue");
    world.settle();
    world.run(0, 0);
    world.pass(10);
    world.settle();
    world.sweep();
    world.settle();
    assert_eq!((world.pods.len(), world.retries(), world.phase()), (2, 1, Some(Phase::Pending)));
    world.pass(9);
    world.settle();
    assert_eq!(world.retries(), 1);
}

/// VJ-197, VJ-199: the pod that comes in its place carries the time.
#[test]
fn an_eviction_is_acted_on_unless_a_pod_of_that_name_runs_in_time() {
    for runs in [false, true] {
        let mut world = world(on("PodEvicted", "TerminateJob"));
        world.up();
        world.evict(0);
        world.sweep();
        world.settle();
        assert_eq!(world.pods.len(), 2);
        world.forget();
        world.pass(5);
        if runs {
            world.run_all();
        }
        world.settle();
        world.pass(5);
        world.settle();
        let expected = if runs { Phase::Running } else { Phase::Terminating };
        assert_eq!(world.phase(), Some(expected), "a pod runs again: {runs}");
    }
}

/// VJ-196: it is one wait, however many pods come and go in it, and it is told once.
#[test]
fn an_eviction_of_a_pod_that_never_ran_puts_nothing_off() {
    let mut world = world(on("PodEvicted", "TerminateJob"));
    world.up();
    world.evict(0);
    world.sweep();
    world.settle();
    world.pass(6);
    world.settle();
    // The one in its place is the last to have come.
    world.evict(1);
    world.sweep();
    world.deliver();
    world.sync();
    assert_eq!(world.notices, []);
    world.settle();
    world.pass(4);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Terminating));
}

/// VJ-126.
#[test]
fn restarts_of_containers_end_a_task_after_its_delay() {
    let mut world = world(on("TaskFailed", "TerminateJob"));
    world.up();
    world.run(0, 2);
    world.settle();
    world.pass(20);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Running), "two restarts are not enough");
    world.run(1, 1);
    world.settle();
    world.pass(9);
    world.run(1, 2);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Running));
    world.pass(1);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Terminating));
}

/// VJ-195: `finishedAt` has whole seconds, so a pod that ended late in one seems to have ended up to a second earlier.
#[test]
fn no_delay_ends_early_for_want_of_fractions_of_a_second() {
    for forgets in [false, true] {
        let mut world = world(on("PodFailed", "AbortJob"));
        world.up();
        world.end(0, 1);
        world.now += SignedDuration::from_millis(900);
        world.settle();
        if forgets {
            world.forget();
        }
        world.now += SignedDuration::from_millis(9_999);
        world.settle();
        assert_eq!(world.phase(), Some(Phase::Running), "forgets: {forgets}");
        world.now += SignedDuration::from_millis(101);
        world.settle();
        assert_eq!(world.phase(), Some(Phase::Aborting), "forgets: {forgets}");
    }
}

/// VJ-195: a pod that a vanished node left behind has no word about its containers.
#[test]
fn a_failure_without_a_time_is_as_old_as_the_first_look_at_it() {
    let mut world = world(on("PodFailed", "AbortJob"));
    world.up();
    world.pass(60);
    let pod = &mut world.pods[0];
    pod.status = serde_json::from_value(json!({"phase": "Failed"})).unwrap();
    world.settle();
    world.pass(9);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Running));
    world.pass(1);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Aborting));
}

/// A clock that is ahead puts nothing off.
#[test]
fn what_a_node_dates_into_the_future_has_happened_when_it_is_seen() {
    let mut world = world(json!({"tasks": [task("w", 2)], "policies": [{"event": "PodFailed", "action": "AbortJob"}]}));
    world.up();
    world.pass(60);
    world.end(0, 1);
    world.pass(-30);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Aborting));
}
