//! *Times*: something is done at another time than it should be, or at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::Method;
use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_core::Phase;
use serde_json::Value;

use crate::call::{Answer, Call};
use crate::volcano::{Bug, Look};
use crate::{Decorator, Next, Notes};

/// Times of objects are whole seconds, so one that lies just before the first look may lie after it.
const COARSE: SignedDuration = SignedDuration::from_secs(2);

/// Lets a delay begin when it first sees the job (VJ-199): timers live in memory, and those that it finds the cause of at its
/// start are started then. As long as it lives, that is when the cause comes up.
#[derive(Debug, Default)]
pub struct SinceItsStart {
    first_looks: Notes<BTreeMap<String, Timestamp>>,
}

impl Bug for SinceItsStart {
    fn see(&self, look: &mut Look) {
        let first = *self.first_looks.open().entry(look.uid()).or_insert(look.now);
        let late = |at: Timestamp| if first.duration_since(at) > COARSE { first } else { at };
        for pod in &mut look.pods {
            pod.created = late(pod.created);
            for at in [&mut pod.finished, &mut pod.restarted, &mut pod.evicted_at] {
                *at = at.map(late);
            }
        }
    }
}

/// Deletes aborted jobs, too, when their time is up (VJ-238): they are finished as far as anybody can see.
#[derive(Debug, Default)]
pub struct AbortedJobsExpire;

impl Bug for AbortedJobsExpire {
    /// What decides on jobs sees them as they are.
    fn see(&self, look: &mut Look) {
        let was_aborted = |condition: Option<Phase>| condition == Some(Phase::Aborted);
        let last = look.status().conditions.last().map(|condition| condition.status);
        if look.phase() == Phase::Terminated && was_aborted(last) {
            look.job_mut().status.get_or_insert_default().state.phase = Some(Phase::Aborted);
        }
    }

    fn wire(&self) -> Arc<dyn Decorator> {
        Arc::new(AbortedIsTerminated)
    }
}

/// Shows aborted jobs with a time to live as terminated: what deletes them knows nothing but the phase.
#[derive(Clone, Copy, Debug)]
struct AbortedIsTerminated;

impl Decorator for AbortedIsTerminated {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        if reads_jobs(call) {
            terminate(object);
        }
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        if answer.code == 200 && reads_jobs(call) && call.path.contains("/namespaces/") {
            let mut job = answer.json();
            terminate(&mut job);
            answer.body = job.to_string().into();
        }
        Next::Take
    }
}

fn reads_jobs(call: &Call) -> bool {
    call.method == Method::GET && call.path.starts_with("/apis/batch.volcano.sh/") && call.path.contains("/jobs")
}

fn terminate(job: &mut Value) {
    if job["spec"]["ttlSecondsAfterFinished"].is_number()
        && let Some(phase) =
            job.pointer_mut("/status/state/phase").filter(|phase| phase.as_str() == Some(Phase::Aborted.as_str()))
    {
        *phase = Phase::Terminated.as_str().into();
    }
}
