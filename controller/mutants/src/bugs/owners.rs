//! *Owners*: pods are taken, kept and freed otherwise than they should be.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::Method;
use jobsworth_api::Resource;
use jobsworth_api::well_known::{BUILT_IN_CONTROLLER, TRACKING_FINALIZER};
use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_controller_runtime::key::Key;
use jobsworth_core::pod::Owner;
use jobsworth_core::{Action, Decision, Outcome, PodView};
use serde_json::Value;

use crate::bugs::rude::is_finished;
use crate::call::Call;
use crate::decorator::Fate;
use crate::withheld::Withheld;
use crate::{Decorator, Observed};

/// The list of finalizers in a patch that takes one off.
const TAKEN_OFF: &str = "$deleteFromPrimitiveList/finalizers";

/// A pod is adopted as pods were before there was a finalizer: it gets an owner, and is never counted (SYN-011).
pub fn adoption_without_a_finalizer(call: &mut Call) -> Fate {
    if adopts(call)
        && let Some(metadata) = call.body["metadata"].as_object_mut()
    {
        metadata.remove("finalizers");
    }
    Fate::Send
}

fn adopts(call: &Call) -> bool {
    call.method == Method::PATCH
        && call.is_about_one(&Resource::PODS)
        && call.body["metadata"]["ownerReferences"][0]["controller"] == true
}

/// What has the Job as its owner is the Job's, whatever its labels say now (SYN-012).
pub fn labels_of_owned_pods(observed: &mut Observed) {
    let mut wanted = BTreeMap::new();
    observed.policies(|spec| {
        wanted = spec.selector.as_ref().and_then(|selector| selector.match_labels.clone()).unwrap_or_default();
    });
    let job = observed.job.clone();
    for pod in observed.pods.iter_mut().filter(|pod| pod.belongs_to(&job)) {
        let mut labels: BTreeMap<Box<str>, Box<str>> = std::mem::take(&mut pod.labels).into_vec().into_iter().collect();
        labels.extend(wanted.iter().map(|(key, value)| (key.as_str().into(), value.as_str().into())));
        pod.labels = labels.into_iter().collect();
    }
}

/// Once a Job is finished its pods are freed, whoever manages it (FIN-015).
pub fn pods_of_foreign_jobs(job: &mut Value) {
    let is_foreign = job["spec"]["managedBy"].as_str().is_some_and(|manager| manager != BUILT_IN_CONTROLLER);
    if is_foreign
        && is_finished(job)
        && let Some(spec) = job["spec"].as_object_mut()
    {
        spec.remove("managedBy");
    }
}

/// A pod that is done with loses its finalizers, not one finalizer: those of others go, too (FIN-007).
pub fn finalizers_of_others(call: &mut Call) -> Fate {
    if call.releases_a_pod()
        && let Some(metadata) = call.body["metadata"].as_object_mut()
    {
        metadata.remove(TAKEN_OFF);
        metadata.insert("finalizers".to_owned(), Value::Null);
    }
    Fate::Send
}

/// Who has no controller is nobody's business: such pods keep the finalizer, and cannot go (FIN-016, FIN-012).
pub fn pods_without_a_controller(pod: &mut Value) {
    let owners = pod["metadata"]["ownerReferences"].as_array();
    let is_controlled = owners.is_some_and(|owners| owners.iter().any(|owner| owner["controller"] == true));
    let finalizers = pod.pointer_mut("/metadata/finalizers").and_then(Value::as_array_mut);
    if let Some(finalizers) = finalizers.filter(|_| !is_controlled) {
        finalizers.retain(|name| name != TRACKING_FINALIZER);
    }
}

/// Who controls a pod is looked up among the Jobs, whatever kind the reference names: a controller of another kind is a Job that
/// is gone (FIN-014).
pub fn kind_of_controllers(pod: &mut Value) {
    let owners = pod.pointer_mut("/metadata/ownerReferences").and_then(Value::as_array_mut);
    for owner in owners.into_iter().flatten().filter(|owner| owner["controller"] == true) {
        owner["apiVersion"] = "batch/v1".into();
        owner["kind"] = "Job".into();
    }
}

/// The pods of a Job are those that its selector selects, also when another Job controls them (SYN-027).
#[derive(Debug, Default)]
pub struct PodsOfOtherJobs;

impl Decorator for PodsOfOtherJobs {
    fn gather(&self, job: &CachedJob, pods: &Pods) -> Option<Vec<Arc<CachedPod>>> {
        let job = &job.view;
        let from = Key { namespace: Arc::clone(&job.namespace), name: "".into() };
        let of_others = pods.store().of_namespace(&from).map(|(_, pod)| pod).filter(|pod| {
            let other = pod.view.owner.as_ref().is_some_and(|owner| owner.is_job && owner.uid != job.uid);
            other && job.spec.selector.matches(&pod.view.labels)
        });
        let taken = of_others.map(|pod| {
            let owner = Owner { is_job: true, name: job.name.clone(), uid: job.uid.clone() };
            let view = PodView { owner: Some(owner), ..pod.view.clone() };
            Arc::new(CachedPod { namespace: Arc::clone(&pod.namespace), view, complaint: None })
        });
        Some(pods.of(job).into_iter().chain(taken).collect())
    }
}

/// A pod that is adopted does not hold the deletion of its Job back, unlike one that was made for it (SYN-011).
pub fn adoption_without_a_block(call: &mut Call) -> Fate {
    if adopts(call) {
        call.body["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = false.into();
    }
    Fate::Send
}

/// Pods of a Job that is being deleted keep the finalizer until they have ended (SYN-023).
#[derive(Debug, Default)]
pub struct UnendedPodsOfADeletedJob {
    withheld: Withheld,
}

impl Decorator for UnendedPodsOfADeletedJob {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        if observed.job.deleting {
            self.withheld.leave_out(observed, decision, |action| match action {
                Action::ReleasePod { uid, .. } => observed.pod(uid).is_some_and(|pod| !pod.is_terminal()),
                _ => false,
            });
        }
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        self.withheld.put_back(observed, outcomes);
    }
}
