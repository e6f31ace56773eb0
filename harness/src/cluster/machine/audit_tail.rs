//! The end of an audit log that grows.

use memchr::memrchr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Reads what was added to an audit log since it was last asked.
#[derive(Debug)]
pub struct Tail {
    file: File,
    /// The beginning of a line whose end is not written yet.
    rest: Vec<u8>,
}

impl Tail {
    /// From the end of the log as it is now.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn at_end(log: &Path) -> io::Result<Self> {
        let mut file = File::open(log)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { file, rest: Vec::new() })
    }

    /// The lines that have been written to their end meanwhile, each with its line break. The first may be the end of one that was being
    /// written when the log was opened.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn whole_lines(&mut self) -> io::Result<Vec<u8>> {
        self.file.read_to_end(&mut self.rest)?;
        let whole = memrchr(b'\n', &self.rest).map_or(0, |at| at + 1);
        let rest = self.rest.split_off(whole);
        Ok(std::mem::replace(&mut self.rest, rest))
    }
}
