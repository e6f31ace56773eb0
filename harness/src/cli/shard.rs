//! `shard`: a run in slices, each in a pod of a cluster that is there already.

mod collect;
mod image;
mod slice;
mod write;

use super::{Failure, Global, Stdout, diagnose::whole};
use crate::{case::Catalogue, report::Exit, shard::ShardError};
use clap::{Args, Subcommand};

/// Spreads a run or a load over pods: an Indexed Job does a slice in each, and what they leave becomes one.
#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make the image of this program, for a registry or for the nodes of a kind cluster.
    Image(image::Arguments),
    /// Write the manifests: an Indexed Job with a pod for each slice, and what its pods may do.
    Write(Box<write::Arguments>),
    /// Run the slice of this pod, and leave its result in the cluster.
    #[command(hide = true)]
    Slice(slice::Arguments),
    /// Fetch what the slices left, and join it into one run, or one record of a load, with one exit code.
    Collect(collect::Arguments),
}

pub(super) fn execute(
    arguments: Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    match arguments.action {
        Action::Image(arguments) => image::execute(&arguments, global, stdout),
        Action::Write(arguments) => write::execute(*arguments, catalogue, stdout),
        Action::Slice(arguments) => slice::execute(&arguments, catalogue, stdout),
        Action::Collect(arguments) => collect::execute(&arguments, global, catalogue, stdout),
    }
}

impl From<ShardError> for Failure {
    fn from(error: ShardError) -> Self {
        match error {
            ShardError::NoPod(_) | ShardError::NoSlice(_) | ShardError::NoJob { .. } | ShardError::ForeignJob(_) => {
                Self::misuse(whole(&error))
            }
            ShardError::File { .. }
            | ShardError::Request { .. }
            | ShardError::OtherJob(_)
            | ShardError::TooLarge { .. } => Self::undecided(whole(&error)),
        }
    }
}
