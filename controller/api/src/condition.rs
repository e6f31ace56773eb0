//! Condition types of `batch/v1` Jobs and the reasons that the built-in controller gives.

use std::fmt;

/// A condition type of `status.conditions` that the Job controller itself uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConditionKind {
    /// The Job is, or was, suspended.
    Suspended,
    /// Interim: the Job is going to be complete.
    SuccessCriteriaMet,
    /// Interim: the Job is going to be failed.
    FailureTarget,
    /// Terminal: the Job succeeded.
    Complete,
    /// Terminal: the Job failed.
    Failed,
}

impl ConditionKind {
    /// All condition types of the Job controller.
    pub const ALL: [Self; 5] =
        [Self::Suspended, Self::SuccessCriteriaMet, Self::FailureTarget, Self::Complete, Self::Failed];

    /// The text in `conditions[].type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Suspended => "Suspended",
            Self::SuccessCriteriaMet => "SuccessCriteriaMet",
            Self::FailureTarget => "FailureTarget",
            Self::Complete => "Complete",
            Self::Failed => "Failed",
        }
    }

    /// Whether a Job with this condition is finished (`Complete`, `Failed`).
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Complete | Self::Failed)
    }

    /// The interim condition that comes before this terminal one (STA-002).
    #[must_use]
    pub const fn interim(self) -> Option<Self> {
        match self {
            Self::Complete => Some(Self::SuccessCriteriaMet),
            Self::Failed => Some(Self::FailureTarget),
            _ => None,
        }
    }
}

impl fmt::Display for ConditionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reasons of conditions, as the built-in controller spells them.
pub mod reason {
    /// All completions were reached.
    pub const COMPLETIONS_REACHED: &str = "CompletionsReached";
    /// A rule of the success policy was met.
    pub const SUCCESS_POLICY: &str = "SuccessPolicy";
    /// More pods failed than `backoffLimit` allows.
    pub const BACKOFF_LIMIT_EXCEEDED: &str = "BackoffLimitExceeded";
    /// `activeDeadlineSeconds` ran out.
    pub const DEADLINE_EXCEEDED: &str = "DeadlineExceeded";
    /// A `FailJob` rule matched.
    pub const POD_FAILURE_POLICY: &str = "PodFailurePolicy";
    /// Every index ended and at least one failed.
    pub const FAILED_INDEXES: &str = "FailedIndexes";
    /// More indexes failed than `maxFailedIndexes` allows.
    pub const MAX_FAILED_INDEXES_EXCEEDED: &str = "MaxFailedIndexesExceeded";
    /// The Job was suspended.
    pub const JOB_SUSPENDED: &str = "JobSuspended";
    /// The Job was resumed.
    pub const JOB_RESUMED: &str = "JobResumed";
}
