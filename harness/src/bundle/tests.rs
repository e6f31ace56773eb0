//! Bundles from folder to folder: what is in them, what is not, and archives that somebody made to do harm.

use super::{
    manifest::MANIFEST,
    pack::{Packed, pack},
    unpack,
    verify::{self, Verification, Weight},
    *,
};
use crate::report::{
    sample_folder::{self, NONE, write_run},
    schema::{Run, State, Verdict},
    store,
};
use proptest::prelude::*;
use rstest::rstest;
use std::{collections::BTreeSet, fs, io::Write};
use tar::{Builder, EntryType, Header};
use tempfile::{TempDir, tempdir};

const SILENT: Heard<'static> = &|_| Ok(());

/// A folder for everything, and the folder of a run of three turns in it.
fn stored() -> (TempDir, PathBuf, Run) {
    let all = tempdir().unwrap();
    let folder = all.path().join("run");
    let run = sample_folder::write(&folder, 3);
    (all, folder, run)
}

fn packed(folder: &Path, to: &Path) -> Result<Packed, BundleError> {
    pack(&[folder.to_owned()], to, Limits::DEFAULT, SILENT)
}

fn verified(folder: &Path) -> Verification {
    verify::folder(folder, &NONE, SILENT).unwrap()
}

#[track_caller]
fn says(found: &Verification, weight: Weight, words: &str) {
    let told: Vec<_> =
        found.findings.iter().filter(|finding| finding.weight == weight).map(|finding| &finding.says).collect();
    assert!(told.iter().any(|says| says.contains(words)), "`{words}` is not in {:#?}", found.findings);
}

