//! Decisions as tables of short texts, and as properties of a simulated world.

mod decisions;
mod properties;
mod refusals;
mod script;
mod simulator;
mod world;
