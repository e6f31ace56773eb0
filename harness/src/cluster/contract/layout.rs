//! Where a cluster's files and ports are; every other module asks here and never joins paths itself.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ClusterError, Component, Route};

/// Where rows of ports begin and end: above what services of a machine use, below what the kernel gives to connections.
const ROWS: std::ops::Range<u16> = 12_000..32_000;
/// Ports of one cluster.
const ROW: u16 = 10;
/// Rows that are looked at; with half of all taken, none in a thousand thousand calls finds no row.
const TRIES: usize = 20;

/// Ports on 127.0.0.1, one per listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ports {
    /// etcd for its clients.
    pub etcd: u16,
    /// etcd for its peers, of which there are none.
    pub etcd_peer: u16,
    /// kube-apiserver.
    pub api_server: u16,
    /// The controller manager with everything but the Job controller.
    pub base: u16,
    /// The Job controller under test.
    pub subject: u16,
    /// Its health checks, if they have a port of their own.
    #[serde(default)]
    pub subject_health: u16,
    /// Its admission webhook, if it has one.
    #[serde(default)]
    pub webhook: u16,
    /// The webhook's health checks, if they have a port of their own.
    #[serde(default)]
    pub webhook_health: u16,
    /// kube-scheduler.
    pub scheduler: u16,
    /// kwok.
    pub kwok: u16,
}

impl Ports {
    /// Ten free ports in a row, below those that the kernel gives to connections: a component that starts late, or again, would
    /// lose its port to any connection that was made meanwhile. A row begins at a multiple of ten, so that rows of clusters do not
    /// overlap, and one is free while nobody listens on any port of it. Between this look and the first bind of a component another
    /// cluster may choose the same row, hence the provider's retry.
    ///
    /// # Errors
    /// When no row is found.
    pub fn free() -> Result<Self, ClusterError> {
        let mut refused = io::Error::from(io::ErrorKind::AddrInUse);
        for _ in 0..TRIES {
            let first = ROWS.start + ROW * rand::random_range(0..(ROWS.end - ROWS.start) / ROW);
            let listens = |port| TcpListener::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port));
            match (first..first + ROW).map(listens).collect::<Result<Vec<_>, _>>() {
                Ok(_) => return Ok(Self::row(first)),
                Err(error) => refused = error,
            }
        }
        Err(ClusterError::Ports(refused))
    }

    const fn row(first: u16) -> Self {
        Self {
            etcd: first,
            etcd_peer: first + 1,
            api_server: first + 2,
            base: first + 3,
            subject: first + 4,
            scheduler: first + 5,
            kwok: first + 6,
            subject_health: first + 7,
            webhook: first + 8,
            webhook_health: first + 9,
        }
    }
}

#[cfg(test)]
impl Ports {
    /// The same in every test, so that texts with ports in them can be compared.
    pub(crate) const fn fixed() -> Self {
        Self::row(1)
    }
}

/// A cluster's folder and ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    folder: PathBuf,
    ports: Ports,
    /// Whether it is the subject's second instance that looks.
    is_second: bool,
}

