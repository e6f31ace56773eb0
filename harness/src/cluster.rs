//! Control planes: what one should be like, who can provide it, and what a running one can be asked.
//!
//! Layers, each of which names only what is written before it:
//!
//! 1. `namespace`: the namespace of a case, in whatever cluster;
//! 2. `contract`: what a cluster is to everybody else;
//! 3. `machine`: what clusters are made of on this machine;
//! 4. `provider`: what a provider says of itself and what it finds;
//! 5. the providers: [`local`] (processes of our own), [`containers`] (the same in containers), [`kind`] (nodes in
//!    containers) and [`existing`] (a cluster of the user, in which only namespaces are ours);
//! 6. `long_lived`: clusters that outlive a command, in a process of their own.

pub mod containers;
mod contract;
pub mod existing;
pub mod kind;
pub mod local;
mod long_lived;
mod machine;
pub(crate) mod namespace;
pub mod provider;

pub(crate) use contract::marks;
pub use contract::{
    AGENT_IMAGE, Ability, Audit, Capabilities, Change, ChangeReport, Cluster, ClusterError, ClusterProvider,
    ClusterSpec, Component, ControllerProgram, DeployedController, Instances, Pods, Progress, Proxied, Rate, Route,
    RunningSubject, Step, SubjectKind, UnexpectedExit, attest, change, layout, pace, spec, subject_kind,
};
pub use long_lived::{attached, control, daemon, kept, shared};
pub use machine::{
    access, audit_line, audit_tail, kubeconfig, nodes, outage, pki, policy, process, process_spec, readiness, registry,
};
pub use namespace::NamespacePolicy;
pub use provider::{Keeping, Provider};

pub(crate) use contract::unexpected;
pub(crate) use machine::{deployed, last_words, pod_words, proxy, service_account};

use crate::launcher;

/// What clusters of all providers may leave outside of their folders; whoever opens a [`Registry`](registry::Registry) hands
/// it over.
pub const LEFTOVERS: registry::Leftovers = &[&kind::KindLeftovers, &containers::ContainersLeftovers];

/// All providers, the one first that is tried first. Adding one is its folder and a line here.
pub const PROVIDERS: &[&dyn Provider] = &[&local::Local, &kind::Kind, &containers::Containers, &existing::Existing];

/// How clusters of this user are made.
///
/// # Errors
/// When there is no place to keep them on record.
pub fn making(keeping: Keeping) -> Result<provider::Making, ClusterError> {
    let registry = registry::Registry::of_user(LEFTOVERS)?;
    Ok(provider::Making { keeping, registry, evidence: None, holder: kept::holder })
}

/// Becomes what the arguments say if this process was started to hold a cluster or as a trampoline for another program;
/// returns otherwise. `main` calls this before anything else.
pub fn intercept() {
    daemon::intercept(LEFTOVERS);
    launcher::intercept();
}
