//! A Job controller that runs in pods of the cluster: its image, the objects that run it, whose Jobs it has, when it is ready.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[cfg(test)]
use super::SubjectKind;
use super::{Manifest, Placeholder};

/// A Job controller that is an image. Texts of its manifests may have the [placeholders](Self::PLACEHOLDERS) below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeployedController {
    /// What its containers run.
    pub image: ControllerImage,
    /// The value of `spec.managedBy` that makes a Job its own; without one it is in the place of the built-in controller.
    pub manager: Option<String>,
    /// How we know that it works.
    pub ready: ReadyInCluster,
    /// Whether it deletes finished Jobs after their TTL. Where it does not, the built-in TTL controller runs.
    pub offers_ttl: bool,
    /// The objects that run it: a Deployment, its account, its roles.
    pub manifests: Vec<Manifest>,
}

impl DeployedController {
    /// What its manifests may have in them; everything else is of processes on this machine.
    pub const PLACEHOLDERS: [Placeholder; 7] = [
        Placeholder::Image,
        Placeholder::Manager,
        Placeholder::Namespace,
        Placeholder::Qps,
        Placeholder::Burst,
        Placeholder::Gates,
        Placeholder::Minor,
    ];
}

#[cfg(test)]
impl SubjectKind {
    /// One in pods, for tests that ask for no more.
    pub(crate) fn in_pods(image: ControllerImage, manager: Option<&str>) -> Self {
        Self::Deployed(DeployedController {
            image,
            manager: manager.map(str::to_owned),
            ready: ReadyInCluster::AllAvailable,
            offers_ttl: true,
            manifests: Vec::new(),
        })
    }
}

/// Where the image of a controller comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ControllerImage {
    /// Its name: in the container runtime of this machine, from which clusters by kind get it, or, for a cluster that is there
    /// already, wherever its nodes get images from.
    Name(String),
    /// An archive, as `docker save` writes it.
    Archive(PathBuf),
    /// A program that needs no library and no file: an image is made of it, with the program as its entrypoint.
    Program(PathBuf),
}

impl ControllerImage {
    /// The file it is made from, if it is made from one.
    #[must_use]
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::Name(_) => None,
            Self::Archive(file) | Self::Program(file) => Some(file),
        }
    }
}

/// How we know that a controller in a cluster works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadyInCluster {
    /// The API server answers a GET of this path with 200: for example its proxy to a Service of the controller.
    Answers(String),
    /// The lease `NAMESPACE/NAME` was taken or renewed since the start.
    LeaseIsHeld(String),
    /// The Deployment `NAMESPACE/NAME` is available.
    IsAvailable(String),
    /// Every Deployment of its manifests is.
    AllAvailable,
}
