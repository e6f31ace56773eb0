//! What can become of a Job.

use std::fmt;

/// How a Job is when nothing moves any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// `SuccessCriteriaMet`, then `Complete`, for this reason.
    Complete(&'static str),
    /// `FailureTarget`, then `Failed`, for this reason.
    Failed(&'static str),
    /// `Suspended`, without a pod.
    Suspended,
    /// There is no such Job any more.
    Gone,
    /// It goes on.
    Running,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete(reason) => write!(f, "Complete ({reason})"),
            Self::Failed(reason) => write!(f, "Failed ({reason})"),
            Self::Suspended => f.write_str("Suspended"),
            Self::Gone => f.write_str("gone"),
            Self::Running => f.write_str("goes on"),
        }
    }
}
