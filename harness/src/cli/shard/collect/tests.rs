//! What comes of results that are whole, damaged, of others, or not there.

use super::*;
use crate::{bundle::pack::pack, report::sample_folder};
use k8s_openapi::api::{batch::v1::Job, core::v1::ConfigMap};
use serde_json::json;

fn partition(text: &str) -> Partition {
    text.parse().unwrap()
}

fn job() -> Job {
    let status = json!({"conditions": [{"type": "Failed", "status": "True"}]});
    let spec = json!({"completionMode": "Indexed", "completions": 3, "template": {}});
    let metadata = json!({"name": "nightly", "namespace": "jobsworth", "uid": "u"});
    serde_json::from_value(json!({"metadata": metadata, "spec": spec, "status": status})).unwrap()
}

fn objects(slice: &str, bundle: &[u8]) -> Vec<ConfigMap> {
    parts::split(partition(slice), bundle).into_iter().map(|part| part.object(&job())).collect()
}

fn told(parts: Vec<ConfigMap>) -> (Vec<String>, Vec<String>) {
    let results = Results { job: job(), slices: 3, pods: Vec::new(), parts };
    let Sorted { whole, missing } = sorted(&results).unwrap_or_else(|_| panic!("there are three slices"));
    (whole.into_iter().map(|(slice, _)| slice.to_string()).collect(), missing)
}

#[test]
fn slices_that_are_whole_are_joined_and_the_others_are_named_with_the_reason() {
    let large = vec![7; parts::LARGEST + 1];
    let mut cut = objects("slice:3/3", &large);
    cut.pop();
    let (whole, missing) = told([objects("slice:1/3", &large), cut].concat());
    assert_eq!(whole, ["slice:1/3"]);
    let said = [
        "slice:2/3 left no result: its pod is gone: it was deleted, or its node was lost",
        "the result of slice:3/3 is damaged: part 2 of 2 is missing",
    ];
    assert_eq!(missing, said);
}

#[test]
fn a_result_of_other_slices_and_an_object_that_is_none_are_told() {
    let mut none = objects("slice:3/3", b"bundle");
    none[0].metadata.annotations = None;
    let (whole, missing) = told([objects("slice:1/3", b"bundle"), objects("slice:2/4", b"bundle"), none].concat());
    assert_eq!(whole, ["slice:1/3"]);
    assert_eq!(missing[0], "the ConfigMap nightly-slice-3-part-1 has no jobsworth.dev/slice");
    assert_eq!(missing[1], "the result of slice:2/3 is one of another run");
    assert!(missing[2].starts_with("slice:3/3 left no result"), "{missing:?}");
}

/// The bundle of a run of this slice.
fn bundle_of(slice: &str, folder: &Path) -> Vec<u8> {
    let ran = folder.join("ran");
    fs::create_dir(&ran).unwrap();
    let mut run = sample_folder::write(&ran, 1);
    run.plan.partition = Some(slice.to_owned());
    sample_folder::write_run(&ran, &run);
    let archive = folder.join("packed");
    pack(&[ran], &archive, Limits::DEFAULT, &|_| Ok(())).unwrap();
    fs::read(archive).unwrap()
}

#[test]
fn the_bundle_of_a_slice_is_kept_and_its_run_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let joined = folder.path().join("joined");
    let beside = beside(&joined);
    assert!(beside.ends_with("joined.slices"), "{}", beside.display());
    assert!(are_free(&joined, &beside).is_ok());
    let bundle = bundle_of("slice:2/3", folder.path());
    let place = kept(partition("slice:2/3"), &bundle, &beside).unwrap_or_else(|_| panic!("nothing is in the way"));
    assert!(read(&place).is_ok());
    assert_eq!(fs::read(beside.join("slice-2.tar.zst")).unwrap(), bundle);
    assert!(are_free(&joined, &beside).is_err(), "it is there already");
}

#[test]
fn a_folder_that_holds_a_run_is_not_free() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("run.json"), "{}").unwrap();
    assert!(are_free(folder.path(), &beside(folder.path())).is_err());
}

#[test]
fn a_bundle_that_cannot_be_unpacked_is_kept_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let beside = beside(&folder.path().join("joined"));
    let place = kept(partition("slice:1/3"), b"no bundle", &beside).unwrap_or_else(|_| panic!("nothing is in the way"));
    let says = read(&place).unwrap_err();
    assert!(says.contains("slice-1.tar.zst"), "{says}");
    assert!(beside.join("slice-1.tar.zst").is_file());
}

#[test]
fn a_slice_that_does_not_fit_to_those_before_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let beside = beside(&folder.path().join("joined"));
    let bundle = bundle_of("slice:2/3", folder.path());
    let place = kept(partition("slice:2/3"), &bundle, &beside).unwrap_or_else(|_| panic!("nothing is in the way"));
    let slice = read(&place).unwrap();
    let mut missing = Vec::new();
    // The same twice: what is in both cannot be joined.
    let kept = of_one_run(vec![slice.clone(), slice], &mut missing);
    assert_eq!((kept.len(), missing.len()), (1, 1), "{missing:?}");
}
