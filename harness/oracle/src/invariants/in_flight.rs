//! Pods that a subject which was started again may not know: they were asked for before that, and came afterwards.
//!
//! Whoever starts lists what there is. The list may come from the API server's cache, which may be behind its store (a list at
//! resourceVersion 0 is of any age, Kubernetes API concepts). But the recorder's watch is fed by the same cache, and the cache takes an
//! object in before it tells its watchers (`watchCache.processEvent` of apiserver's `storage/cacher`). So whatever the recorder had heard
//! of when the subject was started is in every list that follows, and no other pod of before is unknown than those whose creation was still
//! under way: sent by the one that was killed, and heard of after the next one was started. That holds for one API server, which is
//! what the harness starts; where others use the cluster there may be several.
//!
//! A request says of which pod it was the creation by the version that it made. One whose answer nobody saw says nothing: then as many of
//! the pods that no answer explains are taken for it.

use super::{
    beside::Beside,
    census::{Creation, State, state},
    election::takeovers,
    reading,
    upheavals::UPHEAVAL,
};
use crate::{
    fact::Fact,
    history::{ObjectHistory, controller},
    request::Request,
    timeline::Timeline,
    vocabulary::pods::completion_index,
};
use k8s_openapi::api::core::v1::Pod;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// So much later may a request of the dead come out of its connection; whoever is started takes longer for its first.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// What was under way when the subject was started again.
pub(super) struct InFlight {
    /// Upheavals of which the requests do not tell what was under way.
    untold: Vec<Duration>,
    /// UIDs of the pods that were.
    pods: BTreeSet<String>,
    /// What one of two leaders did not know of the other.
    beside: Beside,
}

impl InFlight {
    pub(super) fn of(timeline: &Timeline, pods: &[ObjectHistory<Pod>]) -> Self {
        let creations = Creations::of(timeline);
        let regimes = times(timeline, |fact| matches!(fact, Fact::Regime(_)));
        // On a cluster that others use there may be several API servers.
        if creations.made.is_empty() || timeline.setting.shared {
            let crashes = times(timeline, |fact| is_mark(fact, "subject crashed"));
            let untold = [regimes, crashes, starts(timeline)].concat();
            return Self { untold, pods: BTreeSet::new(), beside: Beside::default() };
        }
        let unknown = starts(timeline).into_iter().flat_map(|start| creations.in_flight(start, pods));
        Self { untold: regimes, pods: unknown.collect(), beside: Beside::of(timeline, pods) }
    }

    /// Whether there was an upheaval shortly before of which nothing is told: whatever comes then may be unknown.
    pub(super) fn is_untold(&self, at: Duration) -> bool {
        self.untold.iter().any(|upheaval| *upheaval <= at && at <= *upheaval + UPHEAVAL)
    }

    /// Whether this pod was under way when the subject was started again, or made by one of two leaders and met by the other.
    pub(super) fn has(&self, pod: &ObjectHistory<Pod>) -> bool {
        self.pods.contains(&pod.uid) || self.beside.may_be_unknown(&pod.uid)
    }

    /// What the subject may not know of when it makes a pod of the Job with this UID, which has these pods; none where nobody can tell.
    pub(super) fn unknown(&self, job: &str, pods: &[ObjectHistory<Pod>], birth: &Creation<'_>) -> Option<Unknown> {
        let (uid, first) = (&birth.pod.uid, birth.pod.first());
        if self.is_untold(first.at) {
            return None;
        }
        let mut unknown = Unknown { is_itself: self.pods.contains(uid), ..Unknown::default() };
        let pods = if self.pods.is_empty() && self.beside.is_empty() { &[] } else { pods };
        let is_unknown = |pod: &str| self.pods.contains(pod) || self.beside.is_unknown_to_the_maker_of(uid, pod);
        for pod in pods.iter().filter(|pod| is_unknown(&pod.uid) && first.at <= pod.first().at + UPHEAVAL) {
            let Some(now) = pod.at(first.revision) else { continue };
            let index = completion_index(&pod.first().object);
            let is_namesake = pod.uid != *uid && index.is_some() && index == completion_index(&first.object);
            let (all, namesakes) = match state(job, &now.object) {
                State::Live => (&mut unknown.live, &mut unknown.namesakes),
                State::Stopping => (&mut unknown.stopping, &mut unknown.stopping_namesakes),
                State::Out => continue,
            };
            *all += 1;
            *namesakes += i32::from(is_namesake);
        }
        Some(unknown)
    }
}

