//! L6 and L8: a subject that was killed, or whose watches were interfered with, takes up again what is owed.
//!
//! # Bounds
//! Judged is each Job by itself, in stretches in which nothing of it or its pods changes and the subject asks for nothing about it, while
//! it is owed a step or a status for certain ([`crate::owed`]). After a restart the first write for the Job is waited for: 5 s are given from when the subject was ready, as many more
//! as it may not have seen what others did, as many as it took to become ready, and where it is seen to ask for a lease what that lasts, as
//! the one of its predecessor may have to run out. After its watches were cut, answered with 410, or let go, eight seconds are given, as
//! caches may be late at any time and updates are gathered; and, where they had been ended, what client libraries wait between their tries by then. All of it
//! is longer by what the machine was late ([`crate::lag`]). Requests that went wrong are tried again later and later: nothing is expected
//! for half a minute after them, or for as long again as they have gone wrong. A pod may have to wait for the longest back-off that the
//! history has room for.
//!
//! A watch that says nothing and is never let go shows nothing: no list and no watch of the subject's could have told more.

use super::{
    Invariant,
    asked::{Asked, is_aside},
    findings::{Findings, hole},
    freed::{After, Freed, stretches},
    job_history::{JobHistories, JobHistory, UNSEEN},
    progress::latest,
    tampering::Part,
    upheavals::UPHEAVAL,
};
use crate::{
    fact::{Entry, Fact},
    owed::{self, Owed},
    property::Check,
    request::Request,
    timeline::{Ending, Timeline},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use std::{collections::BTreeSet, time::Duration};

/// How long a subject may take from when it is ready.
const READY: Duration = Duration::from_secs(5);
/// What a lease lasts by default ...
const LEASE: Duration = Duration::from_secs(15);
/// ... and between two tries for it.
const TRY: Duration = Duration::from_secs(2);
/// How long it may take to see what is, once nothing keeps it from that.
const SEEN: Duration = Duration::from_secs(8);
/// What clients wait at most before they ask again for a watch that was ended first (client-go's reflector and kube: 0.8 s, and as much
/// again by chance); it doubles with each that ends ...
const FIRST_TRY: Duration = Duration::from_millis(1_600);
/// ... up to this.
const LATER_TRY: Duration = Duration::from_secs(60);

/// What is owed rests on these.
pub(super) const PARTS: [Part; 7] =
    [Part::Decision, Part::Suspension, Part::LivePods, Part::EndedPods, Part::Ledger, Part::Indexes, Part::Start];

pub(super) struct Recovery;

impl Invariant for Recovery {
    fn id(&self) -> &'static str {
        "L6"
    }

    fn says(&self) -> &'static str {
        "a controller that was killed takes up what is owed once it is ready again"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        check(timeline, After::Restart, "nothing was owed after the controller had been killed and was ready again")
    }
}

pub(super) struct CacheRecovery;

impl Invariant for CacheRecovery {
    fn id(&self) -> &'static str {
        "L8"
    }

    fn says(&self) -> &'static str {
        "a controller whose watches were interrupted takes up what is owed once it can see it"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        check(timeline, After::Watches, "nothing was owed after the controller's watches had been interrupted")
    }
}

fn check(timeline: &Timeline, after: After, without: &str) -> Check {
    if let Some(hole) = hole(timeline) {
        return hole;
    }
    let is_whole = matches!(timeline.ending, Ending::Complete | Ending::Stalled { .. } | Ending::CutShort { .. });
    let asked = Asked::of(timeline);
    let is_audited = asked.all.iter().any(|(_, request)| request.audited.is_some());
    if timeline.setting.shared || !is_whole || asked.all.is_empty() || is_audited {
        return Check::Vacuous(
            "it is not known what the controller asked for, or what else kept it from acting".to_owned(),
        );
    }
    let stretches: Vec<Freed> = stretches(timeline, &asked).into_iter().filter(|one| one.after == after).collect();
    let mut findings = Findings::default();
    if stretches.is_empty() {
        return findings.conclude(timeline, without);
    }
    let histories = JobHistories::resting_on(timeline, &PARTS).own;
    let bench = Bench { timeline, lease: lease(&asked), asked, allowance: timeline.lag().allowance() };
    for freed in &stretches {
        if bench.is_owed_anything(freed, &histories) {
            findings.occasion();
        }
        for history in &histories {
            if let Some((entry, owed)) = bench.overdue(freed, history) {
                findings.breach_at(entry, owed.expected, owed.observed);
            }
        }
    }
    findings.conclude(timeline, without)
}

