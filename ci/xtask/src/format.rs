//! `cargo xtask format`: every Rust file, also those that `cargo fmt` does not see.
//!
//! `cargo fmt` follows `mod` as it is written. The files of suites and cases are declared by the macros `suites!` and `cases!`, so they
//! are handed over by name.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::component::require_component;
use crate::workspace::{read, root};

/// Where macros declare modules.
const BY_MACRO: &str = "suites/src/";

/// Formats everything, or, if `check`, fails when something is not formatted.
pub fn run(check: bool) -> Result<()> {
    require_component("fmt", "rustfmt")?;
    let tree = read(&root())?;
    let by_macro = tree.ending(".rs").map(|file| file.path.as_str()).filter(|path| path.starts_with(BY_MACRO));
    let check = check.then_some("--check");
    perform(["cargo", "fmt", "--all"].into_iter().chain(check))?;
    perform(["rustfmt", "--edition", "2024"].into_iter().chain(check).chain(by_macro))
}

fn perform<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<()> {
    let program = words.next().context("a command without a program")?;
    let status = Command::new(program)
        .args(words)
        .current_dir(root())
        .status()
        .with_context(|| format!("failed to start `{program}`"))?;
    if !status.success() {
        bail!("`{program}` ended with {status}; `cargo xtask format` formats every file");
    }
    Ok(())
}
