//! Jobs and pods as this world keeps them.

use std::collections::BTreeSet;

pub type JobId = usize;
pub type PodId = usize;

/// What is asked of a Job.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    pub indexed: bool,
    pub parallelism: i32,
    pub completions: Option<i32>,
    pub backoff_limit: i32,
    pub per_index: Option<i32>,
    pub max_failed: Option<i32>,
    pub success: Vec<SuccessRule>,
    pub failure: Vec<FailureRule>,
    /// `podReplacementPolicy: Failed`.
    pub replace_failed: bool,
    pub suspend: bool,
    pub deadline: Option<i64>,
    pub ttl: Option<i64>,
    pub on_failure: bool,
    pub managed_by: Option<&'static str>,
    /// A label of the template that may be edited while nothing has started.
    pub edition: u32,
}

/// A rule of the success policy.
#[derive(Clone, Debug, PartialEq)]
pub struct SuccessRule {
    pub indexes: Option<BTreeSet<u32>>,
    pub count: Option<u32>,
}

/// A rule of the pod failure policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FailureRule {
    FailJob,
    FailIndex,
    Ignore,
    IgnoreDisruption,
    Count,
}

impl FailureRule {
    /// The exit code for which it is.
    pub fn code(self) -> Option<i32> {
        match self {
            Self::FailJob => Some(3),
            Self::FailIndex => Some(4),
            Self::Ignore => Some(5),
            Self::Count => Some(6),
            Self::IgnoreDisruption => None,
        }
    }

    pub fn matches(self, pod: &Pod) -> bool {
        match self.code() {
            Some(code) => pod.exit == Some(code),
            None => pod.disrupted,
        }
    }
}

/// A condition of a Job.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub kind: &'static str,
    pub holds: bool,
    pub reason: &'static str,
    pub message: String,
    pub since: i64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    pub conditions: Vec<Condition>,
    pub start: Option<i64>,
    pub completion: Option<i64>,
    pub active: usize,
    pub ready: Option<usize>,
    pub terminating: Option<usize>,
    pub succeeded: usize,
    pub failed: usize,
    pub uncounted_succeeded: BTreeSet<PodId>,
    pub uncounted_failed: BTreeSet<PodId>,
    pub completed: BTreeSet<u32>,
    pub failed_indexes: Option<BTreeSet<u32>>,
}

impl Status {
    pub fn held(&self, kind: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.kind == kind && condition.holds)
    }

    pub fn is_finished(&self) -> bool {
        self.held("Complete").or_else(|| self.held("Failed")).is_some()
    }

    pub fn is_uncounted(&self, pod: PodId) -> bool {
        self.uncounted_succeeded.contains(&pod) || self.uncounted_failed.contains(&pod)
    }
}

#[derive(Clone, Debug)]
pub struct Job {
    pub name: &'static str,
    pub uid: String,
    pub created: i64,
    pub generation: u32,
    pub spec: Spec,
    pub status: Status,
    pub deleted: Option<i64>,
    pub finalizers: BTreeSet<&'static str>,
    /// When its controller last wrote the status.
    pub written: Option<i64>,
}

impl Job {
    pub fn only_failed(&self) -> bool {
        self.spec.replace_failed || !self.spec.failure.is_empty()
    }

    pub fn bound(&self) -> u32 {
        self.spec.completions.and_then(|count| u32::try_from(count).ok()).unwrap_or(0)
    }

    pub fn is_foreign(&self) -> bool {
        self.spec.managed_by.is_some_and(|name| name != "kubernetes.io/job-controller")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Pending,
    Running,
    Succeeded,
    Failed,
}

/// Who controls a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Job(JobId),
    /// A ReplicaSet.
    Other,
    Nobody,
}

#[derive(Clone, Debug)]
pub struct Pod {
    pub name: String,
    pub prefix: String,
    pub created: i64,
    pub owner: Owner,
    /// The Job whose labels it has.
    pub labelled: JobId,
    pub index: Option<u32>,
    pub failures: Option<u32>,
    pub ignored: u32,
    pub edition: u32,
    pub by_script: bool,
    pub edited: Option<i64>,
    pub tracked: bool,
    pub held: bool,
    pub phase: Phase,
    pub assigned: bool,
    pub ready: bool,
    pub ready_since: i64,
    pub exit: Option<i32>,
    pub ended: Option<i64>,
    pub restarts: u32,
    pub disrupted: bool,
    /// When it must have stopped, and the grace that it has.
    pub stop: Option<(i64, i64)>,
}

impl Pod {
    pub fn is_terminal(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }

    pub fn is_active(&self) -> bool {
        !self.is_terminal() && self.stop.is_none()
    }

    pub fn is_stopping(&self) -> bool {
        !self.is_terminal() && self.stop.is_some()
    }

    /// Whether it counts as failed for such a Job.
    pub fn has_failed(&self, only_failed: bool) -> bool {
        self.phase == Phase::Failed || (self.stop.is_some() && self.phase != Phase::Succeeded && !only_failed)
    }

    /// When it ended by its own account (BKO-009).
    pub fn finish(&self) -> i64 {
        let unready = (!self.ready && self.ready_since > 0).then_some(self.ready_since);
        self.ended.or(unready).or(self.stop.map(|(end, grace)| end - grace)).unwrap_or(self.created)
    }

    pub fn matches<'r>(&self, rules: &'r [FailureRule]) -> Option<(usize, &'r FailureRule)> {
        if self.phase != Phase::Failed {
            return None;
        }
        rules.iter().enumerate().find(|(_, rule)| rule.matches(self))
    }
}
