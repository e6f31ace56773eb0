//! docker, podman or nerdctl: which of them works here, and the few things that are asked of it.
//!
//! The order is kind's own (docker, nerdctl, podman), and `KIND_EXPERIMENTAL_PROVIDER` decides as it does there;
//! but a client without a daemon behind it does not count.

pub(crate) mod api;
pub(crate) mod background;
mod machine;
mod question;
mod settings;
pub mod socket;

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::binaries::is_on_path;

pub use machine::{Cgroup, Machine};
pub use settings::podman_settings;

/// The variable that makes kind use one runtime, whatever else is there.
pub const CHOICE: &str = "KIND_EXPERIMENTAL_PROVIDER";
/// How long a runtime has to say what it is; one that waits for a distant daemon would take minutes.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a registry may take to say that it is there.
const PATIENCE_FOR_REGISTRIES: Duration = Duration::from_secs(5);
/// How long a gigabyte may take to load.
const PATIENCE_FOR_IMAGES: Duration = Duration::from_secs(600);

/// A runtime that kind can put its nodes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Docker.
    Docker,
    /// nerdctl, the client of containerd.
    Nerdctl,
    /// Podman.
    Podman,
}

impl Engine {
    /// In the order in which kind looks for them.
    pub const ALL: [Self; 3] = [Self::Docker, Self::Nerdctl, Self::Podman];

    /// Its program, and its name for kind.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Nerdctl => "nerdctl",
            Self::Podman => "podman",
        }
    }

    /// What makes it say the version of what does the work, which is not always the client.
    const fn question(self) -> [&'static str; 3] {
        match self {
            Self::Docker => ["version", "--format", "{{.Server.Version}}"],
            Self::Nerdctl => ["info", "--format", "{{.ServerVersion}}"],
            Self::Podman => ["info", "--format", "{{.Version.Version}}"],
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.program())
    }
}

/// How a runtime is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Its program is not on the path.
    Absent,
    /// It is there and does not work.
    Broken {
        /// What it says.
        why: String,
    },
    /// It answers.
    Works {
        /// Its version.
        version: String,
    },
}

/// What a runtime, and whatever calls it, must find in its environment on this machine.
#[must_use]
pub fn environment() -> Vec<(&'static str, OsString)> {
    settings::environment(&Machine::look())
}

/// Asks every runtime how it is.
#[must_use]
pub fn survey() -> Vec<(Engine, State)> {
    let environment = environment();
    Engine::ALL.into_iter().map(|engine| (engine, ask(engine, &environment))).collect()
}

