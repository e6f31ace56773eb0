//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use reqwest::Url;

use crate::mix::{Mix, USUAL};

/// How long tenants stay at most.
const LONGEST: Duration = Duration::from_secs(3600);

/// Lets tenants use the Job API of one API server, each waiting for its answers (closed loop), and says what they got. Ctrl-C ends
/// it in order, with the report.
#[derive(Clone, Debug, Parser)]
#[command(name = "jobsworth-tenants", version)]
pub struct Args {
    /// The API server, for example `https://127.0.0.1:6443`; nobody else is asked anything.
    #[arg(long, value_name = "URL", value_parser = server)]
    pub server: String,
    /// A file with the certificates of the authorities that vouch for it, in PEM.
    #[arg(long, value_name = "FILE")]
    pub ca: PathBuf,
    /// A file with the token of the tenants.
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,
    /// A namespace in which tenants make Jobs; may be given again, then they take turns.
    #[arg(long = "namespace", value_name = "NAMESPACE", required = true)]
    pub namespaces: Vec<String>,
    /// A namespace that dashboards look at too, and in which nothing is made; may be given again.
    #[arg(long = "look-at", value_name = "NAMESPACE")]
    pub looked_at: Vec<String>,
    /// The value of spec.managedBy of every Job; without it the Jobs are the built-in controller's.
    #[arg(long, value_name = "DOMAIN/NAME")]
    pub managed_by: Option<String>,
    /// How many tenants there are.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=200))]
    pub users: u32,
    /// Who they are, by weight: batch-user, dashboard, queue-manager, editor, large-job.
    #[arg(long, value_name = "KIND=WEIGHT,...", default_value = USUAL)]
    pub mix: Mix,
    /// How long they stay, for example `60s` or `5m`, an hour at most; less if they are asked to go.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = run_time)]
    pub run_time: Duration,
    /// After so many requests they go, too.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub requests: u64,
    /// The folder for `tenants.json` and for goose's own `goose.html` and `goose.json`.
    #[arg(long, value_name = "DIR")]
    pub report: PathBuf,
    /// A number in the name and in the label of every Job: those of two seeds do not get in each other's way.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// The address of a server, without anything behind the port.
fn server(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|error| format!("{error}; write for example `https://127.0.0.1:6443`"))?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.username().is_empty() && url.password().is_none();
    if url.scheme() != "https" || url.host_str().is_none() || !is_bare {
        return Err("write `https://`, a host and a port, and nothing else".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// A time in whole seconds or minutes.
fn run_time(text: &str) -> Result<Duration, String> {
    let (digits, each) = match (text.strip_suffix('s'), text.strip_suffix('m')) {
        (Some(digits), _) => (digits, 1),
        (None, Some(digits)) => (digits, 60),
        (None, None) => ("", 1),
    };
    let seconds = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(each));
    let time = seconds.map(Duration::from_secs).filter(|time| !time.is_zero() && *time <= LONGEST);
    time.ok_or_else(|| "write a time from 1s to 60m, for example `60s` or `5m`".to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::seconds("90s", Some(90))]
    #[case::minutes("5m", Some(300))]
    #[case::the_longest("60m", Some(3600))]
    #[case::too_long("61m", None)]
    #[case::nothing("0s", None)]
    #[case::no_unit("60", None)]
    #[case::more_than_there_are("99999999999999999999m", None)]
    fn tenants_stay_for_an_hour_at_most(#[case] text: &str, #[case] seconds: Option<u64>) {
        assert_eq!(run_time(text).ok(), seconds.map(Duration::from_secs));
    }

    #[rstest]
    #[case::with_a_port("https://127.0.0.1:6443", Some("https://127.0.0.1:6443"))]
    #[case::with_a_slash("https://example.com/", Some("https://example.com"))]
    #[case::in_the_open("http://127.0.0.1:8080", None)]
    #[case::with_a_path("https://127.0.0.1:6443/apis", None)]
    #[case::with_a_password("https://me:secret@127.0.0.1:6443", None)]
    #[case::no_address("127.0.0.1", None)]
    fn a_server_is_an_address_of_https(#[case] text: &str, #[case] read: Option<&str>) {
        assert_eq!(server(text).ok().as_deref(), read);
    }

    #[test]
    fn the_command_line_holds_together() {
        use clap::CommandFactory as _;
        Args::command().debug_assert();
    }
}
