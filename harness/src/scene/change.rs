//! Changes of the cluster in the middle of a case.

use super::{Fault, Scene, Stop};
use crate::{
    cluster::{Change, ChangeReport, ClusterSpec},
    gates::GateTable,
};
use jobsworth_api::KubeVersion;
use jobsworth_oracle::{Fact, Phase, Regime, RegimeMark};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// A change that a script asks for. Whoever holds the cluster makes it; if it fails, the case ends.
pub(crate) struct ChangeRequest {
    pub change: Change,
    pub made: oneshot::Sender<Arc<ChangeReport>>,
}

/// What a script knows of its cluster, and who changes it.
pub(crate) struct Control {
    spec: ClusterSpec,
    /// The version at the beginning.
    first: KubeVersion,
    orders: mpsc::UnboundedSender<ChangeRequest>,
}

impl Control {
    pub fn of(spec: ClusterSpec, orders: mpsc::UnboundedSender<ChangeRequest>) -> Self {
        Self { first: spec.version, spec, orders }
    }
}

impl Scene {
    /// Changes the cluster and returns when every component has said that it is what was wanted. The timeline says
    /// when it began and when it was attested; `changing` and `changed` of the vocabulary ask for these points.
    ///
    /// Only for cases that say so in their needs: no other case runs in their cluster.
    ///
    /// # Errors
    /// When the change cannot be made; then the case has no verdict.
    pub async fn change(&mut self, change: Change) -> Result<(), Stop> {
        let to = change.to_string();
        self.change_named(change, &to).await
    }

    /// Changes the whole cluster to the cell's other version. In claims it is `the other Kubernetes`.
    ///
    /// # Errors
    /// When the change cannot be made, or the cell has no other version.
    pub async fn change_version(&mut self) -> Result<(), Stop> {
        let other = self.other_version()?;
        self.change_named(Change::Version(other), "the other Kubernetes").await
    }

    /// Changes the API server alone to the cell's other version. In claims it is `the other kube-apiserver`.
    ///
    /// # Errors
    /// When the change cannot be made, or the cell has no other version.
    pub async fn change_api_server(&mut self) -> Result<(), Stop> {
        let other = self.other_version()?;
        self.change_named(Change::ApiServer(other), "the other kube-apiserver").await
    }

    /// Changes the cluster back to the version that it was brought up with. In claims it is `the first Kubernetes`.
    ///
    /// # Errors
    /// When the change cannot be made.
    pub async fn change_version_back(&mut self) -> Result<(), Stop> {
        let first = self.control()?.first;
        self.change_named(Change::Version(first), "the first Kubernetes").await
    }

    async fn change_named(&mut self, change: Change, to: &str) -> Result<(), Stop> {
        let target = change.target(&self.control()?.spec).map_err(|error| Fault::Change(Box::new(error)))?;
        self.turn(format!("changing to {to}"), Phase::Begun, planned(&target)).await?;
        let (made, report) = oneshot::channel();
        // Nobody takes orders any more when the case is at its end anyway.
        let _ = self.control()?.orders.send(ChangeRequest { change, made });
        let Ok(report) = report.await else { return std::future::pending().await };
        let found = Regime { gates: report.attestation.gates(), ..planned(&report.spec) };
        self.control.as_mut().ok_or_else(no_control)?.spec = report.spec.clone();
        self.turn(format!("{to}, attested"), Phase::Attested, found).await
    }

    /// Notes on the timeline that the control plane begins to change, or has changed.
    async fn turn(&mut self, mark: String, phase: Phase, regime: Regime) -> Result<(), Stop> {
        let revision = self.place(&mark).await?;
        self.book.enter(revision, Fact::Regime(RegimeMark { mark, phase, regime }));
        Ok(())
    }

    fn other_version(&self) -> Result<KubeVersion, Stop> {
        self.control()?.spec.other.ok_or_else(no_control)
    }

    fn control(&self) -> Result<&Control, Stop> {
        self.control.as_ref().ok_or_else(no_control)
    }
}

fn no_control() -> Stop {
    Fault::Recording("this script changes a cluster that it may not change: its needs do not say so".to_owned()).into()
}

/// What such a cluster will be, by the table of gates.
fn planned(spec: &ClusterSpec) -> Regime {
    let table = GateTable::embedded();
    let known = table.gates().filter(|gate| gate.known_to(spec.version));
    let state = |gate: &str| table.effective(spec.version, spec.emulated, &spec.gates, gate);
    let gates = known.filter_map(|gate| Some((gate.name.clone(), state(&gate.name)?))).collect();
    Regime { kubernetes: spec.version, emulated: spec.emulated, gates }
}
