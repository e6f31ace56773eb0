//! kube-controller-manager twice: once as everything around the Job controller, once as the Job
//! controller alone. So crash, pause, CPU, memory and calls of the subject are its own.

use std::collections::BTreeMap;

use super::{PATIENCE, ProcessSpec, Readiness, version_flags};
use crate::binaries::BinarySet;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::spec::ClusterSpec;
use crate::cluster::contract::{Component, Route};

/// Everything but the controllers under test; beside a subject of its own, the built-in ones are part of it.
#[must_use]
pub fn base(spec: &ClusterSpec, binaries: &BinarySet, site: &Layout) -> ProcessSpec {
    let off = spec.subject.switched_off();
    let mut controllers = off.iter().fold("*".to_owned(), |list, controller| format!("{list},-{controller}"));
    if !spec.kwok {
        // Our nodes have no heartbeat then, and the controller would taint them after 40 s.
        controllers.push_str(",-node-lifecycle-controller");
    }
    let mut arguments = common(Component::Base, "base", Route::Direct, site);
    arguments.extend([
        format!("--controllers={controllers}"),
        format!("--service-account-private-key-file={}", site.key("service-accounts").display()),
        format!("--root-ca-file={}", site.authority_certificate().display()),
        // Namespaces of many cases come and go at once; the default of 20 would make cases wait
        // for their default service account.
        "--kube-api-qps=200".to_owned(),
        "--kube-api-burst=400".to_owned(),
    ]);
    arguments.extend(version_flags(spec));
    process(Component::Base, binaries, arguments, "[+]garbage-collector-controller ok")
}

/// The Job controller and the TTL controller, nothing else.
#[must_use]
pub fn subject(spec: &ClusterSpec, binaries: &BinarySet, site: &Layout) -> ProcessSpec {
    let mut arguments = common(Component::Subject, "subject", spec.route, site);
    arguments.extend([
        "--controllers=job-controller,ttl-after-finished-controller".to_owned(),
        format!("--kube-api-qps={}", spec.rate.qps),
        format!("--kube-api-burst={}", spec.rate.burst),
    ]);
    arguments.extend(spec.workers.map(|workers| format!("--concurrent-job-syncs={workers}")));
    arguments.extend(version_flags(spec));
    process(Component::Subject, binaries, arguments, "[+]job-controller ok")
}

fn process(component: Component, binaries: &BinarySet, arguments: Vec<String>, contains: &'static str) -> ProcessSpec {
    ProcessSpec {
        component,
        program: binaries.controller_manager.path.clone(),
        arguments,
        environment: BTreeMap::new(),
        // The plain answer is 200 before any controller exists; each controller adds its own line.
        readiness: Readiness::says("/healthz?verbose=true", contains, PATIENCE),
    }
}

fn common(component: Component, identity: &str, route: Route, site: &Layout) -> Vec<String> {
    let kubeconfig = site.kubeconfig(identity);
    let server = format!("{identity}-server");
    vec![
        format!("--kubeconfig={}", site.subject_kubeconfig(identity, route).display()),
        format!("--authentication-kubeconfig={}", kubeconfig.display()),
        format!("--authorization-kubeconfig={}", kubeconfig.display()),
        format!("--client-ca-file={}", site.authority_certificate().display()),
        // Certificates of our authority are all that is accepted; there is nothing to look up.
        "--authentication-skip-lookup=true".to_owned(),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--secure-port={}", site.port(component)),
        format!("--tls-cert-file={}", site.certificate(&server).display()),
        format!("--tls-private-key-file={}", site.key(&server).display()),
        "--use-service-account-credentials=true".to_owned(),
        // A crashed holder's lease would keep its successor waiting for 15 s.
        "--leader-elect=false".to_owned(),
        "--profiling=false".to_owned(),
    ]
}
