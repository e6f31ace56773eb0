//! Nothing in the tree names the machine it was written on or the registry that machine uses.
//!
//! Where packages come from is a setting of each machine; a tree that names a host builds only behind that host.

use super::Finding;
use crate::workspace::Tree;

// In two halves, so that this file does not find itself.
const FOLDERS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];
const HOSTS: &[&str] = &[
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("proxy.", "golang.org"),
    concat!("sum.", "golang.org"),
    concat!("registry.", "npmjs.org"),
    concat!("GOPR", "OXY="),
    concat!("GOSUM", "DB="),
];

/// Findings for folders of build machines and hosts of registries. Lock files are what tools make them.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| !is_lock_file(&file.path)) {
        for (at, line) in file.text.lines().enumerate() {
            if let Some(folder) = FOLDERS.iter().find(|folder| names_a_folder(line, folder)) {
                findings.push(Finding::error(&file.path, at + 1, format!("`{folder}` is a folder of one machine")));
            }
            if let Some(host) = HOSTS.iter().find(|host| line.contains(*host)) {
                findings.push(Finding::error(&file.path, at + 1, format!("`{host}` is a setting of one machine")));
            }
        }
    }
    findings
}

fn is_lock_file(path: &str) -> bool {
    path.ends_with("go.sum") || path.ends_with("Cargo.lock")
}

/// Whether the folder stands at the root: not the middle of a longer path such as `docs/work/`.
fn names_a_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '}' | ')' | '/'))
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::sample::tree;
    use super::*;

    #[rstest]
    #[case::a_folder_at_the_root_is_found("a.md", "see WORK/main", 1)]
    #[case::a_longer_path_is_fine("a.md", "see docsWORK/main", 0)]
    #[case::a_host_is_found("ci/a.yaml", "index: https://HOST/", 1)]
    #[case::lock_files_are_exempt("go.sum", "HOST", 0)]
    fn machines(#[case] path: &str, #[case] line: &str, #[case] count: usize) {
        let text = line.replace("WORK/", FOLDERS[0]).replace("HOST", HOSTS[0]);
        assert_eq!(check(&tree(&[(path, &text)])).len(), count);
    }
}
