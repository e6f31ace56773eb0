//! kube-apiserver: RBAC, certificates and tokens only, every request in the audit log.

use jobsworth_api::Minor;

use super::{PATIENCE, ProcessSpec, Readiness, garbage, version_flags};
use crate::binaries::BinarySet;
use crate::cluster::contract::Component;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::spec::ClusterSpec;
use crate::cluster::machine::policy;

/// The API server's process.
#[must_use]
pub fn process(spec: &ClusterSpec, binaries: &BinarySet, site: &Layout) -> ProcessSpec {
    let mut arguments = listeners(site);
    arguments.extend(identities(site));
    arguments.extend([
        "--authorization-mode=RBAC".to_owned(),
        "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        // The service `kubernetes` would want an endpoint, and a loopback address is refused as one.
        "--endpoint-reconciler-type=none".to_owned(),
        // Readable with etcd's own tools, and what evidence is compared with.
        "--storage-media-type=application/json".to_owned(),
        format!("--audit-policy-file={}", site.setting(policy::AUDIT).display()),
        format!("--audit-log-path={}", site.audit_log().display()),
        // Who counts its lines must find all of them in one file; without this a new one is begun after 100 MB. What was counted is
        // given back to the disk where much comes together (a soak), and not by a new file: lines would be lost in between.
        "--audit-log-maxsize=1000000".to_owned(),
        // Events are evidence; the default of one hour is shorter than a soak.
        "--event-ttl=24h".to_owned(),
        "--profiling=false".to_owned(),
    ]);
    if !spec.admission.is_empty() {
        arguments.push(format!("--enable-admission-plugins={}", spec.admission.join(",")));
    }
    arguments.extend(version_flags(spec));
    arguments.extend(workload_api(spec).map(|api| format!("--runtime-config={api}=true")));
    ProcessSpec {
        component: Component::ApiServer,
        program: binaries.api_server.path.clone(),
        arguments,
        environment: garbage(spec),
        readiness: Readiness::says("/readyz", "", PATIENCE),
    }
}

/// With GenericWorkload on, admission waits for the Workload API, and an alpha or beta API is served only
/// if it is named; without this the API server never gets ready (seen on 1.36.3).
pub(crate) fn workload_api(spec: &ClusterSpec) -> Option<String> {
    let wanted = spec.gates.get("GenericWorkload").is_some_and(|&on| on);
    let api = spec.behaves_as();
    let version = if api < Minor::new(1, 36) {
        "v1alpha1"
    } else if api < Minor::new(1, 37) {
        "v1alpha2"
    } else {
        "v1beta1"
    };
    wanted.then(|| format!("scheduling.k8s.io/{version}"))
}

fn listeners(site: &Layout) -> Vec<String> {
    vec![
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        format!("--secure-port={}", site.port(Component::ApiServer)),
        format!("--cert-dir={}", site.pki().display()),
        format!("--tls-cert-file={}", site.certificate("api-server").display()),
        format!("--tls-private-key-file={}", site.key("api-server").display()),
        format!("--etcd-servers={}", site.url(Component::Etcd)),
        format!("--etcd-cafile={}", site.authority_certificate().display()),
        format!("--etcd-certfile={}", site.certificate("etcd-client").display()),
        format!("--etcd-keyfile={}", site.key("etcd-client").display()),
    ]
}

fn identities(site: &Layout) -> Vec<String> {
    let key = site.key("service-accounts");
    vec![
        format!("--client-ca-file={}", site.authority_certificate().display()),
        format!("--authentication-config={}", site.setting(policy::AUTHENTICATION).display()),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        format!("--service-account-key-file={}", site.pki().join("service-accounts.pub").display()),
        format!("--service-account-signing-key-file={}", key.display()),
    ]
}
