//! How results get to the API server and from there.

use super::{LABEL, ShardError, missing, parts::Part};
use k8s_openapi::api::{
    batch::v1::Job,
    core::v1::{ConfigMap, Pod},
};
use kube::{
    Api,
    api::{ListParams, PostParams},
};
use serde::de::DeserializeOwned;
use std::{fmt::Debug, time::Duration};

/// So many objects at a time: together they are no more than a few mebibytes.
const PAGE: u32 = 8;
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What is there of a sharded run.
#[derive(Clone, Debug)]
pub struct Results {
    /// Its Job.
    pub job: Job,
    /// How many slices it has.
    pub slices: u32,
    /// Its pods.
    pub pods: Vec<Pod>,
    /// What its slices left.
    pub parts: Vec<ConfigMap>,
}

/// Stores a slice's result; it goes with the Job.
///
/// # Errors
/// When there is no such Job, or the API server refuses a part.
pub async fn store(client: &kube::Client, namespace: &str, name: &str, parts: Vec<Part>) -> Result<(), ShardError> {
    let job = job(client, namespace, name).await?;
    let objects: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    for part in parts {
        let what = format!("store a part of {}", part.slice());
        objects.create(&PostParams::default(), &part.object(&job)).await.map_err(failed(what))?;
    }
    Ok(())
}

/// Waits until no slice runs any more, for so long at most.
///
/// # Errors
/// When there is no such Job, or the API server does not answer.
pub async fn ended(client: &kube::Client, namespace: &str, name: &str, limit: Duration) -> Result<(), ShardError> {
    // What did not end in time is told with what is missing.
    tokio::time::timeout(limit, until_it_ends(client, namespace, name)).await.unwrap_or(Ok(()))
}

async fn until_it_ends(client: &kube::Client, namespace: &str, name: &str) -> Result<(), ShardError> {
    let mut look = tokio::time::interval(LOOK_EVERY);
    loop {
        look.tick().await;
        if missing::has_ended(&job(client, namespace, name).await?) {
            return Ok(());
        }
    }
}

/// Fetches everything that is there.
///
/// # Errors
/// When there is no such Job, it is none of slices, or the API server does not answer.
pub async fn fetch(client: &kube::Client, namespace: &str, name: &str) -> Result<Results, ShardError> {
    let job = job(client, namespace, name).await?;
    let slices = missing::slices_of(&job).ok_or_else(|| ShardError::ForeignJob(name.to_owned()))?;
    let pods: Vec<Pod> = all(&Api::namespaced(client.clone(), namespace), name, "list the pods").await?;
    let parts: Vec<ConfigMap> = all(&Api::namespaced(client.clone(), namespace), name, "list the results").await?;
    Ok(Results { job, slices, pods, parts })
}

async fn job(client: &kube::Client, namespace: &str, name: &str) -> Result<Job, ShardError> {
    let jobs: Api<Job> = Api::namespaced(client.clone(), namespace);
    let found = jobs.get_opt(name).await.map_err(failed(format!("read the Job {name}")))?;
    found.ok_or_else(|| ShardError::NoJob { name: name.to_owned(), namespace: namespace.to_owned() })
}

/// All objects of a sharded run, page by page.
async fn all<K>(api: &Api<K>, name: &str, what: &str) -> Result<Vec<K>, ShardError>
where
    K: Clone + Debug + DeserializeOwned,
{
    let mut wanted = ListParams::default().labels(&format!("{LABEL}={name}")).limit(PAGE);
    let mut found = Vec::new();
    loop {
        let page = api.list(&wanted).await.map_err(failed(format!("{what} of {name}")))?;
        found.extend(page.items);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => wanted = wanted.continue_token(&token),
            None => return Ok(found),
        }
    }
}

fn failed(what: String) -> impl FnOnce(kube::Error) -> ShardError {
    move |source| ShardError::Request { what, source: Box::new(source) }
}
