//! What a case is: a claim, a script that stirs, and the expectations by which the recording is judged.

#[cfg(test)]
pub(crate) mod sample;

use crate::{
    cluster::subject_kind::JobApi,
    scene::{Scene, Stop},
};
use futures::future::BoxFuture;
use jobsworth_api::{ConditionKind, Minor};
use jobsworth_oracle::{Expectations, Predicate};
use jobsworth_race_model::Encounter;

/// One check. A unit struct in a file of its own; see `docs/writing-a-case.md`.
pub trait Case: Send + Sync {
    /// Who it is, what it claims and what it needs.
    fn about(&self) -> About;

    /// Stirs the cluster. Has no assertion; waits only to reach the next point.
    ///
    /// # Errors
    /// Stops when a point is not reached or the harness cannot do its part.
    fn script(&self, scene: &mut Scene) -> impl Future<Output = Result<(), Stop>> + Send;

    /// What must be found in the recording. Does no I/O.
    fn expects(&self) -> Expectations;

    /// Whether it is run where everything is.
    fn share(&self) -> Share {
        Share::Usual
    }
}

/// Any [`Case`], as catalogues and runs hold it; every case is one.
///
/// The two are apart because scripts whose futures are boxed one by one (with the bounds of lifetimes that this takes) cost the
/// compiler half a second each: no proof about one helps the next.
pub trait AnyCase: Send + Sync {
    /// As [`Case::about`].
    fn about(&self) -> About;

    /// As [`Case::script`].
    ///
    /// # Errors
    /// As [`Case::script`].
    fn script<'a>(&'a self, scene: &'a mut Scene) -> BoxFuture<'a, Result<(), Stop>>;

    /// As [`Case::expects`].
    fn expects(&self) -> Expectations;

    /// As [`Case::share`].
    fn share(&self) -> Share;
}

impl<C: Case> AnyCase for C {
    fn about(&self) -> About {
        Case::about(self)
    }

    fn script<'a>(&'a self, scene: &'a mut Scene) -> BoxFuture<'a, Result<(), Stop>> {
        Box::pin(Case::script(self, scene))
    }

    fn expects(&self) -> Expectations {
        Case::expects(self)
    }

    fn share(&self) -> Share {
        Case::share(self)
    }
}

/// An end that Jobs are known to come to where one controller is struck at a write, as sweeps do it. Without faults they end as claimed.
#[derive(Clone, Copy, Debug)]
pub struct KnownEnd {
    /// Name of the controller: `builtin`.
    pub subject: &'static str,
    /// The lowest minor of the binaries.
    pub since: Minor,
    /// The highest.
    pub until: Minor,
    /// The gate without which it does not happen: it is known of cases that need this one on.
    pub gate: &'static str,
    /// The end that it comes instead of.
    pub instead_of: ConditionKind,
    /// What a Job of this name shows then. Any other end is none that is known.
    pub shows: fn(&str) -> Predicate,
    /// Where it was shown: an issue, or a page of this project.
    pub source: &'static str,
}

/// Which runs a case is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Those that name nothing, too.
    Usual,
    /// Those that name it, its suite, or a filter that it passes: one of many of its kind, for which there is a plan.
    OnRequest,
}

/// The facts about a case that lists, filters and reports show.
#[derive(Clone, Debug)]
pub struct About {
    /// `suite/name`, unique, for example `success-policy/leader-index-decides`.
    pub id: &'static str,
    /// What is claimed, and by whom.
    pub claim: Claim,
    /// Numbers of the requirements it checks, for example `SUC-002`.
    pub requirements: &'static [&'static str],
    /// What the cell must offer.
    pub needs: Needs,
}

impl About {
    /// The suite: what stands before the slash.
    #[must_use]
    pub fn suite(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(suite, _)| suite)
    }
}

/// A sentence of a KEP or of the documentation, in our words.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Who says it.
    pub source: Source,
    /// Where in it.
    pub section: &'static str,
    /// The claim.
    pub says: &'static str,
}

/// Who makes a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The KEP with this number.
    Kep(u16),
    /// The built-in controller's behaviour.
    JobController,
    /// The API server's defaults and validation.
    JobApi,
    /// Volcano's Jobs: what its releases do, where they are not known to be wrong.
    Volcano,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kep(number) => write!(f, "KEP-{number}"),
            Self::JobController => f.write_str("Job controller"),
            Self::JobApi => f.write_str("Job API"),
            Self::Volcano => f.write_str("Volcano"),
        }
    }
}

