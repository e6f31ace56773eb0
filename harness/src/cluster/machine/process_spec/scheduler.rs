//! kube-scheduler, for cases whose pods must find their nodes by themselves.

use std::collections::BTreeMap;

use super::{PATIENCE, ProcessSpec, Readiness, emulation_flag};
use crate::binaries::Binary;
use crate::cluster::contract::Component;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::spec::ClusterSpec;

/// The scheduler's process. It gets the emulated version but no gates: those of the Job API mean
/// nothing to it.
#[must_use]
pub fn process(spec: &ClusterSpec, binary: &Binary, site: &Layout) -> ProcessSpec {
    let kubeconfig = site.kubeconfig("scheduler");
    let mut arguments = vec![
        format!("--kubeconfig={}", kubeconfig.display()),
        format!("--authentication-kubeconfig={}", kubeconfig.display()),
        format!("--authorization-kubeconfig={}", kubeconfig.display()),
        format!("--client-ca-file={}", site.authority_certificate().display()),
        // Certificates of our authority are all that is accepted; there is nothing to look up.
        "--authentication-skip-lookup=true".to_owned(),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--secure-port={}", site.port(Component::Scheduler)),
        format!("--tls-cert-file={}", site.certificate("scheduler-server").display()),
        format!("--tls-private-key-file={}", site.key("scheduler-server").display()),
        "--leader-elect=false".to_owned(),
        "--profiling=false".to_owned(),
        "--kube-api-qps=200".to_owned(),
        "--kube-api-burst=400".to_owned(),
    ];
    arguments.extend(emulation_flag(spec));
    ProcessSpec {
        component: Component::Scheduler,
        program: binary.path.clone(),
        arguments,
        environment: BTreeMap::new(),
        readiness: Readiness::says("/healthz", "ok", PATIENCE),
    }
}
