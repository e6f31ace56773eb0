//! What is on record about a cluster, in its folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cluster::contract::layout::Ports;
use crate::cluster::contract::{ClusterSpec, Component};
use crate::cluster::machine::process;

pub(super) const FILE: &str = "cluster.json";

/// What is written down about a cluster; no secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Version of this format.
    pub schema: u32,
    /// The cluster's name.
    pub name: String,
    /// What was asked for.
    pub spec: ClusterSpec,
    /// Its ports on 127.0.0.1.
    pub ports: Ports,
    /// The process that owns it.
    pub owner: Running,
    /// File name and SHA-256 of each program.
    pub binaries: Vec<(String, String)>,
    /// Its components.
    pub processes: BTreeMap<Component, Running>,
}

/// A process's identity: a pid alone may be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Running {
    /// Its id.
    pub pid: u32,
    /// When it began, in clock ticks since boot.
    pub start_time: u64,
}

impl Running {
    /// This process.
    pub(super) fn ourselves() -> Self {
        let pid = std::process::id();
        Self { pid, start_time: process::start_time(pid).unwrap_or_default() }
    }

    /// The process that has this id now, if one has.
    pub(super) fn with_pid(pid: u32) -> Option<Self> {
        Some(Self { pid, start_time: process::start_time(pid)? })
    }

    /// Whether it still lives.
    pub(super) fn lives(self) -> bool {
        process::start_time(self.pid) == Some(self.start_time)
    }
}

/// The record in a cluster's folder, if there is one.
pub(super) fn read(folder: &Path) -> Option<Record> {
    serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()
}
