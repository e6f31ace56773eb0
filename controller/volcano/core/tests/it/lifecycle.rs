//! The life of a job, told as what happens and what comes of it.

use jobsworth_volcano_core::{Call, Phase, Profile, names};
use rstest::rstest;
use serde_json::{Value, json};

use crate::simulator::World;
use crate::world::{self, task};

fn gang() -> Value {
    json!({"tasks": [task("w", 2)], "maxRetry": 3})
}

fn with(mut spec: Value, key: &str, value: Value) -> Value {
    spec[key] = value;
    spec
}

fn on(event: &str, action: &str) -> Value {
    with(gang(), "policies", json!([{"event": event, "action": action}]))
}

fn world(spec: Value) -> World {
    World::new(world::job(spec), Profile::Strict)
}

/// A world in which the job runs.
fn running(spec: Value) -> World {
    let mut world = world(spec);
    world.up();
    assert_eq!(world.phase(), Some(Phase::Running));
    world
}

fn names_of_pods(world: &World) -> Vec<String> {
    let mut names: Vec<String> = world.pods.iter().filter_map(|pod| pod.metadata.name.clone()).collect();
    names.sort();
    names
}

fn creates_pods(call: &Call) -> bool {
    matches!(call, Call::CreatePod(_))
}

#[test]
fn pods_are_made_once_the_group_is_in_queue_and_their_end_is_counted() {
    let mut world = world(gang());
    world.settle();
    // VJ-161, VJ-162
    assert_eq!((world.phase(), world.pods.len()), (Some(Phase::Pending), 0));
    assert_eq!(world.group.as_ref().unwrap().metadata.name.as_deref(), Some("j-u"));
    world.let_in("Pending");
    world.settle();
    assert!(world.pods.is_empty());
    world.let_in("Inqueue");
    world.settle();
    assert_eq!(names_of_pods(&world), ["j-w-0", "j-w-1"]);
    assert_eq!(world.phase(), Some(Phase::Pending));
    world.run_all();
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Running));
    world.end(0, 0);
    world.end(0, 0);
    world.settle();
    // VJ-115: the counters tell what was, and go on telling it when the pods go.
    world.pods.clear();
    world.settle();
    let status = world.job.status.clone().unwrap();
    assert_eq!((status.state.phase, status.succeeded, status.running), (Some(Phase::Completed), 2, 0));
    assert_eq!(status.task_status_count["w"].phase["Succeeded"], 2);
    assert_eq!(world.phases, [Phase::Pending, Phase::Running, Phase::Completed]);
    assert!(world.group.is_none());
}

/// VJ-108, VJ-109, VJ-149, VJ-186.
#[test]
fn a_failure_restarts_the_job_until_its_runs_are_used_up_and_the_last_failure_is_kept() {
    let mut world = running(on("PodFailed", "RestartJob"));
    for run in 1..=2 {
        world.end(0, 1);
        world.settle();
        assert_eq!((world.phase(), world.retries(), world.version()), (Some(Phase::Restarting), run, run));
        assert!(world.group.is_none(), "VJ-264");
        world.sweep();
        assert!(world.pods.is_empty(), "a hard kill takes failed pods too");
        world.up();
        assert_eq!(world.phase(), Some(Phase::Running));
    }
    world.end(0, 1);
    world.settle();
    world.sweep();
    world.settle();
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Failed), 3));
    assert_eq!(world.pods.len(), 1);
    assert_eq!(world.job.status.as_ref().unwrap().failed, 1);
    let reason = world.job.status.as_ref().unwrap().state.reason.clone();
    assert_eq!(reason, "MaxRetryReached");
}

/// VJ-108, VJ-148, VJ-178, VJ-187, VJ-308.
#[test]
fn an_aborted_job_keeps_what_ended_and_can_be_resumed_any_number_of_times() {
    let mut world = running(gang());
    world.end(0, 0);
    for _ in 0..4 {
        world.order("AbortJob");
        world.settle();
        assert_eq!(world.phase(), Some(Phase::Aborting));
        world.sweep();
        world.settle();
        assert_eq!((world.phase(), world.pods.len()), (Some(Phase::Aborted), 1));
        assert_eq!(world.job.status.as_ref().unwrap().state.reason, "AbortJob");
        world.order("ResumeJob");
        world.up();
        assert_eq!((world.phase(), world.retries(), world.pods.len()), (Some(Phase::Running), 0, 2));
    }
}

