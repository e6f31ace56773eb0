//! Volcano's Jobs on real nodes: the controller and the webhook deployed by the kustomization, the examples word for word, and names
//! and keys used from pod to pod. `cargo xtask check` runs this in its step `kind`, where a machine can have such clusters.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

mod volcano_in_pods {
    pub mod cluster;
    pub mod deployment;
    pub mod example;
    pub mod names;
    pub mod scheduler;
}

use std::process::ExitCode;

use jobsworth_harness::cluster;
use libtest_mimic::{Arguments, Trial};
use volcano_in_pods::{
    cluster::{Site, until},
    deployment,
    example::{self, Example, NAMESPACE},
    names, scheduler,
};

const MPI: &str = include_str!("../../controller/volcano/examples/mpi.yaml");
const TENSORFLOW: &str = include_str!("../../controller/volcano/examples/tensorflow.yaml");
const SPARK: &str = include_str!("../../controller/volcano/examples/spark.yaml");
const RESTART: &str = include_str!("../../controller/volcano/examples/restart-on-anything.yaml");
/// More pods must run than there are.
const TOO_FEW: &str = include_str!("volcano_in_pods/too-few.yaml");
/// Nothing but what nobody can fill in.
const PLAIN: &str = include_str!("volcano_in_pods/plain.yaml");

