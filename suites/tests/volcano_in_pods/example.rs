//! A Job of the examples, applied word for word: its images are the agent's under other names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::cluster::{Site, until};

/// Where the examples run.
pub const NAMESPACE: &str = "examples";
/// Every image that an example names.
const IMAGES: [&str; 5] = ["mpi", "parameter-server", "spark-driver", "spark-executor", "worker"];

/// A Volcano Job in the cluster.
pub struct Example<'s> {
    site: &'s Site,
    name: &'static str,
}

/// Makes place for examples.
pub async fn made_ready(site: &Site) {
    for image in IMAGES {
        site.shell(&format!("ctr -n k8s.io images tag jobsworth.invalid/agent:v1 example.com/{image}:1")).await;
    }
    site.shell(&format!("kubectl create namespace {NAMESPACE}")).await;
}

impl<'s> Example<'s> {
    /// Applies it, and waits until so many pods of it run.
    pub async fn running(site: &'s Site, name: &'static str, manifest: &str, pods: usize) -> Self {
        site.apply(NAMESPACE, manifest).await;
        let example = Self { site, name };
        example.comes_to("Running", pods).await;
        example
    }

    /// What it is now.
    pub async fn job(&self) -> Value {
        self.site.get(NAMESPACE, &format!("jobs.batch.volcano.sh/{}", self.name)).await
    }

    /// Its pods, by name.
    pub async fn pods(&self) -> BTreeMap<String, Value> {
        let found = self.site.get(NAMESPACE, &format!("pods -l volcano.sh/job-name={}", self.name)).await;
        let items = found["items"].as_array().cloned().unwrap_or_default();
        items.into_iter().map(|pod| (pod["metadata"]["name"].as_str().unwrap().to_owned(), pod)).collect()
    }

    /// Waits until it is in this phase and so many of its pods run.
    pub async fn comes_to(&self, phase: &str, running: usize) {
        until(&format!("{} comes to {phase}", self.name), async || {
            let (job, pods) = (self.job().await, self.pods().await);
            let live = pods.values().filter(|pod| pod["status"]["phase"] == "Running").count();
            if job["status"]["state"]["phase"] == phase && live == running {
                return Ok(());
            }
            let pods: Vec<String> = pods.values().map(|pod| format!("{}", pod["status"])).collect();
            Err(format!("it is {}, and its pods are {pods:#?}", job["status"]))
        })
        .await;
    }

    /// What the program in a pod says.
    pub async fn says(&self, pod: &str, words: &str) -> String {
        self.site.agent(NAMESPACE, pod, words).await
    }

    /// Why the program in a pod does not do it.
    pub async fn refuses(&self, pod: &str, words: &str) -> String {
        self.site.refused(&format!("kubectl -n {NAMESPACE} exec {pod} -- /agent {words}")).await
    }

    /// The containers of these pods end so.
    pub async fn end(&self, pods: &[&str], code: i32) {
        for pod in pods {
            self.says(pod, &format!("exit {code}")).await;
        }
    }

    /// It goes, and all that is its.
    pub async fn goes(self) {
        self.site.shell(&format!("kubectl -n {NAMESPACE} delete jobs.batch.volcano.sh/{}", self.name)).await;
        until(&format!("nothing of {} stays", self.name), async || {
            let pods = self.pods().await;
            if pods.is_empty() { Ok(()) } else { Err(format!("{:?}", pods.keys())) }
        })
        .await;
    }
}