#[rstest]
#[case::abort("AbortJob", &[Phase::Aborting, Phase::Aborted])]
#[case::terminate("TerminateJob", &[Phase::Terminating, Phase::Terminated])]
#[case::complete("CompleteJob", &[Phase::Completing, Phase::Completed])]
fn an_order_is_carried_out_while_running_and_while_restarting(#[case] order: &str, #[case] phases: &[Phase]) {
    for restarting in [false, true] {
        let mut world = running(on("PodFailed", "RestartJob"));
        if restarting {
            world.end(0, 1);
            world.settle();
            assert_eq!(world.phase(), Some(Phase::Restarting));
        }
        world.phases.clear();
        world.order(order);
        world.settle();
        world.sweep();
        world.settle();
        // VJ-188
        assert_eq!(world.phases, phases, "restarting: {restarting}");
    }
}

/// VJ-302, VJ-303.
#[test]
fn a_command_is_carried_out_by_who_has_deleted_it_and_by_nobody_else() {
    let mut world = running(gang());
    world.order("TerminateJob");
    let decision = world.decide();
    world.commands.clear();
    assert!(matches!(decision.batches[..], [ref batch] if matches!(batch[..], [Call::DeleteCommand { .. }])));
    let decision = decision.awaiting.unwrap().after(&[vec![jobsworth_volcano_core::Outcome::Gone]], world.now);
    world.memory = decision.memory;
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Running));

    world.order("TerminateJob");
    world.deliver();
    world.sync();
    assert_eq!(world.notices[0].reason, "CommandIssued");
    world.settle();
    assert_eq!(world.phase(), Some(Phase::Terminating));
}

#[rstest]
#[case::a_word_that_is_none("Dance", Phase::Running, 0)]
#[case::a_restart_of_no_partition("RestartPartition", Phase::Running, 0)]
// VJ-156: nothing is killed, and it counts.
#[case::a_restart_of_no_task("RestartTask", Phase::Pending, 1)]
#[case::a_restart_of_no_pod("RestartPod", Phase::Pending, 1)]
fn commands_that_mean_nothing(#[case] word: &str, #[case] ends_up: Phase, #[case] retries: i32) {
    let mut world = running(gang());
    world.phases.clear();
    let pods = names_of_pods(&world);
    world.order(word);
    world.settle();
    assert_eq!((names_of_pods(&world), world.retries()), (pods, retries));
    if ends_up == Phase::Pending {
        assert_eq!(world.phases, [Phase::Restarting, Phase::Pending, Phase::Running]);
    } else {
        assert!(world.phases.is_empty());
    }
}

#[rstest]
#[case::the_pod("RestartPod", &["j-a-0"])]
#[case::the_task("RestartTask", &["j-a-0", "j-a-1"])]
#[case::the_partition("RestartPartition", &["j-a-0"])]
fn a_restart_of_less_than_the_job_leaves_the_rest_alone(#[case] action: &str, #[case] killed: &[&str]) {
    let mut a = task("a", 2);
    a["partitionPolicy"] = json!({"totalPartitions": 2, "partitionSize": 1});
    let policies = json!([{"event": "PodFailed", "action": action}]);
    let spec = json!({"tasks": [a, task("b", 1)], "policies": policies, "plugins": {"svc": [], "ssh": []}});
    let mut world = running(spec);
    let (group, objects) = (world.group.clone(), world.objects.clone());
    let at = world.pods.iter().position(|pod| pod.metadata.name.as_deref() == Some("j-a-0")).unwrap();
    world.end(at, 1);
    world.settle();
    let going = world.pods.iter().filter(|pod| pod.metadata.deletion_timestamp.is_some());
    assert_eq!(going.map(|pod| pod.metadata.name.as_deref().unwrap()).collect::<Vec<_>>(), killed);
    assert_eq!((world.phase(), world.retries(), world.version()), (Some(Phase::Restarting), 1, 0));
    world.sweep();
    world.settle();
    world.run_all();
    world.settle();
    assert_eq!((world.phase(), world.pods.len()), (Some(Phase::Running), 3));
    // VJ-154, VJ-155
    assert_eq!((world.group.map(|g| g.metadata.uid), world.objects), (group.map(|g| g.metadata.uid), objects));
}

