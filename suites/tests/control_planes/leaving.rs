//! What a case leaves behind in a cluster that goes with its run: nothing that acts, and the namespace, which costs less to leave.

use jobsworth_harness::{cluster::ClusterSpec, lab::Lab, run::execute::run_case};
use jobsworth_suites::words::{
    self, About, Case, Claim, Expectations, Needs, Predicate, Scene, Stop, Write, counted, pods,
};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::{
    batch::v1::{CronJob, Job},
    core::v1::{Namespace, Pod},
};
use kube::{
    Client, ResourceExt as _,
    api::{Api, ListParams},
};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::{fmt::Debug, time::Duration};
use tokio::sync::watch;

const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/leaving");

/// The garbage collector takes seconds, of a cluster among many.
const LIMIT: Duration = Duration::from_secs(60);

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

/// The names of those that nobody has asked to go.
async fn staying<K>(client: &Client, namespace: &str) -> Vec<String>
where
    K: kube::Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    let all = Api::<K>::namespaced(client.clone(), namespace).list(&ListParams::default()).await.unwrap();
    let mut staying = Vec::new();
    for object in all.items {
        if object.meta().deletion_timestamp.is_none() {
            staying.push(object.name_any());
        }
    }
    staying
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_case_leaves_does_nothing_any_more() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_jobsworth"), FOLDER);
    let (stage, _turn) = lab.stage(&ClusterSpec::of("1.37.1".parse().unwrap())).await.unwrap();
    let client = stage.cluster.client();
    let report = run_case(&stage, &EndsInTheMiddle, 1, watch::channel(None).1).await.unwrap();
    let namespace = report.namespace.as_str();

    // Who hears of a pod's end before that of its Job replaces the pod; and who makes a Job every minute may be at it. The garbage
    // collector removes both.
    let mut look = tokio::time::interval(Duration::from_millis(200));
    let gone = async {
        while !staying::<CronJob>(&client, namespace).await.is_empty()
            || !staying::<Job>(&client, namespace).await.is_empty()
            || !staying::<Pod>(&client, namespace).await.is_empty()
        {
            look.tick().await;
        }
    };
    let is_gone = tokio::time::timeout(LIMIT, gone).await.is_ok();
    let staying = [
        staying::<CronJob>(&client, namespace).await,
        staying::<Job>(&client, namespace).await,
        staying::<Pod>(&client, namespace).await,
    ];
    assert!(is_gone, "{staying:?} of {} still act", report.namespace);

    let left = Api::<Namespace>::all(client).get(namespace).await.unwrap();
    assert_eq!(left.metadata.deletion_timestamp, None, "nobody asks seventy kinds for what is in it");
}
