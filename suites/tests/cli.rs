//! The `jobsworth` program from outside, as far as it needs no cluster: usage, lists, plans, bad input.

use rstest::rstest;
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// The program in an environment of its own: no colour, no CI, no binaries, no cache. Backtraces are asked for, as many people do
/// for their other programs; what a user can mend has none.
fn jobsworth(arguments: &[&str]) -> Output {
    let empty = tempfile::tempdir().expect("there is a place for temporary folders");
    command(arguments, empty.path()).output().expect("the program was built for this test")
}

fn command(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
    command.args(arguments).current_dir(folder).env_clear().env("JOBSWORTH_CACHE", folder.join("cache"));
    command.env("RUST_BACKTRACE", "full");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program writes text")
}

#[track_caller]
fn refused(arguments: &[&str], code: i32, says: &str) {
    let output = jobsworth(arguments);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{told}");
    assert!(told.contains(says), "`{says}` is not in:\n{told}");
    assert!(!told.contains('\u{1b}'), "{told:?}");
    assert!(!told.contains("backtrace"), "{told}");
}

#[rstest]
#[case::a_command(&["repotr"], "a similar subcommand exists: 'report'")]
#[case::a_flag(&["run", "--sede", "1"], "a similar argument exists: '--seed'")]
#[case::a_case(&["run", "ttl/zero-removes-at-onec"], "did you mean `ttl/zero-removes-at-once`")]
#[case::a_suite(&["plan", "tll"], "did you mean `ttl`")]
#[case::a_gate(&["run", "--gates", "JobSucessPolicy=false"], "did you mean `JobSuccessPolicy`")]
#[case::a_version(&["run", "--kubernetes", "1.37.11"], "did you mean `1.37.1`")]
#[case::a_controller(&["run", "--controller", "bultin"], "did you mean `builtin`?")]
#[case::a_load_profile(&["load", "indexd-500"], "did you mean `indexed-500`")]
#[case::a_load_profile_that_is_missing(&["load", "missing.yaml"], "failed to read the load profile missing.yaml")]
#[case::one_alone_and_compared(&["load", "--controller", "builtin", "--head", "builtin"], "cannot be used with")]
#[case::trials_of_two(&["load", "--trials", "2"], "--trials is for one controller alone")]
#[case::a_rate_of_what_has_none(&["load", "indexed-500", "--find-rate"], "say `load churn --find-rate`")]
#[case::a_burst_of_no_bucket(&["load", "--qps", "off", "--burst", "100"], "there is no bucket that --burst could be the size of")]
#[case::a_budget_that_is_a_word(&["load", "--qps", "none"], "write a number from 1 to 1000, or `off`")]
#[case::a_rate_that_nothing_limits(&["load", "churn", "--find-rate", "--qps", "off"], "leave --qps off out of --find-rate")]
#[case::workers_of_nobody(&["load", "smoke", "--controller", "reference", "--workers", "50"], "--workers is for the built-in controller")]
#[case::workers_of_a_pod(&["load", "smoke", "--provider", "kind", "--workers", "50"], "--workers is for the built-in controller")]
#[case::two_heads(&["load", "--head", "reference", "--head-file", "mine.yaml"], "cannot be used with")]
#[case::a_head_that_is_missing(&["load", "--head-file", "missing.yaml"], "failed to read the controller file missing.yaml")]
#[case::a_soak_of_what_is_none(&["load", "churn", "--for", "1h"], "say `load soak --for 1h`")]
#[case::a_soak_of_seconds(&["load", "soak", "--for", "5s"], "write a time from 30s to 23h")]
#[case::a_soak_of_two_that_outlives_the_cluster(&["load", "soak", "--for", "12h"], "ask for 11.5 h at most, for each of 2")]
#[case::a_soak_that_searches(&["load", "soak", "--for", "1h", "--find-rate"], "cannot be used with")]
#[case::a_leader_by_kwok(&["load", "policy-499", "--pods", "kwok"], "failed to plan policy-499: --pods kwok cannot play its pods: index 0")]
#[case::low_indexes_by_kwok(&["load", "W3", "--pods", "kwok"], "failed to plan policy-64k: --pods kwok cannot play its pods")]
#[case::pods_by_nobody(&["load", "--pods", "kwk"], "a similar value exists: 'kwok'")]
#[case::tenants_where_silence_is_waited_for(&["load", "policy-499", "--tenants", "3"], "policy-499 waits for a silent controller")]
#[case::tenants_where_deadlines_run(&["load", "ttl-1000", "--tenants", "3"], "ttl-1000 waits for a silent controller or for deadlines")]
#[case::tenants_in_a_search(&["load", "churn", "--find-rate", "--tenants", "3"], "cannot be used with")]
#[case::tenants_whose_pods_two_would_play(&["load", "smoke", "--tenants", "3", "--pods", "kwok"], "take --tenants without --pods")]
#[case::nobody_alone(&["load", "--controller", "bultin"], "did you mean `builtin`?")]
#[case::two_where_one_is_there(
    &["load", "smoke", "--provider", "existing", "--base", "builtin"],
    "two controllers cannot take turns, for the one that is there cannot be stopped for another"
)]
#[case::pairs_where_one_is_there(&["load", "smoke", "--provider", "kind", "--pairs", "2"], "leave --base, --head and --pairs out")]
#[case::a_program_where_one_is_there(
    &["load", "smoke", "--provider", "existing", "--controller", "reference"],
    "name the manager of one that is installed"
)]
#[case::a_manager_in_a_new_cluster(
    &["load", "smoke", "--provider", "kind", "--manager", "example.com/mine"],
    "no controller is installed in clusters that are made for the run"
)]
#[case::a_manager_of_nobody(&["load", "smoke", "--manager", "example.com/mine"], "no controller is installed in clusters")]
#[case::a_bucket_of_the_users(&["load", "smoke", "--provider", "existing", "--qps", "50"], "leave --qps and --burst out")]
#[case::a_rate_in_the_users(&["load", "churn", "--find-rate", "--provider", "existing"], "use --provider local for --find-rate")]
#[case::a_soak_by_kind(&["load", "soak", "--for", "1h", "--provider", "kind"], "use --provider local for --find-rate and --for")]
#[case::a_leader_in_the_users(&["load", "policy-499", "--provider", "existing"], "one pod succeeds at a word")]
#[case::finished_jobs_by_kind(&["load", "ttl-1000", "--provider", "kind"], "while no controller runs")]
#[case::more_pods_than_a_node_takes(&["load", "indexed-500", "--provider", "kind"], "and 100 may")]
#[case::more_pods_than_the_user_takes(&["load", "anchor-2214", "--provider", "existing"], "or allow more with --max-pods")]
#[case::a_load_in_a_cluster_without_a_file(&["load", "smoke", "--provider", "existing"], "no kubeconfig is named")]
#[case::a_slice_of_a_load_in_a_cluster_of_its_own(
    &["load", "churn", "--partition", "slice:1/2"],
    "failed to plan the load as slice:1/2: each slice would have a cluster of its own"
)]
#[case::a_slice_of_a_load_by_kind(
    &["load", "churn", "--provider", "kind", "--partition", "slice:1/2"],
    "slices are of a load on one cluster of yours"
)]
#[case::a_slice_of_jobs_that_wait_for_pods_of_others(
    &["load", "smoke", "--provider", "existing", "--partition", "slice:1/3"],
    "its Jobs `last` come after the first pod of others, which another slice may have"
)]
#[case::more_slices_than_jobs(
    &["load", "indexed-500", "--provider", "existing", "--partition", "slice:1/3"],
    "failed to plan indexed-500 as slice:1/3: it has 1 Jobs for 3 slices"
)]
#[case::a_slice_of_one_hand_on_all_jobs(
    &["load", "suspend-500", "--provider", "existing", "--partition", "slice:1/1"],
    "its scenario has one hand on all Jobs at the same moment"
)]
#[case::a_slice_of_a_load_by_names(
    &["load", "churn", "--provider", "existing", "--partition", "hash:1/2"],
    "say `--partition slice:m/n`"
)]
#[case::a_slice_of_a_load_that_there_is_not(
    &["load", "churn", "--provider", "existing", "--partition", "slice:3/2"],
    "m is greater than n"
)]
#[case::a_slice_of_a_search(
    &["load", "churn", "--find-rate", "--provider", "existing", "--partition", "slice:1/2"],
    "use --provider local for --find-rate and --for"
)]
#[case::a_slice_of_two_controllers(
    &["load", "churn", "--provider", "existing", "--head", "builtin", "--partition", "slice:1/2"],
    "two controllers cannot take turns"
)]
#[case::a_load_in_pods_that_cannot_be_cut(
    &["shard", "write", "--slices", "3", "--load", "smoke"],
    "its Jobs `last` come after the first pod of others"
)]
#[case::a_load_and_cases_in_pods(
    &["shard", "write", "--slices", "3", "--load", "churn", "ttl"],
    "failed to cut the load into slices: a CASE is about cases, and a load has none"
)]
#[case::sizes_of_a_load_that_is_not_named(&["shard", "write", "--slices", "3", "--scale", "5", "ttl"], "--load <PROFILE[,PROFILE]>")]
#[case::a_load_in_containers(&["load", "smoke", "--provider", "containers"], "the provider `containers` is none for loads")]
#[case::a_provider(&["load", "--provider", "exsting"], "did you mean `existing`?")]
#[case::room_for_pods_that_are_played(&["load", "--max-pods", "600"], "are for clusters in which pods really run")]
#[case::a_plan(&["run", "-P", "smoek"], "did you mean `smoke`?")]
#[case::a_filter(&["run", "-E", "suite(ttl) and siute(ttl)"], "the filter is wrong at column 16")]
#[case::a_requirement(&["plan", "-E", "requirement(NOPE-999)"], "there is no requirement `NOPE-999`")]
#[case::a_partition(&["plan", "--partition", "slice:3/2"], "m is greater than n")]
#[case::a_repetition(&["run", "--repeat", "0"], "0 is not in 1..=10000")]
#[case::two_plans(&["run", "-P", "smoke", "--plan", "x.yaml"], "cannot be used with")]
#[case::no_such_file(&["plan", "--plan", "missing.yaml"], "failed to read the plan missing.yaml")]
#[case::no_such_manifest(&["observe", "-f", "missing.yaml"], "failed to read the manifest missing.yaml")]
#[case::a_version_of_an_image(&["cluster", "image", "--kubernetes", "1.37.11"], "did you mean `1.37.1`")]
#[case::an_image_without_debootstrap(&["cluster", "image"], "`apt-get install debootstrap` brings it")]
#[case::an_existing_cluster_without_a_file(&["run", "--provider", "existing"], "no kubeconfig is named")]
#[case::an_existing_cluster_by_a_file_that_is_missing(
    &["plan", "--provider", "existing", "--kubeconfig", "missing.yaml", "--context", "mine"],
    "failed to read the kubeconfig missing.yaml"
)]
#[case::an_existing_cluster_to_be_made(&["cluster", "up", "--provider", "existing"], "it makes none")]
#[case::a_kind_cluster_with_kwok(&["cluster", "up", "--provider", "kind", "--kwok"], "failed to keep a kind cluster with kwok")]
#[case::no_such_cluster(&["cluster", "kubeconfig", "nobody"], "failed to find a cluster named `nobody`")]
fn misuse_ends_with_2_and_the_way_out(#[case] arguments: &[&str], #[case] says: &str) {
    refused(arguments, 2, says);
}

