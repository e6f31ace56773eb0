//! What a Job controller has to do, each duty with a limit of its own, so that a missing one is soon known by its name.

use std::time::Duration;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Namespace, Pod, ServiceAccount};
use k8s_openapi::api::events::v1::Event;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

/// Long after the controller would have done it; its pauses after a refused request are shorter.
const LIMIT: Duration = Duration::from_secs(8);

/// A namespace in which a controller shows what it can do.
struct Yard {
    jobs: Api<Job>,
    pods: Api<Pod>,
    events: Api<Event>,
}

/// Does everything that needs a right, and says which duty was the first not to be done.
pub async fn all_done(client: &Client, namespace: &str) -> Result<(), String> {
    let name = json!({"metadata": {"name": namespace}});
    Api::<Namespace>::all(client.clone()).create(&PostParams::default(), &of(name)).await.unwrap();
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), namespace);
    within("the default service account is there", async || accounts.get_opt("default").await.unwrap().is_some())
        .await?;
    let yard = Yard {
        jobs: Api::namespaced(client.clone(), namespace),
        pods: Api::namespaced(client.clone(), namespace),
        events: Api::namespaced(client.clone(), namespace),
    };
    yard.says_again_what_happens_again().await?;
    yard.suspends_and_completes().await?;
    yard.adopts().await?;
    yard.lets_go_of_the_pods_of_a_deleted_job().await
}

impl Yard {
    /// A Job without its service account gets no pod, again and again: one event, then its repetition.
    async fn says_again_what_happens_again(&self) -> Result<(), String> {
        let mut job = job("refused", json!({}));
        job["spec"]["template"]["spec"]["serviceAccountName"] = "late".into();
        self.create(job).await;
        within("an event tells that pods are refused, and that it goes on", async || {
            let events = self.events.list(&ListParams::default()).await.unwrap();
            events.iter().any(|event| event.series.as_ref().is_some_and(|series| series.count > 1))
        })
        .await
    }

    async fn suspends_and_completes(&self) -> Result<(), String> {
        self.create(job("work", json!({"parallelism": 2, "completions": 2, "ttlSecondsAfterFinished": 0}))).await;
        within("two pods are created", async || self.pods_of("work").await.len() == 2).await?;
        self.patch("work", json!({"spec": {"suspend": true}})).await;
        within("a suspended Job has no pods", async || self.pods_of("work").await.is_empty()).await?;
        self.patch("work", json!({"spec": {"suspend": false}})).await;
        within("a resumed Job has pods again", async || self.pods_of("work").await.len() == 2).await?;
        for pod in self.pods_of("work").await {
            self.ends(&pod).await;
        }
        within("a complete Job whose time is up is gone", async || self.jobs.get_opt("work").await.unwrap().is_none())
            .await
    }

    /// A running pod that matches the selector and is nobody's becomes the Job's.
    async fn adopts(&self) -> Result<(), String> {
        let stray = json!({
            "metadata": {"name": "stray", "labels": {"app": "yard"}},
            "spec": {"containers": [{"name": "main", "image": "none.example/none"}], "restartPolicy": "Never"},
        });
        self.pods.create(&PostParams::default(), &of(stray)).await.unwrap();
        let mut job = job("parent", json!({"manualSelector": true, "selector": {"matchLabels": {"app": "yard"}}}));
        job["spec"]["template"]["metadata"] = json!({"labels": {"app": "yard"}});
        self.create(job).await;
        within("a matching pod is adopted", async || {
            !self.pods.get("stray").await.unwrap().owner_references().is_empty()
        })
        .await
    }

    async fn lets_go_of_the_pods_of_a_deleted_job(&self) -> Result<(), String> {
        self.create(job("short", json!({}))).await;
        within("a pod is created", async || self.pods_of("short").await.len() == 1).await?;
        self.jobs.delete("short", &DeleteParams::background()).await.unwrap();
        within("no pod of a deleted Job stays", async || self.pods_of("short").await.is_empty()).await
    }

    async fn create(&self, job: Value) {
        self.jobs.create(&PostParams::default(), &of(job)).await.unwrap();
    }

    async fn patch(&self, job: &str, patch: Value) {
        self.jobs.patch(job, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }

    async fn ends(&self, pod: &Pod) {
        let status = Patch::Merge(json!({"status": {"phase": "Succeeded"}}));
        self.pods.patch_status(&pod.name_any(), &PatchParams::default(), &status).await.unwrap();
    }

    async fn pods_of(&self, job: &str) -> Vec<Pod> {
        let labelled = ListParams::default().labels(&format!("job-name={job}"));
        self.pods.list(&labelled).await.unwrap().items
    }
}

fn job(name: &str, spec: Value) -> Value {
    let mut job = json!({"metadata": {"name": name}, "spec": spec});
    job["spec"]["template"]["spec"] =
        json!({"containers": [{"name": "main", "image": "none.example/none"}], "restartPolicy": "Never"});
    job
}

fn of<K: serde::de::DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).unwrap()
}

pub async fn within(duty: &str, mut done: impl AsyncFnMut() -> bool) -> Result<(), String> {
    let mut look = tokio::time::interval(Duration::from_millis(100));
    let waiting = async {
        while !done().await {
            look.tick().await;
        }
    };
    tokio::time::timeout(LIMIT, waiting).await.map_err(|_| duty.to_owned())
}
