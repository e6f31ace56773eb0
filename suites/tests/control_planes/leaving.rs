//! What a case leaves behind in a cluster that goes with its run: nothing that acts, and the namespace, which costs less to leave.

use jobsworth_harness::{cluster::ClusterSpec, lab::Lab, run::execute::run_case};
use jobsworth_suites::words::{
    self, About, Case, Claim, Expectations, Needs, Predicate, Scene, Stop, Write, counted, pods,
};
use k8s_openapi::api::{
    batch::v1::{CronJob, Job},
    core::v1::{Namespace, Pod},
};
use kube::api::{Api, ListParams};
use serde_json::json;
use tokio::sync::watch;

const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/leaving");

/// Ends in the middle of its Job's work, with a `CronJob` that would go on for ever.
struct EndsInTheMiddle;

impl Case for EndsInTheMiddle {
    fn about(&self) -> About {
        let claim = Claim { source: words::Source::JobController, section: "none", says: "nothing" };
        let needs = Needs::default();
        About { id: "leaving/ends-in-the-middle", claim, requirements: &["SYN-001"], needs }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let template = json!({"restartPolicy": "Never", "containers": [{"name": "main", "image": "example.com/none"}]});
        let every_minute = json!({
            "metadata": {"name": "again"},
            "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": template}}}},
        });
        scene.must(Write::create("apis/batch/v1", "cronjobs", every_minute)).await?;
        scene.submit(counted(3, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene
            .wait(Predicate::new("two pods are counted", |world| {
                world.jobs().any(|job| job.status.as_ref().and_then(|status| status.active) == Some(2))
            }))
            .await
    }

    fn expects(&self) -> Expectations {
        Expectations::new()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_case_leaves_does_nothing_any_more() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_jobsworth"), FOLDER);
    let (stage, _turn) = lab.stage(&ClusterSpec::of("1.37.1".parse().unwrap())).await.unwrap();
    let client = stage.cluster.client();
    let report = run_case(&stage, &EndsInTheMiddle, 1, watch::channel(None).1).await.unwrap();
    let namespace = report.namespace.as_str();

    let all = ListParams::default();
    let jobs = Api::<Job>::namespaced(client.clone(), namespace).list(&all).await.unwrap();
    let cron_jobs = Api::<CronJob>::namespaced(client.clone(), namespace).list(&all).await.unwrap();
    let pods = Api::<Pod>::namespaced(client.clone(), namespace).list(&all).await.unwrap();
    let stays = |of: &kube::api::ObjectMeta| of.deletion_timestamp.is_none();
    assert!(!jobs.items.iter().any(|job| stays(&job.metadata)), "{jobs:?}");
    assert!(!cron_jobs.items.iter().any(|job| stays(&job.metadata)), "{cron_jobs:?}");
    assert!(!pods.items.iter().any(|pod| stays(&pod.metadata)), "{pods:?}");

    let left = Api::<Namespace>::all(client).get(namespace).await.unwrap();
    assert_eq!(left.metadata.deletion_timestamp, None, "nobody asks seventy kinds for what is in it");
}
