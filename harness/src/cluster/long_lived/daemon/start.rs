//! The side of those who want a cluster: find its daemon or start one, and wait until it is ready.

use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{FAILED, HOLD, Hold, Orders, Outcome, PROGRESS, READY, lock_file};
use crate::binaries::Source;
use crate::cluster::contract::{ClusterError, ClusterSpec, Progress, Step};
use crate::cluster::long_lived::attached::AttachedCluster;
use crate::cluster::long_lived::control;
use crate::cluster::machine::process;
use crate::cluster::machine::registry::{DAEMON_LOG, Leftovers, Life, Registry, USERS_LOCK};
use crate::launcher::Launcher;
use tokio::sync::oneshot;

/// How often a waiting process looks for news.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A first build of everything on a slow machine.
const START_LIMIT: Duration = Duration::from_secs(60 * 60);
/// How long a cluster may take to go down.
const DOWN_LIMIT: Duration = Duration::from_secs(30);

/// How a cluster is attached to or started.
#[derive(Clone, Debug)]
pub struct AttachOptions {
    /// Where clusters are.
    pub registry: Registry,
    /// Where programs come from.
    pub source: Source,
    /// The executable that serves as daemon; it calls [`super::intercept`].
    pub launcher: Launcher,
    /// How long a cluster that we start is held.
    pub hold: Hold,
}

impl AttachOptions {
    /// The user's clusters and programs, our own executable.
    ///
    /// # Errors
    /// When there is no place for a cache.
    pub fn of_user(hold: Hold, leftovers: Leftovers) -> Result<Self, ClusterError> {
        let registry = Registry::of_user(leftovers)?;
        Ok(Self { registry, source: Source::choose(None)?, launcher: Launcher::default(), hold })
    }
}

/// Attaches to the cluster `name`, starting a daemon for it if there is none. Any number of processes may
/// do this at once; one of them starts it.
///
/// # Errors
/// When it does not come up, or one of this name is there that was asked for differently.
pub async fn attach_or_start(
    name: &str,
    spec: &ClusterSpec,
    options: &AttachOptions,
    progress: Progress<'_>,
) -> Result<AttachedCluster, ClusterError> {
    let registry = &options.registry;
    let folder = registry.folder_of(name)?;
    make_folder(registry.folder())?;
    // While we hold this nobody else starts a daemon. It lies beside the folder, which comes and goes.
    let _start = locked(registry.start_lock(name)?, name, progress).await?;
    let limit = Instant::now() + START_LIMIT;
    loop {
        // Taken before we look, so that the daemon does not leave in between.
        if let Some(users) = users_of(registry, name, &folder).await? {
            let attached = AttachedCluster::enter(registry, name, users)?;
            return if attached.is(spec) { Ok(attached) } else { Err(other_cluster(name)) };
        }
        // Who owns it and is not ready either brings it up, for one who was killed since, or takes it down.
        let started = match registry.life(name)? {
            Life::Owned => None,
            Life::Abandoned => Some(start(name, &folder, spec, options)?),
        };
        until_ready_or_gone(registry, name, started, limit, progress).await?;
    }
}

/// Attaches to a cluster that is up.
///
/// # Errors
/// When there is none of this name.
pub async fn attach(registry: &Registry, name: &str) -> Result<AttachedCluster, ClusterError> {
    let folder = registry.folder_of(name)?;
    let users = users_of(registry, name, &folder).await?;
    AttachedCluster::enter(registry, name, users.ok_or_else(|| no_such(name))?)
}

/// Takes a cluster that a daemon holds down and returns when it is gone.
///
/// # Errors
/// When there is none of this name, or it does not go.
pub async fn take_down(registry: &Registry, name: &str) -> Result<(), ClusterError> {
    let folder = registry.folder_of(name)?;
    if registry.life(name)? != Life::Owned {
        return Err(no_such(name));
    }
    control::ask(&folder, control::Command::Down).await?;
    let gone = async {
        let mut look = tokio::time::interval(LOOK_EVERY);
        while registry.life(name)? == Life::Owned || registry.is_going(name)? {
            look.tick().await;
        }
        Ok(())
    };
    tokio::time::timeout(DOWN_LIMIT, gone).await.map_err(|_| ClusterError::Daemon {
        what: format!("take down the cluster `{name}`"),
        why: format!("it is still there after {} s", DOWN_LIMIT.as_secs()),
    })?
}

