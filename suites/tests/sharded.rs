//! A run in slices on a real cluster with three workers: three pods and one joined report; the same with a pod that is killed; and a load.
//! `cargo xtask check` runs this in its step `kind`, where a machine can have such clusters.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use std::{
    fs,
    path::PathBuf,
    process::{Command, ExitCode, Output},
    time::Duration,
};

use jobsworth_harness::{
    binaries::DEFAULT_VERSION,
    cluster::{
        self, Cluster, ClusterSpec, Keeping, LEFTOVERS, Step,
        kind::{KindCluster, KindProvider, config::Variant, remains::Remains},
        kubeconfig,
        registry::Registry,
    },
    container_runtime::Runtime,
};
use k8s_openapi::api::core::v1::{Namespace, Node, Pod};
use kube::{
    Api, ResourceExt as _,
    api::{DeleteParams, ListParams},
};
use libtest_mimic::{Arguments, Trial};
use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jobsworth");
/// Programs of the node are called as its administrator.
const ADMINISTRATOR: &str = "export KUBECONFIG=/etc/kubernetes/admin.conf";
/// What `shard write` calls it without a word.
const NAMESPACE: &str = "jobsworth";
/// The API server's port on its node.
const PORT: u16 = 6443;
/// Images are there already: what takes longer does not come.
const LIMIT: Duration = Duration::from_secs(60);

/// Quick ones, with pods and without.
const WHOLE: [&str; 5] = [
    "indexed-job/complete-when-every-index-succeeded",
    "success-policy/leader-index-decides",
    "backoff/limit-allows-one-failure-more",
    "ttl/zero-removes-at-once",
    "validation/defaults",
];
/// One for each slice; the second has pods that take their time.
const KILLED: [&str; 3] = [
    "indexed-job/complete-when-every-index-succeeded",
    "success-policy/leader-index-decides",
    "ttl/zero-removes-at-once",
];

/// Jobs of one pod for three quarters of a minute: slices that begin twenty seconds apart on a busy machine still did it together.
const PROFILE: &str = "\
schema: jobsworth/load-profile/v1
name: tiny
says: Jobs of one pod, one a second
rounds: 1
mix:
- {name: small, jobs: 45, completions: 1, per-second: 1}
pods: {run-time: 100ms}
limit: 2m
";

/// Variables that say where things are on this machine. All others say what a run does, and are taken away.
const PLACES: [&str; 4] = ["JOBSWORTH_BINARIES", "JOBSWORTH_CACHE", "JOBSWORTH_KIND", "JOBSWORTH_NODE_IMAGE"];

