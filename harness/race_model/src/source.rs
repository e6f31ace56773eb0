//! What can make up a Job's mind.

use std::fmt;

/// A source of a verdict, or something that bears on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A rule of the pod failure policy with `FailJob` matches.
    FailJob,
    /// A pod fails that is one more than the backoff limit forgives.
    BackoffLimit,
    /// The deadline is over.
    Deadline,
    /// More indexes failed than `maxFailedIndexes` allows.
    MaxFailedIndexes,
    /// Every index is at its end, and one has failed.
    FailedIndexes,
    /// A rule of the success policy is met.
    SuccessRule,
    /// The Job is suspended.
    Suspend,
    /// A `NonIndexed` Job has its completions, and no pod is active.
    Completions,
    /// Every index of an Indexed Job has succeeded.
    AllIndexes,
    /// An elastic Indexed Job is scaled down to the indexes that have succeeded.
    ScaleDown,
    /// An elastic Indexed Job is scaled up.
    ScaleUp,
    /// Somebody deletes the Job.
    Deletion,
    /// The time to live of the finished Job is over.
    TimeToLive,
    /// The Job is given to another controller.
    ManagedBy,
}

/// What a source does to a Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The Job fails, for this reason.
    Fails(&'static str),
    /// The Job completes, for this reason.
    Completes(&'static str),
    /// The Job pauses.
    Pauses,
    /// The Job goes away.
    Removes,
    /// What was asked of the Job is asked no more, or more is.
    Changes,
}

impl Source {
    /// All of them, in the order in which one sync looks at them as far as it does (STA-001).
    pub const ALL: [Self; 14] = [
        Self::FailJob,
        Self::BackoffLimit,
        Self::Deadline,
        Self::MaxFailedIndexes,
        Self::FailedIndexes,
        Self::SuccessRule,
        Self::Suspend,
        Self::Completions,
        Self::AllIndexes,
        Self::ScaleDown,
        Self::ScaleUp,
        Self::Deletion,
        Self::TimeToLive,
        Self::ManagedBy,
    ];

    /// What it does to a Job.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::FailJob => Kind::Fails("PodFailurePolicy"),
            Self::BackoffLimit => Kind::Fails("BackoffLimitExceeded"),
            Self::Deadline => Kind::Fails("DeadlineExceeded"),
            Self::MaxFailedIndexes => Kind::Fails("MaxFailedIndexesExceeded"),
            Self::FailedIndexes => Kind::Fails("FailedIndexes"),
            Self::SuccessRule => Kind::Completes("SuccessPolicy"),
            Self::Completions | Self::AllIndexes | Self::ScaleDown => Kind::Completes("CompletionsReached"),
            Self::Suspend => Kind::Pauses,
            Self::Deletion | Self::TimeToLive => Kind::Removes,
            Self::ScaleUp | Self::ManagedBy => Kind::Changes,
        }
    }

    /// Whether only Indexed Jobs know it.
    #[must_use]
    pub const fn is_of_indexes(self) -> bool {
        use Source::{AllIndexes, FailedIndexes, MaxFailedIndexes, ScaleDown, ScaleUp, SuccessRule};
        matches!(self, MaxFailedIndexes | FailedIndexes | SuccessRule | AllIndexes | ScaleDown | ScaleUp)
    }

    /// Whether a pod must end for it to become true.
    #[must_use]
    pub const fn needs_a_pod(self) -> bool {
        use Source::{AllIndexes, BackoffLimit, Completions, FailJob, FailedIndexes, MaxFailedIndexes, SuccessRule};
        matches!(
            self,
            FailJob | BackoffLimit | MaxFailedIndexes | FailedIndexes | SuccessRule | Completions | AllIndexes
        )
    }

    /// Whether nothing of the Job runs any more once it is true.
    #[must_use]
    pub const fn leaves_no_pod(self) -> bool {
        matches!(self, Self::FailedIndexes | Self::Completions | Self::AllIndexes | Self::ScaleDown)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FailJob => "FailJob rule",
            Self::BackoffLimit => "backoff limit",
            Self::Deadline => "deadline",
            Self::MaxFailedIndexes => "limit of failed indexes",
            Self::FailedIndexes => "failed indexes",
            Self::SuccessRule => "success rule",
            Self::Suspend => "suspension",
            Self::Completions => "completions",
            Self::AllIndexes => "all indexes done",
            Self::ScaleDown => "scale down to what is done",
            Self::ScaleUp => "scale up",
            Self::Deletion => "deletion",
            Self::TimeToLive => "time to live",
            Self::ManagedBy => "managedBy",
        })
    }
}
