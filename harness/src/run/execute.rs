//! One case, once: a namespace of its own, the script, the recording, the judgement.

use super::{CaseReport, stage::Stage};
use crate::{
    case::Case,
    cluster::{Casualty, nodes},
    pod_driver::PodDriver,
    recorder::Recorder,
    scene::{Scene, Stop},
};
use jiff::Timestamp;
use jobsworth_oracle::{Ending, Predicate, Setting, Timeline, judge, narrate, vocabulary::pods::is_tracked, wire};
use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

mod namespace;

pub use namespace::NamespaceError;

/// How long a case may take altogether.
const CASE_LIMIT: Duration = Duration::from_secs(300);
/// How long a finished Job's pods may hold their finalizers before the recording ends anyway.
const SETTLE: Duration = Duration::from_secs(15);
/// How long the watches may take to deliver what a list shows.
const CATCH_UP: Duration = Duration::from_secs(20);
/// Entries shown before and after a breach.
const REACH: usize = 8;

/// Why a case has no verdict.
#[derive(Debug)]
pub struct Incomplete {
    /// In words.
    pub because: String,
    /// The timeline so far, relative to the run's folder.
    pub timeline: Option<PathBuf>,
}

/// Runs one case and judges it.
///
/// # Errors
/// When the case could not begin, or its recording could not be kept.
pub async fn run_case(
    stage: &Stage,
    case: &'static dyn Case,
    attempt: u32,
    stop: watch::Receiver<Option<String>>,
) -> Result<CaseReport, Incomplete> {
    let about = case.about();
    let (started, clock) = (Timestamp::now(), Instant::now());
    let name = about.id.replace('/', "-");
    let setting = Setting {
        case: about.id.to_owned(),
        namespace: namespace::name(&name, attempt, stage.seed),
        started,
        kubernetes: stage.cell.spec.version,
        emulated: stage.cell.spec.emulated,
        gates: stage.gates(),
        subject: stage.cell.subject.clone(),
        ownership: stage.cell.ownership.clone(),
    };
    let relative = Path::new("cells").join(&stage.cell.id).join(format!("{name}-{attempt}.timeline.ndjson"));
    let path = stage.folder.join(&relative);
    let early = |because: String| Incomplete { because, timeline: None };
    let client = stage.cluster.client();
    namespace::create(&client, &setting.namespace).await.map_err(|error| early(error.to_string()))?;

    let recorded = record(stage, case, &setting, &path, stop).await;
    namespace::sweep(&client, &setting.namespace).await;
    let ending = recorded.map_err(|because| Incomplete { because, timeline: Some(relative.clone()) })?;

    // What is judged is what is on disk: judging the stored run again cannot come out otherwise.
    let timeline = read(&path).map_err(|because| Incomplete { because, timeline: Some(relative.clone()) })?;
    let judgement = judge(&timeline, &case.expects());
    let excerpts = judgement.broken().filter_map(|sentence| sentence.breach());
    let excerpts = excerpts.map(|breach| narrate::around(&timeline, breach.revision, REACH)).collect();
    Ok(CaseReport {
        cell: stage.cell.id.clone(),
        case: about.id,
        attempt,
        namespace: setting.namespace,
        started,
        took: clock.elapsed(),
        ending,
        judgement,
        timeline: relative,
        excerpts,
    })
}

/// Reads a timeline file.
///
/// # Errors
/// Names the file and the line that cannot be read.
pub fn read(path: &Path) -> Result<Timeline, String> {
    let at = |error: &dyn std::fmt::Display| format!("failed to read {}: {error}", path.display());
    let file = File::open(path).map_err(|error| at(&error))?;
    wire::read(BufReader::new(file)).map_err(|error| at(&error))
}

async fn record(
    stage: &Stage,
    case: &dyn Case,
    setting: &Setting,
    path: &Path,
    mut stop: watch::Receiver<Option<String>>,
) -> Result<Ending, String> {
    let client = stage.cluster.client();
    let recorder = Recorder::start(client.clone(), setting, path).await.map_err(|error| super::in_full(&error))?;
    let driver = PodDriver::start(client.clone(), &setting.namespace, nodes::name(0), &recorder.book());
    let casualty = stage.cluster.casualty();
    let mut scene =
        Scene::new(client, &setting.namespace, recorder.book(), driver, stage.subject.clone(), casualty.clone());

    let ending = tokio::select! {
        ending = play(case, &mut scene, &recorder, setting) => ending,
        ended = lost(casualty) => Ending::Fault(format!("{} ended unasked with {}", ended.component, ended.status)),
        asked = asked_to_stop(&mut stop) => Ending::Fault(asked),
        () = tokio::time::sleep(CASE_LIMIT) => Ending::Fault(format!("the case took over {}s", CASE_LIMIT.as_secs())),
    };
    let driver = scene.into_driver();
    let ending = match (ending, driver.trouble()) {
        (Ending::Complete | Ending::Stalled { .. }, Some(trouble)) => Ending::Fault(trouble),
        (ending, _) => ending,
    };
    driver.stop().await;
    recorder.finish(&ending).await.map_err(|error| super::in_full(&error))?;
    let asked = stop.borrow().clone();
    asked.map_or(Ok(ending), Err)
}

/// The script, then time for the dust to settle, then everything that was written until then.
async fn play(case: &dyn Case, scene: &mut Scene, recorder: &Recorder, setting: &Setting) -> Ending {
    let ending = match case.script(scene).await {
        Ok(()) => Ending::Complete,
        Err(Stop::Stalled { waited_for, limit }) => Ending::Stalled { waited_for, limit },
        Err(Stop::Fault(fault)) => return Ending::Fault(super::in_full(&fault)),
    };
    // Whether it came to rest is for the invariants to say, not for this wait.
    let _ = scene.wait_up_to(SETTLE, at_rest(setting.clone())).await;
    match recorder.catch_up(CATCH_UP).await {
        Ok(()) => ending,
        Err(error) => Ending::Fault(super::in_full(&error)),
    }
}

/// No pod of a finished Job waits to be counted. Pods of Jobs that no subject of ours reconciles may wait for ever.
fn at_rest(setting: Setting) -> Predicate {
    Predicate::new("finished Jobs to have let go of their pods", move |world| {
        let finished = |uid: &str| {
            let own = world.jobs().filter(|job| setting.owns(job));
            own.filter(|job| job.metadata.uid.as_deref() == Some(uid)).any(|job| {
                let conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
                conditions.into_iter().any(|c| c.status == "True" && matches!(c.type_.as_str(), "Complete" | "Failed"))
            })
        };
        world
            .pods()
            .filter(|pod| is_tracked(pod))
            .all(|pod| !jobsworth_oracle::lineage::controller(&pod.metadata).is_some_and(finished))
    })
}

async fn lost(mut casualty: watch::Receiver<Option<Casualty>>) -> Casualty {
    crate::recorder::lost(&mut casualty).await
}

async fn asked_to_stop(stop: &mut watch::Receiver<Option<String>>) -> String {
    match stop.wait_for(Option::is_some).await.ok().and_then(|asked| (*asked).clone()) {
        Some(asked) => asked,
        None => std::future::pending().await,
    }
}
