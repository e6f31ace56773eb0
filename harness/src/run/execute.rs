//! One case, once: a namespace of its own, the script, the recording, the judgement.

use super::{
    CaseReport,
    audit_trail::AuditTrail,
    prepared_cell::{ChangeOutcome, PreparedCell},
    rest::{CATCH_UP, aftermath, all_told, rest},
};
use crate::{
    case::{AnyCase, FaultNeeds},
    cluster::{ClusterError, UnexpectedExit, namespace, nodes},
    pod_driver::PodDriver,
    recorder::Recorder,
    scene::{ChangeRequest, Control, Scene, Stop},
    wire::Wire,
};
use jiff::Timestamp;
use jobsworth_oracle::{
    Death, Ending, Expectations, Judgement, Setting, Timeline, judge,
    judge::{self as judging, Sentence},
    narrate, wire,
};
use std::{
    fs::File,
    io::BufReader,
    panic,
    path::{Path, PathBuf},
    pin::Pin,
    time::Duration,
};
use tokio::{
    sync::{SemaphorePermit, mpsc, watch},
    time::Instant,
};

/// How long a case may take altogether.
const CASE_LIMIT: Duration = Duration::from_secs(300);
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

/// How a recording ended.
struct Recorded {
    ending: Ending,
    /// What the server said to an object that was to be observed, if it did not take it.
    refused: Option<String>,
    /// The longest wait of the script that came to something.
    waited: Duration,
}

impl From<Ending> for Recorded {
    fn from(ending: Ending) -> Self {
        Self { ending, refused: None, waited: Duration::ZERO }
    }
}

/// Records a case from its namespace's creation to its end.
///
/// # Errors
/// When it ends from outside, cannot begin, or its timeline cannot be written.
async fn record(
    stage: &PreparedCell,
    case: &dyn AnyCase,
    setting: &Setting,
    path: &Path,
    place: Option<Place<'_>>,
    mut outside: Pin<&mut impl Future<Output = Ending>>,
) -> Result<Recorded, String> {
    let client = stage.cluster.client();
    let begin = async {
        let policy = stage.cluster.namespace_policy();
        let uid = namespace::create(&client, &setting.namespace, policy)
            .await
            .map_err(|error| crate::error_text::in_full(&error))?;
        let recorder =
            Recorder::start(client.clone(), setting, path).await.map_err(|error| crate::error_text::in_full(&error))?;
        Ok::<_, String>((recorder, uid))
    };
    let (mut recorder, uid) = tokio::select! {
        begun = begin => begun?,
        ended = &mut outside => {
            // A recording that had not begun tells nothing; without it the case can be begun again.
            let _ = std::fs::remove_file(path);
            return Err(because_of(ended));
        }
    };
    let wire = stage.subject.wire();
    if let Some(wire) = &wire {
        recorder.hear(wire.listen(&setting.namespace));
    }
    let trail = || AuditTrail::begin(&stage.cluster.site().audit_log(), &stage.cell.spec.subject, &setting.namespace);
    let trail = wire.is_none().then(trail).flatten();
    let pods = stage.cluster.pods();
    let (image, api) = (stage.cluster.agent_image(), stage.cell.spec.subject.api());
    let driver =
        PodDriver::start(pods, client.clone(), &setting.namespace, nodes::name(0), &recorder.book(), image, api);
    let (subject, unexpected_exit) = (stage.subject.clone(), stage.cluster.unexpected_exit());
    let scene = Scene::new(client.clone(), &setting.namespace, recorder.book(), driver, subject, unexpected_exit)
        .about(setting.judged.clone())
        .submitting_to(setting.ownership.manager().map(str::to_owned))
        .waiting_by(stage.waits.clone());
    let (orders, queue) = mpsc::unbounded_channel();
    let may_change = case.about().needs.changes_cluster();
    let mut scene = scene.in_control(may_change.then(|| Control::of(stage.cluster.spec(), orders)));

    let (Recorded { ending, refused, .. }, cut) = tokio::select! {
        played = play(case, &mut scene, &recorder, setting, place) => (played, None),
        because = change_as_ordered(stage, queue) => (Ending::Fault(because.clone()).into(), Some(because)),
        ended = &mut outside => (ended.clone().into(), Some(because_of(ended))),
    };
    let ending = match left_as_it_was(&mut scene, wire.as_deref(), case.about().needs.faults).await {
        Ok(()) => ending,
        Err(error) => Ending::Fault(crate::error_text::in_full(&error)),
    };
    let waited = scene.waited();
    let driver = scene.into_driver();
    let ending = match (ending, driver.trouble()) {
        (Ending::Complete | Ending::Stalled { .. } | Ending::CutShort { .. }, Some(trouble)) => Ending::Fault(trouble),
        (ending, _) => ending,
    };
    driver.stop().await;
    if let Some(trail) = trail {
        trail.tell(&recorder).await;
    }
    let died = stage.cluster.unexpected_exit().borrow().clone();
    // Whatever else came of it: a script that fails because the controller is dead fails for that.
    let ending = died.as_ref().filter(|died| died.is_subject()).map_or(ending, death);
    recorder.finish(&ending).await.map_err(|error| crate::error_text::in_full(&error))?;
    let died = died.as_ref().map(ToString::to_string);
    match (&ending, cut.or(died)) {
        (Ending::Fault(_), Some(because)) => return Err(because),
        (_, Some(_)) => return Ok(Recorded { ending, refused, waited }),
        (_, None) => {}
    }
    let _ = tokio::time::timeout(SWEEP, leave(stage, &setting.namespace, &uid)).await;
    Ok(Recorded { ending, refused, waited })
}

