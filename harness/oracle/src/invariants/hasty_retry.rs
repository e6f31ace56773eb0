//! W04: who is refused does not insist (SYN-005; L7).
//!
//! Judged are writes to one object that were refused for a reason that does not go away by itself: a server that is overloaded or
//! broken, a quota, a policy. There is a time to come back where the answer names one, and no more than a few attempts a second where
//! it does not. A conflict is no such reason: it tells of something new, and who has seen that may write at once; who asks with the
//! version that was refused has not, and has ten attempts a second, too. Creations have no name to tell one from the other: together
//! they are held against what all Jobs want at a time. For deletions of Jobs, which come after their time to live, no delay is
//! documented: there the usual queue of a controller is the measure (client-go's, 5 ms that double), which comes to eight attempts in
//! the first second.
//!
//! Finalizers of orphans are another queue's (SYN-028), and what the Job's own was told it does not know: a pod that its Job leaves
//! behind after a refusal is asked for once by each. Nor does a refusal bind whoever asks for a namesake of what it was about (SYN-018).

use super::{
    Invariant,
    asked::{Asked, told},
    findings::{Findings, hole},
    reading,
};
use crate::{
    fact::Entry,
    history::{ObjectHistory, Version, controller},
    property::Check,
    request::Request,
    timeline::Timeline,
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use std::{collections::BTreeMap, time::Duration};

/// More attempts than this in a second are a storm. Several parts of a controller may meet the same refusal, once each.
const ATTEMPTS: usize = 5;
/// The same, where the first delays may be those of the usual queue.
const OF_THE_USUAL_QUEUE: usize = 10;
const SECOND: Duration = Duration::from_secs(1);
/// Clocks and timers of controllers are not better than this.
const TOLERANCE: Duration = Duration::from_millis(100);
/// How much later than the other the controller or the recorder may hear of something.
const HEARD: Duration = Duration::from_millis(500);

pub(super) struct HastyRetry;

impl Invariant for HastyRetry {
    fn id(&self) -> &'static str {
        "W04"
    }

    fn says(&self) -> &'static str {
        "a write that was refused is not asked for again before its time, nor again and again"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["SYN-005"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let asked = Asked::of(timeline);
        let orphans = Orphans::of(timeline);
        let mut by_object: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (entry, request) in asked.writes().filter(|(_, request)| !request.name.is_empty()) {
            by_object
                .entry((request.verb.as_str(), request.on.as_str(), request.name.as_str(), request.uid.as_deref()))
                .or_default()
                .push((entry, request));
        }
        for ((verb, on, ..), attempts) in &by_object {
            let most = if (*verb, *on) == ("delete", "jobs") { OF_THE_USUAL_QUEUE } else { ATTEMPTS };
            for pair in attempts.windows(2).filter(|pair| !orphans.may_change_queues(pair[0].1, pair[1].1)) {
                too_early(&mut findings, &asked, pair[0].1, pair[1]);
            }
            storm(&mut findings, most, attempts.iter().copied().filter(|(_, request)| is_lasting(request)));
            let mut by_version: BTreeMap<_, Vec<_>> = BTreeMap::new();
            let conflicts = attempts.iter().copied().filter(|(_, request)| request.code == Some(409));
            for (entry, request) in conflicts.filter(|(_, request)| request.shows_its_body()) {
                by_version.entry(request.from).or_default().push((entry, request));
            }
            for conflicts in by_version.into_values() {
                storm(&mut findings, OF_THE_USUAL_QUEUE, conflicts.into_iter());
            }
        }
        let creations = asked.writes().filter(|(_, request)| {
            (request.verb.as_str(), request.on.as_str()) == ("create", "pods") && is_lasting(request)
        });
        storm(&mut findings, room_for_pods(timeline), creations);
        findings.conclude(timeline, "no write to an object was refused for a reason that lasts")
    }
}

/// Creations that may be refused in a second: of all Jobs together twice what they want at a time, and what is tried by hasty queues.
fn room_for_pods(timeline: &Timeline) -> usize {
    let most =
        |job: &ObjectHistory<Job>| job.versions.iter().map(|version| reading::parallelism(&version.object)).max();
    let wanted = timeline.jobs().iter().filter_map(most).fold(0_u64, |sum, most| sum + u64::from(most.unsigned_abs()));
    usize::try_from(wanted * 2).unwrap_or(usize::MAX / 2) + OF_THE_USUAL_QUEUE
}

/// More than `most` of them in a second.
fn storm<'t>(findings: &mut Findings, most: usize, refused: impl Iterator<Item = (&'t Entry, &'t Request)>) {
    let refused: Vec<_> = refused.collect();
    for storm in refused.windows(most + 1) {
        let (first, last) = (storm[0].1, storm[most]);
        if last.1.sent() < first.sent() + SECOND {
            let expected = format!("at most {most} attempts in a second");
            findings.breach_at(last.0, expected, format!("{} for the {}th time", told(last.1), most + 1));
        }
    }
}

fn too_early(findings: &mut Findings, asked: &Asked<'_>, refused: &Request, (entry, next): (&Entry, &Request)) {
    if !is_lasting(refused) || asked.is_upset(next.sent()) {
        return;
    }
    findings.occasion();
    let Some(seconds) = refused.retry_after else { return };
    let answered = refused.answered_at_the_earliest();
    let due = answered + Duration::from_secs(u64::from(seconds));
    if next.sent() + TOLERANCE < due {
        let after = next.sent().saturating_sub(answered).as_secs_f64();
        findings.breach_at(
            entry,
            format!("not before {seconds} s are over"),
            format!("{}, after {after:.3} s", told(next)),
        );
    }
}

/// Whether it was refused for a reason that does not go away by itself.
fn is_lasting(request: &Request) -> bool {
    request.code.is_some_and(|code| matches!(code, 403 | 422 | 429 | 500..))
}

/// When pods were left behind by their Jobs, by the names of the pods.
struct Orphans {
    since: BTreeMap<String, Duration>,
    /// Whether that is known of all of them.
    is_whole: bool,
}

impl Orphans {
    fn of(timeline: &Timeline) -> Self {
        let ended: BTreeMap<String, Duration> = timeline
            .jobs()
            .into_iter()
            .filter(|job| job.gone.is_some())
            .map(|job| (job.uid.clone(), job.last().at))
            .collect();
        let mut since = BTreeMap::new();
        for pod in timeline.pods() {
            let owner = controller(&pod.first().object.metadata);
            let is_let_go = |version: &&Version<Pod>| controller(&version.object.metadata) != owner;
            let let_go = pod.versions.iter().find(is_let_go).map(|version| version.at);
            let gone = owner.and_then(|owner| ended.get(owner).copied());
            since.extend(let_go.into_iter().chain(gone).min().map(|at| (pod.name.clone(), at)));
        }
        Self { since, is_whole: hole(timeline).is_none() }
    }

    /// Whether the pod may have been its Job's at the first request, and an orphan at the next.
    fn may_change_queues(&self, first: &Request, next: &Request) -> bool {
        let is_between = |since: &Duration| first.sent() < *since + HEARD && *since <= next.sent() + HEARD;
        first.verb == "patch"
            && first.on == "pods"
            && (!self.is_whole || self.since.get(&first.name).is_some_and(is_between))
    }
}
