//! Flags, named after those of kube-controller-manager where they mean the same.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use jobsworth_api::well_known::BUILT_IN_CONTROLLER;
use jobsworth_controller_runtime::server::{Pair, is_loopback};

use crate::gates;

/// The Job controller and the TTL-after-finished controller of Kubernetes, in one small program.
#[derive(Clone, Debug, Parser)]
#[command(name = "jobsworth-controller", version, about)]
pub struct Args {
    /// File with the address and credentials of the API server. Without it: what a pod finds in its own files
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// File with the credentials of the TTL controller. Without it: those of the Job controller
    #[arg(long, value_name = "FILE", env = "JOBSWORTH_TTL_KUBECONFIG")]
    pub ttl_kubeconfig: Option<PathBuf>,

    /// How many Jobs may be synced at the same time
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub concurrent_job_syncs: u16,

    /// How many expired Jobs may be deleted at the same time
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub concurrent_ttl_after_finished_syncs: u16,

    /// Requests per second to the API server, for each of the two controllers
    #[arg(long, value_name = "RATE", env = "JOBSWORTH_KUBE_API_QPS", default_value_t = 20.0, value_parser = rate)]
    pub kube_api_qps: f64,

    /// Requests that may be made at once after a quiet time
    #[arg(long, value_name = "N", env = "JOBSWORTH_KUBE_API_BURST", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub kube_api_burst: u32,

    /// Feature gates, for example JobManagedBy=false. May be repeated, or hold several with commas between them
    #[arg(long, value_name = "NAME=BOOL", value_delimiter = ',', value_parser = gates::parse)]
    pub feature_gates: Vec<gates::Setting>,

    /// Take care only of Jobs whose spec.managedBy has this value, beside the built-in controller; leave TTLs to it
    #[arg(long, value_name = "NAME", value_parser = manager)]
    pub managed_by: Option<String>,

    /// Work only while holding a Lease. Switch it off when there is only one instance
    #[arg(long, value_name = "BOOL", env = "JOBSWORTH_LEADER_ELECT", default_value_t = true, num_args = 0..=1, default_missing_value = "true",
          action = clap::ArgAction::Set)]
    pub leader_elect: bool,

    /// How long others wait after the holder's last renewal, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "15s", value_parser = seconds)]
    pub leader_elect_lease_duration: Duration,

    /// How long the holder may write after its last renewal
    #[arg(long, value_name = "SECONDS", default_value = "10s", value_parser = seconds)]
    pub leader_elect_renew_deadline: Duration,

    /// The pause between two attempts to get or renew the Lease
    #[arg(long, value_name = "SECONDS", default_value = "2s", value_parser = seconds)]
    pub leader_elect_retry_period: Duration,

    /// Name of the Lease
    #[arg(long, value_name = "NAME", default_value = "jobsworth-controller")]
    pub leader_elect_resource_name: String,

    /// Namespace of the Lease
    #[arg(long, value_name = "NAMESPACE", default_value = "kube-system")]
    pub leader_elect_resource_namespace: String,

    /// Where /metrics, /healthz, /livez and /readyz are served
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:10270")]
    pub metrics_address: SocketAddr,

    /// Serve them over HTTPS, and /metrics only to those whom the API server knows and allows. Without it: not on a loopback
    /// address for which there is no certificate
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub metrics_secure: Option<bool>,

    /// Certificate for HTTPS, read again when it changes. Without it: one that is made in memory and signed by itself
    #[arg(long, value_name = "FILE", requires = "tls_private_key_file")]
    pub tls_cert_file: Option<PathBuf>,

    /// Key of that certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert_file")]
    pub tls_private_key_file: Option<PathBuf>,

    /// Certificates of the authorities that vouch for client certificates. Without it: clients come with bearer tokens
    #[arg(long, value_name = "FILE", env = "JOBSWORTH_CLIENT_CA_FILE")]
    pub client_ca_file: Option<PathBuf>,

    /// How log lines look
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

impl Args {
    /// What is wrong with flags that are each fine.
    ///
    /// # Errors
    /// A sentence that names the flags.
    pub fn check(&self) -> Result<(), String> {
        if self.leader_elect_renew_deadline >= self.leader_elect_lease_duration {
            return Err("--leader-elect-renew-deadline must be shorter than --leader-elect-lease-duration".to_owned());
        }
        if self.leader_elect_retry_period.saturating_mul(2) > self.leader_elect_renew_deadline {
            return Err("--leader-elect-retry-period must be at most half of --leader-elect-renew-deadline".to_owned());
        }
        if self.leader_elect_lease_duration < Duration::from_secs(1) {
            return Err("--leader-elect-lease-duration must be at least 1s".to_owned());
        }
        if self.metrics_secure == Some(false) && self.tls_cert_file.is_some() {
            return Err("--metrics-secure=false and --tls-cert-file exclude each other".to_owned());
        }
        if !self.is_secure() && !is_loopback(self.metrics_address.ip()) {
            let port = self.metrics_address.port();
            return Err(format!(
                "--metrics-secure=false needs a loopback address, since HTTP tells everything to everybody; leave it out, \
                 or use --metrics-address=127.0.0.1:{port}"
            ));
        }
        Ok(())
    }