fn main() -> ExitCode {
    // Programs are started through this one, so that none outlives it.
    cluster::intercept();
    let test = || {
        tokio::runtime::Runtime::new().unwrap().block_on(on_one_cluster());
        Ok(())
    };
    let tests = vec![Trial::test("three_pods_run_a_slice_each_and_make_one_report", test)];
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// One cluster for everything: it takes longer to come up than what is done with it.
async fn on_one_cluster() {
    let site = Site::up().await;
    site.ended(&site.jobsworth(&["shard", "image", "--kind", &site.name]), 0).await;
    every_slice_is_run(&site).await;
    a_load_is_done_in_slices(&site).await;
    // Last: what its cases made is there until it expires, and whoever comes after it is refused.
    a_slice_is_killed(&site).await;
    site.down().await;
}

async fn every_slice_is_run(site: &Site) {
    site.applied("whole", &WHOLE).await;
    let told = site.ended(&site.collected("whole"), 0).await;
    assert!(told.contains("cases     5 passed"), "{told}");
    let run = site.joined("whole");
    assert_eq!((&run["exit"]["code"], &run["plan"]["partition"]), (&Value::from(0), &Value::Null), "{run:#}");
    assert_eq!(run["cells"].as_array().unwrap().len(), 1);
    for slice in 1..=3 {
        assert!(site.folder.path().join(format!("whole.slices/slice-{slice}.tar.zst")).is_file());
    }
    let verified = site.jobsworth(&["verify", "whole"]);
    site.ended(&verified, 0).await;
}

async fn a_slice_is_killed(site: &Site) {
    site.applied("killed", &KILLED).await;
    let pods: Api<Pod> = Api::namespaced(site.cluster.client(), NAMESPACE);
    let second = "jobsworth.dev/sharded-run=killed,batch.kubernetes.io/job-completion-index=1";
    let mut look = tokio::time::interval(Duration::from_millis(300));
    let running = async {
        loop {
            look.tick().await;
            let found = pods.list(&ListParams::default().labels(second)).await.unwrap();
            let runs =
                |pod: &&Pod| pod.status.as_ref().is_some_and(|status| status.phase.as_deref() == Some("Running"));
            if let Some(pod) = found.items.iter().find(runs) {
                return pod.name_any();
            }
        }
    };
    let pod = tokio::time::timeout(LIMIT, running).await.unwrap();
    pods.delete(&pod, &DeleteParams::default().grace_period(0)).await.unwrap();

    // Whether the Job counts the pod as failed is open: one that stops in order within a second is done before its controller looks.
    let told = site.ended(&site.collected("killed"), 3).await;
    assert!(told.contains("slice:2/3"), "{told}");
    let run = site.joined("killed");
    let causes = run["exit"]["causes"].as_array().unwrap();
    assert!(causes.iter().any(|cause| cause["says"].as_str().unwrap().contains("slice:2/3")), "{causes:?}");
    assert_eq!(run["outcome"]["passed"], 2, "{run:#}");
}

async fn a_load_is_done_in_slices(site: &Site) {
    fs::write(site.folder.path().join("tiny.yaml"), PROFILE).unwrap();
    // How late a busy machine submits is nothing that this test asks about.
    site.applied("load", &["--load", "tiny.yaml", "--lag-limit", "60000"]).await;
    let told = site.ended(&site.collected("load"), 0).await;
    assert!(told.contains("joined of 3 slices"), "{told}");
    let record: Value = serde_json::from_slice(&fs::read(site.folder.path().join("load")).unwrap()).unwrap();
    let [trial] = record["trials"].as_array().unwrap().as_slice() else { panic!("{record:#}") };
    let (void, slices, slice) = (&trial["void"], &record["slices"], &record["slice"]);
    assert_eq!((void, slices, slice), (&Value::Null, &3.into(), &Value::Null), "{trial}");
    // No Job is lost between slices, and none is done twice.
    assert_eq!((&trial["judged"]["jobs"], &record["profiles"][0]["jobs"]), (&45.into(), &45.into()), "{trial}");
    assert_eq!(trial["latencies"]["last-pod-to-end"]["count"], 45, "{trial}");
    let slices = trial["slices"].as_array().unwrap();
    assert!(slices.len() == 3 && slices.iter().all(|slice| slice["workBegan"].is_string()), "{trial}");
    assert!(trial["figures"]["makespan"].is_null() && trial["figures"]["last-pod-to-end.p50"].is_number(), "{trial}");
}

/// A kind cluster of this test's, as a user finds one.
struct Site {
    cluster: KindCluster,
    /// Its name for kind.
    name: String,
    kubeconfig: PathBuf,
    uid: String,
    /// Where pods reach the API server: a node that was made without kube-proxy sends nothing to Services.
    api_server: Option<String>,
    folder: TempDir,
}

impl Site {
    /// Three workers. What a run left behind that was killed goes first.
    async fn up() -> Self {
        let runtime = Runtime::find().unwrap();
        let image = std::env::var("JOBSWORTH_NODE_IMAGE").ok();
        let registry = Registry::of_user(LEFTOVERS).unwrap();
        registry.gc().unwrap();
        let name = format!("sharded-{}", std::process::id());
        let provider = KindProvider::new(runtime.engine(), Keeping::Delete, image, registry);
        let spec = ClusterSpec { nodes: 3, ..ClusterSpec::of(DEFAULT_VERSION) };
        let cluster = provider.provision_kind(&spec, &name, &|_: Step| {}).await.unwrap();
        let system = Api::<Namespace>::all(cluster.client()).get("kube-system").await.unwrap();
        let api_server = match cluster.variant() {
            Variant::Stock => None,
            Variant::Bare => Some(format!("{}:{PORT}", address(&cluster).await)),
        };
        Self {
            kubeconfig: kubeconfig::administrator(cluster.site()),
            uid: system.uid().unwrap(),
            name: Remains::cluster_name(&name),
            api_server,
            cluster,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn jobsworth(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(self.folder.path());
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for name in names.filter(|name| name.starts_with("JOBSWORTH_") && !PLACES.contains(&name.as_str())) {
            command.env_remove(name);
        }
        command.output().unwrap()
    }

    /// Writes the manifests of a run of these cases or of a load, and applies them as a user does.
    async fn applied(&self, name: &str, what: &[&str]) {
        let kubeconfig = self.kubeconfig.display().to_string();
        let file = format!("{name}.yaml");
        let run = ["shard", "write", "--slices", "3", "--name", name, "--out", &file];
        let way = ["--kubeconfig", &kubeconfig, "--context", "jobsworth", "--yes-cluster", &self.uid[..8]];
        let server: Vec<&str> = self.api_server.iter().flat_map(|server| ["--api-server", server]).collect();
        let written = self.jobsworth(&[run.as_slice(), &way, &server, what].concat());
        self.ended(&written, 0).await;
        let text = fs::read(self.folder.path().join(file)).unwrap();
        let script = format!("{ADMINISTRATOR}\nkubectl apply -f -");
        self.cluster.control_plane().fed(format!("apply {name}"), &script, text).await.unwrap();
    }

    fn collected(&self, name: &str) -> Output {
        let kubeconfig = self.kubeconfig.display().to_string();
        let way = ["--kubeconfig", &kubeconfig, "--context", "jobsworth"];
        let collect = ["shard", "collect", name, "--wait", "5", "--out", name];
        self.jobsworth(&[collect.as_slice(), &way].concat())
    }

    /// The joined run.
    fn joined(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.folder.path().join(name).join("run.json")).unwrap()).unwrap()
    }

    /// What a command told that ended with this code; what its pods said where it ended otherwise.
    async fn ended(&self, output: &Output, code: i32) -> String {
        let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if output.status.code() != Some(code) {
            let script = format!(
                "{ADMINISTRATOR}\nkubectl -n {NAMESPACE} get pods -o wide || true\n\
                 kubectl -n {NAMESPACE} logs -l jobsworth.dev/sharded-run --prefix --tail 40 || true"
            );
            let said = self.cluster.control_plane().shell("look at the pods", &script).await;
            panic!("{:?} and not {code}:\n{told}\n{}", output.status.code(), said.unwrap_or_default());
        }
        told
    }

    async fn down(self) {
        Box::new(self.cluster).destroy().await.unwrap();
    }
}

/// The address of the node with the control plane.
async fn address(cluster: &KindCluster) -> String {
    let nodes: Api<Node> = Api::all(cluster.client());
    let node = nodes.get(cluster.control_plane().name()).await.unwrap();
    let addresses = node.status.unwrap().addresses.unwrap();
    addresses.into_iter().find(|address| address.type_ == "InternalIP").unwrap().address
}
