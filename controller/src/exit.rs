//! How the program ends: in words on stderr, and with a code that says who can mend it.

use std::io::{Write as _, stderr};
use std::process::ExitCode;

use crate::run::Failure;

/// Says what went wrong, cause by cause, and never where in the source: who reads it has flags and files to mend.
#[must_use]
pub fn tell(ended: Result<(), Failure>) -> ExitCode {
    let Err(failure) = ended else { return ExitCode::SUCCESS };
    // Without a stderr there is nobody left to tell.
    let _ = writeln!(stderr(), "error: {}", failure.words());
    ExitCode::from(failure.exit_code())
}