/// Starts a daemon; what comes is how it ended, should it end while somebody listens.
fn start(
    name: &str,
    folder: &Path,
    spec: &ClusterSpec,
    options: &AttachOptions,
) -> Result<oneshot::Receiver<String>, ClusterError> {
    make_folder(folder)?;
    for old in [READY, FAILED, PROGRESS] {
        // Usually not there.
        let _ = fs::remove_file(folder.join(old));
    }
    let orders = Orders {
        spec: spec.clone(),
        hold: options.hold,
        clusters: options.registry.folder().to_owned(),
        source: options.source.clone(),
    };
    let orders = serde_json::to_string(&orders).expect("our orders are JSON");
    let program = options.launcher.executable();
    let failed = |source| ClusterError::Spawn { program: program.to_owned(), source };
    let mut log = fs::OpenOptions::new();
    let log = log.create(true).append(true).mode(0o600).open(folder.join(DAEMON_LOG)).map_err(failed)?;
    let mut child = Command::new(program)
        .arg(HOLD)
        .args([name, &orders])
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map_err(failed)?;
    let (end, ended) = oneshot::channel();
    std::thread::spawn(move || {
        let status = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        // Usually it outlives those who waited for it.
        let _ = end.send(status);
    });
    Ok(ended)
}

/// The shared users' lock of a cluster that is up, else `None`.
async fn users_of(registry: &Registry, name: &str, folder: &Path) -> Result<Option<File>, ClusterError> {
    if !folder.join(READY).exists() {
        return Ok(None);
    }
    let users = shared(lock_file(&folder.join(USERS_LOCK))?, folder).await?;
    // It may have gone down while we waited for the lock.
    let up = registry.life(name)? == Life::Owned && folder.join(READY).exists();
    Ok(up.then_some(users))
}

fn no_such(name: &str) -> ClusterError {
    ClusterError::NoSuchCluster(name.to_owned())
}

fn other_cluster(name: &str) -> ClusterError {
    ClusterError::Daemon {
        what: format!("join the cluster `{name}`"),
        why: "it was brought up with other versions, gates or nodes; choose another name".to_owned(),
    }
}

/// Waits until the cluster is up, or its name is free: its daemon was taking it down, or died.
///
/// # Errors
/// When the daemon tells that it failed, when the one that we `started` ended without a word, or when it takes too long.
async fn until_ready_or_gone(
    registry: &Registry,
    name: &str,
    mut started: Option<oneshot::Receiver<String>>,
    limit: Instant,
    progress: Progress<'_>,
) -> Result<(), ClusterError> {
    let folder = registry.folder_of(name)?;
    let failed = |why| ClusterError::Daemon { what: "bring up the cluster".to_owned(), why };
    let mut look = tokio::time::interval(LOOK_EVERY);
    let mut last = String::new();
    loop {
        look.tick().await;
        // Asked before we look at what it wrote: it writes before it ends.
        let ended = started.as_mut().and_then(|ended| ended.try_recv().ok());
        // One of ours owns the name only some moments after its start.
        let is_gone = (started.is_none() || ended.is_some()) && registry.life(name)? != Life::Owned;
        if folder.join(READY).exists() {
            return Ok(());
        }
        if let Some(outcome) = outcome(&folder.join(FAILED)) {
            // Nothing else is left of that cluster.
            let _ = fs::remove_dir_all(&folder);
            return Err(failed(outcome.text));
        }
        match ended {
            Some(status) if is_gone => {
                let last_lines = process::last_lines(&folder.join(DAEMON_LOG), 20).join("\n");
                let _ = fs::remove_dir_all(&folder);
                return Err(failed(format!("its holder ended with {status} {last_lines}")));
            }
            // Another one had the name before ours.
            Some(_) => return Ok(()),
            None if is_gone => return Ok(()),
            None => {}
        }
        if let Some(news) = outcome(&folder.join(PROGRESS)).filter(|news| news.text != last) {
            last.clone_from(&news.text);
            progress(Step::Joining(news.text));
        }
        if Instant::now() > limit {
            return Err(failed(format!("it is not up after {} s", START_LIMIT.as_secs())));
        }
    }
}

fn outcome(path: &Path) -> Option<Outcome> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

pub(super) fn make_folder(folder: &Path) -> Result<(), ClusterError> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|source| ClusterError::File {
        what: "create",
        path: folder.to_owned(),
        source,
    })
}

async fn locked(file: File, name: &str, progress: Progress<'_>) -> Result<File, ClusterError> {
    if file.try_lock().is_err() {
        progress(Step::Joining(format!("another process brings up `{name}`")));
        return on_blocking_thread(move || file.lock().map(|()| file), Path::new(name)).await;
    }
    Ok(file)
}

async fn shared(file: File, folder: &Path) -> Result<File, ClusterError> {
    on_blocking_thread(move || file.lock_shared().map(|()| file), folder).await
}

async fn on_blocking_thread(
    lock: impl FnOnce() -> std::io::Result<File> + Send + 'static,
    path: &Path,
) -> Result<File, ClusterError> {
    tokio::task::spawn_blocking(lock)
        .await
        .expect("taking a lock does not panic")
        .map_err(|source| ClusterError::File { what: "lock", path: path.to_owned(), source })
}
