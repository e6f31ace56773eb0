//! How many pods of a Job were alive at each birth of another.

use crate::{
    history::{ObjectHistory, controller},
    vocabulary::pods::{completion_index, is_stopping, is_terminal},
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use std::collections::BTreeMap;

/// A pod's creation, and what there was besides it.
pub(super) struct Creation<'a> {
    pub(super) pod: &'a ObjectHistory<Pod>,
    /// Pods of the Job that are neither stopped nor told to stop, this one included.
    pub(super) live: i32,
    /// Pods of the Job that are told to stop and have not stopped.
    pub(super) stopping: i32,
    /// Other live pods with the same completion index.
    pub(super) namesakes: i32,
    /// Other pods with the same completion index that are told to stop and have not stopped.
    pub(super) stopping_namesakes: i32,
}

/// How a pod is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Live,
    Stopping,
    /// Stopped, gone, or no longer this Job's.
    Out,
}

/// The births of these pods of a Job in order of revision. One pass over all versions, so that large Jobs cost
/// no more than their history is long.
pub(super) fn births<'a>(job: &ObjectHistory<Job>, pods: &'a [ObjectHistory<Pod>]) -> Vec<Creation<'a>> {
    let mut moves: Vec<(u64, usize, usize)> = Vec::new();
    for (place, pod) in pods.iter().enumerate() {
        moves.extend(pod.versions.iter().enumerate().map(|(nth, version)| (version.revision, place, nth)));
    }
    moves.sort_unstable();
    let mut states = vec![State::Out; pods.len()];
    let mut whole = Tally::default();
    let mut by_index: BTreeMap<u32, Tally> = BTreeMap::new();
    let mut births = Vec::new();
    for (revision, place, nth) in moves {
        let pod = &pods[place];
        let object = &pod.versions[nth].object;
        let state = if pod.gone == Some(revision) { State::Out } else { state(&job.uid, object) };
        let index = completion_index(&pod.first().object);
        let others = index.map(|index| *by_index.entry(index).or_default()).unwrap_or_default();
        whole.change(states[place], state);
        if let Some(tally) = index.and_then(|index| by_index.get_mut(&index)) {
            tally.change(states[place], state);
        }
        states[place] = state;
        // What was there before its Job was seen cannot be judged by it.
        if nth == 0 && revision > job.first().revision {
            births.push(Creation {
                pod,
                live: whole.live,
                stopping: whole.stopping,
                namesakes: others.live,
                stopping_namesakes: others.stopping,
            });
        }
    }
    births
}

/// How a pod of the Job with this UID is that is still there.
pub(super) fn state(job: &str, pod: &Pod) -> State {
    let is_its = controller(&pod.metadata) == Some(job);
    match () {
        () if !is_its || is_terminal(pod) => State::Out,
        () if is_stopping(pod) => State::Stopping,
        () => State::Live,
    }
}

#[derive(Clone, Copy, Default)]
struct Tally {
    live: i32,
    stopping: i32,
}

impl Tally {
    fn change(&mut self, from: State, to: State) {
        for (state, step) in [(from, -1), (to, 1)] {
            match state {
                State::Live => self.live += step,
                State::Stopping => self.stopping += step,
                State::Out => {}
            }
        }
    }
}
