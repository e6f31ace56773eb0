//! Flags that every controller has, named after those of kube-controller-manager where they mean the same. A program flattens
//! the groups into its own arguments, and gives those that are its own a default there by [`or`].

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, Args, ValueEnum};

use crate::client::Api;
use crate::fence::Fence;
use crate::identity::identity;
use crate::lease::Election;
use crate::limiter::Limiter;
use crate::server::access::Delegated;
use crate::server::{Pair, Security, is_loopback};

mod values;

pub use values::{namespace, rate, seconds};

/// How many requests leave.
#[derive(Clone, Debug, Args)]
pub struct RequestRate {
    /// Requests per second to the API server
    #[arg(long, value_name = "RATE", env = "JOBSWORTH_KUBE_API_QPS", value_parser = rate)]
    pub kube_api_qps: f64,

    /// Requests that may be made at once after a quiet time
    #[arg(long, value_name = "N", env = "JOBSWORTH_KUBE_API_BURST", value_parser = clap::value_parser!(u32).range(1..))]
    pub kube_api_burst: u32,
}

/// Whether it works only while it leads, and how that is settled. The name of the Lease is the program's own.
#[derive(Clone, Debug, Args)]
pub struct LeaderElection {
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
    #[arg(long, value_name = "NAME")]
    pub leader_elect_resource_name: String,

    /// Namespace of the Lease
    #[arg(long, value_name = "NAMESPACE", default_value = "kube-system", value_parser = namespace)]
    pub leader_elect_resource_namespace: String,
}

/// Where a program tells how it is, and to whom. The address is the program's own.
#[derive(Clone, Debug, Args)]
pub struct Serving {
    /// Where /metrics, /healthz, /livez and /readyz are served
    #[arg(long, value_name = "HOST:PORT")]
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
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// A flag of a group, with the program's own default: for `#[command(mut_arg("metrics_address", |flag| or(flag, "…")))]`.
#[must_use]
pub fn or(flag: Arg, default: &'static str) -> Arg {
    flag.required(false).default_value(default)
}

impl RequestRate {
    /// A bucket of this size.
    #[must_use]
    pub fn limiter(&self) -> Arc<Limiter> {
        Limiter::new(self.kube_api_qps, self.kube_api_burst)
    }
}

impl LeaderElection {
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
        Ok(())
    }

    /// What writes have to pass: shut until the lease is held, or open where there is no election.
    #[must_use]
    pub fn fence(&self) -> Arc<Fence> {
        if self.leader_elect { Fence::shut() } else { Fence::open() }
    }

    /// The election that this process takes part in, if there is one.
    #[must_use]
    pub fn election(&self) -> Option<Election> {
        self.leader_elect.then(|| Election {
            name: self.leader_elect_resource_name.clone(),
            namespace: self.leader_elect_resource_namespace.clone(),
            identity: identity(),
            lease_duration: self.leader_elect_lease_duration,
            renew_deadline: self.leader_elect_renew_deadline,
            retry_period: self.leader_elect_retry_period,
        })
    }
}

impl Serving {
    /// What is wrong with flags that are each fine.
    ///
    /// # Errors
    /// A sentence that names the flags.
    pub fn check(&self) -> Result<(), String> {
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

    /// Who may read more than the health; whom the API server behind `api` knows and allows, where HTTPS is served. A standby is
    /// asked, too, so `api` must need no lease.
    #[must_use]
    pub fn security(&self, api: Api) -> Security {
        if !self.is_secure() {
            return Security::Plain;
        }
        let access = Box::new(Delegated::to(api));
        Security::Delegated { pair: self.pair(), client_authority: self.client_ca_file.clone(), access }
    }

    fn pair(&self) -> Pair {
        match self.tls_cert_file.clone().zip(self.tls_private_key_file.clone()) {
            Some((certificate, key)) => Pair::Files { certificate, key },
            None => Pair::Made(self.metrics_address.ip()),
        }
    }
}

#[cfg(test)]
mod tests;
