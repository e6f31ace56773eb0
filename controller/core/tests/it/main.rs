//! Decisions as tables of short texts, and as properties of a simulated world.

mod decisions;
mod outcomes;
mod parsing;
mod properties;
mod refusals;
mod script;
mod simulator;
mod verdicts;
mod world;