impl Layout {
    /// A layout below `folder`; creates nothing.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, ports: Ports) -> Self {
        Self { folder: folder.into(), ports, is_second: false }
    }

    /// The same cluster as the second instance of the subject finds it: with ports and kubeconfigs of its own.
    #[must_use]
    pub fn of_second(&self) -> Self {
        let Ports { webhook, webhook_health, .. } = self.ports;
        let ports = Ports { subject: webhook, subject_health: webhook_health, ..self.ports };
        Self { folder: self.folder.clone(), ports, is_second: true }
    }

    /// Creates the folders, readable by their owner only.
    ///
    /// # Errors
    /// When a folder cannot be created.
    pub fn create(&self) -> Result<(), ClusterError> {
        for folder in [self.folder.clone(), self.pki(), self.logs(), self.folder.join("settings")] {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(|source| ClusterError::File {
                what: "create",
                path: folder,
                source,
            })?;
        }
        Ok(())
    }

    /// The cluster's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The ports.
    #[must_use]
    pub fn ports(&self) -> Ports {
        self.ports
    }

    /// The port of a component.
    #[must_use]
    pub fn port(&self, of: Component) -> u16 {
        match of {
            Component::Etcd => self.ports.etcd,
            Component::ApiServer => self.ports.api_server,
            Component::Base => self.ports.base,
            Component::Subject => self.ports.subject,
            // Who comes with a webhook has no second instance.
            Component::SecondSubject | Component::Webhook => self.ports.webhook,
            Component::Scheduler => self.ports.scheduler,
            Component::Kwok => self.ports.kwok,
        }
    }

    /// The address of a component.
    #[must_use]
    pub fn url(&self, of: Component) -> String {
        format!("https://127.0.0.1:{}", self.port(of))
    }

    /// The folder of certificates and keys.
    #[must_use]
    pub fn pki(&self) -> PathBuf {
        self.folder.join("pki")
    }

    /// The certificate of the cluster's own authority.
    #[must_use]
    pub fn authority_certificate(&self) -> PathBuf {
        self.certificate("authority")
    }

    /// An identity's certificate.
    #[must_use]
    pub fn certificate(&self, identity: &str) -> PathBuf {
        self.pki().join(format!("{identity}.crt"))
    }

    /// An identity's private key.
    #[must_use]
    pub fn key(&self, identity: &str) -> PathBuf {
        self.pki().join(format!("{identity}.key"))
    }

    /// An identity's kubeconfig. It names files, so it holds no secret itself; 0600 all the same.
    #[must_use]
    pub fn kubeconfig(&self, identity: &str) -> PathBuf {
        self.folder.join("settings").join(format!("{identity}.kubeconfig"))
    }

    /// A kubeconfig of the subject, for whichever way its requests take.
    #[must_use]
    pub fn subject_kubeconfig(&self, identity: &str, route: Route) -> PathBuf {
        match route {
            Route::Direct => self.kubeconfig(identity),
            Route::Proxied if self.is_second => self.kubeconfig(&format!("{identity}.second")),
            Route::Proxied => self.kubeconfig(&format!("{identity}.proxied")),
        }
    }

    /// A configuration file of a component.
    #[must_use]
    pub fn setting(&self, name: &str) -> PathBuf {
        self.folder.join("settings").join(name)
    }

    /// etcd's data.
    #[must_use]
    pub fn etcd_data(&self) -> PathBuf {
        self.folder.join("etcd")
    }

    /// The folder of logs.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.folder.join("logs")
    }

    /// A component's output, both streams.
    #[must_use]
    pub fn log(&self, of: Component) -> PathBuf {
        self.logs().join(format!("{of}.log"))
    }

    /// The API server's audit log.
    #[must_use]
    pub fn audit_log(&self) -> PathBuf {
        self.logs().join("audit.log")
    }

    /// Copies the logs to `into`.
    ///
    /// # Errors
    /// When a file cannot be copied.
    pub fn collect(&self, into: &Path) -> Result<(), ClusterError> {
        copy_tree(&self.logs(), into)
    }
}

/// Copies the files of a folder, and those of folders in it.
fn copy_tree(from: &Path, into: &Path) -> Result<(), ClusterError> {
    let failed = |what, path: &Path| {
        let path = path.to_owned();
        move |source| ClusterError::File { what, path, source }
    };
    fs::create_dir_all(into).map_err(failed("create", into))?;
    for entry in fs::read_dir(from).map_err(failed("read", from))? {
        let entry = entry.map_err(failed("read", from))?;
        let (path, copy) = (entry.path(), into.join(entry.file_name()));
        // A link may lead anywhere.
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            copy_tree(&path, &copy)?;
        } else {
            fs::copy(&path, &copy).map_err(failed("copy", &path))?;
        }
    }
    Ok(())
}

/// Writes a file that only its owner may read and that must not be there yet.
///
/// # Errors
/// When the file exists or cannot be written.
pub fn write_private(path: &Path, content: &[u8]) -> Result<(), ClusterError> {
    use std::io::Write;
    let failed = |source| ClusterError::File { what: "write", path: path.to_owned(), source };
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
    file.write_all(content).map_err(failed)
}