/// VJ-128, VJ-138: what the controller kills is no event, and neither is an old pod's end.
#[test]
fn pods_of_an_earlier_run_have_nothing_to_say() {
    let policies = json!([{"event": "*", "action": "RestartJob"}]);
    let mut world = running(with(gang(), "policies", policies));
    world.end(0, 1);
    world.settle();
    world.end(0, 1);
    world.settle();
    world.sweep();
    world.up();
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Running), 1));
}

/// A controller that dies between the write and the deed leaves a record; another order does not wipe it out.
#[rstest]
#[case::nothing_else_happens(None)]
#[case::less_is_restarted_in_the_middle(Some("RestartPod"))]
fn a_restart_that_was_only_written_down_is_brought_to_its_end(#[case] order: Option<&str>) {
    let mut world = running(with(on("PodFailed", "RestartJob"), "plugins", json!({"svc": []})));
    world.end(0, 1);
    world.deliver();
    world.calls_left = Some(1);
    world.sync();
    assert_eq!((world.phase(), world.pods.len()), (Some(Phase::Restarting), 2));
    assert!(world.pods.iter().all(|pod| pod.metadata.deletion_timestamp.is_none()));
    order.into_iter().for_each(|order| world.order(order));
    world.settle();
    world.sweep();
    assert_eq!((world.pods.len(), world.group.is_none(), world.objects.len()), (0, true, 0));
    world.up();
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Running), 1));
}

/// VJ-264, VJ-341: pods of the next run wait for a group of their own.
#[test]
fn a_job_restarts_only_once_its_old_group_is_gone() {
    let mut world = running(on("PodFailed", "RestartJob"));
    world.end(0, 1);
    world.deliver();
    // The status, two pods, then the group.
    world.refuse = Some(3);
    world.sync();
    world.sweep();
    // The first pass writes what the pods came to, before it tries again.
    for refused in [1, 0, 0] {
        world.deliver();
        world.refuse = Some(refused);
        world.sync();
        assert!(matches!(world.calls.last(), Some(Call::DeleteGroup { .. })), "{:?}", world.calls);
        assert_eq!((world.phase(), world.pods.len()), (Some(Phase::Restarting), 0));
    }
    world.refuse = None;
    world.settle();
    assert_eq!((world.phase(), world.pods.len()), (Some(Phase::Pending), 0));
}

/// VJ-153, VJ-284: each run makes its objects anew, and the end takes them down as every restart does.
#[test]
fn objects_of_plugins_go_at_the_end_of_a_later_run_too() {
    let mut world = running(with(on("PodFailed", "RestartJob"), "plugins", json!({"svc": [], "ssh": []})));
    world.end(0, 1);
    world.settle();
    world.sweep();
    world.up();
    assert_eq!((world.phase(), world.objects.len()), (Some(Phase::Running), 4));
    world.end(0, 0);
    world.end(0, 0);
    world.settle();
    assert_eq!((world.phase(), world.objects.len()), (Some(Phase::Completed), 0));
}

/// VJ-106: what Volcano leaves empty.
#[test]
fn a_status_says_why_a_phase_was_entered() {
    let mut world = running(on("PodFailed", "RestartJob"));
    let state = |world: &World| {
        let state = world.job.status.clone().unwrap().state;
        (state.reason, state.message)
    };
    assert_eq!(state(&world), ("MinAvailableReached".to_owned(), String::new()));
    world.end(0, 1);
    world.settle();
    assert_eq!(state(&world), ("RestartJob".to_owned(), "PodFailed of pod j-w-0".to_owned()));
}