/// What a case asks of its cell; the default asks nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs {
    /// The API that the claim is about: the case belongs to cells of controllers of that API, and to no others.
    pub api: JobApi,
    /// Gates that must be on.
    pub gates: &'static [&'static str],
    /// Gates of which at least one must be on; an empty list asks nothing.
    pub one_gate_of: &'static [&'static str],
    /// Gates that must be off.
    pub gates_off: &'static [&'static str],
    /// The lowest API minor (emulated, if so) in which the claim holds.
    pub since: Option<Minor>,
    /// The highest API minor in which the claim holds.
    pub until: Option<Minor>,
    /// The lowest minor of the binaries: for fixes that no gate guards.
    pub binaries_since: Option<Minor>,
    /// The highest minor of the binaries: for rules that went without a gate.
    pub binaries_until: Option<Minor>,
    /// The claim is about the controller in the place of the built-in one: who takes Jobs that name no manager, or what happens
    /// while no Job controller runs (the built-in one frees pods of every deleted Job).
    pub stands_alone: bool,
    /// The claim is about the subject as the one that deletes finished Jobs after their TTL: it must not be the built-in TTL
    /// controller beside it.
    pub ttl_of_subject: bool,
    /// The script crashes, restarts or pauses the subject: no other case may run beside it.
    pub restarts_subject: bool,
    /// The script makes the subject send so many requests at once that its rate limit holds up every other Job: no other case may
    /// run beside it.
    pub fills_rate_limit: bool,
    /// The script reads what the subject counts in its metrics, of whatever Job: no other case may run beside it.
    pub reads_metrics: bool,
    /// While the subject is away something happens that is another controller's work, as the garbage collector's.
    pub others_go_on: bool,
    /// Gates that the script switches: on at the beginning, and free to be off. The case gets a cluster of its own.
    pub flips: &'static [&'static str],
    /// The script changes the version of Kubernetes to the cell's other one. The case gets a cluster of its own.
    pub other_version: Option<Neighbour>,
    /// The subject runs twice, each instance behind a proxy of its own, and the script acts on the one that leads. The case gets a cluster
    /// of its own.
    pub second_instance: bool,
    /// The script interferes with what passes between the controller and the API server.
    pub faults: FaultNeeds,
    /// Who must run the pods.
    pub pods: PodNeeds,
    /// The script has the API server refuse writes for a while, by an admission policy.
    pub refuses_writes: bool,
    /// Nodes that are ours: the script drains one, or a pod chooses them by our label.
    pub own_nodes: bool,
}

/// What of the way between the controller and the API server a script interferes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultNeeds {
    /// Nothing.
    #[default]
    Nothing,
    /// Requests about its own namespace.
    OwnRequests,
    /// Watches, which are everybody's: no other case may run beside it.
    Watches,
}

/// How the cell's other version must lie to its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    /// Above it: the script upgrades.
    Newer,
    /// Below it: the script downgrades.
    Older,
    /// On either side.
    Any,
}

impl Needs {
    /// Whether no other case may run beside it on its cluster.
    #[must_use]
    pub const fn runs_alone(&self) -> bool {
        self.restarts_subject
            || self.fills_rate_limit
            || self.reads_metrics
            || matches!(self.faults, FaultNeeds::Watches)
    }

    /// Whether no other case ever sees its cluster.
    #[must_use]
    pub fn has_its_own_cluster(&self) -> bool {
        self.changes_cluster() || self.second_instance
    }

    /// Whether the script changes its cluster.
    #[must_use]
    pub fn changes_cluster(&self) -> bool {
        !self.flips.is_empty() || self.other_version.is_some()
    }
}

/// Who must run a case's pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PodNeeds {
    /// Whoever does.
    #[default]
    Any,
    /// A pod driver that plays the kubelet: the script says what no kubelet does, and this is what.
    Played(&'static str),
    /// Kubelets.
    Real {
        /// On how many nodes pods must have a place.
        nodes: u32,
    },
}

/// Everything that a `jobsworth` program offers.
#[derive(Clone, Copy)]
pub struct Catalogue {
    /// All cases, in the order of the list.
    pub cases: &'static [&'static dyn AnyCase],
    /// Known requirement numbers: `ID phrase` a line, `#` begins a comment line.
    pub requirements: &'static str,
    /// Plans that come with the program: name and text of the plan file.
    pub plans: &'static [(&'static str, &'static str)],
    /// What KEPs ask for before they graduate, for `signoff`: a number and the text of its file each.
    pub keps: &'static [(&'static str, &'static str)],
    /// Load profiles that come with the program, in the order in which they are run: name and text of the file.
    pub loads: &'static [(&'static str, &'static str)],
    /// How Jobs are known to end where a controller is struck.
    pub known_ends: &'static [KnownEnd],
    /// Encounters of two reasons to end a Job, each with the case that judges it.
    pub races: fn() -> Vec<(Encounter, &'static str)>,
    /// Service levels: the text of a file of objectives.
    pub objectives: &'static str,
}

impl Catalogue {
    /// The case with this id.
    #[must_use]
    pub fn case(&self, id: &str) -> Option<&'static dyn AnyCase> {
        self.cases.iter().copied().find(|case| case.about().id == id)
    }
}
