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
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = File::create(&part)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path));
    // The part may never have come to be; the error that counts is the first.
    written.inspect_err(|_| drop(fs::remove_file(&part)))?;
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
