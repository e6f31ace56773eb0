//! Podman made to answer on docker's API where no socket of its own listens: for as long as this lives, and never
//! longer than this process.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::error::EngineError;
use crate::binaries;
use crate::cluster::machine::process::{last_lines, start_time};
use crate::container_runtime::{self, socket};
use crate::launcher::{self, Launcher};

/// How long it may take to listen.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The kernel's limit of a socket's path, with the zero at its end.
const LONGEST_PATH: usize = 107;

/// A running `podman system service`.
#[derive(Debug)]
pub struct Service {
    child: Child,
    socket: PathBuf,
}

impl Service {
    /// Starts it and returns when it listens. Blocks.
    ///
    /// # Errors
    /// What it says, when it does not.
    pub fn start(launcher: &Launcher, socket: &Path) -> Result<Self, EngineError> {
        let failed = |why: String| EngineError::Service { socket: socket.to_owned(), why };
        if socket.as_os_str().len() > LONGEST_PATH {
            return Err(failed(format!(
                "a socket's path has {LONGEST_PATH} characters at most; set JOBSWORTH_CACHE to a shorter one"
            )));
        }
        let podman = binaries::find_on_path("podman");
        let podman = podman.ok_or_else(|| failed("`podman` is not on the path".to_owned()))?;
        let folder = socket.parent().unwrap_or(Path::new("/"));
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| failed(format!("{}: {error}", folder.display())))?;
        sweep(folder);
        let log = fs::File::create(socket.with_extension("log")).map_err(|error| failed(error.to_string()))?;
        let mut command = launcher.command(&podman);
        command
            .args(["system", "service", "--time=0"])
            .arg(socket::address_of(socket))
            .envs(container_runtime::environment())
            // It is the server: what the variable says is for its clients.
            .env_remove(socket::VARIABLE)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        let child = launcher::spawn(command).map_err(|error| failed(error.to_string()))?;
        let mut service = Self { child, socket: socket.to_owned() };
        service.listens().map_err(failed)?;
        Ok(service)
    }

    #[expect(clippy::disallowed_methods, reason = "the condition and the limit are here; nobody tells of a socket")]
    fn listens(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        loop {
            if UnixStream::connect(&self.socket).is_ok() {
                return Ok(());
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                let said = last_lines(&self.socket.with_extension("log"), 5);
                return Err(format!("it ended with {status}: {}", said.join("\n")));
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("it does not listen after {} s", PATIENCE.as_secs()));
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself; containers run on without it.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.socket);
        let _ = fs::remove_file(self.socket.with_extension("log"));
    }
}

/// Removes sockets and logs of processes that are gone.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        // `4711.sock`, `4711.log`, `4711-gc.sock`; what is named otherwise is not ours to remove.
        let number = name.to_str().and_then(|name| name.split(['.', '-']).next());
        let owner = number.and_then(|number| number.parse::<u32>().ok());
        if owner.is_some_and(|owner| start_time(owner).is_none()) {
            // Another process may sweep, too.
            let _ = fs::remove_file(entry.path());
        }
    }
}