/// How many of the pods in a [`Creation`] the subject may not know of.
#[derive(Default)]
pub(super) struct Unknown {
    /// Whether the pod was asked for by the one before.
    pub(super) is_itself: bool,
    pub(super) live: i32,
    pub(super) stopping: i32,
    pub(super) namesakes: i32,
    pub(super) stopping_namesakes: i32,
}

/// The creations of pods that were asked for.
struct Creations<'t> {
    all: Vec<&'t Request>,
    /// When it was sent, by the revision of the pod that it made.
    made: BTreeMap<u64, Duration>,
}

impl<'t> Creations<'t> {
    fn of(timeline: &'t Timeline) -> Self {
        let is_creation = |request: &&Request| (request.verb.as_str(), request.on.as_str()) == ("create", "pods");
        let all: Vec<&Request> = timeline.requests().map(|(_, request)| request).filter(is_creation).collect();
        let made = all.iter().filter_map(|request| Some((request.made?, request.sent()))).collect();
        Self { all, made }
    }

    /// UIDs of the pods that were under way at this start.
    fn in_flight(&self, start: Duration, pods: &[ObjectHistory<Pod>]) -> Vec<String> {
        let is_the_deads = |sent: Duration| sent <= start + LAST_WORDS;
        let has_open = self.all.iter().any(|request| is_open(request) && is_the_deads(request.sent()));
        let mut unexplained: BTreeMap<Option<String>, usize> = BTreeMap::new();
        let mut is_in_flight = |pod: &ObjectHistory<Pod>| {
            let birth = pod.first();
            if birth.at < start || start + UPHEAVAL < birth.at {
                return false;
            }
            if let Some(sent) = self.made.get(&birth.revision) {
                return is_the_deads(*sent);
            }
            if !has_open || reading::is_written_by(&birth.object.metadata, reading::SCRIPT, None) {
                return false;
            }
            let before = unexplained.entry(controller(&birth.object.metadata).map(str::to_owned)).or_default();
            *before += 1;
            let open = self.all.iter().filter(|request| is_open(request) && request.sent() <= birth.at);
            *before <= open.count()
        };
        pods.iter().filter(|pod| is_in_flight(pod)).map(|pod| pod.uid.clone()).collect()
    }
}

/// Whether it may have made a pod, and nobody knows which.
fn is_open(request: &Request) -> bool {
    let has_no_answer = request.code.is_none() && request.stored.is_none();
    request.made.is_none() && (has_no_answer || request.is_taken())
}

/// When the subject was started again; where nobody says so, it may have been at once.
fn starts(timeline: &Timeline) -> Vec<Duration> {
    let mut starts = times(timeline, |fact| is_mark(fact, "subject restarted"));
    let crashes = times(timeline, |fact| is_mark(fact, "subject crashed"));
    let last = starts.iter().copied().max();
    starts.extend(crashes.into_iter().filter(|crash| last.is_none_or(|last| last < *crash)));
    // Where there are several instances, whoever takes over is the one that begins.
    starts.extend(takeovers(timeline));
    starts
}

fn is_mark(fact: &Fact, name: &str) -> bool {
    matches!(fact, Fact::Mark(mark) if mark == name)
}

fn times(timeline: &Timeline, is_one: impl Fn(&Fact) -> bool) -> Vec<Duration> {
    timeline.entries().iter().filter(|entry| is_one(&entry.fact)).map(|entry| entry.at).collect()
}
