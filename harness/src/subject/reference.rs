//! Where the reference controller is: a program beside our own.

use std::path::{Path, PathBuf};

use super::checkout::PROGRAM;

/// Where the reference controller is.
pub(super) fn own_program() -> PathBuf {
    program_beside(&std::env::current_exe().unwrap_or_default())
}

/// Beside our own program; tests live in a folder `deps` below that.
fn program_beside(own: &Path) -> PathBuf {
    let folder = own.parent().unwrap_or(Path::new("."));
    let folder = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    folder.join(PROGRAM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_beside_ours_also_for_tests() {
        for own in ["/target/debug/jobsworth", "/target/debug/deps/e2e-1234"] {
            assert_eq!(program_beside(Path::new(own)), Path::new("/target/debug/jobsworth-controller"));
        }
    }
}
