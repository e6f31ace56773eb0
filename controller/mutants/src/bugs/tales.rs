//! *Tales*: events and metrics tell something else than what happened.

use jobsworth_api::condition::reason;
use jobsworth_api::{ConditionKind, Resource};
use jobsworth_core::{Action, Decision, Notice, Sample};
use serde_json::json;

use crate::Observed;
use crate::call::{Answer, Call};
use crate::decorator::Fate;
use crate::observed::each_status;

/// What events about creations say before the name.
const CREATED: &str = "Created pod: ";

/// That a pod was created is told of the pod: who looks at the Job does not find it (EVT-001).
pub fn creations_of_the_pod(call: &mut Call) -> Fate {
    if call.creates(&Resource::EVENTS)
        && let Some(pod) = call.body["note"].as_str().and_then(|note| note.strip_prefix(CREATED)).map(str::to_owned)
    {
        let namespace = call.body["regarding"]["namespace"].clone();
        call.body["regarding"] = json!({"apiVersion": "v1", "kind": "Pod", "namespace": namespace, "name": pod});
    }
    Fate::Send
}

/// Ends are told of as `Normal`, bad ones like good ones (EVT-006).
pub fn failures_as_normal(_: &Observed, decision: &mut Decision) {
    each_status(decision, |new| new.notices.iter_mut().for_each(|notice| notice.warning = false));
}

/// The end is told of, and then written: when the write fails, it is told of again (EVT-005, EVT-006, STA-019).
pub fn the_end_before_it_is_written(_: &Observed, decision: &mut Decision) {
    let mut early = Vec::new();
    each_status(decision, |new| early.append(&mut new.notices));
    decision.notices.extend(early);
}

/// As many successes as there are completions are too many (EVT-007, PAR-023).
pub fn enough_for_too_many(observed: &Observed, decision: &mut Decision) {
    if observed.job.status.holds(ConditionKind::SuccessCriteriaMet) || observed.job.spec.completions.is_none() {
        return;
    }
    let mut reached = false;
    each_status(decision, |new| {
        let met = new.status.condition(ConditionKind::SuccessCriteriaMet);
        reached |= !new.status.is_finished() && met.is_some_and(|met| &*met.reason == reason::COMPLETIONS_REACHED);
    });
    let warning = Notice::too_many_succeeded();
    if reached && !decision.notices.contains(&warning) {
        decision.notices.push(warning);
    }
}

/// Each write about a suspended Job tells of the suspension, not only the one that notes it (EVT-004).
pub fn the_suspension_with_every_write(observed: &Observed, decision: &mut Decision) {
    let mut writes = false;
    each_status(decision, |_| writes = true);
    if writes && observed.job.spec.suspend && observed.job.status.holds(ConditionKind::Suspended) {
        decision.notices.push(Notice::normal("Suspended", "Job suspended"));
    }
}

/// The reasons of failures are left out of the metrics: they were added for successes (MET-005).
pub fn reasons_of_failures(_: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        for sample in &mut new.samples {
            if let Sample::JobFinished { succeeded: false, reason } = sample {
                reason.clear();
            }
        }
    });
}

/// Pods are counted by the metrics as often as they are mentioned: in the ledger, and out of it (MET-007).
pub fn finished_pods_twice(_: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        let again: Vec<Sample> =
            new.samples.iter().filter(|sample| matches!(sample, Sample::PodsFinished { .. })).cloned().collect();
        new.samples.extend(again);
    });
}

/// Each pod that is created is a new one for the metrics, those in place of others included (MET-012).
pub fn replacements_as_new(_: &Observed, decision: &mut Decision) {
    for action in decision.batches.iter_mut().flat_map(|batch| &mut batch.actions) {
        if let Action::CreatePod(pod) = action {
            pod.reason = "new";
        }
    }
}

/// Why a pod could not be made is nothing to tell: it is tried again (EVT-002).
pub fn refused_creations(call: &mut Call) -> Fate {
    match call.creates(&Resource::EVENTS) && call.body["reason"] == "FailedCreate" {
        true => Fate::Answered(Answer::ok(&call.body)),
        false => Fate::Send,
    }
}

/// Which of the two limits holds for indexes is told the wrong way round by the metrics (MET-010).
pub fn limits_of_indexes(_: &Observed, decision: &mut Decision) {
    each_status(decision, |new| {
        for sample in &mut new.samples {
            if let Sample::IndexesFinished { per_index, .. } = sample {
                *per_index = !*per_index;
            }
        }
    });
}
