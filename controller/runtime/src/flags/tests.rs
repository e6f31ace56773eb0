//! Groups of flags, flattened into a program of the test.

use clap::Parser;
use rstest::rstest;

use super::*;

/// A program with all of them.
#[derive(Debug, Parser)]
#[command(mut_arg("kube_api_qps", |flag| or(flag, "20")))]
#[command(mut_arg("kube_api_burst", |flag| or(flag, "30")))]
#[command(mut_arg("leader_elect_resource_name", |flag| or(flag, "it")))]
#[command(mut_arg("metrics_address", |flag| or(flag, "127.0.0.1:1")))]
struct Program {
    #[command(flatten)]
    rate: RequestRate,
    #[command(flatten)]
    election: LeaderElection,
    #[command(flatten)]
    serving: Serving,
}

fn parse(flags: &[&str]) -> Result<Program, String> {
    let all = std::iter::once("program").chain(flags.iter().copied());
    let program = Program::try_parse_from(all).map_err(|error| error.to_string())?;
    program.election.check().and_then(|()| program.serving.check()).map(|()| program)
}

#[test]
fn what_a_group_leaves_to_the_program_has_the_defaults_of_the_program() {
    let Program { rate, election, serving } = parse(&[]).unwrap();
    assert_eq!((rate.kube_api_burst, serving.metrics_address.port()), (30, 1));
    let election = election.election().unwrap();
    assert_eq!((election.name.as_str(), election.namespace.as_str()), ("it", "kube-system"));
    assert_eq!(election.lease_duration, Duration::from_secs(15));
}

#[test]
fn without_an_election_writes_need_no_lease() {
    let alone = parse(&["--leader-elect=false"]).unwrap().election;
    assert!(alone.election().is_none() && alone.fence().left().is_some());
    assert!(parse(&[]).unwrap().election.fence().left().is_none());
}

#[rstest]
#[case::a_key_without_its_certificate(&["--tls-private-key-file=k"], "--tls-cert-file")]
#[case::plain_http_for_everybody(&["--metrics-address=0.0.0.0:1", "--metrics-secure=false"], "use --metrics-address=127.0.0.1:1")]
#[case::plain_http_for_everybody_by_ipv6(&["--metrics-address=[::]:1", "--metrics-secure=false"], "needs a loopback address")]
#[case::plain_http_with_a_certificate(
    &["--metrics-secure=false", "--tls-cert-file=c", "--tls-private-key-file=k"],
    "exclude each other"
)]
#[case::no_requests(&["--kube-api-qps=0"], "above 0")]
#[case::a_deadline_beyond_the_lease(&["--leader-elect-renew-deadline=15s"], "must be shorter")]
#[case::a_pause_as_long_as_the_deadline(&["--leader-elect-retry-period=10s"], "at most half")]
#[case::a_lease_of_no_whole_second(
    &["--leader-elect-lease-duration=900ms", "--leader-elect-renew-deadline=800ms", "--leader-elect-retry-period=100ms"],
    "at least 1s"
)]
#[case::a_time_in_apples(&["--leader-elect-retry-period=2apples"], "is no time")]
#[case::no_time(&["--leader-elect-retry-period=0s"], "is no time")]
#[case::a_path_for_a_namespace(&["--leader-elect-resource-namespace=a/b"], "the name of a namespace")]
fn refusals_name_what_is_wrong(#[case] flags: &[&str], #[case] part: &str) {
    let error = parse(flags).unwrap_err();
    assert!(error.contains(part), "{error}");
}

#[rstest]
#[case::the_default(&[], false)]
#[case::a_loopback_address(&["--metrics-address=127.8.0.1:1"], false)]
#[case::a_loopback_address_of_ipv6(&["--metrics-address=[::1]:1"], false)]
#[case::a_loopback_address_in_ipv6(&["--metrics-address=[::ffff:127.0.0.1]:1"], false)]
#[case::a_loopback_address_with_a_certificate(&["--tls-cert-file=c", "--tls-private-key-file=k"], true)]
#[case::a_loopback_address_on_demand(&["--metrics-secure"], true)]
#[case::all_addresses(&["--metrics-address=0.0.0.0:1"], true)]
#[case::all_addresses_of_ipv6(&["--metrics-address=[::]:1"], true)]
#[case::an_address_of_the_network(&["--metrics-address=10.0.0.1:1"], true)]
fn plain_http_is_for_loopback_addresses_without_a_certificate(#[case] flags: &[&str], #[case] secure: bool) {
    assert_eq!(parse(flags).unwrap().serving.is_secure(), secure);
}
