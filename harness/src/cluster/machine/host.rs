//! What of one cluster runs on this machine: processes of ours, and other units.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::try_join_all;
use tokio::sync::watch;

use super::unit::{ClusterUnits, Unit};
use crate::binaries::BinarySet;
use crate::cluster::contract::change::Termination;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{ClusterError, Component, UnexpectedExit};
use crate::cluster::machine::process::{Process, Trust};
use crate::cluster::machine::process_spec::ProcessSpec;
use crate::launcher::Launcher;

/// Starts what a cluster is made of and knows which of it runs.
#[derive(Debug)]
pub(crate) struct Host {
    site: Layout,
    launcher: Launcher,
    /// For those that are no processes of ours.
    others: Option<Box<dyn ClusterUnits>>,
    units: Mutex<BTreeMap<Component, Arc<dyn Unit>>>,
    unexpected_exit: watch::Sender<Option<UnexpectedExit>>,
}

impl Host {
    pub fn new(site: Layout, launcher: Launcher) -> Self {
        Self { site, launcher, others: None, units: Mutex::default(), unexpected_exit: watch::channel(None).0 }
    }

    /// What `others` take is started by them.
    pub fn with_others(mut self, others: Option<Box<dyn ClusterUnits>>) -> Self {
        self.others = others;
        self
    }

    /// Makes ready whatever is needed to start these programs.
    pub async fn prepare(&self, programs: &BinarySet) -> Result<(), ClusterError> {
        match &self.others {
            Some(others) => others.prepare(programs).await,
            None => Ok(()),
        }
    }

    pub fn site(&self) -> &Layout {
        &self.site
    }

    pub fn unexpected_exit(&self) -> watch::Receiver<Option<UnexpectedExit>> {
        self.unexpected_exit.subscribe()
    }

    pub fn has(&self, component: Component) -> bool {
        self.lock().contains_key(&component)
    }

    pub fn unit(&self, component: Component) -> Option<Arc<dyn Unit>> {
        self.lock().get(&component).cloned()
    }

    /// Starts a process or another unit; does not wait until it is ready.
    pub async fn start(&self, spec: &ProcessSpec) -> Result<Arc<dyn Unit>, ClusterError> {
        self.begin(spec, Trust::Full).await
    }

    /// The same for one of which whoever starts it hears when it ends.
    pub async fn start_on_trial(&self, spec: &ProcessSpec) -> Result<Arc<dyn Unit>, ClusterError> {
        self.begin(spec, Trust::OnTrial).await
    }

    async fn begin(&self, spec: &ProcessSpec, trust: Trust) -> Result<Arc<dyn Unit>, ClusterError> {
        let (log, unexpected_exit) = (self.site.log(spec.component), self.unexpected_exit.clone());
        UnexpectedExit::forget(&unexpected_exit, spec.component);
        let unit = match &self.others {
            Some(others) if others.has(spec) => others.start(spec, &log, trust, unexpected_exit).await?,
            _ => Arc::new(Process::begin(spec, &self.launcher, &log, unexpected_exit, trust)?),
        };
        self.lock().insert(spec.component, Arc::clone(&unit));
        Ok(unit)
    }

    /// Ends what runs of this component, and starts it like this; returns when it is ready. A
    /// program that does not come up is the caller's error and no unexpected exit.
    pub async fn replace(&self, spec: &ProcessSpec, termination: Termination) -> Result<(), ClusterError> {
        if let Some(unit) = self.unit(spec.component) {
            match termination {
                Termination::Graceful => unit.stop().await?,
                Termination::Kill => unit.kill().await?,
            }
        }
        let unit = self.begin(spec, Trust::OnTrial).await?;
        self.ready(&unit, spec).await?;
        unit.trust();
        Ok(())
    }

    pub async fn ready(&self, unit: &Arc<dyn Unit>, spec: &ProcessSpec) -> Result<(), ClusterError> {
        unit.ready(spec, &self.site).await
    }

    /// Kills everything: nothing of a cluster outlives it, so there is nothing to save.
    pub async fn end_all(&self) -> Result<(), ClusterError> {
        let units: Vec<_> = self.lock().values().cloned().collect();
        // All are asked before any is waited for, so that none mourns another in its log.
        try_join_all(units.iter().map(|unit| unit.kill())).await.map(drop)
    }

    /// Kills everything without waiting for it.
    ///
    /// # Errors
    /// When something may be left that is no process of ours: then the cluster's folder must stay, so that `cluster gc` finds them.
    pub fn abandon(&self) -> Result<(), ClusterError> {
        for process in self.lock().values().filter_map(|unit| unit.process()) {
            // What cannot be signalled is gone, or goes with this process.
            let _ = process.abandon();
        }
        self.others.as_ref().map_or(Ok(()), |others| others.dismiss())
    }

    /// What runs.
    pub fn running(&self) -> Vec<Component> {
        self.lock().iter().filter(|(_, unit)| unit.runs()).map(|(&component, _)| component).collect()
    }

    /// Process ids of those that are processes of ours.
    pub fn pids(&self) -> BTreeMap<Component, u32> {
        let units = self.lock();
        let processes = units.iter().filter_map(|(&component, unit)| Some((component, unit.process()?)));
        processes.filter(|(_, process)| process.runs()).map(|(component, process)| (component, process.pid())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Component, Arc<dyn Unit>>> {
        self.units.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
