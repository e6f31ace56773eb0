//! `shard slice`: what a pod does. It runs its slice and stores what the run or load left, however that ended.

use crate::{
    bundle::{Limits, pack::pack},
    case::Catalogue,
    cli::{Command, Failure, Program, Stdout, diagnose::whole, load, run, session::block_on},
    cluster::existing::ClusterConnection,
    plan::Partition,
    report::Exit,
    shard::{
        inside::{FOLDER, Place},
        parts, results,
    },
};
use clap::{Args, Parser as _};
use std::{
    fs,
    path::{Path, PathBuf},
};

#[derive(Args)]
pub(super) struct Arguments {
    /// How many slices there are.
    #[arg(long, value_name = "N")]
    of: u32,
    /// Name of the Job.
    #[arg(long, value_name = "NAME")]
    name: String,
    /// The namespace of the Job.
    #[arg(long, value_name = "NAME")]
    namespace: String,
    /// What the user calls the cluster.
    #[arg(long, value_name = "NAME")]
    context: String,
    /// That the cluster with this uid is meant.
    #[arg(long, value_name = "UID")]
    yes_cluster: String,
    /// The slice is of a load, and not of a run.
    #[arg(long)]
    load: bool,
    /// What `run` or `load` is told besides.
    #[arg(last = true, value_name = "WORD")]
    words: Vec<String>,
}

/// Ends well if the result is stored, whatever the verdicts are: a Job of slices fails where one is missing.
pub(super) fn execute(arguments: &Arguments, catalogue: &Catalogue, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let place = Place::read(|name| std::env::var(name).ok())?;
    let slice = place.slice(arguments.of)?;
    let own = Own::in_folder(Path::new(FOLDER));
    let failed =
        |error: std::io::Error| Failure::undecided(format!("failed to write {}: {error}", own.kubeconfig.display()));
    fs::write(&own.kubeconfig, place.kubeconfig(&arguments.context)).map_err(failed)?;
    let ended = run(arguments, slice, &own, catalogue, stdout);
    // A run that could not go on has left something, too, unless it had not begun.
    let stored = stored(arguments, slice, &place, &own);
    let (ended, number) = (ended?, stored?);
    let what = if arguments.load { "load" } else { "run" };
    stdout
        .line(&format!("{slice}: the {what} ended with exit code {}; stored in {number} ConfigMaps", ended.code()))?;
    Ok(Exit::Held)
}

/// Stores what the slice left, a run as a bundle and a load as its record; in how many parts.
fn stored(arguments: &Arguments, slice: Partition, place: &Place, own: &Own) -> Result<usize, Failure> {
    let left = if arguments.load { &own.record } else { &own.bundle };
    if !arguments.load {
        pack(std::slice::from_ref(&own.run), left, Limits::DEFAULT, &|_| Ok(()))?;
    }
    let failed = |error: std::io::Error| Failure::undecided(format!("failed to read {}: {error}", left.display()));
    parts::fits(slice, fs::metadata(left).map_err(failed)?.len())?;
    let parts = parts::split(slice, &fs::read(left).map_err(failed)?);
    let number = parts.len();
    block_on(async {
        let connection = ClusterConnection::open(Some(&own.kubeconfig), Some(&arguments.context)).await?;
        let client = connection.client()?;
        Ok::<_, Failure>(results::store(&client, &arguments.namespace, &arguments.name, place.job(), parts).await?)
    })??;
    Ok(number)
}

/// Where a pod has what.
struct Own {
    kubeconfig: PathBuf,
    run: PathBuf,
    bundle: PathBuf,
    record: PathBuf,
}

impl Own {
    fn in_folder(folder: &Path) -> Self {
        Self {
            kubeconfig: folder.join("kubeconfig"),
            run: folder.join("run"),
            bundle: folder.join("run.tar.zst"),
            record: folder.join("load.json"),
        }
    }
}

/// Does what `jobsworth run` or `jobsworth load` would do with these words.
fn run(
    arguments: &Arguments,
    slice: Partition,
    own: &Own,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let words = words(arguments, slice, own);
    let program = Program::try_parse_from(&words).map_err(|error| Failure::misuse(whole(&error)))?;
    match program.command {
        Command::Run(arguments) => run::execute(arguments, program.global, catalogue, stdout),
        Command::Load(arguments) => load::execute(arguments, program.global, catalogue, stdout),
        _ => Err(Failure::misuse("failed to run the slice: its words are those of another command")),
    }
}

fn words(arguments: &Arguments, slice: Partition, own: &Own) -> Vec<String> {
    let place = |path: &Path| path.display().to_string();
    let Arguments { context, yes_cluster, words, .. } = arguments;
    let (command, out) = if arguments.load { ("load", place(&own.record)) } else { ("run", place(&own.run)) };
    let (kubeconfig, slice) = (place(&own.kubeconfig), slice.to_string());
    let cluster = ["jobsworth", command, "--provider", "existing", "--kubeconfig", &kubeconfig, "--context", context];
    let slice = ["--yes-cluster", yes_cluster, "--partition", &slice, "--out", &out];
    let own = cluster.into_iter().chain(slice).map(str::to_owned);
    own.chain(words.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(load: bool, words: &[&str]) -> Arguments {
        Arguments {
            of: 3,
            name: "nightly".to_owned(),
            namespace: "jobsworth".to_owned(),
            context: "kind-ex".to_owned(),
            yes_cluster: "1234abcd".to_owned(),
            load,
            words: words.iter().map(|word| (*word).to_owned()).collect(),
        }
    }

    #[test]
    fn a_pod_does_its_slice_of_a_load_there() {
        let arguments = arguments(true, &["--scale=50", "--sharing=nightly", "smoke"]);
        let own = Own::in_folder(Path::new("/there"));
        let words = words(&arguments, "slice:3/3".parse().unwrap(), &own);
        let told = "jobsworth load --provider existing --kubeconfig /there/kubeconfig --context kind-ex --yes-cluster 1234abcd \
                    --partition slice:3/3 --out /there/load.json --scale=50 --sharing=nightly smoke";
        assert_eq!(words.join(" "), told);
        assert!(matches!(Program::try_parse_from(&words).map(|program| program.command), Ok(Command::Load(_))));
    }

    #[test]
    fn a_pod_runs_its_slice_on_the_cluster_that_the_user_named() {
        let arguments = arguments(false, &["--seed=7", "--sharing=nightly", "ttl"]);
        let own = Own::in_folder(Path::new("/there"));
        let words = words(&arguments, "slice:2/3".parse().unwrap(), &own);
        let told = "jobsworth run --provider existing --kubeconfig /there/kubeconfig --context kind-ex --yes-cluster 1234abcd \
                    --partition slice:2/3 --out /there/run --seed=7 --sharing=nightly ttl";
        assert_eq!(words.join(" "), told);
        assert!(matches!(Program::try_parse_from(&words).map(|program| program.command), Ok(Command::Run(_))));
    }
}
