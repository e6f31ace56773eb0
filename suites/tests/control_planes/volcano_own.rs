//! Volcano's own programs as the subject, shown with stand-ins: what is missing or of another release is told before anything is
//! started, what is there is started as it has to be, and what breaks is told in its words.

mod installed;
mod judged;
mod stand_ins;

use rstest::rstest;
use stand_ins::{CONTROLLER, Peculiar, Place, VERSION, WEBHOOK, said};
use std::{
    fs,
    process::{Command, Output, Stdio},
    time::Duration,
};

/// Takes several seconds, in which something can go wrong.
const LONG: &str = "volcano-timeouts/an-action-waits-for-its-time";
const SHORT: &str = "volcano-admission/defaults";

#[rstest]
#[case::a_folder_without_programs(None, None, "failed to find")]
#[case::a_folder_without_a_webhook(Some("echo Version: v1.15.1"), None, WEBHOOK)]
#[case::another_release(Some("echo Version: v1.13.3"), Some("echo Version: v1.13.3"), "is of release v1.13.3")]
#[case::two_releases(Some("echo Version: v1.15.1"), Some("echo Version: v1.15.0"), "both must be of one release")]
#[case::something_else(Some("echo hello"), Some("echo hello"), "says no version")]
#[case::silence(
    Some("echo Version: v1.15.1"),
    Some("sleep 60 & wait"),
    "vc-webhook-manager --version took more than 20 s"
)]
fn what_is_not_volcano_is_told_before_anything_starts(
    #[case] controller: Option<&str>,
    #[case] webhook: Option<&str>,
    #[case] part: &str,
) {
    let place = Place::new();
    for (name, text) in [(CONTROLLER, controller), (WEBHOOK, webhook)] {
        if let Some(text) = text {
            place.program(name, text);
        }
    }
    let ran = place.run(&[]);
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains(part), "{}", said(&ran));
    assert!(!place.folder().join("out/cells").exists());
}

#[test]
fn nobody_guesses_where_the_programs_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
    let ran = command.args(["plan", "--controller", "volcano"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(ran.status.code(), Some(2), "{}", said(&ran));
    assert!(said(&ran).contains("--volcano-binaries DIR"), "{}", said(&ran));
}

/// The cell is lost, which is no verdict, and the run says why.
fn is_lost(ran: &Output, parts: &[&str]) {
    assert_eq!(ran.status.code(), Some(3), "{}", said(ran));
    for part in parts {
        assert!(said(ran).contains(part), "`{part}` is not in:\n{}", said(ran));
    }
}

#[rstest]
#[case::the_webhook_at_its_start(
    WEBHOOK,
    "echo 'no configuration named so' >&2; exit 7",
    &["admission-webhook", "exit status: 7", "no configuration named so"]
)]
#[case::the_controller_at_its_start(
    CONTROLLER,
    "echo 'no kind named so' >&2; exit 7",
    &["job-controller", "exit status: 7", "no kind named so"]
)]
#[case::flags_that_it_does_not_know(
    CONTROLLER,
    "echo 'unknown flag: --enable-healthz' >&2; exit 2",
    &["job-controller", "exit status: 2", "unknown flag: --enable-healthz"]
)]
#[case::a_webhook_that_never_listens(
    WEBHOOK,
    "echo 'waiting for the configuration' >&2; exec sleep 600",
    &["failed to see admission-webhook ready within 30s: Connection refused", "waiting for the configuration"]
)]
fn what_does_not_start_is_told_with_its_last_words(#[case] name: &str, #[case] text: &str, #[case] parts: &[&str]) {
    let place = Place::new();
    place.stand_in(Peculiar::default());
    place.program(name, &format!("{VERSION}\n{text}"));
    is_lost(&place.run(&[SHORT]), parts);
}

/// Its health is under the right certificate, and so nothing but a review shows it.
#[test]
fn a_webhook_whose_certificate_the_api_server_does_not_trust_is_told_before_a_case_begins() {
    let place = Place::new();
    place.stand_in(Peculiar { certificate: Some("administrator"), ..Peculiar::default() });
    let parts =
        ["failed to see a plain Job of batch.volcano.sh/v1alpha1 let in within 30s", "mutatejob.volcano.sh", "x509"];
    is_lost(&place.run(&[SHORT]), &parts);
}

#[rstest]
#[case::the_controller(CONTROLLER, "the controller ended unasked with exit status: 9 while")]
#[case::the_webhook(WEBHOOK, "the controller ended unasked with exit status: 9 of its webhook while")]
#[tokio::test(flavor = "multi_thread")]
async fn who_dies_in_a_case_fails_it(#[case] name: &str, #[case] death: &str) {
    let place = Place::new();
    place.stand_in(Peculiar::default());
    let run = place.command(&[LONG]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let told = place.folder().join("out/events.ndjson");
    let mut look = tokio::time::interval(Duration::from_millis(50));
    let begins = async {
        while !fs::read_to_string(&told).unwrap_or_default().contains("case.started") {
            look.tick().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(180), begins).await.expect("a case begins");
    place.dies(name);
    let ran = tokio::task::spawn_blocking(|| run.wait_with_output().unwrap()).await.unwrap();
    assert_eq!(ran.status.code(), Some(1), "{}", said(&ran));
    for part in [death, "out of luck"] {
        assert!(said(&ran).contains(part), "`{part}` is not in:\n{}", said(&ran));
    }
}
