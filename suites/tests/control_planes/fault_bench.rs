//! What the tests behind proxies share: a control plane without a Job controller.

use jobsworth_api::KubeVersion;
use jobsworth_harness::{
    binaries::Source,
    cluster::{
        ClusterSpec, LEFTOVERS,
        local::{LocalCluster, LocalProvider},
        registry::Registry,
    },
    faults::{FaultBench, Started},
    launcher::Launcher,
    subject::{Subject, checkout},
};
use std::{io::Write as _, path::Path};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jobsworth");

/// The cluster for the reference controller as its sources are now: cargo has let go of its locks before it runs tests.
pub fn with_reference(spec: ClusterSpec) -> ClusterSpec {
    let spec = Subject::reference().prepare(spec);
    let tell = |line: &str| drop(writeln!(std::io::stderr(), "{line}"));
    checkout::make_ready(spec.subject.program().unwrap(), &tell).unwrap();
    spec
}

/// A fresh control plane, on which `flags` are given to every controller.
pub async fn bench(clusters: &Path, name: &str, flags: &[&str], seed: u64) -> FaultBench {
    let spec = with_reference(ClusterSpec::of(KubeVersion::new(1, 37, 1)));
    let provider = LocalProvider::new(Source::choose(None).unwrap(), Registry::at(clusters, LEFTOVERS));
    let provider = provider.launched_by(Launcher::at(PROGRAM));
    let cluster = provider.provision_local(&spec, "bench", &|_| {}).await.unwrap();
    on(cluster, Subject::reference(), (name, flags), seed).await
}

/// A bench on a control plane that is there, for controllers of this subject.
pub async fn on(cluster: LocalCluster, subject: Subject, (name, flags): (&str, &[&str]), seed: u64) -> FaultBench {
    let flags = flags.iter().map(|&flag| flag.to_owned()).collect();
    let started = Started { subject, flags, launcher: Launcher::at(PROGRAM) };
    // It is kept: what a failure tells stands in it.
    let own = tempfile::Builder::new().prefix(&format!("{name}-")).tempdir_in(env!("CARGO_TARGET_TMPDIR"));
    let folder = own.unwrap().keep();
    FaultBench::on(cluster, started, &folder, seed).await.unwrap()
}
