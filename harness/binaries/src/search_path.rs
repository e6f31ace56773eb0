//! Programs that the machine has: what a shell would find.

use std::path::PathBuf;

/// Whether a program is on the path.
#[must_use]
pub fn is_on_path(program: &str) -> bool {
    find_on_path(program).is_some()
}

/// Where a program on the path is.
#[must_use]
pub fn find_on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}
