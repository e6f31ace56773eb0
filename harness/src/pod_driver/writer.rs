//! The requests by which pods are driven.

use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions},
    core::Status,
};
use serde_json::{Value, json};

/// Under this name the driver's writes stand in `managedFields`.
const FIELD_MANAGER: &str = "jobsworth-pod-driver";

pub(super) struct Writer {
    pods: Api<Pod>,
    node: String,
}

impl Writer {
    pub(super) fn new(client: kube::Client, namespace: &str, node: String) -> Self {
        Self { pods: Api::namespaced(client, namespace), node }
    }

    /// Binds the pod to the driver's node, as a scheduler does.
    pub(super) async fn bind(&self, pod: &Pod) -> Result<(), kube::Error> {
        let binding = json!({
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": pod.metadata.name, "uid": pod.metadata.uid},
            "target": {"apiVersion": "v1", "kind": "Node", "name": self.node},
        });
        let parameters = PostParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PostParams::default() };
        let _: Value = self.pods.create_subresource("binding", name(pod), &parameters, &binding).await?;
        Ok(())
    }

    /// Writes fields of the status; the UID makes sure that it is this pod and no namesake.
    pub(super) async fn write(&self, pod: &Pod, status: Value) -> Result<(), kube::Error> {
        let patch = json!({"metadata": {"uid": pod.metadata.uid}, "status": status});
        let parameters = PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PatchParams::default() };
        self.pods.patch_status(name(pod), &parameters, &Patch::Merge(patch)).await.map(drop)
    }

    /// Removes a pod that has stopped, as a kubelet does.
    pub(super) async fn remove(&self, pod: &Pod) -> Result<(), kube::Error> {
        let this_one = Preconditions { uid: pod.metadata.uid.clone(), resource_version: None };
        let parameters = DeleteParams::default().grace_period(0).preconditions(this_one);
        self.pods.delete(name(pod), &parameters).await.map(drop)
    }
}

fn name(pod: &Pod) -> &str {
    pod.metadata.name.as_deref().unwrap_or_default()
}

/// A pod may be removed, or replaced by a namesake, while the driver is at work on it.
pub(super) fn gone_is_fine(done: Result<(), kube::Error>) -> Result<(), kube::Error> {
    match done {
        Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) || is_of_a_namesake(&status) => Ok(()),
        done => done,
    }
}

/// Whether a patch met a namesake: its UID is not the one that the patch names, which then counts as an attempt to change it.
fn is_of_a_namesake(status: &Status) -> bool {
    let causes = status.details.iter().flat_map(|details| &details.causes);
    status.code == 422 && causes.into_iter().any(|cause| cause.field == "metadata.uid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::it_is_gone(404, "", true)]
    #[case::another_has_its_name_and_is_deleted_in_its_place(409, "", true)]
    #[case::another_has_its_name_and_is_patched_in_its_place(422, "metadata.uid", true)]
    #[case::the_patch_is_wrong(422, "status.phase", false)]
    #[case::the_server_fails(500, "", false)]
    fn a_pod_that_is_not_there_any_more_is_no_trouble(#[case] code: u16, #[case] field: &str, #[case] fine: bool) {
        let status: Status = serde_json::from_value(json!({"code": code, "details": {"causes": [
            {"reason": "FieldValueInvalid", "message": "field is immutable", "field": field}]}}))
        .unwrap();
        assert_eq!(gone_is_fine(Err(kube::Error::Api(Box::new(status)))).is_ok(), fine);
    }
}
