//! Two instances of the reference controller share the work by a Lease; the one that holds it is killed, or stopped in its
//! tracks until the other has taken over, at twenty random writes of a running workload.
//!
//! No pod is counted twice, none is made too many, both Jobs complete, and nothing is written by an instance that does not
//! hold the lease (F20, S30).
#![cfg(feature = "e2e")]
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

#[path = "grounds/ending.rs"]
mod ending;
#[path = "two_instances/fencing.rs"]
mod fencing;
#[path = "grounds/mod.rs"]
mod grounds;
#[path = "grounds/until.rs"]
mod patience;

use ending::{EndState, end_of};
use fencing::{breaches, holds_after, takeovers};
use futures::{StreamExt as _, stream};
use grounds::ground;
use jobsworth_harness::{
    cluster::RunningSubject,
    faults::{Fault, Ground, Instance, Lane},
};
use jobsworth_suites::words::*;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::api::{Api, PostParams};
use patience::until;
use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use std::sync::Arc;

const SEED: u64 = 20;
const POINTS: u32 = 20;
/// Runs that are played side by side, with two controllers each.
const LANES: usize = 5;
/// As the flags say.
const LEASE: Duration = Duration::from_secs(4);
const FLAGS: [&str; 6] = [
    "--leader-elect-lease-duration=4s",
    "--leader-elect-renew-deadline=3s",
    "--leader-elect-retry-period=500ms",
    "--leader-elect-resource-namespace=default",
    "--kube-api-qps=100",
    "--kube-api-burst=100",
];
/// What becomes of the holder.
const FATES: [Fault; 3] = [Fault::CrashBefore, Fault::CrashAfter, Fault::Pause];

/// Two Jobs of four pods, two at a time, that go on while instances come and go.
struct Workload;

#[async_trait]
impl Case for Workload {
    fn about(&self) -> About {
        let says = "two instances do the work of one";
        let claim = Claim { source: Source::JobController, section: "leader election", says };
        About { id: "two-instances/workload", claim, requirements: &["SYN-001"], needs: Needs::default() }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(4, 2).named("counted")).await?;
        scene.submit(indexed(4).parallelism(2).named("indexed")).await?;
        for _ in 0..4 {
            scene.pod_of("counted").succeeds().await?;
            scene.pod_of("indexed").succeeds().await?;
        }
        scene.wait(job_named("counted").has(Complete).and(job_named("indexed").has(Complete))).await
    }

    /// The invariants are what is judged.
    fn expects(&self) -> Expectations {
        Expectations::new()
    }
}

