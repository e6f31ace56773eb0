//! What the controller asked and what it was told, one line of JSON per request.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Notes;
use crate::call::{Answer, Call};

/// Where requests are written down.
#[derive(Debug)]
pub struct Log {
    file: Notes<Option<File>>,
    begun: Instant,
}

/// A request that has no answer yet.
#[derive(Debug)]
pub struct Entry {
    at_ms: u128,
}

impl Log {
    /// To this file, or nowhere.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn to(path: Option<&Path>) -> io::Result<Self> {
        let file = path.map(|path| File::options().create(true).append(true).open(path)).transpose()?;
        let log = Self { file: Notes::default(), begun: Instant::now() };
        *log.file.open() = file;
        Ok(log)
    }

    /// A request leaves.
    pub(super) fn asked(&self, call: &Call) -> Entry {
        let entry = Entry { at_ms: self.begun.elapsed().as_millis() };
        self.write(call, || json!({"askedMs": entry.at_ms, "verb": call.method.as_str(), "path": call.path}));
        entry
    }

    /// Its answer is there.
    pub(super) fn told(&self, entry: Entry, call: &Call, answer: &Answer) {
        let version = |object: &Value| object.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
        let line = || {
            json!({
                "askedMs": entry.at_ms,
                "toldMs": self.begun.elapsed().as_millis(),
                "verb": call.method.as_str(),
                "path": call.path,
                "code": answer.code,
                "retryAfter": answer.retry_after,
                "sentVersion": version(&call.body),
                "answeredVersion": version(&answer.json()),
            })
        };
        self.write(call, line);
    }

    /// Reads are not written down: no rule is about them.
    fn write(&self, call: &Call, line: impl FnOnce() -> Value) {
        if call.method != http::Method::GET
            && let Some(file) = self.file.open().as_mut()
        {
            // Whoever reads the log notices what is missing.
            let _ = writeln!(file, "{}", line());
        }
    }
}
