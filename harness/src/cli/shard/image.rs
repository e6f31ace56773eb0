//! `shard image`: this program as an image.

use crate::{
    cli::{Failure, Global, Stdout, session::block_on},
    cluster::{Step, kind},
    container_runtime::Runtime,
    report::{Exit, console::Volume, escape::terminal},
    shard::image,
};
use clap::Args;
use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

#[derive(Args)]
pub(super) struct Arguments {
    /// What the image is called.
    #[arg(long, value_name = "REF", default_value = image::NAME)]
    image: String,
    /// The archive to write, in the form of `docker save`.
    #[arg(short, long, value_name = "FILE", required_unless_present = "kind")]
    out: Option<PathBuf>,
    /// The kind cluster whose nodes get it, by the name that `kind get clusters` has for it.
    #[arg(long, value_name = "NAME")]
    kind: Option<String>,
}

pub(super) fn execute(arguments: &Arguments, global: Global, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::undecided(format!("failed to create a temporary folder: {error}")))?;
    let archive = arguments.out.clone().unwrap_or_else(|| folder.path().join("image.tar"));
    image::write(&archive, &arguments.image)?;
    if let Some(cluster) = &arguments.kind {
        load(&archive, cluster, global.volume())?;
    }
    stdout.line(&told(arguments))?;
    Ok(Exit::Held)
}

fn load(archive: &Path, cluster: &str, volume: Volume) -> Result<(), Failure> {
    let runtime = Runtime::find()?;
    let tell = move |step: Step| {
        if volume != Volume::Quiet {
            // Progress is a courtesy; the result is what counts.
            let _ = writeln!(std::io::stderr(), "{}", terminal(&step.to_string()));
        }
    };
    Ok(block_on(kind::load_into(cluster, runtime.engine(), archive, &tell))??)
}

fn told(Arguments { image, out, kind }: &Arguments) -> String {
    let image = terminal(image);
    let mut lines = Vec::new();
    if let Some(cluster) = kind {
        lines.push(format!("{image} is in the nodes of the kind cluster {}", terminal(cluster)));
    }
    if let Some(out) = out {
        let file = terminal(&out.display().to_string());
        lines.push(format!("{image} is in {file}"));
        lines.push(format!("onto a node:         ctr --namespace k8s.io images import {file}"));
        lines.push(format!("to a registry:       podman load -i {file}, tag, push; then write with --image REF"));
    }
    lines.join("\n")
}