    /// Whether HTTPS is served, and only to those who may.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        let implied = self.tls_cert_file.is_some() || !is_loopback(self.metrics_address.ip());
        self.metrics_secure.unwrap_or(implied)
    }

    /// What HTTPS is served with.
    #[must_use]
    pub fn pair(&self) -> Pair {
        match self.tls_cert_file.clone().zip(self.tls_private_key_file.clone()) {
            Some((certificate, key)) => Pair::Files { certificate, key },
            None => Pair::Made(self.metrics_address.ip()),
        }
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err("must be a number above 0".to_owned()),
    }
}

/// What the API takes as `spec.managedBy`, and not the built-in controller's own name: no Job could ever have another
/// (MGB-001, MGB-005).
fn manager(text: &str) -> Result<String, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-._~/".contains(c);
    let (domain, path) = text.split_once('/').unwrap_or((text, ""));
    let ends = |text: &str| text.starts_with(['-', '.']) || text.ends_with(['-', '.']);
    if text == BUILT_IN_CONTROLLER {
        return Err("is the built-in controller; leave the flag out to work in its place".to_owned());
    }
    if domain.is_empty() || path.is_empty() || ends(domain) || !text.chars().all(is_name) || text.len() > 63 {
        return Err("must be a path below a domain, as example.com/name, of at most 63 characters".to_owned());
    }
    Ok(text.to_owned())
}

/// `15s`, `1m`, `500ms` or plain seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time; write 15s, 500ms or 1m");
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let scale = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * scale).ok().filter(|time| !time.is_zero()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use rstest::rstest;

    use super::*;

    fn parse(flags: &[&str]) -> Result<Args, String> {
        let all = std::iter::once("jobsworth-controller").chain(flags.iter().copied());
        let args = Args::try_parse_from(all).map_err(|error| error.to_string())?;
        args.check().map(|()| args)
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    /// (SYN-001, TTL-018)
    #[test]
    fn defaults_are_those_of_the_built_in_controller() {
        let args = parse(&[]).unwrap();
        assert_eq!((args.concurrent_job_syncs, args.kube_api_burst), (5, 30));
        assert_eq!(args.concurrent_ttl_after_finished_syncs, 5);
        assert!((args.kube_api_qps - 20.0).abs() < f64::EPSILON);
        assert!(args.leader_elect);
        assert_eq!(args.leader_elect_lease_duration, Duration::from_secs(15));
    }

    #[rstest]
    #[case::an_unknown_flag(&["--concurrent-jobs-syncs=3"], "--concurrent-job-syncs")]
    #[case::an_unknown_gate(&["--feature-gates=JobManagdBy=false"], "JobManagedBy")]
    #[case::a_locked_gate(&["--feature-gates=IndexedJob=false"], "IndexedJob is locked to true")]
    #[case::a_gate_that_is_neither_on_nor_off(&["--feature-gates=JobManagedBy=maybe"], "true or false")]
    #[case::a_key_without_its_certificate(&["--tls-private-key-file=k"], "--tls-cert-file")]
    #[case::plain_http_for_everybody(&["--metrics-address=0.0.0.0:1", "--metrics-secure=false"], "use --metrics-address=127.0.0.1:1")]
    #[case::plain_http_for_everybody_by_ipv6(&["--metrics-address=[::]:1", "--metrics-secure=false"], "needs a loopback address")]
    #[case::plain_http_with_a_certificate(
        &["--metrics-secure=false", "--tls-cert-file=c", "--tls-private-key-file=k"],
        "exclude each other"
    )]
    #[case::no_workers(&["--concurrent-job-syncs=0"], "0 is not in")]
    #[case::no_requests(&["--kube-api-qps=0"], "above 0")]
    #[case::a_deadline_beyond_the_lease(&["--leader-elect-renew-deadline=15s"], "must be shorter")]
    // MGB-005
    #[case::a_manager_without_a_domain(&["--managed-by=me"], "below a domain")]
    #[case::a_manager_with_a_long_name(&["--managed-by=example.com/0123456789012345678901234567890123456789012345678901"], "63")]
    #[case::a_manager_that_is_built_in(&["--managed-by=kubernetes.io/job-controller"], "in its place")]
    #[case::a_time_in_apples(&["--leader-elect-retry-period=2apples"], "is no time")]
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
        assert_eq!(parse(flags).unwrap().is_secure(), secure);
    }

    #[test]
    fn leader_election_can_be_switched_off() {
        assert!(!parse(&["--leader-elect=false"]).unwrap().leader_elect);
    }
}
