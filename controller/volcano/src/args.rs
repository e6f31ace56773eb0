//! Subcommands and flags, named after those of Volcano's own programs where they mean the same.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use jobsworth_controller_runtime::flags::{LogFormat, namespace};
use jobsworth_volcano_api::well_known::DEFAULT_SCHEDULER;

mod certificate;
mod controller;

pub use certificate::CertificateArgs;
pub use controller::ControllerArgs;

/// Parts of a Volcano Job implementation, each a subcommand.
#[derive(Clone, Debug, Parser)]
#[command(name = "jobsworth-volcano", version, about)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// How log lines look
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Takes care of jobs: makes their groups and pods, and tells how they are
    Controller(Box<ControllerArgs>),
    /// Answers the API server's questions about jobs, groups and queues that are to be stored
    Webhook(WebhookArgs),
    /// Makes the webhook's certificate if there is none or it ends soon, and tells the webhook configurations who vouches for it
    Certificate(CertificateArgs),
    /// Prints the definitions of Job, Command, PodGroup and Queue, to be applied on the server side
    Crds,
}

/// How the webhook runs.
#[derive(Clone, Debug, clap::Args)]
pub struct WebhookArgs {
    /// File with the address and credentials of the API server. Without it: what a pod finds in its own files
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Certificate that it serves with, for the name or address in the webhook configurations; read again when it changes
    #[arg(long, value_name = "FILE")]
    pub tls_cert_file: PathBuf,

    /// Key of that certificate
    #[arg(long, value_name = "FILE")]
    pub tls_private_key_file: PathBuf,

    /// Address that it listens on
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0")]
    pub listen_address: IpAddr,

    /// Port that it listens on
    #[arg(long, value_name = "PORT", default_value_t = 8443)]
    pub port: u16,

    /// The scheduler of jobs that name none. Of several the first counts
    #[arg(long, value_name = "NAME", default_value = DEFAULT_SCHEDULER)]
    pub scheduler_name: Vec<String>,

    /// Namespace in which pod templates are tried; nothing is ever stored there
    #[arg(long, value_name = "NAMESPACE", default_value = "default", value_parser = namespace)]
    pub template_namespace: String,
}

impl WebhookArgs {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(self.listen_address, self.port)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use rstest::rstest;

    use super::*;

    fn parse(flags: &[&str]) -> Result<WebhookArgs, String> {
        let needed = ["jobsworth-volcano", "webhook", "--tls-cert-file=c", "--tls-private-key-file=k"];
        let args = Args::try_parse_from(needed.iter().chain(flags)).map_err(|error| error.to_string())?;
        match args.command {
            Command::Webhook(args) => Ok(args),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    /// (VJ-039)
    #[test]
    fn defaults_are_those_of_volcano() {
        let args = parse(&[]).unwrap();
        assert_eq!((args.port, args.scheduler_name), (8443, vec!["volcano".to_owned()]));
    }

    /// (VJ-039)
    #[test]
    fn of_several_schedulers_the_first_is_the_first() {
        let args = parse(&["--scheduler-name=a", "--scheduler-name=b"]).unwrap();
        assert_eq!(args.scheduler_name, ["a", "b"]);
    }

    #[rstest]
    #[case::a_path_for_a_namespace("--template-namespace=a/b", "must be the name of a namespace")]
    #[case::no_address("--listen-address=here", "invalid IP address")]
    fn refusals_name_what_is_wrong(#[case] flag: &str, #[case] part: &str) {
        let error = parse(&[flag]).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}
