//! The reference Job controller's shell: watches, queue, calls, election, metrics.
//!
//! What to do about a Job is decided in `jobsworth-core`, without any I/O. Everything here brings it what it needs to know, carries
//! out what it decided, and tells it honestly what came of each call.

// Times and counts come from objects that anybody may write: nothing may panic or wrap over them.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

pub mod args;
pub mod cache;
pub mod client;
pub mod create;
pub mod execute;
pub mod exit;
pub mod feed;
pub mod fence;
pub mod gates;
pub mod hold;
pub mod horizon;
pub mod key;
mod lead;
pub mod lease;
pub mod limiter;
pub mod liveness;
pub mod metrics;
pub mod notice;
pub mod orphans;
pub mod panics;
pub mod parts;
pub mod queue;
pub mod run;
pub mod scheduling;
pub mod server;
mod setup;
pub mod supervise;
pub mod sync;
pub mod ttl;
pub mod wake;
