//! A case's namespace: made, ready for pods, swept.

use futures::TryStreamExt as _;
use k8s_openapi::api::{
    batch::v1::Job,
    core::v1::{Namespace, Pod, ServiceAccount},
};
use kube::{
    Api,
    api::{DeleteParams, ListParams, ObjectMeta, PostParams, WatchEvent, WatchParams},
};
use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

/// How long the default ServiceAccount may take to appear; without it no pod can be created.
const LIMIT: Duration = Duration::from_secs(60);
/// The longest name of a namespace.
const LONGEST: usize = 63;

/// Why a case has no namespace.
#[derive(Debug, thiserror::Error)]
pub enum NamespaceError {
    /// The API server refused or did not answer.
    #[error("failed to {what} namespace {namespace}: {source}")]
    Request {
        /// What was asked.
        what: &'static str,
        /// The namespace.
        namespace: String,
        /// What it said.
        #[source]
        source: Box<kube::Error>,
    },
    /// The default ServiceAccount did not appear.
    #[error("failed to see the default ServiceAccount of namespace {namespace} within {}s", LIMIT.as_secs())]
    NoServiceAccount {
        /// The namespace.
        namespace: String,
    },
}

/// A name that tells the case and repeats with the seed.
pub(crate) fn name(case: &str, attempt: u32, seed: u64) -> String {
    let mut hasher = DefaultHasher::new();
    (case, attempt, seed).hash(&mut hasher);
    let tail = format!("-{:08x}", hasher.finish() & 0xffff_ffff);
    let mut name = format!("jw-{case}");
    name.truncate(LONGEST - tail.len());
    name.trim_end_matches('-').to_owned() + &tail
}

/// Makes the namespace and waits until pods can be created in it.
pub(crate) async fn create(client: &kube::Client, name: &str) -> Result<(), NamespaceError> {
    let failed = |what: &'static str| {
        let namespace = name.to_owned();
        move |source: kube::Error| NamespaceError::Request { what, namespace, source: Box::new(source) }
    };
    let labels = BTreeMap::from([("app.kubernetes.io/managed-by".to_owned(), "jobsworth".to_owned())]);
    let metadata = ObjectMeta { name: Some(name.to_owned()), labels: Some(labels), ..ObjectMeta::default() };
    let namespace = Namespace { metadata, ..Namespace::default() };
    Api::all(client.clone()).create(&PostParams::default(), &namespace).await.map_err(failed("create"))?;

    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), name);
    let there = service_account(&accounts);
    match tokio::time::timeout(LIMIT, there).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(source)) => Err(failed("watch the ServiceAccounts of")(source)),
        Err(_) => Err(NamespaceError::NoServiceAccount { namespace: name.to_owned() }),
    }
}

async fn service_account(accounts: &Api<ServiceAccount>) -> Result<(), kube::Error> {
    let only = "metadata.name=default";
    loop {
        let list = accounts.list(&ListParams::default().fields(only)).await?;
        if !list.items.is_empty() {
            return Ok(());
        }
        let from = list.metadata.resource_version.unwrap_or_default();
        let mut frames = Box::pin(accounts.watch(&WatchParams::default().fields(only), &from).await?);
        while let Some(frame) = frames.try_next().await? {
            if matches!(frame, WatchEvent::Added(_)) {
                return Ok(());
            }
        }
    }
}

/// Deletes the Jobs and pods of a case and then its namespace, without waiting for the end of it.
///
/// Best effort: the cluster is thrown away in the end, and what is left here harms no other case.
pub(crate) async fn sweep(client: &kube::Client, name: &str) {
    let jobs: Api<Job> = Api::namespaced(client.clone(), name);
    let pods: Api<Pod> = Api::namespaced(client.clone(), name);
    let _ = jobs.delete_collection(&DeleteParams::background(), &ListParams::default()).await;
    let _ = pods.delete_collection(&DeleteParams::default().grace_period(0), &ListParams::default()).await;
    let _ = Api::<Namespace>::all(client.clone()).delete(name, &DeleteParams::default()).await;
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_long_name_is_cut_before_what_tells_it_apart() {
        let long = "s".repeat(80);
        let (one, other) = (name(&long, 1, 7), name(&long, 2, 7));
        assert_eq!(one.len(), 63);
        assert_ne!(one, other);
    }

    #[test]
    fn the_same_seed_gives_the_same_name() {
        assert_eq!(name("a-case", 1, 7), name("a-case", 1, 7));
    }
}
