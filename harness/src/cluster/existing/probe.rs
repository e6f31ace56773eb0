//! Whether pods run there at all, and from the agent's image: found out by one pod, before any case.

use futures::TryStreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{ListParams, PostParams, WatchEvent, WatchParams};
use serde_json::json;
use std::time::Duration;

use super::ExistingError;
use crate::cluster::contract::ClusterError;
use crate::cluster::machine::pod_words;
use crate::cluster::namespace::{self, NamespacePolicy};

/// What to do about an image that no kubelet has.
pub(super) const HELP: &str = "either load it into every node (`jobsworth cluster agent --out agent.tar` writes the \
                               archive, `kind load image-archive agent.tar` loads it), or push it to a registry and \
                               name it with --agent-image";

/// A pull over a slow line, and a scheduler.
const RUNS_WITHIN: Duration = Duration::from_secs(120);
const NAME: &str = "probe";

/// Runs a pod in a namespace of ours and removes both; the digest of its image.
pub(super) async fn run(client: &kube::Client, policy: &NamespacePolicy, image: &str) -> Result<String, ClusterError> {
    let name = namespace::name("probe", 1, rand::random());
    let failed = |what: &str| {
        let what = format!("{what} in the namespace {name}");
        move |source| ClusterError::Request { what, source: Box::new(source) }
    };
    let uid = namespace::create(client, &name, Some(policy))
        .await
        .map_err(|error| ExistingError::NoPod { within: 0, said: crate::error_text::in_full(&error) })?;
    let pods: Api<Pod> = Api::namespaced(client.clone(), &name);
    let pod = serde_json::from_value(json!({
        "metadata": {"name": NAME},
        "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": false,
            "containers": [{"name": "main", "image": image}],
        },
    }))
    .expect("a fixed pod");
    pods.create(&PostParams::default(), &pod).await.map_err(failed("create a pod"))?;
    let ran = tokio::time::timeout(RUNS_WITHIN, ran(&pods)).await;
    let digest = match ran {
        Ok(seen) => match seen.map_err(failed("watch a pod"))? {
            Ok(digest) => digest,
            Err(said) => return Err(ExistingError::Image { image: image.to_owned(), said }.into()),
        },
        Err(_) => {
            let pod = pods.get_opt(NAME).await.map_err(failed("read a pod"))?;
            let said = pod.map(|pod| pod_words::why_not(&pod)).unwrap_or_default();
            return Err(ExistingError::NoPod { within: RUNS_WITHIN.as_secs(), said }.into());
        }
    };
    namespace::sweep(client, &name, &uid).await;
    Ok(digest)
}

/// Waits until the pod runs or cannot.
async fn ran(pods: &Api<Pod>) -> Result<Result<String, String>, kube::Error> {
    let only = format!("metadata.name={NAME}");
    loop {
        let list = pods.list(&ListParams::default().fields(&only)).await?;
        if let Some(end) = list.items.iter().find_map(judged) {
            return Ok(end);
        }
        let from = list.metadata.resource_version.unwrap_or_default();
        let mut frames = Box::pin(pods.watch(&WatchParams::default().fields(&only), &from).await?);
        while let Some(frame) = frames.try_next().await? {
            if let WatchEvent::Added(pod) | WatchEvent::Modified(pod) = frame
                && let Some(end) = judged(&pod)
            {
                return Ok(end);
            }
        }
    }
}

/// The digest of the image once it runs; the kubelet's words once it is clear that it will not.
fn judged(pod: &Pod) -> Option<Result<String, String>> {
    let status = pod_words::containers(pod).next()?;
    let state = status.state.as_ref()?;
    if state.running.is_some() {
        return Some(Ok(status.image_id.clone()));
    }
    if let Some(ended) = &state.terminated {
        return Some(Err(format!("its container ended at once with {}", pod_words::ended(ended))));
    }
    pod_words::hopeless(state.waiting.as_ref()?).map(Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::Value;

    fn pod(state: Value) -> Pod {
        let status = json!({
            "name": "main", "image": "i", "imageID": "sha256:1", "ready": false, "restartCount": 0, "state": state,
        });
        serde_json::from_value(json!({"metadata": {"name": "probe"}, "status": {"containerStatuses": [status]}}))
            .unwrap()
    }

    #[rstest]
    #[case::while_it_is_made(json!({"waiting": {"reason": "ContainerCreating"}}), None)]
    #[case::once_it_runs(json!({"running": {}}), Some(Ok("sha256:1")))]
    #[case::when_no_registry_has_it(
        json!({"waiting": {"reason": "ErrImagePull", "message": "no such host"}}),
        Some(Err("ErrImagePull: no such host"))
    )]
    #[case::when_it_may_not_be_pulled(json!({"waiting": {"reason": "ErrImageNeverPull"}}), Some(Err("ErrImageNeverPull")))]
    #[case::when_it_is_for_another_machine(
        json!({"terminated": {"exitCode": 255, "reason": "Error"}}),
        Some(Err("its container ended at once with exit code 255 (Error)"))
    )]
    fn a_pod_tells_about_its_image(#[case] state: Value, #[case] told: Option<Result<&str, &str>>) {
        let told = told.map(|told| told.map(str::to_owned).map_err(str::to_owned));
        assert_eq!(judged(&pod(state)), told);
    }
}
