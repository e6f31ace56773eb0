//! How a case ends in a cluster that goes soon: what would act on goes, the namespace stays.
//!
//! To delete a namespace, Kubernetes' namespace controller asks for the deletion and then for a list of every kind that there is, some
//! seventy requests for each case: half of all requests of a run, for a namespace that would be gone with its cluster anyway.

use jobsworth_api::Resource;
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api, ResourceExt as _,
    api::{DeleteParams, ListParams},
    core::Request,
};

/// Deletes all objects of these kinds in a namespace, one kind after the other.
///
/// Best effort: what is left here harms no other case, and goes with the cluster.
pub(crate) async fn halt(client: &kube::Client, name: &str, kinds: &[Resource]) {
    for kind in kinds {
        let parameters = match *kind == Resource::PODS {
            true => DeleteParams::default().grace_period(0),
            false => DeleteParams::background(),
        };
        let request = Request::new(kind.list_path(name)).delete_collection(&parameters, &ListParams::default());
        if let Ok(request) = request {
            let _ = client.request_text(request).await;
        }
    }
}

/// Deletes the namespaces of all cases, in a cluster that stays after all.
///
/// # Errors
/// When the server does not answer.
pub(crate) async fn delete_namespaces_of_cases(client: &kube::Client) -> Result<(), kube::Error> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let ours = ListParams::default().labels(super::OURS);
    for namespace in namespaces.list(&ours).await?.items {
        super::removal::delete(client, &namespace.name_any(), &namespace.uid().unwrap_or_default()).await?;
    }
    Ok(())
}
