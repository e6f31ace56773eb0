//! Load: the same work for two controllers, one after the other on one API server, and what it cost each.
//!
//! What is to be done is data ([`workload`]). Who does it is an [`arm`]; the two never run together. One
//! [`trial`] is one workload done once by one arm: the [`driver`] plays its pods, the [`observer`] stamps
//! what it sees with a monotonic clock, the API server's [`audit`] log says how many requests it took, and
//! [`procfs`] what the process used. Trials come in adjacent pairs ([`schedule`]), and only ratios within a
//! pair are compared ([`ratio`]): seconds of a shared machine mean little by themselves.

pub mod arm;
pub mod audit;
pub mod bench;
pub mod comparison;
pub mod driver;
pub mod figures;
pub mod goal;
pub mod observer;
pub mod procfs;
pub mod quantile;
pub mod ratio;
pub mod record;
pub mod schedule;
pub mod sightings;
pub mod submit;
pub mod table;
pub mod trial;
pub mod workload;

/// Why something that a trial needs could not be done; the trial is void then.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Trouble(String);

impl Trouble {
    fn new(says: impl Into<String>) -> Self {
        Self(says.into())
    }

    /// With what was being done when `error` came.
    fn of(what: &str, error: &dyn std::error::Error) -> Self {
        Self(format!("failed to {what}: {}", crate::error_text::in_full(error)))
    }
}
