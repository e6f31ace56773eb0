//! Unpacking: an archive comes from anybody, so nothing in it is trusted.
//!
//! Only plain files, each at a path of its own below the folder, within [`Limits`], and to the archive's very end, so that one that
//! was cut off is told from a whole one.

use super::{BundleError, Limits, pack::LONGEST_PATH};
use crate::report::{escape::terminal, rejudge::is_inside};
use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, BufReader, Read},
    path::Path,
};
use tar::{Archive, EntryType};
use zstd::Decoder;

/// Memory that an archive may ask for, as a power of two: 128 MiB, what zstd itself allows.
const WINDOW: u32 = 27;
/// Most folders inside each other.
const DEPTH: usize = 16;
/// Bytes that an archive has beyond its files: heads, long names, and what fills up blocks.
const OVERHEAD: u64 = 4_096;

/// Unpacks an archive into a folder, which must be empty.
///
/// # Errors
/// When it is not an archive of ours, is damaged, or wants more than it may. What was unpacked until then stays in the folder.
pub fn unpack(archive: &Path, into: &Path, limits: Limits) -> Result<(), BundleError> {
    let file =
        File::open(archive).map_err(|source| BundleError::File { what: "open", path: archive.to_owned(), source })?;
    from(file, into, limits).map_err(|because| BundleError::Archive { path: archive.to_owned(), because })
}

/// The same for bytes that come from anywhere; the error says what is wrong with them.
pub(super) fn from(bytes: impl Read, into: &Path, limits: Limits) -> Result<(), String> {
    let mut decoder = Decoder::new(bytes).map_err(|error| damaged(&error))?;
    decoder.window_log_max(WINDOW).map_err(|error| damaged(&error))?;
    let most = limits.bytes.saturating_add(OVERHEAD.saturating_mul(limits.files as u64 + 2));
    let mut archive = Archive::new(BufReader::new(decoder).take(most));
    let mut seen = Seen { paths: BTreeSet::new(), bytes: 0, limits };
    let mut long_name = None;
    for entry in archive.entries().map_err(|error| damaged(&error))?.raw(true) {
        let mut entry = entry.map_err(|error| damaged(&error))?;
        let kind = entry.header().entry_type();
        if kind == EntryType::GNULongName && long_name.is_none() {
            long_name = Some(name_in(&mut entry)?);
            continue;
        }
        let written = long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned());
        let path = String::from_utf8(written).map_err(|_| "a path in it is not text".to_owned())?;
        if kind != EntryType::Regular {
            return Err(format!("`{}` is not a plain file; links and the like are not unpacked", terminal(&path)));
        }
        let size = entry.header().size().map_err(|error| damaged(&error))?;
        seen.admit(&path, size)?;
        write(&mut entry, &into.join(&path), size)
            .map_err(|error| format!("failed to unpack {}: {}", terminal(&path), damaged(&error)))?;
    }
    // What follows the archive's end is nothing of ours, but it shows whether the compressed stream is whole.
    let mut rest = archive.into_inner();
    io::copy(&mut rest, &mut io::sink()).map_err(|error| damaged(&error))?;
    match rest.limit() {
        0 => Err(format!("it unpacks to more than {most} bytes")),
        _ if seen.paths.is_empty() => Err("there is no file in it".to_owned()),
        _ => Ok(()),
    }
}

/// What was admitted until now.
struct Seen {
    /// In lower letters: there are file systems that know no others.
    paths: BTreeSet<String>,
    bytes: u64,
    limits: Limits,
}

impl Seen {
    fn admit(&mut self, path: &str, size: u64) -> Result<(), String> {
        let shown = terminal(path);
        let plain = is_inside(path) && !path.contains(['\\', ':']) && !path.contains(char::is_control);
        if !plain || path.len() > LONGEST_PATH || path.split('/').count() > DEPTH || path.contains("//") {
            return Err(format!("the path `{shown}` is none that a bundle has; it may lead out of the folder"));
        }
        if !self.paths.insert(path.to_lowercase()) {
            return Err(format!("`{shown}` is in it twice"));
        }
        if self.paths.len() > self.limits.files {
            return Err(format!("it has more than {} files", self.limits.files));
        }
        self.bytes = self.bytes.saturating_add(size);
        if size > self.limits.file || self.bytes > self.limits.bytes {
            return Err(format!(
                "with `{shown}` it is larger than a bundle may be, {} bytes a file and {} in all",
                self.limits.file, self.limits.bytes
            ));
        }
        Ok(())
    }
}

/// A name that did not fit into its own block.
fn name_in(entry: &mut impl Read) -> Result<Vec<u8>, String> {
    let mut name = Vec::new();
    entry.take(LONGEST_PATH as u64 + 2).read_to_end(&mut name).map_err(|error| damaged(&error))?;
    while name.last() == Some(&0) {
        name.pop();
    }
    Ok(name)
}

fn write(entry: &mut impl Read, to: &Path, size: u64) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    // A file that is there already, also as a link, is not written to.
    let mut file = OpenOptions::new().write(true).create_new(true).open(to)?;
    let written = io::copy(entry, &mut file)?;
    if written == size { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn damaged(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it ends too early: it was cut off".to_owned(),
        io::ErrorKind::StorageFull => format!("there is no room to unpack it: {error}"),
        _ => format!("it is damaged, or no bundle: {}", terminal(&error.to_string())),
    }
}
