//! Trials about the lease: a holder that loses it stops writing, and a rival's lease is left alone.
//!
//! The subject is started here, with election, and may end: that is no accident of the control plane.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use jobsworth_harness::cluster::Component;
use jobsworth_harness::launcher::{self, Launcher};
use jobsworth_harness::run::prepared_cell::PreparedCell;
use jobsworth_mutants::roster::Trial;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use serde_json::json;

use crate::test_cluster::Program;
use crate::work_list::Verdict;

const LEASE: &str = "jobsworth-controller";
const RIVAL: &str = "rival";
/// How long anything may take that has to happen.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest time for which a holder may go on after its last renewal, and a little.
const RENEW_DEADLINE: Duration = Duration::from_secs(11);
/// How long something that must not happen gets to happen.
const CHANCE: Duration = Duration::from_secs(5);
/// How often conditions are looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Whether a trial is one of these.
pub fn is_about(trial: &Trial) -> bool {
    ["bench/a-lost-lease-stops-writes", "bench/a-rivals-lease-is-left-alone"].contains(&trial.scenario)
}

/// Runs such a trial.
pub async fn try_one(stage: &PreparedCell, program: &Program, trial: &Trial) -> Result<Verdict, String> {
    // The stage's own subject has no election.
    stage.subject.crash().await.map_err(|error| error.to_string())?;
    let said = |error: kube::Error| error.to_string();
    match trial.scenario {
        "bench/a-lost-lease-stops-writes" => a_lost_lease_stops_writes(stage, program).await.map_err(said),
        "bench/a-rivals-lease-is-left-alone" => a_rivals_lease_is_left_alone(stage, program).await.map_err(said),
        other => Err(format!("there is no trial {other}")),
    }
}

/// A process that ends with its owner.
struct Subject(Child);

