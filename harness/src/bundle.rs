//! What is handed on in one file: runs with a manifest, packed so that somebody else can check and judge them again.
//!
//! A bundle is a tar archive in zstd. Its first file is the [`manifest`]; every other one stands in it with its size and
//! SHA-256. [`pack`](pack::pack) looks for [`secrets`] first, [`unpack`](unpack::unpack) trusts nothing that it reads, and
//! [`verify`] says whether what was stored still holds. The same folders make the same bytes.

pub mod manifest;
pub mod pack;
pub mod secrets;
pub mod unpack;
pub mod verify;

use crate::report::{ReportError, escape::terminal};
use sha2::{Digest as _, Sha256};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// How much a bundle may hold; more is neither packed nor unpacked.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most files.
    pub files: usize,
    /// Most bytes of one file.
    pub file: u64,
    /// Most bytes of all files.
    pub bytes: u64,
}

impl Limits {
    /// Some 30,000 turns with their logs fit in.
    pub const DEFAULT: Self = Self { files: 100_000, file: 1 << 30, bytes: 8 << 30 };
}

/// Is told what is being worked on, and says whether to go on.
pub type Heard<'a> = &'a dyn Fn(&str) -> Result<(), Stopped>;

/// Somebody asked for an end, by this signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped by {0}")]
pub struct Stopped(pub &'static str);

/// Why there is no bundle, or why nothing can be said of one.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A report of a run could not be read or written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A file could not be used.
    #[error("failed to {what} {}: {source}", .path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The archive could not be written.
    #[error("failed to write the bundle: {0}")]
    Write(#[from] io::Error),
    /// It was stopped; nothing is left of it.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Runs cannot stand in one bundle.
    #[error("failed to bundle the runs: {0}")]
    Runs(String),
    /// A file without which a bundle proves nothing cannot be in one.
    #[error("failed to bundle {}: {because}", terminal(.path))]
    Refused {
        /// Below the run's folder.
        path: String,
        /// Why not.
        because: String,
    },
    /// A file changed while it was packed.
    #[error("failed to bundle {}: it changed while it was read; wait for the run to end", terminal(.0))]
    Changed(String),
    /// An archive is not what `bundle` writes: damaged, or made to do harm.
    #[error("failed to unpack the bundle {}: {because}", .path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it, fit for a terminal.
        because: String,
    },
}

/// SHA-256 of a file, in hexadecimal digits, and its size.
///
/// # Errors
/// Names the file.
pub fn sha256_of_file(path: &Path) -> Result<(String, u64), BundleError> {
    let failed = |source| BundleError::File { what: "read", path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    let (mut digest, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer).map_err(failed)?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { break };
        digest.update(part);
        bytes += read as u64;
    }
    Ok((hex(&digest.finalize()), bytes))
}

/// SHA-256 of bytes, in hexadecimal digits.
#[must_use]
pub fn sha256(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
