//! Where a case plays: its namespace, its pods' fates, waits and marks.
//!
//! Every act is seen in the recording before the next begins, so a script never acts on what it has
//! not read back.

mod act;
mod change;
mod counts;
mod leader;
mod look;
mod node;
mod patience;
mod pod;
mod subject;
mod veto;
mod volcano;
mod wire;
mod write;

use crate::{
    cluster::{ClusterError, RunningSubject, UnexpectedExit},
    pod_driver::{DriveError, PodBehaviour, PodDriver},
    recorder::{Book, WaitEnd},
};
use futures::future::BoxFuture;
use jobsworth_api::Resource;
use jobsworth_oracle::{Predicate, World};
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, task::JoinSet, time::Instant};

pub use crate::cluster::Change;
pub use crate::pod_driver::{Disruption, End, GangBehaviour, When};
pub use crate::wire::{Met, Mishap, RequestMatcher, any_write, change_of, creation_of, deletion_of};
pub(crate) use change::{ChangeRequest, Control};
pub use counts::Counts;
pub use leader::LeaderHandle;
pub use look::Look;
pub use patience::{Patience, Shortened, Waits};
pub use pod::PodHandle;
pub use subject::SubjectHandle;
pub use veto::{InForce, Veto};
pub use volcano::GroupHandle;
pub use wire::{Moment, WireHandle};
pub use write::{Propagation, Write};

/// How long a script waits for a point unless it says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A case's namespace and everything that its script may touch.
pub struct Scene {
    client: kube::Client,
    namespace: String,
    /// The API whose Jobs are submitted.
    jobs: Resource,
    book: Arc<Book>,
    driver: PodDriver,
    subject: Arc<dyn RunningSubject>,
    unexpected_exit: watch::Receiver<Option<UnexpectedExit>>,
    /// Whose Jobs are submitted, where that must be said.
    manager: Option<String>,
    /// The cluster, for scripts that may change it.
    control: Option<Control>,
    /// How waits went in other cases of the cell.
    waits: Arc<Waits>,
    /// The longest wait so far that came to something.
    waited: Duration,
    /// How many vetoes the script has put in force.
    vetoes: usize,
    /// What takes away what the script has made in no namespace, the last first.
    undo: Vec<Write>,
    /// The instance that was killed or paused last, where there are several.
    struck: Option<String>,
    /// Those that kill the subject at a request, and start it again.
    kills: JoinSet<Result<(), ClusterError>>,
}

