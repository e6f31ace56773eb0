//! Files that a user names, read whole if they are no larger than any plan may be.

use super::Failure;
use crate::plan;
use std::{fs, io::Read, path::Path};

/// Reads a plan or a manifest; one that is too large is refused unread. A pipe has no size beforehand, so
/// no more than one byte too many is read from it.
pub(super) fn read_at_most(path: &Path, what: &str) -> Result<String, Failure> {
    let failed =
        |error: std::io::Error| Failure::misuse(format!("failed to read the {what} {}: {error}", path.display()));
    let most = plan::file::LARGEST as u64;
    let file = fs::File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let mut text = String::new();
    if size <= most {
        file.take(most + 1).read_to_string(&mut text).map_err(failed)?;
    }
    let size = size.max(text.len() as u64);
    if size > most {
        let says = format!("failed to read the {what} {}: it has {size} bytes; the largest has {most}", path.display());
        return Err(Failure::misuse(says));
    }
    Ok(text)
}
