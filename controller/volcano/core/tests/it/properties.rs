//! What holds in every world: properties of the decisions, each tried on many histories (VJ-189).

use jobsworth_volcano_core::{Phase, Profile, transition};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::simulator::World;
use crate::world::{self, task};

/// Jobs to choose from: every policy and every plugin with objects at least once.
fn jobs() -> Vec<Value> {
    let with = |mut spec: Value, key: &str, value: Value| {
        spec[key] = value;
        spec
    };
    let two = json!({"tasks": [task("a", 2), task("b", 1)], "maxRetry": 3});
    let on = |event: &str, action: &str| json!([{"event": event, "action": action}]);
    vec![
        two.clone(),
        with(two.clone(), "policies", on("PodFailed", "RestartJob")),
        with(two.clone(), "policies", on("PodEvicted", "RestartJob")),
        with(two.clone(), "policies", on("PodFailed", "RestartPod")),
        with(two.clone(), "policies", on("PodEvicted", "RestartTask")),
        with(two.clone(), "policies", on("*", "AbortJob")),
        with(two.clone(), "policies", on("*", "RestartJob")),
        with(two.clone(), "policies", on("TaskCompleted", "CompleteJob")),
        with(two.clone(), "policies", on("TaskFailed", "TerminateJob")),
        with(two.clone(), "policies", on("Unknown", "RestartJob")),
        with(
            two.clone(),
            "policies",
            json!([
                {"event": "PodPending", "action": "RestartJob", "timeout": "10s"},
                {"event": "PodEvicted", "action": "TerminateJob", "timeout": "20s"},
                {"exitCode": 42, "action": "AbortJob"},
            ]),
        ),
        with(
            with(two.clone(), "plugins", json!({"env": [], "svc": [], "ssh": []})),
            "policies",
            on("PodFailed", "RestartJob"),
        ),
        with(with(two.clone(), "minAvailable", json!(1)), "minSuccess", json!(2)),
        json!({"tasks": [task("a", 1), {"name": "b", "replicas": 2, "dependsOn": {"name": ["a"]}}]}),
        with(two, "volumes", json!([{"mountPath": "/x", "volumeClaim": {"accessModes": ["ReadWriteOnce"]}}])),
    ]
}

const COMMANDS: [&str; 9] = [
    "AbortJob",
    "ResumeJob",
    "RestartJob",
    "TerminateJob",
    "CompleteJob",
    "RestartTask",
    "RestartPartition",
    "SyncJob",
    "Dance",
];

/// Something that happens: kind and detail.
type Event = (u8, u8);

fn happens(world: &mut World, (kind, detail): Event) {
    let at = usize::from(detail);
    match kind {
        0..=3 => {
            world.deliver();
            world.sync();
        }
        4 => {
            world.sync();
        }
        5 => {
            let job = world.job.clone();
            world.watch.deliver_job(&job);
        }
        6 => {
            let pods = world.pods.clone();
            world.watch.deliver_pods(&pods);
        }
        7 => {
            let group = world.group.clone();
            world.watch.deliver_group(group.as_ref());
        }
        8 | 9 => world.let_in(["Inqueue", "Inqueue", "Running", "Unknown", "Pending"][at % 5]),
        10 => world.run(at, [0, 0, 1, 3][at % 4]),
        11 => world.run_all(),
        12 => world.end(at, 0),
        13 => world.end(at, [1, 42][at % 2]),
        14 => world.evict(at),
        15 => world.sweep(),
        16 => world.pass([1, 5, 11, 25, 301][at % 5]),
        17 => world.touch(),
        18 => world.calls_left = Some(u32::from(detail % 6)),
        19 => world.refuse = Some(u32::from(detail % 5)),
        20 => world.forget(),
        21 => {
            // A watch that starts anew tells of everything once more.
            let again = world.watch.requests.last().cloned();
            world.watch.requests.extend(again);
        }
        22 => world.respec(|job| {
            let task = &mut job.spec.tasks[at % 2];
            task.replicas = i32::from(detail % 4);
            task.min_available = task.min_available.map(|least| least.min(i32::from(detail % 4)));
            let total = job.spec.tasks.iter().map(|task| task.replicas).sum();
            job.spec.min_available = job.spec.min_available.min(total);
        }),
        _ => world.order(COMMANDS[at % COMMANDS.len()]),
    }
}

fn history(profile: Profile, job: usize, events: &[Event]) -> World {
    let mut world = World::restrained(world::job(jobs()[job].clone()), profile);
    for event in events {
        happens(&mut world, *event);
    }
    world
}

/// Everything that can still happen happens well. The job comes to rest, and nothing lives in it (VJ-189 g).
fn play_out(world: &mut World) {
    (world.calls_left, world.refuse) = (None, None);
    for round in 0..60 {
        world.settle();
        let at_rest = world.phase().is_some_and(|phase| transition::is_end(phase) || phase == Phase::Aborted);
        let alive = world.pods.iter().map(world::view).filter(|pod| !pod.phase.has_ended()).count();
        if at_rest && alive == 0 && world.commands.is_empty() {
            // What was made for pods goes with them (VJ-153).
            assert!(world.objects.is_empty() && world.group.is_none(), "{:?} {:?}", world.objects, world.group);
            return;
        }
        world.pass(400);
        world.let_in("Inqueue");
        // A job without pods stays, and so does one whose task waits for another one that failed: somebody ends it.
        let waits = world.job.spec.tasks.iter().any(|task| task.depends_on.is_some());
        let stays = waits || world.job.spec.tasks.iter().all(|task| task.replicas == 0);
        if stays && round == 20 {
            world.order("TerminateJob");
        }
        for pod in &mut world.pods {
            if pod.metadata.deletion_timestamp.is_none() && !world::view(pod).phase.has_ended() {
                world::end(pod, 0, world.now);
            }
        }
        world.sweep();
    }
    panic!("never at rest: {:#?}\n{:#?}\n{:?}", world.job.status, world.watch.pods, world.calls);
}

