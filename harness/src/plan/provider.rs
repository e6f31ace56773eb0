//! Which provider brings up the clusters.

use super::PlanError;
use crate::cluster::{Ability, Capabilities};

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

/// Chooses a provider. This build has one, `local`; the error says so and names the ways out.
///
/// # Errors
/// When the programs of a control plane are neither there nor can be built.
pub fn choose(binaries: &Binaries) -> Result<Choice, PlanError> {
    let because = match binaries {
        Binaries::Ready(folder) => format!("its programs are in {folder}"),
        Binaries::Buildable { go, missing } => format!("Go {go} can build {missing}"),
        Binaries::NotInFolder { folder, missing } => {
            return Err(PlanError::NoProvider(format!(
                "`local` needs {missing} in {folder}, or in a folder below it named as the version; put them there, or \
                 leave --binaries and JOBSWORTH_BINARIES out to have them built; the provider `kind` is not part of \
                 this build"
            )));
        }
        Binaries::NoGo { missing, why } => {
            return Err(PlanError::NoProvider(format!(
                "`local` needs {missing}, and they cannot be built: {why}; either install Go, or give ready programs \
                 through --binaries or JOBSWORTH_BINARIES; the provider `kind` is not part of this build"
            )));
        }
    };
    Ok(Choice { name: "local", because })
}

/// What clusters of the provider `local` can do, as far as plans ask.
pub const LOCAL: Capabilities = Capabilities {
    restarts: Ability::Has,
    gates: Ability::Has,
    emulation: Ability::Has,
    changes: Ability::Has,
    kubelets: Ability::Lacks,
    one_store: Ability::Has,
    nodes_max: 1000,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_programs_and_go_the_error_names_both_ways_out_and_admits_that_kind_is_missing() {
        let found = Binaries::NoGo { missing: "etcd".to_owned(), why: "there is no `go`".to_owned() };
        let error = choose(&found).unwrap_err().to_string();
        for part in ["install Go", "--binaries", "`kind` is not part of this build"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn ready_programs_need_no_go() {
        let choice = choose(&Binaries::Ready("/opt/kube".to_owned())).unwrap();
        assert_eq!((choice.name, choice.because.as_str()), ("local", "its programs are in /opt/kube"));
    }
}
