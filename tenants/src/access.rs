//! As whom tenants come, and whom they trust: the authorities of one cluster and nobody else.

use std::fs;
use std::path::Path;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, ClientBuilder};

use crate::Trouble;

/// The user agent in the audit log.
const AGENT: &str = "jobsworth-tenants";
/// How long a request may take; an API server gives up after a minute by itself.
const ANSWER: Duration = Duration::from_secs(30);
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);

/// The authorities that vouch for the server, and the token. It cannot be printed: the token is a secret.
#[derive(Clone)]
pub struct Access {
    authorities: Vec<Certificate>,
    headers: HeaderMap,
}

impl Access {
    /// Of these two files.
    ///
    /// # Errors
    /// When one cannot be read, or holds something else.
    pub fn read(authorities: &Path, token: &Path) -> Result<Self, Trouble> {
        let pem = fs::read(authorities).map_err(|error| failed("read", authorities, &error.to_string()))?;
        let certificates = Certificate::from_pem_bundle(&pem);
        let certificates = certificates.map_err(|error| failed("use", authorities, &error.to_string()))?;
        if certificates.is_empty() {
            return Err(failed("use", authorities, "there is no certificate in it"));
        }
        let text = fs::read_to_string(token).map_err(|error| failed("read", token, &error.to_string()))?;
        let text = text.trim();
        if text.is_empty() {
            return Err(failed("use", token, "it is empty"));
        }
        let mut bearer = HeaderValue::from_str(&format!("Bearer {text}"))
            .map_err(|_| failed("use", token, "it holds something that is no token"))?;
        bearer.set_sensitive(true);
        let access = Self { authorities: certificates, headers: HeaderMap::from_iter([(AUTHORIZATION, bearer)]) };
        // What no client can be made of is noticed here and not once for each tenant.
        let made = access.client().build().map(drop);
        made.map_err(|error| failed("use", authorities, &error.to_string()))?;
        Ok(access)
    }

    /// A client that asks this server and follows nobody elsewhere.
    pub fn client(&self) -> ClientBuilder {
        Client::builder()
            .tls_certs_only(self.authorities.iter().cloned())
            .default_headers(self.headers.clone())
            .user_agent(AGENT)
            .https_only(true)
            .redirect(Policy::none())
            .no_proxy()
            // The server would spend its time on packing lists.
            .no_gzip()
            .connect_timeout(CONNECT)
            .timeout(ANSWER)
    }
}

fn failed(what: &'static str, path: &Path, why: &str) -> Trouble {
    Trouble::File { what, path: path.display().to_string(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::no_authority("", "token", "there is no certificate in it")]
    #[case::no_certificate("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "token", "failed to use")]
    fn what_is_in_the_files_is_said(#[case] authorities: &str, #[case] token: &str, #[case] says: &str) {
        let folder = tempfile::tempdir().expect("there is a place for temporary folders");
        let (first, second) = (folder.path().join("ca"), folder.path().join("token"));
        fs::write(&first, authorities).expect("it can be written");
        fs::write(&second, token).expect("it can be written");
        let said = Access::read(&first, &second).err().map(|trouble| trouble.to_string()).unwrap_or_default();
        assert!(said.contains(says), "{said}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let said = Access::read(Path::new("/nowhere/ca"), Path::new("/nowhere/token")).err();
        let said = said.map(|trouble| trouble.to_string()).unwrap_or_default();
        assert!(said.starts_with("failed to read /nowhere/ca: "), "{said}");
    }
}
