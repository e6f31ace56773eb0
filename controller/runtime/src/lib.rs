//! What a Kubernetes controller runs on: client, fence, election, watches, queue, rate limiter, metrics, health.
//!
//! Nothing here knows a kind of object by name.

// Times and counts come from objects that anybody may write: nothing may panic or wrap over them.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

pub mod client;
pub mod controller;
pub mod events;
pub mod exit;
pub mod feed;
pub mod fence;
pub mod hold;
pub mod horizon;
pub mod identity;
pub mod key;
pub mod lease;
pub mod limiter;
pub mod liveness;
pub mod metrics;
pub mod panics;
pub mod program;
pub mod queue;
pub mod server;
pub mod signals;
pub mod store;
pub mod supervise;
