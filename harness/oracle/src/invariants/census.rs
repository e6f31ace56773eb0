//! How many pods of a Job were alive at each birth of another.

use super::job_history::JobHistory;
use crate::{
    history::{ObjectHistory, controller},
    vocabulary::pods::{completion_index, is_stopping, is_terminal},
};
use k8s_openapi::api::core::v1::Pod;
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    Stopping,
    /// Stopped, gone, or no longer this Job's.
    Out,
}

/// The births of a Job's pods in order of revision. One pass over all versions, so that large Jobs cost
/// no more than their history is long.
pub(super) fn births(history: &JobHistory) -> Vec<Creation<'_>> {
    let mut moves: Vec<(u64, usize, usize)> = Vec::new();
    for (place, pod) in history.pods.iter().enumerate() {
        moves.extend(pod.versions.iter().enumerate().map(|(nth, version)| (version.revision, place, nth)));
    }
    moves.sort_unstable();
    let mut states = vec![State::Out; history.pods.len()];
    let mut whole = Tally::default();
    let mut by_index: BTreeMap<u32, Tally> = BTreeMap::new();
    let mut births = Vec::new();
    for (revision, place, nth) in moves {
        let pod = &history.pods[place];
        let object = &pod.versions[nth].object;
        let is_its = controller(&object.metadata) == Some(history.job.uid.as_str());
        let state = match () {
            () if pod.gone == Some(revision) || !is_its || is_terminal(object) => State::Out,
            () if is_stopping(object) => State::Stopping,
            () => State::Live,
        };
        let index = completion_index(&pod.first().object);
        let others = index.map(|index| *by_index.entry(index).or_default()).unwrap_or_default();
        whole.change(states[place], state);
        if let Some(tally) = index.and_then(|index| by_index.get_mut(&index)) {
            tally.change(states[place], state);
        }
        states[place] = state;
        // What was there before its Job was seen cannot be judged by it.
        if nth == 0 && revision > history.job.first().revision {
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
