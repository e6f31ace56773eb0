//! Small parts at their edges: the time of a finished job, timers of release 1.15, arguments of plugins.

use jiff::SignedDuration;
use jobsworth_volcano_core::plugin::arguments::Arguments;
use jobsworth_volcano_core::ttl::{Due, expire};
use jobsworth_volcano_core::{Phase, Profile};
use rstest::rstest;
use serde_json::{Value, json};

use crate::simulator::World;
use crate::world::{self, task};

/// (VJ-236)
#[rstest]
#[case::not_yet("Completed", json!(10), 4, Due::In(SignedDuration::from_secs(6)))]
#[case::now("Completed", json!(10), 10, Due::Now)]
#[case::at_once("Failed", json!(0), 0, Due::Now)]
#[case::terminated_jobs_too("Terminated", json!(1), 5, Due::Now)]
// VJ-238
#[case::aborted_jobs_never("Aborted", json!(0), 100, Due::Never)]
#[case::nobody_asked("Completed", Value::Null, 100, Due::Never)]
// VJ-239
#[case::the_end_is_to_come("Completed", json!(10), -5, Due::In(SignedDuration::from_secs(15)))]
fn a_finished_job_is_deleted_after_its_time(
    #[case] phase: &str,
    #[case] ttl: Value,
    #[case] since: i64,
    #[case] due: Due,
) {
    let mut job = world::job(json!({"tasks": [task("w", 1)], "ttlSecondsAfterFinished": ttl}));
    let state = json!({"state": {"phase": phase, "lastTransitionTime": world::start().to_string()}});
    job.status = Some(serde_json::from_value(state).unwrap());
    assert_eq!(expire(&job, world::start() + SignedDuration::from_secs(since)), due);
}

#[rstest]
#[case::with_a_sign(&["--a=1"], "1", true)]
#[case::one_dash_will_do(&["-a=1"], "1", true)]
#[case::two_words(&["--a", "1"], "1", true)]
#[case::a_switch(&["--a"], "true", true)]
#[case::switched_off(&["--a=false"], "false", false)]
#[case::the_last_one_counts(&["--a=1", "--a=0"], "0", false)]
#[case::behind_a_word_that_is_no_flag(&["x", "--a=1"], "none", false)]
fn arguments_are_flags_as_go_has_them(#[case] words: &[&str], #[case] text: &str, #[case] on: bool) {
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    let arguments = Arguments::parse(&words);
    assert_eq!((arguments.text("a", "none"), arguments.switch("a", false)), (text, on));
}

fn compat(policies: Value) -> World {
    let spec = json!({"tasks": [task("w", 2)], "maxRetry": 9, "policies": policies});
    let mut world = World::new(world::job(spec), Profile::Compat115);
    world.up();
    world
}

/// VJ-196, VJ-199: in release 1.15 a timer lives in memory, is not started twice, and dies with the controller.
#[test]
fn timers_of_release_1_15() {
    let policies = || json!([{"event": "PodFailed", "action": "AbortJob", "timeout": "10s"}]);
    let mut world = compat(policies());
    world.end(0, 1);
    world.settle();
    world.pass(5);
    let again = world.watch.requests.clone();
    world.watch.requests.extend(again);
    world.settle();
    world.pass(5);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Aborting));

    let mut world = compat(policies());
    world.end(0, 1);
    world.settle();
    world.forget();
    world.pass(60);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Running));
}

/// VJ-198.
#[test]
fn in_release_1_15_an_action_calls_off_others_of_its_class() {
    let mut world = compat(json!([
        {"event": "PodFailed", "action": "AbortJob", "timeout": "10s"},
        {"event": "PodEvicted", "action": "RestartJob"},
    ]));
    world.end(0, 1);
    world.settle();
    world.evict(1);
    world.sweep();
    world.settle();
    assert_eq!(world.retries(), 1);
    world.sweep();
    world.settle();
    world.up();
    world.pass(60);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Running));
}
