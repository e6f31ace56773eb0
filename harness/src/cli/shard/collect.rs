//! `shard collect`: what the slices left, joined into one run.

use crate::{
    bundle::{Limits, manifest, unpack::unpack},
    cli::{Failure, Global, Stdout, merge, run::folder_of, session::block_on},
    cluster::existing::ClusterConnection,
    merge::Slice,
    plan::{Partition, run_id::run_id},
    report::{Deviations, Exit, escape::terminal, store},
    shard::{
        missing,
        parts::{self, Part},
        results::{self, Results},
        slice,
    },
};
use clap::Args;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// Fetches what the slices of a run left in the cluster, and joins it as `merge` does.
///
/// A slice that left nothing, because its pod was killed, or has not ended, makes the joined run incomplete: exit code 3. The bundles of
/// the slices stay beside the joined run, in a folder of its name and `.slices`; `jobsworth verify` takes each.
#[derive(Args)]
pub(super) struct Arguments {
    /// Name of the Job, as `shard write --name` has it.
    #[arg(value_name = "NAME", default_value = "jobsworth")]
    name: String,
    /// The namespace of the Job.
    #[arg(long, value_name = "NAME", default_value = "jobsworth")]
    namespace: String,
    /// Wait for the end of the slices, for so many minutes at most.
    #[arg(long, value_name = "MINUTES", default_value_t = 0)]
    wait: u32,
    /// The kubeconfig of the cluster; KUBECONFIG and the one at home are not looked at.
    #[arg(long, value_name = "FILE", env = "JOBSWORTH_KUBECONFIG", help_heading = "Existing cluster")]
    kubeconfig: Option<PathBuf>,
    /// The context in it; the current one does not count.
    #[arg(long, value_name = "NAME", env = "JOBSWORTH_CONTEXT", help_heading = "Existing cluster")]
    context: Option<String>,
    /// Folder for the joined run; target/jobsworth/RUN below the current folder without it.
    #[arg(short, long, value_name = "DIR", env = "JOBSWORTH_OUT", help_heading = "Output")]
    out: Option<PathBuf>,
    /// What deviations that are known of the controller come to: told and counted, or a failed run.
    #[arg(long, value_enum, default_value_t, env = "JOBSWORTH_DEVIATIONS")]
    deviations: Deviations,
}

pub(super) fn execute(arguments: &Arguments, global: Global, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let results = block_on(fetched(arguments))??;
    let id = run_id(jiff::Timestamp::now(), rand::random());
    let beside = beside(&folder_of(arguments.out.as_deref(), &id));
    let Sorted { whole, missing } = sorted(&results)?;
    let slices = whole.into_iter().map(|(slice, bundle)| read(slice, &bundle, &beside));
    let slices = slices.collect::<Result<Vec<_>, _>>()?;
    if slices.is_empty() {
        let says = format!("failed to join the slices of {}: there is none\n{}", arguments.name, missing.join("\n"));
        return Err(Failure::undecided(says));
    }
    let out = arguments.out.as_deref();
    let joining = merge::Joining { slices, id: &id, out, deviations: arguments.deviations, missing };
    merge::joined(joining, global, stdout)
}

async fn fetched(arguments: &Arguments) -> Result<Results, Failure> {
    let Arguments { name, namespace, wait, kubeconfig, context, .. } = arguments;
    let connection = ClusterConnection::open(kubeconfig.as_deref(), context.as_deref()).await?;
    let client = connection.reading_client()?;
    if *wait > 0 {
        results::ended(&client, namespace, name, Duration::from_secs(60 * u64::from(*wait))).await?;
    }
    Ok(results::fetch(&client, namespace, name).await?)
}

/// Results as they were found.
struct Sorted {
    /// Bundles that are whole.
    whole: Vec<(Partition, Vec<u8>)>,
    /// Why others are not there, a sentence each.
    missing: Vec<String>,
}

/// Sorts what was found by its slice.
fn sorted(results: &Results) -> Result<Sorted, Failure> {
    let mut by_slice: BTreeMap<u32, Vec<Part>> = BTreeMap::new();
    let (mut whole, mut missing) = (Vec::new(), Vec::new());
    for object in &results.parts {
        match Part::of(object) {
            Ok(part) => by_slice.entry(part.slice().shard()).or_default().push(part),
            Err(says) => missing.push(says),
        }
    }
    for number in 1..=results.slices {
        let slice = slice(number, results.slices)?;
        match by_slice.remove(&number) {
            None => missing.push(missing::because(slice, &results.job, &results.pods)),
            Some(parts) if parts.iter().any(|part| part.slice() != slice) => {
                missing.push(format!("the result of {slice} is one of another run"));
            }
            Some(parts) => match parts::joined(parts) {
                Ok(bundle) => whole.push((slice, bundle)),
                Err(says) => missing.push(format!("the result of {slice} is damaged: {says}")),
            },
        }
    }
    Ok(Sorted { whole, missing })
}

/// The folder for what is not part of the joined run.
fn beside(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().map_or_else(|| OsString::from("joined"), OsString::from);
    name.push(".slices");
    folder.with_file_name(name)
}

/// Keeps a bundle, unpacks it, and reads the run in it.
fn read(slice: Partition, bundle: &[u8], beside: &Path) -> Result<Slice, Failure> {
    let failed = |what: &str, path: &Path, error: std::io::Error| {
        Failure::misuse(format!("failed to {what} {}: {error}", terminal(&path.display().to_string())))
    };
    let name = format!("slice-{}", slice.shard());
    let (archive, folder) = (beside.join(format!("{name}.tar.zst")), beside.join(&name));
    if folder.exists() {
        let says = format!("failed to use the folder {}: it already holds a slice", folder.display());
        return Err(Failure::misuse_with(says, "choose another with --out, or remove it"));
    }
    fs::create_dir_all(&folder).map_err(|error| failed("create", &folder, error))?;
    store::write_whole(&archive, bundle)?;
    unpack(&archive, &folder, Limits::DEFAULT)?;
    let runs = manifest::read(&folder)?.map(|manifest| manifest.runs).unwrap_or_default();
    let [run] = runs.as_slice() else {
        let says = format!("failed to read the result of {slice}: its bundle has {} runs", runs.len());
        return Err(Failure::undecided(says));
    };
    Ok(Slice::read(&folder.join(&run.folder))?)
}

#[cfg(test)]
mod tests;
