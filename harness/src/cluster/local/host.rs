//! The running processes of one cluster.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::try_join_all;
use tokio::sync::watch;

use crate::cluster::access::Access;
use crate::cluster::component::ProcessSpec;
use crate::cluster::launcher::Launcher;
use crate::cluster::layout::Layout;
use crate::cluster::process::Process;
use crate::cluster::{Casualty, ClusterError, Component};

/// Starts processes in one place and knows which of them run.
#[derive(Debug)]
pub(crate) struct Host {
    site: Layout,
    launcher: Launcher,
    processes: Mutex<BTreeMap<Component, Arc<Process>>>,
    casualty: watch::Sender<Option<Casualty>>,
}

impl Host {
    pub fn new(site: Layout, launcher: Launcher) -> Self {
        Self { site, launcher, processes: Mutex::default(), casualty: watch::channel(None).0 }
    }

    pub fn site(&self) -> &Layout {
        &self.site
    }

    pub fn casualty(&self) -> watch::Receiver<Option<Casualty>> {
        self.casualty.subscribe()
    }

    pub fn has(&self, component: Component) -> bool {
        self.lock().contains_key(&component)
    }

    pub fn process(&self, component: Component) -> Option<Arc<Process>> {
        self.lock().get(&component).cloned()
    }

    /// Starts a process; does not wait until it is ready.
    pub fn start(&self, spec: &ProcessSpec) -> Result<Arc<Process>, ClusterError> {
        let log = self.site.log(spec.component);
        let process = Process::start(spec, &self.launcher, &log, self.casualty.clone())?;
        let process = Arc::new(process);
        self.lock().insert(spec.component, Arc::clone(&process));
        Ok(process)
    }

    /// Ends what runs of this component, in order or with -9, and starts it like this; returns when it is ready. A
    /// program that does not come up is the caller's error and no casualty.
    pub async fn replace(&self, spec: &ProcessSpec, violently: bool) -> Result<(), ClusterError> {
        if let Some(process) = self.process(spec.component) {
            if violently { process.kill().await? } else { process.stop().await? }
        }
        let log = self.site.log(spec.component);
        let process = Arc::new(Process::try_out(spec, &self.launcher, &log, self.casualty.clone())?);
        self.lock().insert(spec.component, Arc::clone(&process));
        self.ready(&process, spec).await?;
        process.trust();
        Ok(())
    }

    pub async fn ready(&self, process: &Process, spec: &ProcessSpec) -> Result<(), ClusterError> {
        process.ready(spec, &Access::component(&self.site, spec.component)).await
    }

    /// Kills everything: nothing of a cluster outlives it, so there is nothing to save.
    pub async fn end_all(&self) -> Result<(), ClusterError> {
        let processes: Vec<_> = self.lock().values().cloned().collect();
        // All are asked before any is waited for, so that none mourns another in its log.
        try_join_all(processes.iter().map(|process| process.kill())).await.map(drop)
    }

    /// Kills everything without waiting for it.
    pub fn abandon(&self) {
        for process in self.lock().values() {
            // What cannot be signalled is gone, or goes with this process.
            let _ = process.abandon();
        }
    }

    /// Process ids of what runs.
    pub fn pids(&self) -> BTreeMap<Component, u32> {
        self.lock()
            .iter()
            .filter(|(_, process)| process.runs())
            .map(|(&component, process)| (component, process.pid()))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Component, Arc<Process>>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
