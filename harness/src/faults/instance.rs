//! One process of the controller, which can be killed, paused and started again with the same flags.

use crate::{
    cluster::{ClusterError, Component, RunningSubject, UnexpectedExit, process::Process, process_spec::ProcessSpec},
    launcher::Launcher,
};
use async_trait::async_trait;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::watch;

/// A controller process and its successors.
#[derive(Debug)]
pub struct Instance {
    spec: ProcessSpec,
    launcher: Launcher,
    log: PathBuf,
    state: Mutex<State>,
    unexpected_exit: watch::Sender<Option<UnexpectedExit>>,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    process: Option<Arc<Process>>,
    starts: u32,
    trouble: Option<String>,
}

impl Instance {
    /// A process that does not run yet; its output goes to `log`.
    pub(super) fn new(spec: ProcessSpec, launcher: Launcher, log: PathBuf) -> Self {
        Self {
            spec,
            launcher,
            log,
            state: Mutex::default(),
            unexpected_exit: watch::Sender::new(None),
            changing: tokio::sync::Mutex::default(),
        }
    }

    /// Starts it, unless it runs.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub async fn start(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        self.start_unless_it_runs()
    }

    /// Kills it with -9, and returns when it is gone.
    ///
    /// # Errors
    /// When the signal cannot be sent.
    pub async fn kill(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        self.end().await
    }

    /// How often it was started.
    #[must_use]
    pub fn starts(&self) -> u32 {
        self.state().starts
    }

    /// Returns when the process that runs now has ended, whyever.
    pub async fn gone(&self) {
        let process = self.state().process.clone();
        if let Some(process) = process {
            process.gone().await;
        }
    }

    /// How it ended unasked for the first time, with its last lines; or what could not be done to it.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        let ended = |it: &UnexpectedExit| format!("it ended unasked with {}:\n{}", it.status, it.last_lines.join("\n"));
        self.unexpected_exit.borrow().as_ref().map(ended).or_else(|| self.state().trouble.clone())
    }

    /// Kills it and starts it again at once.
    pub(super) async fn strike(&self) {
        let _changing = self.changing.lock().await;
        let struck = match self.end().await {
            Ok(()) => self.start_unless_it_runs(),
            failed => failed,
        };
        self.note(struck);
    }

    pub(super) fn pause_now(&self) {
        let paused = self.state().process.as_ref().map_or(Ok(()), |process| process.pause());
        self.note(paused);
    }

    async fn end(&self) -> Result<(), ClusterError> {
        let process = self.state().process.take();
        match process {
            Some(process) => process.kill().await,
            None => Ok(()),
        }
    }

    fn start_unless_it_runs(&self) -> Result<(), ClusterError> {
        let mut state = self.state();
        if state.process.as_ref().is_some_and(|process| process.runs()) {
            return Ok(());
        }
        let process = Process::start(&self.spec, &self.launcher, &self.log, self.unexpected_exit.clone())?;
        state.process = Some(Arc::new(process));
        state.starts += 1;
        Ok(())
    }

    fn note(&self, done: Result<(), ClusterError>) {
        if let Err(error) = done {
            self.state().trouble.get_or_insert(crate::error_text::in_full(&error));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl RunningSubject for Instance {
    async fn crash(&self) -> Result<(), ClusterError> {
        self.kill().await
    }

    async fn restart(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        self.end().await?;
        self.start_unless_it_runs()
    }

    async fn pause(&self) -> Result<(), ClusterError> {
        self.state().process.as_ref().map_or(Ok(()), |process| process.pause())
    }

    async fn resume(&self) -> Result<(), ClusterError> {
        self.state().process.as_ref().map_or(Ok(()), |process| process.resume())
    }

    /// It listens where nobody else knows.
    async fn metrics(&self) -> Result<String, ClusterError> {
        Err(ClusterError::NoSuchComponent(Component::Subject))
    }

    async fn stop(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        let process = self.state().process.take();
        match process {
            Some(process) => process.stop().await,
            None => Ok(()),
        }
    }
}
