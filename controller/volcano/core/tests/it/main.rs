//! Decisions about Volcano jobs as tables of short texts, and as properties of a simulated world.
#![expect(clippy::unwrap_used, reason = "all of this is tests, the parts that build worlds included")]

mod clock;
mod edges;
mod lifecycle;
mod objects;
mod plugins;
mod policies;
mod profiles;
mod properties;
mod restraint;
mod simulator;
mod timeouts;
mod transitions;
mod watch;
mod world;
