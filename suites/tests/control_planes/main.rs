//! What needs a real control plane and is no case of the catalogue. It is one program, so that tests which wait run beside tests
//! which work.
#![cfg(feature = "e2e")]
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

mod access_rights;
mod another_api;
mod bad_days;
mod changes;
mod containers;
mod crash_sweep;
mod deployed;
mod ending;
mod existing;
mod existing_load;
mod fault_bench;
mod leaving;
mod local_cluster;
mod own_controller;
mod patience;
mod recorder;
mod run;
mod skips;
mod stalled_script;
mod sweep;
mod two_instances;
mod volcano;
mod volcano_bench;
mod volcano_calls;
mod volcano_own;
mod wire;
