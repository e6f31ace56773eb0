//! etcd: one member, client certificates on both sides, no fsync since nothing outlives a run.

use super::{PATIENCE, ProcessSpec, Readiness, garbage};
use crate::binaries::BinarySet;
use crate::cluster::contract::Component;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::spec::ClusterSpec;

/// The store's process.
#[must_use]
pub fn process(spec: &ClusterSpec, binaries: &BinarySet, site: &Layout) -> ProcessSpec {
    let client = site.url(Component::Etcd);
    let peer = format!("https://127.0.0.1:{}", site.ports().etcd_peer);
    let authority = site.authority_certificate();
    let certificate = site.certificate("etcd-server");
    let key = site.key("etcd-server");
    let arguments = vec![
        "--name=jobsworth".to_owned(),
        format!("--data-dir={}", site.etcd_data().display()),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=jobsworth={peer}"),
        "--client-cert-auth=true".to_owned(),
        format!("--trusted-ca-file={}", authority.display()),
        format!("--cert-file={}", certificate.display()),
        format!("--key-file={}", key.display()),
        "--peer-client-cert-auth=true".to_owned(),
        format!("--peer-trusted-ca-file={}", authority.display()),
        format!("--peer-cert-file={}", certificate.display()),
        format!("--peer-key-file={}", key.display()),
        "--unsafe-no-fsync=true".to_owned(),
        // Compaction would cut off watches in the middle of a case; the API server compacts anyway.
        "--auto-compaction-retention=0".to_owned(),
        "--log-level=warn".to_owned(),
        "--logger=zap".to_owned(),
    ];
    ProcessSpec {
        component: Component::Etcd,
        program: binaries.etcd.path.clone(),
        arguments,
        environment: garbage(spec),
        readiness: Readiness::says("/readyz", "", PATIENCE),
    }
}
