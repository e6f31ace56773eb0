//! Where jobsworth's own controllers are: programs beside our own.

use std::path::{Path, PathBuf};

/// Where the program of this name is.
pub(super) fn path_of(name: &str) -> PathBuf {
    beside(&std::env::current_exe().unwrap_or_default()).join(name)
}

/// The folder of our own program; tests live in a folder `deps` below that.
fn beside(own: &Path) -> &Path {
    let folder = own.parent().unwrap_or(Path::new("."));
    if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_beside_ours_also_for_tests() {
        for own in ["/target/debug/jobsworth", "/target/debug/deps/e2e-1234"] {
            assert_eq!(beside(Path::new(own)), Path::new("/target/debug"));
        }
    }
}
