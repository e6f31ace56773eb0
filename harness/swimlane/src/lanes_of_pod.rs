//! The lane of one pod: phase, deletion, and how long the tracking finalizer holds it.

use crate::{
    lane::{Lane, LaneKind, Sign, Tone},
    plain,
    step::Step,
};
use jobsworth_api::well_known::{COMPLETION_INDEX, TRACKING_FINALIZER};
use k8s_openapi::api::core::v1::Pod;

/// The lane of a pod, and its index if it has one.
pub(crate) fn new(uid: &str, name: &str, pod: &Pod) -> (Option<u64>, Lane) {
    let index = pod.metadata.annotations.as_ref().and_then(|all| all.get(COMPLETION_INDEX)?.parse().ok());
    let told = index.map_or_else(|| format!("pod {name}"), |index| format!("pod {index}: {name}"));
    (index, Lane::new(LaneKind::Pod, told, uid))
}

pub(crate) fn take(lane: &mut Lane, step: &Step<'_>, pod: &Pod) {
    let Step { number, at, is_gone, .. } = *step;
    if is_gone {
        lane.set(at, None, number);
        lane.hold(at, false, number);
        lane.point(at, Sign::Gone, number);
        return;
    }
    lane.set(at, Some(state(pod)), number);
    let is_held = pod.metadata.finalizers.iter().flatten().any(|finalizer| finalizer == TRACKING_FINALIZER);
    lane.hold(at, is_held, number);
    lane.point(at, Sign::Dot, number);
}

/// The phase; that a pod is being deleted matters as long as it has not ended.
fn state(pod: &Pod) -> (Tone, String) {
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or("new");
    let is_leaving = pod.metadata.deletion_timestamp.is_some();
    let (tone, has_ended) = match phase {
        "Running" => (Tone::Running, false),
        "Succeeded" => (Tone::Good, true),
        "Failed" => (Tone::Bad, true),
        _ => (Tone::Waiting, false),
    };
    let mut label = match (phase, exit_code(pod)) {
        ("Failed", Some(code)) => format!("Failed, exit {code}"),
        (phase, _) => plain::shown(phase, 40),
    };
    if is_leaving {
        label.push_str(", deleting");
    }
    (if is_leaving && !has_ended { Tone::Leaving } else { tone }, label)
}

/// Of the first container that did not end well.
fn exit_code(pod: &Pod) -> Option<i32> {
    let containers = pod.status.as_ref()?.container_statuses.as_ref()?;
    let codes =
        containers.iter().filter_map(|container| Some(container.state.as_ref()?.terminated.as_ref()?.exit_code));
    codes.into_iter().find(|code| *code != 0)
}
