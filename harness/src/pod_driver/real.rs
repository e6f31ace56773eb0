//! Brings about what scripts ask for where kubelets run pods: by a word to the program in the container.
//!
//! The word goes through the API server and the kubelet (exec), so it needs no network to the pod.

use super::{Disruption, DriveError, End, PodBehaviour, When, status, template, writer};
use crate::recorder::Book;
use jobsworth_oracle::{
    Predicate, Seen, World,
    vocabulary::pods::{is_stopping, is_terminal},
};
use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use kube::{
    Api,
    api::{AttachParams, Patch, PatchParams},
};
use serde_json::{Value, json};
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::{
    io::AsyncReadExt,
    sync::{Semaphore, broadcast, watch},
    task::JoinSet,
};

/// How many words are on their way side by side; each is a process in a container.
const MAX_IN_FLIGHT: usize = 6;
/// How long a container may take to run: its node may be busy with many.
const STARTS_WITHIN: Duration = Duration::from_secs(90);
/// How long a container may take to end after it was told to.
const ENDS_WITHIN: Duration = Duration::from_secs(60);
/// How long a word may be on its way.
const WORD_LIMIT: Duration = Duration::from_secs(20);
/// A word that was lost is brought again so often.
const TRIES: usize = 4;
/// Under this name our writes stand in `managedFields`.
const FIELD_MANAGER: &str = "jobsworth-pod-driver";

/// Drives pods that really run.
pub struct Kubelets {
    shared: Arc<Shared>,
    tasks: JoinSet<()>,
    image: Option<String>,
}

struct Shared {
    pods: Api<Pod>,
    book: Arc<Book>,
    behaviour: watch::Sender<PodBehaviour>,
    hands: Semaphore,
    trouble: watch::Sender<Option<String>>,
}

