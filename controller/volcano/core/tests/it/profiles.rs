//! Where release 1.15 and the design document do otherwise.

use jobsworth_volcano_core::{Phase, Profile};
use serde_json::{Value, json};

use crate::simulator::World;
use crate::world::{self, task};

fn gang(policies: Value) -> Value {
    json!({"tasks": [task("w", 2)], "maxRetry": 3, "policies": policies})
}

fn on(event: &str, action: &str) -> Value {
    gang(json!([{"event": event, "action": action}]))
}

fn running(profile: Profile, spec: Value) -> World {
    let mut world = World::new(world::job(spec), profile);
    world.up();
    assert_eq!(world.phase(), Some(Phase::Running), "{profile:?}");
    world
}

/// VJ-115, VJ-106.
#[test]
fn release_1_15_forgets_what_it_counted() {
    let mut world = running(Profile::Compat115, gang(json!([])));
    world.end(0, 0);
    world.end(0, 0);
    world.settle();
    let status = world.job.status.clone().unwrap();
    assert_eq!((status.state.phase, status.succeeded), (Some(Phase::Completed), 0));
    assert_eq!(status.state.reason, "");
}

/// VJ-187.
#[test]
fn release_1_15_counts_resumptions_as_retries() {
    let mut world = running(Profile::Compat115, gang(json!([])));
    for _ in 0..3 {
        world.order("AbortJob");
        world.settle();
        world.sweep();
        world.settle();
        assert_eq!(world.phase(), Some(Phase::Aborted));
        world.order("ResumeJob");
        world.settle();
        world.let_in("Inqueue");
        world.up();
    }
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Failed), 3));
}

/// VJ-188.
#[test]
fn release_1_15_loses_an_abort_while_it_restarts() {
    let mut world = running(Profile::Compat115, on("PodFailed", "RestartJob"));
    world.end(0, 1);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Restarting));
    world.order("AbortJob");
    world.settle();
    world.sweep();
    world.settle();
    world.up();
    assert_eq!(world.phase(), Some(Phase::Running));
}

/// VJ-140.
#[test]
fn release_1_15_acts_on_an_unknown_group_once() {
    let mut world = running(Profile::Compat115, on("Unknown", "RestartJob"));
    for _ in 0..2 {
        world.let_in("Unknown");
        world.settle();
        world.sweep();
        world.settle();
        world.up();
    }
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Running), 1));
}

/// VJ-191, VJ-192.
#[test]
fn release_1_15_terminates_a_job_that_waits_for_a_claim() {
    let mut spec = gang(json!([]));
    spec["volumes"] = json!([{"mountPath": "/x", "volumeClaimName": "data"}]);
    let mut world = World::new(world::job(spec), Profile::Compat115);
    world.limits.requeues = Some(3);
    for _ in 0..12 {
        world.deliver();
        world.sync();
    }
    assert_eq!(world.phases, [Phase::Pending, Phase::Terminating, Phase::Terminated]);
}

/// VJ-155.
#[test]
fn release_1_15_takes_objects_down_with_a_single_pod() {
    let mut spec = on("PodFailed", "RestartPod");
    spec["plugins"] = json!({"svc": []});
    let mut world = running(Profile::Compat115, spec);
    world.end(0, 1);
    world.deliver();
    let before = world.objects.len();
    while world.objects.len() == before && world.sync() {}
    assert_eq!((before, world.objects.len()), (3, 0));
}

/// VJ-202.
#[test]
fn release_1_15_does_not_see_what_happened_while_it_was_down() {
    let mut world = running(Profile::Compat115, on("PodFailed", "RestartJob"));
    world.end(0, 1);
    world.forget();
    world.settle();
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Running), 0));
}

/// VJ-197, VJ-201.
#[test]
fn release_1_15_takes_running_pods_for_waiting_ones_when_it_starts() {
    let policies = json!([{"event": "PodPending", "action": "AbortJob", "timeout": "10s"}]);
    let mut world = running(Profile::Compat115, gang(policies));
    world.pass(60);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Running), "timers of pods that run are called off");
    world.forget();
    world.settle();
    world.pass(10);
    world.settle();
    assert_ne!(world.phase(), Some(Phase::Running));
}

/// VJ-162, VJ-139, VJ-172, VJ-183.
#[test]
fn the_design_document_makes_pods_right_away_and_knows_its_own_phases() {
    let mut world = World::new(world::job(gang(json!([]))), Profile::Seed);
    world.settle();
    assert_eq!(world.pods.len(), 2, "pods wait for nobody");
    world.order("TerminateJob");
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Pending), "its table has no such cell");
    world.run_all();
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Running));
    world.end(0, 1);
    world.end(0, 0);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Terminated), "Completed is for jobs whose pods all succeeded");

    let mut spec = on("PodFailed", "AbortJob");
    spec["tasks"][0]["policies"] = json!([{"event": "PodEvicted", "action": "RestartJob"}]);
    let mut world = running(Profile::Seed, spec.clone());
    world.end(0, 1);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Running), "the task's policies stand in for the job's");
    let mut world = running(Profile::Strict, spec);
    world.end(0, 1);
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Aborting), "the job's policies come after the task's");
}

/// VJ-148, VJ-248.
#[test]
fn the_design_document_evicts_all_pods_and_makes_do_without_a_claim() {
    let mut spec = gang(json!([]));
    spec["volumes"] = json!([{"mountPath": "/x"}, {"mountPath": "/y", "volumeClaimName": "nowhere"}]);
    let mut world = running(Profile::Seed, spec);
    let volumes = world.pods[0].spec.as_ref().unwrap().volumes.clone().unwrap();
    assert!(volumes.len() == 2 && volumes.iter().all(|volume| volume.empty_dir.is_some()));
    world.end(0, 0);
    world.order("AbortJob");
    world.settle();
    world.sweep();
    world.settle();
    assert_eq!((world.phase(), world.pods.len()), (Some(Phase::Aborted), 0));
}
