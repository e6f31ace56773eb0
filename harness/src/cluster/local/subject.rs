//! The Job controller under test as a process of a local cluster.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use super::rights;
use crate::binaries::BinarySet;
use crate::cluster::access::Access;
use crate::cluster::contract::change::Termination;
use crate::cluster::contract::subject_kind::{ControllerProgram, Placeholder, ReadyWhen, SubjectKind, Values};
use crate::cluster::layout::Layout;
use crate::cluster::machine::Host;
use crate::cluster::machine::readiness::{Readiness, Sign};
use crate::cluster::process_spec::{ProcessSpec, controller_manager, gate_list};
use crate::cluster::{ClusterError, ClusterSpec, Component, RunningSubject};

/// Where a controller may keep its lease.
const NAMESPACE: &str = "kube-system";
/// How long it may take until it says that it is ready.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// A subject whose process is ours.
#[derive(Debug)]
pub(crate) struct LocalSubject {
    host: Arc<Host>,
    spec: Mutex<ProcessSpec>,
    /// Where its metrics are, if it has some.
    metrics: Option<(Access, String)>,
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
    ) -> Result<Arc<Self>, ClusterError> {
        let metrics = metrics_of(kind, spec, host.site())?;
        if let SubjectKind::Program(program) = kind {
            rights::grant(&Access::administrator(host.site()).client()?, &program.rights).await?;
        }
        let changing = tokio::sync::Mutex::default();
        let subject = Arc::new(Self { host, spec: Mutex::new(process), metrics, changing });
        subject.restart().await?;
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

    async fn stop(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        match self.host.unit(Component::Subject) {
            Some(unit) => unit.stop().await,
            None => Ok(()),
        }
    }
}

/// The subject's process.
///
/// # Errors
/// When the subject is none that could be started.
pub(crate) fn process(
    kind: &SubjectKind,
    spec: &ClusterSpec,
    binaries: &BinarySet,
    site: &Layout,
) -> Result<ProcessSpec, ClusterError> {
    match kind {
        SubjectKind::BuiltIn => Ok(controller_manager::subject(spec, binaries, site)),
        SubjectKind::Program(program) => Ok(outside(program, spec, site)),
        // A cluster that was just made has nobody in it who serves this manager's Jobs.
        SubjectKind::Installed { manager } => Err(ClusterError::NothingInstalled(manager.clone())),
    }
}

/// A controller that is not Kubernetes' own.
pub(crate) fn outside(program: &ControllerProgram, spec: &ClusterSpec, site: &Layout) -> ProcessSpec {
    let values = values(program, spec, site);
    let readiness = Readiness { sign: sign(&program.ready, &values), within: READY_WITHIN };
    let environment = program.environment.iter();
    ProcessSpec {
        component: Component::Subject,
        program: program.program.clone(),
        arguments: program.arguments.iter().filter_map(|argument| values.fill(argument)).collect(),
        environment: environment.filter_map(|(name, text)| Some((name.clone(), values.fill(text)?))).collect(),
        readiness,
    }
}

fn sign(ready: &ReadyWhen, values: &Values) -> Sign {
    let filled = |text: &String| values.fill(text).unwrap_or_else(|| text.clone());
    match ready {
        ReadyWhen::Answers(url) => Sign::Answers(filled(url)),
        ReadyWhen::LeaseIsHeld(lease) => Sign::LeaseIsHeld(filled(lease)),
        ReadyWhen::Prints(text) => Sign::Prints(filled(text)),
        ReadyWhen::Started => Sign::Started,
    }
}

/// What placeholders stand for in this cluster.
fn values(program: &ControllerProgram, spec: &ClusterSpec, site: &Layout) -> Values {
    let values = Values::default()
        .with(Placeholder::Kubeconfig, site.kubeconfig("job-controller").display())
        .with(Placeholder::TtlKubeconfig, site.kubeconfig("ttl-controller").display())
        .with(Placeholder::MetricsPort, site.port(Component::Subject))
        .with(Placeholder::HealthPort, site.ports().subject_health)
        .with(Placeholder::Qps, spec.rate.qps)
        .with(Placeholder::Burst, spec.rate.burst)
        .with(Placeholder::Namespace, NAMESPACE)
        .with(Placeholder::ClientCa, site.authority_certificate().display())
        .with(Placeholder::TlsCert, site.certificate("subject-server").display())
        .with(Placeholder::TlsKey, site.key("subject-server").display());
    let values = match &program.manager {
        Some(manager) => values.with(Placeholder::Manager, manager),
        None => values,
    };
    match spec.gates.is_empty() {
        true => values,
        false => values.with(Placeholder::Gates, gate_list(&spec.gates)),
    }
}

/// Where the metrics of a subject are, if it has some.
fn metrics_of(kind: &SubjectKind, spec: &ClusterSpec, site: &Layout) -> Result<Option<(Access, String)>, ClusterError> {
    match kind {
        SubjectKind::BuiltIn => Ok(Some((Access::component(site, Component::Subject), "/metrics".to_owned()))),
        SubjectKind::Program(program) => {
            let url = program.metrics.as_ref().and_then(|url| values(program, spec, site).fill(url));
            url.map(|url| Access::address(site, &url)).transpose()
        }
        SubjectKind::Installed { .. } => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use jobsworth_api::KubeVersion;

    use super::*;
    use crate::cluster::layout::Ports;

    fn started(kind: &SubjectKind, gates: &[(&str, bool)]) -> ProcessSpec {
        let mut spec = ClusterSpec::of(KubeVersion::new(1, 37, 1));
        spec.gates = gates.iter().map(|(gate, on)| ((*gate).to_owned(), *on)).collect();
        let ports = Ports { subject: 5, subject_health: 8, ..Ports::free().unwrap() };
        let SubjectKind::Program(program) = kind else { panic!("{kind:?}") };
        outside(program, &spec, &Layout::new("/cluster", ports))
    }

    #[test]
    fn the_reference_controller_is_told_where_it_works() {
        let process = started(&SubjectKind::drop_in("/bin/controller"), &[]);
        assert_eq!(process.program, PathBuf::from("/bin/controller"));
        assert_eq!(
            process.arguments,
            [
                "--kubeconfig=/cluster/settings/job-controller.kubeconfig",
                "--metrics-address=127.0.0.1:5",
                "--tls-cert-file=/cluster/pki/subject-server.crt",
                "--tls-private-key-file=/cluster/pki/subject-server.key",
            ]
        );
        assert_eq!(process.readiness.sign, Sign::Answers("https://127.0.0.1:5/readyz".to_owned()));
        assert_eq!(process.environment["JOBSWORTH_KUBE_API_QPS"], "100");
    }

    #[test]
    fn gates_and_a_manager_are_named_where_there_are_some() {
        let process = started(&SubjectKind::beside("/bin/controller", "example.com/it"), &[("JobManagedBy", true)]);
        assert_eq!(process.arguments[4..], ["--feature-gates=JobManagedBy=true", "--managed-by=example.com/it"]);
    }
}
