//! A case's namespace: made, ready for pods, swept.

mod halt;
pub(crate) mod policy;
pub(crate) mod removal;

pub(crate) use halt::halt;

pub use policy::NamespacePolicy;

use futures::TryStreamExt as _;
use jiff::Timestamp;
use k8s_openapi::api::{
    batch::v1::Job,
    core::v1::{Namespace, Pod, ResourceQuota, ServiceAccount},
    networking::v1::NetworkPolicy,
};
use kube::{
    Api,
    api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
};
use serde::de::DeserializeOwned;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::{collections::BTreeMap, fmt::Debug, time::Duration};

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
    /// Nobody counts what is in it.
    #[error("failed to see the quota of namespace {namespace} counted within {}s", LIMIT.as_secs())]
    NoQuota {
        /// The namespace.
        namespace: String,
    },
}

/// A name that tells the case and repeats with the seed.
pub(crate) fn name(case: &str, attempt: u32, seed: u64) -> String {
    let mut digest = Sha256::new();
    digest.update(seed.to_be_bytes());
    digest.update(attempt.to_be_bytes());
    digest.update(case);
    let tail: String = digest.finalize()[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    let tail = format!("-{tail}");
    let mut name = format!("jw-{case}");
    name.truncate(LONGEST - tail.len());
    name.trim_end_matches('-').to_owned() + &tail
}

/// Makes the namespace and waits until pods can be created in it.
///
/// In a cluster that is not ours it has a policy, which holds before anything runs in it. Returns its uid.
pub(crate) async fn create(
    client: &kube::Client,
    name: &str,
    policy: Option<&NamespacePolicy>,
) -> Result<String, NamespaceError> {
    let uid = make(client, name, policy).await?;
    if let Some(policy) = policy {
        tokio::time::timeout(LIMIT, enclose(client, name, policy))
            .await
            .map_err(|_| NamespaceError::NoQuota { namespace: name.to_owned() })?
            .map_err(failed("put a fence around", name))?;
    }
    has_account(client, name).await?;
    Ok(uid)
}

/// The same for a controller of the user's: it is labelled like those of cases, but what runs in it may talk to the API server,
/// and is not counted.
pub(crate) async fn create_open(
    client: &kube::Client,
    name: &str,
    policy: Option<&NamespacePolicy>,
) -> Result<String, NamespaceError> {
    let uid = make(client, name, policy).await?;
    has_account(client, name).await?;
    Ok(uid)
}

fn failed(what: &'static str, name: &str) -> impl FnOnce(kube::Error) -> NamespaceError + use<> {
    let namespace = name.to_owned();
    move |source| NamespaceError::Request { what, namespace, source: Box::new(source) }
}

async fn make(client: &kube::Client, name: &str, policy: Option<&NamespacePolicy>) -> Result<String, NamespaceError> {
    let mut labels = BTreeMap::from([("app.kubernetes.io/managed-by".to_owned(), "jobsworth".to_owned())]);
    labels.extend(policy.map(NamespacePolicy::labels).unwrap_or_default());
    let annotations = policy.map(|policy| policy.annotations(Timestamp::now()));
    let metadata =
        ObjectMeta { name: Some(name.to_owned()), labels: Some(labels), annotations, ..ObjectMeta::default() };
    let namespace = Namespace { metadata, ..Namespace::default() };
    let made =
        Api::all(client.clone()).create(&PostParams::default(), &namespace).await.map_err(failed("create", name))?;
    Ok(made.metadata.uid.unwrap_or_default())
}

async fn has_account(client: &kube::Client, name: &str) -> Result<(), NamespaceError> {
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), name);
    match tokio::time::timeout(LIMIT, seen(&accounts, "default", |_| true)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(source)) => Err(failed("watch the ServiceAccounts of", name)(source)),
        Err(_) => Err(NamespaceError::NoServiceAccount { namespace: name.to_owned() }),
    }
}

