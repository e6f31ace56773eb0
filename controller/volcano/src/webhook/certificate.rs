//! The certificate that the webhook serves with: there or not yet there, and changed without a restart.

use std::path::PathBuf;

use jobsworth_controller_runtime::server::{Pair, Tls};
use tokio_rustls::TlsAcceptor;

/// A certificate in files, which may come later than the program and change while it runs.
pub struct Certificate {
    certificate: PathBuf,
    key: PathBuf,
    tls: Option<Tls>,
    /// What was wrong with the files last, so that it is told once.
    told: Option<String>,
}

impl Certificate {
    /// Reads the files, if they are there.
    #[must_use]
    pub fn new(certificate: PathBuf, key: PathBuf) -> Self {
        let mut made = Self { certificate, key, tls: None, told: None };
        made.look_again();
        made
    }

    /// Whether anybody can be served.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.tls.is_some()
    }

    /// For the next connection; none as long as there is no certificate.
    #[must_use]
    pub fn acceptor(&self) -> Option<TlsAcceptor> {
        self.tls.as_ref().map(Tls::acceptor)
    }

    /// Takes over what the files hold by now. What cannot be used is told once, and the old goes on.
    pub fn look_again(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.look_again();
            return;
        }
        match Tls::open(Pair::Files { certificate: self.certificate.clone(), key: self.key.clone() }, None) {
            Ok(tls) => {
                tracing::info!("serves with the certificate that is in the files");
                self.tls = Some(tls);
            }
            Err(error) => {
                let source = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
                let text = format!("{error}{source}");
                if self.told.as_ref() != Some(&text) {
                    tracing::warn!(error = text, "waits for a certificate; every connection is closed until then");
                    self.told = Some(text);
                }
            }
        }
    }
}
