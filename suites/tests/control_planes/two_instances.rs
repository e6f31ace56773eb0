//! Two instances of a reference controller share the work by a Lease; the one that holds it is killed, or stopped in its
//! tracks until the other has taken over, at random writes of a running workload.
//!
//! No pod is counted twice, none is made too many, all Jobs complete, and nothing is written by an instance that does not
//! hold the lease (F20, S30). So it is for Kubernetes' own Jobs and for Volcano's.
#![expect(clippy::print_stdout, reason = "what became of each point is worth reading")]

mod fencing;
mod volcano;

use crate::{ending, fault_bench, patience};
use ending::{EndState, end_of};
use fault_bench::bench;
use fencing::{breaches, holds_after, takeovers};
use futures::{StreamExt as _, stream};
use jobsworth_harness::{
    cluster::RunningSubject,
    faults::{Fault, FaultBench, Instance, ProxiedController},
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
    let bench = bench(clusters.path(), "two-instances", &FLAGS, SEED).await;
    allow_leases(&bench).await;
    let complaints = complaints(&bench, &Workload, POINTS).await;
    bench.leave().await.unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Plays the workload on a good day, and then at so many random writes with something happening to who makes them; what is wrong.
async fn complaints(bench: &FaultBench, workload: &'static dyn AnyCase, points: u32) -> Vec<String> {
    let begun = tokio::time::Instant::now().into_std();
    let calm = run(bench, workload, 0, None).await;
    assert!(calm.end.is_ok() && calm.breaches.is_empty(), "{:?} {:?}", calm.end, calm.breaches);

    let mut random = StdRng::seed_from_u64(SEED);
    // The last writes may be fewer in another run.
    let points = (1..=points).map(|attempt| {
        let fate = FATES[random.random_range(0..FATES.len())];
        (attempt, random.random_range(1..=calm.writes * 3 / 4), fate)
    });
    let points: Vec<_> = points.collect();
    let runs = points.into_iter().map(|(attempt, number, fate)| async move {
        (number, fate, run(bench, workload, attempt, Some((number, fate))).await)
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
    complaints
}

/// The controller's identity may elect in the namespace `default`, and nothing more.
async fn allow_leases(bench: &FaultBench) {
    let client = bench.cluster().client();
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
async fn run(bench: &FaultBench, workload: &'static dyn AnyCase, attempt: u32, hit: Option<(u32, Fault)>) -> Run {
    let lease = [format!("--leader-elect-resource-name={}", bench.namespace(workload, attempt))];
    let first = bench.controller(workload, attempt, "first", &lease).await.unwrap();
    let second = bench.controller(workload, attempt, "second", &lease).await.unwrap();
    let started = tokio::time::Instant::now().into_std();
    first.instance.start().await.unwrap();
    until("the first instance to lead", || holds_after(&first.proxy.requests().passages(), started)).await;
    second.instance.start().await.unwrap();

    let keepers = [&first, &second].map(|controller| tokio::spawn(keep(Arc::clone(&controller.instance))));
    let subject: Arc<dyn RunningSubject> = first.instance.clone();
    let played = tokio::select! {
        played = bench.play(workload, attempt, subject) => played,
        // A fault that is never reached must not be waited for.
        never = async {
            if let Some((number, fault)) = hit {
                meet_fate([&first, &second], number, fault).await;
            }
            std::future::pending().await
        } => never,
    };
    keepers.iter().for_each(tokio::task::JoinHandle::abort);
    for controller in [&first, &second] {
        controller.instance.kill().await.unwrap();
    }
    let trouble = [&first, &second].into_iter().filter_map(|controller| controller.instance.trouble());
    // Who has lost the lease ends, and is started again by whoever looks after it.
    let trouble = trouble.into_iter().find(|trouble| !trouble.contains("lost the lease"));
    let [one, other] = [&first, &second].map(|controller| controller.proxy.requests().passages());
    let end = end_of(played, trouble, bench.folder());
    Run {
        end,
        writes: first.proxy.requests().writes() + second.proxy.requests().writes(),
        reached: [&first, &second].iter().any(|controller| controller.proxy.requests().struck().borrow().is_some()),
        takeovers: takeovers([&one, &other]),
        breaches: breaches([&one, &other], LEASE),
    }
}

/// Whoever makes write `number` of the two meets its fate; if it is paused, it goes on once the other has taken over.
async fn meet_fate(controllers: [&ProxiedController; 2], number: u32, fault: Fault) {
    let made = || controllers.iter().map(|controller| controller.proxy.requests().writes()).sum::<u32>();
    until("the write before", || made() + 1 >= number).await;
    let [mut one, mut other] = controllers.map(|controller| controller.proxy.requests().struck());
    controllers.iter().for_each(|controller| controller.proxy.requests().arm_next(fault));
    let struck = tokio::select! {
        _ = one.wait_for(Option::is_some) => 0,
        _ = other.wait_for(Option::is_some) => 1,
    };
    let (victim, heir) = (controllers[struck], controllers[1 - struck]);
    heir.proxy.requests().disarm();
    if fault == Fault::Pause {
        let since = tokio::time::Instant::now().into_std();
        until("the other to take over", || holds_after(&heir.proxy.requests().passages(), since)).await;
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
