//! Plays the kubelet: binds pods to nodes, moves their statuses and honours deletion, on the script's word.
//!
//! Where nodes are fake nobody runs containers, so somebody has to say what became of them.

use super::{
    Disruption, DriveError, End, PodBehaviour, When,
    gang::{GangBehaviour, GangPlayer, Hands},
    status,
    writer::{Writer, gone_is_fine},
};
use crate::{cluster::subject_kind::JobApi, recorder::Book};
use async_trait::async_trait;
use futures::FutureExt as _;
use jobsworth_oracle::{
    Seen,
    vocabulary::pods::{is_stopping, is_terminal},
};
use k8s_openapi::api::core::v1::Pod;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    sync::{Semaphore, broadcast, watch},
    task::JoinSet,
};

/// How many pods are worked on side by side.
const MAX_IN_FLIGHT: usize = 8;

/// Plays the pods of one namespace.
pub struct Player {
    shared: Arc<Shared>,
    gangs: watch::Sender<GangBehaviour>,
    tasks: JoinSet<()>,
}

struct Shared {
    writer: Writer,
    behaviour: watch::Sender<PodBehaviour>,
    /// One lock a pod, so that the driver and the script do not write over each other.
    locks: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Progress>>>>,
    hands: Semaphore,
    trouble: watch::Sender<Option<String>>,
}

/// How far the driver has taken a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    #[default]
    Seen,
    Bound,
    Started,
    Ended,
    Removed,
}

impl Player {
    /// Drives every pod that `book` records from now on.
    pub(crate) fn start(client: kube::Client, namespace: &str, node: String, book: &Arc<Book>, api: JobApi) -> Self {
        let shared = Arc::new(Shared {
            writer: Writer::new(client.clone(), namespace, node),
            behaviour: watch::Sender::new(PodBehaviour::default()),
            locks: Mutex::default(),
            hands: Semaphore::new(MAX_IN_FLIGHT),
            trouble: watch::Sender::new(None),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(attend(shared.clone(), book.pods()));
        let gangs = watch::Sender::new(GangBehaviour::default());
        if api == JobApi::Volcano {
            let player = GangPlayer::new(client, namespace, book, shared.clone(), gangs.subscribe());
            tasks.spawn(player.play());
        }
        Self { shared, gangs, tasks }
    }

    /// Changes how pods behave from now on; pods that were left waiting are not taken up again.
    pub fn behave(&self, behaviour: PodBehaviour) {
        self.shared.behaviour.send_replace(behaviour);
    }

    /// How pods behave now.
    #[must_use]
    pub fn behaviour(&self) -> PodBehaviour {
        *self.shared.behaviour.borrow()
    }

    /// What is done about groups of pods.
    pub(super) fn gangs(&self) -> &watch::Sender<GangBehaviour> {
        &self.gangs
    }

    /// The first thing that the driver could not do by itself, if there was one.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.shared.trouble.borrow().clone()
    }

    /// Binds the pod and lets it run and become ready.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn run(&self, pod: &Pod) -> Result<(), DriveError> {
        self.shared.start(pod).await
    }

    /// Ends the pod's container in this way.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn end(&self, pod: &Pod, end: End) -> Result<(), DriveError> {
        self.shared.start(pod).await?;
        self.shared.end(pod, end).await
    }

    /// Writes that the pod's container was restarted in place so often, running again now.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn restarted(&self, pod: &Pod, times: i32) -> Result<(), DriveError> {
        self.shared.start(pod).await?;
        self.shared.write(pod, "write the restarts of", status::running(pod, times, status::Readiness::Ready)).await
    }

    /// Writes that the pod runs without being ready.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn not_ready(&self, pod: &Pod) -> Result<(), DriveError> {
        self.shared.start_as(pod, status::Readiness::NotReady).await?;
        self.shared.write(pod, "write the readiness of", status::running(pod, 0, status::Readiness::NotReady)).await
    }

    /// Adds the condition `DisruptionTarget`, as whoever disrupts a pod does before deleting it.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn disrupt(&self, pod: &Pod, disruption: Disruption) -> Result<(), DriveError> {
        self.shared.start(pod).await?;
        self.shared.write(pod, "write the disruption of", status::disrupted(pod, disruption)).await
    }

    /// Ends a pod that was told to stop, and lets it go.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn let_go(&self, pod: &Pod, end: End) -> Result<(), DriveError> {
        self.shared.end(pod, end).await?;
        self.shared.remove(pod).await
    }

    /// Stops driving; pods stay as they are.
    pub async fn stop(mut self) {
        self.tasks.shutdown().await;
    }
}

