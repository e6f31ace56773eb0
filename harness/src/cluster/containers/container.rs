//! One component in a container: its log, its end, its signals.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bollard::Docker;
use bollard::errors::Error as ApiError;
use bollard::query_parameters::{KillContainerOptionsBuilder, LogsOptionsBuilder, WaitContainerOptionsBuilder};
use futures::StreamExt;
use nix::sys::signal::Signal;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::engine;
use super::error::EngineError;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{ClusterError, Component, UnexpectedExit};
use crate::cluster::machine::Unit;
use crate::cluster::machine::last_words;
use crate::cluster::machine::process::{self, QUOTED_LINES, Trust};
use crate::cluster::machine::process_spec::ProcessSpec;
use crate::cluster::machine::readiness::Question;
use crate::cluster::machine::subject_log::{self, Room, SubjectLog};
use crate::container_runtime::background;

/// How long the end of a log may come after the end of its container.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// A container that the shell would call killed has this and the signal's number as its exit code.
const KILLED: i64 = 128;

/// Podman's word, with a status of 500, for a container that has ended and is not yet removed (seen with 4.3.1).
const ENDED: &str = "container state improper";

/// A container that was started.
#[derive(Debug)]
pub(super) struct Container {
    component: Component,
    id: String,
    log: PathBuf,
    docker: Docker,
    /// We wanted it to end, so its end is no unexpected exit.
    asked: Arc<AtomicBool>,
    ended: watch::Receiver<Option<String>>,
}

impl Container {
    /// Follows a container that has just been started, in the background; its output is appended to `log`.
    pub fn follow(
        component: Component,
        id: String,
        docker: Docker,
        log: &Path,
        trust: Trust,
        unexpected_exit: watch::Sender<Option<UnexpectedExit>>,
    ) -> Result<Self, ClusterError> {
        let file = |source| ClusterError::File { what: "open", path: log.to_owned(), source };
        let limit = if component == Component::Subject { subject_log::LIMIT } else { u64::MAX };
        let output = SubjectLog::open(log, limit).map_err(file)?;
        let asked = Arc::new(AtomicBool::new(trust == Trust::OnTrial));
        let (end, ended) = watch::channel(None);
        let container = Self { component, id, log: log.to_owned(), docker, asked, ended };
        let words = background::runtime().spawn(write_down(container.docker.clone(), container.id.clone(), output));
        background::runtime().spawn(container.watch_for_end(words, end, unexpected_exit));
        Ok(container)
    }

    /// Sends a signal to its program, unless it has ended.
    async fn send(&self, signal: Signal) -> Result<(), ClusterError> {
        if !self.runs() {
            return Ok(());
        }
        let (docker, id) = (self.docker.clone(), self.id.clone());
        let options = KillContainerOptionsBuilder::new().signal(signal.as_str()).build();
        let sent = background::runtime().spawn(async move { docker.kill_container(&id, Some(options)).await });
        match sent.await.expect("sending a signal does not panic") {
            Ok(()) => Ok(()),
            // It ended in the meantime; the runtimes have several words for that.
            Err(ApiError::DockerResponseServerError { status_code: 404 | 409, .. }) => Ok(()),
            Err(ApiError::DockerResponseServerError { message, .. }) if message.contains(ENDED) => Ok(()),
            Err(_) if !self.runs() => Ok(()),
            Err(error) => {
                let what = format!("send {} to the container of {}", signal.as_str(), self.component);
                Err(EngineError::refused(what)(error).into())
            }
        }
    }

    /// Returns when it is removed.
    async fn gone(&self) {
        // The sender sends before it goes away, so an error too means that the container is gone.
        let _ = self.ended.clone().wait_for(Option::is_some).await;
    }

    fn watch_for_end(
        &self,
        words: JoinHandle<Room>,
        end: watch::Sender<Option<String>>,
        unexpected_exit: watch::Sender<Option<UnexpectedExit>>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let (component, id, log, docker) = (self.component, self.id.clone(), self.log.clone(), self.docker.clone());
        let asked = Arc::clone(&self.asked);
        async move {
            let status = status_of(&docker, &id).await;
            let abort = words.abort_handle();
            let room = match tokio::time::timeout(LAST_WORDS, words).await {
                Ok(room) => room.unwrap_or(Room::Left),
                Err(_) => {
                    abort.abort();
                    Room::Left
                }
            };
            let status = subject_log::with_reason(status, room);
            if !asked.load(Ordering::SeqCst) {
                let last_lines = last_words::quoted(&process::tail(&log), QUOTED_LINES);
                let status = if is_out_of_memory(&docker, &id).await {
                    format!("{status}, killed for lack of memory")
                } else {
                    status.clone()
                };
                UnexpectedExit { component, status, last_lines }.tell(&unexpected_exit);
            }
            // What is left is found by its label, when its cluster goes.
            let _ = engine::remove(&docker, &id).await;
            end.send_replace(Some(status));
        }
    }
}

