//! Starts programs so that none outlives us, not even when we are killed with -9.
//!
//! A program is started through our own executable: the hidden first argument `__exec` makes it
//! ask the kernel for a SIGKILL at its parent's death, take a process group of its own, and then
//! become the program. The kernel means the parent *thread*, so one thread of ours, which lives as
//! long as the process, does all the starting.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::{OnceLock, mpsc};

/// The hidden first argument.
pub const EXEC: &str = "__exec";

/// How a trampoline ends when its parent was gone before it could be tied to it.
const PARENT_GONE: i32 = 113;
/// How a trampoline ends when it could not become the program, as in shells.
const NOT_STARTED: i32 = 127;

/// Knows the executable that serves as trampoline.
#[derive(Clone, Debug)]
pub struct Launcher {
    executable: PathBuf,
}

impl Default for Launcher {
    /// Our own executable, which must call [`intercept`] first thing.
    ///
    /// The link in `/proc` still works when the file was replaced by a newer build.
    fn default() -> Self {
        Self { executable: PathBuf::from("/proc/self/exe") }
    }
}

impl Launcher {
    /// Another executable that calls [`intercept`], for tests.
    #[must_use]
    pub fn at(executable: impl Into<PathBuf>) -> Self {
        Self { executable: executable.into() }
    }

    /// A command for `program` that goes through the trampoline.
    #[must_use]
    pub fn command(&self, program: &std::path::Path) -> Command {
        let mut command = Command::new(&self.executable);
        command.arg(EXEC).arg(std::process::id().to_string()).arg(program);
        command
    }

    /// The executable itself, for the holder.
    #[must_use]
    pub fn executable(&self) -> &std::path::Path {
        &self.executable
    }
}

/// Starts a command from the long-lived thread.
///
/// # Errors
/// What the system says about the start.
pub fn spawn(command: Command) -> io::Result<Child> {
    let (answer, answered) = mpsc::channel();
    starter()
        .send(Start { command, answer })
        .map_err(|_| io::Error::other("the thread that starts programs is gone"))?;
    answered.recv().map_err(|_| io::Error::other("the thread that starts programs is gone"))?
}

/// Becomes the program that the arguments name if we were started as a trampoline; returns otherwise.
///
/// `main` calls this before anything else, or what the harness has for it, `cluster::intercept`.
pub fn intercept() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == EXEC) {
        let code = become_program(arguments);
        std::process::exit(code);
    }
}

struct Start {
    command: Command,
    answer: mpsc::Sender<io::Result<Child>>,
}

fn starter() -> &'static mpsc::Sender<Start> {
    static STARTER: OnceLock<mpsc::Sender<Start>> = OnceLock::new();
    STARTER.get_or_init(|| {
        let (sender, receiver) = mpsc::channel::<Start>();
        std::thread::Builder::new()
            .name("launcher".to_owned())
            .spawn(move || {
                for mut start in receiver {
                    // Whoever asked may have given up; then the child is dropped and dies with us.
                    let _ = start.answer.send(start.command.spawn());
                }
            })
            .expect("a process that cannot start one thread cannot do anything");
        sender
    })
}

/// Returns only when something went wrong, with the exit code for it.
fn become_program(mut arguments: impl Iterator<Item = OsString>) -> i32 {
    let parent = arguments.next().and_then(|text| text.to_str()?.parse::<i32>().ok());
    let (Some(parent), Some(program)) = (parent, arguments.next()) else { return NOT_STARTED };
    #[cfg(target_os = "linux")]
    if nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL).is_err() {
        return NOT_STARTED;
    }
    // The parent may have died before the line above; then no signal will ever come.
    if nix::unistd::getppid().as_raw() != parent {
        return PARENT_GONE;
    }
    // Its own group: Ctrl-C in a terminal reaches us, and we end the components in order.
    let zero = nix::unistd::Pid::from_raw(0);
    if nix::unistd::setpgid(zero, zero).is_err() {
        return NOT_STARTED;
    }
    let error = Command::new(&program).args(arguments).exec();
    use std::io::Write;
    let _ = writeln!(io::stderr(), "cannot run {}: {error}", program.display());
    NOT_STARTED
}
