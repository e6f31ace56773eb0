//! The reference controller under exactly the roles that it is deployed with: enough for every case, and not one verb more.
#![expect(clippy::print_stdout, reason = "what is missed is worth reading")]

mod cases;
mod duties;
mod lease;
mod metrics;
mod roles;
mod skipped;
mod trail;
mod volcano;

use crate::{fault_bench, skips};
use std::path::{Path, PathBuf};

use duties::within;
use jobsworth_harness::binaries::Source;
use jobsworth_harness::cluster::local::{CAPABILITIES, LocalCluster, LocalProvider};
use jobsworth_harness::cluster::registry::Registry;
use jobsworth_harness::cluster::{Cluster, ClusterSpec, LEFTOVERS};
use jobsworth_harness::gates::GateTable;
use jobsworth_harness::launcher::Launcher;
use jobsworth_harness::plan::fit::{Fit, fit};
use jobsworth_harness::run::Cell;
use jobsworth_harness::run::prepared_cell::PreparedCell;
use jobsworth_harness::subject::Subject;
use jobsworth_harness::{Needs, Share};
use jobsworth_suites::CATALOGUE;
use metrics::Readers;
use roles::{Grant, Roles};
use skipped::SKIPPED;

/// Clusters on which verbs are taken away at the same time.
const CLUSTERS: usize = 3;

async fn cluster(folder: &Path, name: &str) -> LocalCluster {
    let mut spec = ClusterSpec::of("1.37.1".parse().unwrap());
    // Without it anybody may make pods that block a Job's deletion, and the verb for that would not be missed.
    spec.admission = vec!["OwnerReferencesPermissionEnforcement".to_owned()];
    let spec = fault_bench::with_reference(spec);
    let provider = LocalProvider::new(Source::choose(None).unwrap(), Registry::at(folder, LEFTOVERS));
    let provider = provider.launched_by(Launcher::at(env!("CARGO_BIN_EXE_jobsworth")));
    provider.provision_local(&spec, name, &|_| {}).await.unwrap()
}