#[async_trait]
impl Unit for Container {
    async fn ready(&self, spec: &ProcessSpec, site: &Layout) -> Result<(), ClusterError> {
        let question = Question::of(&spec.readiness.sign, spec.component, site, &self.log, 0)?;
        process::until_ready(spec, &question, self.ended.clone(), &self.log).await
    }

    fn trust(&self) {
        self.asked.store(false, Ordering::SeqCst);
    }

    async fn kill(&self) -> Result<(), ClusterError> {
        self.asked.store(true, Ordering::SeqCst);
        self.send(Signal::SIGKILL).await?;
        self.gone().await;
        Ok(())
    }

    async fn stop(&self) -> Result<(), ClusterError> {
        self.asked.store(true, Ordering::SeqCst);
        self.send(Signal::SIGTERM).await?;
        // A paused program hears SIGTERM only once it goes on.
        self.send(Signal::SIGCONT).await?;
        match tokio::time::timeout(process::orderly_end(self.component), self.gone()).await {
            Ok(()) => Ok(()),
            Err(_) => self.kill().await,
        }
    }

    /// Stopping it by a signal works as well where the runtime has no freezer of its own to pause it with.
    async fn pause(&self) -> Result<(), ClusterError> {
        self.send(Signal::SIGSTOP).await
    }

    async fn resume(&self) -> Result<(), ClusterError> {
        self.send(Signal::SIGCONT).await
    }

    fn runs(&self) -> bool {
        self.ended.borrow().is_none()
    }
}

/// Writes what a container says to its log, until it ends or the log is full, which ends it.
async fn write_down(docker: Docker, id: String, mut log: SubjectLog) -> Room {
    let options = LogsOptionsBuilder::new().follow(true).stdout(true).stderr(true).tail("all").build();
    let mut parts = std::pin::pin!(docker.logs(&id, Some(options)));
    while let Some(Ok(part)) = parts.next().await {
        if log.write(&part.into_bytes()) == Room::Full {
            let kill = KillContainerOptionsBuilder::new().signal(Signal::SIGKILL.as_str()).build();
            if let Err(error) = docker.kill_container(&id, Some(kill)).await {
                tracing::warn!(%error, "a container whose log is full cannot be killed");
            }
            log.cut();
            return Room::Full;
        }
    }
    Room::Left
}

/// Waits for its end and says how it ended.
async fn status_of(docker: &Docker, id: &str) -> String {
    let options = WaitContainerOptionsBuilder::new().condition("not-running").build();
    let mut answers = std::pin::pin!(docker.wait_container(id, Some(options)));
    match answers.next().await {
        Some(Ok(answer)) => exit(answer.status_code),
        Some(Err(ApiError::DockerContainerWaitError { code, .. })) => exit(code),
        Some(Err(error)) => format!("an unknown status ({error})"),
        None => "an unknown status".to_owned(),
    }
}

/// Whether the kernel killed it for lack of memory, as far as the runtime knows.
async fn is_out_of_memory(docker: &Docker, id: &str) -> bool {
    let found = docker.inspect_container(id, None).await.ok().and_then(|found| found.state);
    found.and_then(|state| state.oom_killed).unwrap_or(false)
}

/// An exit code in words.
fn exit(code: i64) -> String {
    let signal = i32::try_from(code - KILLED).ok().and_then(|number| Signal::try_from(number).ok());
    signal.map_or_else(|| format!("exit status: {code}"), |signal| format!("exit status: {code} ({signal})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::well(0, "exit status: 0")]
    #[case::badly(1, "exit status: 1")]
    #[case::killed(137, "exit status: 137 (SIGKILL)")]
    #[case::asked_to_end(143, "exit status: 143 (SIGTERM)")]
    #[case::no_signal_has_this_number(255, "exit status: 255")]
    fn an_exit_code_says_what_the_runtime_knows(#[case] code: i64, #[case] says: &str) {
        assert_eq!(exit(code), says);
    }
}
