//! What the tests of the controller of Volcano's Jobs share: a control plane with its definitions, its roles and its webhook.

use jobsworth_api::KubeVersion;
use jobsworth_harness::binaries::Source;
use jobsworth_harness::cluster::local::{LocalCluster, LocalProvider};
use jobsworth_harness::cluster::registry::Registry;
use jobsworth_harness::cluster::{ClusterSpec, LEFTOVERS};
use jobsworth_harness::launcher::Launcher;
use jobsworth_harness::subject::{Subject, checkout};
use std::io::Write as _;
use std::path::Path;

/// A cluster for the controller as its sources are now: cargo has let go of its locks before it runs tests.
pub fn spec() -> ClusterSpec {
    let spec = Subject::volcano_reference().prepare(ClusterSpec::of(KubeVersion::new(1, 37, 1)));
    let tell = |line: &str| drop(writeln!(std::io::stderr(), "{line}"));
    checkout::make_ready(spec.subject.program().unwrap(), &tell).unwrap();
    spec
}

/// A fresh control plane like that, known below `clusters`. Nobody is started yet.
pub async fn cluster(clusters: &Path, spec: &ClusterSpec, name: &str) -> LocalCluster {
    let provider = LocalProvider::new(Source::choose(None).unwrap(), Registry::at(clusters, LEFTOVERS));
    let provider = provider.launched_by(Launcher::at(env!("CARGO_BIN_EXE_jobsworth")));
    provider.provision_local(spec, name, &|_| {}).await.unwrap()
}