/// Leaves a case's namespace.
///
/// Best effort: what is left here harms no other case, and goes with the cluster or at the end of the run.
async fn leave(stage: &PreparedCell, namespace: &str, uid: &str) {
    let client = stage.cluster.client();
    if stage.cluster.namespace_policy().is_some() {
        return namespace::sweep(&client, namespace, uid).await;
    }
    namespace::halt(&client, namespace, stage.cell.spec.subject.api().acting()).await;
    stage.left.add(namespace, uid);
}

/// Takes back what the script did to the cluster and to the way of the subject's requests.
async fn left_as_it_was(scene: &mut Scene, wire: Option<&Wire>, faults: FaultNeeds) -> Result<(), ClusterError> {
    // A script that was cut off has not come to it; and what refuses releases would keep the namespace for ever.
    let _ = tokio::time::timeout(SWEEP, scene.withdraw_vetoes()).await;
    let _ = tokio::time::timeout(SWEEP, scene.undo()).await;
    if let Some(wire) = wire {
        wire.leave(scene.namespace());
        if faults == FaultNeeds::Watches {
            wire.watches().recover();
        }
    }
    scene.is_killed_no_more().await
}

/// Removes what a case has left while no controller was there that lets go of pods.
pub(super) async fn clear(client: &kube::Client, namespace: &str) {
    // Best effort: what cannot be removed shows in what the controller does next.
    let _ = tokio::time::timeout(SWEEP, namespace::clear(client, namespace)).await;
}

/// Makes the changes that the script asks for, one after the other; returns when one could not be made, with the reason.
async fn change_as_ordered(stage: &PreparedCell, mut orders: mpsc::UnboundedReceiver<ChangeRequest>) -> String {
    let tell = |news: ChangeOutcome| {
        // Nobody needs to listen.
        let _ = stage.news.as_ref().map(|listener| listener.send(news));
    };
    while let Some(ChangeRequest { change, made }) = orders.recv().await {
        match stage.cluster.change(&change).await {
            Ok(report) => {
                let report = std::sync::Arc::new(report);
                tell(ChangeOutcome::Changed { to: change.to_string(), report: report.clone() });
                // A script that was cut off meanwhile needs no answer.
                let _ = made.send(report);
            }
            Err(error) => {
                let because =
                    format!("the change to {change} could not be made: {}", crate::error_text::in_full(&error));
                tell(ChangeOutcome::Failed(because.clone()));
                return because;
            }
        }
    }
    std::future::pending().await
}

/// What ends a case from outside: a lost cluster, a stop, its own limit.
async fn outside(stage: &PreparedCell, mut stop: watch::Receiver<Option<String>>) -> Ending {
    let mut unexpected_exit = stage.cluster.unexpected_exit();
    tokio::select! {
        ended = crate::cluster::unexpected(&mut unexpected_exit) => match ended.is_subject() {
            true => death(&ended),
            false => Ending::Fault(ended.to_string()),
        },
        asked = asked_to_stop(&mut stop) => Ending::Fault(asked),
        () = tokio::time::sleep(CASE_LIMIT) => Ending::Fault(format!("the case took over {}s", CASE_LIMIT.as_secs())),
    }
}

fn death(unexpected_exit: &UnexpectedExit) -> Ending {
    Ending::Death(Death { status: unexpected_exit.how(), last_words: unexpected_exit.last_lines.clone() })
}

fn because_of(ending: Ending) -> String {
    match ending {
        Ending::Fault(because) => because,
        Ending::Death(death) => format!("the controller ended unasked with {}", death.status),
        Ending::Complete | Ending::Stalled { .. } | Ending::CutShort { .. } | Ending::Truncated => String::new(),
    }
}

/// The script, then time for the dust to settle, then everything that was written until then.
async fn play(
    case: &dyn AnyCase,
    scene: &mut Scene,
    recorder: &Recorder,
    setting: &Setting,
    place: Option<Place<'_>>,
) -> Recorded {
    let played = case.script(scene).await;
    scene.withdraw_vetoes().await;
    // From here on it only waits.
    drop(place);
    let ending = match played {
        Ok(()) => Ending::Complete,
        Err(Stop::Stalled { waited_for, limit }) => Ending::Stalled { waited_for, limit },
        Err(Stop::CutShort { waited_for, after, limit }) => Ending::CutShort { waited_for, after, limit },
        Err(Stop::Refused(says)) => {
            return Recorded { refused: Some(says.clone()), ..Ending::Fault(says).into() };
        }
        Err(Stop::Fault(fault)) => return Ending::Fault(crate::error_text::in_full(&fault)).into(),
    };
    let caught_up = if ending == Ending::Complete {
        all_told(&case.expects(), scene).await;
        aftermath(scene, recorder, setting).await
    } else {
        rest(scene, recorder, setting).await;
        recorder.catch_up(CATCH_UP).await
    };
    match caught_up {
        Ok(()) => ending.into(),
        Err(error) => Ending::Fault(crate::error_text::in_full(&error)).into(),
    }
}

async fn asked_to_stop(stop: &mut watch::Receiver<Option<String>>) -> String {
    match stop.wait_for(Option::is_some).await.ok().and_then(|asked| (*asked).clone()) {
        Some(asked) => asked,
        None => std::future::pending().await,
    }
}
