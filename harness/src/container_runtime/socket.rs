//! Where a runtime answers on the API that docker has and podman shares.
//!
//! A client program is not enough for that, and none is needed: `DOCKER_HOST` decides where it is set, then docker's
//! socket, then podman's. Podman needs no daemon, so where none of them answers it can be started for as long as it is
//! needed.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Engine, RuntimeError, State, api, background, is_forbidden};
use crate::binaries;

/// The variable that names a runtime's address, for docker's own client and for every other.
pub const VARIABLE: &str = "DOCKER_HOST";
/// Docker's socket, which clients use without being told.
pub const DOCKER: &str = "/var/run/docker.sock";
const SCHEME: &str = "unix://";

/// A way to a runtime's API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Socket {
    /// A runtime answers there.
    At {
        /// The socket's file.
        path: PathBuf,
        /// What answers, for example `podman 4.3.1`.
        runtime: String,
    },
    /// Nothing listens, and podman can be made to.
    ToBeServed {
        /// Podman's version.
        version: String,
    },
}

impl fmt::Display for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At { path, runtime } => write!(f, "{runtime} at {}", path.display()),
            Self::ToBeServed { version } => write!(f, "podman {version}, started for the time of the run"),
        }
    }
}

/// What is behind a socket's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is no such file.
    Absent,
    /// Nobody listens, or somebody who is no runtime.
    Silent(String),
    /// It may not be used by this user.
    Forbidden(String),
    /// A runtime of this name and version.
    Runtime(String),
}

impl Socket {
    /// The one that is to be used on this machine.
    ///
    /// # Errors
    /// When there is none, with the reason and the way out.
    pub fn find() -> Result<Self, RuntimeError> {
        let podman = || super::ask(Engine::Podman, &super::environment());
        let named = std::env::var(VARIABLE).ok().filter(|named| !named.is_empty());
        let user = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        choose(named.as_deref(), user.as_deref(), ask, podman)
    }

    /// Where it is, or will be.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Self::At { path, .. } => Some(path.clone()),
            Self::ToBeServed { .. } => own(""),
        }
    }
}

/// The socket at which this process has podman listen, if it has to; with something after its number, another one.
#[must_use]
pub fn own(which: &str) -> Option<PathBuf> {
    Some(binaries::cache_folder().ok()?.join("podman").join(format!("{}{which}.sock", std::process::id())))
}

/// The file of an address; none where it is no file.
#[must_use]
pub fn path_of(address: &str) -> Option<&Path> {
    address.strip_prefix(SCHEME).map(Path::new)
}

/// The address of a file.
#[must_use]
pub fn address_of(path: &Path) -> String {
    format!("{SCHEME}{}", path.display())
}

/// Decides by what `ask` says about each socket, and `podman` about the program.
fn choose(
    named: Option<&str>,
    user: Option<&Path>,
    ask: impl Fn(&Path) -> Answer,
    podman: impl FnOnce() -> State,
) -> Result<Socket, RuntimeError> {
    if let Some(address) = named {
        let vain = |why: String| RuntimeError::NoSocket { address: address.to_owned(), why };
        let path = path_of(address).ok_or_else(|| {
            vain("containers share this machine's files and network, so it must be a socket here (unix://)".to_owned())
        })?;
        return match ask(path) {
            Answer::Runtime(runtime) => Ok(Socket::At { path: path.to_owned(), runtime }),
            Answer::Absent => Err(vain("there is no such file".to_owned())),
            Answer::Silent(why) | Answer::Forbidden(why) => Err(vain(why)),
        };
    }
    let mut reasons = Vec::new();
    let mut forbidden = None;
    let podmans = user.map(|folder| folder.join("podman/podman.sock"));
    let known = [(Engine::Docker, PathBuf::from(DOCKER))]
        .into_iter()
        .chain(podmans.map(|path| (Engine::Podman, path)))
        .chain([(Engine::Podman, PathBuf::from("/run/podman/podman.sock"))]);
    for (engine, path) in known {
        match ask(&path) {
            Answer::Runtime(runtime) => return Ok(Socket::At { path, runtime }),
            Answer::Absent => {}
            Answer::Silent(why) => reasons.push(format!("{}: {why}", path.display())),
            Answer::Forbidden(why) => {
                reasons.push(format!("{}: {why}", path.display()));
                forbidden.get_or_insert(RuntimeError::Forbidden { engine, why });
            }
        }
    }
    match podman() {
        State::Works { version } => return Ok(Socket::ToBeServed { version }),
        State::Broken { why } if is_forbidden(&why) && reasons.is_empty() => {
            return Err(RuntimeError::Forbidden { engine: Engine::Podman, why: why.trim().to_owned() });
        }
        State::Broken { why } => reasons.push(format!("podman is there but does not work: {}", why.trim())),
        State::Absent => {}
    }
    match (forbidden, reasons.as_slice()) {
        (Some(forbidden), [_]) => Err(forbidden),
        (_, []) => Err(RuntimeError::None),
        (_, reasons) => Err(RuntimeError::NoneWorks { reasons: reasons.join("; ") }),
    }
}