#[test]
fn a_bundle_holds_the_run_and_verifies_and_the_same_folder_makes_the_same_bytes() {
    let (all, folder, run) = stored();
    let (one, other) = (all.path().join("one.tar.zst"), all.path().join("other.tar.zst"));
    let told = packed(&folder, &one).unwrap();
    assert_eq!(told, packed(&folder, &other).unwrap());
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
    assert_eq!((told.files, told.left_out.len()), (7, 0));

    let to = all.path().join("unpacked");
    unpack::unpack(&one, &to, Limits::DEFAULT).unwrap();
    let found = verified(&to);
    assert_eq!((found.files, found.verdicts, found.weight()), ((7, 7), (3, 3), None));
    let page = fs::read_to_string(to.join(&run.id).join("report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    let written = serde_json::to_value(manifest::read(&to).unwrap().unwrap()).unwrap();
    let validator = jsonschema::validator_for(manifest::json_schema().as_value()).unwrap();
    assert!(validator.is_valid(&written) && written["schema"] == MANIFEST);
}

#[test]
fn a_folder_of_a_run_verifies_as_it_is() {
    let (_all, folder, _) = stored();
    let found = verified(&folder);
    assert_eq!((found.files, found.verdicts, found.weight()), ((4, 4), (3, 3), None));
}

#[test]
fn a_log_with_a_secret_stays_out_and_is_told() {
    let (all, folder, run) = stored();
    fs::write(folder.join("cells/c/cluster/audit.log"), "one\nAuthorization: Bearer abcdef0123456789abcdef\n").unwrap();
    fs::write(folder.join("cells/c/cluster/sa.key"), "anything").unwrap();
    fs::write(folder.join("cells/c/cluster/core.gz"), [0x1f, 0x8b, 0, 0xff]).unwrap();
    let told = packed(&folder, &all.path().join("b")).unwrap();
    let left: Vec<String> = told.left_out.iter().map(|left| format!("{}: {}", left.path, left.because)).collect();
    let below = |path: &str| format!("{}/cells/c/cluster/{path}", run.id);
    assert_eq!(
        left,
        [
            below("audit.log: line 2 holds what looks like a bearer token"),
            below("core.gz: it is not text, so that it cannot be searched for secrets"),
            below("sa.key: its name is that of a key"),
        ]
    );
    let to = all.path().join("unpacked");
    unpack::unpack(&all.path().join("b"), &to, Limits::DEFAULT).unwrap();
    assert!(!to.join(below("audit.log")).exists());
    says(&verified(&to), Weight::Told, "audit.log: left out");
}

#[test]
fn without_a_timeline_that_holds_a_secret_there_is_no_bundle() {
    let (all, folder, run) = stored();
    let path = folder.join("cells/c/observe-manifest-2.timeline.ndjson");
    let text = sample_folder::recording().replacen("\"uid\":\"", "\"uid\":\"-----BEGIN PRIVATE KEY-----", 1);
    fs::write(&path, text).unwrap();
    write_run(&folder, &run);
    let error = packed(&folder, &all.path().join("b")).unwrap_err().to_string();
    assert!(error.contains("observe-manifest-2.timeline.ndjson: line") && error.contains("a private key"), "{error}");
    assert_eq!(fs::read_dir(all.path()).unwrap().count(), 1, "nothing is left beside the run");
}

#[test]
fn an_edited_recording_is_told_with_its_file_and_not_packed() {
    let (all, folder, _) = stored();
    let path = folder.join("cells/c/observe-manifest-2.timeline.ndjson");
    fs::write(&path, fs::read_to_string(&path).unwrap().replacen("True", "False", 1)).unwrap();
    says(&verified(&folder), Weight::Broken, "cells/c/observe-manifest-2.timeline.ndjson: its SHA-256 is not that");
    let error = packed(&folder, &all.path().join("b")).unwrap_err().to_string();
    assert!(error.contains("observe-manifest-2.timeline.ndjson: it is not what the run wrote"), "{error}");
}

#[test]
fn an_edited_verdict_does_not_hold_even_where_the_sums_were_made_anew() {
    let (_all, folder, mut run) = stored();
    run.cases[1].verdict = Verdict::Fail;
    write_run(&folder, &run);
    let found = verified(&folder);
    says(&found, Weight::Broken, "observe/manifest #2 in 1.37.1-builtin: run.json says fail, its timeline says pass");
    says(&found, Weight::Broken, "run.json: what it counts under `outcome`");
    assert_eq!((found.files, found.verdicts), ((4, 4), (3, 2)));

    let verdicts = folder.join("verdicts.json");
    let text = fs::read_to_string(&verdicts).unwrap();
    fs::write(&verdicts, text.replacen("\"verdict\": \"pass\"", "\"verdict\": \"fail\"", 1)).unwrap();
    says(&verified(&folder), Weight::Broken, "observe/manifest in 1.37.1-builtin: verdicts.json says fail");
}

#[test]
fn turns_that_one_file_has_and_the_other_has_not_are_told() {
    let (_all, folder, mut run) = stored();
    run.cases.pop();
    write_run(&folder, &run);
    says(
        &verified(&folder),
        Weight::Broken,
        "#3 in 1.37.1-builtin: verdicts.json judges it, and run.json has no such turn",
    );
    let mut verdicts = store::verdicts(&folder).unwrap().unwrap();
    verdicts.cases.remove(0);
    fs::write(folder.join("verdicts.json"), store::json(&verdicts)).unwrap();
    says(&verified(&folder), Weight::Broken, "observe/manifest in 1.37.1-builtin: verdicts.json has no such turn");
}

#[test]
fn a_run_that_was_cut_off_is_neither_held_nor_broken() {
    let (_all, folder, mut run) = stored();
    run.state = State::Running;
    run.cases.clear();
    write_run(&folder, &run);
    fs::remove_file(folder.join("verdicts.json")).unwrap();
    fs::remove_file(folder.join(manifest::NAME)).unwrap();
    let found = verified(&folder);
    assert_eq!(found.weight(), Some(Weight::Unknown));
    says(&found, Weight::Unknown, "the run did not end in order");
    says(&found, Weight::Told, "no file of this folder has a checksum");
}

#[test]
fn a_case_that_nobody_knows_and_a_timeline_that_is_gone_leave_it_open() {
    let (_all, folder, mut run) = stored();
    run.cases[0].case = "another/case".to_owned();
    run.cases[1].timeline = Some("../../x".to_owned());
    write_run(&folder, &run);
    let found = verified(&folder);
    says(&found, Weight::Unknown, "another/case again: this program's catalogue has no such case");
    says(&found, Weight::Unknown, "is not a path inside the run's folder");
}

#[rstest]
#[case::of_a_run("run.json", "its schema is jobsworth/run/v0; this program reads jobsworth/run/v1")]
#[case::of_verdicts("verdicts.json", "its schema is jobsworth/verdicts/v0")]
#[case::of_a_manifest("manifest.json", "its schema is jobsworth/manifest/v0")]
fn an_older_schema_is_refused_by_name(#[case] file: &str, #[case] words: &str) {
    let (_all, folder, _) = stored();
    let path = folder.join(file);
    fs::write(&path, fs::read_to_string(&path).unwrap().replacen("/v1", "/v0", 1)).unwrap();
    if file == "run.json" {
        fs::remove_file(folder.join(manifest::NAME)).unwrap();
    }
    let error = verify::folder(&folder, &NONE, SILENT).unwrap_err().to_string();
    assert!(error.contains(file) && error.contains(words), "{error}");
}

#[test]
fn a_file_more_or_less_in_an_unpacked_bundle_is_told() {
    let (all, folder, run) = stored();
    let (archive, to) = (all.path().join("b"), all.path().join("unpacked"));
    packed(&folder, &archive).unwrap();
    unpack::unpack(&archive, &to, Limits::DEFAULT).unwrap();
    fs::write(to.join("more.txt"), "x").unwrap();
    fs::remove_file(to.join(&run.id).join("cells/c/cluster/etcd.log")).unwrap();
    let found = verified(&to);
    says(&found, Weight::Broken, "more.txt: it is not in the manifest");
    says(&found, Weight::Broken, "etcd.log: it is in the manifest and not there");
}

#[test]
fn two_runs_stand_beside_each_other_and_one_twice_is_refused() {
    let (all, folder, mut run) = stored();
    let other = all.path().join("other");
    sample_folder::write(&other, 1);
    let both = [folder, other.clone()];
    let to = all.path().join("b");
    let error = pack(&both, &to, Limits::DEFAULT, SILENT).unwrap_err().to_string();
    assert!(error.contains("is given twice"), "{error}");
    run.id = "20261120-100004-aaaaa".to_owned();
    run.cases.truncate(1);
    run.outcome = crate::report::tally::of(&run);
    write_run(&other, &run);
    pack(&both, &to, Limits::DEFAULT, SILENT).unwrap();
    unpack::unpack(&to, &all.path().join("u"), Limits::DEFAULT).unwrap();
    assert_eq!(verified(&all.path().join("u")).verdicts, (4, 4));
}

#[rstest]
#[case::upwards("../../x")]
#[case::hidden("..")]
#[case::nothing("")]
#[case::a_folder("a/b")]
#[case::not_ours("a\u{202e}b")]
fn an_id_that_is_no_name_makes_no_folder(#[case] id: &str) {
    let (all, folder, mut run) = stored();
    run.id = id.to_owned();
    write_run(&folder, &run);
    assert!(matches!(packed(&folder, &all.path().join("b")), Err(BundleError::Runs(_))));
}

#[test]
fn who_asks_for_an_end_gets_it_and_nothing_is_left() {
    let (all, folder, _) = stored();
    let stopped = pack(&[folder], &all.path().join("b"), Limits::DEFAULT, &|what| match what.contains("verdicts") {
        true => Err(Stopped("SIGINT")),
        false => Ok(()),
    });
    assert!(matches!(stopped, Err(BundleError::Stopped(Stopped("SIGINT")))));
    assert_eq!(fs::read_dir(all.path()).unwrap().count(), 1);
}

/// An archive of these entries, each with so many bytes in it.
fn archive(entries: &[(&str, EntryType, usize)]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (path, kind, size) in entries {
        let content: Vec<u8> = path.bytes().cycle().take(*size).collect();
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(*size as u64);
        header.set_mode(0o644);
        if *kind == EntryType::Symlink {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        builder.append(&header, content.as_slice()).unwrap();
    }
    zstd::encode_all(builder.into_inner().unwrap().as_slice(), 3).unwrap()
}

const SMALL: Limits = Limits { files: 3, file: 1_000, bytes: 2_000 };

fn unpacked(bytes: &[u8]) -> Result<BTreeSet<String>, String> {
    let all = tempdir().unwrap();
    let into = all.path().join("deep/inside");
    fs::create_dir_all(&into).unwrap();
    unpack::from(bytes, &into, SMALL)?;
    let found = crate::report::evidence::FolderFiles::of(all.path());
    use crate::report::evidence::Evidence;
    let paths =
        found.files().iter().map(|file| file.path.strip_prefix("deep/inside/").expect("all is inside").to_owned());
    Ok(paths.collect())
}

const FILE: EntryType = EntryType::Regular;

#[rstest]
#[case::a_path_upwards(&[("../../x", FILE, 1)], "may lead out of the folder")]
#[case::a_path_that_goes_down_first(&[("a/../../x", FILE, 1)], "may lead out of the folder")]
#[case::a_path_from_the_root(&[("/tmp/x", FILE, 1)], "may lead out of the folder")]
#[case::a_path_of_another_system(&[("C:\\x", FILE, 1)], "may lead out of the folder")]
#[case::a_path_with_a_line_break(&[("a\nb", FILE, 1)], "may lead out of the folder")]
#[case::a_link(&[("a", EntryType::Symlink, 0)], "`a` is not a plain file")]
#[case::a_hard_link(&[("a", EntryType::Link, 0)], "`a` is not a plain file")]
#[case::a_device(&[("a", EntryType::Char, 0)], "`a` is not a plain file")]
#[case::a_folder(&[("a/", EntryType::Directory, 0)], "`a/` is not a plain file")]
#[case::the_same_file_twice(&[("a", FILE, 1), ("A", FILE, 1)], "`A` is in it twice")]
#[case::too_many_files(&[("a", FILE, 0), ("b", FILE, 0), ("c", FILE, 0), ("d", FILE, 0)], "more than 3 files")]
#[case::too_large_a_file(&[("a", FILE, 1_001)], "larger than a bundle may be")]
#[case::too_many_bytes(&[("a", FILE, 999), ("b", FILE, 999), ("c", FILE, 9)], "larger than a bundle may be")]
#[case::a_name_without_end(&[("././@LongLink", EntryType::GNULongName, 9_000), ("a", FILE, 0)], "may lead out")]
#[case::no_file(&[], "there is no file in it")]
fn an_archive_that_does_harm_is_refused(#[case] entries: &[(&str, EntryType, usize)], #[case] words: &str) {
    let error = unpacked(&archive(entries)).unwrap_err();
    assert!(error.contains(words), "{error}");
}

#[test]
fn a_bomb_ends_at_the_limit() {
    let zeros = zstd::encode_all(std::io::repeat(0).take(64 << 20), 3).unwrap();
    assert!(zeros.len() < 10_000);
    let error = unpacked(&zeros).unwrap_err();
    assert!(error.contains("unpacks to more than"), "{error}");
}

#[test]
fn what_is_no_archive_is_said_to_be_none() {
    assert!(unpacked(b"plain text, and quite a lot of it").unwrap_err().contains("no bundle"));
    assert!(unpacked(b"").unwrap_err().contains("cut off"));
}

#[test]
fn a_path_too_long_for_its_block_comes_through() {
    let all = tempdir().unwrap();
    let folder = all.path().join("run");
    let mut run = sample_folder::write(&folder, 1);
    let long = format!("cells/{}/{}.timeline.ndjson", "c".repeat(120), "n".repeat(150));
    fs::create_dir_all(folder.join(&long).parent().unwrap()).unwrap();
    fs::rename(folder.join(run.cases[0].timeline.as_deref().unwrap()), folder.join(&long)).unwrap();
    run.cases[0].timeline = Some(long);
    write_run(&folder, &run);
    packed(&folder, &all.path().join("b")).unwrap();
    unpack::unpack(&all.path().join("b"), &all.path().join("u"), Limits::DEFAULT).unwrap();
    assert_eq!(verified(&all.path().join("u")).verdicts, (1, 1));
}

#[test]
fn a_bundle_that_was_cut_off_anywhere_is_told_from_a_whole_one() {
    let whole = archive(&[("a", FILE, 700), ("b", FILE, 26)]);
    unpacked(&whole).unwrap();
    for end in 0..whole.len() {
        assert!(unpacked(&whole[..end]).is_err(), "cut off at {end} of {}", whole.len());
    }
}

proptest! {
    #[test]
    fn bytes_from_anywhere_are_refused_or_stay_inside(noise in proptest::collection::vec(any::<u8>(), 0..2_000), packed in any::<bool>()) {
        let bytes = if packed { zstd::encode_all(noise.as_slice(), 1).unwrap() } else { noise };
        let _ = unpacked(&bytes);
    }

    #[test]
    fn a_damaged_archive_is_refused_or_unpacks_the_same_names(at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let mut bytes = archive(&[("a", FILE, 700), ("b", FILE, 10)]);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        if let Ok(names) = unpacked(&bytes) {
            prop_assert!(names.len() <= 2);
        }
    }
}

#[test]
fn a_place_that_cannot_be_written_to_leaves_no_half_bundle() {
    let (all, folder, _) = stored();
    let to = all.path().join("missing/b.tar.zst");
    assert!(packed(&folder, &to).is_err());
    fs::create_dir(all.path().join("b.tar.zst")).unwrap();
    fs::File::create(all.path().join("b.tar.zst/full")).unwrap().write_all(b"x").unwrap();
    assert!(packed(&folder, &all.path().join("b.tar.zst")).is_err());
    let left: Vec<_> = fs::read_dir(all.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
