//! What clusters are made of on this machine: processes and how they are described, certificates, settings, the way to their
//! servers, and the folders in which all of that is on record.

pub mod access;
pub mod audit_line;
pub mod audit_tail;
pub(crate) mod client;
pub(crate) mod deployed;
mod exit_status;
mod host;
pub(crate) mod json_file;
pub mod kubeconfig;
pub(crate) mod last_words;
pub(crate) mod manifests;
pub mod nodes;
pub mod outage;
pub mod pki;
pub(crate) mod pod_words;
pub mod policy;
pub mod process;
pub mod process_spec;
pub(crate) mod programs;
pub(crate) mod proxy;
mod reach;
pub mod readiness;
pub mod registry;
pub(crate) mod service_account;
pub(crate) mod subject_log;
mod unit;

pub(crate) use host::Host;
pub(crate) use unit::{ClusterUnits, Unit, UnitSource};
