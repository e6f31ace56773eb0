//! How a namespace goes with all that is in it: by its uid, whatever finalizers there are.

use futures::future::try_join_all;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::Api;
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, Preconditions};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::collections::BTreeSet;

/// So many finalizers are taken at the same time.
const AT_A_TIME: usize = 16;

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

/// Deletes all pods of these namespaces, whatever finalizers there are. Nobody may be there who makes new ones.
///
/// # Errors
/// When the server does not answer.
pub async fn delete_pods(client: &kube::Client, namespaces: &BTreeSet<String>) -> Result<(), kube::Error> {
    let at_once = DeleteParams::default().grace_period(0);
    let deleted = namespaces.iter().map(|namespace| {
        let pods = Api::<Pod>::namespaced(client.clone(), namespace);
        let at_once = &at_once;
        async move { pods.delete_collection(at_once, &ListParams::default()).await.map(drop) }
    });
    try_join_all(deleted).await?;
    free_pods(client, namespaces).await
}

/// Takes the finalizers from all pods of these namespaces that are on their way out.
///
/// # Errors
/// When the server does not answer.
pub async fn free_pods(client: &kube::Client, namespaces: &BTreeSet<String>) -> Result<(), kube::Error> {
    let all = Api::<Pod>::all(client.clone()).list_metadata(&ListParams::default()).await?;
    let ours = all.items.into_iter().map(|pod| pod.metadata).filter(is_held).filter_map(|pod| {
        let namespace = pod.namespace.as_deref().filter(|namespace| namespaces.contains(*namespace))?;
        Some((Api::<Pod>::namespaced(client.clone(), namespace), pod))
    });
    stream::iter(ours)
        .map(|(api, pod)| async move { free_one(&api, &pod).await })
        .buffer_unordered(AT_A_TIME)
        .try_collect()
        .await
}

/// Whether it is on its way out, and something is in the way.
fn is_held(object: &ObjectMeta) -> bool {
    object.deletion_timestamp.is_some() && object.finalizers.as_ref().is_some_and(|held| !held.is_empty())
}

/// Takes the finalizers from what is on its way out.
async fn free<K>(api: &Api<K>) -> Result<(), kube::Error>
where
    K: kube::Resource<DynamicType = ()> + Clone + DeserializeOwned + std::fmt::Debug,
{
    for object in api.list(&ListParams::default()).await?.items {
        if is_held(object.meta()) {
            free_one(api, object.meta()).await?;
        }
    }
    Ok(())
}

async fn free_one<K>(api: &Api<K>, object: &ObjectMeta) -> Result<(), kube::Error>
where
    K: Clone + DeserializeOwned + std::fmt::Debug,
{
    // With its uid the patch is refused by another object of that name.
    let patch = json!({"metadata": {"uid": object.uid, "finalizers": null}});
    let name = object.name.as_deref().unwrap_or_default();
    gone_is_fine(api.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.map(drop))
}

/// Gone already, or another one by now.
fn gone_is_fine(answer: Result<(), kube::Error>) -> Result<(), kube::Error> {
    match answer {
        Err(kube::Error::Api(status)) if [404, 409].contains(&status.code) => Ok(()),
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::{delete_pods, free_pods};
    use http::{Method, Request, Response, StatusCode};
    use kube::client::Body;
    use rstest::rstest;
    use serde_json::{Value, json};
    use std::{
        collections::BTreeSet,
        sync::{Arc, Mutex},
    };

    fn pod(namespace: &str, name: &str, finalizers: &[&str], told_to_go: Option<&str>) -> Value {
        let metadata = json!({
            "namespace": namespace,
            "name": name,
            "uid": format!("uid-of-{name}"),
            "finalizers": finalizers,
            "deletionTimestamp": told_to_go,
        });
        json!({"metadata": metadata})
    }

    /// An API server that has these pods, answers each change with this code, and remembers what was changed.
    fn server(pods: &[Value], code: StatusCode) -> (kube::Client, Arc<Mutex<Vec<String>>>) {
        let patched = Arc::new(Mutex::new(Vec::new()));
        let list =
            json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "items": pods});
        let log = Arc::clone(&patched);
        let service = tower::service_fn(move |request: Request<Body>| {
            let (code, body) = if request.method() == Method::GET {
                (StatusCode::OK, list.clone())
            } else {
                log.lock().unwrap().push(format!("{} {}", request.method(), request.uri().path()));
                let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code.as_u16()});
                let is_patched = request.method() == Method::PATCH && code.is_success();
                (code, if is_patched { pod("ours", "held", &[], None) } else { status })
            };
            let answer = Response::builder().status(code).body(Body::from(body.to_string().into_bytes()));
            std::future::ready(answer)
        });
        (kube::Client::new(service, "default"), patched)
    }

    #[tokio::test]
    async fn pods_are_told_to_go_in_each_namespace_and_then_freed() {
        let (tracked, then) = (["batch.kubernetes.io/job-tracking"], Some("2026-01-01T00:00:00Z"));
        let pods = [pod("ours", "held", &tracked, then), pod("theirs", "held", &tracked, then)];
        let (client, asked) = server(&pods, StatusCode::OK);
        let namespaces = ["empty", "ours"].map(str::to_owned).into();
        delete_pods(&client, &namespaces).await.expect("the server does as it is told");
        let wanted = [
            "DELETE /api/v1/namespaces/empty/pods",
            "DELETE /api/v1/namespaces/ours/pods",
            "PATCH /api/v1/namespaces/ours/pods/held",
        ];
        assert_eq!(*asked.lock().unwrap(), wanted);
    }

    #[rstest]
    #[case::is_freed(StatusCode::OK, true)]
    #[case::may_be_gone_by_then(StatusCode::NOT_FOUND, true)]
    #[case::may_be_another_by_then(StatusCode::CONFLICT, true)]
    #[case::is_told_of_where_it_cannot_be(StatusCode::FORBIDDEN, false)]
    #[tokio::test]
    async fn what_is_held_on_its_way_out(#[case] code: StatusCode, #[case] fine: bool) {
        let (tracked, then) = (["batch.kubernetes.io/job-tracking"], Some("2026-01-01T00:00:00Z"));
        let pods = [
            pod("ours", "held", &tracked, then),
            pod("ours", "that-goes-by-itself", &[], then),
            pod("ours", "that-may-stay", &tracked, None),
            pod("theirs", "held", &tracked, then),
        ];
        let (client, patched) = server(&pods, code);
        let freed = free_pods(&client, &BTreeSet::from(["ours".to_owned()])).await;
        assert_eq!(freed.is_ok(), fine);
        assert_eq!(*patched.lock().unwrap(), ["PATCH /api/v1/namespaces/ours/pods/held"]);
    }
}
