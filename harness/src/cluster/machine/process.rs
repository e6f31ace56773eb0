//! One running process of a cluster: start, readiness, signals, its end and its last lines.

use std::fs;
use std::io::{self, PipeReader, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use tokio::sync::watch;

use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{ClusterError, Component, UnexpectedExit};
use crate::cluster::machine::process_spec::ProcessSpec;
use crate::cluster::machine::readiness::Question;
use crate::cluster::machine::subject_log::{self, Room, SubjectLog};
use crate::cluster::machine::{exit_status, last_words};
use crate::launcher::{self, Launcher};

/// How often readiness is asked. Small against the start of any component.
const ASK_EVERY: Duration = Duration::from_millis(40);
/// An answer that takes longer counts as none.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// How long a process may take to end in order before it is killed.
const ORDERLY_END: Duration = Duration::from_secs(5);
/// How long the end of a log may come after the end of its process.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// The API server has answered what it was asked after this, and then waits a minute for its watchers to go.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// How many of its last lines an error quotes.
pub(crate) const QUOTED_LINES: usize = 20;
/// As much of a log's end as is read for its last lines.
const TAIL_BYTES: u64 = 1024 * 1024;

/// A process that we started and watch.
#[derive(Debug)]
pub struct Process {
    component: Component,
    pid: Pid,
    log: PathBuf,
    /// Where in the log its own words begin: what an earlier start wrote stands before.
    log_from: u64,
    state: Arc<Mutex<State>>,
    ended: watch::Receiver<Option<String>>,
}

#[derive(Debug)]
struct State {
    child: Child,
    /// Once reaped, the pid may belong to someone else and must not be signalled.
    reaped: bool,
    /// We wanted it to end, so its end is no unexpected exit.
    asked: bool,
}

/// Whether an end that nobody asked for is news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It is.
    Full,
    /// Whoever started it hears of it another way.
    OnTrial,
}

impl Process {
    /// Starts a process; its output is appended to `log`. If it ends unasked, `unexpected_exit` says so.
    ///
    /// # Errors
    /// When the log cannot be opened or the program not be started.
    pub fn start(
        spec: &ProcessSpec,
        launcher: &Launcher,
        log: &Path,
        unexpected_exit: watch::Sender<Option<UnexpectedExit>>,
    ) -> Result<Self, ClusterError> {
        Self::begin(spec, launcher, log, unexpected_exit, Trust::Full)
    }

    /// Like [`start`](Self::start); of a process on trial its end is no unexpected exit until [`trust`](Self::trust) says
    /// otherwise: whoever tries a program hears from [`ready`](Self::ready) that it ended.
    ///
    /// # Errors
    /// When the log cannot be opened or the program not be started.
    pub(crate) fn begin(
        spec: &ProcessSpec,
        launcher: &Launcher,
        log: &Path,
        unexpected_exit: watch::Sender<Option<UnexpectedExit>>,
        trust: Trust,
    ) -> Result<Self, ClusterError> {
        Self::begin_within(subject_log::LIMIT, spec, launcher, log, unexpected_exit, trust)
    }

