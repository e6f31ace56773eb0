//! Load: the same work for two controllers, one after the other on one API server, or for one alone, and what it cost each.
//!
//! What is to be done is data: a [`profile`] is a file, and a [`workload`] is what it says. Whether this machine can hold it is
//! asked before anything starts ([`room`]), and whether its API server can serve the budget, and whoever plays pods keep up with it,
//! before anything counts ([`capacity`], [`baseline`]).
//! Who does it is an [`arm`]; two never run together. One [`trial`] is one workload done once by one arm: Jobs come at the
//! [`pace`] that was fixed beforehand ([`submit`]) or are there before the controller is ([`initial`]), the [`driver`] plays
//! their pods (or kwok does, [`workload::PodsBy`]), the [`observer`] stamps what it sees with a monotonic clock, which it takes
//! from a [`feed`], an [`echo`] tells how late it is, the [`request_log`] follows the API server's [`audit`] log for the number of
//! requests (which two more [`witness`]es have counted too), whether its [`budget`] was kept and whether [`strangers`] took part, and
//! [`procfs`] says what the process used. Trials come in adjacent pairs ([`schedule`]), and only ratios within a pair are compared ([`ratio`]), and only of trials in which no invariant was broken:
//! the [`judge`] hears what the observer hears. A ratio is held against its [`goal`] with how sure it is ([`interval`]), and beside it
//! stands how near each side came to what none could be better than ([`efficiency`]); a controller beside itself shows how quiet the
//! machine is instead ([`control`]). Trials on a machine that is busy with something else do not count ([`noise`]), nor do those in which
//! somebody of the harness was late ([`lateness`]). What became of all of it is the [`outcome`]. Seconds of a shared machine mean little
//! by themselves. How long things took is kept as distributions ([`latency`]), what happened over time as a [`series`]; whether what was promised of them
//! ([`slo`](crate::slo)) was kept is in [`answer`].
//!
//! Where the pace itself is asked for, a [`rate_search`] makes probes until it knows the [`largest_rate`] that each controller holds. For a
//! [`soak`] the same work is done in [`laps`], hour after hour, and what the controller holds is looked at.
//!
//! What is too much for one submitter several loads do together, each a slice of the Jobs ([`slices`]); [`join`] makes one record of theirs.
//!
//! [`tenants`] are a program of their own that uses the API server beside a trial; what they got ([`tenant_figures`]) and what they
//! took from the work is told for itself ([`beside_tenants`]), and never mixed with trials without them.

pub mod alone;
pub mod answer;
pub mod arm;
pub mod audit;
pub mod backlog;
pub mod baseline;
pub mod bench;
pub mod beside_tenants;
pub mod budget;
pub mod calibration;
pub mod capacity;
pub mod comparison;
pub mod control;
pub mod course;
pub mod driver;
pub mod echo;
pub mod efficiency;
pub mod feed;
pub mod figures;
pub mod floor;
pub mod flow_schema;
pub mod goal;
pub mod initial;
pub mod installed;
pub mod interval;
pub mod join;
pub mod judge;
pub mod laps;
pub mod largest_rate;
pub mod latency;
pub mod lateness;
pub mod means;
pub mod noise;
pub mod observer;
pub mod outcome;
pub mod pace;
pub mod page;
pub mod pictures;
pub mod procfs;
pub mod profile;
pub mod quantile;
pub mod rate_search;
pub mod ratio;
pub mod record;
pub mod request_log;
pub mod room;
#[cfg(test)]
mod sample;
pub mod scenario;
pub mod schedule;
pub mod scraped;
pub mod series;
pub mod sightings;
pub mod slices;
pub mod soak;
pub mod stop_times;
pub mod strangers;
pub mod submit;
pub mod summary;
pub mod table;
pub mod tenant_figures;
pub mod tenants;
pub mod trial;
pub mod witness;
pub mod workload;

use std::time::Duration;

/// Why something that a trial needs could not be done; the trial is void then.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Something broke, was refused, or is not what it should be.
    #[error("{0}")]
    Broken(String),
    /// Nothing broke, but something that was waited for did not come in its time.
    #[error("did not see {what} within {} s", .limit.as_secs())]
    Late {
        /// What was waited for.
        what: String,
        /// For how long.
        limit: Duration,
    },
    /// Nothing broke, but Jobs had not ended when the time for it was over.
    #[error("{left} Jobs had not ended within {} s", .limit.as_secs())]
    Undrained {
        /// How many.
        left: usize,
        /// How long they were waited for.
        limit: Duration,
    },
}

impl Trouble {
    fn new(says: impl Into<String>) -> Self {
        Self::Broken(says.into())
    }

    /// With what was being done when `error` came.
    fn of(what: &str, error: &dyn std::error::Error) -> Self {
        Self::Broken(format!("failed to {what}: {}", crate::error_text::in_full(error)))
    }
}
