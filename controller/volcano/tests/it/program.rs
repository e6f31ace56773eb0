//! The program and its subcommands.

use std::process::Command;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_jobsworth-volcano"))
}

#[test]
fn the_definitions_are_printed_as_they_are_deployed() {
    let output = program().arg("crds").output().unwrap();
    assert!(output.status.success());
    assert!(output.stdout == include_bytes!("../../../deploy/volcano/crds.yaml"), "they differ");
}

#[test]
fn a_webhook_without_a_way_to_the_api_server_says_so() {
    let flags =
        ["webhook", "--kubeconfig=/nowhere", "--tls-cert-file=/nowhere", "--tls-private-key-file=/nowhere", "--port=0"];
    let output = program().args(flags).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.contains("read the kubeconfig /nowhere"), "{words}");
}
