//! Joining a cluster whose daemon is about to go, in a folder of the test's own.

use std::time::Duration;

use futures::poll;
use jobsworth_api::KubeVersion;

use super::start::{AttachOptions, attach_or_start};
use super::{FAILED, Hold, READY};
use crate::binaries::Source;
use crate::cluster::contract::ClusterSpec;
use crate::cluster::machine::registry::{Owner, Registry};
use crate::launcher::Launcher;

/// Far more than a start that fails at once takes, far less than a build may.
const SOON: Duration = Duration::from_secs(30);

/// The clusters of a test, whose daemons end at once.
fn options(folder: &tempfile::TempDir) -> AttachOptions {
    let registry = Registry::at(folder.path().join("clusters"), &[]);
    let source = Source::Folder(folder.path().to_owned());
    AttachOptions { registry, source, launcher: Launcher::at("false"), hold: Hold::UntilUnused }
}

/// What joining comes to when `goes` happens to the owner of the name after the first look.
async fn joined_while(goes: impl FnOnce(Owner)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let options = options(&folder);
    let owner = options.registry.create("one").unwrap();
    let spec = ClusterSpec::of(KubeVersion::new(1, 37, 1));
    let mut joining = Box::pin(attach_or_start("one", &spec, &options, &|_| ()));
    assert!(poll!(&mut joining).is_pending(), "somebody has the name");
    goes(owner);
    let joined =
        tokio::time::timeout(SOON, joining).await.expect("who waits is told when there is nothing to wait for");
    joined.err().expect("no daemon comes up here").to_string()
}

#[tokio::test]
async fn a_cluster_that_is_taken_down_is_started_anew_by_who_waits_for_it() {
    let why = joined_while(|owner| owner.remove().unwrap()).await;
    assert!(why.contains("its holder ended with exit status: 1"), "{why}");
}

#[tokio::test]
async fn a_daemon_that_dies_while_another_waits_for_it_is_started_anew() {
    let why = joined_while(drop).await;
    assert!(why.contains("its holder ended with exit status: 1"), "{why}");
}

#[tokio::test]
async fn what_a_daemon_says_of_its_failure_is_told() {
    let why = joined_while(|owner| {
        std::fs::write(owner.folder().join(FAILED), r#"{"text":"no room"}"#).unwrap();
    })
    .await;
    assert!(why.contains("no room"), "{why}");
}

#[tokio::test]
async fn a_mark_of_readiness_without_an_owner_is_no_cluster() {
    let why = joined_while(|owner| std::fs::write(owner.folder().join(READY), "{}").unwrap()).await;
    assert!(why.contains("its holder ended with exit status: 1"), "{why}");
}