/// VJ-164, VJ-205.
#[test]
fn a_name_that_somebody_else_has_is_waited_for_without_haste() {
    let mut world = world(gang());
    world.settle();
    world.let_in("Inqueue");
    world.deliver();
    let taken: Vec<_> = world.decide().batches.into_iter().flatten().collect();
    let Some(Call::CreatePod(pod)) = taken.into_iter().find(creates_pods) else { panic!() };
    let mut foreign = *pod;
    foreign.metadata.uid = Some("foreign".to_owned());
    world.pods = vec![foreign];
    world.sync();
    assert_eq!(world.requeue, jobsworth_volcano_core::Requeue::After(world.limits.name_taken));
    assert_eq!(world.job.status.as_ref().unwrap().pending, 1);
}

/// VJ-322: what was decided is not lost to a write that is refused.
#[rstest]
#[case::a_conflict(true)]
#[case::a_refusal(false)]
fn an_action_whose_write_is_refused_is_taken_up_again(#[case] conflict: bool) {
    let mut world = running(on("PodFailed", "RestartJob"));
    world.end(0, 1);
    if conflict {
        let pods = world.pods.clone();
        world.watch.deliver_pods(&pods);
        world.touch();
    } else {
        world.deliver();
        world.refuse = Some(0);
    }
    world.sync();
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Running), 0));
    assert!(world.pods.iter().all(|pod| pod.metadata.deletion_timestamp.is_none()), "nothing is killed before it");
    world.settle();
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Restarting), 1));
}

#[rstest]
#[case::seen(false)]
// VJ-202
#[case::while_no_controller_was_there(true)]
fn an_eviction_restarts_the_job(#[case] down: bool) {
    let mut world = running(on("PodEvicted", "RestartJob"));
    world.evict(0);
    world.sweep();
    if down {
        world.forget();
    }
    world.settle();
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Restarting), 1));
}

#[test]
fn without_a_policy_a_pod_that_was_evicted_comes_back() {
    let mut world = running(gang());
    world.evict(0);
    world.settle();
    assert_eq!(world.pods.len(), 2);
    world.sweep();
    world.settle();
    assert_eq!(names_of_pods(&world), ["j-w-0", "j-w-1"]);
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Pending), 0), "VJ-173");
}

/// VJ-127 and issue 3296.
#[test]
fn a_pod_that_succeeded_and_was_deleted_is_not_run_again() {
    for down in [false, true] {
        let mut world = running(on("PodEvicted", "RestartJob"));
        world.end(0, 0);
        world.settle();
        let at = world.pods.iter().position(|pod| world::view(pod).phase.has_ended()).unwrap();
        world.pods.remove(at);
        if down {
            world.forget();
        }
        world.settle();
        assert_eq!((world.phase(), world.pods.len(), world.retries()), (Some(Phase::Running), 1, 0));
        world.end(0, 0);
        world.settle();
        assert_eq!((world.phase(), world.job.status.as_ref().unwrap().succeeded), (Some(Phase::Completed), 2));
    }
}

/// VJ-129, VJ-140.
#[test]
fn a_group_that_is_unknown_is_acted_on_each_time_and_once_each_time() {
    let mut world = running(on("Unknown", "RestartJob"));
    for round in 1..=2 {
        world.let_in("Unknown");
        world.settle();
        world.sweep();
        world.up();
        assert_eq!((world.phase(), world.retries()), (Some(Phase::Running), round));
    }
    let mut world = running(on("Unknown", "RestartTask"));
    world.let_in("Unknown");
    world.settle();
    world.settle();
    assert_eq!(world.retries(), 1);
}

