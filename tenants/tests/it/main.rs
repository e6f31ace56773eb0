//! The program as people start it, where it must say no before anything is asked.

use std::process::Command;

use rstest::rstest;

#[rstest]
#[case::a_server_in_the_open(&["--server=http://127.0.0.1:1"], 2, "nothing else")]
#[case::a_mix_of_nobody(&["--server=https://127.0.0.1:1", "--mix=robot=1"], 2, "there is no kind `robot`")]
#[case::too_many(&["--server=https://127.0.0.1:1", "--users=201"], 2, "201 is not in 1..=200")]
#[case::no_authority(&["--server=https://127.0.0.1:1"], 1, "failed to read /nowhere/ca")]
fn what_cannot_be_done_is_said(#[case] flags: &[&str], #[case] code: i32, #[case] says: &str) {
    let always = ["--ca=/nowhere/ca", "--token-file=/nowhere/token", "--namespace=here", "--report=/nowhere/report"];
    let output = Command::new(env!("CARGO_BIN_EXE_jobsworth-tenants"))
        .args(always)
        .args(flags)
        .output()
        .expect("the program was built for this test");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(says), "{said}");
}
