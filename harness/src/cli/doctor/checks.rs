//! The checks of `doctor`, each with what was found and what to do.

use super::{
    check::{Check, State},
    nodes::{self, Purpose},
};
use crate::{
    binaries::{self, GO_NEEDED, KNOWN_VERSIONS, Source, Tool, installed_go},
    container_runtime::{RuntimeError, socket::Socket},
    report::host,
};
use std::{
    net::TcpListener,
    path::{Path, PathBuf},
};

/// A build from nothing, in Go's cache and ours.
const DISK_FOR_BUILDS: u64 = 4 << 30;
/// A cluster and its timelines.
const DISK_FOR_RUNS: u64 = 512 << 20;
const MEMORY: u64 = 2 << 30;
const OPEN_FILES: u64 = 4096;

/// Looks at everything.
pub(super) fn all(named: Option<&Path>, purpose: Purpose) -> Vec<Check> {
    let (programs, buildable) = programs(named);
    let mut checks = vec![programs];
    checks.push(go(buildable));
    checks.extend([disk(buildable), memory(), cores(), open_files(), ports()]);
    checks.extend(nodes::judge(&nodes::look(), purpose));
    checks.push(socket(Socket::find()));
    checks
}

/// Whether anything would have to be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Builds {
    Needed,
    NotNeeded,
}

fn programs(named: Option<&Path>) -> (Check, Builds) {
    let source = match Source::choose(named) {
        Ok(source) => source,
        Err(error) => {
            let check = Check::of("binaries", State::Missing, error.to_string(), "set JOBSWORTH_CACHE to a folder");
            return (check, Builds::Needed);
        }
    };
    let ready: Vec<String> = KNOWN_VERSIONS
        .iter()
        .filter(|version| binaries::missing(&source, **version, &Tool::CORE).is_empty())
        .map(ToString::to_string)
        .collect();
    let default_ready = binaries::missing(&source, binaries::DEFAULT_VERSION, &Tool::CORE).is_empty();
    let builds = if default_ready { Builds::NotNeeded } else { Builds::Needed };
    let list = if ready.is_empty() { "no version".to_owned() } else { ready.join(", ") };
    let check = match source {
        Source::Folder(folder) => {
            let state = if ready.is_empty() { State::Missing } else { State::Fine };
            let found = format!("{list} ready in {}", folder.display());
            Check::of(
                "binaries",
                state,
                found,
                "put kube-apiserver, kube-controller-manager and etcd there, or leave --binaries out",
            )
        }
        Source::Cache(folder) => {
            let found = format!("{list} built in {}", folder.display());
            let state = if default_ready { State::Fine } else { State::Worth };
            Check::of("binaries", state, found, "the first run builds what it needs: about 6 minutes on 2 cores")
        }
    };
    (check, builds)
}

fn go(builds: Builds) -> Check {
    match installed_go() {
        Ok(version) => Check::fine("go", format!("{version}, {GO_NEEDED} or newer is needed; no C compiler is")),
        Err(why) => {
            let state = if builds == Builds::Needed { State::Missing } else { State::Worth };
            let fix = format!(
                "install Go {GO_NEEDED} or newer from https://go.dev/dl, or give ready programs through --binaries"
            );
            Check::of("go", state, why, fix)
        }
    }
}

fn disk(builds: Builds) -> Check {
    let folder = binaries::cache_folder().unwrap_or_else(|_| PathBuf::from("."));
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
    let Ok(stat) = nix::sys::statvfs::statvfs(there) else {
        return Check::of("disk", State::Worth, "free space is unknown", "see that there are some 4 GB");
    };
    let free = stat.blocks_available() * stat.fragment_size();
    let needed = if builds == Builds::Needed { DISK_FOR_BUILDS } else { DISK_FOR_RUNS };
    let state = if free < needed { State::Missing } else { State::Fine };
    let found = format!("{} free at {}, {} needed", gib(free), there.display(), gib(needed));
    Check::of("disk", state, found, "make room, or set JOBSWORTH_CACHE and GOCACHE to another disk")
}

fn memory() -> Check {
    let total = host::fingerprint().memory_bytes;
    let state = if total < MEMORY { State::Worth } else { State::Fine };
    let fix = "a control plane takes about 560 MB; run fewer cases side by side with --jobs";
    Check::of("memory", state, format!("{}, {} advised", gib(total), gib(MEMORY)), fix)
}

fn cores() -> Check {
    let cores = host::fingerprint().cores;
    let state = if cores < 2 { State::Worth } else { State::Fine };
    Check::of("cores", state, cores.to_string(), "with one core use --jobs 2, times are not comparable")
}

fn open_files() -> Check {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let Some(soft) = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()) else {
        return Check::of("open files", State::Worth, "the limit is unknown", format!("ulimit -n {OPEN_FILES}"));
    };
    let state = if soft < OPEN_FILES { State::Worth } else { State::Fine };
    Check::of("open files", state, format!("{soft}, {OPEN_FILES} advised"), format!("ulimit -n {OPEN_FILES}"))
}

fn ports() -> Check {
    match TcpListener::bind(("127.0.0.1", 0)) {
        Ok(_) => Check::fine("ports", "the kernel gives ports on 127.0.0.1"),
        Err(error) => Check::of(
            "ports",
            State::Missing,
            format!("no port on 127.0.0.1: {error}"),
            "allow listening on the loopback address",
        ),
    }
}

/// What `--provider containers` would use.
fn socket(found: Result<Socket, RuntimeError>) -> Check {
    const WHAT: &str = "socket";
    match found {
        Ok(socket) => Check::fine(WHAT, format!("{socket}: for --provider containers")),
        Err(error) => {
            let text = error.to_string();
            let (found, fix) = text.split_once("; ").unwrap_or((&text, "install podman"));
            Check::of(WHAT, State::Worth, format!("no --provider containers here: {found}"), fix)
        }
    }
}

fn gib(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one digit after the point is shown")]
    let gib = bytes as f64 / f64::from(1 << 30);
    format!("{gib:.1} GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whether_there_can_be_containers_is_one_line_with_the_way_out() {
        let found = socket(Ok(Socket::ToBeServed { version: "4.3.1".to_owned() }));
        assert_eq!(found.found, "podman 4.3.1, started for the time of the run: for --provider containers");
        let none = socket(Err(RuntimeError::None));
        assert_eq!(none.found, "no --provider containers here: failed to find docker, podman or nerdctl");
        assert!(none.fix.is_some_and(|fix| fix.starts_with("install one of them")));
    }
}
