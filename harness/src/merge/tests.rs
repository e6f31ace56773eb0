//! Slices as a run writes them, joined, and what is refused.

use super::*;
use crate::report::{
    sample_folder,
    schema::{Attested, AttestedRow, Cause, ExitRecord, sample},
};
use rstest::rstest;

/// A slice of a run, with one case that has the name of its number.
fn slice(partition: &str) -> Slice {
    let partition: Partition = partition.parse().unwrap();
    let shard = partition.shard();
    let mut run = Run { cases: vec![sample::case(&format!("case-{shard}"), Verdict::Pass)], ..sample::empty() };
    run.plan.partition = Some(partition.to_string());
    run.took_ms = Some(u64::from(shard) * 1000);
    let row = |found: &str| AttestedRow {
        component: "kube-apiserver".to_owned(),
        what: "/version".to_owned(),
        wanted: "v1.37.1".to_owned(),
        found: found.to_owned(),
        ok: true,
    };
    run.cells[0].attested = Some(Attested { holds: true, rows: vec![row("v1.37.1")] });
    run.outcome = tally::of(&run);
    Slice { folder: PathBuf::from(format!("of-{shard}")), partition, run, judged: Vec::new() }
}

fn joined(slices: Vec<Slice>) -> Joined {
    join(slices, "joined", vec!["jobsworth".to_owned(), "merge".to_owned()]).unwrap()
}

#[test]
fn all_slices_in_any_order_make_one_whole_run() {
    let joined = joined(vec![slice("slice:3/3"), slice("slice:1/3"), slice("slice:2/3")]);
    let cases: Vec<&str> = joined.run.cases.iter().map(|case| case.case.as_str()).collect();
    assert_eq!(cases, ["success-policy/case-1", "success-policy/case-2", "success-policy/case-3"]);
    assert_eq!((joined.run.outcome.passed, joined.run.took_ms, joined.run.cells.len()), (3, Some(3000), 1));
    assert_eq!((joined.run.plan.partition, joined.run.plan.turns, joined.run.id.as_str()), (None, 12, "joined"));
    assert_eq!(joined.missing, [""; 0]);
    let (from, to) = &joined.recordings[1];
    assert_eq!(*from, Path::new("of-2").join(to));
}

#[test]
fn a_slice_that_is_not_there_or_not_whole_is_said() {
    let mut cut = slice("hash:2/4");
    cut.run.state = State::Running;
    let mut stopped = slice("hash:4/4");
    let causes = vec![Cause { code: 143, says: "the run was stopped by SIGTERM".to_owned() }];
    stopped.run.exit = Some(ExitRecord { code: 143, causes });
    let joined = joined(vec![cut, stopped, slice("hash:1/4")]);
    let said = [
        "hash:2/4 did not end in order: cases are missing in of-2",
        "hash:3/4 is missing: no folder is of it",
        "hash:4/4: the run was stopped by SIGTERM",
    ];
    assert_eq!(joined.missing, said);
    assert_eq!(joined.run.outcome.passed, 3);
}

#[test]
fn a_case_that_applies_nowhere_is_told_once_though_every_slice_tells_it() {
    let skipping = |partition: &str| {
        let mut slice = slice(partition);
        slice.run.cases.push(sample::case("nowhere", Verdict::Skip));
        slice
    };
    let joined = joined(vec![skipping("slice:1/2"), skipping("slice:2/2")]);
    assert_eq!((joined.run.outcome.skipped, joined.run.outcome.passed), (1, 2));
}

#[test]
fn a_cell_that_one_slice_lost_is_lost_and_says_where() {
    let mut lost = slice("slice:2/2");
    let because = "etcd ended".to_owned();
    lost.run.cells[0].lost =
        Some(crate::report::schema::Lost { because, component: None, status: None, last_lines: Vec::new() });
    let joined = joined(vec![slice("slice:1/2"), lost]);
    assert_eq!(joined.run.cells[0].lost.as_ref().unwrap().because, "slice:2/2: etcd ended");
    assert_eq!(joined.run.outcome.lost_cells, 1);
}

/// A slice that does not belong to `slice:1/3` after this change.
#[rstest]
#[case::the_same_slice_again("slice:1/3", |_: &mut Run| {}, "it is slice:1/3 again, as of-1")]
#[case::of_more_slices("slice:2/4", |_: &mut Run| {}, "it is slice:2/4, and of-1 is slice:1/3")]
#[case::cut_in_another_way("hash:2/3", |_: &mut Run| {}, "it is hash:2/3, and of-1 is slice:1/3")]
#[case::by_another_program("slice:2/3", |run: &mut Run| run.program.version = "0.2.0".to_owned(),
    "its program is 0.2.0, that of of-1 is 0.1.0")]
#[case::of_other_cases("slice:2/3", |run: &mut Run| run.plan.filter = "suite(ttl)".to_owned(),
    "its filter is suite(ttl), that of of-1 is all()")]
#[case::repeated("slice:2/3", |run: &mut Run| run.plan.repeat = 2, "how often it repeats is 2, that of of-1 is 1")]
#[case::with_other_gates("slice:2/3", |run: &mut Run| run.cells[0].wanted.gates.extend([("A".to_owned(), true)]),
    "another cluster was asked for in its cell 1.37.1-builtin")]
#[case::with_another_store("slice:2/3", |run: &mut Run| run.cells[0].binaries.extend([("etcd".to_owned(), "0".to_owned())]),
    "in its cell 1.37.1-builtin etcd is another program")]
#[case::on_another_release("slice:2/3",
    |run: &mut Run| run.cells[0].attested.as_mut().unwrap().rows[0].found = "v1.36.4".to_owned(),
    "in its cell 1.37.1-builtin kube-apiserver /version is v1.36.4, elsewhere v1.37.1")]
#[case::with_a_case_of_another("slice:2/3", |run: &mut Run| run.cases = vec![sample::case("case-1", Verdict::Pass)],
    "success-policy/case-1 in 1.37.1-builtin was run by another slice, too")]
fn what_is_no_slice_of_the_same_run_is_refused(
    #[case] partition: &str,
    #[case] change: fn(&mut Run),
    #[case] says: &str,
) {
    let mut other = slice(partition);
    other.folder = PathBuf::from("other");
    change(&mut other.run);
    let refused = join(vec![slice("slice:1/3"), other], "joined", Vec::new()).unwrap_err();
    assert_eq!(refused.to_string(), format!("failed to join other: {says}"));
}

#[test]
fn a_whole_run_is_no_slice() {
    let folder = tempfile::tempdir().unwrap();
    sample_folder::write(folder.path(), 1);
    let refused = Slice::read(folder.path()).unwrap_err().to_string();
    assert!(refused.ends_with("it is a whole run, and no slice of one (--partition)"), "{refused}");
}

#[rstest]
#[case::above("../../elsewhere")]
#[case::from_the_root("/etc/hostname")]
fn a_run_that_names_a_recording_of_elsewhere_is_refused(#[case] path: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut run = sample_folder::write(folder.path(), 1);
    run.plan.partition = Some("slice:1/2".to_owned());
    run.cases[0].timeline = Some(path.to_owned());
    std::fs::write(folder.path().join("run.json"), store::json(&run)).unwrap();
    let refused = Slice::read(folder.path()).unwrap_err().to_string();
    assert!(refused.ends_with(&format!("a recording that is not inside of it: {path}")), "{refused}");
}

#[test]
fn nothing_is_no_run() {
    assert_eq!(join(Vec::new(), "joined", Vec::new()).unwrap_err().to_string(), "failed to join runs: there is none");
}
