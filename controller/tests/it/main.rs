//! The shell of the reference controller against an API server that is a script.

mod calls;
mod expiry;
mod fake;
mod hazards;
mod misuse;
mod panicking;
mod program;
mod refusals;
mod supervision;
mod syncs;
