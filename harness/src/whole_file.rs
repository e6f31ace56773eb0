//! Files that nobody ever sees half written, also after a power cut.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

/// Writes a file, or leaves what was at its place; nothing is left beside it.
///
/// # Errors
/// What the system said.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    write_by(path, |file| file.write_all(content))
}

/// The same, with what `fill` writes: for a file that is too large to be held.
///
/// # Errors
/// What `fill` or the system said.
pub(crate) fn write_by<E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let write = || {
        let mut file = File::create(&part)?;
        fill(&mut file)?;
        file.sync_all()?;
        fs::rename(&part, path)?;
        Ok(())
    };
    // The part may never have come to be; the error that counts is the first.
    write().inspect_err(|_: &E| drop(fs::remove_file(&part)))?;
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        // A file system that cannot sync a folder is no reason to doubt the file.
        let _ = folder.sync_all();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        write(&path, b"old").unwrap();
        fs::create_dir(folder.path().join(format!(".run.json.{}.part", std::process::id()))).unwrap();
        write(&path, b"new").unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}
