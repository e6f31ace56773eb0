//! The Job controller under test as a process of a local cluster.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use super::{admission, rights, subject_process};
use crate::cluster::access::Access;
use crate::cluster::contract::change::Termination;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::subject_kind::{ControllerProgram, SubjectKind};
use crate::cluster::machine::proxy::Tap;
use crate::cluster::machine::{Host, manifests, service_account};
use crate::cluster::process_spec::ProcessSpec;
use crate::cluster::{ClusterError, ClusterSpec, Component, Route, RunningSubject};
use crate::wire::Wire;

/// A subject whose process is ours.
#[derive(Debug)]
pub(crate) struct LocalSubject {
    host: Arc<Host>,
    spec: Mutex<ProcessSpec>,
    /// Where its metrics are, if it has some.
    metrics: Option<(Access, String)>,
    /// What its requests pass, if anything.
    tap: Option<Arc<Tap>>,
    /// One change at a time: a crash asked for by one user must not hit another's restart.
    changing: tokio::sync::Mutex<()>,
}

impl LocalSubject {
    /// Starts `process` as a subject of this kind in a cluster like `spec`; returns when it is ready.
    pub async fn start(
        host: Arc<Host>,
        kind: &SubjectKind,
        spec: &ClusterSpec,
        process: ProcessSpec,
        tap: Option<Arc<Tap>>,
    ) -> Result<Arc<Self>, ClusterError> {
        let metrics = subject_process::metrics(kind, spec, host.site())?;
        if let SubjectKind::Program(program) = kind {
            prepare(&host, host.site(), program, spec, tap.as_deref()).await?;
        }
        let changing = tokio::sync::Mutex::default();
        let subject = Arc::new(Self { host, spec: Mutex::new(process), metrics, tap, changing });
        subject.restart().await?;
        if let SubjectKind::Program(program) = kind {
            admission::open(&Access::administrator(subject.host.site()).client()?, program.api).await?;
        }
        Ok(subject)
    }

    /// Ends it and starts it like this, now and at every later restart.
    pub async fn replace(&self, spec: ProcessSpec, termination: Termination) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        self.spec.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&spec);
        self.host.replace(&spec, termination).await
    }

    async fn kill(&self) -> Result<(), ClusterError> {
        match self.host.unit(Component::Subject) {
            Some(unit) => unit.kill().await,
            None => Ok(()),
        }
    }
}

#[async_trait]
impl RunningSubject for Arc<LocalSubject> {
    async fn crash(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        self.kill().await
    }

    async fn restart(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        self.kill().await?;
        let spec = self.spec.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let unit = self.host.start(&spec).await?;
        self.host.ready(&unit, &spec).await
    }

    async fn pause(&self) -> Result<(), ClusterError> {
        match self.host.unit(Component::Subject) {
            Some(unit) => unit.pause().await,
            None => Ok(()),
        }
    }

    async fn resume(&self) -> Result<(), ClusterError> {
        match self.host.unit(Component::Subject) {
            Some(unit) => unit.resume().await,
            None => Ok(()),
        }
    }

    async fn metrics(&self) -> Result<String, ClusterError> {
        let (access, path) = self.metrics.as_ref().ok_or(ClusterError::NoMetrics)?;
        access.text(path).await
    }

    fn wire(&self) -> Option<Arc<Wire>> {
        self.tap.as_ref().map(|tap| Arc::clone(tap.wire()))
    }

    async fn stop(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        // While the controller ends in order it may still write what its webhook has to see.
        for component in [Component::Subject, Component::Webhook] {
            if let Some(unit) = self.host.unit(component) {
                unit.stop().await?;
            }
        }
        Ok(())
    }
}

/// All that a controller finds when it starts: its rights, its objects, its identities, and its webhook, which answers.
pub(super) async fn prepare(
    host: &Host,
    site: &Layout,
    program: &ControllerProgram,
    spec: &ClusterSpec,
    tap: Option<&Tap>,
) -> Result<(), ClusterError> {
    let client = Access::administrator(site).client()?;
    rights::grant(&client, &program.rights).await?;
    let address = program.webhook.is_some().then(|| manifests::Reviewer::of(site)).transpose()?;
    manifests::install(&client, &program.manifests, address.as_ref()).await?;
    let straight = || (site.url(Component::ApiServer), Route::Direct);
    let through = tap.map_or_else(straight, |tap| (tap.url(), Route::Proxied));
    for (process, (url, route)) in [(Some(program.controller()), through), (program.webhook(), straight())] {
        if let Some(account) = process.and_then(|process| process.service_account) {
            let path = service_account::kubeconfig(site, account, route);
            service_account::admit(&client, site, account, (&url, &path)).await?;
        }
    }
    match subject_process::webhook(program, spec, site) {
        Some(process) if !host.unit(Component::Webhook).is_some_and(|unit| unit.runs()) => {
            let unit = host.start(&process).await?;
            host.ready(&unit, &process).await
        }
        _ => Ok(()),
    }
}
