//! Decisions as tables of short texts, and as properties of a simulated world.
#![expect(clippy::unwrap_used, reason = "all of this is tests, the parts that build worlds included")]

mod decisions;
mod edges;
mod extremes;
mod outcomes;
mod parsing;
mod properties;
mod refusals;
mod salvage;
mod scaling;
mod script;
mod simulator;
mod verdicts;
mod world;
