//! Controllers of users as the subject: the worked example of docs/your-controller.md, and programs that are none.

use rstest::rstest;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn jobsworth(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_jobsworth")).args(arguments).current_dir(folder).output().unwrap()
}

/// The example's program and its description, in which the program has the place where this test built it.
fn example(folder: &Path) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/own-controller");
    let program = folder.join("controller");
    let built = Command::new("go").args(["build", "-o"]).arg(&program).arg(".").current_dir(&sources).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let description = fs::read_to_string(sources.join("controller.yaml")).unwrap();
    let here = description.replace("examples/own-controller/controller", &program.display().to_string());
    assert_ne!(here, description, "the description names the program");
    let file = folder.join("controller.yaml");
    fs::write(&file, here).unwrap();
    file
}

#[test]
fn the_example_fails_what_it_overlooks_and_the_report_says_how_to_see_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = example(folder.path()).display().to_string();
    // One that it cannot pass, and one that asks nothing of it: what it does by chance on a slow machine is not tested here.
    let cases = ["status-validation/conditions", "indexed-job/complete-when-every-index-succeeded"];
    let ran = jobsworth(&[&["run", "-o", "out", "--controller-file", &file], cases.as_slice()].concat(), folder.path());
    let (told, trouble) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(1), "{told}\n{trouble}");
    assert!(told.contains("cases     1 passed, 1 failed"), "{told}");
    assert!(told.contains("1.37.1-small  indexed-job/complete-when-every-index-succeeded"), "{told}");
    assert!(told.contains("invariant S21"), "its pods have no index: {told}");
    assert!(told.contains(&format!("--controller-file {file}")), "how it is run again: {told}");
    assert!(!told.contains("had no right"), "{told}");
}

#[test]
fn a_described_program_serves_jobs_and_is_judged_like_one_that_comes_along() {
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_jobsworth")).with_file_name("jobsworth-controller");
    let text = format!(
        "schema: jobsworth/controller/v1\nname: described\ncommand: [{}, '--kubeconfig={{kubeconfig}}', \
         '--managed-by={{manager}}', '--metrics-address=127.0.0.1:{{health-port}}', '--feature-gates={{gates}}']\n\
         environment: {{JOBSWORTH_LEADER_ELECT: 'false'}}\nownership: {{managed-by: example.com/described}}\n\
         ready: {{answers: 'http://127.0.0.1:{{health-port}}/readyz'}}\n",
        program.display()
    );
    fs::write(folder.path().join("described.yaml"), text).unwrap();
    let cases = ["ttl/zero-removes-at-once", "indexed-job/complete-when-every-index-succeeded"];
    let described = ["run", "-o", "out", "--controller-file", "described.yaml"];
    let ran = jobsworth(&[described.as_slice(), &cases].concat(), folder.path());
    let (told, trouble) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{told}\n{trouble}");
    assert!(told.contains("cases     2 passed"), "{told}");
}

#[rstest]
#[case::is_not_there("program: ./nowhere", 2, "failed to find the program ./nowhere of the controller nowhere")]
#[case::has_another_placeholder("program: /bin/true {kubekonfig}", 2, "did you mean `{kubeconfig}`?")]
#[case::ends_at_once("program: /bin/sh -c 'echo no leader >&2; exit 3'", 3, "no leader")]
fn a_program_that_is_no_controller_is_told(#[case] line: &str, #[case] code: i32, #[case] says: &str) {
    let folder = tempfile::tempdir().unwrap();
    let ran = jobsworth(&["run", "ttl/zero-removes-at-once", "--controller", line, "-o", "out"], folder.path());
    let told = [ran.stdout, ran.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    assert_eq!(ran.status.code(), Some(code), "{told}");
    assert!(told.contains(says), "{told}");
}

#[test]
fn a_manager_without_a_program_is_for_clusters_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let ran = jobsworth(&["run", "-P", "smoke", "--manager", "example.com/mine"], folder.path());
    let trouble = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{trouble}");
    assert!(trouble.contains("no controller is installed in clusters that are made for the run"), "{trouble}");
}