fn ask(engine: Engine, environment: &[(&'static str, OsString)]) -> State {
    if !is_on_path(engine.program()) {
        return State::Absent;
    }
    let mut command = Command::new(engine.program());
    command.args(engine.question()).envs(environment.iter().map(|(name, value)| (name, value)));
    match question::ask(command, PATIENCE) {
        Ok(version) => State::Works { version: version.trim().to_owned() },
        Err(why) => State::Broken { why },
    }
}

/// A runtime that works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    engine: Engine,
    version: String,
    environment: Vec<(&'static str, OsString)>,
}

impl Runtime {
    /// The one that kind is told to use, else the first that works.
    ///
    /// # Errors
    /// When none does, with the reason and the way out.
    pub fn find() -> Result<Self, RuntimeError> {
        let asked = std::env::var(CHOICE).ok().filter(|asked| !asked.is_empty());
        let environment = environment();
        let states: Vec<_> = Engine::ALL.into_iter().map(|engine| (engine, ask(engine, &environment))).collect();
        let (engine, version) = choose(asked.as_deref(), &states)?;
        Ok(Self { engine, version, environment })
    }

    /// Which one it is.
    #[must_use]
    pub const fn engine(&self) -> Engine {
        self.engine
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What kind, and the runtime under it, must find in their environment to work the same way as we do.
    #[must_use]
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut environment = self.environment.clone();
        environment.push((CHOICE, self.engine.program().into()));
        environment
    }

    /// A command for it.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(self.engine.program());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Whether it has an image of this name.
    #[must_use]
    pub fn has_image(&self, name: &str) -> bool {
        let mut command = self.command();
        command.args(["image", "inspect", "--format", "{{.Id}}", name]);
        question::ask(command, PATIENCE).is_ok()
    }

    /// Whether kind's published node images can be fetched, through whatever mirrors it is set up with; podman
    /// knows short names only where it is set up for them, so its no says nothing.
    #[must_use]
    pub fn reaches_published_images(&self) -> Option<bool> {
        let mut command = self.command();
        // Any tag of theirs would do; nothing is fetched but its manifest.
        command.args(["manifest", "inspect", "kindest/node:v1.35.0"]);
        let answers = question::ask(command, PATIENCE_FOR_REGISTRIES).is_ok();
        (answers || self.engine != Engine::Podman).then_some(answers)
    }

    /// Loads an archive of images.
    ///
    /// # Errors
    /// What it says.
    pub fn load(&self, archive: &Path) -> Result<(), RuntimeError> {
        let mut command = self.command();
        command.args(["load", "--input"]).arg(archive);
        let failed =
            |why| RuntimeError::Refused { engine: self.engine, what: format!("load {}", archive.display()), why };
        question::ask(command, PATIENCE_FOR_IMAGES).map(drop).map_err(failed)
    }

    /// Removes an image that it has.
    ///
    /// # Errors
    /// What it says, for example that a container uses the image.
    pub fn remove_image(&self, name: &str) -> Result<(), RuntimeError> {
        let mut command = self.command();
        command.args(["image", "rm", name]);
        let failed = |why| RuntimeError::Refused { engine: self.engine, what: format!("remove {name}"), why };
        question::ask(command, PATIENCE_FOR_IMAGES).map(drop).map_err(failed)
    }
}

/// Which of them is to be used.
fn choose(asked: Option<&str>, states: &[(Engine, State)]) -> Result<(Engine, String), RuntimeError> {
    let works = |(engine, state): &(Engine, State)| match state {
        State::Works { version } => Some((*engine, version.clone())),
        State::Absent | State::Broken { .. } => None,
    };
    let reason = |(engine, state): &(Engine, State)| match state {
        State::Broken { why } => Some(format!("{engine} is there but does not work: {}", why.trim())),
        State::Absent | State::Works { .. } => None,
    };
    let may_not = states.iter().find_map(|(engine, state)| match state {
        State::Broken { why } if is_forbidden(why) && asked.is_none_or(|asked| asked == engine.program()) => {
            Some(RuntimeError::Forbidden { engine: *engine, why: why.trim().to_owned() })
        }
        State::Absent | State::Broken { .. } | State::Works { .. } => None,
    });
    let Some(asked) = asked else {
        let reasons: Vec<String> = states.iter().filter_map(reason).collect();
        return states.iter().find_map(works).ok_or_else(|| match (may_not, reasons.as_slice()) {
            (_, []) => RuntimeError::None,
            (Some(forbidden), [_]) => forbidden,
            _ => RuntimeError::NoneWorks { reasons: reasons.join("; ") },
        });
    };
    let known = states.iter().find(|(engine, _)| engine.program() == asked);
    let known = known.ok_or_else(|| RuntimeError::Unknown { asked: asked.to_owned() })?;
    let in_vain = || RuntimeError::AskedInVain {
        asked: asked.to_owned(),
        why: reason(known).unwrap_or_else(|| format!("`{asked}` is not on the path")),
    };
    works(known).ok_or_else(|| may_not.unwrap_or_else(in_vain))
}

/// Whether it works, but not for this user.
fn is_forbidden(why: &str) -> bool {
    let why = why.to_lowercase();
    ["permission denied", "operation not permitted", "must be root"].iter().any(|sign| why.contains(sign))
}

/// Why there is no runtime, or why it would not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeError {
    /// None of them is there.
    #[error(
        "failed to find docker, podman or nerdctl; install one of them, on Debian with `apt-get install --no-install-recommends podman netavark aardvark-dns runc conmon iptables nftables iproute2 uidmap catatonit`"
    )]
    None,
    /// Some are there and none works.
    #[error(
        "failed to find a runtime of containers that works: {reasons}; start it, or install podman, which needs no daemon"
    )]
    NoneWorks {
        /// What each says.
        reasons: String,
    },
    /// It may not be used by this user.
    #[error(
        "failed to use {engine}: it may not be used by this user: {why}; run as root, join the runtime's group, or set up its rootless mode"
    )]
    Forbidden {
        /// Which one.
        engine: Engine,
        /// What it said.
        why: String,
    },
    /// `KIND_EXPERIMENTAL_PROVIDER` is no runtime we know.
    #[error(
        "failed to use the runtime `{asked}` that KIND_EXPERIMENTAL_PROVIDER names: known are docker, nerdctl and podman"
    )]
    Unknown {
        /// What it says.
        asked: String,
    },
    /// `KIND_EXPERIMENTAL_PROVIDER` names one that does not work.
    #[error("failed to use the runtime `{asked}` that KIND_EXPERIMENTAL_PROVIDER names: {why}")]
    AskedInVain {
        /// What it says.
        asked: String,
        /// Why it cannot be used.
        why: String,
    },
    /// `DOCKER_HOST` names no socket that answers.
    #[error(
        "failed to use the runtime at {address} that DOCKER_HOST names: {why}; start it, name another, or leave the variable out"
    )]
    NoSocket {
        /// What it says.
        address: String,
        /// Why it cannot be used.
        why: String,
    },
    /// It works, but not for this.
    #[error("failed to {what} with {engine}: {why}")]
    Refused {
        /// Which one.
        engine: Engine,
        /// What was asked.
        what: String,
        /// What it said.
        why: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn states(docker: u8, nerdctl: u8, podman: u8) -> Vec<(Engine, State)> {
        let state = |code: u8| match code {
            0 => State::Absent,
            1 => State::Broken { why: "no daemon\n".to_owned() },
            3 => State::Broken { why: "dial unix: connect: Permission denied".to_owned() },
            _ => State::Works { version: "1.0".to_owned() },
        };
        Engine::ALL.into_iter().zip([docker, nerdctl, podman].map(state)).collect()
    }

    #[rstest]
    #[case::all_work(None, (2, 2, 2), "docker")]
    #[case::a_client_without_a_daemon_does_not_count(None, (1, 0, 2), "podman")]
    #[case::the_choice_counts(Some("podman"), (2, 2, 2), "podman")]
    #[case::none_is_there(None, (0, 0, 0), "failed to find docker, podman or nerdctl; install")]
    #[case::none_works(None, (1, 0, 0), "docker is there but does not work: no daemon; start it")]
    #[case::the_only_one_is_forbidden(None, (3, 0, 0), "failed to use docker: it may not be used by this user")]
    #[case::the_chosen_one_is_forbidden(Some("docker"), (3, 2, 2), "join the runtime's group")]
    #[case::one_is_forbidden_and_one_broken(None, (3, 0, 1), "failed to find a runtime of containers that works")]
    #[case::the_chosen_one_is_broken(Some("docker"), (1, 0, 2), "names: docker is there but does not work: no daemon")]
    #[case::the_chosen_one_is_absent(Some("nerdctl"), (2, 0, 2), "names: `nerdctl` is not on the path")]
    #[case::the_choice_is_no_runtime(Some("rkt"), (2, 2, 2), "known are docker, nerdctl and podman")]
    fn choices(#[case] asked: Option<&str>, #[case] each: (u8, u8, u8), #[case] says: &str) {
        let told = match choose(asked, &states(each.0, each.1, each.2)) {
            Ok((engine, _)) => engine.to_string(),
            Err(error) => error.to_string(),
        };
        assert!(told.contains(says), "{told}");
    }
}