/// Until somebody has counted for a new quota, no pod can be created under it.
async fn enclose(client: &kube::Client, name: &str, policy: &NamespacePolicy) -> Result<(), kube::Error> {
    let policies: Api<NetworkPolicy> = Api::namespaced(client.clone(), name);
    let quotas: Api<ResourceQuota> = Api::namespaced(client.clone(), name);
    policies.create(&PostParams::default(), &policy.network_policy()).await?;
    quotas.create(&PostParams::default(), &policy.quota()).await?;
    let counted = |quota: &ResourceQuota| quota.status.as_ref().is_some_and(|status| status.used.is_some());
    seen(&quotas, policy::NAME, counted).await
}

/// Waits until an object is there and like this.
async fn seen<K>(api: &Api<K>, name: &str, wanted: impl Fn(&K) -> bool) -> Result<(), kube::Error>
where
    K: Clone + DeserializeOwned + Debug,
{
    let only = format!("metadata.name={name}");
    loop {
        let list = api.list(&ListParams::default().fields(&only)).await?;
        if list.items.iter().any(&wanted) {
            return Ok(());
        }
        let from = list.metadata.resource_version.unwrap_or_default();
        let mut frames = Box::pin(api.watch(&WatchParams::default().fields(&only), &from).await?);
        while let Some(frame) = frames.try_next().await? {
            if matches!(&frame, WatchEvent::Added(object) | WatchEvent::Modified(object) if wanted(object)) {
                return Ok(());
            }
        }
    }
}

/// Deletes the Jobs and pods of a case and then its namespace, without waiting for the end of it.
///
/// Best effort: what is left here harms no other case, and goes with the cluster or at the end of the run.
pub(crate) async fn sweep(client: &kube::Client, name: &str, uid: &str) {
    let jobs: Api<Job> = Api::namespaced(client.clone(), name);
    let pods: Api<Pod> = Api::namespaced(client.clone(), name);
    let _ = jobs.delete_collection(&DeleteParams::background(), &ListParams::default()).await;
    let _ = pods.delete_collection(&DeleteParams::default().grace_period(0), &ListParams::default()).await;
    let _ = removal::delete(client, name, uid).await;
}

/// Deletes all of it, whatever finalizers there are.
pub(crate) async fn clear(client: &kube::Client, name: &str) -> Result<(), kube::Error> {
    match Api::<Namespace>::all(client.clone()).get_opt(name).await?.and_then(|found| found.metadata.uid) {
        Some(uid) => removal::delete_all(client, name, &uid).await,
        None => Ok(()),
    }
}

/// Deletes the namespace with this uid, and all that is in it.
pub(crate) async fn remove(client: &kube::Client, name: &str, uid: &str) -> Result<(), kube::Error> {
    removal::delete_all(client, name, uid).await
}

/// Whether there is no namespace with this uid any more.
pub(crate) async fn is_gone(client: &kube::Client, name: &str, uid: &str) -> bool {
    let found = Api::<Namespace>::all(client.clone()).get_opt(name).await;
    found.is_ok_and(|found| found.and_then(|found| found.metadata.uid).as_deref() != Some(uid))
}

/// Says that a namespace is in use from now on, for as long as that of a case.
pub(crate) async fn renew(client: &kube::Client, name: &str, policy: &NamespacePolicy) -> Result<(), kube::Error> {
    let patch = json!({"metadata": {"annotations": policy.annotations(Timestamp::now())}});
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.map(drop)
}

#[cfg(test)]
mod tests {
    use crate::cluster::namespace::name;

    #[test]
    fn a_long_name_is_cut_before_what_tells_it_apart() {
        let long = "s".repeat(80);
        let (one, other) = (name(&long, 1, 7), name(&long, 2, 7));
        assert_eq!(one.len(), 63);
        assert_ne!(one, other);
    }

    #[test]
    fn the_same_seed_gives_the_same_name_whatever_the_program_was_built_with() {
        assert_eq!(name("a-case", 1, 7), "jw-a-case-e5757fb9");
    }
}