/// Asks who answers at a socket.
fn ask(path: &Path) -> Answer {
    if !path.exists() {
        return Answer::Absent;
    }
    let socket = path.to_owned();
    match background::block_on(async move { api::get(&socket, "/version").await }) {
        Ok(answer) => runtime_of(&answer)
            .map_or_else(|| Answer::Silent("what answers there is no container runtime".to_owned()), Answer::Runtime),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Answer::Forbidden(error.to_string()),
        Err(error) => Answer::Silent(error.to_string()),
    }
}

/// Name and version from the answer to `GET /version`. Both runtimes list what they are made of, the engine first.
fn runtime_of(version: &Value) -> Option<String> {
    let number = version["Version"].as_str()?;
    let podman = version["Components"][0]["Name"].as_str().is_some_and(|name| name.starts_with("Podman"));
    Some(format!("{} {number}", if podman { "podman" } else { "docker" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const USER: &str = "/run/user/1000/podman/podman.sock";
    const SYSTEM: &str = "/run/podman/podman.sock";

    fn runtime(name: &str) -> Answer {
        Answer::Runtime(name.to_owned())
    }

    fn forbidden() -> Answer {
        Answer::Forbidden("Permission denied (os error 13)".to_owned())
    }

    fn works() -> State {
        State::Works { version: "4.3.1".to_owned() }
    }

    #[rstest]
    #[case::docker_comes_first(None, vec![(DOCKER, runtime("docker 28")), (USER, runtime("podman 5"))], works(),
        "docker 28 at /var/run/docker.sock")]
    #[case::a_daemon_that_is_down_does_not_count(None,
        vec![(DOCKER, Answer::Silent("Connection refused".to_owned())), (SYSTEM, runtime("podman 5"))], works(),
        "podman 5 at /run/podman/podman.sock")]
    #[case::the_users_own_podman_before_the_systems(None, vec![(USER, runtime("podman 5")), (SYSTEM, runtime("podman 4"))],
        works(), "podman 5 at /run/user/1000")]
    #[case::podman_without_a_socket_is_started(None, vec![], works(), "podman 4.3.1, started for the time of the run")]
    #[case::the_variable_decides(Some("unix:///my.sock"), vec![("/my.sock", runtime("docker 28"))], works(),
        "docker 28 at /my.sock")]
    #[case::the_variable_decides_also_in_vain(Some("unix:///my.sock"), vec![(DOCKER, runtime("docker 28"))], works(),
        "DOCKER_HOST names: there is no such file")]
    #[case::a_distant_daemon_will_not_do(Some("tcp://far:2375"), vec![], works(), "must be a socket here")]
    #[case::nothing_at_all(None, vec![], State::Absent, "failed to find docker, podman or nerdctl; install")]
    #[case::docker_is_down(None, vec![(DOCKER, Answer::Silent("Connection refused".to_owned()))], State::Absent,
        "/var/run/docker.sock: Connection refused; start it")]
    #[case::docker_is_for_others(None, vec![(DOCKER, forbidden())], State::Absent,
        "failed to use docker: it may not be used by this user: Permission denied (os error 13); run as root")]
    #[case::podman_is_for_others(None, vec![], State::Broken { why: "newuidmap: Operation not permitted".to_owned() },
        "failed to use podman: it may not be used by this user")]
    fn choices(
        #[case] named: Option<&str>,
        #[case] there: Vec<(&str, Answer)>,
        #[case] podman: State,
        #[case] says: &str,
    ) {
        let ask = |path: &Path| {
            let found = there.iter().find(|(known, _)| Path::new(known) == path);
            found.map_or(Answer::Absent, |(_, answer)| answer.clone())
        };
        let told = match choose(named, Some(Path::new("/run/user/1000")), ask, || podman) {
            Ok(socket) => socket.to_string(),
            Err(error) => error.to_string(),
        };
        assert!(told.contains(says), "{told}");
    }

    #[rstest]
    #[case::podman(r#"{"Version":"4.3.1","Components":[{"Name":"Podman Engine"}]}"#, Some("podman 4.3.1"))]
    #[case::docker(r#"{"Version":"28.0","Components":[{"Name":"Engine"}]}"#, Some("docker 28.0"))]
    #[case::somebody_else(r#"{"hello":1}"#, None)]
    fn who_answers(#[case] answer: &str, #[case] runtime: Option<&str>) {
        assert_eq!(runtime_of(&serde_json::from_str(answer).unwrap()).as_deref(), runtime);
    }

    #[test]
    fn a_file_that_is_no_socket_is_silent() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(matches!(ask(file.path()), Answer::Silent(_)));
        assert_eq!(ask(Path::new("/no/such/socket")), Answer::Absent);
    }
}
