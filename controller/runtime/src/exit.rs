//! How a program ends that nobody told to: why, in words on stderr, and with a code that says who can mend it.

use std::error::Error;
use std::io::{Write as _, stderr};
use std::process::ExitCode;

use tokio::runtime::Runtime;

use crate::client::ConnectError;
use crate::server::ServeError;
use crate::supervise::PartExit;

/// Why the program ended although nobody told it to.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There are no threads to run on.
    #[error("start the runtime")]
    Runtime(#[source] std::io::Error),
    /// It cannot be told to stop.
    #[error("listen for signals")]
    Signals(#[source] std::io::Error),
    /// There is no client.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Nobody could ask it anything.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Another instance works now, or will soon.
    #[error("lost the lease")]
    LeaseLost,
    /// A part ended, and the rest with it.
    #[error(transparent)]
    Part(#[from] PartExit),
    /// What was to be done once could not be done. Who is told to may try again.
    #[error(transparent)]
    Task(Box<dyn Error + Send + Sync>),
}

impl Failure {
    /// What the process ends with: 70 (a fault of the program itself, `EX_SOFTWARE` of `sysexits.h`) when a part ended, 2 when a
    /// flag, a file or an address is wrong and nothing was started, otherwise 1.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Part(_) => 70,
            Self::Connect(_) | Self::Serve(_) => 2,
            Self::Runtime(_) | Self::Signals(_) | Self::LeaseLost | Self::Task(_) => 1,
        }
    }

    /// What went wrong and what led to it, on one line.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = self.to_string();
        let mut source = self.source();
        while let Some(cause) = source {
            words.push_str(": ");
            words.push_str(&cause.to_string());
            source = cause.source();
        }
        words
    }
}

/// Runs `program` to its end, and says how that was.
#[must_use]
pub fn code_of(program: impl Future<Output = Result<(), Failure>>) -> ExitCode {
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return tell(Err(Failure::Runtime(error))),
    };
    let ended = runtime.block_on(program);
    // What does not come to its end must not keep the process.
    runtime.shutdown_background();
    tell(ended)
}

/// Says what went wrong, cause by cause, and never where in the source: who reads it has flags and files to mend.
#[must_use]
pub fn tell(ended: Result<(), Failure>) -> ExitCode {
    let Err(failure) = ended else { return ExitCode::SUCCESS };
    // Without a stderr there is nobody left to tell.
    let _ = writeln!(stderr(), "error: {}", failure.words());
    ExitCode::from(failure.exit_code())
}
