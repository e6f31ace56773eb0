//! A provider as one value: what is known of it before anybody looks, and what is found once somebody does.
//!
//! A [`Provider`] stands in [`PROVIDERS`](super::PROVIDERS). What it finds on this machine is a [`Ready`], which owns it:
//! clusters are made from that, and nothing is looked for again.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use jobsworth_api::{KubeVersion, Minor};

use super::contract::{Capabilities, ClusterError, ClusterProvider, subject_kind::JobApi};
use super::machine::registry::Registry;
use crate::binaries::Source;

/// One way to have clusters.
pub trait Provider: Send + Sync {
    /// The name that flags, plans and reports use, for example `local`.
    fn name(&self) -> &'static str;

    /// What its clusters can do.
    fn capabilities(&self) -> Capabilities;

    /// What its clusters take.
    fn costs(&self) -> Costs;

    /// What of its clusters can outlive the command that made them.
    fn can_keep(&self) -> Keepable;

    /// Whether its clusters are made for the run.
    fn made(&self) -> Made {
        Made::ForTheRun
    }

    /// Whether it is tried where nobody names a provider.
    fn comes_unasked(&self) -> bool {
        false
    }

    /// Looks whether clusters like these can be had here. Nothing is made, built or downloaded.
    ///
    /// # Errors
    /// When they cannot, with the ways out.
    fn probe(&self, wish: &Wish) -> Result<Ready, NotReady>;
}

impl fmt::Debug for dyn Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known about the time and the memory that clusters take; times in seconds, memory in MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Until one is up, and until it is gone.
    pub up_and_down: u32,
    /// A case; most of it is waiting, so cases run side by side without getting in each other's way.
    pub case: u32,
    /// A case that changes its cluster, the changes alone.
    pub changes: u32,
    /// How many clusters of a cell there are at a time beside the one that most cases share; with one, they follow each other.
    pub side_by_side: u32,
    /// A cluster.
    pub memory: u32,
}

/// What of a provider's clusters can outlive the command that made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keepable {
    /// All of it.
    Whole,
    /// All but processes of ours beside it: a controller, kwok.
    WithoutProcesses,
    /// Nothing.
    Nothing,
}

/// Whether clusters are made for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// They are, and can be what a plan asks for.
    ForTheRun,
    /// There is one already, and a plan can only say what it is like.
    Before,
}

/// What becomes of clusters whose user goes without a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// They are deleted.
    Delete,
    /// They stay, until they are taken down by name.
    Keep,
}

/// What a user says about clusters; a provider reads what concerns it.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// A folder with ready programs.
    pub binaries: Option<PathBuf>,
    /// Versions of Kubernetes that clusters are to have or to become.
    pub versions: Vec<KubeVersion>,
    /// The node image.
    pub node_image: Option<String>,
    /// The kubeconfig of a cluster that is there already.
    pub kubeconfig: Option<PathBuf>,
    /// The context in it.
    pub context: Option<String>,
    /// The uid of the cluster that is meant.
    pub uid: Option<String>,
    /// The agent's image, where nodes have it under another name.
    pub agent_image: Option<String>,
    /// The word under which other runs share a cluster that is there already.
    pub sharing: Option<String>,
    /// Whose Jobs a controller has that is there already.
    pub api: JobApi,
}

/// How clusters are made, whoever makes them.
pub struct Making {
    /// What becomes of them.
    pub keeping: Keeping,
    /// Where they are on record.
    pub registry: Registry,
    /// Where the logs of clusters go that do not come up, if anywhere.
    pub evidence: Option<PathBuf>,
    /// Has clusters of local processes held by a process of their own.
    pub holder: fn(Source, Registry) -> Box<dyn ClusterProvider>,
}

/// Makes clusters of what was found.
type Maker = Box<dyn FnOnce(Making) -> Result<Box<dyn ClusterProvider>, ClusterError> + Send>;

/// A provider that can be used, with what was found.
pub struct Ready {
    /// What was found, in words, for example `podman works`.
    pub says: String,
    /// Where the programs are from that run on this machine, if any do; some may have to be built first.
    pub programs: Option<Source>,
    /// The cluster, if there is one already.
    pub standing: Option<Standing>,
    maker: Maker,
}

impl Ready {
    /// What was found, in words, and how clusters are made of it.
    pub fn new(
        says: impl Into<String>,
        maker: impl FnOnce(Making) -> Result<Box<dyn ClusterProvider>, ClusterError> + Send + 'static,
    ) -> Self {
        Self { says: says.into(), programs: None, standing: None, maker: Box::new(maker) }
    }

    /// With programs that run on this machine.
    #[must_use]
    pub fn running(self, programs: Source) -> Self {
        Self { programs: Some(programs), ..self }
    }

    /// With a cluster that is there already.
    #[must_use]
    pub fn standing(self, standing: Standing) -> Self {
        Self { standing: Some(standing), ..self }
    }

    /// What brings up the clusters.
    ///
    /// # Errors
    /// When what was found cannot be used.
    pub fn into_clusters(self, making: Making) -> Result<Box<dyn ClusterProvider>, ClusterError> {
        (self.maker)(making)
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Ready");
        shown.field("says", &self.says).field("programs", &self.programs).field("standing", &self.standing);
        shown.finish_non_exhaustive()
    }
}

/// A cluster that is there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The uid of the namespace kube-system, which is the cluster's.
    pub uid: String,
    /// The version of its API server.
    pub version: KubeVersion,
    /// The version that it emulates, if it is another.
    pub emulated: Option<Minor>,
    /// Job gates that are not as by default.
    pub gates: BTreeMap<String, bool>,
    /// How many nodes take any pod.
    pub open_nodes: u32,
    /// What is there and what will be done with it, in lines for the plan.
    pub described: String,
    /// Whether the user said that it is meant.
    pub consent: Consent,
}

/// Whether a user said that a cluster is the one that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consent {
    /// So it was said.
    Given,
    /// Nobody said so; the plan shows what would be done.
    Open(NotReady),
    /// Another one was named.
    Elsewhere(NotReady),
}

/// Why a provider cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{says}{}", .help.iter().map(|help| format!("; {help}")).collect::<String>())]
pub struct NotReady {
    /// What is wrong, with the ways out where they belong to the sentence.
    pub says: String,
    /// The next step, if it is a sentence of its own.
    pub help: Option<String>,
}

impl NotReady {
    /// In one sentence.
    pub fn new(says: impl Into<String>) -> Self {
        Self { says: says.into(), help: None }
    }
}
