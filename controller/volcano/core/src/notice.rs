//! Events about a job: which, and in which words (VJ-166, VJ-192, VJ-193, VJ-303).

use jiff::SignedDuration;
use jobsworth_volcano_api::{Action, Duration};

/// An event that regards the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Whether it is a `Warning`; otherwise it is `Normal`.
    pub warning: bool,
    /// `reason` of the event.
    pub reason: &'static str,
    /// `note` (message) of the event.
    pub message: String,
}

impl Notice {
    /// A `Normal` event.
    #[must_use]
    pub fn normal(reason: &'static str, message: impl Into<String>) -> Self {
        Self { warning: false, reason, message: message.into() }
    }

    /// A `Warning` event.
    #[must_use]
    pub fn warning(reason: &'static str, message: impl Into<String>) -> Self {
        Self { warning: true, reason, message: message.into() }
    }

    /// An action begins; the blank at the end is upstream's.
    #[must_use]
    pub fn starts(action: &Action) -> Self {
        Self::normal("ExecuteAction", format!("Start to execute action {action} "))
    }

    /// An action will begin after a while.
    #[must_use]
    pub fn waits(action: &Action, delay: SignedDuration) -> Self {
        let nanos = i64::try_from(delay.as_nanos()).unwrap_or(i64::MAX);
        Self::normal("ExecuteAction", format!("Execute action {action} after {}", Duration::from_nanos(nanos)))
    }

    /// A Command was taken off the API and is carried out (VJ-303).
    #[must_use]
    pub fn command(action: &Action) -> Self {
        let message =
            format!("Start to execute command {action}, and clean it up to make sure executed not more than once.");
        Self::normal("CommandIssued", message)
    }

    /// Too many passes failed one after the other (VJ-192).
    #[must_use]
    pub fn gives_up(action: &Action) -> Self {
        Self::normal("ExecuteAction", format!("Job failed on action {action} for retry limit reached"))
    }

    /// The scheduler has no room for the gang (VJ-166, VJ-337).
    #[must_use]
    pub fn unschedulable(namespace: &str, job: &str, why: &str) -> Self {
        Self::warning("PodGroupPending", format!("PodGroup {namespace}:{job} unschedulable, reason: {why}"))
    }

    /// A claim is not there (VJ-248, VJ-340).
    #[must_use]
    pub fn claim_missing(name: &str) -> Self {
        let message = format!("pvc {name} is not found, the job will be in the Pending state until the PVC is created");
        Self::warning("PVCError", message)
    }
}
