//! Why a Job is as it is: what it waits for, until when, and what comes then.
//!
//! It says what follows from the objects by the rules of the API, not what the controller under test knows or wants. A time
//! that is over and after which nothing came is said so: that is where to look.

mod pods;
mod reason;

pub use reason::{Pods, Reason};

use crate::{
    fact::Notice,
    reading,
    timeline::Timeline,
    vocabulary::pods::{is_stopping, is_terminal, is_tracked, phase},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use jobsworth_api::{ConditionKind, well_known};
use k8s_openapi::api::{
    batch::v1::{Job, JobCondition},
    core::v1::Pod,
};

/// A Job, and why it is as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The Job's name.
    pub job: String,
    /// The reasons, the first what it is.
    pub reasons: Vec<Reason>,
}

/// What a Job is explained from.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The Job.
    pub job: &'a Job,
    /// Its pods that there are.
    pub pods: &'a [&'a Pod],
    /// Every Event so far.
    pub notices: &'a [Notice],
    /// Wall clock.
    pub now: Timestamp,
}

/// Every Job that there is at the end of a recording, explained as of its last entry.
#[must_use]
pub fn at_end(timeline: &Timeline) -> Vec<Explained> {
    let Some(world) = timeline.worlds().last() else { return Vec::new() };
    let latest = timeline.entries().iter().map(|entry| entry.at).max().unwrap_or_default();
    let passed = SignedDuration::try_from(latest).unwrap_or(SignedDuration::MAX);
    let now = timeline.setting.started.checked_add(passed).unwrap_or(Timestamp::MAX);
    world.jobs().map(|job| explained(&world, job, now)).collect()
}

fn explained(world: &World, job: &Job, now: Timestamp) -> Explained {
    let uid = job.metadata.uid.as_deref();
    let is_its = |pod: &&Pod| uid.is_some() && crate::history::controller(&pod.metadata) == uid;
    let pods: Vec<&Pod> = world.pods().map(|pod| &**pod).filter(is_its).collect();
    let scene = Scene { job, pods: &pods, notices: world.notices(), now };
    Explained { job: job.metadata.name.clone().unwrap_or_default(), reasons: why(scene) }
}

/// Why the Job is as it is; never empty.
#[must_use]
pub fn why(scene: Scene<'_>) -> Vec<Reason> {
    let job = scene.job;
    let mut reasons = Vec::new();
    if let Some(since) = job.metadata.deletion_timestamp.as_ref().map(|time| time.0) {
        let finalizers = job.metadata.finalizers.clone().unwrap_or_default();
        reasons.push(Reason::BeingDeleted { since, finalizers });
    }
    if let Some(end) = reading::terminal(job) {
        reasons.extend(finished(scene, end));
        return reasons;
    }
    let manager = job.spec.as_ref().and_then(|spec| spec.managed_by.clone());
    if let Some(manager) = manager.filter(|manager| manager != well_known::BUILT_IN_CONTROLLER) {
        reasons.push(Reason::LeftTo(manager));
    }
    if let Some(decision) = reading::decision(job) {
        reasons.extend(decided(scene, decision));
        return reasons;
    }
    if job.metadata.deletion_timestamp.is_some() {
        return reasons;
    }
    if reading::is_suspended(job) {
        reasons.extend(suspended(scene));
        return reasons;
    }
    reasons.extend(deadline(scene));
    reasons.extend(waiting_for_pods(scene));
    reasons.extend(pods::missing(scene));
    if reasons.is_empty() {
        reasons.push(Reason::EndIsDue);
    }
    reasons
}

/// How many pods are missing with nothing that speaks against creating them.
pub(crate) fn pods_due(scene: Scene<'_>) -> Option<u32> {
    pods::missing(scene).into_iter().find_map(|reason| match reason {
        Reason::PodsAreDue(missing) => Some(missing),
        _ => None,
    })
}

fn finished(scene: Scene<'_>, end: &JobCondition) -> Vec<Reason> {
    let mut reasons = vec![Reason::Finished {
        how: end.type_.clone(),
        at: reading::transition(end),
        reason: reading::reason(end).to_owned(),
        message: reading::message(end).to_owned(),
    }];
    let held = named(scene.pods.iter().filter(|pod| is_tracked(pod)));
    if !held.is_empty() {
        reasons.push(Reason::FinalizersLeft(held));
    }
    let ttl = scene.job.spec.as_ref().and_then(|spec| spec.ttl_seconds_after_finished);
    reasons.push(match (ttl, reading::transition(end)) {
        (None, _) | (_, None) => Reason::Stays,
        (Some(ttl), Some(at)) => Reason::TimeToLive { at: later(at, ttl.into()), now: scene.now },
    });
    reasons
}

