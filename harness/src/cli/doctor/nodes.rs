//! Whether this machine can have nodes that are containers, which way it gets their images, and what is in the way.
//!
//! [`look`] asks the machine, [`judge`] decides, so that the decisions can be tested on machines that are only described.

use super::check::{Check, State};
use crate::{
    binaries::{self, DEFAULT_VERSION, Source, Tool},
    cluster::kind::program,
    container_runtime::{self, Cgroup, Engine, Machine, Runtime, State as RuntimeState},
    node_image::{self, mirror},
};

/// Below these, a second or third cluster has nodes that do not start.
const INOTIFY_INSTANCES: u64 = 256;
const INOTIFY_WATCHES: u64 = 65_536;
/// What a control plane in a container opens, with room.
const OPEN_FILES: u64 = 16_384;

/// A node that starts a hundred pods at once has this many, with room.
const TASKS: u64 = 16_384;

/// What the judgement is made of.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub machine: Machine,
    pub runtimes: Vec<(Engine, RuntimeState)>,
    /// The one that would be used, or why there is none.
    pub runtime: Result<Engine, String>,
    /// Whether there is a kind, or why the one that is there cannot be used.
    pub kind: Result<bool, String>,
    /// Images that were made here and are current.
    pub images: Vec<String>,
    /// Whether kind's published images can be fetched, if that is known.
    pub registry: Option<bool>,
    pub debootstrap: bool,
    pub unshare: bool,
    pub go: bool,
    /// Where Debian would come from.
    pub mirror: Result<String, String>,
}

/// Looks at this machine.
pub(super) fn look() -> Facts {
    let cache = binaries::cache_folder().ok();
    let runtime = Runtime::find();
    let is_built = |cache| binaries::missing(&Source::Cache(cache), DEFAULT_VERSION, &[Tool::Kind]).is_empty();
    let standing = program::survey().map_err(|error| error.to_string());
    let kind = standing.map(|standing| standing.is_some() || cache.clone().is_some_and(is_built));
    let images = cache.map(|cache| node_image::list(&cache)).unwrap_or_default();
    Facts {
        machine: Machine::look(),
        runtimes: container_runtime::survey(),
        registry: runtime.as_ref().ok().and_then(Runtime::reaches_published_images),
        runtime: runtime.map(|runtime| runtime.engine()).map_err(|error| error.to_string()),
        kind,
        images: images.into_iter().filter(|image| image.current).map(|image| image.kubernetes.to_string()).collect(),
        debootstrap: binaries::is_on_path("debootstrap"),
        unshare: binaries::is_on_path("unshare"),
        go: binaries::installed_go().is_ok(),
        mirror: mirror::of_machine().map_err(|error| error.to_string()),
    }
}

/// What for the machine is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum Purpose {
    /// Control planes of local processes: what only kind needs is worth a note.
    #[default]
    Local,
    /// Clusters by kind.
    Kind,
}

/// What to say about it. For local processes nothing here is *missing*.
pub(super) fn judge(facts: &Facts, purpose: Purpose) -> Vec<Check> {
    let mut checks = vec![runtime(facts), kind(facts), image(facts)];
    if facts.runtime.is_ok() {
        checks.extend(limits(&facts.machine));
    }
    let obstacles = checks.iter_mut().filter(|check| purpose == Purpose::Kind && check.state == State::Obstacle);
    obstacles.for_each(|check| check.state = State::Missing);
    checks
}