#[rstest]
#[case::a_run("run")]
#[case::nothing("missing.json")]
fn the_record_of_a_load_is_not_joined_with(#[case] other: &str) {
    let folder = tempfile::tempdir().expect("there is a place for temporary folders");
    fs::write(folder.path().join("load.json"), "{}").expect("it can be written");
    fs::create_dir(folder.path().join("run")).expect("it can be made");
    let output = command(&["merge", "load.json", other], folder.path()).output();
    let output = output.expect("the program was built for this test");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains(&format!("load.json is the record of a load, and {other} is none")), "{told}");
}

#[rstest]
#[case::a_locked_gate(
    &["run", "--kubernetes", "1.36.4", "--gates", "JobSuccessPolicy=false"],
    "it is locked to true since 1.33; possible with 1.35.4 emulating 1.32"
)]
#[case::a_gate_that_went(
    &["run", "--gates", "JobSuccessPolicy=false"],
    "it was removed in 1.37 and must not be named, whatever version is emulated; possible with 1.35.4 emulating 1.32"
)]
#[case::an_emulation_out_of_reach(&["run", "--emulate", "1.31"], "failed to emulate 1.31 with 1.37.1")]
fn an_impossible_cell_is_refused_before_anything_starts(#[case] arguments: &[&str], #[case] says: &str) {
    refused(arguments, 2, says);
}

