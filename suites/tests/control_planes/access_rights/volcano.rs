//! The controller of Volcano's Jobs and its webhook under exactly the roles that they are deployed with, which are the roles that
//! the harness gives them: enough for every kind of request, and not one verb more.

use jobsworth_harness::AnyCase;
use jobsworth_harness::cluster::{Cluster as _, Route};
use jobsworth_harness::run::Cell;
use jobsworth_harness::run::prepared_cell::PreparedCell;
use jobsworth_harness::subject::Subject;
use jobsworth_suites::CATALOGUE;

use super::roles::Roles;
use super::{cases, trail};
use crate::volcano_bench;

/// Cases that together ask for everything that there is a right to.
const CASES: [&str; 15] = [
    "volcano-lifecycle/a-job-whose-pods-succeed-is-completed",
    "volcano-kills/a-restart-takes-all",
    // Groups and hosts that are updated.
    "volcano-scaling/more-pods",
    // Jobs that are read before they are deleted.
    "volcano-ttl/all-that-is-a-jobs-goes-with-it",
    // Claims, and names of claims that are written to the Job.
    "volcano-ownership/all-that-is-made-is-owned",
    "volcano-plugins/all-three-until-the-end",
    "volcano-plugins/a-foreign-service-is-left-alone",
    "volcano-commands/orders-for-nobody",
    "volcano-commands/orders-that-are-given-twice",
    "volcano-queue/a-new-queue-is-open",
    "volcano-queue/orders-open-and-close-queues",
    // Namespaces that the webhook reads.
    "volcano-podgroup/a-namespace-names-its-queue",
    // Events that are said again.
    "volcano-pods/a-quota-is-waited-for",
    // What is looked for because nobody said whether it was made.
    "volcano-bad-days/a-pod-made-without-an-answer-is-no-loss",
    "volcano-bad-days/what-is-made-without-an-answer-is-found",
];

#[tokio::test(flavor = "multi_thread")]
async fn volcano_s_cases_need_every_granted_verb_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = volcano_bench::spec();
    spec.route = Route::Proxied;
    // Without it anybody may make pods that block a Job's deletion, and the verb for that would not be missed.
    spec.admission = vec!["OwnerReferencesPermissionEnforcement".to_owned()];
    let cluster = volcano_bench::cluster(&folder.path().join("clusters"), &spec, "rights-volcano").await;
    let audit = cluster.site().audit_log();
    let cell = Cell::of("rights-volcano".to_owned(), "local", &Subject::volcano_reference(), spec);
    let stage = PreparedCell::set(&cell, Box::new(cluster), folder.path().join("timelines"), 7).await;
    let stage = stage.unwrap_or_else(|unfit| panic!("{}", unfit.because));

    let find = |id: &&str| -> &'static dyn AnyCase {
        let found = CATALOGUE.cases.iter().find(|case| case.about().id == *id);
        *found.unwrap_or_else(|| panic!("{id} is no case"))
    };
    let failed = cases::failed(&stage, CASES.iter().map(find)).await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));

    let trail = trail::read(&audit, &trail::OF_VOLCANO);
    let refused = trail::refused(&trail);
    assert!(refused.is_empty(), "{refused:#?}");
    let granted = Roles::of_volcano().grants();
    let unused = trail::unused(&trail, &granted);
    assert!(unused.is_empty(), "granted and never used: {unused:#?}");
    stage.cluster.destroy().await.unwrap();
}