/// VJ-160, VJ-191, VJ-248.
#[test]
fn what_is_wanting_holds_a_job_up_and_does_not_end_it() {
    let claim = json!([{"mountPath": "/x", "volumeClaimName": "data"}]);
    let mut world = world(with(gang(), "volumes", claim));
    for _ in 0..30 {
        world.deliver();
        world.sync();
    }
    assert_eq!((world.phase(), world.failures > 20), (Some(Phase::Pending), true));
    assert_eq!(world.notices[0].reason, "PVCError");
    world.claims.insert("data".to_owned());
    world.up();
    assert_eq!(world.phase(), Some(Phase::Running));

    let mut world = World::new(world::job(gang()), Profile::Strict);
    world.queue_exists = false;
    for _ in 0..30 {
        world.deliver();
        world.sync();
    }
    assert_eq!((world.phase(), world.failures > 20), (Some(Phase::Pending), true));
    world.queue_exists = true;
    world.up();
    assert_eq!(world.phase(), Some(Phase::Running));
}

/// VJ-111, VJ-249, VJ-098.
#[test]
fn a_claim_is_made_once_whatever_fails() {
    for refused in 0..6 {
        let volumes = json!([{"mountPath": "/x", "volumeClaim": {"accessModes": ["ReadWriteOnce"]}}]);
        let mut world = world(with(gang(), "volumes", volumes));
        world.refuse = Some(refused);
        world.up();
        assert_eq!(world.claims.len(), 1, "call {refused} is refused");
        let name = world.claims.first().unwrap().clone();
        assert_eq!(world.job.spec.volumes[0].volume_claim_name, name);
        assert!(name.starts_with("j-pvc-") && name.len() == 18, "{name}");
        let volume = &world.pods[0].spec.as_ref().unwrap().volumes.as_ref().unwrap()[0];
        assert_eq!(volume.persistent_volume_claim.as_ref().unwrap().claim_name, name);
    }
}

/// VJ-161, VJ-284, VJ-325.
#[test]
fn no_pod_is_made_before_what_it_mounts_and_a_kill_takes_it_all_down() {
    let spec = with(on("PodFailed", "RestartJob"), "plugins", json!({"svc": [], "ssh": [], "env": []}));
    let mut world = running(spec);
    let objects: Vec<String> = world.objects.iter().map(|(kind, name)| format!("{kind} {name}")).collect();
    assert_eq!(objects, ["ConfigMap j-svc", "NetworkPolicy j", "Secret j-ssh", "Service j"]);
    let resources = world.job.status.as_ref().unwrap().controlled_resources.clone();
    assert_eq!(resources.keys().collect::<Vec<_>>(), ["plugin-env", "plugin-ssh", "plugin-svc"]);
    world.end(0, 1);
    world.settle();
    assert!(world.objects.is_empty());
    assert!(world.job.status.as_ref().unwrap().controlled_resources.is_empty());
    world.sweep();
    world.let_in("Inqueue");
    for _ in 0..20 {
        world.deliver();
        world.sync();
        world.let_in("Inqueue");
        assert!(world.objects.len() == 4 || !world.calls.iter().any(creates_pods));
    }
    assert_eq!(world.pods.len(), 2);
}

/// VJ-226 to VJ-230.
#[test]
fn a_job_is_scaled_up_and_down_and_nobody_is_evicted() {
    let mut world = running(with(on("PodEvicted", "RestartJob"), "plugins", json!({"svc": []})));
    let scale = |world: &mut World, count: i32| {
        world.respec(|job| {
            (job.spec.tasks[0].replicas, job.spec.tasks[0].min_available) = (count, Some(count));
            job.spec.min_available = count;
        });
        world.settle();
        world.sweep();
        world.settle();
    };
    for (count, names) in [(3, vec!["j-w-0", "j-w-1", "j-w-2"]), (1, vec!["j-w-0"]), (0, vec![]), (1, vec!["j-w-0"])] {
        scale(&mut world, count);
        assert_eq!(names_of_pods(&world), names);
        assert_eq!(world.group.as_ref().unwrap().spec.min_member, count);
        assert_eq!(world.group.as_ref().unwrap().spec.min_task_member["w"], count);
        world.run_all();
        world.settle();
        assert_eq!((world.phase(), world.retries()), (Some(Phase::Running), 0));
    }
}

