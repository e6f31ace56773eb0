//! A cluster of six queues that answers at once.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use jobsworth_volcano::webhook::admit::Admission;
use jobsworth_volcano::webhook::cluster::{Cluster, LookupError};
use jobsworth_volcano::webhook::server::{Bounds, Site};
use jobsworth_volcano_api::Queue;
use serde_json::{Value, json};

/// Each queue with its parent and its state.
pub const QUEUES: [(&str, &str, &str); 6] = [
    ("root", "", "Open"),
    ("default", "root", "Open"),
    ("closed", "root", "Closed"),
    ("fresh", "root", ""),
    ("branch", "root", "Open"),
    ("leaf", "branch", "Open"),
];
/// Queues that take jobs: open, without children, not the root (VJ-078 to VJ-081).
pub const FOR_JOBS: [&str; 2] = ["default", "leaf"];
/// The namespace whose gangs go to [`TEAM_QUEUE`] (VJ-258).
pub const TEAM: &str = "team";
/// See [`TEAM`].
pub const TEAM_QUEUE: &str = "leaf";

/// Templates need a container (VJ-083).
pub struct AtOnce(Vec<Queue>);

impl Cluster for AtOnce {
    fn queues(&self) -> BoxFuture<'_, Result<Vec<Queue>, LookupError>> {
        ready(Ok(self.0.clone())).boxed()
    }

    fn namespace_queue<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<Option<String>, LookupError>> {
        ready(Ok((namespace == TEAM).then(|| TEAM_QUEUE.to_owned()))).boxed()
    }

    fn objections<'a>(&'a self, template: &'a Value) -> BoxFuture<'a, Result<Vec<String>, LookupError>> {
        let containers = template.pointer("/spec/containers").and_then(Value::as_array);
        let wrong = containers.is_none_or(Vec::is_empty).then(|| "template.spec.containers: Required value".to_owned());
        ready(Ok(wrong.into_iter().collect())).boxed()
    }
}

/// The webhook of this cluster, to be asked without a connection.
pub fn site() -> Site<AtOnce> {
    let queues = QUEUES.iter().map(|(name, parent, state)| {
        let object = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name},
            "spec": {"weight": 1, "parent": parent}, "status": {"state": state}});
        serde_json::from_value(object).unwrap()
    });
    let admission = Admission { cluster: AtOnce(queues.collect()), scheduler: "volcano".to_owned() };
    Site::new(Bounds::default(), Arc::new(admission))
}
