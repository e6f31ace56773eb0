//! The recording of a case: from its namespace's creation until everything that was written there has been told.

use super::{Place, SWEEP};
use crate::{
    case::{AnyCase, FaultNeeds},
    cluster::{ClusterError, UnexpectedExit, namespace, nodes},
    pod_driver::PodDriver,
    recorder::Recorder,
    run::{
        audit_trail::AuditTrail,
        prepared_cell::{ChangeOutcome, PreparedCell},
        rest::{CATCH_UP, aftermath, all_told, rest},
    },
    scene::{ChangeRequest, Control, Scene, Stop},
    wire::Wire,
};
use jobsworth_oracle::{Death, Ending, Setting};
use std::{path::Path, pin::Pin, time::Duration};
use tokio::sync::{mpsc, watch};

/// How long a case may take altogether.
const CASE_LIMIT: Duration = Duration::from_secs(300);

/// How a recording ended.
pub(super) struct Recorded {
    pub ending: Ending,
    /// What the server said to an object that was to be observed, if it did not take it.
    pub refused: Option<String>,
    /// The longest wait of the script that came to something.
    pub waited: Duration,
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
pub(super) async fn record(
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
pub(super) async fn outside(stage: &PreparedCell, mut stop: watch::Receiver<Option<String>>) -> Ending {
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
