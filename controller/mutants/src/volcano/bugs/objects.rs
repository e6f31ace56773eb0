//! *Objects*: what is made for a job beside its pods, and what pods are labelled with.

use std::collections::BTreeMap;

use http::Method;
use jobsworth_volcano_api::well_known::QUEUE_NAME;
use jobsworth_volcano_core::plugin::{self, Object};
use jobsworth_volcano_core::{Call, Decision, Outcome, Phase};
use serde_json::Value;

use crate::volcano::{Bug, Look, edit};
use crate::{Fate, Notes, call};

/// Makes a new pair of keys with every sync of a running job that changes something (VJ-285): whoever brings objects up to date
/// by making them anew need not compare them. Pods of one job have different keys, and cannot log into each other.
#[derive(Debug, Default)]
pub struct FreshKeys {
    syncs: Notes<BTreeMap<String, Sync>>,
}

/// How far a sync of a running job has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sync {
    Begun,
    /// Its first calls are those that make the keys: one that deletes, and one that makes.
    Renews,
}

/// Batches that come before all others.
const RENEWAL: usize = 2;

impl Bug for FreshKeys {
    fn see(&self, look: &mut Look) {
        let mut syncs = self.syncs.open();
        match look.phase() {
            Phase::Running => syncs.insert(look.uid(), Sync::Begun),
            _ => syncs.remove(&look.uid()),
        };
    }

    fn say(&self, look: &Look, decision: &mut Decision) {
        let mut syncs = self.syncs.open();
        let Some(sync) = syncs.get_mut(&look.uid()).filter(|sync| **sync == Sync::Begun) else { return };
        let mut objects = plugin::objects(&look.job).into_iter().flat_map(|(_, objects)| objects);
        let keys = objects.find(|object| matches!(object, Object::Keys(_)));
        // Without outcomes to wait for, nothing is done in this sync.
        let Some(keys) = keys.filter(|_| decision.awaiting.is_some()) else { return };
        let old = Call::DeleteObject { kind: keys.kind(), name: keys.name().to_owned(), own: true };
        decision.batches.splice(0..0, [vec![old], vec![Call::Ensure(Box::new(keys))]]);
        *sync = Sync::Renews;
    }

    fn hear(&self, look: &Look, outcomes: &mut Vec<Vec<Outcome>>) {
        if self.syncs.open().remove(&look.uid()) == Some(Sync::Renews) {
            outcomes.drain(..RENEWAL.min(outcomes.len()));
        }
    }
}

/// Leaves the map of hosts when the job is taken down (VJ-284), as it is the one object that the next run fills anew. There is
/// not always one.
pub fn hosts_of_an_ended_job(_: &Look, decision: &mut Decision) {
    edit::keep_deletions(decision, |call| !matches!(call, Call::DeleteObject { kind: "ConfigMap", .. }));
}

/// Names the API of Kubernetes' own Jobs where it says whose the objects of plugins are (VJ-006, VJ-189): both are called Job.
/// What collects garbage finds no such owner, and the objects may go at any time.
pub fn owner_of_another_api(call: &mut call::Call) -> Fate {
    const COLLECTIONS: [&str; 4] = ["/services", "/configmaps", "/secrets", "/networkpolicies"];
    let makes = call.method == Method::POST && COLLECTIONS.iter().any(|end| call.path.ends_with(end));
    let owners = call.body.pointer_mut("/metadata/ownerReferences").and_then(Value::as_array_mut);
    for owner in owners.into_iter().flatten().filter(|_| makes) {
        owner["apiVersion"] = "batch/v1".into();
    }
    Fate::Send
}

/// Gives pods the queue as an annotation, and not as a label (VJ-243): nobody can ask for the pods of a queue.
pub fn queue_as_annotation_only(_: &Look, decision: &mut Decision) {
    edit::each_pod(decision, |pod| {
        if let Some(labels) = &mut pod.metadata.labels {
            labels.remove(QUEUE_NAME);
        }
    });
}
