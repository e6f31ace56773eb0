//! The Job controller under test as a process of a local cluster.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use crate::binaries::BinarySet;
use crate::cluster::access::Access;
use crate::cluster::layout::Layout;
use crate::cluster::machine::Host;
use crate::cluster::process_spec::{ProcessSpec, Readiness, controller_manager, gate_list};
use crate::cluster::{ClusterError, ClusterSpec, Component, RunningSubject, SubjectKind};

/// A subject whose process is ours.
#[derive(Debug)]
pub(crate) struct LocalSubject {
    host: Arc<Host>,
    spec: Mutex<ProcessSpec>,
    /// One change at a time: a crash asked for by one user must not hit another's restart.
    changing: tokio::sync::Mutex<()>,
}

impl LocalSubject {
    pub async fn start(host: Arc<Host>, spec: ProcessSpec) -> Result<Arc<Self>, ClusterError> {
        let subject = Arc::new(Self { host, spec: Mutex::new(spec), changing: tokio::sync::Mutex::default() });
        subject.restart().await?;
        Ok(subject)
    }

    /// Ends it and starts it like this, now and at every later restart.
    pub async fn replace(&self, spec: ProcessSpec, violently: bool) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        self.spec.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&spec);
        self.host.replace(&spec, violently).await
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
        Access::component(self.host.site(), Component::Subject).text("/metrics").await
    }

    async fn stop(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        match self.host.unit(Component::Subject) {
            Some(unit) => unit.stop().await,
            None => Ok(()),
        }
    }
}

/// What a drop-in gets besides its flags; a program that does not know a variable passes it over. There is no election:
/// a crashed holder's lease would keep its successor waiting. Rates are those of the built-in subject.
fn drop_in_environment(spec: &ClusterSpec, site: &Layout) -> BTreeMap<String, String> {
    let ttl = site.kubeconfig("ttl-controller").display().to_string();
    // Whoever reads the subject's metrics comes with a certificate of this authority.
    let authority = site.authority_certificate().display().to_string();
    let (qps, burst) = (spec.rate.qps.to_string(), spec.rate.burst.to_string());
    let pairs = [
        ("JOBSWORTH_TTL_KUBECONFIG", ttl.as_str()),
        ("JOBSWORTH_CLIENT_CA_FILE", &authority),
        ("JOBSWORTH_LEADER_ELECT", "false"),
        ("JOBSWORTH_KUBE_API_QPS", &qps),
        ("JOBSWORTH_KUBE_API_BURST", &burst),
    ];
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// The subject's process.
pub(crate) fn process(kind: &SubjectKind, spec: &ClusterSpec, binaries: &BinarySet, site: &Layout) -> ProcessSpec {
    match kind {
        SubjectKind::BuiltIn => controller_manager::subject(spec, binaries, site),
        SubjectKind::DropIn(program) => outside(program, None, spec, site),
        SubjectKind::Beside { program, manager } => outside(program, Some(manager.as_str()), spec, site),
    }
}

/// A controller that is not Kubernetes' own; with a manager it takes care of that manager's Jobs only.
pub(crate) fn outside(program: &Path, manager: Option<&str>, spec: &ClusterSpec, site: &Layout) -> ProcessSpec {
    let certificate = site.certificate("subject-server");
    let mut arguments = vec![
        format!("--kubeconfig={}", site.kubeconfig("job-controller").display()),
        format!("--metrics-address=127.0.0.1:{}", site.port(Component::Subject)),
        format!("--tls-cert-file={}", certificate.display()),
        format!("--tls-private-key-file={}", site.key("subject-server").display()),
    ];
    if !spec.gates.is_empty() {
        arguments.push(format!("--feature-gates={}", gate_list(&spec.gates)));
    }
    if let Some(manager) = manager {
        arguments.push(format!("--managed-by={manager}"));
    }
    ProcessSpec {
        component: Component::Subject,
        program: program.to_owned(),
        arguments,
        environment: drop_in_environment(spec, site),
        readiness: Readiness { path: "/readyz", contains: "", within: Duration::from_secs(30) },
    }
}
