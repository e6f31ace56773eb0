//! The status that a pass leaves (VJ-105 to VJ-114).

use std::collections::BTreeMap;

use jiff::Timestamp;
use jobsworth_volcano_api::{Duration, Job, JobCondition, JobStatus, TaskState};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::{Phase, Profile, Tally, transition};

/// What a pass came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    pub phase: Phase,
    pub tally: Tally,
    pub version: i32,
    pub retries: i32,
    pub resources: BTreeMap<String, String>,
    /// Reason and message, when the pass has some.
    pub reason: Option<(String, String)>,
    /// Whether it was a pass that kills.
    pub kill: bool,
}

impl Draft {
    /// The status as it stands, with these pods.
    pub fn unchanged(job: &Job, phase: Phase, tally: Tally) -> Self {
        let status = job.status.as_ref();
        Self {
            phase,
            tally,
            version: status.map_or(0, |status| status.version),
            retries: status.map_or(0, |status| status.retry_count),
            resources: status.map(|status| status.controlled_resources.clone()).unwrap_or_default(),
            reason: None,
            kill: false,
        }
    }

    /// The status to be written; `None` when it says what the stored one says (VJ-165).
    pub fn status(self, job: &Job, now: Timestamp, profile: Profile) -> Option<JobStatus> {
        let old = job.status.clone().unwrap_or_default();
        let mut new = self.over(job, &old, now, profile);
        if new == old {
            return None;
        }
        if profile.every_write_is_a_transition() && new.running_duration.is_none() {
            new.state.last_transition_time = Some(whole(now));
        }
        Some(new)
    }

    fn over(self, job: &Job, old: &JobStatus, now: Timestamp, profile: Profile) -> JobStatus {
        let mut new = old.clone();
        let all = &self.tally.all;
        (new.pending, new.running, new.succeeded) = (all.pending, all.running, all.succeeded);
        (new.failed, new.terminating, new.unknown) = (all.failed, all.terminating, all.unknown);
        let tasks = self.tally.tasks.into_iter();
        new.task_status_count = tasks.map(|(task, phase)| (task, TaskState { phase })).collect();
        new.version = self.version;
        new.retry_count = self.retries;
        new.controlled_resources = self.resources;
        if !self.kill || old.state.phase.is_none() {
            new.min_available = job.spec.min_available;
        }
        let moved = old.state.phase != Some(self.phase);
        if moved {
            enter(&mut new, self.phase, now);
        }
        if profile.gives_reasons() {
            let (reason, message) = match self.reason {
                Some(given) => given,
                None if moved => (by_itself(self.phase).to_owned(), String::new()),
                None => (new.state.reason.clone(), new.state.message.clone()),
            };
            (new.state.reason, new.state.message) = (reason, message);
        }
        let is_over = transition::is_end(self.phase) && !profile.follows_requests();
        new.running_duration = if self.kill || is_over { so_far(job, &new) } else { None };
        new
    }
}

/// Whether one tells of other pods than the other, and of nothing else.
pub(crate) fn differ_in_counters_only(old: &JobStatus, new: &JobStatus) -> bool {
    let mut old = old.clone();
    (old.pending, old.running, old.succeeded) = (new.pending, new.running, new.succeeded);
    (old.failed, old.terminating, old.unknown) = (new.failed, new.terminating, new.unknown);
    old.task_status_count.clone_from(&new.task_status_count);
    old == *new
}

/// Enters a phase: the newest condition is last, and each phase has one (VJ-112).
fn enter(status: &mut JobStatus, phase: Phase, now: Timestamp) {
    let time = Some(whole(now));
    status.state.phase = Some(phase);
    status.state.last_transition_time.clone_from(&time);
    status.conditions.retain(|condition| condition.status != phase);
    status.conditions.push(JobCondition { status: phase, last_transition_time: time });
}

/// From the job's creation to its last transition (VJ-113).
fn so_far(job: &Job, status: &JobStatus) -> Option<Duration> {
    let created = job.metadata.creation_timestamp.as_ref()?.0;
    let moved = status.state.last_transition_time.as_ref()?.0;
    Some(Duration::from_secs(moved.duration_since(created).as_secs().max(0)))
}

/// Times on the wire have whole seconds.
fn whole(now: Timestamp) -> Time {
    Time(Timestamp::from_second(now.as_second()).unwrap_or(now))
}

/// Why a phase was entered that no action asked for.
const fn by_itself(phase: Phase) -> &'static str {
    match phase {
        Phase::Pending => "WaitingForPods",
        Phase::Running => "MinAvailableReached",
        Phase::Completed => "PodsSucceeded",
        Phase::Failed => "PodsFailed",
        Phase::Aborted | Phase::Terminated => "PodsGone",
        Phase::Aborting | Phase::Restarting | Phase::Completing | Phase::Terminating => "",
    }
}

/// The tally that a status tells of.
pub(crate) fn recorded(job: &Job) -> Tally {
    let Some(status) = &job.status else { return Tally::default() };
    let all = crate::Counters {
        pending: status.pending,
        running: status.running,
        succeeded: status.succeeded,
        failed: status.failed,
        terminating: status.terminating,
        unknown: status.unknown,
    };
    let tasks = status.task_status_count.iter().map(|(task, state)| (task.clone(), state.phase.clone())).collect();
    Tally { all, tasks }
}
