//! Changes of a control plane that runs: what it is to be, and which component changes when. Pure.
//!
//! The order is that of the version skew policy (UPG-023): the API server is never older than its controllers, and
//! never knows less than they use. What is switched on or upgraded begins with the API server, what is switched off or
//! downgraded ends with it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jobsworth_api::{KubeVersion, Minor};
use serde::{Deserialize, Serialize};

use super::attest::Attestation;
use super::{ClusterError, ClusterSpec, Component, SubjectKind};
use crate::gates::GateTable;

/// A change of a control plane; so it is told to the holder of a cluster, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// These gates get these states; others stay as they are.
    Gates(BTreeMap<String, bool>),
    /// The binaries pretend to be this version, or themselves.
    Emulation(Option<Minor>),
    /// Other binaries, all of them.
    Version(KubeVersion),
    /// Another binary for the API server alone; its controllers stay behind.
    ApiServer(KubeVersion),
    /// A component is ended in order and started again as it was.
    Restart(Component),
    /// A component is killed with -9 and started again as it was.
    Kill(Component),
}

/// How a component ends before it is started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// It is asked to, and has time for it.
    Graceful,
    /// With -9.
    Kill,
}

/// Components that change side by side, and what they are after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Which ones.
    pub components: Vec<Component>,
    /// By what they are started.
    pub spec: ClusterSpec,
}

/// A change that was made and attested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeReport {
    /// What the cluster is now.
    pub spec: ClusterSpec,
    /// Wanted against found, once everything had changed.
    pub attestation: Arc<Attestation>,
    /// How long it took, from the first process's end to the attestation.
    pub took: Duration,
    /// How long each component took, in order.
    pub steps: Vec<(Component, Duration)>,
}

impl Change {
    /// One gate.
    #[must_use]
    pub fn gate(name: &str, on: bool) -> Self {
        Self::Gates([(name.to_owned(), on)].into())
    }

    /// What the cluster is to be.
    ///
    /// # Errors
    /// When no control plane can be like that: an unknown, removed or locked gate, a version that cannot be emulated.
    pub fn target(&self, from: &ClusterSpec) -> Result<ClusterSpec, ClusterError> {
        let mut to = from.clone();
        match self {
            Self::Gates(gates) => to.gates.extend(gates.clone()),
            Self::Emulation(minor) => to.emulated = *minor,
            Self::Version(version) => {
                to.version = *version;
                to.managers = None;
            }
            Self::ApiServer(version) => {
                to.managers = Some(from.version_of(Component::Base)).filter(|managers| managers != version);
                to.version = *version;
            }
            Self::Restart(_) | Self::Kill(_) => return Ok(to),
        }
        // Like its own minor is not emulated at all; a flag for it would be one more thing to attest.
        to.emulated = to.emulated.filter(|minor| *minor != to.version.minor_version());
        let table = GateTable::embedded();
        for version in [to.version, to.version_of(Component::Base)] {
            let checked = table.check(version, to.emulated, &to.gates);
            checked.map_err(|why| ClusterError::Refused { what: self.to_string(), why })?;
        }
        Ok(to)
    }

    /// How its components end.
    #[must_use]
    pub fn termination(&self) -> Termination {
        if matches!(self, Self::Kill(_)) { Termination::Kill } else { Termination::Graceful }
    }
}

impl fmt::Display for Change {
    /// What is so when it is done, for example `JobSuccessPolicy off`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gates(gates) => {
                let words = gates.iter().map(|(gate, on)| format!("{gate} {}", if *on { "on" } else { "off" }));
                f.write_str(&words.collect::<Vec<_>>().join(", "))
            }
            Self::Emulation(Some(minor)) => write!(f, "emulated version {minor}"),
            Self::Emulation(None) => f.write_str("no emulated version"),
            Self::Version(version) => write!(f, "Kubernetes {version}"),
            Self::ApiServer(version) => write!(f, "kube-apiserver {version}"),
            Self::Restart(component) => write!(f, "{component} restarted"),
            Self::Kill(component) => write!(f, "{component} killed and started"),
        }
    }
}

/// The moves of a change, in order.
#[must_use]
pub fn moves(from: &ClusterSpec, to: &ClusterSpec, change: &Change) -> Vec<Move> {
    let one =
        |components: &[Component], spec: &ClusterSpec| Move { components: components.to_vec(), spec: spec.clone() };
    let behind = behind_the_api_server(from, change);
    let forward = || vec![one(&[Component::ApiServer], to), one(&behind, to)];
    let back = || vec![one(&behind, to), one(&[Component::ApiServer], to)];
    match change {
        Change::Gates(_) => by_gates(from, to, &behind),
        Change::Emulation(_) if to.behaves_as() >= from.behaves_as() => forward(),
        Change::Version(_) if to.version >= from.version => forward(),
        Change::Emulation(_) | Change::Version(_) => back(),
        Change::ApiServer(_) => vec![one(&[Component::ApiServer], to)],
        Change::Restart(component) | Change::Kill(component) => vec![one(&[*component], to)],
    }
}

/// What is switched off goes first, as a change of its own if there are others.
fn by_gates(from: &ClusterSpec, to: &ClusterSpec, behind: &[Component]) -> Vec<Move> {
    let mut moves = Vec::new();
    let off = to.gates.iter().filter(|(gate, on)| !**on && from.gates.get(*gate) != Some(*on));
    let on = to.gates.iter().any(|(gate, on)| *on && from.gates.get(gate) != Some(on));
    let mut between = from.clone();
    between.gates.extend(off.map(|(gate, on)| (gate.clone(), *on)));
    if between != *from {
        moves.push(Move { components: behind.to_vec(), spec: between.clone() });
        moves.push(Move { components: vec![Component::ApiServer], spec: between });
    }
    if on || moves.is_empty() {
        moves.push(Move { components: vec![Component::ApiServer], spec: to.clone() });
        moves.push(Move { components: behind.to_vec(), spec: to.clone() });
    }
    moves
}

/// What is changed besides the API server.
fn behind_the_api_server(spec: &ClusterSpec, change: &Change) -> Vec<Component> {
    let mut behind = vec![Component::Base];
    // A controller that is not Kubernetes' own has the gates from us, and a version of its own.
    if spec.subject == SubjectKind::BuiltIn || matches!(change, Change::Gates(_)) {
        behind.push(Component::Subject);
    }
    // The scheduler is told no gates of Jobs.
    if spec.scheduler && !matches!(change, Change::Gates(_)) {
        behind.push(Component::Scheduler);
    }
    behind
}

#[cfg(test)]
mod tests;
