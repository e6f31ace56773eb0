//! *Restarts*: what was owed when the controller ended is not taken up by the one that starts (SYN-026).

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::Resource;
use jobsworth_api::well_known::TRACKING_FINALIZER;
use jobsworth_core::pod::Phase;
use jobsworth_core::{Decision, JobView, Requeue, Uid};
use serde_json::Value;

use crate::bugs::drop;
use crate::call::{Answer, Call};
use crate::decorator::{Fate, Next};
use crate::first::do_nothing;
use crate::{Decorator, Notes, Observed};

/// How long after the start all Jobs are looked at, whatever happened to them.
const FIRST_RESYNC: SignedDuration = SignedDuration::from_secs(12);

/// When this process first looked at any Job.
#[derive(Debug, Default)]
struct Start(Notes<Option<Timestamp>>);

impl Start {
    fn at(&self, observed: &Observed) -> Timestamp {
        *self.0.open().get_or_insert(observed.now)
    }
}

/// A Job that has active pods is not queued by the first list: its pods are listed, too, and will wake it. But pods that are listed
/// before the Jobs are wake nobody. What heals it is the first resync (SYN-002, SYN-003).
#[derive(Debug, Default)]
pub struct JobsWithActivePods {
    start: Start,
    /// The versions in which such a Job and its pods were found; nothing for other Jobs, and once something happened.
    found: Notes<BTreeMap<Uid, Vec<u64>>>,
}

impl Decorator for JobsWithActivePods {
    fn see(&self, observed: &mut Observed) {
        self.start.at(observed);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let job = &observed.job;
        let pods = observed.pods.iter().map(|pod| pod.revision);
        let versions: Vec<u64> = std::iter::once(job.revision).chain(pods).collect();
        let has_pods = job.status.active > 0 && !job.status.is_finished();
        let mut found = self.found.open();
        let found =
            found.entry(job.uid.clone()).or_insert_with(|| if has_pods { versions.clone() } else { Vec::new() });
        if *found != versions {
            found.clear();
            return;
        }
        let left = FIRST_RESYNC.saturating_sub(observed.now.duration_since(self.start.at(observed)));
        if left > SignedDuration::ZERO {
            do_nothing(decision, Requeue::After(left));
        }
    }
}

/// A pod that is told to stop already when it is first seen is left to whoever sees it go, and not looked at as one that may have lost
/// its Job: nobody sees it go, as its finalizer stays (FIN-012).
#[derive(Debug, Default)]
pub struct StoppingPodsOfTheStart {
    listed: Notes<BTreeSet<String>>,
    /// The Jobs of the first list.
    jobs: Notes<BTreeSet<String>>,
    /// The pods of the first list that were told to stop, and whose they are.
    pods: Notes<BTreeMap<String, String>>,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// UID and controller of a pod that is told to stop and has the tracking finalizer.
fn stopping(pod: &Value) -> Option<(String, String)> {
    let meta = &pod["metadata"];
    let is_tracked = meta["finalizers"].as_array().is_some_and(|all| all.iter().any(|it| it == TRACKING_FINALIZER));
    let owner = meta["ownerReferences"].as_array()?.iter().find(|owner| owner["controller"] == true)?;
    (is_tracked && meta["deletionTimestamp"].is_string()).then(|| (text(&meta["uid"]), text(&owner["uid"])))
}

impl Decorator for StoppingPodsOfTheStart {
    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        if call.begins_a_list() && answer.code == 200 && self.listed.open().insert(call.path.clone()) {
            let list = answer.json();
            let items = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            if call.is_about(&Resource::JOBS) {
                self.jobs.open().extend(items.iter().map(|job| text(&job["metadata"]["uid"])));
            } else if call.is_about(&Resource::PODS) {
                self.pods.open().extend(items.iter().filter_map(stopping));
            }
        }
        Next::Take
    }

    fn ask(&self, call: &mut Call) -> Fate {
        let owner = self.pods.open().get(&text(&call.body["metadata"]["uid"])).cloned();
        match owner.is_some_and(|owner| !self.jobs.open().contains(&owner)) {
            true => drop::releases(call),
            false => Fate::Send,
        }
    }
}

/// A timer is set for the time that is left until the deadline. A Job whose deadline passed while nobody was there has none left, so
/// it has no timer either, until its spec changes (DLN-006, DLN-002).
#[derive(Debug, Default)]
pub struct DeadlinesOfTheAbsence {
    /// The generation for which there is no timer, if there is one, of each Job as it was first seen.
    passed: Notes<BTreeMap<Uid, Option<i64>>>,
}

fn has_passed(job: &JobView, now: Timestamp) -> bool {
    let limit = job.spec.deadline_s.filter(|_| !job.spec.suspend).zip(job.status.start_time);
    limit.is_some_and(|(seconds, start)| now.duration_since(start).as_secs() >= seconds)
}

impl Decorator for DeadlinesOfTheAbsence {
    fn see(&self, observed: &mut Observed) {
        let (job, now) = (&observed.job, observed.now);
        let mut passed = self.passed.open();
        let passed = passed.entry(job.uid.clone()).or_insert_with(|| has_passed(job, now).then_some(job.generation));
        if *passed == Some(job.generation) {
            observed.spec().deadline_s = None;
        }
    }
}

/// The delay after a failure is a timer that starts when the pod is seen to fail. Failures of before the start hold pods back like
/// all others, but no timer ends that (BKO-006, BKO-012, SYN-004).
#[derive(Debug, Default)]
pub struct DelaysOfTheAbsence {
    start: Start,
}

impl Decorator for DelaysOfTheAbsence {
    fn see(&self, observed: &mut Observed) {
        self.start.at(observed);
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let is_a_delay = matches!(decision.requeue, Requeue::After(delay) if delay > observed.limits.batch_period);
        if decision.awaiting.is_some() || !is_a_delay || observed.job.spec.deadline_s.is_some() {
            return;
        }
        let start = self.start.at(observed);
        let last = observed.pods.iter().filter(|pod| pod.phase == Phase::Failed).map(|pod| pod.finished).max();
        if last.is_some_and(|last| last < start) {
            decision.requeue = Requeue::No;
        }
    }
}