impl Drop for Subject {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Subject {
    fn start(stage: &PreparedCell, program: &Program) -> std::io::Result<Self> {
        let site = stage.cluster.site();
        let log = File::create(program.path.with_extension("log"))?;
        let mut command = Launcher::default().command(&program.path);
        command
            .arg(format!("--kubeconfig={}", site.kubeconfig("job-controller").display()))
            .arg(format!("--metrics-address=127.0.0.1:{}", site.port(Component::Subject)))
            .arg("--leader-elect=true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        launcher::spawn(command).map(Self)
    }

    fn has_ended(&mut self) -> bool {
        self.0.try_wait().ok().flatten().is_some()
    }
}

async fn a_lost_lease_stops_writes(stage: &PreparedCell, program: &Program) -> kube::Result<Verdict> {
    let client = stage.cluster.client();
    let leases: Api<Lease> = Api::namespaced(client.clone(), "kube-system");
    may_have_leases(stage).await?;
    let mut subject = Subject::start(stage, program).map_err(|error| kube::Error::Service(error.into()))?;
    if !becomes(PATIENCE, async || Ok(holder(&leases).await?.is_some_and(|name| !name.is_empty()))).await? {
        return Ok(Verdict::Unclear("the subject does not get the lease".to_owned()));
    }
    let space = format!("election-{}", stage.seed);
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let named = |name: &str| serde_json::from_value(json!({"metadata": {"name": name}})).expect("it is an object");
    namespaces.create(&PostParams::default(), &named(&space)).await?;
    let (jobs, pods): (Api<Job>, Api<Pod>) = (Api::namespaced(client.clone(), &space), Api::namespaced(client, &space));
    jobs.create(&PostParams::default(), &job("before")).await?;
    if !becomes(PATIENCE, async || has_pods(&pods, "before").await).await? {
        return Ok(Verdict::Unclear("the holder of the lease makes no pod".to_owned()));
    }
    let stolen = json!({"spec": {"holderIdentity": RIVAL, "leaseDurationSeconds": 600}});
    leases.patch(LEASE, &PatchParams::default(), &Patch::Merge(stolen)).await?;
    // It may go on until its deadline, or end.
    becomes(RENEW_DEADLINE, async || Ok(subject.has_ended())).await?;
    jobs.create(&PostParams::default(), &job("after")).await?;
    let wrote = becomes(CHANCE, async || has_pods(&pods, "after").await).await?;
    leases.delete(LEASE, &DeleteParams::default()).await?;
    let says = "a pod was created after the lease was lost".to_owned();
    Ok(if wrote { Verdict::Rejected(vec![("S30".to_owned(), says)]) } else { Verdict::Passes })
}

async fn a_rivals_lease_is_left_alone(stage: &PreparedCell, program: &Program) -> kube::Result<Verdict> {
    let leases: Api<Lease> = Api::namespaced(stage.cluster.client(), "kube-system");
    may_have_leases(stage).await?;
    let free = json!({"metadata": {"name": LEASE}, "spec": {"holderIdentity": "", "leaseDurationSeconds": 1}});
    leases.create(&PostParams::default(), &serde_json::from_value(free).expect("it is a lease")).await?;
    let _subject = Subject::start(stage, program).map_err(|error| kube::Error::Service(error.into()))?;
    // Its write is under way for seconds: the rival is faster.
    if !becomes(PATIENCE, async || Ok(writes_of_leases(&program.wire_log, false) > 0)).await? {
        return Ok(Verdict::Unclear("the subject does not ask for the lease".to_owned()));
    }
    let taken = json!({"spec": {"holderIdentity": RIVAL, "leaseDurationSeconds": 600}});
    leases.patch(LEASE, &PatchParams::default(), &Patch::Merge(taken)).await?;
    if !becomes(PATIENCE, async || Ok(writes_of_leases(&program.wire_log, true) > 0)).await? {
        return Ok(Verdict::Unclear("the subject's write gets no answer".to_owned()));
    }
    let left = holder(&leases).await?;
    leases.delete(LEASE, &DeleteParams::default()).await?;
    let says = format!("the rival's lease is held by {left:?}");
    Ok(if left.as_deref() == Some(RIVAL) { Verdict::Passes } else { Verdict::Rejected(vec![("S30".to_owned(), says)]) })
}

/// The identity of the drop-in may not be allowed leases: in a cluster of its own it needs none.
async fn may_have_leases(stage: &PreparedCell) -> kube::Result<()> {
    let client = stage.cluster.client();
    let roles: Api<k8s_openapi::api::rbac::v1::ClusterRoleBinding> = Api::all(client);
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "mutants-lease"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"kind": "ServiceAccount", "name": "job-controller", "namespace": "kube-system"}],
    });
    let apply = PatchParams::apply("mutants").force();
    roles.patch("mutants-lease", &apply, &Patch::Apply(binding)).await.map(|_| ())
}

async fn holder(leases: &Api<Lease>) -> kube::Result<Option<String>> {
    let lease = leases.get_opt(LEASE).await?;
    Ok(lease.and_then(|lease| lease.spec?.holder_identity))
}

async fn has_pods(pods: &Api<Pod>, job: &str) -> kube::Result<bool> {
    let of = ListParams::default().labels(&format!("batch.kubernetes.io/job-name={job}"));
    Ok(!pods.list(&of).await?.items.is_empty())
}

/// Whether it is so within this time.
async fn becomes(within: Duration, mut ask: impl AsyncFnMut() -> kube::Result<bool>) -> kube::Result<bool> {
    let end = tokio::time::Instant::now() + within;
    loop {
        if ask().await? {
            return Ok(true);
        }
        if tokio::time::Instant::now() >= end {
            return Ok(false);
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn writes_of_leases(log: &Path, answered: bool) -> usize {
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let counts = |line: &&str| line.contains("/leases/") && line.contains("toldMs") == answered;
    log.lines().filter(counts).count()
}

fn job(name: &str) -> Job {
    let value = json!({
        "metadata": {"name": name},
        "spec": {"template": {"spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "jobsworth.invalid/nothing"}],
        }}},
    });
    serde_json::from_value(value).expect("it is a Job")
}
