//! The flags of `certificate`.

use std::path::PathBuf;

use jobsworth_controller_runtime::flags::namespace;

/// For whom a certificate is made, and where it is put.
#[derive(Clone, Debug, clap::Args)]
pub struct CertificateArgs {
    /// File with the address and credentials of the API server. Without it: what a pod finds in its own files
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Namespace of the webhook's service and of the secret
    #[arg(long, value_name = "NAMESPACE", default_value = "volcano-system", value_parser = namespace)]
    pub namespace: String,

    /// The webhook's service: the certificate is for its names in the cluster
    #[arg(long, value_name = "NAME", default_value = "jobsworth-volcano-webhook")]
    pub service: String,

    /// The secret that holds the certificate (tls.crt), its key (tls.key) and who vouches for it (ca.crt)
    #[arg(long, value_name = "NAME", default_value = "jobsworth-volcano-webhook")]
    pub secret: String,
}
