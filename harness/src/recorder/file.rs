//! The timeline file while it grows.

use jobsworth_oracle::{Ending, Entry, Setting, wire};
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// A timeline file; every line reaches the operating system when it is written.
pub(super) struct TimelineFile(File);

impl TimelineFile {
    pub(super) fn create(path: &Path, setting: &Setting) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = Self(OpenOptions::new().write(true).create_new(true).open(path)?);
        file.line(wire::head(setting))?;
        Ok(file)
    }

    pub(super) fn append(&mut self, entry: &Entry) -> io::Result<()> {
        self.line(wire::entry(entry))
    }

    pub(super) fn end(&mut self, ending: &Ending, entries: usize) -> io::Result<()> {
        self.line(wire::end(ending, entries))?;
        self.0.sync_data()
    }

    fn line(&mut self, mut line: String) -> io::Result<()> {
        line.push('\n');
        self.0.write_all(line.as_bytes())
    }
}
