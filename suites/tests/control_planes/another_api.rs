//! A controller of another API than Kubernetes' own as the subject: its objects, its identities, its webhook.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use jobsworth_harness::binaries::Source;
use jobsworth_harness::cluster::local::{LocalCluster, LocalProvider};
use jobsworth_harness::cluster::registry::Registry;
use jobsworth_harness::cluster::{Cluster, ClusterSpec, Component, LEFTOVERS, RunningSubject};
use jobsworth_harness::launcher::Launcher;
use jobsworth_harness::subject::{Subject, checkout};
use kube::api::{Api, DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jobsworth");
/// Slow machines exist; nothing here takes this long.
const LIMIT: Duration = Duration::from_secs(60);

async fn up(clusters: &Path) -> (LocalCluster, Box<dyn RunningSubject>) {
    let subject = Subject::volcano_reference();
    let spec = subject.prepare(ClusterSpec::of("1.37.1".parse().unwrap()));
    let tell = |line: &str| drop(writeln!(std::io::stderr(), "{line}"));
    checkout::make_ready(spec.subject.program().unwrap(), &tell).unwrap();
    let registry = Registry::at(clusters, LEFTOVERS);
    let provider = LocalProvider::new(Source::choose(None).unwrap(), registry).launched_by(Launcher::at(PROGRAM));
    let cluster = provider.provision_local(&spec, "tested", &|_| {}).await.unwrap();
    let running = cluster.start_subject(&spec.subject).await.unwrap_or_else(|error| panic!("{error}: {error:?}"));
    (cluster, running)
}

fn objects(cluster: &LocalCluster, group: &str, version: &str, kind: &str) -> Api<DynamicObject> {
    Api::namespaced_with(
        cluster.client(),
        "default",
        &ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind)),
    )
}

fn job(name: &str, tasks: &Value) -> DynamicObject {
    serde_json::from_value(json!({
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"tasks": tasks},
    }))
    .unwrap()
}

/// Waits until there is such an object; its text.
async fn seen(api: &Api<DynamicObject>, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    let mut look = tokio::time::interval(Duration::from_millis(50));
    let looking = async {
        loop {
            look.tick().await;
            let all = api.list(&kube::api::ListParams::default()).await.unwrap();
            let mut texts = all.items.iter().map(|object| serde_json::to_value(object).unwrap());
            if let Some(found) = texts.find(|text| is_it(text)) {
                return found;
            }
        }
    };
    tokio::time::timeout(LIMIT, looking).await.unwrap_or_else(|_| panic!("{what}: not within a minute"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_of_another_api_comes_with_its_objects_and_its_webhook() {
    let clusters = tempfile::tempdir().unwrap();
    let (cluster, subject) = up(clusters.path()).await;
    let jobs = objects(&cluster, "batch.volcano.sh", "v1alpha1", "Job");
    let groups = objects(&cluster, "scheduling.volcano.sh", "v1beta1", "PodGroup");
    let one = json!([{"replicas": 2, "template": {"spec": {"containers": [{"name": "c", "image": "x"}]}}}]);

    // The controller opens it; until then no job may go there.
    let queue = ApiResource::from_gvk(&GroupVersionKind::gvk("scheduling.volcano.sh", "v1beta1", "Queue"));
    let queues = Api::all_with(cluster.client(), &queue);
    let is_open = |queue: &Value| queue["metadata"]["name"] == "default" && queue["status"]["state"] == "Open";
    seen(&queues, "the default queue, open", is_open).await;

    let made = jobs.create(&PostParams::default(), &job("good", &one)).await.unwrap();
    assert_eq!(made.data["spec"]["minAvailable"], 2, "the webhook fills in what is left out");
    let twice = json!([one[0], one[0]]);
    let mut bad = job("bad", &twice);
    bad.data["spec"]["minAvailable"] = json!(5);
    let refused = jobs.create(&PostParams::default(), &bad).await.unwrap_err().to_string();
    assert!(refused.contains("admission webhook"), "{refused}");
    let of_good = |group: &Value| group["metadata"]["ownerReferences"][0]["name"] == "good";
    seen(&groups, "the controller's group for the job", of_good).await;

    // The controller dies; what judges requests goes on.
    subject.crash().await.unwrap();
    jobs.create(&PostParams::default(), &job("later", &one)).await.unwrap();
    subject.restart().await.unwrap();
    let of_later = |group: &Value| group["metadata"]["ownerReferences"][0]["name"] == "later";
    seen(&groups, "the group of a job that came while the controller was away", of_later).await;
    assert!(subject.metrics().await.unwrap().contains("# TYPE"));
    assert!(cluster.unexpected_exit().borrow().is_none());

    let pids = cluster.pids();
    assert!(pids.contains_key(&Component::Subject) && pids.contains_key(&Component::Webhook), "{pids:?}");
    let audit = std::fs::read_to_string(cluster.site().audit_log()).unwrap();
    for user in ["jobsworth-volcano-controller", "jobsworth-volcano-webhook"] {
        assert!(
            audit.contains(&format!("system:serviceaccount:volcano-system:{user}")),
            "{user} came as somebody else"
        );
    }
    let forbidden: Vec<&str> = audit.lines().filter(|line| line.contains(r#""decision":"forbid""#)).collect();
    assert!(forbidden.is_empty(), "{forbidden:#?}");
    Box::new(cluster).destroy().await.unwrap();
}
