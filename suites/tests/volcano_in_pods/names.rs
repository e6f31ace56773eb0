//! Services and names for a node that was made without them: kube-proxy and CoreDNS of pinned modules, as any cluster has them.

use std::{fs, path::PathBuf};

use jobsworth_harness::{
    binaries::{self, DEFAULT_VERSION, Source, Tool},
    cluster::kind::{
        config::Variant,
        program_image::{self, ProgramImage},
    },
};

use super::cluster::Site;

const DNS_IMAGE: &str = "jobsworth.invalid/coredns:v1.14.2";
/// A unit of the node's own systemd. The limits on connections are the machine's, not the node's.
const PROXY: &str = "systemd-run --quiet --unit=kube-proxy --property=Restart=on-failure /usr/local/bin/kube-proxy \
                     --kubeconfig=/etc/kubernetes/admin.conf --hostname-override=$(hostname) \
                     --cluster-cidr=10.244.0.0/16 --conntrack-max-per-core=0";

/// Why names are not known.
const EVIDENCE: &str = "kubectl -n kube-system describe pods -l k8s-app=kube-dns | tail -20; \
                        kubectl -n kube-system logs deployment/coredns --tail=20 || true; journalctl -u kube-proxy --no-pager | tail -20";

/// Makes Services reachable and names known; a stock node has both.
pub async fn given_to(site: &Site) {
    if site.cluster.variant() == Variant::Stock {
        return;
    }
    let [proxy, dns] = tokio::task::spawn_blocking(programs).await.unwrap();
    let (proxy, dns) = (fs::read(proxy).unwrap(), fs::read(dns).unwrap());
    site.feed("cat > /usr/local/bin/kube-proxy; chmod 755 /usr/local/bin/kube-proxy", proxy).await;
    site.shell(PROXY).await;
    load(site, &ProgramImage { name: DNS_IMAGE, program: "coredns", content: &dns, more: &[] }).await;
    site.apply("kube-system", include_str!("coredns.yaml")).await;
    let ready = site.attempt("kubectl -n kube-system rollout status deployment/coredns --timeout=90s").await;
    if let Err(why) = ready {
        panic!("{why}\n{}", site.shell(EVIDENCE).await);
    }
}

/// Both of the cluster's own version of Kubernetes, as far as they have one; built on first use.
fn programs() -> [PathBuf; 2] {
    let source = Source::choose(None).unwrap();
    let mut ready = binaries::ensure_tools(&source, DEFAULT_VERSION, &Tool::NAMES.into(), &|_| {}).unwrap();
    Tool::NAMES.map(|tool| ready.remove(&tool).unwrap().path)
}

/// Makes an image of a program and puts it into the node.
pub async fn load(site: &Site, image: &ProgramImage<'_>) {
    let archive = tempfile::NamedTempFile::new().unwrap();
    program_image::write(archive.reopen().unwrap(), image).unwrap();
    site.cluster.load(archive.path()).await.unwrap();
}
