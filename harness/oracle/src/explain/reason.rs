//! The reasons, and their words.

use jiff::Timestamp;
use std::fmt;

/// Names that are spelled out.
const NAMES: usize = 4;

/// One reason why a Job is as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is Complete or Failed.
    Finished {
        /// `Complete` or `Failed`.
        how: String,
        /// Since when.
        at: Option<Timestamp>,
        /// Of the condition; may be empty.
        reason: String,
        /// Of the condition; may be empty.
        message: String,
    },
    /// It is finished, and these pods still hold the tracking finalizer (FIN-010).
    FinalizersLeft(Pods),
    /// It is finished and has no TTL.
    Stays,
    /// It is finished and is to be deleted at this time (TTL-001).
    TimeToLive {
        /// When.
        at: Timestamp,
        /// Wall clock.
        now: Timestamp,
    },
    /// It was deleted and is still there.
    BeingDeleted {
        /// Since when.
        since: Timestamp,
        /// What holds it.
        finalizers: Vec<String>,
    },
    /// Another controller is to take care of it (MGB-001).
    LeftTo(String),
    /// How it ends is decided, and not declared yet.
    Decided {
        /// Whether in success.
        success: bool,
        /// Since when.
        at: Option<Timestamp>,
        /// Of the condition; may be empty.
        reason: String,
        /// Of the condition; may be empty.
        message: String,
    },
    /// It is suspended.
    Suspended {
        /// Since when, where a condition says so.
        since: Option<Timestamp>,
    },
    /// It fails at this time unless it has ended by then.
    Deadline {
        /// When.
        at: Timestamp,
        /// Wall clock.
        now: Timestamp,
    },
    /// These pods run.
    Running(Pods),
    /// This pod does not run yet: its name and why.
    NotRunning(String),
    /// These pods do not run yet.
    Pending(Pods),
    /// These pods are to go and were not told so.
    ToBeStopped(Pods),
    /// These pods were told to stop and have not.
    Stopping(Pods),
    /// These pods have ended and are not counted yet.
    Uncounted(Pods),
    /// Failed pods are replaced only after a while (BKO-006).
    BackOff {
        /// The index, where each has its own delay.
        index: Option<u32>,
        /// How many failures in a row.
        failures: u32,
        /// Not before.
        until: Timestamp,
        /// Wall clock.
        now: Timestamp,
    },
    /// It lacks pods, and their creation was refused.
    Refused {
        /// How many are missing.
        missing: u32,
        /// What the last Event says.
        message: String,
    },
    /// It lacks pods, and nothing speaks against starting them.
    PodsAreDue(u32),
    /// Nothing is left to wait for: the next step is the controller's.
    EndIsDue,
}

/// Names of pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pods(Vec<String>);

impl Pods {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<String> for Pods {
    fn from_iter<T: IntoIterator<Item = String>>(names: T) -> Self {
        Self(names.into_iter().collect())
    }
}

impl fmt::Display for Pods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.0.len() == 1 { "pod" } else { "pods" };
        let names = self.0.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
        write!(f, "{} {word}: {names}", self.0.len())?;
        match self.0.len().saturating_sub(NAMES) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished { how, at, reason, message } => {
                write!(f, "it is {how}{}{}", since(*at), because(reason, message))
            }
            Self::FinalizersLeft(pods) => write!(f, "it is finished, and the tracking finalizer still holds {pods}"),
            Self::Stays => f.write_str("it has no TTL: it stays until somebody deletes it"),
            Self::TimeToLive { at, now } => write!(f, "its TTL ends at {}", moment(*at, *now)),
            Self::BeingDeleted { since, finalizers } if finalizers.is_empty() => {
                write!(f, "it was deleted at {since}, and no finalizer holds it")
            }
            Self::BeingDeleted { since, finalizers } => {
                write!(f, "it was deleted at {since}, and is held by {}", finalizers.join(", "))
            }
            Self::LeftTo(manager) => write!(f, "it is left to {manager} (spec.managedBy)"),
            Self::Decided { success, at, reason, message } => {
                let how = if *success { "succeed" } else { "fail" };
                write!(f, "it is decided to {how}{}{}", since(*at), because(reason, message))
            }
            Self::Suspended { since: at } => {
                write!(f, "it is suspended{}: no pod is started until spec.suspend is false", since(*at))
            }
            Self::Deadline { at, now } => write!(f, "its deadline is at {}", moment(*at, *now)),
            Self::Running(pods) => write!(f, "waiting for the end of {pods}"),
            Self::NotRunning(pod) => write!(f, "waiting for pod {pod}"),
            Self::Pending(pods) => write!(f, "waiting for the start of {pods}"),
            Self::ToBeStopped(pods) => write!(f, "not told to stop yet: {pods}"),
            Self::Stopping(pods) => write!(f, "told to stop, waiting for the end of {pods}"),
            Self::Uncounted(pods) => write!(f, "ended and not counted yet (the tracking finalizer holds them): {pods}"),
            Self::BackOff { index, failures, until, now } => {
                let whose = index.map(|index| format!(" of index {index}")).unwrap_or_default();
                let times = if *failures == 1 { "one failure" } else { &format!("{failures} failures in a row") };
                write!(f, "back-off after {times}: the next pod{whose} comes not before {}", moment(*until, *now))
            }
            Self::Refused { missing, message } => {
                write!(f, "{} missing, and the last attempt to create one was refused: {message}", are(*missing))
            }
            Self::PodsAreDue(missing) => {
                let them = if *missing == 1 { "it" } else { "them" };
                write!(
                    f,
                    "{} missing, and nothing holds {them} back: the controller is to create {them}",
                    are(*missing)
                )
            }
            Self::EndIsDue => f.write_str("nothing is left to wait for: the next step is the controller's"),
        }
    }
}

fn are(pods: u32) -> String {
    if pods == 1 { "1 pod is".to_owned() } else { format!("{pods} pods are") }
}

fn since(at: Option<Timestamp>) -> String {
    at.map(|at| format!(" since {at}")).unwrap_or_default()
}

fn because(reason: &str, message: &str) -> String {
    match (reason, message) {
        ("", "") => String::new(),
        (word, "") | ("", word) => format!(" ({word})"),
        (reason, message) => format!(" ({reason}: {message})"),
    }
}

/// A time, and how far it is from the last that was seen.
fn moment(at: Timestamp, now: Timestamp) -> String {
    let seconds = at.duration_since(now).as_secs();
    match seconds {
        0 => format!("{at}, which is now"),
        1.. => format!("{at}, {seconds} s after the last change"),
        _ => format!("{at}, which was over for {} s at the last change", seconds.unsigned_abs()),
    }
}