fn main() -> ExitCode {
    // Programs are started through this one, so that none outlives it.
    cluster::intercept();
    let test = || {
        tokio::runtime::Runtime::new().unwrap().block_on(on_one_cluster());
        Ok(())
    };
    let tests = vec![Trial::test("jobs_of_volcano_run_on_real_nodes_as_they_are_deployed", test)];
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// One cluster for everything: it takes longer to come up than what is done with it.
async fn on_one_cluster() {
    let site = Site::up().await;
    names::given_to(&site).await;
    deployment::made(&site).await;
    deployment::is_as_its_manifests_say(&site).await;
    example::made_ready(&site).await;
    the_webhook_refuses_and_fills_in(&site).await;

    let scheduler = tokio::spawn(scheduler::play(site.client.clone()));
    workers_are_reached_by_name_and_by_key(&site).await;
    deployment::its_leader_goes(&site).await;
    training_is_over_when_every_worker_is_done(&site).await;
    an_executor_is_started_again_where_it_was(&site).await;
    whatever_happens_begins_it_anew(&site).await;
    assert!(!scheduler.is_finished(), "who plays the scheduler gave up");
    scheduler.abort();
    site.down().await;
}

async fn the_webhook_refuses_and_fills_in(site: &Site) {
    let refused = site.refused(&format!("kubectl apply -n {NAMESPACE} -f - <<'END'\n{TOO_FEW}\nEND")).await;
    let words = "job 'minAvailable' should not be greater than total replicas in tasks";
    assert!(refused.contains(words), "{refused}");
    site.apply(NAMESPACE, PLAIN).await;
    let spec = site.get(NAMESPACE, "jobs.batch.volcano.sh/plain").await["spec"].take();
    let filled_in = ["queue", "schedulerName", "minAvailable", "maxRetry"].map(|field| spec[field].to_string());
    assert_eq!(filled_in, ["\"default\"", "\"volcano\"", "2", "3"]);
    assert_eq!(spec["tasks"][0]["name"], "default0");
    site.shell(&format!("kubectl -n {NAMESPACE} delete jobs.batch.volcano.sh/plain")).await;
}

async fn workers_are_reached_by_name_and_by_key(site: &Site) {
    let mpi = Example::running(site, "mpi", MPI, 3).await;
    let hosts = mpi.says("mpi-launcher-0", "read /etc/volcano/worker.host").await;
    assert_eq!(hosts.lines().collect::<Vec<_>>(), ["mpi-worker-0.mpi", "mpi-worker-1.mpi"]);
    assert_eq!(mpi.says("mpi-worker-1", "read /etc/volcano/launcher.host").await, "mpi-launcher-0.mpi");

    let pods = mpi.pods().await;
    for asking in pods.keys() {
        for (name, pod) in &pods {
            let address = pod["status"]["podIP"].as_str().unwrap();
            for host in [format!("{name}.mpi"), format!("{name}.mpi.{NAMESPACE}.svc.cluster.local")] {
                assert_eq!(mpi.says(asking, &format!("resolve {host}")).await, address, "{asking} asks for {host}");
            }
        }
    }
    let nobody = format!("resolve mpi-worker-2.mpi.{NAMESPACE}.svc.cluster.local.");
    let unknown = mpi.refuses("mpi-launcher-0", &nobody).await;
    assert!(unknown.contains("no such host"), "{unknown}");

    for (from, to) in
        [("mpi-launcher-0", "mpi-worker-0"), ("mpi-launcher-0", "mpi-worker-1"), ("mpi-worker-1", "mpi-launcher-0")]
    {
        assert_eq!(mpi.says(from, &format!("ssh {to}")).await, to, "{from} logs into {to}");
    }
    a_stranger_gets_no_further(site).await;

    let state: serde_json::Value = serde_json::from_str(&mpi.says("mpi-worker-1", "state").await).unwrap();
    let variables = ["VK_TASK_INDEX", "VC_TASK_INDEX", "VC_WORKER_NUM", "VC_WORKER_HOSTS"];
    let found = variables.map(|name| state["environment"][name].as_str().unwrap_or_default().to_owned());
    assert_eq!(found, ["1", "1", "2", "mpi-worker-0.mpi,mpi-worker-1.mpi"]);

    mpi.end(&["mpi-launcher-0"], 0).await;
    mpi.comes_to("Completed", 0).await;
    assert_eq!(mpi.pods().await.into_keys().collect::<Vec<_>>(), ["mpi-launcher-0"]);
    until("what plugins made goes", async || {
        let left = site
            .shell(&format!("kubectl -n {NAMESPACE} get svc/mpi secret/mpi-ssh cm/mpi-svc --ignore-not-found"))
            .await;
        if left.is_empty() { Ok(()) } else { Err(left) }
    })
    .await;
    mpi.goes().await;
}

/// Another Job has another key: the door is found by its name and stays shut.
async fn a_stranger_gets_no_further(site: &Site) {
    let text = MPI.replace("name: mpi\n", "name: stranger\n");
    assert_ne!(text, MPI);
    let stranger = Example::running(site, "stranger", &text, 3).await;
    assert_eq!(stranger.says("stranger-launcher-0", "ssh stranger-worker-0").await, "stranger-worker-0");
    let refused = stranger.refuses("stranger-launcher-0", "ssh mpi-worker-0.mpi").await;
    assert!(refused.contains("unable to authenticate"), "{refused}");
    stranger.goes().await;
}

async fn training_is_over_when_every_worker_is_done(site: &Site) {
    let training = Example::running(site, "tensorflow", TENSORFLOW, 6).await;
    let server = training.says("tensorflow-worker-4", "read /etc/volcano/ps.host").await;
    let address = training.pods().await["tensorflow-ps-0"]["status"]["podIP"].clone();
    assert_eq!(training.says("tensorflow-worker-4", &format!("resolve {server}")).await, address.as_str().unwrap());
    let workers = [0, 1, 2, 3, 4].map(|index| format!("tensorflow-worker-{index}"));
    let workers = workers.each_ref().map(String::as_str);
    training.end(&workers[..4], 0).await;
    training.comes_to("Running", 2).await;
    training.end(&workers[4..], 0).await;
    training.comes_to("Completed", 0).await;
    assert_eq!(training.job().await["status"]["succeeded"], 5);
    assert_eq!(training.pods().await.into_keys().collect::<Vec<_>>(), workers);
    training.goes().await;
}

async fn an_executor_is_started_again_where_it_was(site: &Site) {
    let spark = Example::running(site, "spark", SPARK, 6).await;
    let before = spark.pods().await["spark-executor-3"].clone();
    assert_eq!(spark.pods().await["spark-driver-0"]["spec"]["priority"], 1000);
    spark.end(&["spark-executor-3"], 1).await;
    until("its container runs again", async || {
        let now = spark.pods().await["spark-executor-3"].clone();
        assert_eq!(now["metadata"]["uid"], before["metadata"]["uid"]);
        let container = &now["status"]["containerStatuses"][0];
        let again = container["restartCount"] == 1 && container["state"]["running"].is_object();
        if again { Ok(()) } else { Err(container.to_string()) }
    })
    .await;
    spark.end(&["spark-driver-0"], 0).await;
    spark.comes_to("Completed", 0).await;
    assert_eq!(spark.job().await["status"]["retryCount"], serde_json::Value::Null);
    spark.goes().await;
}

async fn whatever_happens_begins_it_anew(site: &Site) {
    let job = Example::running(site, "restart-on-anything", RESTART, 6).await;
    let uids = async || {
        let pods = job.pods().await;
        pods.into_values().map(|pod| pod["metadata"]["uid"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = uids().await;
    job.end(&["restart-on-anything-worker-2"], 1).await;
    until("all pods are new", async || {
        let now = uids().await;
        if now.len() == 6 && now.iter().all(|uid| !before.contains(uid)) { Ok(()) } else { Err(format!("{now:?}")) }
    })
    .await;
    job.comes_to("Running", 6).await;
    assert_eq!(job.job().await["status"]["retryCount"], 1);
    job.goes().await;
}
