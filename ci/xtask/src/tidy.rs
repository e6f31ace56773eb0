//! `cargo xtask tidy`: house rules that neither the compiler nor clippy can check.
//!
//! Each check is a pure function from the text of the tree to findings; this file reads the tree once and prints.

mod attributes;
mod cycles;
pub mod edges;
mod examples;
mod heads;
mod length;
pub mod links;
mod lints;
mod lockfiles;
mod machine;
mod markers;
mod names;
mod paths;
mod promises;
mod requirements;

pub use promises::TEST_COMMAND;

use anyhow::{Result, bail};

use crate::workspace::{Tree, read, root, say};

/// Something a check has to say about one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub path: String,
    /// Counted from 1; 0 where the whole file is meant.
    pub line: usize,
    pub weight: Weight,
    pub says: String,
}

/// Whether a finding fails the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    Error,
    Warning,
}

impl Finding {
    pub fn error(path: &str, line: usize, says: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, weight: Weight::Error, says: says.into() }
    }

    pub fn warning(path: &str, line: usize, says: impl Into<String>) -> Self {
        Self { weight: Weight::Warning, ..Self::error(path, line, says) }
    }

    fn text(&self) -> String {
        let place = if self.line == 0 { self.path.clone() } else { format!("{}:{}", self.path, self.line) };
        let weight = if self.weight == Weight::Error { "error" } else { "warning" };
        format!("{place}: {weight}: {}", self.says)
    }
}

/// Every check that needs only the tree.
const CHECKS: &[fn(&Tree) -> Vec<Finding>] = &[
    attributes::check,
    cycles::check,
    examples::check,
    heads::check,
    length::check,
    links::check,
    lints::check,
    lockfiles::check,
    machine::check,
    markers::check,
    names::check,
    paths::check,
    promises::check,
    requirements::check,
];

/// Runs every check over the checkout; warnings are printed, errors fail.
pub fn run() -> Result<()> {
    let root = root();
    let tree = read(&root)?;
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    findings.extend(edges::check(&tree, &edges::read_packages(&root, edges::Depth::Everything)?));
    findings.sort();
    for finding in &findings {
        say(&finding.text());
    }
    let errors = findings.iter().filter(|finding| finding.weight == Weight::Error).count();
    if errors > 0 {
        bail!("tidy found {errors} error(s)");
    }
    say(&format!("tidy: {} files, no errors, {} warning(s)", tree.files.len(), findings.len()));
    Ok(())
}

#[cfg(test)]
mod sample {
    //! Trees and findings in short form, for the tests of the checks.

    use super::Finding;
    use crate::workspace::{SourceFile, Tree};

    /// A tree of these paths and texts, all tracked.
    pub fn tree(files: &[(&str, &str)]) -> Tree {
        let files: Vec<SourceFile> =
            files.iter().map(|(path, text)| SourceFile { path: (*path).into(), text: (*text).into() }).collect();
        let tracked = Some(files.iter().map(|file| file.path.clone()).collect());
        Tree { files, tracked }
    }

    /// `path:line` of each finding.
    pub fn places(findings: &[Finding]) -> Vec<String> {
        findings.iter().map(|finding| format!("{}:{}", finding.path, finding.line)).collect()
    }
}