/// Follows the pods until the task is dropped.
async fn attend(shared: Arc<Shared>, mut pods: broadcast::Receiver<Seen<Pod>>) {
    let mut work = JoinSet::new();
    loop {
        match pods.recv().await {
            Ok(pod) => {
                while work.join_next().now_or_never().flatten().is_some() {}
                let shared = shared.clone();
                work.spawn(async move { shared.look_after(&pod).await });
            }
            Err(broadcast::error::RecvError::Lagged(missed)) => {
                shared.complain(format!("the pod driver fell behind by {missed} pod versions"));
            }
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}

#[async_trait]
impl Hands for Shared {
    async fn run(&self, pod: &Pod) -> Result<(), DriveError> {
        self.start(pod).await
    }

    fn report(&self, trouble: String) {
        self.complain(trouble);
    }
}

impl Shared {
    async fn look_after(&self, pod: &Pod) {
        let behaviour = *self.behaviour.borrow();
        let stops = is_stopping(pod) && behaviour.stop == When::AtOnce;
        let starts = !is_stopping(pod) && !is_terminal(pod) && behaviour.start == When::AtOnce;
        let done = match (stops, starts) {
            (true, _) => match self.end(pod, End::Exited(behaviour.stop_code)).await {
                Ok(()) => self.remove(pod).await,
                failed => failed,
            },
            (false, true) => self.start(pod).await,
            (false, false) => Ok(()),
        };
        if let Err(error) = done {
            self.complain(crate::error_text::in_full(&error));
        }
    }

    async fn start(&self, pod: &Pod) -> Result<(), DriveError> {
        self.start_as(pod, status::Readiness::Ready).await
    }

    /// A pod that runs already stays as it is.
    async fn start_as(&self, pod: &Pod, readiness: status::Readiness) -> Result<(), DriveError> {
        let lock = self.lock(pod);
        let mut progress = lock.lock().await;
        if *progress >= Progress::Started || is_terminal(pod) {
            return Ok(());
        }
        let _hand = self.hands.acquire().await;
        if *progress < Progress::Bound && !is_bound(pod) {
            gone_is_fine(self.writer.bind(pod).await).map_err(failed("bind", pod))?;
        }
        *progress = Progress::Bound;
        let running = status::running(pod, 0, readiness);
        gone_is_fine(self.writer.write(pod, running).await).map_err(failed("start", pod))?;
        *progress = Progress::Started;
        Ok(())
    }

    async fn end(&self, pod: &Pod, end: End) -> Result<(), DriveError> {
        let lock = self.lock(pod);
        let mut progress = lock.lock().await;
        if *progress >= Progress::Ended || is_terminal(pod) {
            return Ok(());
        }
        let _hand = self.hands.acquire().await;
        gone_is_fine(self.writer.write(pod, status::ended(pod, end)).await).map_err(failed("end", pod))?;
        *progress = Progress::Ended;
        Ok(())
    }

    async fn remove(&self, pod: &Pod) -> Result<(), DriveError> {
        let lock = self.lock(pod);
        let mut progress = lock.lock().await;
        if *progress >= Progress::Removed {
            return Ok(());
        }
        let _hand = self.hands.acquire().await;
        gone_is_fine(self.writer.remove(pod).await).map_err(failed("remove", pod))?;
        *progress = Progress::Removed;
        Ok(())
    }

    async fn write(&self, pod: &Pod, what: &'static str, status: serde_json::Value) -> Result<(), DriveError> {
        let lock = self.lock(pod);
        let _progress = lock.lock().await;
        self.writer.write(pod, status).await.map_err(failed(what, pod))
    }

    fn lock(&self, pod: &Pod) -> Arc<tokio::sync::Mutex<Progress>> {
        let uid = pod.metadata.uid.clone().unwrap_or_default();
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).entry(uid).or_default().clone()
    }

    fn complain(&self, trouble: String) {
        self.trouble.send_if_modified(|first| {
            let news = first.is_none();
            first.get_or_insert(trouble);
            news
        });
    }
}

fn is_bound(pod: &Pod) -> bool {
    pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_some())
}

fn failed(what: &'static str, pod: &Pod) -> impl FnOnce(kube::Error) -> DriveError {
    let pod = pod.metadata.name.clone().unwrap_or_default();
    move |source| DriveError::request(what, pod, source)
}
