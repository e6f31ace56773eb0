//! *Deaf*: it is told something, and does not act on it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jobsworth_controller_runtime::client::Deadlines;
use jobsworth_core::{Action, Batch, Decision, Failure, Outcome, Requeue, Uid};
use serde_json::{Value, json};

use crate::call::{Answer, Call};
use crate::decorator::{Decorator, Fate, Next};
use crate::{Notes, Observed};

/// The version of a pod that is newer than any that a watch brings.
const NEVER_SEEN: &str = "9000000000000000000";

/// The deadline's timer is set when the Job starts, and not set again after another event or a restart.
pub fn to_the_deadlines_timer(observed: &Observed, decision: &mut Decision) {
    let has_started = observed.job.status.start_time.is_some();
    if observed.job.spec.deadline_s.is_some() && has_started && matches!(decision.requeue, Requeue::After(_)) {
        decision.requeue = Requeue::No;
    }
}

/// Another parallelism is noticed with the next pod event.
#[derive(Debug, Default)]
pub struct ToParallelism {
    known: Notes<BTreeMap<Uid, (u32, Vec<u64>)>>,
}

impl Decorator for ToParallelism {
    fn see(&self, observed: &mut Observed) {
        let mut known = self.known.open();
        let pods: Vec<u64> = observed.pods.iter().map(|pod| pod.revision).collect();
        match known.get(&observed.job.uid).filter(|(_, before)| *before == pods).map(|(parallelism, _)| *parallelism) {
            Some(before) => observed.spec().parallelism = before,
            None => {
                known.insert(observed.job.uid.clone(), (observed.job.spec.parallelism, pods));
            }
        }
    }
}

/// After a conflict it does nothing more about the Job.
#[derive(Debug, Default)]
pub struct AfterAConflict {
    given_up: Notes<BTreeSet<Uid>>,
}

impl Decorator for AfterAConflict {
    fn say(&self, observed: &Observed, decision: &mut Decision) {
        if self.given_up.open().contains(&observed.job.uid) {
            decision.batches.clear();
            (decision.awaiting, decision.requeue) = (None, Requeue::No);
        }
    }

    fn hear(&self, observed: &Observed, outcomes: &mut Vec<Vec<Outcome>>) {
        if outcomes.iter().flatten().any(|outcome| *outcome == Outcome::Failed(Failure::Conflict)) {
            self.given_up.open().insert(observed.job.uid.clone());
        }
    }
}

/// A sync that failed is not repeated.
pub fn to_errors(_: &Observed, decision: &mut Decision) {
    if decision.awaiting.is_none() && matches!(decision.requeue, Requeue::Failed | Requeue::Refused(_)) {
        decision.requeue = Requeue::No;
    }
}

/// A creation that is refused is waited for like one that went through (SYN-016).
pub fn to_refused_creations(call: &Call, answer: &mut Answer) -> Next {
    if call.creates_a_pod() && answer.code >= 400 && ![409, 429].contains(&answer.code) {
        let uid = call.body["metadata"]["name"].clone();
        *answer = Answer::ok(&json!({"metadata": {"uid": uid, "resourceVersion": NEVER_SEEN}}));
    }
    Next::Take
}

/// Takes 410 for an error like any other.
pub fn to_lost_history(call: &Call, answer: &mut Answer) -> Next {
    if call.is_watch() && answer.code == 410 {
        *answer = Answer::refusal(500, "InternalError");
    }
    Next::Take
}

/// Waits for an answer for ever.
#[derive(Debug, Default)]
pub struct ToSilence;

impl Decorator for ToSilence {
    fn deadlines(&self, deadlines: &mut Deadlines) {
        deadlines.write = Duration::from_secs(24 * 3600);
    }
}

/// Once it holds the lease, it does not ask for it again.
#[derive(Debug, Default)]
pub struct ToTheLease {
    held: Notes<Option<Value>>,
}

impl Decorator for ToTheLease {
    fn ask(&self, call: &mut Call) -> Fate {
        match &*self.held.open() {
            Some(lease) if call.is_about_a_lease() => Fate::Answered(Answer::ok(lease)),
            _ => Fate::Send,
        }
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        if call.is_about_a_lease() && call.method != http::Method::GET && answer.code < 300 {
            *self.held.open() = Some(answer.json());
        }
        Next::Take
    }
}

/// A Job that is being deleted is scaled like any other. Its pods are let go all the same (SYN-023).
#[derive(Debug, Default)]
pub struct ToTheJobsDeletion {
    deleting: Notes<BTreeSet<Uid>>,
}

impl Decorator for ToTheJobsDeletion {
    fn see(&self, observed: &mut Observed) {
        if observed.job.deleting {
            observed.job.deleting = false;
            // It adopts nobody.
            observed.pods.retain(|pod| pod.owner.is_some());
            self.deleting.open().insert(observed.job.uid.clone());
        }
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let deleting = self.deleting.open().contains(&observed.job.uid);
        // Behind everything else: nobody waits for the outcomes.
        if !deleting || decision.awaiting.is_some() || observed.job.status.is_finished() {
            return;
        }
        let tracked =
            observed.pods.iter().filter(|pod| pod.is_active() && pod.tracked && pod.belongs_to(&observed.job));
        let release = tracked.map(|pod| Action::ReleasePod { uid: pod.uid.clone(), name: pod.name.clone() });
        let releases: Vec<Action> = release.collect();
        if !releases.is_empty() {
            decision.batches.push(Batch::and_go_on(releases));
        }
    }
}
