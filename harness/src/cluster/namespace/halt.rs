//! How a case ends in a cluster that goes soon: what would act on goes, the namespace stays.
//!
//! To delete a namespace, Kubernetes' namespace controller asks for the deletion and then for a list of every kind that there is, some
//! seventy requests for each case: half of all requests of a run, for a namespace that would be gone with its cluster anyway.

use jobsworth_api::Resource;
use kube::{
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