    /// A controller under test may write as many bytes to its log as `limit` says.
    fn begin_within(
        limit: u64,
        spec: &ProcessSpec,
        launcher: &Launcher,
        log: &Path,
        unexpected_exit: watch::Sender<Option<UnexpectedExit>>,
        trust: Trust,
    ) -> Result<Self, ClusterError> {
        let file = |source| ClusterError::File { what: "open", path: log.to_owned(), source };
        let log_from = fs::metadata(log).map_or(0, |there| there.len());
        let (words, output, errors) = outputs(spec.component, log, limit).map_err(file)?;
        let mut command = launcher.command(&spec.program);
        command
            .args(&spec.arguments)
            .env_clear()
            .envs(&spec.environment)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors);
        let child =
            launcher::spawn(command).map_err(|source| ClusterError::Spawn { program: spec.program.clone(), source })?;
        let pid = Pid::from_raw(child.id().cast_signed());
        let state = Arc::new(Mutex::new(State { child, reaped: false, asked: trust == Trust::OnTrial }));
        let (end, ended) = watch::channel(None);
        let process = Self { component: spec.component, pid, log: log.to_owned(), log_from, state, ended };
        let room = words.map(|words| process.write_down(words));
        process.watch_for_end(room, end, unexpected_exit);
        Ok(process)
    }

    /// From now on its end is an unexpected exit.
    pub fn trust(&self) {
        self.lock().asked = false;
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid.as_raw().cast_unsigned()
    }

    /// Waits until it says that it is ready.
    ///
    /// # Errors
    /// At once when it ends before that; after the readiness limit when it never says so.
    pub async fn ready(&self, spec: &ProcessSpec, site: &Layout) -> Result<(), ClusterError> {
        let question = Question::of(&spec.readiness.sign, spec.component, site, &self.log, self.log_from)?;
        until_ready(spec, &question, self.ended.clone(), &self.log).await
    }

    /// Kills it with -9 and returns when it is gone.
    ///
    /// # Errors
    /// When the signal cannot be sent.
    pub async fn kill(&self) -> Result<(), ClusterError> {
        self.end_with(Signal::SIGKILL)?;
        self.gone().await;
        Ok(())
    }

    /// Sends it the signal of [`kill`](Self::kill) and waits for nothing.
    ///
    /// # Errors
    /// When the signal cannot be sent.
    pub fn abandon(&self) -> Result<(), ClusterError> {
        self.end_with(Signal::SIGKILL)
    }

    /// Asks it to end, kills it when it does not, and returns when it is gone.
    ///
    /// # Errors
    /// When a signal cannot be sent.
    pub async fn stop(&self) -> Result<(), ClusterError> {
        self.end_with(Signal::SIGTERM)?;
        // A paused process hears SIGTERM only once it goes on.
        self.send(Signal::SIGCONT)?;
        match tokio::time::timeout(orderly_end(self.component), self.gone()).await {
            Ok(()) => Ok(()),
            Err(_) => self.kill().await,
        }
    }

    /// Stops it in its tracks.
    ///
    /// # Errors
    /// When the signal cannot be sent.
    pub fn pause(&self) -> Result<(), ClusterError> {
        self.send(Signal::SIGSTOP)
    }

    /// Lets it go on.
    ///
    /// # Errors
    /// When the signal cannot be sent.
    pub fn resume(&self) -> Result<(), ClusterError> {
        self.send(Signal::SIGCONT)
    }

    /// Returns when it has ended.
    pub async fn gone(&self) {
        // The sender sends before it goes away, so an error too means that the process is gone.
        let _ = self.ended.clone().wait_for(Option::is_some).await;
    }

    /// Whether it still runs.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.ended.borrow().is_none()
    }

    fn end_with(&self, signal: Signal) -> Result<(), ClusterError> {
        self.lock().asked = true;
        self.send(signal)
    }

    /// Sends a signal unless the process was reaped; the lock keeps the pid from being reused in between.
    fn send(&self, signal: Signal) -> Result<(), ClusterError> {
        let state = self.lock();
        if state.reaped {
            return Ok(());
        }
        kill(self.pid, signal).map_err(|source| ClusterError::Signal {
            component: self.component,
            signal: signal.as_str(),
            source,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what it says to its log, and kills it when it says too much.
    fn write_down(&self, Words { pipe, log }: Words) -> Receiver<Room> {
        let (state, pid) = (Arc::clone(&self.state), self.pid);
        subject_log::fill_in_background(log, pipe, move || {
            let state = state.lock().unwrap_or_else(PoisonError::into_inner);
            if !state.reaped {
                // What cannot be signalled is gone.
                let _ = kill(pid, Signal::SIGKILL);
            }
        })
    }

    fn watch_for_end(
        &self,
        room: Option<Receiver<Room>>,
        end: watch::Sender<Option<String>>,
        unexpected_exit: watch::Sender<Option<UnexpectedExit>>,
    ) {
        let (component, pid, log) = (self.component, self.pid, self.log.clone());
        let state = Arc::clone(&self.state);
        let kills = exit_status::memory_kills();
        std::thread::Builder::new()
            .name(format!("wait-{component}"))
            .spawn(move || {
                // Waits without reaping, so that nobody can signal a pid that is already another's.
                let _ = waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
                // Its log comes before the news of its end; a child of its own may keep it open for longer.
                let room = room.and_then(|room| room.recv_timeout(LAST_WORDS).ok()).unwrap_or(Room::Left);
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                let status = subject_log::with_reason(describe(state.child.wait(), kills), room);
                state.reaped = true;
                let asked = state.asked;
                drop(state);
                if !asked {
                    let last_lines = last_words::quoted(&tail(&log), QUOTED_LINES);
                    UnexpectedExit { component, status: status.clone(), last_lines }.tell(&unexpected_exit);
                }
                end.send_replace(Some(status));
            })
            .expect("a process that cannot start one thread cannot do anything");
    }
}

/// What a process says, on its way to its log.
struct Words {
    pipe: PipeReader,
    log: SubjectLog,
}

/// Where a process writes to, both streams: its log, or for the controller under test what its log is written from.
fn outputs(component: Component, log: &Path, limit: u64) -> io::Result<(Option<Words>, Stdio, Stdio)> {
    if component.is_of_subject() {
        let (pipe, output) = io::pipe()?;
        let log = SubjectLog::open(log, limit)?;
        return Ok((Some(Words { pipe, log }), output.try_clone()?.into(), output.into()));
    }
    let output = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(log)?;
    Ok((None, output.try_clone()?.into(), output.into()))
}

/// Waits until a component says that it is ready; `ended` says how it ended, should it do so before.
pub(crate) async fn until_ready(
    spec: &ProcessSpec,
    question: &Question,
    mut ended: watch::Receiver<Option<String>>,
    log: &Path,
) -> Result<(), ClusterError> {
    let begun = Instant::now();
    let mut ask = tokio::time::interval(ASK_EVERY);
    ask.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut doubt = "it did not answer".to_owned();
    loop {
        tokio::select! {
            status = ended.wait_for(Option::is_some) => {
                let status = status.ok().and_then(|status| status.clone()).unwrap_or_default();
                let last_lines = last_lines(log, QUOTED_LINES);
                return Err(ClusterError::Ended { component: spec.component, status, last_lines });
            }
            () = async {
                ask.tick().await;
                doubt = asked(question).await;
            } => {}
        }
        if doubt.is_empty() {
            return Ok(());
        }
        if begun.elapsed() > spec.readiness.within {
            return Err(ClusterError::NotReady {
                component: spec.component,
                within: spec.readiness.within,
                doubt,
                last_lines: last_lines(log, QUOTED_LINES),
            });
        }
    }
}

/// How long a component may take to end in order.
pub(crate) fn orderly_end(component: Component) -> Duration {
    if component == Component::ApiServer { LAST_ANSWERS } else { ORDERLY_END }
}

/// The last lines of a file, lossily as text; empty when it cannot be read.
#[must_use]
pub fn last_lines(path: &Path, count: usize) -> Vec<String> {
    last_lines_of(&tail(path), count).lines().map(str::to_owned).collect()
}

/// The end of a file, lossily as text; empty when it cannot be read.
pub(crate) fn tail(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = fs::File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

/// The last lines of a text.
pub(crate) fn last_lines_of(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

/// When a process began, in clock ticks since boot: with the pid, its identity.
#[must_use]
pub fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses and may hold anything, spaces too.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// Empty when ready, else why not.
async fn asked(question: &Question) -> String {
    let asked = tokio::time::timeout(ANSWER_LIMIT, question.ask()).await;
    asked.unwrap_or_else(|_| format!("no answer within {} s", ANSWER_LIMIT.as_secs()))
}

/// `kills` is what the kernel had counted when the process began.
fn describe(status: std::io::Result<ExitStatus>, kills: u64) -> String {
    let kills = exit_status::memory_kills().saturating_sub(kills);
    status.map_or_else(|error| format!("an unknown status ({error})"), |status| exit_status::in_words(status, kills))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::machine::readiness::{Readiness, Sign};
    use std::collections::BTreeMap;
    use std::process::Command;

    /// Whole lines of what the test's program prints.
    const LITTLE: u64 = 3 * 20_000;

    /// Becomes the program as our own executable would, which a test is not. Written by another process: whoever starts one
    /// just then inherits no file of ours that is open for writing.
    fn trampoline(folder: &Path) -> Launcher {
        let path = folder.join("trampoline");
        let script = r#"printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$0" && chmod +x "$0""#;
        assert!(Command::new("sh").args(["-c", script]).arg(&path).status().unwrap().success());
        Launcher::at(path)
    }

    #[tokio::test]
    async fn a_subject_that_prints_endlessly_is_killed_and_its_death_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("subject.log");
        let spec = ProcessSpec {
            component: Component::Subject,
            program: PathBuf::from("/usr/bin/yes"),
            arguments: vec!["no".to_owned()],
            environment: BTreeMap::new(),
            readiness: Readiness { sign: Sign::Answers(String::new()), within: ANSWER_LIMIT },
        };
        let slot = watch::Sender::new(None);
        let launcher = trampoline(folder.path());
        let process = Process::begin_within(LITTLE, &spec, &launcher, &log, slot.clone(), Trust::Full).unwrap();
        process.gone().await;
        let UnexpectedExit { component, status, last_lines } = slot.borrow().clone().expect("nobody asked it to end");
        assert_eq!(component, Component::Subject);
        assert_eq!(status, "signal: 9 (SIGKILL), as the log of the subject reached its limit of 256 MiB");
        assert_eq!(last_lines.last().map(String::as_str), Some("no"));
        assert!(fs::metadata(&log).unwrap().len() < LITTLE);
    }

    #[test]
    fn the_last_lines_of_a_longer_file_are_its_end() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "one\ntwo\nthree\n").unwrap();
        assert_eq!(last_lines(file.path(), 2), ["two", "three"]);
        assert_eq!(last_lines(file.path(), 9).len(), 3);
    }

    #[test]
    fn our_own_start_time_is_known_and_a_missing_process_has_none() {
        assert!(start_time(std::process::id()).is_some());
        assert_eq!(start_time(u32::MAX), None);
    }
}
