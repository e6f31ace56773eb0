//! A local cluster in change: one process after the other ends and is started as something else, on the same store,
//! ports and certificates.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::try_join_all;

use super::LocalCluster;
use super::provider::binaries_of;
use crate::binaries::BinarySet;
use crate::cluster::contract::attest::{self, Attestation, proven};
use crate::cluster::contract::change::{Change, ChangeReport, Move, Termination, moves};
use crate::cluster::contract::{ClusterError, ClusterSpec, Component};
use crate::cluster::machine::process_spec::{self, ProcessSpec};

impl LocalCluster {
    /// Changes it; one change at a time.
    pub(super) async fn change_to(&self, change: &Change) -> Result<ChangeReport, ClusterError> {
        let _alone = self.changing.lock().await;
        let from = self.state().spec.clone();
        let to = change.target(&from)?;
        self.make_ready(&to).await?;
        proven("it is not what it was before the change", self.attest_what_runs(&from).await?)?;
        let begun = Instant::now();
        let mut steps = Vec::new();
        for one in moves(&from, &to, change) {
            steps.extend(self.make(&one, change.termination()).await?);
        }
        {
            let mut state = self.state();
            state.spec = to.clone();
            self.owner.record(&state.spec, state.binaries().sums(), self.host.site(), self.host.pids())?;
        }
        let attestation = proven("it is not what it was changed to", attest::attest(self).await?)?;
        Ok(ChangeReport { spec: to, attestation: Arc::new(attestation), took: begun.elapsed(), steps })
    }

    /// Programs of the versions that are wanted; those that are missing are built.
    async fn make_ready(&self, to: &ClusterSpec) -> Result<(), ClusterError> {
        for version in [to.version, to.version_of(Component::Base)] {
            if !self.state().programs.contains_key(&version) {
                let binaries = binaries_of(&self.source, to, version, &|_| ()).await?;
                self.host.prepare(&binaries).await?;
                self.state().programs.insert(version, binaries);
            }
        }
        Ok(())
    }

    /// Components side by side. While the API server or its store is away, our requests wait.
    async fn make(&self, one: &Move, termination: Termination) -> Result<Vec<(Component, Duration)>, ClusterError> {
        let serves = |component: &Component| matches!(component, Component::ApiServer | Component::Etcd);
        let _outage = one.components.iter().any(serves).then(|| self.outage.begin());
        try_join_all(one.components.iter().map(|&component| self.replace(component, &one.spec, termination))).await
    }

    async fn replace(
        &self,
        component: Component,
        spec: &ClusterSpec,
        termination: Termination,
    ) -> Result<(Component, Duration), ClusterError> {
        let begun = Instant::now();
        let process = self.process_of(component, spec)?;
        let subject = self.state().subject.clone();
        match subject.filter(|_| component == Component::Subject) {
            Some(subject) => subject.replace(process, termination).await?,
            None => self.host.replace(&process, termination).await?,
        }
        if component == Component::Etcd {
            // The API server must find its store again before anybody is told that all is well.
            let api_server = self.process_of(Component::ApiServer, spec)?;
            if let Some(unit) = self.host.unit(Component::ApiServer) {
                self.host.ready(&unit, &api_server).await?;
            }
        }
        let attested = attest::attest_each(self, &[component], spec).await?;
        proven("it is not what it was started as", attested)?;
        Ok((component, begun.elapsed()))
    }

    async fn attest_what_runs(&self, spec: &ClusterSpec) -> Result<Attestation, ClusterError> {
        attest::attest_each(self, &self.host.running(), spec).await
    }

    fn process_of(&self, component: Component, spec: &ClusterSpec) -> Result<ProcessSpec, ClusterError> {
        if !self.host.has(component) {
            return Err(ClusterError::NoSuchComponent(component));
        }
        let state = self.state();
        let site = self.host.site();
        let binaries: &BinarySet = match component {
            Component::Etcd | Component::Kwok => state.binaries(),
            _ => state.programs.get(&spec.version_of(component)).unwrap_or_else(|| state.binaries()),
        };
        let missing = || ClusterError::NoSuchComponent(component);
        Ok(match component {
            Component::Etcd => process_spec::etcd::process(spec, binaries, site),
            Component::ApiServer => process_spec::api_server::process(spec, binaries, site),
            Component::Base => process_spec::controller_manager::base(spec, binaries, site),
            Component::Subject => super::subject_process::process(&state.kind, spec, binaries, site)?,
            // It is no part of the control plane, and no change of one ends it.
            Component::Webhook | Component::SecondSubject => return Err(missing()),
            Component::Scheduler => {
                process_spec::scheduler::process(spec, binaries.scheduler.as_ref().ok_or_else(missing)?, site)
            }
            Component::Kwok => process_spec::kwok::process(binaries.kwok.as_ref().ok_or_else(missing)?, site),
        })
    }
}
