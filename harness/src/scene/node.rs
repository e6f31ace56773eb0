//! What a script does to nodes; only for cases whose pods really run somewhere.

use super::{Fault, Scene, Stop, Write};
use jobsworth_oracle::{
    Answer, Predicate,
    vocabulary::pods::{is_stopping, is_terminal},
};
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::{
    Api,
    api::{Patch, PatchParams},
};
use serde_json::{Value, json};
use std::sync::Arc;

impl Scene {
    /// The node of a pod, once it has one.
    ///
    /// # Errors
    /// When there is no such pod, or it gets no node in time.
    pub async fn node_of(&mut self, pod: &str) -> Result<String, Stop> {
        let (name, wanted) = (pod.to_owned(), pod.to_owned());
        let node = |pod: &Pod| pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
        let bound = Predicate::new(format!("the pod {pod} to have a node"), move |world| {
            world.pod(&wanted).is_some_and(|pod| node(pod).is_some())
        });
        self.wait(bound).await?;
        Ok(self.world().pod(&name).and_then(|pod| node(pod)).unwrap_or_default())
    }

    /// Drains a node as an administrator does: no new pods, and those of this case are evicted.
    ///
    /// # Errors
    /// When the API server refuses it.
    pub async fn drain(&mut self, node: &str) -> Result<(), Stop> {
        self.set_unschedulable(node, "close", json!(true)).await?;
        let world = self.world();
        let here = |pod: &Pod| pod.spec.as_ref().is_some_and(|spec| spec.node_name.as_deref() == Some(node));
        let live = world.pods().filter(|pod| here(pod) && !is_stopping(pod) && !is_terminal(pod));
        let names: Vec<String> = live.filter_map(|pod| pod.metadata.name.clone()).collect();
        for name in names {
            self.must(Write::evict_pod(&name)).await?;
        }
        self.mark("node drained").await
    }

    /// Lets pods onto a drained node again.
    ///
    /// # Errors
    /// When the API server refuses it.
    pub async fn reopen(&mut self, node: &str) -> Result<(), Stop> {
        self.set_unschedulable(node, "reopen", json!(null)).await
    }

    /// Writes down what the script found out, under the name `to`.
    pub fn note(&mut self, to: &str, found: Value) {
        self.book.answered(Answer {
            to: to.to_owned(),
            code: 200,
            reason: String::new(),
            message: String::new(),
            causes: Vec::new(),
            warnings: Vec::new(),
            body: Arc::new(found),
        });
    }

    /// `what` completes "failed to ... node"; without a value pods may be put there.
    async fn set_unschedulable(&self, node: &str, what: &str, value: Value) -> Result<(), Stop> {
        let nodes: Api<Node> = Api::all(self.client.clone());
        let patch = Patch::Merge(json!({"spec": {"unschedulable": value}}));
        let done = nodes.patch(node, &PatchParams::default(), &patch).await;
        let what = format!("{what} node {node}");
        done.map(drop).map_err(|source| Fault::Request { what, source: Box::new(source) }.into())
    }
}
