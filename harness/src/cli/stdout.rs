//! Standard output: a reader that went away is success, everything else that fails is told.

use super::Failure;
use crate::report::console::{Colour, Paint};
use std::io::{self, Write};

/// Where commands write their results.
pub struct Stdout {
    writer: Box<dyn Write + Send>,
    /// Colour on stdout.
    pub paint: Paint,
}

impl Stdout {
    /// The process's stdout.
    #[must_use]
    pub fn open(colour: Colour) -> Self {
        let paint = Paint::choose(colour, super::surroundings::of_stdout());
        Self { writer: Box::new(io::stdout()), paint }
    }

    /// Writes text as it is.
    ///
    /// # Errors
    /// When it cannot be written, unless nobody reads any more.
    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        match self.writer.write_all(text.as_bytes()).and_then(|()| self.writer.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::undecided(format!("failed to write to stdout: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// Writes a line, or several.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.write(&format!("{text}\n"))
    }
}
