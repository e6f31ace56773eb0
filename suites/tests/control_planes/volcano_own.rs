//! Volcano's own programs as the subject, shown with stand-ins: what is missing or of another release is told before anything is
//! started, and what is there is started as it has to be.

use jobsworth_harness::subject::{Subject, checkout};
use rstest::rstest;
use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Output},
};

const CONTROLLER: &str = "vc-controller-manager";
const WEBHOOK: &str = "vc-webhook-manager";
const VERSION: &str = "if [ \"$1\" = --version ]; then echo 'Version: v1.15.1'; exit; fi";

fn program(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(folder: &Path, cases: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
    command.args(["run", "--controller", "volcano", "--volcano-binaries", "programs", "-o", "out"]);
    command.args(cases).current_dir(folder).output().unwrap()
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}

#[rstest]
#[case::a_folder_without_programs(None, None, "failed to find")]
#[case::a_folder_without_a_webhook(Some("echo Version: v1.15.1"), None, WEBHOOK)]
#[case::another_release(Some("echo Version: v1.13.3"), Some("echo Version: v1.13.3"), "is of release v1.13.3")]
#[case::two_releases(Some("echo Version: v1.15.1"), Some("echo Version: v1.15.0"), "both must be of one release")]
#[case::something_else(Some("echo hello"), Some("echo hello"), "says no version")]
fn what_is_not_volcano_is_told_before_anything_starts(
    #[case] controller: Option<&str>,
    #[case] webhook: Option<&str>,
    #[case] part: &str,
) {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).unwrap();
    for (name, text) in [(CONTROLLER, controller), (WEBHOOK, webhook)] {
        if let Some(text) = text {
            program(&programs, name, text);
        }
    }
    let ran = run(folder.path(), &[]);
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains(part), "{}", said(&ran));
    assert!(!folder.path().join("out/cells").exists());
}

#[test]
fn nobody_guesses_where_the_programs_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
    let ran = command.args(["plan", "--controller", "volcano"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains("--volcano-binaries DIR"), "{}", said(&ran));
}

/// What a flag was given, in a shell that finds it among its arguments.
fn flag(name: &str) -> String {
    format!("{name}=$(printf '%s\\n' \"$@\" | sed -n 's/^--{flag}=//p')", flag = name.replace('_', "-"))
}

/// Stand-ins that take Volcano's flags and do Volcano's work by jobsworth's own program.
fn stand_ins(programs: &Path, ours: &Path) {
    let ours = ours.display();
    let flags = |names: &[&str]| names.iter().map(|name| flag(name)).collect::<Vec<_>>().join("\n");
    let controller = flags(&["kubeconfig", "kube_api_qps", "kube_api_burst", "leader_elect", "healthz_address"]);
    program(
        programs,
        CONTROLLER,
        &format!(
            "{VERSION}\necho \"$@\" > {folder}/controller.flags\n{controller}\nexec {ours} controller --kubeconfig=$kubeconfig \
             --kube-api-qps=$kube_api_qps --kube-api-burst=$kube_api_burst --leader-elect=$leader_elect \
             --metrics-address=$healthz_address --metrics-secure=false",
            folder = programs.display()
        ),
    );
    let webhook =
        flags(&["kubeconfig", "tls_cert_file", "tls_private_key_file", "listen_address", "port", "healthz_address"]);
    let serve = format!(
        "{ours} webhook --kubeconfig=$kubeconfig --tls-cert-file=$tls_cert_file --tls-private-key-file=$tls_private_key_file \
         --listen-address=$listen_address"
    );
    // Volcano's webhook manager tells its health on a port of its own.
    program(
        programs,
        WEBHOOK,
        &format!(
            "{VERSION}\necho \"$@\" > {folder}/webhook.flags\n{webhook}\n{serve} --port=${{healthz_address#*:}} &\nhealth=$!\n\
             (while kill -0 $$ 2>/dev/null; do sleep 0.2; done; kill $health) &\nexec {serve} --port=$port",
            folder = programs.display()
        ),
    );
}

#[test]
fn stand_ins_are_started_with_volcano_s_flags_and_judged() {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).unwrap();
    let ours = Subject::volcano_reference();
    let ours = ours.kind.program().unwrap();
    checkout::make_ready(ours, &|line| drop(writeln!(std::io::stderr(), "{line}"))).unwrap();
    stand_ins(&programs, ours);
    let cases = ["volcano-lifecycle/a-job-whose-pods-succeed-is-completed", "volcano-admission/defaults"];
    let ran = run(folder.path(), &cases);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    // The stand-in does what Volcano does not: that is news, and no failure.
    let record = fs::read_to_string(folder.path().join("out/run.json")).unwrap();
    assert!(record.contains("volcano-sh/volcano#4616"), "{record}");
    let flags = |name: &str| fs::read_to_string(programs.join(name)).unwrap();
    for part in [
        "--leader-elect=false",
        "+job-controller,+queue-controller,+gc-controller,+pg-controller",
        "--enable-healthz=true",
    ] {
        assert!(flags("controller.flags").contains(part), "{}", flags("controller.flags"));
    }
    for part in
        ["--enabled-admission=/jobs/mutate,/jobs/validate,/podgroups/mutate", "--ca-cert-file=", "--webhook-url=https"]
    {
        assert!(flags("webhook.flags").contains(part), "{}", flags("webhook.flags"));
    }
}

#[test]
fn a_program_that_dies_at_its_start_is_told_with_its_last_words() {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).unwrap();
    for name in [CONTROLLER, WEBHOOK] {
        program(&programs, name, &format!("{VERSION}\necho 'no configuration named so' >&2\nexit 7"));
    }
    let ran = run(folder.path(), &["volcano-admission/defaults"]);
    assert_eq!(ran.status.code(), Some(3), "{}", said(&ran));
    assert!(said(&ran).contains("no configuration named so"), "{}", said(&ran));
}