fn note(what: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Check {
    Check::of(what, State::Worth, found, fix)
}

/// No kind cluster without it.
fn obstacle(what: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Check {
    Check::of(what, State::Obstacle, found, fix)
}

fn runtime(facts: &Facts) -> Check {
    const WHAT: &str = "runtime";
    let each: Vec<String> = facts
        .runtimes
        .iter()
        .filter_map(|(engine, state)| match state {
            RuntimeState::Absent => None,
            RuntimeState::Broken { .. } => Some(format!("{engine} does not answer")),
            RuntimeState::Works { version } => Some(format!("{engine} {version}")),
        })
        .collect();
    match &facts.runtime {
        Ok(engine) => Check::fine(WHAT, format!("{}; the nodes of kind clusters run in {engine}", each.join(", "))),
        Err(why) => {
            let (found, fix) = why.split_once("; ").unwrap_or((why, "install podman"));
            obstacle(WHAT, format!("no kind clusters here: {found}"), fix)
        }
    }
}

fn kind(facts: &Facts) -> Check {
    const WHAT: &str = "kind";
    match (&facts.kind, facts.go) {
        (Err(why), _) => {
            let (found, fix) = why.split_once("; ").unwrap_or((why, "put kind 0.33.0 into PATH, or none"));
            obstacle(WHAT, found, fix)
        }
        (Ok(true), _) => Check::fine(WHAT, "there"),
        (Ok(false), true) => Check::fine(WHAT, "not there yet; the first kind cluster builds it, in about a minute"),
        (Ok(false), false) => {
            obstacle(WHAT, "not there, and there is no Go to build it with", "install Go or kind 0.33.0")
        }
    }
}

/// The way to node images: made here, published, or none.
fn image(facts: &Facts) -> Check {
    const WHAT: &str = "node images";
    if !facts.images.is_empty() {
        return Check::fine(WHAT, format!("made here for {}", facts.images.join(", ")));
    }
    let why = match (facts.registry, &facts.runtime) {
        (Some(_), _) => "the published ones cannot be fetched",
        (None, Ok(_)) => "whether the published ones can be fetched is not known",
        (None, Err(_)) => "there is no runtime to fetch the published ones with",
    };
    let obstacles = obstacles(facts);
    if facts.registry == Some(true) {
        Check::fine(WHAT, "the published ones can be fetched")
    } else if obstacles.is_empty() {
        let fix = "jobsworth cluster image, once for each version, about 8 minutes on 2 cores";
        note(WHAT, format!("{why}; they can be made here"), fix)
    } else {
        let (found, fixes): (Vec<String>, Vec<String>) = obstacles.into_iter().unzip();
        obstacle(WHAT, format!("{why}, and they cannot be made here: {}", found.join("; ")), fixes.join("; "))
    }
}

/// What keeps an image from being made here, each with what mends it.
fn obstacles(facts: &Facts) -> Vec<(String, String)> {
    let mut obstacles = Vec::new();
    let mut add = |found: &str, fix: &str| obstacles.push((found.to_owned(), fix.to_owned()));
    if !facts.go {
        add("no Go", "install Go");
    }
    if !facts.machine.root {
        add("not root", "run it with sudo");
    }
    if !facts.debootstrap {
        add("no debootstrap", "apt-get install debootstrap");
    }
    if !facts.unshare {
        add("no unshare", "apt-get install util-linux");
    }
    if let Err(why) = &facts.mirror {
        add(why.split_once("; ").map_or(why.as_str(), |(found, _)| found), "name a mirror of Debian with --mirror");
    }
    obstacles
}

/// What the kernel grants, as far as it is less than nodes want.
fn limits(machine: &Machine) -> Vec<Check> {
    let mut checks = Vec::new();
    let lacking = machine.lacking();
    if !lacking.is_empty() {
        let found = format!("nodes are privileged, and nobody here can have {}", lacking.join(", "));
        checks.push(obstacle(
            "privileges",
            found,
            "give the machine or the outer container these capabilities (--privileged)",
        ));
    }
    checks.push(match machine.cgroup {
        Cgroup::V2 => Check::fine("cgroups", "version 2"),
        Cgroup::V1 => {
            Check::fine("cgroups", "version 1: the kubelet is told to bear it, and nodes run a Debian that does")
        }
        Cgroup::Absent => obstacle("cgroups", "none are mounted", "mount /sys/fs/cgroup"),
    });
    if !machine.root && machine.cgroup != Cgroup::V2 {
        let found = "an ordinary user's nodes need version 2 of cgroups";
        checks.push(obstacle("rootless", found, "run as root, or boot with systemd.unified_cgroup_hierarchy=1"));
    }
    if !machine.can_raise_limits() && machine.open_files < OPEN_FILES {
        let found = format!("{} files a process and no CAP_SYS_RESOURCE; {OPEN_FILES} advised", machine.open_files);
        checks.push(note("node limits", found, format!("raise the hard limit: ulimit -Hn {OPEN_FILES}")));
    }
    let tasks = machine.tasks.min(machine.processes);
    if tasks < TASKS {
        let found = format!("{tasks} processes at a time; {TASKS} advised: pods of a node fail to start without them");
        let fix = "raise what is lowest of kernel.pid_max, kernel.threads-max, ulimit -Hu and pids.max of the outer container";
        checks.push(note("processes", found, fix));
    }
    if machine.inotify_instances < INOTIFY_INSTANCES || machine.inotify_watches < INOTIFY_WATCHES {
        let found = format!("{} instances, {} watches", machine.inotify_instances, machine.inotify_watches);
        let fix = format!(
            "for several clusters at once: sysctl fs.inotify.max_user_instances={INOTIFY_INSTANCES} fs.inotify.max_user_watches={INOTIFY_WATCHES}"
        );
        checks.push(note("inotify", found, fix));
    }
    if !machine.overlay {
        checks.push(note("overlay", "the kernel does not list overlay file systems", "modprobe overlay"));
    }
    if !machine.modules_folder {
        checks.push(obstacle(
            "modules",
            "there is no /lib/modules, which kind mounts into its nodes",
            "mkdir -p /lib/modules",
        ));
    }
    checks
}

#[cfg(test)]
mod tests;
