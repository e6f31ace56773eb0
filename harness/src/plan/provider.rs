//! Which provider brings up the clusters.

use super::PlanError;
use crate::cluster::{Capabilities, containers, existing, kind, local};

/// The providers, the one first that is tried first.
pub const PROVIDERS: [&str; 4] = ["local", "kind", "containers", "existing"];

/// What was found on this machine, as far as it decides on the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binaries {
    /// Every program that the run needs is there, in this folder.
    Ready(String),
    /// Programs must be built, and this Go can do it.
    Buildable {
        /// Version of Go.
        go: String,
        /// What must be built.
        missing: String,
    },
    /// Programs are missing from the folder that the user named.
    NotInFolder {
        /// The folder.
        folder: String,
        /// What is missing.
        missing: String,
    },
    /// Programs must be built, and there is no Go that could.
    NoGo {
        /// What must be built.
        missing: String,
        /// What is wrong with Go here.
        why: String,
    },
}

/// A provider and why it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub name: &'static str,
    /// Why, as the first line of a run says it.
    pub because: String,
}

/// The provider of this name.
///
/// # Errors
/// When there is none; names the nearest.
pub fn named(name: &str) -> Result<&'static str, PlanError> {
    PROVIDERS.into_iter().find(|known| *known == name).ok_or_else(|| PlanError::none_of("provider", name, PROVIDERS))
}

/// What clusters of a provider can do, as far as plans ask.
#[must_use]
pub fn capabilities(provider: &str) -> Capabilities {
    match provider {
        "kind" => kind::CAPABILITIES,
        "existing" => existing::CAPABILITIES,
        "containers" => containers::CAPABILITIES,
        _ => local::CAPABILITIES,
    }
}

/// Chooses a provider: the one that is asked for; without a word `local` if it can be, else `kind`.
/// `runtime` says which container runtime works here, or why none does.
///
/// # Errors
/// When what is asked for cannot be had, or nothing can; names the ways out.
pub fn choose(
    asked: Option<&'static str>,
    binaries: &Binaries,
    runtime: impl FnOnce() -> Result<String, String>,
) -> Result<Choice, PlanError> {
    if asked == Some("kind") {
        let because = runtime().map_err(PlanError::NoProvider)?;
        return Ok(Choice { name: "kind", because: format!("asked for; {because} works") });
    }
    let trouble = match programs(binaries, "local") {
        Ok(because) => return Ok(Choice { name: "local", because }),
        Err(trouble) => trouble,
    };
    match runtime() {
        Ok(works) if asked.is_none() => Ok(Choice { name: "kind", because: format!("{works} works, and {trouble}") }),
        Ok(works) => Err(PlanError::NoProvider(format!("{trouble}; or use --provider kind: {works} works"))),
        Err(why) => Err(PlanError::NoProvider(format!("{trouble}; and for --provider kind: {why}"))),
    }
}

/// The provider `containers`, which needs the programs of `local` and a runtime with a socket.
///
/// # Errors
/// When it cannot be had; names the ways out.
pub fn in_containers(
    binaries: &Binaries,
    socket: impl FnOnce() -> Result<String, String>,
) -> Result<Choice, PlanError> {
    let programs = programs(binaries, "containers").map_err(PlanError::NoProvider)?;
    let socket = socket().map_err(PlanError::NoProvider)?;
    Ok(Choice { name: "containers", because: format!("asked for; {socket}; {programs}") })
}

/// Where the programs are that `provider` runs, or why they cannot be had.
fn programs(binaries: &Binaries, provider: &str) -> Result<String, String> {
    match binaries {
        Binaries::Ready(folder) => Ok(format!("its programs are in {folder}")),
        Binaries::Buildable { go, missing } => Ok(format!("Go {go} can build {missing}")),
        Binaries::NotInFolder { folder, missing } => Err(format!(
            "`{provider}` needs {missing} in {folder}, or in a folder below it named as the version; put them there, or \
             leave --binaries and JOBSWORTH_BINARIES out to have them built"
        )),
        Binaries::NoGo { missing, why } => Err(format!(
            "`{provider}` needs {missing}, and they cannot be built: {why}; either install Go, or give ready programs \
             through --binaries or JOBSWORTH_BINARIES"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READY: fn() -> Binaries = || Binaries::Ready("/opt/kube".to_owned());

    fn no_go() -> Binaries {
        Binaries::NoGo { missing: "etcd".to_owned(), why: "there is no `go`".to_owned() }
    }

    fn podman() -> Result<String, String> {
        Ok("podman".to_owned())
    }

    #[test]
    fn without_programs_go_and_a_runtime_the_error_names_every_way_out() {
        let error = choose(None, &no_go(), || Err("no runtime is installed".to_owned())).unwrap_err().to_string();
        for part in ["install Go", "--binaries", "for --provider kind: no runtime is installed"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn ready_programs_need_no_go_and_no_runtime() {
        let choice = choose(None, &READY(), || unreachable!("nobody asks for a runtime")).unwrap();
        assert_eq!((choice.name, choice.because.as_str()), ("local", "its programs are in /opt/kube"));
    }

    #[test]
    fn a_runtime_helps_out_and_the_choice_says_why() {
        let choice = choose(None, &no_go(), podman).unwrap();
        assert_eq!(choice.name, "kind");
        assert!(choice.because.starts_with("podman works, and `local` needs etcd"), "{}", choice.because);
    }

    #[test]
    fn who_asks_for_local_does_not_get_kind() {
        let error = choose(Some("local"), &no_go(), podman).unwrap_err().to_string();
        assert!(error.contains("or use --provider kind: podman works"), "{error}");
    }

    #[test]
    fn kind_is_chosen_when_asked_for_though_local_would_do() {
        assert_eq!(choose(Some("kind"), &READY(), podman).unwrap().name, "kind");
    }

    #[test]
    fn containers_need_programs_and_a_socket() {
        let socket = || Ok("podman 4.3.1 at /run/podman.sock".to_owned());
        let choice = in_containers(&READY(), socket).unwrap();
        assert_eq!(choice.name, "containers");
        let because = "asked for; podman 4.3.1 at /run/podman.sock; its programs are in /opt/kube";
        assert_eq!(choice.because, because);
        let error = in_containers(&READY(), || Err("no runtime; or use --provider local".to_owned())).unwrap_err();
        assert!(error.to_string().ends_with("no runtime; or use --provider local"), "{error}");
        let error = in_containers(&no_go(), || unreachable!("there is nothing to run")).unwrap_err().to_string();
        assert!(error.contains("`containers` needs etcd"), "{error}");
    }

    #[test]
    fn a_misspelt_provider_gets_a_hint() {
        let error = named("kindd").unwrap_err().to_string();
        assert!(error.contains("kind"), "{error}");
    }
}