/// How long the lease of a predecessor may be waited for: not at all by a subject that asks for none.
fn lease(asked: &Asked<'_>) -> Duration {
    let of_elections = asked.all.iter().map(|(_, request)| *request).filter(|request| request.is_of_an_election());
    let lasts = |request: &Request| request.lease.as_ref().map(|lease| Duration::from_secs(lease.seconds.into()));
    let tenures: Vec<Option<Duration>> = of_elections.map(lasts).collect();
    let longest = tenures.iter().copied().flatten().max();
    if tenures.is_empty() { Duration::ZERO } else { longest.unwrap_or(LEASE) + TRY }
}

/// What clients wait at most, in all, who had watches ended so many times.
fn tries(endings: u32) -> Duration {
    let wait = |ending: u32| FIRST_TRY.saturating_mul(1_u32.checked_shl(ending).unwrap_or(u32::MAX)).min(LATER_TRY);
    (0..endings).map(wait).sum()
}

struct Bench<'t> {
    timeline: &'t Timeline,
    asked: Asked<'t>,
    lease: Duration,
    /// What the machine was late.
    allowance: Duration,
}

impl<'t> Bench<'t> {
    fn bound(&self, freed: &Freed) -> Duration {
        let bound = match freed.after {
            After::Restart => READY + UNSEEN + freed.since.saturating_sub(freed.began) + self.lease,
            After::Watches => SEEN + tries(freed.endings),
        };
        bound + self.allowance
    }

    /// Whether something came to be owed meanwhile, or had come before.
    fn is_owed_anything(&self, freed: &Freed, histories: &[JobHistory]) -> bool {
        let own: BTreeSet<&str> = histories.iter().map(|history| history.job.uid.as_str()).collect();
        let worlds = self.timeline.all_worlds();
        let first = worlds.iter().rposition(|world| world.at <= freed.began).unwrap_or(0);
        let meanwhile = worlds[first..].iter().filter(|world| world.at < freed.until);
        let mut owed = meanwhile.map(|world| self.owed(world, world.at.max(freed.began)));
        owed.any(|owed| owed.iter().any(|one| own.contains(one.job.as_str())))
    }

    fn owed(&self, world: &World, at: Duration) -> Vec<Owed> {
        owed::of_world(&self.timeline.setting, world, clock(self.timeline.setting.started, at))
    }

    /// What this Job was owed for too long, and where that was so.
    fn overdue(&self, freed: &Freed, history: &JobHistory) -> Option<(&'t Entry, Owed)> {
        let bound = self.bound(freed);
        let stirs = self.stirs(history);
        let until = match freed.after {
            After::Restart => self.first_write(history, freed.since).map_or(freed.until, |at| at.min(freed.until)),
            After::Watches => freed.until,
        };
        let mut begins: Vec<Duration> = stirs.range(freed.since..until).copied().collect();
        begins.insert(0, freed.since);
        let ends = begins[1..].iter().copied().chain([until]);
        let long = begins.iter().copied().zip(ends).filter(|(begin, end)| *begin + bound < *end);
        long.filter_map(|(begin, end)| self.overdue_within(history, begin, end, bound)).next()
    }