/// A share of the 10,000 that `JOBSWORTH_VOLCANO_CASES=10000` asks for: enough for each change, in a few seconds.
fn cases() -> u32 {
    std::env::var("JOBSWORTH_VOLCANO_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(250)
}

fn events(kinds: u8, most: usize) -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((0..kinds, any::<u8>()), 0..most)
}

const KINDS: u8 = 26;

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 4_000, ..ProptestConfig::default() })]

    /// The simulator watches over each call (VJ-189 a to f).
    #[test]
    fn whatever_happens_and_whatever_is_forgotten_the_job_comes_to_rest(
        job in 0..jobs().len(), events in events(KINDS, 40),
    ) {
        let mut world = history(Profile::Strict, job, &events);
        play_out(&mut world);
    }
}

/// Troubles of the controller alone: late watches, refusals, conflicts, deaths.
fn trouble(world: &mut World, (kind, detail): Event) {
    match kind % 10 {
        0..=2 => happens(world, (0, detail)),
        3 => happens(world, (4, detail)),
        4 => happens(world, (5 + detail % 3, detail)),
        5 => happens(world, (17, detail)),
        6 => happens(world, (18, detail)),
        7 => happens(world, (19, detail)),
        8 => happens(world, (20, detail)),
        _ => happens(world, (21, detail)),
    }
}

/// A job of two tasks that runs, with one policy.
fn running_with(event: &str, action: &str) -> World {
    let policies = json!([{"event": event, "action": action}]);
    let spec =
        json!({"tasks": [task("a", 2), task("b", 1)], "maxRetry": 5, "policies": policies, "plugins": {"svc": []}});
    let mut world = World::restrained(world::job(spec), Profile::Strict);
    world.up();
    world
}

fn calm(world: &mut World) {
    (world.calls_left, world.refuse) = (None, None);
    world.settle();
    world.sweep();
    world.up();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 4_000, ..ProptestConfig::default() })]

    /// (VJ-202, VJ-322)
    #[test]
    fn what_happened_to_a_pod_is_acted_on_once_whatever_befalls_the_controller(
        evicted in any::<bool>(), at in 0usize..3, troubles in events(KINDS, 16),
    ) {
        let mut world = running_with(if evicted { "PodEvicted" } else { "PodFailed" }, "RestartJob");
        match evicted {
            true => {
                world.evict(at);
                world.sweep();
            }
            false => world.end(at, 1),
        }
        for event in troubles {
            trouble(&mut world, event);
        }
        calm(&mut world);
        prop_assert_eq!((world.phase(), world.retries(), world.pods.len()), (Some(Phase::Running), 1, 3));
        prop_assert_eq!(world.version(), 1);
    }

    #[test]
    fn a_restart_of_one_pod_kills_that_pod_and_counts_once(at in 0usize..3, troubles in events(KINDS, 16)) {
        let mut world = running_with("PodFailed", "RestartPod");
        let others = |world: &World, failed: &str| -> Vec<Option<String>> {
            let others = world.pods.iter().filter(|pod| pod.metadata.name.as_deref() != Some(failed));
            others.map(|pod| pod.metadata.uid.clone()).collect()
        };
        let failed = world.pods[at].metadata.name.clone().unwrap();
        let before = others(&world, &failed);
        world.end(at, 1);
        for event in troubles {
            trouble(&mut world, event);
        }
        calm(&mut world);
        prop_assert_eq!((world.phase(), world.retries(), world.version()), (Some(Phase::Running), 1, 0));
        prop_assert_eq!((others(&world, &failed), world.pods.len()), (before, 3));
    }

    /// An order that nobody took is carried out, one that was taken by a controller that died may be lost, and none is
    /// carried out twice (VJ-302).
    #[test]
    fn a_command_is_carried_out_at_most_once(troubles in events(KINDS, 16)) {
        let mut world = running_with("PodEvicted", "SyncJob");
        world.order("RestartJob");
        for event in troubles {
            trouble(&mut world, event);
        }
        calm(&mut world);
        prop_assert!(world.commands.is_empty());
        prop_assert!(world.retries() <= 1 && world.version() == world.retries());
        prop_assert_eq!((world.phase(), world.pods.len()), (Some(Phase::Running), 3));
    }

    #[test]
    fn a_world_that_was_acted_upon_and_does_not_change_is_left_alone(
        job in 0..jobs().len(), events in events(KINDS, 40),
    ) {
        let mut world = history(Profile::Strict, job, &events);
        (world.calls_left, world.refuse) = (None, None);
        world.settle();
        let writes = world.status_writes;
        for _ in 0..3 {
            world.deliver();
            prop_assert!(!world.sync(), "{:?}", world.calls);
        }
        prop_assert_eq!(world.status_writes, writes);
    }

    /// The simulator watches over each call here too; that jobs come to rest is promised by the strict profile alone.
    #[test]
    fn other_profiles_keep_to_their_tables(
        job in 0..jobs().len(), seed in any::<bool>(), events in events(KINDS, 40),
    ) {
        let profile = if seed { Profile::Seed } else { Profile::Compat115 };
        let mut world = history(profile, job, &events);
        (world.calls_left, world.refuse) = (None, None);
        for _ in 0..20 {
            world.deliver();
            world.sync();
            world.sweep();
        }
    }
}