/// Why a script does not go on.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// What it waited for, and what is the subject's to do, did not come.
    #[error("waited {}s in vain for: {waited_for}", .limit.as_secs())]
    Stalled {
        /// The predicate.
        waited_for: String,
        /// How long it waited.
        limit: Duration,
    },
    /// The same, but it waited for less than it would have: many cases before had waited in vain.
    #[error("waited only {:.1}s of {}s for: {waited_for}", .after.as_secs_f64(), .limit.as_secs())]
    CutShort {
        /// The predicate.
        waited_for: String,
        /// How long it waited.
        after: Duration,
        /// How long it would have.
        limit: Duration,
    },
    /// The server did not take an object that is to be observed, for this reason.
    #[error("{0}")]
    Refused(String),
    /// The harness could not do its part.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Why the harness could not do its part. Never the subject's doing.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The API server refused or did not answer what the script needs.
    #[error("failed to {what}: {source}")]
    Request {
        /// What was asked.
        what: String,
        /// What it said.
        #[source]
        source: Box<kube::Error>,
    },
    /// A pod could not be driven.
    #[error(transparent)]
    Pod(#[from] DriveError),
    /// The subject could not be crashed, restarted or paused.
    #[error("failed to handle the subject: {0}")]
    Subject(#[from] ClusterError),
    /// The cluster cannot be changed so.
    #[error(transparent)]
    Change(Box<ClusterError>),
    /// There is nothing between the subject and the API server that could interfere.
    #[error("the controller's requests pass no proxy here; a case that interferes with them says so in its needs")]
    NoProxy,
    /// The API server did not come to do what the script had asked for.
    #[error("the API server did not come to {what} in {}s", .limit.as_secs())]
    Late {
        /// What it was asked for.
        what: String,
        /// How long it had.
        limit: Duration,
    },
    /// There is one instance of the subject.
    #[error("the controller runs once here; a case that acts on the instance that leads says so in its needs")]
    OneInstance,
    /// Nobody leads.
    #[error("no instance of the controller leads")]
    NoLeader,
    /// The timeline cannot be written.
    #[error("{0}")]
    Recording(String),
    /// A component of the cluster ended.
    #[error("{} ended unasked with {}", .0.component, .0.status)]
    Lost(Box<UnexpectedExit>),
}

impl Scene {
    pub(crate) fn new(
        client: kube::Client,
        namespace: &str,
        book: Arc<Book>,
        driver: PodDriver,
        subject: Arc<dyn RunningSubject>,
        unexpected_exit: watch::Receiver<Option<UnexpectedExit>>,
    ) -> Self {
        Self {
            client,
            namespace: namespace.to_owned(),
            jobs: Resource::JOBS,
            book,
            driver,
            subject,
            unexpected_exit,
            manager: None,
            control: None,
            waits: Arc::default(),
            waited: Duration::ZERO,
            vetoes: 0,
            undo: Vec::new(),
            struck: None,
            kills: JoinSet::new(),
        }
    }

    /// Submits Jobs of this API.
    pub(crate) fn about(mut self, jobs: Resource) -> Self {
        self.jobs = jobs;
        self
    }

    /// Gives Jobs that name no manager to this one.
    pub(crate) fn submitting_to(mut self, manager: Option<String>) -> Self {
        self.manager = manager;
        self
    }

    /// Waits as other cases of the cell have taught.
    pub(crate) fn waiting_by(mut self, waits: Arc<Waits>) -> Self {
        self.waits = waits;
        self
    }

    /// The longest wait so far that came to something.
    pub(crate) fn waited(&self) -> Duration {
        self.waited
    }

    /// Takes away what the script has made in no namespace and not taken away itself. Best effort.
    pub(crate) async fn undo(&mut self) {
        while let Some(undo) = self.undo.pop() {
            let _ = self.send("", &undo).await;
        }
    }

    /// Waits until nothing kills or starts the subject any more; to be called when no request can meet its fate any more.
    ///
    /// # Errors
    /// When the subject could not be killed, or not be started again.
    pub(crate) async fn is_killed_no_more(&mut self) -> Result<(), ClusterError> {
        let mut outcome = Ok(());
        while let Some(ended) = self.kills.join_next().await {
            outcome = outcome.and(ended.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic())));
        }
        outcome
    }

    /// Lets the script change the cluster.
    pub(crate) fn in_control(mut self, control: Option<Control>) -> Self {
        self.control = control;
        self
    }

    pub(crate) fn into_driver(self) -> PodDriver {
        self.driver
    }

    /// The case's namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// What has been seen of the namespace so far.
    #[must_use]
    pub fn world(&self) -> World {
        self.book.world()
    }

    /// Waits until `wanted` is seen, for [`PATIENCE`] at most.
    ///
    /// # Errors
    /// As [`wait_up_to`](Self::wait_up_to).
    pub async fn wait(&mut self, wanted: Predicate) -> Result<(), Stop> {
        self.wait_up_to(PATIENCE, wanted).await
    }

    /// Waits until `wanted` is seen, for `limit` at most.
    ///
    /// # Errors
    /// [`Stop::Stalled`] when it is not, [`Stop::CutShort`] when others waited in vain before; a fault when the cluster or the
    /// recording breaks.
    pub fn wait_up_to(&mut self, limit: Duration, wanted: Predicate) -> BoxFuture<'_, Result<(), Stop>> {
        // On the heap: a script that held all of this in its own future would take the compiler seconds.
        Box::pin(self.wait_here(limit, wanted))
    }

    async fn wait_here(&mut self, limit: Duration, wanted: Predicate) -> Result<(), Stop> {
        let began = Instant::now();
        let waits = Arc::clone(&self.waits);
        let ended = tokio::select! {
            ended = self.wait_in_full(limit, &wanted) => ended,
            after = waits.are_over(began) => {
                Err(Stop::CutShort { waited_for: wanted.words().to_owned(), after, limit })
            }
        };
        if ended.is_ok() {
            self.waited = self.waited.max(began.elapsed());
        }
        ended
    }

    /// Waits whatever other cases have taught: for what must not be cut short.
    pub(crate) async fn wait_in_full(&mut self, limit: Duration, wanted: &Predicate) -> Result<(), Stop> {
        match self.book.wait(wanted, limit, &mut self.unexpected_exit).await {
            Ok(()) => Ok(()),
            Err(WaitEnd::Late) => Err(Stop::Stalled { waited_for: wanted.words().to_owned(), limit }),
            Err(WaitEnd::Broken(why)) => Err(Fault::Recording(why).into()),
            Err(WaitEnd::Lost(unexpected_exit)) => Err(Fault::Lost(unexpected_exit).into()),
        }
    }

    /// Lets time pass so that something that must not happen has its chance to. `_because` is for the
    /// reader of the case.
    ///
    /// # Errors
    /// When the cluster breaks meanwhile.
    pub fn linger(&mut self, time: Duration, _because: &'static str) -> BoxFuture<'_, Result<(), Stop>> {
        Box::pin(self.linger_here(time))
    }

    async fn linger_here(&mut self, time: Duration) -> Result<(), Stop> {
        let nothing = Predicate::new("the time to be over", |_| false);
        match self.book.wait(&nothing, time, &mut self.unexpected_exit).await {
            Err(WaitEnd::Broken(why)) => Err(Fault::Recording(why).into()),
            Err(WaitEnd::Lost(unexpected_exit)) => Err(Fault::Lost(unexpected_exit).into()),
            Ok(()) | Err(WaitEnd::Late) => Ok(()),
        }
    }

    /// Changes how pods start and stop from now on.
    pub fn pods_behave(&mut self, change: impl FnOnce(&mut PodBehaviour)) {
        let mut behaviour = self.driver.behaviour();
        change(&mut behaviour);
        self.driver.behave(behaviour);
    }

    /// The live pod with this completion index.
    pub fn pod(&mut self, index: u32) -> PodHandle<'_> {
        PodHandle::of_index(self, index)
    }

    /// Some live pod of the Job of this name; for scripts with several Jobs.
    pub fn pod_of(&mut self, job: &str) -> PodHandle<'_> {
        PodHandle::of_job(self, job)
    }

    /// Some live pod; for Jobs whose pods are alike.
    pub fn some_pod(&mut self) -> PodHandle<'_> {
        PodHandle::any(self)
    }

    /// The pod with this name.
    pub fn pod_named(&mut self, name: &str) -> PodHandle<'_> {
        PodHandle::named(self, name)
    }

    /// What lies between the controller under test and the API server.
    pub fn wire(&mut self) -> WireHandle<'_> {
        WireHandle::new(self)
    }

    /// The instance of the controller that leads.
    pub fn leader(&mut self) -> LeaderHandle<'_> {
        LeaderHandle::new(self)
    }

    /// The controller under test.
    pub fn subject(&mut self) -> SubjectHandle<'_> {
        SubjectHandle::new(self)
    }
}
