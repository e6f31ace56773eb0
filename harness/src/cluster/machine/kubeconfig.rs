//! Kubeconfig files in the cluster's own folder; the user's own is never read or changed.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cluster::contract::layout::{Layout, write_private};
use crate::cluster::contract::{ClusterError, Component};

/// Identities that get a kubeconfig.
const IDENTITIES: [&str; 7] =
    ["administrator", "base", "subject", "job-controller", "ttl-controller", "scheduler", "kwok"];

/// Writes one kubeconfig per identity.
///
/// # Errors
/// When a file is there already or cannot be written.
pub fn write(site: &Layout) -> Result<(), ClusterError> {
    IDENTITIES
        .iter()
        .try_for_each(|identity| write_for(site, identity, &site.url(Component::ApiServer), &site.kubeconfig(identity)))
}

/// Writes a kubeconfig for an identity that comes to `server`.
///
/// # Errors
/// When the file is there already or cannot be written.
pub fn write_for(site: &Layout, identity: &str, server: &str, path: &Path) -> Result<(), ClusterError> {
    write_private(path, text(site, identity, server).as_bytes())
}

/// The administrator's kubeconfig, for `kubectl --kubeconfig`.
#[must_use]
pub fn administrator(site: &Layout) -> PathBuf {
    site.kubeconfig("administrator")
}

/// A kubeconfig with a token in it. It holds a secret, so whoever writes it lets nobody else read it.
#[must_use]
pub(super) fn with_token(site: &Layout, user: &str, token: &str, server: &str) -> String {
    document(site, user, server, &json!({"token": token}))
}

fn text(site: &Layout, identity: &str, server: &str) -> String {
    let credentials = json!({
        "client-certificate": site.certificate(identity),
        "client-key": site.key(identity),
    });
    document(site, identity, server, &credentials)
}

/// The file's text. JSON is YAML, and needs no care about quoting.
fn document(site: &Layout, identity: &str, server: &str, credentials: &Value) -> String {
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{ "name": "jobsworth", "cluster": {
            "server": server,
            "certificate-authority": site.authority_certificate(),
        }}],
        "users": [{ "name": identity, "user": credentials }],
        "contexts": [{ "name": "jobsworth", "context": { "cluster": "jobsworth", "user": identity }}],
        "current-context": "jobsworth",
    });
    format!("{config:#}\n")
}
