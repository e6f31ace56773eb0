//! The components of a control plane as descriptions of processes: pure, from spec and layout.

pub mod api_server;
pub mod controller_manager;
pub mod etcd;
pub mod kwok;
pub mod scheduler;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::readiness::Readiness;
use crate::cluster::contract::{
    Component,
    spec::{Audit, ClusterSpec},
};

/// A process as it should run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSpec {
    /// Which component it is.
    pub component: Component,
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments, one flag each.
    pub arguments: Vec<String>,
    /// Its whole environment; ours is not passed on.
    pub environment: BTreeMap<String, String>,
    /// How we know that it is ready.
    pub readiness: Readiness,
}

/// Slow machines exist; a dead process is noticed at once and never waits this long. Podman's containers
/// share the processor as one group, as any one process beside them: with 30 of those an API server was ready after 49 s.
const PATIENCE: Duration = Duration::from_secs(180);

/// How the Go runtime of API server and etcd collects garbage. Where nobody measures what they take, a heap may grow by four times what
/// is alive before it is collected, not by as much again: that spares processor time, which several clusters on one machine share, and
/// costs memory. Where figures are taken, both are as people run them.
fn garbage(spec: &ClusterSpec) -> BTreeMap<String, String> {
    match spec.audit {
        Audit::Evidence => BTreeMap::from([("GOGC".to_owned(), "400".to_owned())]),
        Audit::Counting => BTreeMap::new(),
    }
}

/// `--emulated-version` and `--feature-gates`, where asked for.
pub(crate) fn version_flags(spec: &ClusterSpec) -> Vec<String> {
    let mut flags = emulation_flag(spec);
    if !spec.gates.is_empty() {
        flags.push(format!("--feature-gates={}", gate_list(&spec.gates)));
    }
    flags
}

fn emulation_flag(spec: &ClusterSpec) -> Vec<String> {
    spec.emulated.iter().map(|minor| format!("--emulated-version={minor}")).collect()
}

/// Gates as the components' flag writes them: `A=true,B=false`.
pub(crate) fn gate_list(gates: &BTreeMap<String, bool>) -> String {
    gates.iter().map(|(gate, on)| format!("{gate}={on}")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests;
