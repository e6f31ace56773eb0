//! Whose Job controller a cluster has, as data: nothing here starts anything.

mod deployed;
mod job_api;
mod manifest;
mod placeholder;
mod program;
mod volcano_release;

use std::path::{Path, PathBuf};

use jobsworth_oracle::Ownership;
use serde::{Deserialize, Serialize};

use super::attestation::Mark;

pub use deployed::{ControllerImage, DeployedController, ReadyInCluster};
pub use job_api::JobApi;
pub use manifest::{Manifest, ServiceAccount};
pub use placeholder::{Placeholder, Values, has, named, unknown};
pub use program::{ControllerProgram, ReadyWhen, Rule, WebhookProgram};
pub(crate) use program::{Described, SHORT_ELECTION};
pub use volcano_release::{VOLCANO_RELEASE, is_of_known_release};

/// Controllers of kube-controller-manager that stand back for a subject in their place.
const JOBS: &str = "job-controller";
const TTL: &str = "ttl-after-finished-controller";

/// Whose Job controller a cluster has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::large_enum_variant, reason = "a cell has one: what it costs is not worth a box in every match")]
pub enum SubjectKind {
    /// Kubernetes' own, in a kube-controller-manager with nothing else.
    #[default]
    BuiltIn,
    /// A program that we start.
    Program(ControllerProgram),
    /// One that we put into the cluster, as pods.
    Deployed(DeployedController),
    /// One that runs in the cluster already and is not ours to touch, beside the built-in one.
    Installed {
        /// The value of `spec.managedBy` that makes a Job its own.
        manager: String,
    },
    /// Volcano, as it is installed in the cluster: controller, webhook and scheduler, none of them ours to touch.
    InstalledVolcano,
}

impl SubjectKind {
    /// A program in the place of the built-in controller, with the command line of the reference controller.
    #[must_use]
    pub fn drop_in(program: impl Into<PathBuf>) -> Self {
        Self::Program(ControllerProgram::like_the_reference(program.into(), None))
    }

    /// A program beside the built-in controller, with the command line of the reference controller; Jobs whose
    /// `spec.managedBy` is `manager` are its own.
    #[must_use]
    pub fn beside(program: impl Into<PathBuf>, manager: &str) -> Self {
        Self::Program(ControllerProgram::like_the_reference(program.into(), Some(manager)))
    }

    /// The program that it needs besides those of Kubernetes.
    #[must_use]
    pub fn program(&self) -> Option<&Path> {
        match self {
            Self::BuiltIn | Self::Deployed(_) | Self::Installed { .. } | Self::InstalledVolcano => None,
            Self::Program(program) => Some(&program.program),
        }
    }

    /// The value of `spec.managedBy` that makes a Job its own, if it works beside the built-in controller.
    #[must_use]
    pub fn manager(&self) -> Option<&str> {
        match self {
            Self::BuiltIn | Self::InstalledVolcano => None,
            Self::Program(program) => program.manager.as_deref(),
            Self::Deployed(deployed) => deployed.manager.as_deref(),
            Self::Installed { manager } => Some(manager),
        }
    }

    /// What a program finds in the cluster when it starts.
    #[must_use]
    pub fn manifests(&self) -> &[Manifest] {
        match self {
            Self::BuiltIn | Self::Deployed(_) | Self::Installed { .. } | Self::InstalledVolcano => &[],
            Self::Program(program) => &program.manifests,
        }
    }

