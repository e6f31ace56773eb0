//! The parts of a control plane, by name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One process of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// The store.
    Etcd,
    /// The API server.
    ApiServer,
    /// kube-controller-manager with everything but the controllers under test.
    Base,
    /// The Job controller under test.
    Subject,
    /// Its other instance, where there are two that elect a leader.
    SecondSubject,
    /// The admission webhook of the controller under test, if that has one.
    Webhook,
    /// kube-scheduler.
    Scheduler,
    /// kwok, which plays nodes and pods.
    Kwok,
}

impl Component {
    /// Whether it belongs to the judged, and not to what that is judged on.
    #[must_use]
    pub const fn is_of_subject(self) -> bool {
        matches!(self, Self::Subject | Self::SecondSubject | Self::Webhook)
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Etcd => "etcd",
            Self::ApiServer => "kube-apiserver",
            Self::Base => "kube-controller-manager",
            Self::Subject => "job-controller",
            Self::SecondSubject => "job-controller-2",
            Self::Webhook => "admission-webhook",
            Self::Scheduler => "kube-scheduler",
            Self::Kwok => "kwok",
        })
    }
}
