//! The reference Job controller's shell: watches, queue, calls, election, metrics.
//!
//! What to do about a Job is decided in `jobsworth-core`, without any I/O. Everything here brings it what it needs to know, carries
//! out what it decided, and tells it honestly what came of each call.

pub mod args;
pub mod cache;
pub mod client;
pub mod create;
pub mod execute;
pub mod exit;
pub mod feed;
pub mod gates;
pub mod lease;
pub mod limiter;
pub mod metrics;
pub mod notice;
pub mod orphans;
pub mod parts;
pub mod queue;
pub mod run;
pub mod server;
pub mod sync;
pub mod ttl;
pub mod wake;