    /// What was found of it when it was looked at, if it was.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        match self {
            Self::Program(program) => &program.marks,
            Self::BuiltIn | Self::Deployed(_) | Self::Installed { .. } | Self::InstalledVolcano => &[],
        }
    }

    /// The API whose objects it reconciles.
    #[must_use]
    pub fn api(&self) -> JobApi {
        match self {
            Self::BuiltIn | Self::Deployed(_) | Self::Installed { .. } => JobApi::Batch,
            Self::InstalledVolcano => JobApi::Volcano,
            Self::Program(program) => program.api,
        }
    }

    /// Which Jobs are its own.
    #[must_use]
    pub fn ownership(&self) -> Ownership {
        match (self, self.manager()) {
            (Self::BuiltIn, _) => Ownership::BuiltIn,
            (_, Some(manager)) => Ownership::ManagedBy(manager.to_owned()),
            (_, None) => Ownership::DropIn,
        }
    }

    /// Whether what it counts can be read here.
    #[must_use]
    pub fn offers_metrics(&self) -> bool {
        match self {
            Self::BuiltIn => true,
            Self::Program(program) => program.metrics.is_some(),
            Self::Deployed(_) | Self::Installed { .. } | Self::InstalledVolcano => false,
        }
    }

    /// Whether it is itself who deletes finished Jobs after their TTL, and not the built-in TTL controller beside it.
    #[must_use]
    pub fn offers_ttl(&self) -> bool {
        match self {
            Self::BuiltIn | Self::InstalledVolcano => true,
            Self::Program(program) => program.manager.is_none() && program.offers_ttl,
            Self::Deployed(deployed) => deployed.manager.is_none() && deployed.offers_ttl,
            Self::Installed { .. } => false,
        }
    }

    /// Whether several instances of it elect one that works.
    #[must_use]
    pub fn offers_election(&self) -> bool {
        match self {
            Self::BuiltIn => true,
            Self::Program(program) => program.webhook.is_none() && !program.election.is_empty(),
            Self::Deployed(_) | Self::Installed { .. } | Self::InstalledVolcano => false,
        }
    }

    /// Controllers of the other kube-controller-manager that are switched off for it, by name.
    #[must_use]
    pub fn switched_off(&self) -> Vec<&'static str> {
        if self.api() != JobApi::Batch {
            return Vec::new();
        }
        let jobs = self.manager().is_none().then_some(JOBS);
        jobs.into_iter().chain(self.offers_ttl().then_some(TTL)).collect()
    }

    /// As whom it comes to the API server, where nobody else comes by these names: what they ask for is its doing. A program beside the
    /// built-in controller shares the name of that; who runs in pods or was there before has a name of its own that is not known here.
    #[must_use]
    pub fn users(&self) -> Vec<String> {
        match self {
            Self::Program(ControllerProgram { service_account: Some(account), .. }) => vec![account.user()],
            // Its webhook may come by the same name.
            Self::Program(ControllerProgram { webhook: Some(_), .. }) => Vec::new(),
            Self::BuiltIn | Self::Program(_) => self
                .switched_off()
                .into_iter()
                .map(|name| format!("system:serviceaccount:kube-system:{name}"))
                .collect(),
            Self::Deployed(_) | Self::Installed { .. } | Self::InstalledVolcano => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn without_ttl() -> SubjectKind {
        let SubjectKind::Program(program) = SubjectKind::drop_in("x") else { unreachable!() };
        SubjectKind::Program(ControllerProgram { offers_ttl: false, ..program })
    }

    fn of_another_api() -> SubjectKind {
        let SubjectKind::Program(program) = SubjectKind::drop_in("x") else { unreachable!() };
        SubjectKind::Program(ControllerProgram { api: JobApi::Volcano, ..program })
    }

    fn in_pods(manager: Option<&str>) -> SubjectKind {
        SubjectKind::in_pods(ControllerImage::Name("x".to_owned()), manager)
    }

    #[rstest]
    #[case::the_built_in_one_is_another_process(SubjectKind::BuiltIn, &[JOBS, TTL])]
    #[case::in_its_place(SubjectKind::drop_in("x"), &[JOBS, TTL])]
    #[case::in_its_place_for_jobs_only(without_ttl(), &[JOBS])]
    #[case::beside_it(SubjectKind::beside("x", "example.com/x"), &[])]
    #[case::in_its_place_in_pods(in_pods(None), &[JOBS, TTL])]
    #[case::beside_it_in_pods(in_pods(Some("example.com/x")), &[])]
    #[case::in_nobodys_place(of_another_api(), &[])]
    #[case::installed(SubjectKind::Installed { manager: "example.com/x".to_owned() }, &[])]
    #[case::of_another_api_and_installed(SubjectKind::InstalledVolcano, &[])]
    fn what_stands_back(#[case] subject: SubjectKind, #[case] off: &[&str]) {
        assert_eq!(subject.switched_off(), off);
    }

    #[rstest]
    #[case::the_built_in_one(SubjectKind::BuiltIn, &[JOBS, TTL])]
    #[case::in_its_place(SubjectKind::drop_in("x"), &[JOBS, TTL])]
    #[case::in_its_place_for_jobs_only(without_ttl(), &[JOBS])]
    #[case::beside_it(SubjectKind::beside("x", "example.com/x"), &[])]
    #[case::in_pods(in_pods(None), &[])]
    #[case::of_another_api(of_another_api(), &[])]
    fn who_asks_in_its_name_alone(#[case] subject: SubjectKind, #[case] names: &[&str]) {
        let users: Vec<String> = names.iter().map(|name| format!("system:serviceaccount:kube-system:{name}")).collect();
        assert_eq!(subject.users(), users);
    }
}