#[test]
fn without_programs_and_go_the_error_names_both_ways_out() {
    // Without a word a container runtime would be a way out, too.
    refused(
        &["run", "--provider", "local", "-E", "suite(ttl)"],
        2,
        "either install Go, or give ready programs through --binaries",
    );
}

#[rstest]
#[case::an_unknown_key("jbos: 3\n", "mine.yaml:3:1: there is no key `jbos` here")]
#[case::a_wrong_type("jobs: many\n", "mine.yaml:3:7: invalid u16")]
#[case::a_duplicate_key("jobs: 1\njobs: 2\n", "mine.yaml:4:1: the key `jobs` is given twice")]
#[case::an_unknown_gate("cells: [{gates: {JobSucessPolicy: true}}]\n", "mine.yaml:3:35: there is no feature gate")]
fn a_plan_file_with_a_mistake_is_told_with_line_and_column(#[case] tail: &str, #[case] says: &str) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.yaml"), format!("schema: jobsworth/plan/v1\nname: mine\n{tail}")).unwrap();
    let output = command(&["run", "--plan", "mine.yaml"], folder.path()).output().unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains(says), "{told}");
}

#[test]
fn a_plan_file_of_five_megabytes_or_with_a_bomb_of_aliases_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("large.yaml"), "#".repeat(5 << 20)).unwrap();
    let head = "schema: jobsworth/plan/v1\nname: mine\n";
    let levels: String =
        (1..10).map(|level| format!("  - &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(", "))).collect();
    fs::write(folder.path().join("bomb.yaml"), format!("{head}cells:\n  - &a0 {{kubernetes: 1.37.1}}\n{levels}"))
        .unwrap();
    for (file, says) in [("large.yaml", "it has 5242880 bytes; the largest has 3145728"), ("bomb.yaml", "bomb.yaml:")] {
        let output = command(&["plan", "--plan", file], folder.path()).output().unwrap();
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(says), "{told}");
    }
}