/// The end is decided; it is declared once no pod is left that could still count.
fn decided(scene: Scene<'_>, decision: &JobCondition) -> Vec<Reason> {
    let mut reasons = vec![Reason::Decided {
        success: decision.type_ == ConditionKind::SuccessCriteriaMet.as_str(),
        at: reading::transition(decision),
        reason: reading::reason(decision).to_owned(),
        message: reading::message(decision).to_owned(),
    }];
    let live = named(scene.pods.iter().filter(|pod| !is_terminal(pod) && !is_stopping(pod)));
    let stopping = stopping(scene);
    let uncounted = uncounted(scene);
    let is_rest = live.is_empty() && stopping.is_empty() && uncounted.is_empty();
    reasons.extend((!live.is_empty()).then_some(Reason::ToBeStopped(live)));
    reasons.extend((!stopping.is_empty()).then_some(Reason::Stopping(stopping)));
    reasons.extend((!uncounted.is_empty()).then_some(Reason::Uncounted(uncounted)));
    reasons.extend(is_rest.then_some(Reason::EndIsDue));
    reasons
}

fn suspended(scene: Scene<'_>) -> Vec<Reason> {
    let since = reading::held(scene.job, ConditionKind::Suspended).and_then(reading::transition);
    let mut reasons = vec![Reason::Suspended { since }];
    let live = named(scene.pods.iter().filter(|pod| !is_terminal(pod) && !is_stopping(pod)));
    reasons.extend((!live.is_empty()).then_some(Reason::ToBeStopped(live)));
    let stopping = stopping(scene);
    reasons.extend((!stopping.is_empty()).then_some(Reason::Stopping(stopping)));
    reasons
}

fn deadline(scene: Scene<'_>) -> Option<Reason> {
    let limit = scene.job.spec.as_ref()?.active_deadline_seconds?;
    let at = later(reading::start_time(scene.job)?, limit);
    Some(Reason::Deadline { at, now: scene.now })
}

fn waiting_for_pods(scene: Scene<'_>) -> Vec<Reason> {
    let live = |pod: &&&Pod| !is_terminal(pod) && !is_stopping(pod);
    let running = named(scene.pods.iter().filter(|pod| live(pod) && phase(pod) == "Running"));
    let others = scene.pods.iter().filter(|pod| live(pod) && phase(pod) != "Running");
    let mut reasons: Vec<Reason> = others.map(|pod| Reason::NotRunning(pods::not_running(pod))).collect();
    // A hundred pods that wait alike are one line.
    if reasons.len() > SEVERAL {
        let pending = scene.pods.iter().filter(|pod| live(pod) && phase(pod) != "Running");
        reasons = vec![Reason::Pending(named(pending))];
    }
    let (stopping, uncounted) = (stopping(scene), uncounted(scene));
    reasons.extend((!running.is_empty()).then_some(Reason::Running(running)));
    reasons.extend((!stopping.is_empty()).then_some(Reason::Stopping(stopping)));
    reasons.extend((!uncounted.is_empty()).then_some(Reason::Uncounted(uncounted)));
    reasons
}

/// Pods that are told one by one.
const SEVERAL: usize = 3;

/// Told to stop, and not at their end.
fn stopping(scene: Scene<'_>) -> Pods {
    named(scene.pods.iter().filter(|pod| is_stopping(pod) && !is_terminal(pod)))
}

/// At their end, and not counted yet: the tracking finalizer holds them.
fn uncounted(scene: Scene<'_>) -> Pods {
    named(scene.pods.iter().filter(|pod| is_terminal(pod) && is_tracked(pod)))
}

fn named<'a>(pods: impl Iterator<Item = &'a &'a Pod>) -> Pods {
    pods.map(|pod| pod.metadata.name.clone().unwrap_or_default()).collect()
}

/// So many seconds later; the end of time where there is no such moment.
fn later(at: Timestamp, seconds: i64) -> Timestamp {
    at.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
