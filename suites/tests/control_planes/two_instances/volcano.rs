//! Two instances of the controller of Volcano's Jobs.

use super::{SEED, complaints};
use crate::{fault_bench, volcano_bench};
use jobsworth_harness::faults::FaultBench;
use jobsworth_harness::subject::Subject;
use jobsworth_suites::volcano_words::*;
use kube::Client;
use serde_json::Value;
use std::path::Path;

/// Fewer than of Kubernetes' own Jobs: election and lease are the same code.
const POINTS: u32 = 10;
/// Under the role that is deployed, in the namespace that is the default.
const FLAGS: [&str; 5] = [
    "--leader-elect-lease-duration=4s",
    "--leader-elect-renew-deadline=3s",
    "--leader-elect-retry-period=500ms",
    "--kube-api-qps=100",
    "--kube-api-burst=100",
];

/// A Job that is restarted for a failure, and one beside it with all that plugins make.
struct Workload;

impl Case for Workload {
    fn about(&self) -> About {
        about("two-instances/volcano", "status", "two instances do the work of one", &["VJ-109", "VJ-171"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).max_retry(9).policy(on("PodFailed", "RestartJob"))).await?;
        scene.submit(gang(2).named("beside").plugin("env", &[]).plugin("svc", &[])).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        scene.wait(job_named("beside").is("Running").and(pods_of("beside").running(2))).await?;
        scene.pod_named("beside-w-0").succeeds().await?;
        scene.pod_named("beside-w-1").succeeds().await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(2))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.wait(job().is("Completed").and(job_named("beside").is("Completed"))).await?;
        scene.wait(pod_groups().count(0).and(services().count(0))).await
    }

    /// What is done twice shows in counts and versions; the invariants judge the rest.
    fn expects(&self) -> Expectations {
        let beside = job_named("beside");
        let twice = job().retry_count_at_least(2).or(job().version_at_least(2));
        Expectations::from([
            ("the failure is one restart", never(twice)),
            ("it is acted upon", eventually(pods().that_are(of_version(1)).running(2))),
            ("the other Job is not restarted", never(beside.retry_count_at_least(1).or(beside.version_at_least(1)))),
            ("both complete", eventually(job().is("Completed").and(beside.is("Completed")))),
        ])
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_leads_among_volcano_s_controllers_may_die_or_sleep_at_any_write() {
    let clusters = tempfile::tempdir().unwrap();
    let bench = bench(clusters.path()).await;
    let complaints = complaints(&bench, &Workload, POINTS).await;
    bench.leave().await.unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// A control plane with definitions, roles, queues that are open, and a webhook; its controllers are those of the test.
async fn bench(clusters: &Path) -> FaultBench {
    let spec = volcano_bench::spec();
    let cluster = volcano_bench::cluster(clusters, &spec, "bench").await;
    let bench = fault_bench::on(cluster, Subject::volcano_reference(), ("two-volcano", &FLAGS), SEED).await;
    // With the controller come all that it needs; only the controller goes again.
    let installed = bench.cluster().start_subject(&spec.subject).await.unwrap();
    until_open(&bench.cluster().client()).await;
    installed.crash().await.unwrap();
    bench
}

/// Jobs go to the queue `default`, once it is open (VJ-079).
async fn until_open(client: &Client) {
    let mut look = tokio::time::interval(Duration::from_millis(50));
    let is_open = async || {
        let request =
            http::Request::get("/apis/scheduling.volcano.sh/v1beta1/queues/default").body(Vec::new()).unwrap();
        let queue: Value = client.request(request).await.unwrap();
        queue["status"]["state"] == "Open"
    };
    let waiting = async {
        while !is_open().await {
            look.tick().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("the queue opens within a minute");
}
