//! How a namespace goes with all that is in it: by its uid, whatever finalizers there are.

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, Preconditions};
use kube::{Api, ResourceExt as _};
use serde::de::DeserializeOwned;
use serde_json::json;

/// Deletes the Jobs and pods of a namespace, the namespace itself, and takes every finalizer that is in the way: no
/// controller needs to be there.
///
/// # Errors
/// When the server does not answer.
pub async fn delete_all(client: &kube::Client, name: &str, uid: &str) -> Result<(), kube::Error> {
    let jobs: Api<Job> = Api::namespaced(client.clone(), name);
    let pods: Api<Pod> = Api::namespaced(client.clone(), name);
    jobs.delete_collection(&DeleteParams::background(), &ListParams::default()).await?;
    pods.delete_collection(&DeleteParams::default().grace_period(0), &ListParams::default()).await?;
    delete(client, name, uid).await?;
    free(&jobs).await?;
    free(&pods).await
}

/// Deletes the namespace with this uid, and no other of its name.
///
/// # Errors
/// When the server refuses for another reason than that it is gone.
pub async fn delete(client: &kube::Client, name: &str, uid: &str) -> Result<(), kube::Error> {
    let only = Preconditions { uid: Some(uid.to_owned()), resource_version: None };
    let deleted =
        Api::<Namespace>::all(client.clone()).delete(name, &DeleteParams::default().preconditions(only)).await;
    gone_is_fine(deleted.map(drop))
}

/// Takes the finalizers from what is on its way out.
async fn free<K>(api: &Api<K>) -> Result<(), kube::Error>
where
    K: kube::Resource<DynamicType = ()> + Clone + DeserializeOwned + std::fmt::Debug,
{
    for object in api.list(&ListParams::default()).await?.items {
        if object.meta().deletion_timestamp.is_none() || object.finalizers().is_empty() {
            continue;
        }
        // With its uid the patch is refused by another object of that name.
        let patch = json!({"metadata": {"uid": object.uid(), "finalizers": null}});
        let freed = api.patch(&object.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await;
        gone_is_fine(freed.map(drop))?;
    }
    Ok(())
}

/// Gone already, or another one by now.
fn gone_is_fine(answer: Result<(), kube::Error>) -> Result<(), kube::Error> {
    match answer {
        Err(kube::Error::Api(status)) if [404, 409].contains(&status.code) => Ok(()),
        answer => answer,
    }
}
