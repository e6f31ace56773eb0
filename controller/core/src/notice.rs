//! Events about a Job: which, and in which words (EVT-001 to EVT-008).

/// An event that regards the Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Whether it is a `Warning`; otherwise it is `Normal`.
    pub warning: bool,
    /// `reason` of the event.
    pub reason: String,
    /// `note` (message) of the event.
    pub message: String,
}

impl Notice {
    /// A `Normal` event.
    #[must_use]
    pub fn normal(reason: &str, message: impl Into<String>) -> Self {
        Self { warning: false, reason: reason.to_owned(), message: message.into() }
    }

    /// A `Warning` event.
    #[must_use]
    pub fn warning(reason: &str, message: impl Into<String>) -> Self {
        Self { warning: true, reason: reason.to_owned(), message: message.into() }
    }

    /// The Job cannot be synced because of its completion mode (EVT-008, SYN-022).
    #[must_use]
    pub fn unknown_completion_mode() -> Self {
        Self::warning("UnknownCompletionMode", "Skipped Job sync because completion mode is unknown")
    }

    /// The Job cannot be read, and is left alone.
    #[must_use]
    pub fn unreadable_job(why: &str) -> Self {
        Self::warning("UnreadableJob", format!("Skipped Job sync because the Job cannot be read: {why}"))
    }

    /// More pods succeeded than completions were asked for (EVT-007, PAR-023).
    #[must_use]
    pub fn too_many_succeeded() -> Self {
        Self::warning("TooManySucceededPods", "Too many succeeded pods running after completion count reached")
    }
}