/// A stage whose controller has the deployed roles, and where its requests are written.
async fn stage(folder: &Path, name: &str) -> (PreparedCell, PathBuf) {
    let cluster = cluster(&folder.join("clusters"), name).await;
    Roles::deployed().put_in_force(&cluster.client()).await;
    let (audit, spec) = (cluster.site().audit_log(), cluster.spec());
    let cell = Cell::of(name.to_owned(), "local", &Subject::reference(), spec);
    let stage = PreparedCell::set(&cell, Box::new(cluster), folder.join("timelines"), 7).await;
    (stage.unwrap_or_else(|unfit| panic!("{}", unfit.because)), audit)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalogue_needs_every_granted_verb_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    // Cases that run alone take their turns on a cluster of their own, so that nobody else waits.
    let stages = futures::join!(stage(folder.path(), "rights"), stage(folder.path(), "rights-alone"));
    let stages = [stages.0, stages.1];

    let (table, spec) = (GateTable::embedded(), stages[0].0.cluster.spec());
    let because = |needs: &Needs| match fit(needs, &spec, &CAPABILITIES, table) {
        Fit::Fits => None,
        Fit::Foreign => Some(format!("is about {}", needs.api)),
        Fit::Skip(because) => Some(because),
    };
    let own = || CATALOGUE.cases.iter().copied().filter(|case| case.about().needs.api.is_kubernetes_own());
    let usual = || own().filter(|case| case.share() == Share::Usual);
    let abouts = usual().map(|case| case.about());
    let troubles = abouts.filter_map(|about| skips::trouble(about.id, because(&about.needs).as_deref(), SKIPPED));
    let troubles: Vec<String> = troubles.collect();
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
    let cases = usual().filter(|case| because(&case.about().needs).is_none());
    let (alone, together): (Vec<_>, Vec<_>) = cases.partition(|case| case.about().needs.runs_alone());
    let played = stages.iter().zip([together, alone]);
    let played = played.map(|((stage, _), cases)| cases::failed(stage, cases.into_iter()));
    let failed = futures::future::join_all(played).await.concat();
    assert!(failed.is_empty(), "{}", failed.join("\n"));

    let trail: Vec<_> = stages.iter().flat_map(|(_, audit)| trail::read(audit, &trail::OF_JOBS)).collect();
    let refused = trail::refused(&trail);
    assert!(refused.is_empty(), "{refused:#?}");
    let granted = Roles::deployed().grants();
    let unused = trail::unused(&trail, &granted);
    assert!(unused.is_empty(), "granted and never used: {unused:#?}");
    for (stage, _) in stages {
        stage.cluster.destroy().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_verb_is_missed_when_it_is_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let grants = Roles::deployed().grants();
    let lanes = (0..CLUSTERS).map(|lane| {
        let mine: Vec<Grant> = grants.iter().skip(lane).step_by(CLUSTERS).cloned().collect();
        let folder = folder.path().join(format!("clusters-{lane}"));
        async move {
            let cluster = cluster(&folder, "rights").await;
            let unmissed = unmissed(&cluster, &mine).await;
            Box::new(cluster).destroy().await.unwrap();
            unmissed
        }
    });
    let unmissed: Vec<String> = futures::future::join_all(lanes).await.concat();
    assert!(unmissed.is_empty(), "{}", unmissed.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_verb_of_the_election_is_missed_when_it_is_taken_away() {
    let clusters = tempfile::tempdir().unwrap();
    let bench = fault_bench::bench(clusters.path(), "rights-lease", &lease::FLAGS, 3).await;
    lease::deploy(&bench.cluster().client()).await;
    // The control: with all verbs a lease is held.
    lease::held_without(&bench, 0, None).await.unwrap();
    let verbs: Vec<String> = roles::for_the_lease().rules.unwrap().into_iter().flat_map(|rule| rule.verbs).collect();
    assert_eq!(verbs.len(), 3, "{verbs:?}");
    let mut unmissed = Vec::new();
    for (attempt, verb) in (1..).zip(&verbs) {
        match lease::held_without(&bench, attempt, Some(verb)).await {
            Ok(()) => unmissed.push(format!("{verb} is not missed")),
            Err(missed) => println!("without {verb} leases: {missed}"),
        }
    }
    bench.leave().await.unwrap();
    assert!(unmissed.is_empty(), "{}", unmissed.join("\n"));
}

/// The harness reads them by its certificate, which is of `system:masters`; a Prometheus comes with a token.
#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_for_those_whom_the_api_server_knows_and_allows() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = cluster(&folder.path().join("clusters"), "rights-metrics").await;
    let subject = cluster.start_subject(&cluster.spec().subject).await.unwrap();
    let readers = Readers::on(&cluster).await;
    let (reader, stranger) = (Some(readers.reader.as_str()), Some(readers.stranger.as_str()));

    readers.may_ask_for(&["subjectaccessreviews"]).await;
    assert_eq!(readers.code("/metrics", reader).await, 401);
    readers.may_ask_for(&["tokenreviews"]).await;
    let gets = async |code| within("the answer is due", async || readers.code("/metrics", reader).await == code).await;
    gets(500).await.unwrap();
    readers.may_ask_for(&["tokenreviews", "subjectaccessreviews"]).await;
    gets(200).await.unwrap();

    assert_eq!(readers.code("/metrics", stranger).await, 403);
    assert_eq!(readers.code("/metrics", None).await, 401);
    assert_eq!(readers.code("/metrics", Some("no token of this cluster")).await, 401);
    assert_eq!(readers.code("/debug", reader).await, 403);
    for health in ["/healthz", "/livez", "/readyz"] {
        assert_eq!(readers.code(health, None).await, 200, "{health}");
    }
    assert!(subject.metrics().await.unwrap().contains("workqueue_depth"));
    Box::new(cluster).destroy().await.unwrap();
}

/// Those of the grants without which all duties are done.
async fn unmissed(cluster: &LocalCluster, grants: &[Grant]) -> Vec<String> {
    let client = cluster.client();
    let deployed = Roles::deployed();
    deployed.put_in_force(&client).await;
    let subject = cluster.start_subject(&cluster.spec().subject).await.unwrap();
    // The control: with all verbs every duty is done.
    duties::all_done(&client, "with-all").await.unwrap();
    let mut unmissed = Vec::new();
    for (position, grant) in grants.iter().enumerate() {
        deployed.without(grant).put_in_force(&client).await;
        // Without lists it never gets ready; that is a way of missing them.
        let ended = match subject.restart().await {
            Ok(()) => duties::all_done(&client, &format!("without-{position}")).await,
            Err(error) => Err(error.to_string()),
        };
        match ended {
            Ok(()) => unmissed.push(format!("{grant:?} is not missed")),
            Err(missed) => println!("without {} {}: {missed}", grant.verb, grant.resource),
        }
    }
    unmissed
}
