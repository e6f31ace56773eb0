//! Kubeconfigs of service accounts, by tokens that the API server gives: so a controller has exactly the rights of its own roles.

use std::path::{Path, PathBuf};

use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use kube::api::{Api, PostParams};

use super::{kubeconfig, pki};
use crate::cluster::contract::layout::{Layout, write_private};
use crate::cluster::contract::subject_kind::ServiceAccount;
use crate::cluster::contract::{ClusterError, Route};

/// Where the kubeconfig of a service account is, once that was [admitted](admit). A namespace has no dot in it.
pub(crate) fn kubeconfig(site: &Layout, account: &ServiceAccount, route: Route) -> PathBuf {
    site.subject_kubeconfig(&format!("{}.{}", account.namespace, account.name), route)
}

/// Writes a kubeconfig for `server`, with a token that lasts as long as the cluster's certificates, to `path`; what was written
/// before stays.
///
/// # Errors
/// When there is no such service account, or the file cannot be written.
pub(crate) async fn admit(
    client: &kube::Client,
    site: &Layout,
    account: &ServiceAccount,
    (server, path): (&str, &Path),
) -> Result<(), ClusterError> {
    if path.exists() {
        return Ok(());
    }
    let api: Api<k8s_openapi::api::core::v1::ServiceAccount> = Api::namespaced(client.clone(), &account.namespace);
    let spec = TokenRequestSpec {
        expiration_seconds: Some(i64::try_from(pki::VALIDITY.as_secs()).unwrap_or(i64::MAX)),
        ..TokenRequestSpec::default()
    };
    let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
    let failed = |source| ClusterError::Request {
        what: format!("get a token of the service account {}/{}", account.namespace, account.name),
        source: Box::new(source),
    };
    let answer = api.create_token_request(&account.name, &PostParams::default(), &request).await.map_err(failed)?;
    let none = || ClusterError::Unreadable { what: "the token".to_owned(), why: "the API server gave none".to_owned() };
    let token = answer.status.and_then(|status| status.token).ok_or_else(none)?;
    let text = kubeconfig::with_token(site, &account.user(), &token, server);
    write_private(path, text.as_bytes())
}
