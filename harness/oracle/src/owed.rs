//! What is owed in a world that stands still: steps that only the controller can make, and that nothing speaks against.
//!
//! Only what is certain from the objects: where a pod is on its way out, a time has not come, or the API server refused a pod, nothing is
//! owed yet. Whether the controller could act is not asked here.

mod status;
mod step;

use crate::{
    history::controller,
    reading,
    setting::{Ownership, Setting},
    vocabulary::pods::{is_tracked, job_name},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use jobsworth_api::ConditionKind;
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};

/// Of what kind it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The status is to say what is so.
    Status,
    /// A decision, an end, a pod, or the deletion of one.
    Step,
    /// A finalizer or a Job is to go.
    CleanUp,
}

/// Something that is owed.
#[derive(Clone, Debug)]
pub(crate) struct Owed {
    pub(crate) kind: Kind,
    /// UID of the Job.
    pub(crate) job: String,
    /// What is owed.
    pub(crate) expected: String,
    /// What is there instead.
    pub(crate) observed: String,
    /// Since when at the earliest, where a time decides.
    pub(crate) since: Option<Timestamp>,
    /// Whether it is a pod: one may have to wait for what the objects that are left do not show.
    pub(crate) is_pod: bool,
}

/// A Job of the subject in a world, with its pods that there are.
pub(crate) struct Standing<'a> {
    pub(crate) setting: &'a Setting,
    pub(crate) world: &'a World,
    pub(crate) job: &'a Job,
    pub(crate) pods: Vec<&'a Pod>,
    pub(crate) now: Timestamp,
}

/// Whether anything is owed: who records a world that stands still goes on for a while then.
#[must_use]
pub fn is_owed(setting: &Setting, world: &World, now: Timestamp) -> bool {
    !of_world(setting, world, now).is_empty()
}

/// All that is owed to Jobs of the subject.
pub(crate) fn of_world(setting: &Setting, world: &World, now: Timestamp) -> Vec<Owed> {
    let mut owed = left_behind(world);
    for job in world.jobs().filter(|job| setting.owns(job)) {
        let uid = job.metadata.uid.as_deref();
        let pods = world.pods().map(|pod| &**pod).filter(|pod| uid.is_some() && controller(&pod.metadata) == uid);
        let standing = Standing { setting, world, job, pods: pods.collect(), now };
        if reading::is_finished(job) {
            owed.extend(standing.left_at_the_end());
        } else if !reading::is_deleting(&job.metadata) && !standing.is_touched() {
            owed.extend(status::owed(&standing));
            owed.extend(step::owed(&standing));
        }
    }
    owed
}

/// Pods of Jobs that are gone (FIN-012).
fn left_behind(world: &World) -> Vec<Owed> {
    let held = world.pods().filter(|pod| is_tracked(pod) && job_name(pod).is_some() && !is_touched(pod));
    let of_the_gone = held.filter_map(|pod| {
        let job = controller(&pod.metadata).filter(|uid| world.has_known(uid) && world.object(uid).is_none())?;
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        Some(Owed {
            kind: Kind::CleanUp,
            job: job.to_owned(),
            expected: "the tracking finalizer goes with the Job".to_owned(),
            observed: format!("the Job is gone, pod {name} holds the tracking finalizer"),
            since: None,
            is_pod: false,
        })
    });
    of_the_gone.collect()
}

impl Standing<'_> {
    pub(crate) fn owed(&self, kind: Kind, expected: impl Into<String>, observed: impl Into<String>) -> Owed {
        let name = self.job.metadata.name.as_deref().unwrap_or_default();
        Owed {
            kind,
            job: self.job.metadata.uid.clone().unwrap_or_default(),
            expected: expected.into(),
            observed: format!("Job {name}: {}", observed.into()),
            since: None,
            is_pod: false,
        }
    }

    /// So many of the pods are like this.
    pub(crate) fn count(&self, of: impl Fn(&Pod) -> bool) -> i32 {
        i32::try_from(self.pods.iter().filter(|pod| of(pod)).count()).unwrap_or(i32::MAX)
    }

    /// Whether the script has changed a pod of it: labels, owners and finalizers say whose it is and what is to become of it.
    fn is_touched(&self) -> bool {
        self.pods.iter().any(|pod| is_touched(pod))
    }

    fn left_at_the_end(&self) -> Vec<Owed> {
        let mut owed = Vec::new();
        if let Some(pod) = self.pods.iter().find(|pod| is_tracked(pod) && !is_touched(pod)) {
            let observed =
                format!("finished, pod {} holds the tracking finalizer", pod.metadata.name.as_deref().unwrap_or(""));
            owed.push(self.owed(Kind::CleanUp, "no pod of a finished Job holds the tracking finalizer", observed));
        }
        owed.extend(self.outlived());
        owed
    }

    /// A Job whose TTL is over goes (TTL-001). Controllers of `spec.managedBy` need not see to it (MGB-009).
    fn outlived(&self) -> Option<Owed> {
        let ttl = self.job.spec.as_ref()?.ttl_seconds_after_finished?;
        let end = reading::transition(reading::terminal(self.job)?)?;
        let due = end.checked_add(SignedDuration::from_secs(ttl.into())).ok()?;
        let is_alone = !matches!(self.setting.ownership, Ownership::ManagedBy(_)) && !self.setting.shared;
        let is_over = is_alone && due < self.now && !reading::is_deleting(&self.job.metadata);
        let observed = format!("finished at {end}, ttlSecondsAfterFinished {ttl}, and not deleted at {}", self.now);
        is_over.then(|| Owed { since: Some(due), ..self.owed(Kind::CleanUp, "a Job goes after its TTL", observed) })
    }

    /// How its end is decided, if it is.
    pub(crate) fn is_decided(&self) -> bool {
        let held = |kind| reading::held(self.job, kind).is_some();
        held(ConditionKind::SuccessCriteriaMet) || held(ConditionKind::FailureTarget)
    }
}

pub(crate) fn is_touched(pod: &Pod) -> bool {
    reading::is_written_by(&pod.metadata, reading::SCRIPT, None)
}