impl Kubelets {
    pub(super) fn start(client: kube::Client, namespace: &str, book: &Arc<Book>, image: Option<&str>) -> Self {
        let shared = Arc::new(Shared {
            pods: Api::namespaced(client, namespace),
            book: book.clone(),
            behaviour: watch::Sender::new(PodBehaviour::default()),
            hands: Semaphore::new(MAX_IN_FLIGHT),
            trouble: watch::Sender::new(None),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(attend(shared.clone(), book.pods()));
        Self { shared, tasks, image: image.map(str::to_owned) }
    }

    /// The image in place of the one that cases name.
    pub(super) fn image(&self) -> Option<&str> {
        self.image.as_deref()
    }

    /// Holds for pods of objects that are submitted from now on, and for pods that wait for a word.
    pub(super) fn behave(&self, behaviour: PodBehaviour) {
        let before = self.shared.behaviour.send_replace(behaviour);
        let stricter = before.stop == When::AtOnce && behaviour.stop == When::OnWord;
        let world = self.shared.book.world();
        let unaware = world.pods().any(|pod| !is_terminal(pod) && !template::waits_for_a_word(pod));
        if stricter && unaware {
            self.shared.complain("pods that run already were not told to wait for a word".to_owned());
        }
    }

    pub(super) fn behaviour(&self) -> PodBehaviour {
        *self.shared.behaviour.borrow()
    }

    pub(super) fn trouble(&self) -> Option<String> {
        self.shared.trouble.borrow().clone()
    }

    /// Lets it be scheduled, and waits until its containers run.
    pub(super) async fn run(&self, pod: &Pod) -> Result<(), DriveError> {
        self.shared.open_gate(pod).await?;
        self.shared.runs(pod).await.map(drop)
    }

    pub(super) async fn end(&self, pod: &Pod, end: End) -> Result<(), DriveError> {
        self.run(pod).await?;
        self.shared.end(pod, end).await
    }

    pub(super) async fn restarted(&self, pod: &Pod, times: i32) -> Result<(), DriveError> {
        self.run(pod).await?;
        loop {
            let now = self.shared.runs(pod).await?;
            let restarts = statuses(&now).map(|status| status.restart_count).max().unwrap_or(0);
            if restarts >= times || is_terminal(&now) {
                return Ok(());
            }
            for container in names(&now) {
                self.shared.say(&now, &container, &["exit", "1"]).await?;
            }
            let more = move |pod: &Pod| statuses(pod).any(|status| status.restart_count > restarts);
            self.shared.comes(pod, "restart the container of", ENDS_WITHIN, more).await?;
        }
    }

    /// Whoever disrupts a pod writes this condition before deleting it; the kubelet leaves it alone.
    pub(super) async fn disrupt(&self, pod: &Pod, disruption: Disruption) -> Result<(), DriveError> {
        self.shared.runs(pod).await?;
        let patch =
            json!({"metadata": {"uid": pod.metadata.uid}, "status": {"conditions": [status::disruption(disruption)]}});
        self.shared.patch_status(pod, &patch).await.map_err(failed("write the disruption of", pod))
    }

    /// The kubelet removes it by itself once its containers have ended.
    pub(super) async fn let_go(&self, pod: &Pod, end: End) -> Result<(), DriveError> {
        self.shared.end(pod, end).await
    }

    pub(super) async fn look_inside(&self, pod: &Pod) -> Result<Value, DriveError> {
        let pod = self.shared.runs(pod).await?;
        let container = names(&pod).into_iter().next().unwrap_or_default();
        let said = self.shared.say(&pod, &container, &["state"]).await?;
        let unreadable = |error: serde_json::Error| DriveError::Agent {
            what: "look inside",
            pod: name(&pod).to_owned(),
            said: format!("{error} in `{said}`"),
        };
        serde_json::from_str(&said).map_err(unreadable)
    }

    pub(super) async fn stop(mut self) {
        self.tasks.shutdown().await;
    }
}

/// Brings a word to pods that wait for one though the script does not care any more.
async fn attend(shared: Arc<Shared>, mut pods: broadcast::Receiver<Seen<Pod>>) {
    let mut work = JoinSet::new();
    let mut told = HashSet::new();
    loop {
        let pod = match pods.recv().await {
            Ok(pod) => pod,
            Err(broadcast::error::RecvError::Lagged(missed)) => {
                shared.complain(format!("the pod driver fell behind by {missed} pod versions"));
                continue;
            }
            Err(broadcast::error::RecvError::Closed) => return,
        };
        let behaviour = *shared.behaviour.borrow();
        let forgotten = behaviour.stop == When::AtOnce && template::waits_for_a_word(&pod);
        if forgotten && is_stopping(&pod) && !is_terminal(&pod) && told.insert(pod.metadata.uid.clone()) {
            let shared = shared.clone();
            work.spawn(async move {
                if let Err(error) = shared.end(&pod, End::Exited(behaviour.stop_code)).await {
                    shared.complain(crate::error_text::in_full(&error));
                }
            });
        }
    }
}

impl Shared {
    /// Ends every container in the way that is asked for.
    async fn end(&self, pod: &Pod, end: End) -> Result<(), DriveError> {
        let now = self.latest(pod);
        let Some(now) = now.filter(|now| !is_terminal(now)) else { return Ok(()) };
        let now = if statuses(&now).any(is_running) { now } else { self.runs(pod).await? };
        for container in names(&now) {
            let code = match end {
                // A kubelet writes the time itself; the delay that follows is waited for in full.
                End::Exited(code) | End::ExitedEarlier(code, _) | End::FirstExitedEarlier(code, _) => code,
                End::ContainerExited(which, code) => {
                    if which == container {
                        code
                    } else {
                        0
                    }
                }
                End::InitExited(..) => {
                    let pod = name(pod).to_owned();
                    return Err(DriveError::Beyond { what: "fail before the containers of", pod });
                }
                End::WithoutContainers => {
                    let pod = name(pod).to_owned();
                    return Err(DriveError::Beyond { what: "fail without its containers", pod });
                }
            };
            let code = code.to_string();
            self.say(&now, &container, &["exit", &code]).await?;
        }
        Ok(())
    }

    /// Waits until all its containers run, or it is at its end.
    async fn runs(&self, pod: &Pod) -> Result<Seen<Pod>, DriveError> {
        let runs = |pod: &Pod| {
            let count = pod.spec.as_ref().map_or(0, |spec| spec.containers.len());
            is_terminal(pod) || (count > 0 && statuses(pod).filter(|status| is_running(status)).count() == count)
        };
        self.comes(pod, "see the containers run of", STARTS_WITHIN, runs).await
    }

    /// Waits until the pod is as wanted; one that is gone counts as it was seen last.
    async fn comes(
        &self,
        pod: &Pod,
        what: &'static str,
        limit: Duration,
        wanted: impl Fn(&Pod) -> bool + Send + Sync + 'static,
    ) -> Result<Seen<Pod>, DriveError> {
        let (its_name, uid) = (name(pod).to_owned(), pod.metadata.uid.clone());
        let find = move |world: &World| world.pod(&its_name).filter(|seen| seen.metadata.uid == uid).cloned();
        let found = find.clone();
        let came = Predicate::new(what, move |world| found(world).is_none_or(|pod| wanted(&pod)));
        let mut never = watch::channel(None).1;
        // Without a cluster there is nothing to wait for; whoever watches the cluster ends the case.
        let waited = self.book.wait(&came, limit, &mut never).await;
        let seen = find(&self.book.world());
        match (waited, seen) {
            (Ok(()), Some(seen)) => Ok(seen),
            (Ok(()), None) => Err(DriveError::Agent { what, pod: name(pod).to_owned(), said: "it is gone".to_owned() }),
            (Err(_), _) => {
                let said = format!("not within {} s", limit.as_secs());
                Err(DriveError::Agent { what, pod: name(pod).to_owned(), said })
            }
        }
    }

    fn latest(&self, pod: &Pod) -> Option<Seen<Pod>> {
        let world = self.book.world();
        world.pod(name(pod)).filter(|seen| seen.metadata.uid == pod.metadata.uid).cloned()
    }

    /// Brings a word to the program in a container, and its answer back.
    async fn say(&self, pod: &Pod, container: &str, words: &[&str]) -> Result<String, DriveError> {
        let _hand = self.hands.acquire().await;
        let mut trouble = String::new();
        for _ in 0..TRIES {
            match tokio::time::timeout(WORD_LIMIT, self.exec(pod, container, words)).await {
                Ok(Ok(said)) if !said.is_empty() => return Ok(said),
                Ok(Ok(_)) => "it said nothing".clone_into(&mut trouble),
                Ok(Err(error)) => trouble = error,
                Err(_) => trouble = format!("no answer within {} s", WORD_LIMIT.as_secs()),
            }
            // A last word may take its own answer along.
            if self.has_ended(pod, container).await {
                return Ok(String::new());
            }
        }
        Err(DriveError::Agent { what: "bring a word to", pod: name(pod).to_owned(), said: trouble })
    }

    async fn exec(&self, pod: &Pod, container: &str, words: &[&str]) -> Result<String, String> {
        let command: Vec<&str> = ["/agent"].into_iter().chain(words.iter().copied()).collect();
        let how = AttachParams::default().container(container).stderr(true);
        let mut process =
            self.pods.exec(name(pod), command, &how).await.map_err(|error| crate::error_text::in_full(&error))?;
        let status = process.take_status();
        let (mut out, mut err) = (String::new(), String::new());
        let (stdout, stderr) = (process.stdout(), process.stderr());
        let read_out = async {
            if let Some(mut stream) = stdout {
                // What was heard until a stream broke is what counts.
                let _ = stream.read_to_string(&mut out).await;
            }
        };
        let read_err = async {
            if let Some(mut stream) = stderr {
                let _ = stream.read_to_string(&mut err).await;
            }
        };
        tokio::join!(read_out, read_err);
        let ended = match status {
            Some(status) => status.await,
            None => None,
        };
        match ended.filter(|status| status.status.as_deref() != Some("Success")) {
            Some(failure) if out.is_empty() => Err(format!("{} {err}", failure.message.unwrap_or_default())),
            _ => Ok(out),
        }
    }

    /// Whether the container is no longer the one that runs in this version of the pod.
    async fn has_ended(&self, pod: &Pod, container: &str) -> bool {
        let of = |pod: &Pod| statuses(pod).find(|status| status.name == container).cloned();
        let before = of(pod).and_then(|status| status.container_id);
        match self.pods.get_opt(name(pod)).await {
            Ok(Some(now)) => of(&now).is_none_or(|status| !is_running(&status) || status.container_id != before),
            Ok(None) => true,
            Err(_) => false,
        }
    }

    async fn open_gate(&self, pod: &Pod) -> Result<(), DriveError> {
        let gated = pod.spec.iter().flat_map(|spec| spec.scheduling_gates.iter().flatten());
        if !gated.into_iter().any(|gate| gate.name == template::GATE) {
            return Ok(());
        }
        let patch = Patch::Merge(json!({"metadata": {"uid": pod.metadata.uid}, "spec": {"schedulingGates": null}}));
        let opened = self.pods.patch(name(pod), &parameters(), &patch).await.map(drop);
        writer::gone_is_fine(opened).map_err(failed("let go of", pod))
    }

    /// Merges by the key of lists, so that what the kubelet wrote stays.
    async fn patch_status(&self, pod: &Pod, patch: &Value) -> Result<(), kube::Error> {
        let patch = Patch::Strategic(patch);
        writer::gone_is_fine(self.pods.patch_status(name(pod), &parameters(), &patch).await.map(drop))
    }

    fn complain(&self, trouble: String) {
        self.trouble.send_if_modified(|first| {
            let news = first.is_none();
            first.get_or_insert(trouble);
            news
        });
    }
}

fn parameters() -> PatchParams {
    PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PatchParams::default() }
}

fn statuses(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten())
}

fn is_running(status: &ContainerStatus) -> bool {
    status.state.as_ref().is_some_and(|state| state.running.is_some())
}

/// Of the containers that run.
fn names(pod: &Pod) -> Vec<String> {
    statuses(pod).filter(|status| is_running(status)).map(|status| status.name.clone()).collect()
}

fn name(pod: &Pod) -> &str {
    pod.metadata.name.as_deref().unwrap_or_default()
}

fn failed(what: &'static str, pod: &Pod) -> impl FnOnce(kube::Error) -> DriveError {
    let pod = name(pod).to_owned();
    move |source| DriveError::request(what, pod, source)
}
