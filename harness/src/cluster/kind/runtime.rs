//! The container runtime: which one works here, what it has, and commands inside of nodes.

use std::fmt;
use std::process::{Command, Output, Stdio};

use super::error::KindError;
use super::program::{Errand, Said};
use crate::cluster::launcher::Launcher;

/// What kind itself reads.
const VARIABLE: &str = "KIND_EXPERIMENTAL_PROVIDER";
/// kind's label on its containers.
const LABEL: &str = "io.x-k8s.kind.cluster";

/// A container runtime that kind can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Runtime {
    /// Docker.
    Docker,
    /// Podman.
    Podman,
    /// nerdctl, for containerd.
    Nerdctl,
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.program())
    }
}

impl Runtime {
    const ALL: [Self; 3] = [Self::Docker, Self::Nerdctl, Self::Podman];

    /// The program's name.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Podman => "podman",
            Self::Nerdctl => "nerdctl",
        }
    }

    /// The runtime that `KIND_EXPERIMENTAL_PROVIDER` names, else the first one that works.
    ///
    /// kind takes the first one that is installed; a docker without a daemon would hide a podman that works.
    ///
    /// # Errors
    /// When none works; says why not.
    pub fn detect() -> Result<Self, KindError> {
        match std::env::var(VARIABLE).ok().filter(|name| !name.is_empty()) {
            None => choose(&Self::ALL, Self::state),
            Some(name) => {
                let named = Self::ALL.into_iter().find(|runtime| runtime.program() == name);
                choose(&[named.ok_or(KindError::UnknownRuntime(name))?], Self::state)
            }
        }
    }

    /// Whether it is installed and answers.
    fn state(self) -> State {
        let asked = Command::new(self.program()).arg("info").stdin(Stdio::null()).output();
        match asked {
            Err(_) => State::Absent,
            Ok(Output { status, .. }) if status.success() => State::Works,
            Ok(Output { stdout, stderr, .. }) => {
                let stderr = String::from_utf8_lossy(&stderr);
                let said = stderr.trim().lines().last().map(str::to_owned);
                State::Fails(said.unwrap_or_else(|| String::from_utf8_lossy(&stdout).trim().to_owned()))
            }
        }
    }

    /// A command of the runtime.
    pub(super) fn errand(self, launcher: &Launcher, what: impl Into<String>, arguments: &[&str]) -> Errand {
        Errand::new(launcher, self.program().as_ref(), what).args(arguments)
    }

    /// The id of an image that is here; `None` when it is not.
    pub(super) async fn image(self, launcher: &Launcher, image: &str) -> Result<Option<String>, KindError> {
        let said: Said = self
            .errand(
                launcher,
                format!("look for the image {image}"),
                &["image", "inspect", "--format", "{{.Id}}", image],
            )
            .said()
            .await?;
        Ok(said.succeeded().then(|| said.out.trim().trim_start_matches("sha256:").to_owned()))
    }

    /// Names of the containers of a kind cluster, running or not.
    pub(super) async fn nodes(self, launcher: &Launcher, cluster: &str) -> Result<Vec<String>, KindError> {
        let label = format!("label={LABEL}={cluster}");
        let arguments = ["ps", "-a", "--filter", &label, "--format", "{{.Names}}"];
        let text = self.errand(launcher, format!("list the nodes of {cluster}"), &arguments).output().await?;
        Ok(text.split_whitespace().map(str::to_owned).collect())
    }
}

/// How a runtime is.
enum State {
    Works,
    Absent,
    Fails(String),
}

fn choose(candidates: &[Runtime], state: impl Fn(Runtime) -> State) -> Result<Runtime, KindError> {
    let mut said = Vec::new();
    for &runtime in candidates {
        match state(runtime) {
            State::Works => return Ok(runtime),
            State::Absent => {}
            State::Fails(words) if candidates.len() == 1 && forbidden(&words) => {
                return Err(KindError::NoPrivileges { runtime: runtime.program(), said: words });
            }
            State::Fails(words) => said.push(format!("{runtime}: {words}")),
        }
    }
    match said.as_slice() {
        [] if candidates.len() == 1 => {
            Err(KindError::RuntimeDown { said: vec![format!("{} is not installed", candidates[0])] })
        }
        [] => Err(KindError::NoRuntime),
        [only] if forbidden(only) => {
            let (runtime, words) = only.split_once(": ").unwrap_or(("", only));
            let runtime = Runtime::ALL.into_iter().find(|one| one.program() == runtime).unwrap_or(Runtime::Docker);
            Err(KindError::NoPrivileges { runtime: runtime.program(), said: words.to_owned() })
        }
        _ => Err(KindError::RuntimeDown { said }),
    }
}

fn forbidden(words: &str) -> bool {
    ["permission denied", "operation not permitted", "must be root"]
        .iter()
        .any(|sign| words.to_lowercase().contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_docker_without_a_daemon_does_not_hide_a_podman_that_works() {
        let state = |runtime| match runtime {
            Runtime::Docker => State::Fails("Cannot connect to the Docker daemon".to_owned()),
            Runtime::Nerdctl => State::Absent,
            Runtime::Podman => State::Works,
        };
        assert_eq!(choose(&Runtime::ALL, state).unwrap(), Runtime::Podman);
    }

    #[test]
    fn without_any_runtime_the_error_names_a_way_out() {
        let error = choose(&Runtime::ALL, |_| State::Absent).unwrap_err();
        assert!(matches!(error, KindError::NoRuntime));
        assert!(error.to_string().contains("--provider local"), "{error}");
    }

    #[test]
    fn a_socket_that_may_not_be_opened_is_a_matter_of_rights() {
        let state = |runtime| match runtime {
            Runtime::Docker => State::Fails("dial unix /var/run/docker.sock: connect: permission denied".to_owned()),
            _ => State::Absent,
        };
        let error = choose(&Runtime::ALL, state).unwrap_err();
        assert!(matches!(error, KindError::NoPrivileges { runtime: "docker", .. }), "{error}");
    }

    #[test]
    fn runtimes_that_fail_are_all_quoted() {
        let state = |runtime: Runtime| State::Fails(format!("{runtime} is asleep"));
        let error = choose(&Runtime::ALL, state).unwrap_err().to_string();
        assert!(error.contains("docker is asleep") && error.contains("podman is asleep"), "{error}");
    }
}
