//! Flags, named after those of kube-controller-manager where they mean the same.

use std::path::PathBuf;

use clap::Parser;
use jobsworth_api::{Minor, well_known::BUILT_IN_CONTROLLER};
use jobsworth_controller_runtime::flags::{LeaderElection, LogFormat, RequestRate, Serving, or};

use crate::gates;

/// The Job controller and the TTL-after-finished controller of Kubernetes, in one small program.
#[derive(Clone, Debug, Parser)]
#[command(name = "jobsworth-controller", version, about)]
#[command(mut_arg("kube_api_qps", |flag| or(flag, "20").help("Requests per second to the API server, for each of the two controllers")))]
#[command(mut_arg("kube_api_burst", |flag| or(flag, "30")))]
#[command(mut_arg("leader_elect_resource_name", |flag| or(flag, "jobsworth-controller")))]
#[command(mut_arg("metrics_address", |flag| or(flag, "127.0.0.1:10270")))]
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

    /// How many requests leave.
    #[command(flatten)]
    pub rate: RequestRate,

    /// Feature gates, for example JobManagedBy=false. May be repeated, or hold several with commas between them
    #[arg(long, value_name = "NAME=BOOL", value_delimiter = ',', value_parser = gates::parse)]
    pub feature_gates: Vec<gates::Setting>,

    /// The version of Kubernetes whose defaults of feature gates hold, for example 1.35. Without it: the newest known
    #[arg(long, value_name = "MINOR", env = "JOBSWORTH_EMULATED_VERSION", value_parser = gates::emulated)]
    pub emulated_version: Option<Minor>,

    /// Take care only of Jobs whose spec.managedBy has this value, beside the built-in controller; leave TTLs to it
    #[arg(long, value_name = "NAME", value_parser = manager)]
    pub managed_by: Option<String>,

    /// Whether it works only while it leads.
    #[command(flatten)]
    pub election: LeaderElection,

    /// Where it tells how it is.
    #[command(flatten)]
    pub serving: Serving,

    /// How log lines look
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

impl Args {
    /// What is wrong with flags that are each fine.
    ///
    /// # Errors
    /// A sentence that names the flags.
    pub fn check(&self) -> Result<(), String> {
        self.election.check().and_then(|()| self.serving.check())
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
        assert_eq!((args.concurrent_job_syncs, args.rate.kube_api_burst), (5, 30));
        assert_eq!(args.concurrent_ttl_after_finished_syncs, 5);
        assert!((args.rate.kube_api_qps - 20.0).abs() < f64::EPSILON);
        let election = args.election.election().unwrap();
        assert_eq!(election.lease_duration, Duration::from_secs(15));
        assert_eq!((election.name.as_str(), args.serving.metrics_address.port()), ("jobsworth-controller", 10270));
    }

    #[rstest]
    #[case::an_unknown_flag(&["--concurrent-jobs-syncs=3"], "--concurrent-job-syncs")]
    #[case::an_unknown_gate(&["--feature-gates=JobManagdBy=false"], "JobManagedBy")]
    #[case::a_locked_gate(&["--feature-gates=IndexedJob=false"], "IndexedJob is locked to true")]
    #[case::a_gate_that_is_neither_on_nor_off(&["--feature-gates=JobManagedBy=maybe"], "true or false")]
    #[case::a_version_that_is_too_old(&["--emulated-version=1.30"], "from 1.31 to 1.37")]
    #[case::a_version_that_is_none(&["--emulated-version=1.36.4"], "from 1.31 to 1.37")]
    #[case::plain_http_for_everybody(&["--metrics-address=0.0.0.0:1", "--metrics-secure=false"], "use --metrics-address=127.0.0.1:1")]
    #[case::no_workers(&["--concurrent-job-syncs=0"], "0 is not in")]
    #[case::a_deadline_beyond_the_lease(&["--leader-elect-renew-deadline=15s"], "must be shorter")]
    // MGB-005
    #[case::a_manager_without_a_domain(&["--managed-by=me"], "below a domain")]
    #[case::a_manager_with_a_long_name(&["--managed-by=example.com/0123456789012345678901234567890123456789012345678901"], "63")]
    #[case::a_manager_that_is_built_in(&["--managed-by=kubernetes.io/job-controller"], "in its place")]
    fn refusals_name_what_is_wrong(#[case] flags: &[&str], #[case] part: &str) {
        let error = parse(flags).unwrap_err();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn leader_election_can_be_switched_off() {
        assert!(!parse(&["--leader-elect=false"]).unwrap().election.leader_elect);
    }
}
