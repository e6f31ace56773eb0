//! Flags of the controller, named after those of Volcano's own where they mean the same.

use std::path::PathBuf;

use jobsworth_controller_runtime::flags::{LeaderElection, RequestRate, Serving, or};
use jobsworth_volcano_core::{Limits, Profile};

/// How the controller runs.
#[derive(Clone, Debug, clap::Args)]
#[command(mut_arg("kube_api_qps", |flag| or(flag, "50")))]
#[command(mut_arg("kube_api_burst", |flag| or(flag, "100")))]
#[command(mut_arg("leader_elect_resource_name", |flag| or(flag, "jobsworth-volcano-controller")))]
#[command(mut_arg("metrics_address", |flag| or(flag, "127.0.0.1:10271")))]
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

    /// How many requests leave.
    #[command(flatten)]
    pub rate: RequestRate,

    /// Whether it works only while it leads.
    #[command(flatten)]
    pub election: LeaderElection,

    /// Where it tells how it is.
    #[command(flatten)]
    pub serving: Serving,
}

impl ControllerArgs {
    /// What is wrong with flags that are each fine.
    ///
    /// # Errors
    /// A sentence that names the flags.
    pub fn check(&self) -> Result<(), String> {
        self.election.check().and_then(|()| self.serving.check())
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
