//! Runs the programs that make an image: their lines are heard as they come, and a stop ends them at once.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::{NodeImageError, OnProgress, Progress, Step};
use jobsworth_binaries::launcher::{self, Launcher};

/// How many of the last lines an error quotes.
const QUOTED_LINES: usize = 20;
/// How soon a stop is noticed while a program is silent.
const GLANCE: Duration = Duration::from_millis(200);

/// What a step needs of the world outside.
pub(super) struct Workbench<'a> {
    pub launcher: &'a Launcher,
    /// Set by who wants the work to end.
    pub stop: &'a AtomicBool,
    pub progress: OnProgress<'a>,
}

/// Which of a program's two outputs a line came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    Result,
    Remark,
}

/// A program to run.
#[derive(Clone, Debug)]
pub(super) struct Order {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
    name: String,
}

impl Order {
    pub fn new(program: impl AsRef<Path>, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let program = program.as_ref();
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            environment: Vec::new(),
            name: program.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// With one more argument.
    pub fn with(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// With more arguments.
    pub fn with_all<const N: usize>(mut self, arguments: [&str; N]) -> Self {
        self.arguments.extend(arguments.map(OsString::from));
        self
    }

    /// Called so in errors, where the program is not the one that matters.
    pub fn called(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    pub fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.environment.push((name, value.into()));
        self
    }
}

impl Workbench<'_> {
    pub fn at(&self, step: Step, says: impl Into<String>) {
        (self.progress)(Progress::At { step, says: says.into() });
    }

    /// Fails once a stop was asked for.
    pub fn go_on(&self) -> Result<(), NodeImageError> {
        if self.stop.load(Ordering::Relaxed) { Err(NodeImageError::Stopped) } else { Ok(()) }
    }

    /// Runs a program to its end.
    pub fn run(&self, order: &Order, hear: &mut dyn FnMut(Output, &str)) -> Result<(), NodeImageError> {
        let mut running = self.start(order)?;
        while let Some((output, line)) = running.line(self)? {
            hear(output, &line);
        }
        running.end()
    }

    /// Starts a program that goes on beside us; it ends with what is returned, and with us.
    pub fn start(&self, order: &Order) -> Result<Running, NodeImageError> {
        self.go_on()?;
        let mut command: Command = self.launcher.command(Path::new(&order.program));
        command.args(&order.arguments).envs(order.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |source| NodeImageError::Unstarted { program: order.name.clone(), source };
        let mut child = launcher::spawn(command).map_err(failed)?;
        let (sender, lines) = mpsc::channel();
        listen(child.stdout.take(), Output::Result, &sender);
        listen(child.stderr.take(), Output::Remark, &sender);
        Ok(Running { child, lines, name: order.name.clone(), last: VecDeque::new(), ended: false })
    }
}

fn listen(pipe: Option<impl Read + Send + 'static>, output: Output, lines: &Sender<(Output, String)>) {
    let (Some(pipe), lines) = (pipe, lines.clone()) else { return };
    std::thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        while pipe.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            // Nobody listens any more once the step has failed.
            let _ = lines.send((output, String::from_utf8_lossy(&line).trim_end().to_owned()));
            line.clear();
        }
    });
}

/// A program that was started; ends with it.
pub(super) struct Running {
    child: Child,
    lines: Receiver<(Output, String)>,
    name: String,
    last: VecDeque<String>,
    ended: bool,
}

impl Running {
    /// Its next line; none when it has closed its outputs.
    pub fn line(&mut self, bench: &Workbench<'_>) -> Result<Option<(Output, String)>, NodeImageError> {
        loop {
            bench.go_on()?;
            match self.lines.recv_timeout(GLANCE) {
                Ok((output, line)) => {
                    if self.last.len() == QUOTED_LINES {
                        self.last.pop_front();
                    }
                    self.last.push_back(line.clone());
                    return Ok(Some((output, line)));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Waits for its end, which must be a good one.
    pub fn end(mut self) -> Result<(), NodeImageError> {
        let failed = |source| NodeImageError::Unstarted { program: self.name.clone(), source };
        let status = self.child.wait().map_err(failed)?;
        self.ended = true;
        if status.success() { Ok(()) } else { Err(self.failure(status.to_string())) }
    }

    /// Asks it to end, and waits until it has.
    pub fn terminate(mut self) -> Result<(), NodeImageError> {
        let failed = |source| NodeImageError::Unstarted { program: self.name.clone(), source };
        self.signal(Signal::SIGTERM);
        let status = self.child.wait().map_err(failed)?;
        self.ended = true;
        if status.success() { Ok(()) } else { Err(self.failure(status.to_string())) }
    }

    /// What is wrong with a program that still runs, with what it wrote last.
    pub fn refusal(&mut self, status: &str) -> NodeImageError {
        self.failure(status.to_owned())
    }

    fn failure(&mut self, status: String) -> NodeImageError {
        let last_lines: Vec<String> = std::mem::take(&mut self.last).into();
        if last_lines.iter().any(|line| line.to_lowercase().contains("no space left on device")) {
            return NodeImageError::DiskFull { at: self.name.clone() };
        }
        NodeImageError::Failed { program: self.name.clone(), status, last_lines }
    }

    /// The group: what the program has started is in it too.
    fn signal(&self, signal: Signal) {
        if let Ok(group) = i32::try_from(self.child.id()) {
            // A group that is gone needs no signal.
            let _ = killpg(Pid::from_raw(group), signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(Signal::SIGKILL);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
