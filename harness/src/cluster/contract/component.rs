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
    /// kube-scheduler.
    Scheduler,
    /// kwok, which plays nodes and pods.
    Kwok,
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Etcd => "etcd",
            Self::ApiServer => "kube-apiserver",
            Self::Base => "kube-controller-manager",
            Self::Subject => "job-controller",
            Self::Scheduler => "kube-scheduler",
            Self::Kwok => "kwok",
        })
    }
}
