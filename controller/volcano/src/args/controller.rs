//! Flags of the controller, named after those of Volcano's own where they mean the same.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use jobsworth_controller_runtime::server::{Pair, is_loopback};
use jobsworth_volcano_core::{Limits, Profile};

/// How the controller runs.
#[derive(Clone, Debug, clap::Args)]
pub struct ControllerArgs {
    /// File with the address and credentials of the API server. Without it: what a pod finds in its own files
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Which Volcano to follow: strict, compat-1.15 (known bugs included) or seed (the first design document)
    #[arg(long, value_name = "PROFILE", default_value = "strict", value_parser = profile)]
    pub profile: Profile,

    /// How many jobs may be synced at the same time
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub worker_threads: u16,

    /// How often in a row a pass may fail until the job is terminated, where the profile does that; below 0 for ever
    #[arg(long, value_name = "N", default_value_t = 15, allow_negative_numbers = true)]
    pub max_requeue_num: i32,

    /// Requests per second to the API server
    #[arg(long, value_name = "RATE", default_value_t = 50.0, value_parser = rate)]
    pub kube_api_qps: f64,

    /// Requests that may be made at once after a quiet time
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub kube_api_burst: u32,

    /// Work only while holding a Lease. Switch it off when there is only one instance
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1, default_missing_value = "true",
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
    #[arg(long, value_name = "NAME", default_value = "jobsworth-volcano-controller")]
    pub leader_elect_resource_name: String,

    /// Namespace of the Lease
    #[arg(long, value_name = "NAMESPACE", default_value = "kube-system", value_parser = super::namespace)]
    pub leader_elect_resource_namespace: String,

    /// Where /metrics, /healthz, /livez and /readyz are served
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:10271")]
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
    #[arg(long, value_name = "FILE")]
    pub client_ca_file: Option<PathBuf>,
}

impl ControllerArgs {
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

    /// How long decisions wait and when they give up (VJ-190).
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits { requeues: u32::try_from(self.max_requeue_num).ok(), ..Limits::of(self.profile) }
    }
}

fn profile(text: &str) -> Result<Profile, String> {
    let names = || Profile::ALL.map(Profile::as_str).join(", ");
    Profile::parse(text).ok_or_else(|| format!("must be one of {}", names()))
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err("must be a number above 0".to_owned()),
    }
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
    use clap::Parser;
    use rstest::rstest;

    use super::*;
    use crate::args::{Args, Command};

    fn parse(flags: &[&str]) -> Result<ControllerArgs, String> {
        let all = ["jobsworth-volcano", "controller"];
        let args = Args::try_parse_from(all.iter().chain(flags)).map_err(|error| error.to_string())?;
        let Command::Controller(args) = args.command else { return Err("another command".to_owned()) };
        args.check().map(|()| *args)
    }

    /// (VJ-190)
    #[test]
    fn without_flags_the_strict_profile_gives_up_after_fifteen_passes_if_at_all() {
        let args = parse(&[]).unwrap();
        assert_eq!(args.limits(), Limits::of(Profile::Strict));
        assert_eq!(args.limits().requeues, Some(15));
    }

    /// (VJ-190)
    #[test]
    fn a_negative_number_of_requeues_is_for_ever() {
        let args = parse(&["--max-requeue-num=-1", "--profile=compat-1.15"]).unwrap();
        assert_eq!((args.limits().requeues, args.limits().profile), (None, Profile::Compat115));
    }

    #[rstest]
    #[case::a_profile_that_is_none(&["--profile=1.15"], "strict, compat-1.15, seed")]
    #[case::no_requests(&["--kube-api-qps=0"], "above 0")]
    #[case::no_workers(&["--worker-threads=0"], "0 is not in")]
    #[case::a_deadline_beyond_the_lease(&["--leader-elect-renew-deadline=15s"], "must be shorter")]
    #[case::plain_http_for_everybody(&["--metrics-address=0.0.0.0:1", "--metrics-secure=false"], "loopback address")]
    fn refusals_name_what_is_wrong(#[case] flags: &[&str], #[case] part: &str) {
        let error = parse(flags).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}
