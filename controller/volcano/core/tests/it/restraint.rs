//! How often a status is written: at once when it decides something, and counters alone once a second.

use jobsworth_volcano_core::{Call, Phase, Profile};
use rstest::rstest;
use serde_json::json;

use crate::simulator::World;
use crate::world::{self, task};

/// A job that runs to its end, one pod after another, in no time; and the calls that it took.
fn calls(pods: i32, plugins: &[&str]) -> usize {
    let plugins: serde_json::Map<_, _> = plugins.iter().map(|name| ((*name).to_owned(), json!([]))).collect();
    let spec = json!({"tasks": [task("w", pods)], "maxRetry": 3, "plugins": plugins});
    let mut world = World::restrained(world::job(spec), Profile::Strict);
    let mut calls = 0;
    let mut look = |world: &mut World| {
        for _ in 0..4 {
            world.deliver();
            world.sync();
            calls += world.calls.len();
        }
    };
    look(&mut world);
    world.let_in("Inqueue");
    look(&mut world);
    for at in 0..usize::try_from(pods).unwrap() {
        world.run(at, 0);
        look(&mut world);
    }
    for _ in 0..pods {
        world.end(0, 0);
        look(&mut world);
    }
    assert_eq!(world.phase(), Some(Phase::Completed));
    calls
}

/// The floor: two calls for the group, one for each pod, and a status that tells of the job's start, its pods, each phase. An
/// object of a plugin is made and deleted, and the status says when they are there and when they are gone.
#[rstest]
#[case::one_pod(1, &[], 2 + 1 + 4)]
#[case::ten_pods(10, &[], 2 + 10 + 4)]
#[case::ten_pods_with_plugins(10, &["env", "svc", "ssh"], 2 + 10 + 2 * 4 + 6)]
fn a_job_costs_as_many_calls_as_it_has_things_to_say(#[case] pods: i32, #[case] plugins: &[&str], #[case] most: usize) {
    assert_eq!(calls(pods, plugins), most);
}

/// (VJ-165)
#[test]
fn counters_alone_wait_for_a_second_and_are_written_then() {
    let mut world = World::restrained(world::job(json!({"tasks": [task("w", 3)]})), Profile::Strict);
    world.up();
    world.pass(60);
    let running = |world: &World| world.job.status.as_ref().unwrap().running;
    world.end(0, 0);
    world.deliver();
    assert!(world.sync(), "the last write was long ago");
    world.end(0, 0);
    world.deliver();
    assert!(!world.sync());
    assert_eq!(running(&world), 2);
    world.settle();
    assert_eq!(running(&world), 1);
}

/// What was decided is never put off.
#[test]
fn a_decision_is_written_however_soon_it_comes() {
    let spec = json!({"tasks": [task("w", 2)], "policies": [{"event": "PodFailed", "action": "AbortJob"}]});
    let mut world = World::restrained(world::job(spec), Profile::Strict);
    world.up();
    world.end(0, 1);
    world.deliver();
    world.sync();
    assert!(world.calls.iter().any(|call| matches!(call, Call::WriteStatus(_))), "{:?}", world.calls);
}
