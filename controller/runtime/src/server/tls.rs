//! The server's certificate: from files, read again when they change, or made in memory; and who a client's is for.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use k8s_openapi::api::authentication::v1::UserInfo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig};
use sha2::{Digest as _, Sha256};
use tokio_rustls::TlsAcceptor;

/// Why there is no certificate to serve with.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("read {path}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: std::io::Error,
    },
    /// A file is no PEM, or not what it should be.
    #[error("read {path}")]
    Pem {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: rustls::pki_types::pem::Error,
    },
    /// Certificate and key do not go together.
    #[error("use the certificate and its key")]
    Pair(#[source] rustls::Error),
    /// Nobody could be vouched for.
    #[error("use the authorities of clients")]
    Authority(#[source] VerifierBuilderError),
    /// No certificate could be made.
    #[error("make a certificate")]
    Make(#[source] rcgen::Error),
}

/// Where certificate and key come from.
#[derive(Clone, Debug)]
pub enum Pair {
    /// From these files.
    Files {
        /// The certificate, followed by those of its authorities.
        certificate: PathBuf,
        /// Its key.
        key: PathBuf,
    },
    /// Made for this address, signed by itself, and never written.
    Made(IpAddr),
}

/// What connections are accepted with. Read again only by [`Tls::look_again`].
pub struct Tls {
    source: Source,
    authority: Option<PathBuf>,
    acceptor: TlsAcceptor,
    /// A sum over what was read last, `None` when that did not succeed.
    seen: Option<[u8; 32]>,
}

enum Source {
    Files { certificate: PathBuf, key: PathBuf },
    Memory { certificate: Vec<u8>, key: Vec<u8> },
}

/// What the files hold.
struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
    authority: Option<Vec<u8>>,
}

impl Tls {
    /// Reads the files, or makes what is not in files. `authority` vouches for clients that show a certificate.
    ///
    /// # Errors
    /// When there is nothing to serve with.
    pub fn open(pair: Pair, authority: Option<PathBuf>) -> Result<Self, TlsError> {
        let source = match pair {
            Pair::Files { certificate, key } => Source::Files { certificate, key },
            Pair::Made(address) => made(address)?,
        };
        let contents = read(&source, authority.as_deref())?;
        let acceptor = contents.acceptor(&source, authority.as_deref())?;
        Ok(Self { seen: Some(contents.sum()), source, authority, acceptor })
    }

    /// For the next connection.
    #[must_use]
    pub fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }

    /// Takes over what the files hold by now. What cannot be used is told once, and the old goes on.
    pub fn look_again(&mut self) {
        let contents = match read(&self.source, self.authority.as_deref()) {
            Ok(contents) => contents,
            Err(error) => {
                if self.seen.take().is_some() {
                    keeps_the_old(error);
                }
                return;
            }
        };
        let sum = Some(contents.sum());
        if self.seen == sum {
            return;
        }
        self.seen = sum;
        match contents.acceptor(&self.source, self.authority.as_deref()) {
            Ok(acceptor) => {
                self.acceptor = acceptor;
                tracing::info!("serves with the certificate that is in the files now");
            }
            Err(error) => keeps_the_old(error),
        }
    }
}

fn keeps_the_old(error: TlsError) {
    let error = format!("{:#}", anyhow::Error::new(error));
    tracing::warn!(%error, "the changed certificate cannot be used; the one before it goes on");
}

fn read(source: &Source, authority: Option<&Path>) -> Result<Contents, TlsError> {
    let file = |path: &Path| fs::read(path).map_err(|source| TlsError::File { path: path.to_owned(), source });
    let (certificate, key) = match source {
        Source::Files { certificate, key } => (file(certificate)?, file(key)?),
        Source::Memory { certificate, key } => (certificate.clone(), key.clone()),
    };
    Ok(Contents { certificate, key, authority: authority.map(file).transpose()? })
}

fn made(address: IpAddr) -> Result<Source, TlsError> {
    let mut names = vec!["localhost".to_owned()];
    if !address.is_unspecified() {
        names.push(address.to_string());
    }
    let pair = rcgen::generate_simple_self_signed(names).map_err(TlsError::Make)?;
    let (certificate, key) = (pair.cert.pem().into_bytes(), pair.signing_key.serialize_pem().into_bytes());
    Ok(Source::Memory { certificate, key })
}

impl Contents {
    /// Keys are secrets: no second copy of one is kept to compare with.
    fn sum(&self) -> [u8; 32] {
        let parts = [self.certificate.as_slice(), &self.key, self.authority.as_deref().unwrap_or_default()];
        let sums = parts.map(Sha256::digest);
        Sha256::digest(sums.concat()).into()
    }

    fn acceptor(&self, source: &Source, authority: Option<&Path>) -> Result<TlsAcceptor, TlsError> {
        let (certificate_path, key_path) = match source {
            Source::Files { certificate, key } => (certificate.as_path(), key.as_path()),
            Source::Memory { .. } => (Path::new("the certificate in memory"), Path::new("the key in memory")),
        };
        let chain = chain(&self.certificate, certificate_path)?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|source| pem(key_path, source))?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Pair)?;
        let builder = match (&self.authority, authority) {
            (Some(text), Some(path)) => {
                let mut roots = RootCertStore::empty();
                for certificate in self::chain(text, path)? {
                    roots.add(certificate).map_err(TlsError::Pair)?;
                }
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                // Who comes without a certificate may bring a token.
                let verifier = verifier.allow_unauthenticated().build().map_err(TlsError::Authority)?;
                builder.with_client_cert_verifier(verifier)
            }
            _ => builder.with_no_client_auth(),
        };
        let mut config = builder.with_single_cert(chain, key).map_err(TlsError::Pair)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

fn chain(text: &[u8], path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    CertificateDer::pem_slice_iter(text).collect::<Result<_, _>>().map_err(|source| pem(path, source))
}

fn pem(path: &Path, source: rustls::pki_types::pem::Error) -> TlsError {
    TlsError::Pem { path: path.to_owned(), source }
}

/// Whom a client certificate names: the common name is the user, organizations are groups, as everywhere in Kubernetes.
pub(super) fn certified(certificate: &CertificateDer<'_>) -> Option<UserInfo> {
    let (_, parsed) = x509_parser::parse_x509_certificate(certificate).ok()?;
    let subject = parsed.subject();
    let text = |attribute: &x509_parser::x509::AttributeTypeAndValue<'_>| attribute.as_str().ok().map(str::to_owned);
    let username = subject.iter_common_name().last().and_then(text).filter(|name| !name.is_empty())?;
    let groups = subject.iter_organization().filter_map(text).collect();
    Some(UserInfo { username: Some(username), groups: Some(groups), ..UserInfo::default() })
}

#[cfg(test)]
mod tests;
