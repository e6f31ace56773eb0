//! How the program ends: in words on stderr, and with a code that says who can mend it.

use std::io::{Write as _, stderr};
use std::process::ExitCode;

use crate::client::ConnectError;
use crate::server::ServeError;

/// A flag, a file or an address is wrong, and nothing was started. The command line's own errors end with it, too.
const MISUSE: u8 = 2;

/// Says what went wrong, cause by cause, and never where in the source: who reads it has flags and files to mend.
#[must_use]
pub fn tell(ended: anyhow::Result<()>) -> ExitCode {
    let Err(error) = ended else { return ExitCode::SUCCESS };
    // Without a stderr there is nobody left to tell.
    let _ = writeln!(stderr(), "error: {error:#}");
    if error.is::<ConnectError>() || error.is::<ServeError>() { ExitCode::from(MISUSE) } else { ExitCode::FAILURE }
}
