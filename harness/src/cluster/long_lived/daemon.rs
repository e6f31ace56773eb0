//! A process that holds a cluster for others: it brings it up, does what they ask, and takes it down
//! on SIGTERM, on request, or once nobody has used it for a while.

mod serve;
mod start;

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};

use crate::binaries::Source;
use crate::cluster::contract::pace::Pace;
use crate::cluster::contract::{Cluster, ClusterError, ClusterSpec, Step};
use crate::cluster::local::LocalProvider;
use crate::cluster::machine::json_file;
use crate::cluster::machine::registry::{Leftovers, Registry, USERS_LOCK};

pub use start::{AttachOptions, attach, attach_or_start, take_down};

/// The hidden first argument of a daemon.
pub const HOLD: &str = "__hold";
/// How long a cluster that nobody uses is kept.
pub const UNUSED_LIMIT: Duration = Duration::from_secs(10);
const READY: &str = "ready.json";
const FAILED: &str = "failed.json";
const PROGRESS: &str = "progress.json";

/// How often a daemon looks whether somebody still uses its cluster.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How long a cluster is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Hold {
    /// Until it is taken down.
    UntilDown,
    /// Until nobody has used it for [`UNUSED_LIMIT`].
    UntilUnused,
}

/// What a daemon is told on its command line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Orders {
    spec: ClusterSpec,
    hold: Hold,
    clusters: PathBuf,
    source: Source,
}

/// How a start went, for those who wait for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Outcome {
    text: String,
}

/// Becomes a daemon if the arguments say so, and then never returns.
pub(crate) fn intercept(leftovers: Leftovers) {
    let arguments: Vec<String> = std::env::args().skip(1).take(3).collect();
    if let [first, name, orders] = arguments.as_slice()
        && first == HOLD
    {
        let code = i32::from(hold(name, orders, leftovers).is_err());
        std::process::exit(code);
    }
}

fn hold(name: &str, orders: &str, leftovers: Leftovers) -> Result<(), ClusterError> {
    let unreadable = |why: String| ClusterError::Unreadable { what: "the holder's orders".to_owned(), why };
    let orders: Orders = serde_json::from_str(orders).map_err(|error| unreadable(error.to_string()))?;
    // A session of its own: closing the terminal that asked for the cluster does not end it.
    nix::unistd::setsid().map_err(|error| unreadable(error.to_string()))?;
    let registry = Registry::at(&orders.clusters, leftovers);
    let folder = registry.folder_of(name)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| unreadable(error.to_string()))?;
    let held = runtime.block_on(hold_until_done(name, &folder, registry, orders));
    if let Err(error) = &held
        && !matches!(error, ClusterError::NameTaken { .. })
    {
        // The only way to tell those who wait; if even that fails they see that we are gone. The
        // folder went with the cluster and comes back for this.
        let _ = start::make_folder(&folder);
        let _ = json_file::write(&folder.join(FAILED), &Outcome { text: error.to_string() });
    }
    held
}

async fn hold_until_done(name: &str, folder: &Path, registry: Registry, orders: Orders) -> Result<(), ClusterError> {
    let spec = orders.spec;
    let provider = LocalProvider::new(orders.source, registry);
    let pace = Pace::default();
    let report = |step: Step| {
        if pace.tells(&step) {
            // A courtesy to those who wait.
            let _ = json_file::write(&folder.join(PROGRESS), &Outcome { text: step.to_string() });
        }
    };
    let cluster = provider.provision_local(&spec, name, &report).await?;
    let subject = match cluster.start_subject(&spec.subject).await {
        Ok(subject) => subject,
        Err(error) => {
            let _ = Box::new(cluster).destroy().await;
            return Err(error);
        }
    };
    let listener = serve::listen(folder)?;
    json_file::write(&folder.join(READY), &Outcome { text: "ready".to_owned() })?;
    let _nobody = tokio::select! {
        () = serve::serve(listener, &cluster, subject.as_ref()) => None,
        () = asked_to_end() => None,
        users = unused(folder), if orders.hold == Hold::UntilUnused => Some(users),
    };
    // From here on nobody may attach to it.
    let _ = std::fs::remove_file(folder.join(READY));
    let _ = subject.stop().await;
    Box::new(cluster).destroy().await
}

async fn asked_to_end() {
    let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// Returns when nobody has held the users' lock for a while, with that lock: who wants to attach now
/// waits until we are gone, and then finds no cluster. Looking takes it for a moment only.
async fn unused(folder: &Path) -> File {
    let mut look = tokio::time::interval(LOOK_EVERY);
    let mut since = tokio::time::Instant::now();
    loop {
        look.tick().await;
        match nobody(folder) {
            Some(lock) if since.elapsed() > UNUSED_LIMIT => return lock,
            Some(_) => {}
            None => since = tokio::time::Instant::now(),
        }
    }
}

/// The users' lock if nobody holds it.
fn nobody(folder: &Path) -> Option<File> {
    let file = lock_file(&folder.join(USERS_LOCK)).ok()?;
    file.try_lock().is_ok().then_some(file)
}

fn lock_file(path: &Path) -> Result<File, ClusterError> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o600)
        .open(path)
        .map_err(|source| ClusterError::File { what: "open", path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