/// What became of one run.
struct Run {
    end: Result<EndState, String>,
    writes: u32,
    reached: bool,
    takeovers: usize,
    breaches: Vec<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_holds_the_lease_may_die_or_sleep_at_any_write() {
    let clusters = tempfile::tempdir().unwrap();
    let ground = ground(clusters.path(), "two-instances", &FLAGS, SEED).await;
    allow_leases(&ground).await;
    let begun = tokio::time::Instant::now().into_std();
    let calm = run(&ground, 0, None).await;
    assert!(calm.end.is_ok() && calm.breaches.is_empty(), "{:?} {:?}", calm.end, calm.breaches);

    let mut random = StdRng::seed_from_u64(SEED);
    // The last writes may be fewer in another run.
    let points = (1..=POINTS).map(|attempt| {
        let fate = FATES[random.random_range(0..FATES.len())];
        (attempt, random.random_range(1..=calm.writes * 3 / 4), fate)
    });
    let points: Vec<_> = points.collect();
    let runs = points.into_iter().map(|(attempt, number, fate)| {
        let ground = &ground;
        async move { (number, fate, run(ground, attempt, Some((number, fate))).await) }
    });
    let runs: Vec<_> = stream::iter(runs).buffer_unordered(LANES).collect().await;
    let mut complaints = Vec::new();
    for (number, fate, run) in &runs {
        println!("{fate} at write {number} of {}: {} takeovers, reached: {}", run.writes, run.takeovers, run.reached);
        let point = format!("{fate} at write {number}");
        if run.end.is_err() || run.end != calm.end {
            complaints.push(format!("{point}: {:#?} instead of {:#?}", run.end, calm.end));
        }
        complaints.extend(run.breaches.iter().map(|breach| format!("{point}: {breach}")));
        if !run.reached {
            complaints.push(format!("{point}: there was no such write"));
        }
        if *fate == Fault::Pause && run.takeovers == 0 {
            complaints.push(format!("{point}: nobody took over"));
        }
    }
    println!("{} points in {} s; {} writes without a fault", runs.len(), begun.elapsed().as_secs(), calm.writes);
    ground.leave().await.unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The controller's identity may elect in the namespace `default`, and nothing more.
async fn allow_leases(ground: &Ground) {
    let client = ground.cluster().client();
    let role = json!({"metadata": {"name": "leases"}, "rules": [
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create", "get", "update"]},
    ]});
    let user = "system:serviceaccount:kube-system:job-controller";
    let binding = json!({
        "metadata": {"name": "leases"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "leases"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    });
    let role: Role = serde_json::from_value(role).unwrap();
    let binding: RoleBinding = serde_json::from_value(binding).unwrap();
    Api::default_namespaced(client.clone()).create(&PostParams::default(), &role).await.unwrap();
    Api::default_namespaced(client).create(&PostParams::default(), &binding).await.unwrap();
}

/// Plays the workload with two instances, the first of which leads and meets its fate.
async fn run(ground: &Ground, attempt: u32, hit: Option<(u32, Fault)>) -> Run {
    let lease = [format!("--leader-elect-resource-name={}", ground.namespace(&Workload, attempt))];
    let first = ground.lane(&Workload, attempt, "first", &lease).await.unwrap();
    let second = ground.lane(&Workload, attempt, "second", &lease).await.unwrap();
    let started = tokio::time::Instant::now().into_std();
    first.instance.start().await.unwrap();
    until("the first instance to lead", || holds_after(&first.gate.ledger().passages(), started)).await;
    second.instance.start().await.unwrap();

    let keepers = [&first, &second].map(|lane| tokio::spawn(keep(Arc::clone(&lane.instance))));
    let subject: Arc<dyn RunningSubject> = first.instance.clone();
    let played = tokio::select! {
        played = ground.play(&Workload, attempt, subject) => played,
        // A fault that is never reached must not be waited for.
        never = async {
            if let Some((number, fault)) = hit {
                meet_fate([&first, &second], number, fault).await;
            }
            std::future::pending().await
        } => never,
    };
    keepers.iter().for_each(tokio::task::JoinHandle::abort);
    for lane in [&first, &second] {
        lane.instance.kill().await.unwrap();
    }
    let trouble = [&first, &second].into_iter().filter_map(|lane| lane.instance.trouble());
    // Who has lost the lease ends, and is started again by whoever looks after it.
    let trouble = trouble.into_iter().find(|trouble| !trouble.contains("lost the lease"));
    let [one, other] = [&first, &second].map(|lane| lane.gate.ledger().passages());
    let end = end_of(played, trouble, ground.folder());
    Run {
        end,
        writes: first.gate.ledger().writes() + second.gate.ledger().writes(),
        reached: [&first, &second].iter().any(|lane| lane.gate.ledger().struck().borrow().is_some()),
        takeovers: takeovers([&one, &other]),
        breaches: breaches([&one, &other], LEASE),
    }
}

/// Whoever makes write `number` of the two meets its fate; if it is paused, it goes on once the other has taken over.
async fn meet_fate(lanes: [&Lane; 2], number: u32, fault: Fault) {
    let made = || lanes.iter().map(|lane| lane.gate.ledger().writes()).sum::<u32>();
    until("the write before", || made() + 1 >= number).await;
    let [mut one, mut other] = lanes.map(|lane| lane.gate.ledger().struck());
    lanes.iter().for_each(|lane| lane.gate.ledger().arm_next(fault));
    let struck = tokio::select! {
        _ = one.wait_for(Option::is_some) => 0,
        _ = other.wait_for(Option::is_some) => 1,
    };
    let (victim, heir) = (lanes[struck], lanes[1 - struck]);
    heir.gate.ledger().disarm();
    if fault == Fault::Pause {
        let since = tokio::time::Instant::now().into_std();
        until("the other to take over", || holds_after(&heir.gate.ledger().passages(), since)).await;
        victim.instance.resume().await.unwrap();
    }
}

/// Starts an instance again whenever it has ended, as a kubelet does.
async fn keep(instance: Arc<Instance>) {
    loop {
        instance.gone().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let _ = instance.start().await;
    }
}
