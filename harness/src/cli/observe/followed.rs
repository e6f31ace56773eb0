//! `observe --job`: follows a Job that is there already, on a cluster that is not ours, and only reads.

use super::{
    Arguments, how,
    told::{self, History},
};
use crate::{
    case::Catalogue,
    cli::{Failure, Global, Stdout, diagnose::whole, session::block_on, signals},
    cluster::{UnexpectedExit, existing::ClusterConnection},
    recorder::{Recorder, WaitEnd},
    report::Exit,
    run::execute,
};
use jiff::Timestamp;
use jobsworth_api::KubeVersion;
use jobsworth_oracle::{
    Ending, Predicate,
    import::{Choice, narrowed},
};
use std::{path::Path, time::Duration};
use tokio::sync::watch;

/// How long the watches may take to deliver what a list shows.
const CATCH_UP: Duration = Duration::from_secs(20);

pub(super) fn execute(
    arguments: Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let Some(choice) = arguments.job else { return Err(Failure::misuse("nothing is named to be observed")) };
    let limit = Duration::from_secs(u64::from(arguments.seconds));
    let way = (arguments.kubeconfig.as_deref(), arguments.context.as_deref());
    let place = format!("Job {} of namespace {}", choice.job, choice.namespace);
    stdout.line(&format!("following {place} for up to {} s; nothing is written to the cluster", limit.as_secs()))?;
    let history = block_on(follow(way, &choice, limit))??;
    told::tell(history, &how(arguments.out, global, stdout), catalogue)
}

async fn follow(
    (kubeconfig, context): (Option<&Path>, Option<&str>),
    choice: &Choice,
    limit: Duration,
) -> Result<History, Failure> {
    let connection = ClusterConnection::open(kubeconfig, context).await?;
    let client = connection.reading_client()?;
    let failed = |error: &dyn std::error::Error| Failure::undecided(whole(error));
    let says = client.apiserver_version().await.map_err(|error| failed(&error))?.git_version;
    let kubernetes: KubeVersion = version(&says)?;
    let setting = told::setting(choice, Timestamp::now(), kubernetes);
    // The namespace is recorded, of which others' Jobs are nobody's business: only this one's history is kept.
    let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
    let path = folder.path().join("namespace.timeline.ndjson");
    let recorder = Recorder::start(client, &setting, &path).await.map_err(|error| failed(&error))?;
    let jobs: Vec<String> = recorder.book().world().jobs().filter_map(|job| job.metadata.name.clone()).collect();
    if !jobs.contains(&choice.job) {
        let says = format!("there is no Job {} in namespace {}", choice.job, choice.namespace);
        let help =
            if jobs.is_empty() { "there is none at all".to_owned() } else { format!("there are: {}", jobs.join(", ")) };
        return Err(Failure::misuse_with(says, help));
    }
    let mut signals = signals::listen().map_err(|error| failed(&error))?;
    // Nobody sees the cluster's processes from here.
    let (_nothing, mut unexpected_exit) = watch::channel::<Option<UnexpectedExit>>(None);
    let book = recorder.book();
    let ended = ended(choice.job.clone());
    tokio::select! {
        waited = book.wait(&ended, limit, &mut unexpected_exit) => match waited {
            // Time is over: what was recorded until here is judged.
            Ok(()) | Err(WaitEnd::Late) => {}
            Err(WaitEnd::Broken(why)) => return Err(Failure::undecided(why)),
            Err(WaitEnd::Lost(lost)) => return Err(Failure::undecided(lost.in_full())),
        },
        _ = signals.first() => {}
    }
    let ending = match recorder.catch_up(CATCH_UP).await {
        Ok(()) => Ending::Complete,
        Err(error) => Ending::Fault(whole(&error)),
    };
    recorder.finish(&ending).await.map_err(|error| failed(&error))?;
    let timeline = execute::read(&path).map_err(Failure::undecided)?;
    let (ending, entries) = (timeline.ending.clone(), narrowed(timeline.entries().to_vec(), choice));
    let from = format!("{} by the context {}", connection.server(), connection.context());
    let notes =
        vec!["what happened before is not known, and feature gates are taken for those of the version".to_owned()];
    Ok(History { setting, entries, ending, notes, provider: "existing", from })
}

fn version(says: &str) -> Result<KubeVersion, Failure> {
    let plain = says.trim_start_matches('v').split(['-', '+']).next().unwrap_or_default();
    plain.parse().map_err(|error| Failure::undecided(format!("failed to read the server's version `{says}`: {error}")))
}

/// It has come to its end, or is gone.
fn ended(job: String) -> Predicate {
    Predicate::new(format!("{job} to end"), move |world| match world.job(&job) {
        None => true,
        Some(job) => {
            let conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
            conditions.into_iter().any(|c| c.status == "True" && matches!(c.type_.as_str(), "Complete" | "Failed"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::version;
    use rstest::rstest;

    #[rstest]
    #[case::of_the_project("v1.37.1", Some("1.37.1"))]
    #[case::of_a_vendor("v1.35.4-gke.100", Some("1.35.4"))]
    #[case::with_a_build("v1.36.0+k3s1", Some("1.36.0"))]
    #[case::of_nothing("main", None)]
    fn versions(#[case] says: &str, #[case] expected: Option<&str>) {
        assert_eq!(version(says).ok().map(|version| version.to_string()).as_deref(), expected);
    }
}
