//! Plays Volcano's scheduler, which is in no image here: lets groups into the queue, binds pods once their gang is complete, and says
//! that a group runs. Everything else is done by who does it in any cluster.

use std::{convert::Infallible, time::Duration};

use k8s_openapi::api::core::v1::{Node, Pod};
use kube::{
    Api, ResourceExt as _,
    api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

/// Which group a pod is of.
const GROUP: &str = "scheduling.k8s.io/group-name";

/// Plays until it is dropped.
pub async fn play(client: kube::Client) -> Infallible {
    let nodes = Api::<Node>::all(client.clone()).list(&ListParams::default()).await.unwrap();
    let node = nodes.items[0].name_any();
    let mut look = tokio::time::interval(Duration::from_millis(200));
    loop {
        look.tick().await;
        // Objects go while they are looked at; the next look sees what is left.
        if let Err(error) = look_once(&client, &node).await {
            assert!(matches!(&error, kube::Error::Api(answer) if answer.code == 404 || answer.code == 409), "{error}");
        }
    }
}

/// One look at all groups.
async fn look_once(client: &kube::Client, node: &str) -> Result<(), kube::Error> {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("scheduling.volcano.sh", "v1beta1", "PodGroup"));
    let groups = Api::<DynamicObject>::all_with(client.clone(), &kind).list(&ListParams::default()).await?;
    let of_volcano = ListParams::default().fields("spec.schedulerName=volcano");
    let pods = Api::<Pod>::all(client.clone()).list(&of_volcano).await?.items;
    for group in groups.items {
        let namespace = group.namespace().unwrap_or_default();
        let of_group: Vec<&Pod> = pods
            .iter()
            .filter(|pod| pod.namespace().as_deref() == Some(&namespace))
            .filter(|pod| pod.annotations().get(GROUP) == Some(&group.name_any()))
            .filter(|pod| pod.metadata.deletion_timestamp.is_none())
            .collect();
        let members = group.data["spec"]["minMember"].as_u64().and_then(|number| usize::try_from(number).ok());
        let is_complete = of_group.len() >= members.unwrap_or(1);
        let running = of_group.iter().filter(|pod| phase(pod) == "Running").count();
        let next = match group.data["status"]["phase"].as_str().unwrap_or_default() {
            "" | "Pending" => Some("Inqueue"),
            "Inqueue" if running >= members.unwrap_or(1) => Some("Running"),
            _ => None,
        };
        let groups = Api::<DynamicObject>::namespaced_with(client.clone(), &namespace, &kind);
        if let Some(phase) = next {
            let patch = json!({"metadata": {"uid": group.uid()}, "status": {"phase": phase}});
            groups.patch(&group.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await?;
        }
        for pod in of_group.into_iter().filter(|pod| is_complete && is_homeless(pod)) {
            bind(client, pod, node).await?;
        }
    }
    Ok(())
}

fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or_default()
}

fn is_homeless(pod: &Pod) -> bool {
    pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_none())
}

async fn bind(client: &kube::Client, pod: &Pod, node: &str) -> Result<(), kube::Error> {
    let binding = json!({
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": pod.name_any(), "uid": pod.uid()},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    });
    let pods: Api<Pod> = Api::namespaced(client.clone(), &pod.namespace().unwrap_or_default());
    pods.create_subresource::<_, Value>("binding", &pod.name_any(), &PostParams::default(), &binding).await.map(drop)
}
