//! `cluster agent`: the image of the program that stands in pods, for clusters that are there already.

use super::super::{Failure, Stdout};
use crate::{
    cluster::{AGENT_IMAGE, ClusterError, kind},
    report::Exit,
};
use clap::Args;
use std::{fs, path::PathBuf};

#[derive(Args)]
pub(super) struct Arguments {
    /// The archive to write, in the form of `docker save`.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn execute(arguments: &Arguments, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let archive = kind::agent_archive().map_err(ClusterError::from)?;
    let out = &arguments.out;
    fs::copy(&archive, out).map_err(|error| Failure::misuse(format!("failed to write {}: {error}", out.display())))?;
    let file = out.display();
    stdout.line(&format!(
        "{AGENT_IMAGE} is in {file}\n\
         into a kind cluster: kind load image-archive {file} --name NAME\n\
         onto a node:         ctr --namespace k8s.io images import {file}\n\
         to a registry:       podman load -i {file}, tag, push; then run with --agent-image REF"
    ))?;
    Ok(Exit::Held)
}