/// VJ-128, VJ-150: once it is marked, a pod has nothing to say, though it could not be deleted yet.
#[test]
fn a_pod_that_is_marked_for_deletion_fails_in_silence() {
    let mut world = running(on("PodFailed", "RestartJob"));
    world.respec(|job| {
        (job.spec.tasks[0].replicas, job.spec.tasks[0].min_available, job.spec.min_available) = (1, Some(1), 1);
    });
    world.deliver();
    // The group is updated first.
    world.refuse = Some(1);
    world.sync();
    assert_eq!(world.notices[0].reason, "FailedDelete");
    let marked = world.pods.iter().position(|pod| world::view(pod).out_of_sync).unwrap();
    world.end(marked, 1);
    world.settle();
    assert_eq!((world.phase(), world.retries()), (Some(Phase::Running), 0));
    world.sweep();
    assert_eq!(names_of_pods(&world), ["j-w-0"]);
}

/// A late watch costs no call, and a pod that came and went unseen is made again.
#[test]
fn each_pod_is_created_once_however_late_the_watch_is() {
    let mut world = world(json!({"tasks": [task("w", 1100)]}));
    world.settle();
    world.let_in("Inqueue");
    world.deliver();
    let mut created = 0;
    for _ in 0..8 {
        world.sync();
        created += world.calls.iter().filter(|call| creates_pods(call)).count();
        let job = world.job.clone();
        world.watch.deliver_job(&job);
    }
    assert_eq!((created, world.pods.len()), (1100, 1100));
    assert_eq!(world.job.status.as_ref().unwrap().pending, 1100);
    let lost = world.pods.pop().unwrap();
    world.settle();
    assert_eq!(world.pods.len(), 1099);
    world.pass(30);
    world.settle();
    assert_eq!(world.pods.last().unwrap().metadata.name, lost.metadata.name);
}

#[test]
fn a_pod_that_nobody_saw_and_nobody_needs_any_more_is_not_waited_for() {
    let mut world = world(json!({"tasks": [task("a", 2), task("b", 1)]}));
    world.settle();
    world.let_in("Inqueue");
    world.deliver();
    world.sync();
    world.pods.retain(|pod| pod.metadata.name.as_deref() != Some("j-a-1"));
    world.run_all();
    world.respec(|job| {
        (job.spec.tasks[0].replicas, job.spec.tasks[0].min_available, job.spec.min_available) = (0, Some(0), 1);
    });
    world.settle();
    assert_eq!((world.phase(), world.job.status.as_ref().unwrap().pending), (Some(Phase::Running), 0));
}

/// VJ-231, VJ-232.
#[test]
fn a_task_waits_for_those_it_depends_on() {
    let mut b = task("b", 1);
    b["dependsOn"] = json!({"name": ["a"]});
    let spec = json!({"tasks": [task("a", 2), b], "minAvailable": 1});
    let mut world = world(spec);
    world.settle();
    world.let_in("Inqueue");
    world.settle();
    assert_eq!(names_of_pods(&world), ["j-a-0", "j-a-1"]);
    world.run(0, 0);
    world.settle();
    assert_eq!(world.pods.len(), 2);
    world.run_all();
    world.settle();
    assert_eq!(names_of_pods(&world), ["j-a-0", "j-a-1", "j-b-0"]);
}

/// VJ-157.
#[test]
fn a_job_that_is_being_deleted_is_left_alone() {
    let mut world = running(gang());
    world.evict(0);
    world.sweep();
    world.respec(|job| {
        job.metadata.deletion_timestamp = Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(world::start()));
    });
    world.deliver();
    assert!(!world.sync());
}

/// VJ-137, VJ-320.
#[test]
fn a_namesake_starts_afresh() {
    let mut world = running(on("PodEvicted", "AbortJob"));
    world.evict(0);
    world.respec(|job| {
        job.metadata.uid = Some("another".to_owned());
        job.status = None;
    });
    world.group = None;
    world.settle();
    let old: Vec<_> = std::mem::take(&mut world.pods);
    world.deliver();
    world.up();
    assert_eq!(world.phase(), Some(Phase::Running));
    assert!(old.iter().all(|pod| pod.metadata.name.as_deref() != Some(names::of(&world.job))));
}
