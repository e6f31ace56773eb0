//! The program itself, from outside, as far as it needs no API server.

use std::process::{Command, Output};

use rstest::rstest;

fn ended(flags: &[&str]) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_jobsworth-controller"));
    let Output { status, stderr, .. } =
        program.args(flags).env_clear().env("RUST_BACKTRACE", "full").output().expect("the program was built for this");
    (status.code(), String::from_utf8(stderr).expect("the program writes text"))
}

#[rstest]
#[case::a_kubeconfig_that_is_missing(
    &["--metrics-address=127.0.0.1:0", "--kubeconfig=/nowhere/config"],
    "error: read the kubeconfig /nowhere/config: "
)]
#[case::no_pod_and_no_kubeconfig(&["--metrics-address=127.0.0.1:0"], "error: find the API server: no --kubeconfig was given")]
fn what_a_user_can_mend_is_told_in_one_line_and_ends_with_2(#[case] flags: &[&str], #[case] says: &str) {
    let (code, told) = ended(flags);
    assert!(told.starts_with(says), "{told}");
    assert_eq!((told.lines().count(), code), (1, Some(2)), "{told}");
}

#[test]
fn plain_http_for_the_network_is_refused_with_the_way_out() {
    let (code, told) = ended(&["--metrics-address=0.0.0.0:10270", "--metrics-secure=false"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("leave it out, or use --metrics-address=127.0.0.1:10270"), "{told}");
}
