//! The reference Job controller's shell: what is kept of Jobs and pods, what wakes them, which calls are made for them.
//!
//! What to do about a Job is decided in `jobsworth-core`, without any I/O. Everything here brings it what it needs to know, carries
//! out what it decided, and tells it honestly what came of each call. What is the same for every controller (client, election,
//! watches, queues, health) is `jobsworth-controller-runtime`.

// Times and counts come from objects that anybody may write: nothing may panic or wrap over them.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

pub mod args;
pub mod cache;
pub mod caches;
mod controllers;
pub mod create;
pub mod events;
pub mod execute;
pub mod gates;
pub mod handlers;
pub mod metrics;
pub mod orphans;
pub mod parts;
pub mod run;
pub mod scheduling;
mod setup;
pub mod sync;
pub mod ttl;
