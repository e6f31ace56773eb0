//! Names, locks and what is removed, in a folder of the test's own.

use std::collections::BTreeMap;
use std::process::Command;

use jobsworth_api::KubeVersion;
use rstest::rstest;

use super::*;
use crate::cluster::contract::layout::Ports;
use crate::cluster::contract::{ClusterSpec, Component};
use crate::cluster::machine::{json_file, process};

/// A file in the folders of clusters of which something is left that cannot be removed.
const STUCK: &str = "stuck";
/// A file in the folders of clusters that stay.
const KEPT: &str = "kept";

#[derive(Debug)]
struct Stuck;

impl Leftover for Stuck {
    fn is_kept(&self, folder: &Path) -> bool {
        folder.join(KEPT).exists()
    }

    fn remove(&self, folder: &Path) -> Result<(), ClusterError> {
        if folder.join(STUCK).exists() { Err(ClusterError::Unproven("it is still there".to_owned())) } else { Ok(()) }
    }
}

fn registry() -> (tempfile::TempDir, Registry) {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::at(folder.path().join("clusters"), &[&Stuck]);
    (folder, registry)
}

fn record(name: &str, processes: BTreeMap<Component, Running>) -> Record {
    Record {
        schema: 1,
        name: name.to_owned(),
        spec: ClusterSpec::of(KubeVersion::new(1, 37, 1)),
        ports: Ports::fixed(),
        owner: Running { pid: u32::MAX, start_time: 0 },
        binaries: Vec::new(),
        processes,
    }
}

#[rstest]
#[case::plain("smoke")]
#[case::with_digits_and_dashes("run-2")]
fn is_a_name(#[case] name: &str) {
    assert!(check_name(name).is_ok());
}

#[rstest]
#[case::empty("")]
#[case::a_way_out("../other")]
#[case::a_flag("-rf")]
#[case::upper_case("Smoke")]
#[case::too_long("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
fn is_no_name(#[case] name: &str) {
    assert!(matches!(check_name(name), Err(ClusterError::BadName(_))));
}

#[test]
fn a_name_belongs_to_one_owner_at_a_time() {
    let (_folder, registry) = registry();
    let owner = registry.create("one").unwrap();
    let taken = registry.create("one").unwrap_err();
    let ourselves = std::process::id();
    assert!(matches!(taken, ClusterError::NameTaken { owner, .. } if owner == ourselves), "{taken}");
    assert_eq!(registry.life("one").unwrap(), Life::Owned);
    drop(owner);
    assert_eq!(registry.life("one").unwrap(), Life::Abandoned);
    registry.create("one").unwrap();
}

#[test]
fn garbage_is_what_nobody_owns_and_nothing_else() {
    let (_folder, registry) = registry();
    let _kept = registry.create("kept").unwrap();
    drop(registry.create("left").unwrap());
    assert_eq!(registry.gc().unwrap().removed, ["left"]);
    let names: Vec<_> = registry.list().unwrap().into_iter().map(|cluster| cluster.name).collect();
    assert_eq!(names, ["kept"]);
}

#[test]
fn a_cluster_that_cannot_be_removed_stays_on_record_and_keeps_no_other_from_it() {
    let (_folder, registry) = registry();
    let stuck = registry.create("a-stuck").unwrap();
    std::fs::write(stuck.folder().join(STUCK), "").unwrap();
    drop(stuck);
    drop(registry.create("left").unwrap());
    let swept = registry.gc().unwrap();
    assert_eq!(swept.removed, ["left"]);
    assert_eq!(swept.left.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a-stuck"]);
    assert_eq!(registry.list().unwrap().len(), 1, "the next clean-up tries again");
}

#[test]
fn a_cluster_that_is_being_removed_is_not_there_any_more_and_what_a_killed_one_left_of_it_is_garbage() {
    let (_folder, registry) = registry();
    let owner = registry.create("one").unwrap();
    let going = owner::going(owner.folder());
    std::fs::rename(owner.folder(), &going).unwrap();
    assert_eq!(registry.list().unwrap(), []);
    assert_eq!(registry.life("one").unwrap(), Life::Abandoned, "the name is free");
    assert!(registry.is_going("one").unwrap());
    drop(owner);
    assert!(!registry.is_going("one").unwrap());
    assert_eq!(registry.gc().unwrap().removed, ["one.going"]);
    assert!(!going.exists());
}

#[test]
fn what_a_killed_removal_left_does_not_hinder_the_next_one() {
    let (_folder, registry) = registry();
    let folder = registry.folder_of("one").unwrap();
    std::fs::create_dir_all(owner::going(&folder).join("etcd")).unwrap();
    registry.create("one").unwrap().remove().unwrap();
    assert!(!folder.exists() && !owner::going(&folder).exists());
}

#[test]
fn a_kept_cluster_is_no_garbage_and_its_name_is_taken_until_somebody_takes_it_over() {
    let (_folder, registry) = registry();
    let kept = registry.create("one").unwrap();
    std::fs::write(kept.folder().join(KEPT), "").unwrap();
    drop(kept);
    assert_eq!(registry.life("one").unwrap(), Life::Owned);
    assert_eq!(registry.gc().unwrap().removed, [""; 0]);
    assert!(matches!(registry.create("one"), Err(ClusterError::NameKept(name)) if name == "one"));
    registry.take_over("one").unwrap().remove().unwrap();
    assert_eq!(registry.list().unwrap(), []);
}

#[test]
fn a_process_is_killed_only_if_pid_and_start_time_are_those_on_record() {
    let (_folder, registry) = registry();
    let mut ours = Command::new("sleep").arg("600").spawn().unwrap();
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    let running = |pid, late| Running { pid, start_time: process::start_time(pid).unwrap() + late };
    let processes =
        BTreeMap::from([(Component::Etcd, running(ours.id(), 0)), (Component::Base, running(other.id(), 1))]);
    let folder = registry.create("crashed").unwrap().folder().to_owned();
    json_file::write(&folder.join(record::FILE), &record("crashed", processes)).unwrap();
    assert_eq!(registry.gc().unwrap().removed, ["crashed"]);
    assert!(!ours.wait().unwrap().success());
    assert!(other.try_wait().unwrap().is_none(), "the other one still runs");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_record_reads_back_as_it_was_written() {
    let written = record("one", BTreeMap::from([(Component::Subject, Running { pid: 1, start_time: 2 })]));
    let text = serde_json::to_string(&written).unwrap();
    assert!(text.contains(r#""subject":{"pid":1,"startTime":2}"#), "{text}");
    assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), written);
}