#[rstest]
#[case::smoke("smoke")]
#[case::pull_request("pull_request")]
fn the_plans_that_come_along_have_cases_in_every_cell(#[case] name: &str) {
    let output = jobsworth(&["plan", "-P", name, "--seed", "1"]);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{told}{}", text(&output.stderr));
    let cells: Vec<&str> = told.split("\ncell ").skip(1).collect();
    assert!(!cells.is_empty() && cells.iter().all(|cell| cell.contains("\n  run   ")), "{told}");
}

#[test]
fn a_selection_of_nothing_is_no_success() {
    let output = jobsworth(&["plan", "-E", "none()"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("nothing is selected"));
}

#[test]
fn shards_together_are_the_whole_plan() {
    let runs = |part: &[&str]| {
        let output = jobsworth(&[&["plan", "-E", "suite(ttl)", "--seed", "1"], part].concat());
        let told = text(&output.stdout);
        told.lines().filter_map(|line| line.strip_prefix("  run   ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut parts: Vec<String> =
        ["hash:1/3", "hash:2/3", "hash:3/3"].iter().flat_map(|part| runs(&["--partition", part])).collect();
    let mut whole = runs(&[]);
    parts.sort();
    whole.sort();
    assert_eq!(parts, whole);
}

#[rstest]
#[case::cases("cases")]
#[case::suites("suites")]
#[case::requirements("requirements")]
#[case::gates("gates")]
#[case::versions("versions")]
fn every_list_has_all_its_forms(#[case] what: &str) {
    let list = |format: &str| {
        let output = jobsworth(&["list", what, "--format", format]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let rows: Vec<Value> = serde_json::from_str(&list("json")).unwrap();
    assert!(!rows.is_empty());
    assert_eq!(list("names").lines().count(), rows.len());
    assert!(list("table").lines().count() > rows.len());
    assert!(list("markdown").lines().skip(2).take(rows.len()).all(|line| line.starts_with("| ")));
}

#[test]
fn the_list_of_requirements_counts_what_is_covered() {
    let rows: Vec<Value> =
        serde_json::from_slice(&jobsworth(&["list", "requirements", "--format", "json"]).stdout).unwrap();
    let covered = rows.iter().filter(|row| !row["cases"].as_array().unwrap().is_empty()).count();
    let told = text(&jobsworth(&["list", "requirements"]).stdout);
    assert!(told.contains(&format!("{covered} of {} requirements are covered", rows.len())), "{told}");
}

#[rstest]
#[case::plan("plan", "schema/plan.json")]
#[case::controller("controller", "schema/controller.json")]
#[case::run("run", "schema/run.json")]
#[case::events("events", "schema/events.json")]
#[case::verdicts("verdicts", "schema/verdicts.json")]
#[case::manifest("manifest", "schema/manifest.json")]
fn the_published_schemas_are_those_of_the_program(#[case] name: &str, #[case] file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(file);
    let published = fs::read_to_string(&path).unwrap_or_default();
    let current = text(&jobsworth(&["schema", name]).stdout);
    assert!(published == current, "docs/{file} is old: cargo jobsworth schema {name} > docs/{file}");
    let schema: Value = serde_json::from_str(&current).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
}

#[test]
fn completions_manual_and_version_come_from_the_same_definition() {
    for shell in ["bash", "zsh", "fish"] {
        let output = jobsworth(&["completions", shell]);
        assert!(output.status.success() && text(&output.stdout).contains("kubernetes"));
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(command(&["man", "pages"], folder.path()).output().unwrap().status.success());
    assert!(fs::read_to_string(folder.path().join("pages/jobsworth-run.1")).unwrap().contains("kubernetes"));
    let version: Value = serde_json::from_slice(&jobsworth(&["version", "--json"]).stdout).unwrap();
    assert_eq!(version["default"], "1.37.1");
}

#[test]
fn doctor_says_what_is_missing_and_how_to_mend_it() {
    let output = jobsworth(&["doctor"]);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("missing  go") && told.contains("install Go"), "{told}");
}

#[test]
fn doctor_says_how_to_get_nodes_where_there_is_no_runtime() {
    let output = jobsworth(&["doctor", "--json"]);
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    let check = |what: &str| checks.as_array().unwrap().iter().find(|check| check["what"] == what).cloned().unwrap();
    assert_eq!(check("runtime")["state"], "note");
    assert!(check("runtime")["fix"].as_str().unwrap().contains("podman"), "{checks}");
    assert!(check("node images")["found"].as_str().unwrap().contains("no debootstrap"), "{checks}");
}

#[test]
fn a_cache_without_images_says_so() {
    let output = jobsworth(&["cluster", "image", "--list"]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), "no image was made here\n"));
    assert_eq!(text(&jobsworth(&["cluster", "image", "--list", "--json"]).stdout).trim(), "[]");
    assert_eq!(text(&jobsworth(&["cluster", "image", "--remove"]).stdout), "no image was made here\n");
}

#[rstest]
#[case::no_folder("nowhere", None, "failed to read nowhere/run.json")]
#[case::half_a_file("half", Some("{\n  \"schema\": \"jobsworth/run/v1\",\n  \"id\": }"), "line 3 column 9")]
#[case::another_schema("other", Some("{\"schema\": \"jobsworth/run/v9\"}"), "its schema is jobsworth/run/v9")]
fn judge_refuses_what_it_cannot_read_and_names_it(#[case] run: &str, #[case] json: Option<&str>, #[case] says: &str) {
    let folder = tempfile::tempdir().unwrap();
    if let Some(json) = json {
        fs::create_dir(folder.path().join(run)).unwrap();
        fs::write(folder.path().join(run).join("run.json"), json).unwrap();
    }
    let output = command(&["judge", run], folder.path()).output().unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains(says), "{told}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let script = format!("set -o pipefail; {} list requirements | head -1", env!("CARGO_BIN_EXE_jobsworth"));
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[rstest]
#[case::never("never", false)]
#[case::always("always", true)]
fn colour_is_as_asked(#[case] when: &str, #[case] coloured: bool) {
    let output = jobsworth(&["doctor", "--color", when]);
    assert_eq!(text(&output.stdout).contains('\u{1b}'), coloured);
}
