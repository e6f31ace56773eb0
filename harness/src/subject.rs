//! Controllers that can be put to the test, by name: what each of them is, is data.

pub mod checkout;
mod own_programs;
mod volcano;

use crate::cluster::{ClusterSpec, SubjectKind};

pub use jobsworth_oracle::Ownership;
pub use volcano::{NotVolcano, Volcano};

/// Kubernetes' own Job controller and TTL controller: what everything else is compared with, and what is meant without a name.
pub const BUILT_IN: &str = "builtin";
/// Jobsworth's own controller in the place of both.
pub const REFERENCE: &str = "reference";
/// Jobsworth's own controller beside the built-in ones, which run too: each Job belongs to one of them, by `spec.managedBy`
/// (KEP-4368).
pub const BESIDE: &str = "beside";

/// Jobsworth's own controller for Volcano's Jobs, with its admission webhook.
pub const VOLCANO_REFERENCE: &str = "volcano-reference";

/// Volcano's own controller and webhook, of whoever has their programs.
pub const VOLCANO: &str = "volcano";

/// The program that reconciles `batch/v1` Jobs.
const JOB_CONTROLLER: &str = "jobsworth-controller";
/// The program that comes beside a controller under load, and uses the API server as its users do.
const TENANTS: &str = "jobsworth-tenants";
/// The programs that come along; each is the package of the same name.
const OWN_PROGRAMS: [&str; 3] = [JOB_CONTROLLER, volcano::PROGRAM, TENANTS];

/// The value of `spec.managedBy` for Jobs that are given to jobsworth's own controller beside the built-in one.
const MANAGER: &str = "jobsworth.dev/reference";

/// Where the program is that comes beside a controller under load.
#[must_use]
pub fn tenants_program() -> std::path::PathBuf {
    own_programs::path_of(TENANTS)
}

/// A controller that can be put to the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The name that plans and reports use.
    pub name: String,
    /// What it is.
    pub kind: SubjectKind,
    /// The flags by which a command line names it.
    pub flags: Vec<String>,
}

impl Subject {
    /// Of this name, which alone says what it is.
    #[must_use]
    pub fn of(name: &str, kind: SubjectKind) -> Self {
        Self { name: name.to_owned(), kind, flags: vec!["--controller".to_owned(), name.to_owned()] }
    }

    /// Kubernetes' own.
    #[must_use]
    pub fn built_in() -> Self {
        Self { flags: Vec::new(), ..Self::of(BUILT_IN, SubjectKind::BuiltIn) }
    }

    /// The same, named by other flags.
    #[must_use]
    pub fn named_by(self, flags: &[&str]) -> Self {
        Self { flags: flags.iter().map(|&flag| flag.to_owned()).collect(), ..self }
    }

    /// Jobsworth's own in its place, started from the program beside ours.
    #[must_use]
    pub fn reference() -> Self {
        Self::of(REFERENCE, SubjectKind::drop_in(own_programs::path_of(JOB_CONTROLLER)))
    }

    /// Jobsworth's own beside it.
    #[must_use]
    pub fn beside() -> Self {
        Self::of(BESIDE, SubjectKind::beside(own_programs::path_of(JOB_CONTROLLER), MANAGER))
    }

    /// Jobsworth's own for Volcano's Jobs.
    #[must_use]
    pub fn volcano_reference() -> Self {
        Self::of(VOLCANO_REFERENCE, SubjectKind::Program(volcano::reference()))
    }

    /// Volcano's own, started from the programs in this folder once they have said that they are of the release that is known.
    ///
    /// # Errors
    /// When a program is missing, does not say its version, or is of another release.
    pub fn volcano(folder: &std::path::Path) -> Result<Self, NotVolcano> {
        let flags = ["--controller", VOLCANO, "--volcano-binaries", &folder.display().to_string()].map(str::to_owned);
        let kind = SubjectKind::Program(Volcano::of(folder)?.program());
        Ok(Self { flags: flags.to_vec(), ..Self::of(VOLCANO, kind) })
    }

    /// Volcano's own, as it is installed in the cluster of the user.
    #[must_use]
    pub fn installed_volcano() -> Self {
        Self::of(VOLCANO, SubjectKind::InstalledVolcano)
    }

    /// Those that need no description.
    #[must_use]
    pub fn known() -> [Self; 4] {
        [Self::built_in(), Self::reference(), Self::beside(), Self::volcano_reference()]
    }

    /// Which Jobs are its own.
    #[must_use]
    pub fn ownership(&self) -> Ownership {
        self.kind.ownership()
    }

    /// The cluster as this subject needs it.
    #[must_use]
    pub fn prepare(&self, spec: ClusterSpec) -> ClusterSpec {
        ClusterSpec { subject: self.kind.clone(), ..spec }
    }
}
