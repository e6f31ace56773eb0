//! A Job of the subject with all its pods: what most invariants read.
//!
//! Left out are Jobs that another controller reconciles, whose status is not the subject's doing, and, for an invariant
//! that rests on a part of the status, Jobs in which the script has written that part: what follows from a status that
//! was tampered with is no breach. So are Jobs that name a controller where the gate for that is switched meanwhile.

use super::{
    census::Creation,
    in_flight::{InFlight, Unknown},
    reading,
    tampering::{self, Part},
    upheavals::Upheavals,
};
use crate::{
    history::{ObjectHistory, Version, controller},
    timeline::Timeline,
    vocabulary::pods::{completion_index, is_stopping, is_terminal, is_tracked, phase},
};
use jobsworth_api::{
    ConditionKind::{Complete, SuccessCriteriaMet},
    well_known,
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// How long a controller may act on a spec or a deletion that it has not seen yet.
pub(super) const UNSEEN: Duration = Duration::from_secs(5);

/// A Job and its pods.
pub(super) struct JobHistory {
    pub(super) job: ObjectHistory<Job>,
    /// Pods that were created as this Job's, by a controller and not by the script.
    pub(super) pods: Vec<ObjectHistory<Pod>>,
    /// Pods that had this Job as controller at any time: also the adopted ones.
    pub(super) ever: Vec<ObjectHistory<Pod>>,
}

impl JobHistory {
    /// The Job's name as texts show it.
    pub(super) fn name(&self) -> &str {
        &self.job.name
    }

    /// The first version that is finished.
    pub(super) fn finish(&self) -> Option<&Version<Job>> {
        self.job.first_with(reading::is_finished)
    }

    /// The versions of the Job that a controller may have had before its eyes at this point: the one in
    /// force, and those that were replaced no longer than [`UNSEEN`] ago.
    pub(super) fn in_sight(&self, revision: u64, at: Duration) -> impl Iterator<Item = &Version<Job>> {
        let versions = &self.job.versions;
        let known = versions.partition_point(|version| version.revision <= revision);
        (0..known)
            .filter(move |place| *place + 1 == known || versions[place + 1].at + UNSEEN > at)
            .map(|p| &versions[p])
    }

    /// The largest value of a spec field among the versions in sight.
    pub(super) fn largest(&self, revision: u64, at: Duration, of: impl Fn(&Job) -> i32) -> i32 {
        self.in_sight(revision, at).map(|version| of(&version.object)).max().unwrap_or(0)
    }

    /// Whether the pod was the Job's in all of its versions: neither released nor adopted by another.
    pub(super) fn has_kept(&self, pod: &ObjectHistory<Pod>) -> bool {
        pod.versions.iter().all(|version| controller(&version.object.metadata) == Some(self.job.uid.as_str()))
    }

    /// Whether the controller may have let this pod go without knowing how it ended: it ends while its controller
    /// believes that it runs, and then its finalizer goes. So it is with pods that are told to stop because the Job
    /// is decided: they are deleted, then the decision is written, then their finalizers are removed. And so it is with
    /// superfluous ones: their finalizers are removed, then they are deleted. In both the look at the pod, its end and
    /// its deletion are no further apart than [`UNSEEN`]. A pod that somebody had deleted before may be still at it when its Job is
    /// decided, and ends right before its finalizer goes. So may any pod of a Job that is being deleted, which lets go of all of them
    /// whatever they do (SYN-023). And a superfluous pod stays where its deletion was refused.
    pub(super) fn may_have_gone_unseen(&self, pod: &ObjectHistory<Pod>, finish: u64) -> bool {
        let before = |version: &&Version<Pod>| version.revision < finish;
        let Some(end) = pod.versions.iter().filter(before).find(|version| is_terminal(&version.object)) else {
            return false;
        };
        let freed = pod.versions.iter().filter(before).find(|version| !is_tracked(&version.object));
        let freed = freed.filter(|freed| freed.at <= end.at + UNSEEN);
        let is_freed_since = |since: Option<&Version<Job>>| {
            freed.zip(since).is_some_and(|(freed, since)| since.revision < freed.revision)
        };
        if is_freed_since(self.job.first_with(|job| reading::is_deleting(&job.metadata))) {
            return true;
        }
        let is_taken = |version: &&Version<Pod>| is_stopping(&version.object) || pod.gone == Some(version.revision);
        let Some(taken) = pod.versions.iter().filter(before).find(is_taken).filter(|taken| taken.at <= end.at + UNSEEN)
        else {
            return freed.is_some_and(|freed| self.was_superfluous(pod, freed.revision));
        };
        // Where the Job fails, whatever its pods were doing counts as a failure.
        let is_met =
            |job: &Job| reading::held(job, SuccessCriteriaMet).or_else(|| reading::held(job, Complete)).is_some();
        if !is_tracked(&taken.object) {
            return !is_stopping(&end.object);
        }
        let decided = self.job.first_with(is_met);
        decided.is_some_and(|decided| decided.at <= taken.at + UNSEEN) || is_freed_since(decided)
    }

    /// Whether others had done all that the Job wanted of this pod before it was let go.
    fn was_superfluous(&self, pod: &ObjectHistory<Pod>, revision: u64) -> bool {
        let has_succeeded =
            |version: &Version<Pod>| version.revision < revision && phase(&version.object) == "Succeeded";
        let is_other = |other: &&ObjectHistory<Pod>| other.uid != pod.uid && other.versions.iter().any(has_succeeded);
        let mut others = self.ever.iter().filter(is_other);
        match (completion_index(&pod.first().object), self.job.at(revision)) {
            (Some(index), _) => others.any(|other| completion_index(&other.first().object) == Some(index)),
            (None, Some(job)) => {
                let wanted = reading::completions(&job.object).and_then(|count| usize::try_from(count).ok());
                wanted.is_some_and(|wanted| others.count() >= wanted)
            }
            (None, None) => false,
        }
    }

    /// Whether pods were ever taken away on purpose: suspended, fewer wanted, fewer indexes.
    pub(super) fn was_scaled_down(&self) -> bool {
        let lowered = |of: fn(&Job) -> i32| self.job.steps().any(|(a, b)| of(&b.object) < of(&a.object));
        self.job.first_with(reading::is_suspended).is_some()
            || lowered(reading::parallelism)
            || lowered(|job| reading::completions(job).unwrap_or(0))
    }
}

/// The Jobs of the subject, and those that are not.
pub(super) struct JobHistories {
    pub(super) own: Vec<JobHistory>,
    pub(super) foreign: Vec<JobHistory>,
    upheavals: Upheavals,
    in_flight: InFlight,
}

impl JobHistories {
    /// For an invariant whose verdict rests on these parts of the status, and on pods and specs.
    pub(super) fn resting_on(timeline: &Timeline, parts: &[Part]) -> Self {
        let pods = timeline.pods();
        let mut by_owner: BTreeMap<&str, Vec<&ObjectHistory<Pod>>> = BTreeMap::new();
        for pod in &pods {
            let owners: BTreeSet<&str> =
                pod.versions.iter().filter_map(|version| controller(&version.object.metadata)).collect();
            owners.into_iter().for_each(|owner| by_owner.entry(owner).or_default().push(pod));
        }
        let (mut own, mut foreign) = (Vec::new(), Vec::new());
        for job in timeline.jobs() {
            let is_its = |version: &Version<Pod>| controller(&version.object.metadata) == Some(job.uid.as_str());
            let mine = by_owner.get(job.uid.as_str()).into_iter().flatten();
            let ever: Vec<_> = mine.map(|pod| (*pod).clone()).collect();
            let made = |pod: &&ObjectHistory<Pod>| {
                is_its(pod.first()) && !reading::is_written_by(&pod.first().object.metadata, reading::SCRIPT, None)
            };
            let created = ever.iter().filter(made).cloned().collect();
            let history = JobHistory { job, pods: created, ever };
            if is_disputed(timeline, &history.job.first().object) {
                continue;
            }
            if !timeline.setting.owns(&history.job.first().object) {
                foreign.push(history);
            } else if tampering::written(&history.job).iter().all(|part| !parts.contains(part)) {
                own.push(history);
            }
        }
        Self { own, foreign, upheavals: Upheavals::of(timeline), in_flight: InFlight::of(timeline, &pods) }
    }

    /// Whether the subject was started again about the time of this pod's creation, and may not know of it.
    pub(super) fn may_be_unknown(&self, pod: &ObjectHistory<Pod>) -> bool {
        self.in_flight.is_untold(pod.first().at) || self.in_flight.has(pod)
    }

    /// What a subject that was started again may not know of when it makes a pod; none where nobody can tell.
    pub(super) fn unknown(&self, history: &JobHistory, birth: &Creation<'_>) -> Option<Unknown> {
        self.in_flight.unknown(&history.job.uid, &history.pods, birth)
    }

    /// When the subject last lost its memory before this point.
    pub(super) fn forgot(&self, at: Duration) -> Option<Duration> {
        self.upheavals.forgot(at)
    }
}

/// A Job that names a controller, in a history in which it is switched whether that counts: first it is one
/// controller's, then two have it (UPG-007), and no rule about either holds throughout.
fn is_disputed(timeline: &Timeline, job: &Job) -> bool {
    let manager = job.spec.as_ref().and_then(|spec| spec.managed_by.as_deref());
    timeline.regimes().throughout("JobManagedBy").is_none()
        && manager.is_some_and(|name| name != well_known::BUILT_IN_CONTROLLER)
}
