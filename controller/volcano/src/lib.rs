//! The Volcano Job API without Volcano: what stands between the API server and the decisions of `jobsworth-volcano-core`.
//!
//! [`controller`] takes care of jobs. [`webhook`] answers the API server's questions about objects that are to be stored; [`certificate`] is
//! what it serves with where nobody else hands out certificates. The definitions that it needs first are printed by the program:
//! `jobsworth-volcano crds`.
// Numbers come from objects that anybody may write: nothing may panic or wrap over them.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

pub mod args;
pub mod certificate;
pub mod controller;
pub mod webhook;
