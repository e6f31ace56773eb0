//! What becomes of pods, on the script's word: played where nodes are fake, brought about where kubelets
//! run containers. Scripts do not know which it is.
//!
//! By default a pod starts and becomes ready as soon as it can, and stops as soon as it is told to, with
//! exit code 143 as a shell would. A script can take either into its own hands.

mod gang;
mod played;
mod real;
pub(crate) mod status;
mod template;
mod writer;

use crate::{
    cluster::{Pods, subject_kind::JobApi},
    recorder::Book,
};
use jobsworth_api::RequestPath;
use k8s_openapi::api::core::v1::Pod;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::watch;

pub use gang::GangBehaviour;
use played::Player;
use real::Kubelets;
pub use status::{Disruption, End};

/// Who decides when a pod starts or stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The driver, at once.
    AtOnce,
    /// The script.
    OnWord,
}

/// How pods behave when nobody says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodBehaviour {
    /// When a pod starts running.
    pub start: When,
    /// When a pod that is told to stop does so.
    pub stop: When,
    /// With which exit code a pod that is told to stop ends; 0 is success.
    pub stop_code: i32,
}

impl Default for PodBehaviour {
    fn default() -> Self {
        Self { start: When::AtOnce, stop: When::AtOnce, stop_code: 143 }
    }
}

/// Why a pod could not be driven.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The API server refused or did not answer.
    #[error("failed to {what} pod {pod}")]
    Request {
        /// What was to be done.
        what: &'static str,
        /// Its name.
        pod: String,
        #[source]
        /// What the API server said.
        source: Box<kube::Error>,
    },
    /// The program in its container did not do it.
    #[error("failed to {what} pod {pod}: {said}")]
    Agent {
        /// What was to be done.
        what: &'static str,
        /// Its name.
        pod: String,
        /// What it, or whoever stands between, said.
        said: String,
    },
    /// No kubelet does this.
    #[error("failed to {what} pod {pod}: a real kubelet cannot; the case must say so in its needs")]
    Beyond {
        /// What was to be done.
        what: &'static str,
        /// Its name.
        pod: String,
    },
}

impl DriveError {
    fn request(what: &'static str, pod: String, source: kube::Error) -> Self {
        Self::Request { what, pod, source: Box::new(source) }
    }
}

/// Drives the pods of one namespace.
pub enum PodDriver {
    /// Nobody runs containers.
    Played(Player),
    /// Kubelets do.
    Real(Kubelets),
}

/// Does the same with either driver.
macro_rules! either {
    ($driver:expr, $it:ident => $does:expr) => {
        match $driver {
            PodDriver::Played($it) => $does,
            PodDriver::Real($it) => $does,
        }
    };
}

impl PodDriver {
    /// Drives every pod that `book` records from now on; played ones are bound to `node`, real ones run `image` in place
    /// of the one that cases name.
    pub(crate) fn start(
        who: Pods,
        client: kube::Client,
        namespace: &str,
        node: String,
        book: &Arc<Book>,
        image: Option<&str>,
        api: JobApi,
    ) -> Self {
        match who {
            Pods::Played => Self::Played(Player::start(client, namespace, node, book, api)),
            Pods::Real => Self::Real(Kubelets::start(client, namespace, book, image)),
        }
    }

    /// What a script submits, as this driver needs it.
    pub(crate) fn prepare(&self, target: &RequestPath<'_>, object: &mut Value) {
        if let Self::Real(kubelets) = self {
            template::prepare(target, object, kubelets.behaviour(), kubelets.image());
        }
    }

    /// Changes how pods behave from now on; pods that were left waiting are not taken up again.
    pub fn behave(&self, behaviour: PodBehaviour) {
        either!(self, it => it.behave(behaviour));
    }

    /// How pods behave now.
    #[must_use]
    pub fn behaviour(&self) -> PodBehaviour {
        either!(self, it => it.behaviour())
    }

    /// What is done about groups of pods, where their scheduler is played.
    pub(crate) fn gangs(&self) -> Option<&watch::Sender<GangBehaviour>> {
        match self {
            Self::Played(player) => Some(player.gangs()),
            Self::Real(_) => None,
        }
    }

    /// The first thing that the driver could not do by itself, if there was one.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        either!(self, it => it.trouble())
    }

    /// Lets the pod run and become ready.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn run(&self, pod: &Pod) -> Result<(), DriveError> {
        either!(self, it => it.run(pod).await)
    }

    /// Ends the pod's container in this way.
    ///
    /// # Errors
    /// When the API server refuses, or the container does not hear.
    pub async fn end(&self, pod: &Pod, end: End) -> Result<(), DriveError> {
        either!(self, it => it.end(pod, end).await)
    }

    /// Lets the pod's container be restarted in place so often, running again now.
    ///
    /// # Errors
    /// When the API server refuses, or the container does not hear.
    pub async fn restarted(&self, pod: &Pod, times: i32) -> Result<(), DriveError> {
        either!(self, it => it.restarted(pod, times).await)
    }

    /// Makes the pod run without being ready.
    ///
    /// # Errors
    /// When the API server refuses, or a kubelet cannot.
    pub async fn not_ready(&self, pod: &Pod) -> Result<(), DriveError> {
        match self {
            Self::Played(player) => player.not_ready(pod).await,
            Self::Real(_) => {
                let pod = pod.metadata.name.clone().unwrap_or_default();
                Err(DriveError::Beyond { what: "take readiness from", pod })
            }
        }
    }

    /// Adds the condition `DisruptionTarget`, as whoever disrupts a pod does before deleting it.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn disrupt(&self, pod: &Pod, disruption: Disruption) -> Result<(), DriveError> {
        either!(self, it => it.disrupt(pod, disruption).await)
    }

    /// Ends a pod that was told to stop, and lets it go.
    ///
    /// # Errors
    /// When the API server refuses, or the container does not hear.
    pub async fn let_go(&self, pod: &Pod, end: End) -> Result<(), DriveError> {
        either!(self, it => it.let_go(pod, end).await)
    }

    /// What the program in the pod's first container sees: environment, hostname, signals.
    ///
    /// # Errors
    /// When nobody runs containers, or the container does not answer.
    pub async fn look_inside(&self, pod: &Pod) -> Result<Value, DriveError> {
        match self {
            Self::Real(kubelets) => kubelets.look_inside(pod).await,
            Self::Played(_) => {
                let pod = pod.metadata.name.clone().unwrap_or_default();
                Err(DriveError::Agent { what: "look inside", pod, said: "nobody runs its containers".to_owned() })
            }
        }
    }

    /// Stops driving; pods stay as they are.
    pub async fn stop(self) {
        either!(self, it => it.stop().await);
    }
}
