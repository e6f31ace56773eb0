//! Why a setting of gates is impossible, and where it is possible, in words.

use jobsworth_api::{KubeVersion, Minor};

use crate::gates::Versions;

/// Why no control plane can be had with some setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateRefusal {
    /// No gate of the Job API has that name.
    #[error("failed to set the feature gate {gate}: the Job API has no gate of this name{}", did_you_mean(.nearest))]
    Unknown {
        /// The name that was given.
        gate: String,
        /// Names that look like it.
        nearest: Vec<String>,
    },
    /// The gate comes later.
    #[error("failed to set the feature gate {gate} on {at}: it does not exist before {since}{}", possible(.elsewhere))]
    NotYet {
        /// The gate.
        gate: String,
        /// The minor version it begins with.
        since: Minor,
        /// Where it was asked for.
        at: Versions,
        /// Where it is possible.
        elsewhere: Vec<Versions>,
    },
    /// The feature is stable and can no longer be switched.
    #[error("failed to set the feature gate {gate}={} on {at}: it is locked to {to} since {since}{}", !.to, possible(.elsewhere))]
    Locked {
        /// The gate.
        gate: String,
        /// What it is locked to.
        to: bool,
        /// The minor version that locked it.
        since: Minor,
        /// Where it was asked for.
        at: Versions,
        /// Where it is possible.
        elsewhere: Vec<Versions>,
    },
    /// The binaries do not know the gate any more.
    #[error("failed to set the feature gate {gate} on {at}: it was removed in {removed} and must not be named, whatever version is emulated{}", possible(.elsewhere))]
    Removed {
        /// The gate.
        gate: String,
        /// The minor version that removed it.
        removed: Minor,
        /// Where it was asked for.
        at: Versions,
        /// Where it is possible.
        elsewhere: Vec<Versions>,
    },
    /// Another gate must be on.
    #[error("failed to set the feature gate {gate}=true: it needs {needed}=true")]
    Needs {
        /// The gate.
        gate: String,
        /// The one it builds on.
        needed: String,
    },
    /// The binary cannot pretend to be that version.
    #[error("failed to emulate {wanted} with {version}: it can emulate {from} to {to}")]
    Emulation {
        /// The binary's version.
        version: KubeVersion,
        /// What was asked for.
        wanted: Minor,
        /// The oldest that it can emulate.
        from: Minor,
        /// Its own.
        to: Minor,
    },
}

fn did_you_mean(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; did you mean {}?", nearest.join(", ")) }
}

fn possible(elsewhere: &[Versions]) -> String {
    if elsewhere.is_empty() {
        return "; no version that can be built here allows it".to_owned();
    }
    let places: Vec<String> = elsewhere.iter().map(ToString::to_string).collect();
    format!("; possible with {}", places.join(", "))
}
