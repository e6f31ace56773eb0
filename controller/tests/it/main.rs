//! The shell of the reference controller against an API server that is a script.

mod access;
mod calls;
mod expiry;
mod fake;
mod hazards;
mod misuse;
mod panicking;
mod program;
mod refusals;
mod server;
mod supervision;
mod syncs;
