//! The end of a Job: the first cause wins, an interim condition announces it, a terminal one seals it.

use jiff::Timestamp;
use jobsworth_api::{ConditionKind, condition::reason};

use crate::{Condition, Gates, Notice, Sample, Status};

/// How the Job is going to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it ends Complete; otherwise it ends Failed.
    pub succeeds: bool,
    /// Reason of both conditions.
    pub reason: String,
    /// Message of both conditions.
    pub message: String,
    /// Whether the interim condition is written.
    pub announced: bool,
}

impl Verdict {
    /// The verdict that the status already holds. What was announced is never taken back, whatever happens later
    /// (STA-001 to STA-003, SUC-010, SUC-018, DLN-008, PFP-012, PFP-013).
    #[must_use]
    pub fn announced_in(status: &Status) -> Option<Self> {
        let held = |kind: ConditionKind| status.condition(kind).filter(|condition| condition.is_true());
        let verdict = |condition: &Condition, succeeds| Self {
            succeeds,
            reason: condition.reason.to_string(),
            message: condition.message.to_string(),
            announced: true,
        };
        held(ConditionKind::SuccessCriteriaMet)
            .map(|condition| verdict(condition, true))
            .or_else(|| held(ConditionKind::FailureTarget).map(|condition| verdict(condition, false)))
    }

    /// The failure of a `FailJob` rule: always announced (PFP-007).
    #[must_use]
    pub fn pod_failure_policy(message: String) -> Self {
        Self { succeeds: false, reason: reason::POD_FAILURE_POLICY.to_owned(), message, announced: true }
    }

    /// Another failure, announced when terminal conditions are delayed (STA-005, STA-006, BKO-004, BLI-007, BLI-008,
    /// DLN-001).
    #[must_use]
    pub fn failure(reason: &str, gates: &Gates) -> Self {
        let message = match reason {
            reason::BACKOFF_LIMIT_EXCEEDED => "Job has reached the specified backoff limit",
            reason::DEADLINE_EXCEEDED => "Job was active longer than specified deadline",
            reason::FAILED_INDEXES => "Job has failed indexes",
            _ => "Job has exceeded the specified maximal number of failed indexes",
        };
        Self {
            succeeds: false,
            reason: reason.to_owned(),
            message: message.to_owned(),
            announced: gates.delays_terminal_condition(),
        }
    }

    /// The success by a rule of the success policy: always announced (SUC-001, SUC-007, SUC-020).
    #[must_use]
    pub fn success_policy(rule: usize) -> Self {
        Self {
            succeeds: true,
            reason: reason::SUCCESS_POLICY.to_owned(),
            message: format!("Matched rules at index {rule}"),
            announced: true,
        }
    }

    /// All completions were reached (SUC-013, SUC-015, STA-006).
    #[must_use]
    pub fn completions_reached(gates: &Gates) -> Self {
        let (reason, message) = match gates.success_policy {
            true => (reason::COMPLETIONS_REACHED, "Reached expected number of succeeded pods"),
            false => ("", ""),
        };
        Self {
            succeeds: true,
            reason: reason.to_owned(),
            message: message.to_owned(),
            announced: gates.delays_terminal_condition(),
        }
    }

    /// Writes the interim condition (STA-004, SUC-007, PFP-007).
    pub fn announce(&self, status: &mut Status, at: Timestamp) {
        let kind = if self.succeeds { ConditionKind::SuccessCriteriaMet } else { ConditionKind::FailureTarget };
        if self.announced {
            put(status, Condition::new(kind, "True", &self.reason, &self.message, at));
        }
    }

    /// Writes the terminal condition, after the interim one (STA-009, STA-010, STA-020, SUC-009, SUC-021).
    pub fn seal(&self, status: &mut Status, at: Timestamp) {
        let kind = if self.succeeds { ConditionKind::Complete } else { ConditionKind::Failed };
        let at = status.start_time.map_or(at, |start| start.max(at));
        if self.succeeds {
            status.completion_time = Some(at);
        }
        put(status, Condition::new(kind, "True", &self.reason, &self.message, at));
    }

    /// The event about the terminal condition (EVT-005, EVT-006, EVT-010).
    #[must_use]
    pub fn notice(&self) -> Notice {
        match self.succeeds {
            true => Notice::normal("Completed", "Job completed"),
            false => Notice::warning(&self.reason, self.message.clone()),
        }
    }

    /// The metric about the terminal condition (MET-005, MET-006).
    #[must_use]
    pub fn sample(&self) -> Sample {
        Sample::JobFinished { succeeded: self.succeeds, reason: self.reason.clone() }
    }
}

/// Sets a condition: a type occurs once, and an equal condition stays as it is (STA-007, STA-008, STA-018, STA-019).
pub(crate) fn put(status: &mut Status, new: Condition) {
    match status.conditions.iter_mut().find(|condition| condition.kind == new.kind) {
        None => status.conditions.push(new),
        Some(old) if old.status == new.status && old.reason == new.reason && old.message == new.message => {}
        Some(old) => *old = new,
    }
}
