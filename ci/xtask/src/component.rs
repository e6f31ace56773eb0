//! Parts of a Rust installation that may be missing.

use anyhow::{Result, bail};

use crate::workspace::{output_of, root};

/// Fails with the way out if `cargo VERB` is not installed.
pub fn require_component(verb: &str, component: &str) -> Result<()> {
    if output_of(&root(), "cargo", &[verb, "--version"]).is_ok() {
        return Ok(());
    }
    bail!(
        "this Rust installation has no {component}; add it with `rustup component add {component}` \
         or with the package your Rust came from"
    )
}
