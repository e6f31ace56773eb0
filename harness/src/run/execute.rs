//! One case, once: a namespace of its own, the script, the recording, the judgement.

mod recording;

use super::{CaseReport, prepared_cell::PreparedCell};
use crate::{case::AnyCase, cluster::namespace};
use jiff::Timestamp;
use jobsworth_oracle::{
    Ending, Expectations, Judgement, Setting, Timeline, judge,
    judge::{self as judging, Sentence},
    narrate, wire,
};
use recording::{outside, record};
use std::{
    fs::File,
    io::BufReader,
    panic,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    sync::{SemaphorePermit, watch},
    time::Instant,
};

/// How long the clean-up of a namespace may take.
const SWEEP: Duration = Duration::from_secs(20);
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

/// The namespace in which a case plays; it repeats with the seed.
#[must_use]
pub fn namespace_of(case: &dyn AnyCase, attempt: u32, seed: u64) -> String {
    Take { attempt, number: 1 }.namespace(case, seed)
}

/// A place among the cases that run side by side.
pub(super) type Place<'p> = SemaphorePermit<'p>;

/// Which time it is that a case is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Take {
    /// Counts the repetitions that the user asked for, from 1.
    pub attempt: u32,
    /// Counts from 1; another one follows when the controller died and nobody knows yet at whose hands.
    pub number: u32,
}

impl Take {
    pub fn namespace(self, case: &dyn AnyCase, seed: u64) -> String {
        namespace::name(&self.named(&case.about().id.replace('/', "-")), self.attempt, seed)
    }

    fn timeline(self, case: &dyn AnyCase) -> String {
        file_name(&self.named(&case.about().id.replace('/', "-")), self.attempt)
    }

    fn named(self, name: &str) -> String {
        if self.number == 1 { name.to_owned() } else { format!("{name}-take-{}", self.number) }
    }
}

/// Where the timeline of a case's attempt is, relative to the run's folder.
#[must_use]
pub fn timeline_of(cell: &str, case: &str, attempt: u32) -> PathBuf {
    Path::new("cells").join(cell).join(file_name(&case.replace('/', "-"), attempt))
}

fn file_name(name: &str, attempt: u32) -> String {
    format!("{name}-{attempt}.timeline.ndjson")
}

/// Runs one case and judges it.
///
/// # Errors
/// When the case could not begin, or its recording could not be kept.
pub async fn run_case(
    stage: &PreparedCell,
    case: &dyn AnyCase,
    attempt: u32,
    stop: watch::Receiver<Option<String>>,
) -> Result<CaseReport, Incomplete> {
    run_take(stage, case, Take { attempt, number: 1 }, stop, None).await
}

/// Like [`run_case`], where a case is played more than once, and gives its place to the next one as soon as its script is over.
pub(super) async fn run_take(
    stage: &PreparedCell,
    case: &dyn AnyCase,
    take: Take,
    stop: watch::Receiver<Option<String>>,
    place: Option<Place<'_>>,
) -> Result<CaseReport, Incomplete> {
    let about = case.about();
    let (started, clock) = (Timestamp::now(), Instant::now());
    let setting = Setting {
        case: about.id.to_owned(),
        namespace: take.namespace(case, stage.seed),
        started,
        kubernetes: stage.cell.spec.version,
        emulated: stage.cell.spec.emulated,
        gates: stage.gates(),
        subject: stage.cell.subject.clone(),
        judged: stage.cell.spec.subject.api().resource(),
        ownership: stage.cell.ownership.clone(),
        shared: stage.cluster.namespace_policy().is_some(),
    };
    let relative = Path::new("cells").join(&stage.cell.id).join(take.timeline(case));
    let path = stage.folder.join(&relative);
    let early = |because: String| Incomplete { because, timeline: None };
    let asked = stop.clone();
    let outside = std::pin::pin!(outside(stage, stop));
    let recorded = record(stage, case, &setting, &path, place, outside).await;
    let is_shared = about.needs.restarts_subject && !about.needs.has_its_own_cluster();
    let complete = recorded.as_ref().is_ok_and(|recorded| recorded.ending == Ending::Complete);
    let restored = if is_shared && !complete && asked.borrow().is_none() { restored(stage).await } else { Ok(()) };
    let recorded =
        recorded.and_then(|recorded| restored.map(|()| recorded)).map_err(|because| match path.exists() {
            true => Incomplete { because, timeline: Some(relative.clone()) },
            false => early(because),
        })?;

    let (judgement, excerpts) = judged_from_disk(path, case.expects())
        .await
        .map_err(|because| Incomplete { because, timeline: Some(relative.clone()) })?;
    Ok(CaseReport {
        cell: stage.cell.id.clone(),
        case: about.id,
        attempt: take.attempt,
        namespace: setting.namespace,
        started,
        took: clock.elapsed(),
        waited: recorded.waited,
        ending: recorded.ending,
        refused: recorded.refused,
        judgement,
        timeline: relative,
        excerpts,
    })
}

/// Judges what is on disk: judging the stored run again cannot come out otherwise. On a thread of its own: a long history takes
/// seconds, in which the scripts of the cases beside this one would stand still.
async fn judged_from_disk(path: PathBuf, expectations: Expectations) -> Result<(Judgement, Vec<String>), String> {
    let work = move || read(&path).map(|timeline| judged(&timeline, &expectations));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|ended| panic::resume_unwind(ended.into_panic()))
}

/// What a recording comes to, and the text around each breach.
pub(crate) fn judged(timeline: &Timeline, expectations: &Expectations) -> (Judgement, Vec<String>) {
    let judgement = judge(timeline, expectations);
    let excerpts = judgement.broken().map(|sentence| excerpt(timeline, sentence)).collect();
    (judgement, excerpts)
}

/// What happened around a breach; and what a controller that died said last.
fn excerpt(timeline: &Timeline, sentence: &Sentence) -> String {
    let (revision, at) = sentence.breach().map_or((0, Duration::ZERO), |breach| (breach.revision, breach.at));
    let mut text = narrate::around(timeline, revision, at, REACH);
    if let (Ending::Death(death), judging::Source::Controller) = (&timeline.ending, &sentence.source) {
        text.push_str("what the controller wrote last:\n");
        text.extend(death.last_words.iter().flat_map(|line| ["  ", line, "\n"]));
    }
    text
}

/// A script that did not come to its end may have left the subject dead or asleep; the next case needs it.
async fn restored(stage: &PreparedCell) -> Result<(), String> {
    if stage.cluster.unexpected_exit().borrow().is_some() {
        return Ok(());
    }
    let failed = |error| {
        format!("the subject could not be brought back after this case: {}", crate::error_text::in_full(&error))
    };
    stage.subject.restart().await.map_err(failed)
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

/// Removes what a case has left while no controller was there that lets go of pods.
pub(super) async fn clear(client: &kube::Client, namespace: &str) {
    // Best effort: what cannot be removed shows in what the controller does next.
    let _ = tokio::time::timeout(SWEEP, namespace::clear(client, namespace)).await;
}
