//! What the description of a controller in pods says before there is a cluster: what would be made, and what is wrong with it.

use serde_json::Value;

use super::objects;
use super::selection::selections;
use crate::cluster::contract::ClusterError;
use crate::cluster::contract::subject_kind::{DeployedController, ReadyInCluster};
use crate::cluster::machine::manifests;

/// The controller's own namespace, as manifests name it.
const OWN: &str = "{namespace}";

/// Whether the manifests of a controller can be read, have placeholders only that stand for something, and let us know which pods
/// are its own and when it is ready.
///
/// # Errors
/// Names what is wrong, and the manifest it is in.
pub(crate) fn check(controller: &DeployedController) -> Result<(), ClusterError> {
    let mut all = Vec::new();
    for manifest in &controller.manifests {
        for object in manifests::read(manifest)? {
            if let Some(why) = objects::mistake(&object, controller.manager.as_deref()) {
                let what = format!("{} of the manifest {manifest}", objects::title(&object));
                return Err(ClusterError::Unreadable { what, why });
            }
            all.push(object);
        }
    }
    selections(&all, OWN)?;
    // Of no Deployment at all it would be true at once that each is available.
    if controller.ready == ReadyInCluster::AllAvailable && objects::deployments(&all, OWN).is_empty() {
        return Err(ClusterError::Unreadable {
            what: "the manifests of the controller".to_owned(),
            why: "say with `ready` when it is ready: its manifests hold no Deployment".to_owned(),
        });
    }
    Ok(())
}

/// What would be made of the manifests of a controller, for whoever has to agree: `ClusterRole {namespace}`.
///
/// # Errors
/// When a manifest cannot be read.
pub(crate) fn listed(controller: &DeployedController) -> Result<Vec<String>, ClusterError> {
    let mut names = Vec::new();
    for manifest in &controller.manifests {
        names.extend(manifests::read(manifest)?.iter().map(objects::title));
    }
    Ok(names)
}

/// What is wrong with placeholders in a text about a controller in pods, in words.
pub(crate) fn mistake_in(text: &str, manager: Option<&str>) -> Option<String> {
    objects::mistake(&Value::from(text), manager)
}
