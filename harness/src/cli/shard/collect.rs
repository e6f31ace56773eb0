//! `shard collect`: what the slices left, joined into one run or one record of a load.

mod loads;

use crate::{
    bundle::{Limits, manifest, unpack::unpack},
    case::Catalogue,
    cli::{Failure, Global, Stdout, diagnose::whole, merge, run::folder_of, session::block_on},
    cluster::existing::ClusterConnection,
    merge::{Slice, join},
    plan::{Partition, run_id::run_id},
    report::{Deviations, Exit, escape::terminal, store},
    shard::{
        SLICES_MAX, missing,
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

/// Fetches what the slices of a run or load left in the cluster, and joins it as `merge` does.
///
/// A slice that left nothing, because its pod was killed, or has not ended, makes what is joined incomplete: exit code 3. What the slices
/// left stays beside it, in a folder of its name and `.slices`: bundles, of which `jobsworth verify` takes each, or records.
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
    /// Folder for the joined run, or file for the joined record of a load; without it in target/jobsworth/RUN below the current folder.
    #[arg(short, long, value_name = "DIR", env = "JOBSWORTH_OUT", help_heading = "Output")]
    out: Option<PathBuf>,
    /// What deviations that are known of the controller come to: told and counted, or a failed run.
    #[arg(long, value_enum, default_value_t, env = "JOBSWORTH_DEVIATIONS")]
    deviations: Deviations,
}

pub(super) fn execute(
    arguments: &Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let id = run_id(jiff::Timestamp::now(), rand::random());
    let folder = folder_of(arguments.out.as_deref(), &id);
    let beside = beside(&folder);
    // Before an hour is waited for what has no place.
    are_free(&folder, &beside)?;
    let (results, trouble) = block_on(fetched(arguments))??;
    if let Some(says) = trouble {
        let says = terminal(&says);
        stdout.line(&format!("warning   the API server was away while the slices were waited for; at last: {says}"))?;
    }
    let Sorted { whole, mut missing } = sorted(&results)?;
    if whole.iter().any(|(_, left)| loads::is_record(left)) {
        let out = arguments.out.as_deref();
        let left = loads::Left { whole, missing, beside: &beside, name: &arguments.name, id: &id, out };
        return loads::joined(left, catalogue, stdout);
    }
    let mut slices = Vec::new();
    for (slice, bundle) in whole {
        let place = kept(slice, &bundle, &beside)?;
        match read(&place) {
            Ok(read) => slices.push(read),
            Err(says) => missing.push(format!("the result of {slice} cannot be read: {}", terminal(&says))),
        }
    }
    let slices = of_one_run(slices, &mut missing);
    if slices.is_empty() {
        return Err(none_of(&arguments.name, &missing));
    }
    let out = arguments.out.as_deref();
    let joining = merge::Joining { slices, id: &id, out, deviations: arguments.deviations, missing };
    merge::joined(joining, global, stdout)
}

/// There is nothing to join.
fn none_of(name: &str, missing: &[String]) -> Failure {
    Failure::undecided(format!("failed to join the slices of {name}: there is none\n{}", missing.join("\n")))
}

/// What is there, and the last that went wrong during the wait.
async fn fetched(arguments: &Arguments) -> Result<(Results, Option<String>), Failure> {
    let Arguments { name, namespace, wait, kubeconfig, context, .. } = arguments;
    let connection = ClusterConnection::open(kubeconfig.as_deref(), context.as_deref()).await?;
    let client = connection.reading_client()?;
    let limit = Duration::from_secs(60 * u64::from(*wait));
    let trouble = if limit.is_zero() { None } else { results::ended(&client, namespace, name, limit).await? };
    Ok((results::fetch(&client, namespace, name).await?, trouble))
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

/// The folder for a slice of this number.
fn place_of(shard: u32, beside: &Path) -> PathBuf {
    beside.join(format!("slice-{shard}"))
}

/// Whether nothing is where the joined run and its slices are to be.
fn are_free(folder: &Path, beside: &Path) -> Result<(), Failure> {
    let refused = |folder: &Path, holds: &str| {
        let says = format!("failed to use the folder {}: it already holds a {holds}", folder.display());
        Err(Failure::misuse_with(says, "choose another with --out, or remove it"))
    };
    if folder.join("run.json").exists() {
        return refused(folder, "run");
    }
    let places = (1..=SLICES_MAX).map(|shard| place_of(shard, beside));
    match places.flat_map(|place| [record_of(&place), place]).find(|place| place.exists()) {
        Some(place) => refused(&place, "slice"),
        None => Ok(()),
    }
}

/// Keeps a bundle beside the joined run; the folder into which it is to be unpacked.
fn kept(slice: Partition, bundle: &[u8], beside: &Path) -> Result<PathBuf, Failure> {
    let folder = place_of(slice.shard(), beside);
    made(&folder)?;
    store::write_whole(&archive_of(&folder), bundle)?;
    Ok(folder)
}

fn made(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| {
        let folder = terminal(&folder.display().to_string());
        Failure::misuse(format!("failed to create {folder}: {error}"))
    })
}

/// Where the record of a slice is, if it is of a load, beside the folder that it would have if it were of a run.
fn record_of(place: &Path) -> PathBuf {
    place.with_extension("json")
}

fn archive_of(folder: &Path) -> PathBuf {
    folder.with_extension("tar.zst")
}

/// Unpacks the bundle that is kept beside this folder, and reads the run in it.
///
/// # Errors
/// Why not: one slice that cannot be read is no reason to do without the others.
fn read(folder: &Path) -> Result<Slice, String> {
    unpack(&archive_of(folder), folder, Limits::DEFAULT).map_err(|error| whole(&error))?;
    let manifest = manifest::read(folder).map_err(|error| whole(&error))?;
    let runs = manifest.map(|manifest| manifest.runs).unwrap_or_default();
    let [run] = runs.as_slice() else { return Err(format!("its bundle has {} runs", runs.len())) };
    Slice::read(&folder.join(&run.folder)).map_err(|error| whole(&error))
}

/// Those that are slices of one run with those before them; what is not goes to `missing`.
fn of_one_run(slices: Vec<Slice>, missing: &mut Vec<String>) -> Vec<Slice> {
    let mut kept = Vec::new();
    for slice in slices {
        kept.push(slice);
        if let Err(error) = join(kept.clone(), "", Vec::new()) {
            kept.pop();
            missing.push(error.to_string());
        }
    }
    kept
}

#[cfg(test)]
mod tests;
