//! `events.ndjson`: what happens, one line each, flushed at once.

use super::{ReportError, schema::events::EventLine};
use crate::run::{Event, Sink};
use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Writes events as lines of JSON.
pub struct EventLog<W: Write + Send> {
    path: PathBuf,
    state: Mutex<Log<W>>,
}

struct Log<W> {
    writer: W,
    /// The first trouble; nothing is written after it, so that the file has no hole.
    trouble: Option<io::Error>,
}

impl EventLog<File> {
    /// Begins the file.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        let file =
            File::create(path).map_err(|source| ReportError::File { what: "create", path: path.to_owned(), source })?;
        Ok(Self::to(file, path))
    }
}

impl<W: Write + Send> EventLog<W> {
    /// Writes to `writer`, which messages call `path`.
    pub fn to(writer: W, path: &Path) -> Self {
        Self { path: path.to_owned(), state: Mutex::new(Log { writer, trouble: None }) }
    }

    /// What went wrong, if anything did. A reader that went away is nothing wrong.
    ///
    /// # Errors
    /// Names the file and what the system said first.
    pub fn finish(self) -> Result<(), ReportError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.trouble {
            Some(source) if source.kind() != io::ErrorKind::BrokenPipe => {
                Err(ReportError::File { what: "write", path: self.path, source })
            }
            _ => Ok(()),
        }
    }
}

impl<W: Write + Send> Sink for EventLog<W> {
    fn take(&self, event: &Event) {
        let mut line = serde_json::to_vec(&EventLine::of(event)).expect("event lines have no failing parts");
        line.push(b'\n');
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.trouble.is_none() {
            let written = state.writer.write_all(&line).and_then(|()| state.writer.flush());
            state.trouble = written.err();
        }
    }
}
