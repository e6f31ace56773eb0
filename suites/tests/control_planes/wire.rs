//! The proxy before the controller under test: what it costs a request, and that a controller behind it is who it was.

use jobsworth_api::KubeVersion;
use jobsworth_harness::{
    binaries::Source,
    cluster::{
        Cluster as _, ClusterSpec, LEFTOVERS, Route, SubjectKind, attest, local::LocalProvider, registry::Registry,
    },
    launcher::Launcher,
};
use kube::{Client, Config, config::KubeConfigOptions, config::Kubeconfig};
use std::{path::Path, time::Duration};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jobsworth");
/// So many requests straight and as many through the proxy, in turns.
const REQUESTS: usize = 400;
/// What a request may cost more in this build, which is not optimised, on a machine that does other things too. The goal of an
/// optimised build is 0.3 ms.
const COST_AT_MOST: Duration = Duration::from_millis(10);

async fn client(kubeconfig: &Path) -> Client {
    let read = Kubeconfig::read_from(kubeconfig).unwrap();
    let config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await.unwrap();
    Client::try_from(config).unwrap()
}

/// How long a small request takes.
async fn asked(client: &Client) -> Duration {
    let request = http::Request::get("/api/v1/namespaces/default/pods?limit=1").body(Vec::new()).unwrap();
    let begun = tokio::time::Instant::now();
    client.request_text(request).await.unwrap();
    begun.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_through_the_proxy_is_the_same_request_a_little_later() {
    let clusters = tempfile::tempdir().unwrap();
    let spec = ClusterSpec { route: Route::Proxied, ..ClusterSpec::of(KubeVersion::new(1, 37, 1)) };
    let provider = LocalProvider::new(Source::choose(None).unwrap(), Registry::at(clusters.path(), LEFTOVERS));
    let provider = provider.launched_by(Launcher::at(PROGRAM));
    let cluster = provider.provision_local(&spec, "wire", &|_| {}).await.unwrap();
    let subject = cluster.start_subject(&SubjectKind::BuiltIn).await.unwrap();
    let attestation = attest::attest(&cluster).await.unwrap();
    assert!(attestation.holds(), "{:#?}", attestation.doubts().collect::<Vec<_>>());

    let mut heard = subject.wire().unwrap().listen("default");
    let of = |route| cluster.site().subject_kubeconfig("job-controller", route);
    let (straight, proxied) = (client(&of(Route::Direct)).await, client(&of(Route::Proxied)).await);
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..REQUESTS {
        without.push(asked(&straight).await);
        with.push(asked(&proxied).await);
    }
    let (without, with) = (median(&mut without), median(&mut with));
    let cost = with.saturating_sub(without);
    println!(
        "a request takes {without:?} straight and {with:?} through the proxy: {cost:?} more (medians of {REQUESTS})"
    );
    assert!(cost <= COST_AT_MOST, "{cost:?}");

    let request = heard.recv().await.unwrap().request;
    assert_eq!(request.by, "system:serviceaccount:kube-system:job-controller");
    assert_eq!((request.words().as_str(), request.code), ("list pods", Some(200)));
    Box::new(cluster).destroy().await.unwrap();
}