    fn overdue_within(
        &self,
        history: &JobHistory,
        begin: Duration,
        end: Duration,
        bound: Duration,
    ) -> Option<(&'t Entry, Owed)> {
        let mut world = World::default();
        let known = self.timeline.entries().iter().filter(|entry| entry.at < end);
        known.for_each(|entry| world.apply(entry.revision, entry.at, &entry.fact));
        let started = self.timeline.setting.started;
        let tries = self.tries_again(begin, end).unwrap_or(begin);
        let since = |owed: &Owed| {
            let due = owed.since.map_or(begin, |due| offset(started, due));
            let pod = if owed.is_pod { latest(history).map_or(begin, |due| offset(started, due)) } else { begin };
            begin.max(due).max(pod).max(tries)
        };
        let is_late = |owed: &Owed| owed.job == history.job.uid && since(owed).saturating_add(bound) < end;
        let owed = self.owed(&world, end).into_iter().find(is_late)?;
        let late = since(&owed).saturating_add(bound);
        let entries = self.timeline.entries();
        let entry = entries.iter().find(|entry| entry.at > late).or(entries.last())?;
        let seconds = (late - since(&owed)).as_secs_f64();
        let observed = format!("{}, and nothing was done about it in {seconds:.1} s", owed.observed);
        Some((entry, Owed { observed, ..owed }))
    }

    /// When something happened to this Job or its pods, or the subject asked for something that may be about them.
    fn stirs(&self, history: &JobHistory) -> BTreeSet<Duration> {
        let of_pods = history.ever.iter().flat_map(|pod| pod.versions.iter().map(|version| version.at));
        let versions = history.job.versions.iter().map(|version| version.at).chain(of_pods);
        let both = |request: &Request| [request.sent(), request.sent() + Duration::from_micros(request.took_us)];
        versions.chain(self.writes_about(history).flat_map(both)).collect()
    }

    /// Writes of the subject that may be about this Job or its pods.
    fn writes_about<'h>(&'h self, history: &'h JobHistory) -> impl Iterator<Item = &'t Request> + 'h {
        let may_be_about = |request: &&Request| match request.on.split('/').next() {
            Some("jobs") => request.name == history.job.name,
            Some("pods") => request.name.is_empty() || history.ever.iter().any(|pod| pod.name == request.name),
            _ => false,
        };
        self.asked.writes().map(|(_, request)| request).filter(may_be_about)
    }

    /// When the subject first did something for this Job since then.
    fn first_write(&self, history: &JobHistory, since: Duration) -> Option<Duration> {
        let mut done = self.writes_about(history).filter(|request| request.sent() >= since && !request.went_wrong());
        done.next().map(Request::sent)
    }

    /// When the subject has tried again at the latest what went wrong since it was last started.
    fn tries_again(&self, begin: Duration, end: Duration) -> Option<Duration> {
        let born = self.born(begin);
        let requests = self.asked.all.iter().map(|(_, request)| *request).filter(|request| !is_aside(request));
        // Who is told that something is not there has nothing to try again.
        let went_wrong = |request: &&Request| request.went_wrong() && request.code != Some(404);
        let mut wrong = requests.filter(went_wrong).map(Request::sent).filter(|sent| born <= *sent && *sent < end);
        let first = wrong.next()?;
        let last = wrong.next_back().unwrap_or(first);
        Some(last + UPHEAVAL.max(last - first))
    }

    /// When the subject was last started before then.
    fn born(&self, at: Duration) -> Duration {
        let restarts =
            self.timeline.entries().iter().filter(|entry| {
                matches!(&entry.fact, Fact::Mark(mark) if mark == "subject restarted") && entry.at <= at
            });
        restarts.map(|entry| entry.at).max().unwrap_or_default()
    }
}

pub(super) fn clock(started: Timestamp, at: Duration) -> Timestamp {
    let passed = SignedDuration::try_from(at).unwrap_or(SignedDuration::MAX);
    started.checked_add(passed).unwrap_or(Timestamp::MAX)
}

/// So long after the timeline's start.
fn offset(started: Timestamp, at: Timestamp) -> Duration {
    Duration::try_from(at.duration_since(started)).unwrap_or(Duration::ZERO)
}
