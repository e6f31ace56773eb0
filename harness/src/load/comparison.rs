//! The wire form of a comparison: `load.json`, schema `jobsworth/load/v1`.

use super::{arm::Side, ratio::Ratio, record::Trial};
use crate::{cluster::Rate, report::schema::Host};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The schema of `load.json`.
pub const SCHEMA: &str = "jobsworth/load/v1";

/// A comparison: what was done, every trial, and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The version of the program.
    pub program: String,
    /// The command line.
    pub argv: Vec<String>,
    /// Wall clock at the beginning.
    pub started: String,
    /// Version of Kubernetes.
    pub kubernetes: String,
    /// File name and SHA-256 of each program of the cluster.
    pub binaries: Vec<(String, String)>,
    /// The machine.
    pub host: Host,
    /// The controllers by side.
    pub arms: BTreeMap<Side, String>,
    /// Requests per second and at once, the same for both.
    pub rate: Rate,
    /// Size of the workloads in percent.
    pub scale_percent: u32,
    /// How late the pod driver may be (p99, in milliseconds) before a trial is void.
    pub lag_limit_ms: u32,
    /// Every trial in the order in which they ran, void ones too.
    pub trials: Vec<Trial>,
    /// Head over base.
    pub ratios: Vec<Ratio>,
    /// Why not all was done, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stopped: Option<String>,
}
