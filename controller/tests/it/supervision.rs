//! When a part of the program dies, the program ends with words and a code, and leaves the lease to run out.

use std::net::SocketAddr;
use std::process::{Command, exit};
use std::sync::{Arc, Mutex};

use clap::Parser;
use jobsworth_controller::args::Args;
use jobsworth_controller::parts::Parts;
use jobsworth_controller::run;
use jobsworth_controller_runtime::exit::Failure;
use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::fake::{self, Answer, client, status};
use crate::program::{PATIENCE, kubeconfig};

/// Where the test that is a program reads which part of it shall die.
const PART: &str = "JOBSWORTH_IT_PART_THAT_DIES";
/// An API server that is never asked: the client is replaced.
const NOWHERE: &str = "127.0.0.1:9";

/// A Lease that nobody holds, and then whoever wrote last.
fn lease(held: &Mutex<Value>, seen: &fake::Seen) -> Answer {
    let mut held = held.lock().expect("no request panicked");
    match seen.line.split(' ').next() {
        Some("POST" | "PUT") => *held = seen.body.clone(),
        _ if held.is_null() => return status(404, "NotFound"),
        _ => {}
    }
    held["metadata"]["resourceVersion"] = json!("5");
    Answer::Json(200, held.clone())
}

/// Runs a controller whose `part` panics, and says how it ended and what was asked of the API server.
fn run_until_it_dies(part: &str) -> (Failure, Vec<fake::Seen>) {
    let (held, part) = (Mutex::default(), part.to_owned());
    let script = move |seen: &fake::Seen| match seen.line.as_str() {
        line if line.starts_with("PUT") && part == "election" => Answer::Panic("the election died"),
        line if line.contains("/leases") => lease(&held, seen),
        line if line.contains("/pods?watch=true") && part == "pods-watch" => Answer::Panic("the watch died"),
        line if line.contains("watch=true") => Answer::Mute,
        _ => Answer::Json(200, json!({"metadata": {"resourceVersion": "5"}, "items": []})),
    };
    let runtime = tokio::runtime::Runtime::new().expect("there are threads");
    let (fake, log) = runtime.block_on(async { client(script) });
    let server: SocketAddr = NOWHERE.parse().expect("it is an address");
    let file = kubeconfig(server);
    let kubeconfig = format!("--kubeconfig={}", file.path().display());
    let flags = ["it", &kubeconfig, "--metrics-address=127.0.0.1:0", "--leader-elect-retry-period=100ms"];
    let parts = Parts { transport: Arc::new(move |_| fake.clone()), ..Parts::default() };
    let running = async { timeout(PATIENCE, run::run_with(Args::parse_from(flags), parts)).await };
    let ended = runtime.block_on(running).expect("a program without one of its parts must end");
    runtime.shutdown_background();
    let failure = ended.expect_err("it does not end by itself");
    (failure, log.lock().expect("no request panicked").clone())
}

/// Not a test but the program of the tests below, which start it with a part that shall die.
#[test]
fn the_program_that_the_tests_below_start() {
    let Ok(part) = std::env::var(PART) else { return };
    let (failure, log) = run_until_it_dies(&part);
    let released = log.iter().any(|seen| seen.body["spec"]["holderIdentity"] == "");
    println!("Error: {}\nreleased: {released}", failure.words());
    exit(failure.exit_code().into());
}

#[rstest]
#[case::a_watch("pods-watch", "the watch died")]
#[case::the_election("election", "the election died")]
fn the_death_of_a_part_ends_the_program_with_its_name_and_code_70(#[case] part: &str, #[case] said: &str) {
    let program = std::env::current_exe().expect("this test is a program");
    let ended = Command::new(program)
        .args(["--exact", "supervision::the_program_that_the_tests_below_start", "--nocapture"])
        .env(PART, part)
        .output()
        .expect("it starts");
    let words = String::from_utf8_lossy(&ended.stdout) + String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(70), "{words}");
    assert!(words.contains(&format!("Error: the part `{part}` panicked: {said}")), "{words}");
    assert!(words.contains("released: false"), "what left before may arrive yet: {words}");
}
