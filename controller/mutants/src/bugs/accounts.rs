//! *Accounts*: a failure or restart is counted where it should not be, or not where it should.

use std::collections::{BTreeMap, BTreeSet};

use jobsworth_api::ConditionKind;
use jobsworth_api::condition::reason;
use jobsworth_core::failure_policy::FailureAction;
use jobsworth_core::pod::Phase;
use jobsworth_core::{Decision, PodView, Sample, Uid};
use serde_json::Value;

use crate::observed::each_status;
use crate::{Decorator, Notes, Observed};

/// A failure is a failure, whether the index of the pod is still in the range of the Job or not (IDX-013, IDX-025).
pub fn failures_of_dropped_indexes(observed: &mut Observed) {
    let spec = &observed.job.spec;
    let Some(below) = spec.indexes_below().filter(|below| *below > 0 && spec.backoff_limit_per_index.is_none()) else {
        return;
    };
    let failed = observed.pods.iter_mut().filter(|pod| pod.phase == Phase::Failed);
    failed.filter(|pod| pod.index.is_some_and(|index| index >= below)).for_each(|pod| pod.index = Some(0));
}

/// When the Job fails, only pods that ended count as failed, not those that it stops (BKO-005).
#[derive(Debug, Default)]
pub struct PodsStoppedByAFailure {
    /// Which pods the sync under way has passed over, by Job.
    passed: Notes<BTreeMap<Uid, BTreeSet<Uid>>>,
}

impl Decorator for PodsStoppedByAFailure {
    fn see(&self, observed: &mut Observed) {
        self.passed.open().remove(&observed.job.uid);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let active: BTreeSet<&Uid> = observed.pods.iter().filter(|pod| pod.is_active()).map(|pod| &pod.uid).collect();
        pass_over(self.passed.open().entry(observed.job.uid.clone()).or_default(), &active, decision);
    }
}

/// Leaves these pods out of the failures. `passed` are those of the sync under way.
fn pass_over(passed: &mut BTreeSet<Uid>, pods: &BTreeSet<&Uid>, decision: &mut Decision) {
    each_status(decision, |new| {
        let (out, others): (Vec<Uid>, Vec<Uid>) =
            new.status.uncounted.failed.drain(..).partition(|uid| pods.contains(&uid));
        new.status.uncounted.failed = others;
        let listed = out.len();
        passed.extend(out);
        // Those that are in the list no more are in the counter.
        let counted = u32::try_from(passed.len().saturating_sub(listed)).unwrap_or(u32::MAX);
        new.status.failed = new.status.failed.saturating_sub(counted);
        for sample in &mut new.samples {
            if let Sample::PodsFinished { failed, .. } = sample {
                *failed = failed.saturating_sub(counted.into());
            }
        }
    });
}

/// The pods that are stopped once the success policy is met have not succeeded, so they failed (SUC-008).
#[derive(Debug, Default)]
pub struct PodsStoppedByASuccess {
    /// How many the sync under way has recorded, by Job.
    recorded: Notes<BTreeMap<Uid, u32>>,
}

impl Decorator for PodsStoppedByASuccess {
    fn see(&self, observed: &mut Observed) {
        self.recorded.open().remove(&observed.job.uid);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        if observed.job.status.holds(ConditionKind::SuccessCriteriaMet) {
            return;
        }
        let stopped =
            observed.pods.iter().filter(|pod| pod.is_active() && pod.tracked && pod.belongs_to(&observed.job));
        let stopped: Vec<Uid> = stopped.map(|pod| pod.uid.clone()).collect();
        let mut recorded = self.recorded.open();
        each_status(decision, |new| {
            let met = new.status.condition(ConditionKind::SuccessCriteriaMet);
            if !met.is_some_and(|met| met.is_true() && &*met.reason == reason::SUCCESS_POLICY) {
                return;
            }
            match recorded.get(&observed.job.uid) {
                // They are released meanwhile.
                Some(count) => new.status.failed = new.status.failed.saturating_add(*count),
                None => {
                    new.status.uncounted.failed.extend(stopped.iter().cloned());
                    recorded.insert(observed.job.uid.clone(), u32::try_from(stopped.len()).unwrap_or(u32::MAX));
                }
            }
        });
    }
}

/// Failures that are recorded and not yet in the counter are not compared with the backoff limit (BKO-003).
pub fn recorded_failures(observed: &mut Observed) {
    let recorded = u32::try_from(observed.job.status.uncounted.failed.len()).unwrap_or(u32::MAX);
    let limit = observed.job.spec.backoff_limit;
    observed.spec().backoff_limit = limit.saturating_add(recorded);
}

/// Restarts in place are those of the pod with the most of them, not those of all pods (BKO-002).
pub fn restarts_of_other_pods(observed: &mut Observed) {
    let may_count = |pod: &&mut PodView| pod.tracked && matches!(pod.phase, Phase::Pending | Phase::Running);
    let mut pods: Vec<&mut PodView> = observed.pods.iter_mut().filter(may_count).collect();
    pods.sort_by_key(|pod| pod.restarts_with_init);
    pods.pop();
    pods.into_iter().for_each(|pod| pod.restarts_with_init = 0);
}

/// Restarts of init containers are not read (BKO-002).
pub fn restarts_of_init_containers(pod: &mut Value) {
    let containers = pod.pointer_mut("/status/initContainerStatuses").and_then(Value::as_array_mut);
    for container in containers.into_iter().flatten().filter(|container| container.is_object()) {
        container["restartCount"] = 0.into();
    }
}

/// A Job is given up when as many indexes failed as may fail, not when one more did (BLI-008).
pub fn last_permitted_failed_index(observed: &mut Observed) {
    let most = observed.job.spec.max_failed_indexes;
    observed.spec().max_failed_indexes = most.map(|most| most.saturating_sub(1));
}

/// A pod whose index a rule gives up is a failed index, and no failed pod besides (PFP-011, STA-012).
#[derive(Debug, Default)]
pub struct FailuresOfGivenUpIndexes {
    /// Which pods the sync under way has passed over, by Job.
    passed: Notes<BTreeMap<Uid, BTreeSet<Uid>>>,
}

impl Decorator for FailuresOfGivenUpIndexes {
    fn see(&self, observed: &mut Observed) {
        self.passed.open().remove(&observed.job.uid);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let (job, gates) = (&observed.job, &observed.gates);
        let Some(policy) = job.spec.failure_policy.as_ref() else { return };
        let action = |pod: &PodView| policy.ruling(job, pod, gates).map(|ruling| ruling.action);
        let failed = observed.pods.iter().filter(|pod| pod.phase == Phase::Failed);
        let given_up = failed.filter(|pod| action(pod) == Some(FailureAction::FailIndex));
        let given_up: BTreeSet<&Uid> = given_up.map(|pod| &pod.uid).collect();
        pass_over(self.passed.open().entry(job.uid.clone()).or_default(), &given_up, decision);
    }
}

/// Restarts of a pod are read once it runs: those of init containers before do not count (BKO-002).
pub fn restarts_of_waiting_pods(observed: &mut Observed) {
    let waiting = observed.pods.iter_mut().filter(|pod| pod.phase == Phase::Pending);
    waiting.for_each(|pod| pod.restarts_with_init = 0);
}
