//! A kind cluster of this test's, which goes with it: what is asked of its node, and what is waited for.

use std::time::Duration;

use jobsworth_harness::{
    binaries::DEFAULT_VERSION,
    cluster::{
        Cluster, ClusterSpec, Keeping, LEFTOVERS, Step,
        kind::{KindCluster, KindProvider},
        registry::Registry,
    },
    container_runtime::Runtime,
};
use serde_json::Value;

/// Programs of the node are called as its administrator.
const ADMINISTRATOR: &str = "export KUBECONFIG=/etc/kubernetes/admin.conf";
/// Images are there already, nodes are real: what takes longer does not come.
const LIMIT: Duration = Duration::from_secs(90);

/// The cluster, deleted when this goes.
pub struct Site {
    pub cluster: KindCluster,
    pub client: kube::Client,
}

impl Site {
    /// One node. What a run left behind that was killed goes first; the name is its own, for whatever else runs on this machine.
    pub async fn up() -> Self {
        let runtime = Runtime::find().unwrap();
        let image = std::env::var("JOBSWORTH_NODE_IMAGE").ok();
        let registry = Registry::of_user(LEFTOVERS).unwrap();
        registry.gc().unwrap();
        let name = format!("volcano-in-pods-{}", std::process::id());
        let provider = KindProvider::new(runtime.engine(), Keeping::Delete, image, registry);
        let spec = ClusterSpec { nodes: 1, ..ClusterSpec::of(DEFAULT_VERSION) };
        let cluster = provider.provision_kind(&spec, &name, &|_: Step| {}).await.unwrap();
        let client = cluster.client();
        Self { cluster, client }
    }

    /// What a shell of the node says, or why it fails.
    pub async fn attempt(&self, script: &str) -> Result<String, String> {
        let what = format!("run `{script}`");
        let said = self.cluster.control_plane().shell(what, &format!("{ADMINISTRATOR}\n{script}")).await;
        said.map_err(|error| error.to_string())
    }

    /// What a shell of the node says, which succeeds.
    pub async fn shell(&self, script: &str) -> String {
        self.attempt(script).await.unwrap()
    }

    /// Why a shell of the node does not do it.
    pub async fn refused(&self, script: &str) -> String {
        self.attempt(script).await.err().unwrap_or_else(|| panic!("`{script}` is possible"))
    }

    /// The same with something to read.
    pub async fn feed(&self, script: &str, input: impl Into<Vec<u8>>) -> String {
        let what = format!("run `{script}`");
        self.cluster.control_plane().fed(what, &format!("{ADMINISTRATOR}\n{script}"), input).await.unwrap()
    }

    /// Applies objects as a user does.
    pub async fn apply(&self, namespace: &str, manifest: &str) {
        self.feed(&format!("kubectl apply --server-side -n {namespace} -f -"), manifest).await;
    }

    /// An object as JSON; null where there is none.
    pub async fn get(&self, namespace: &str, what: &str) -> Value {
        let text = self.shell(&format!("kubectl -n {namespace} get {what} --ignore-not-found -o json")).await;
        if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() }
    }

    /// What an agent in a pod says.
    pub async fn agent(&self, namespace: &str, pod: &str, words: &str) -> String {
        self.shell(&format!("kubectl -n {namespace} exec {pod} -- /agent {words}")).await.trim_end().to_owned()
    }

    /// Takes it down.
    pub async fn down(self) {
        Box::new(self.cluster).destroy().await.unwrap();
    }
}

/// Waits until something holds; says what it last saw where it does not.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> Result<(), String>) {
    let mut look = tokio::time::interval(Duration::from_millis(300));
    let mut last = String::new();
    let waiting = async {
        loop {
            look.tick().await;
            match holds().await {
                Ok(()) => return,
                Err(why) => last = why,
            }
        }
    };
    let waited = tokio::time::timeout(LIMIT, waiting).await;
    assert!(waited.is_ok(), "{what}: not within {} s; {last}", LIMIT.as_secs());
}
