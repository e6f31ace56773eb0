//! What a Kubernetes controller runs on: everything between its decisions and the API server, and nothing about what they are.
//!
//! No kind of object is known here by name. A controller brings what it watches ([`feed::Resource`], [`store::Cached`]), the
//! keys of its queues ([`queue::Tenancy`]; [`key::Key`] is namespace and name), its workers ([`controller::Controller`]) and its
//! own families of metrics ([`metrics::Exposition::with`]); [`program::Program`] runs it.
//!
//! What is promised, and to be kept by whoever changes this (the reasons are in docs/adr/0012):
//!
//! - **Fencing.** No write leaves without an unexpired lease, also from a process that slept through its end: [`fence`], [`lease`],
//!   [`client::connect`].
//! - **Unknown outcomes.** A request leaves once. [`client::CallError`] says whether it may have been applied.
//! - **No way back in time.** A [`store::Store`] takes neither an older object nor an older list, until history itself went back.
//! - **Fairness.** Namespaces take turns, in the work queue ([`queue`]) and at the rate limiter ([`limiter`]). Within them objects that
//!   need little come before those that need much, and one turn in eight is that of whoever has waited longest. An answer that asks for
//!   time holds back one verb for one object ([`hold`]).
//! - **Whole or not at all.** A part that ends takes the program with it ([`supervise`]); a panic about one object does not
//!   ([`panics`]).
//!
//! Durations are of tokio's clock, which tests pause. Points in time that are written to the API are from the system clock.

// Times and counts come from objects that anybody may write: nothing may panic or wrap over them.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

pub mod client;
pub mod controller;
pub mod events;
pub mod exit;
pub mod feed;
pub mod fence;
pub mod flags;
pub mod hold;
pub mod horizon;
pub mod identity;
pub mod key;
pub mod lease;
pub mod limiter;
pub mod liveness;
pub mod log;
pub mod metrics;
mod order;
pub mod panics;
pub mod program;
pub mod queue;
pub mod server;
pub mod signals;
pub mod store;
pub mod supervise;
