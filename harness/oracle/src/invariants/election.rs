//! Who of several instances led when, by the Leases that they wrote.

use crate::{
    fact::{Entry, Fact},
    request::Request,
    timeline::Timeline,
};
use std::{ops::Range, time::Duration};

/// A Lease that an instance wrote and the API server took.
pub(super) struct Claim<'t> {
    /// The instance.
    pub(super) by: &'t str,
    /// Whom it gave the Lease to: itself, by the name of its present life, or nobody.
    pub(super) holder: &'t str,
    /// For how long.
    pub(super) lasts: Duration,
    /// When it was sent: others count from there at the earliest.
    pub(super) sent: Duration,
    /// When the answer was there.
    pub(super) answered: Duration,
    entry: &'t Entry,
}

/// The claims of all instances, in the order in which they were answered.
pub(super) fn claims(timeline: &Timeline) -> Vec<Claim<'_>> {
    let mut claims: Vec<Claim<'_>> = timeline.requests().filter_map(claim).collect();
    claims.sort_by_key(|claim| claim.answered);
    claims
}

fn claim<'t>((entry, request): (&'t Entry, &'t Request)) -> Option<Claim<'t>> {
    let (by, lease) = request.instance.as_deref().zip(request.lease.as_ref())?;
    (request.writes() && request.is_taken()).then(|| Claim {
        by,
        holder: &lease.holder,
        lasts: Duration::from_secs(u64::from(lease.seconds)),
        sent: request.sent(),
        answered: request.sent() + Duration::from_micros(request.took_us),
        entry,
    })
}

/// When another life of an instance began to lead than the one before: it knows nothing of what was under way.
pub(super) fn takeovers(timeline: &Timeline) -> Vec<Duration> {
    let claims = claims(timeline);
    let held: Vec<&Claim<'_>> = claims.iter().filter(|claim| !claim.holder.is_empty()).collect();
    let is_another = |pair: &[&Claim<'_>]| (pair[0].by, pair[0].holder) != (pair[1].by, pair[1].holder);
    held.windows(2).filter(|pair| is_another(pair)).map(|pair| pair[1].entry.at).collect()
}

/// When two instances could take themselves for the leader, from the claim of the later one on: the script had deleted the Lease before the
/// time of the earlier claim was over. Each may not know yet what the other does, and neither is to blame for it (see S30).
pub(super) fn overlaps(timeline: &Timeline) -> Vec<Range<Duration>> {
    let claims = claims(timeline);
    let held: Vec<&Claim<'_>> = claims.iter().filter(|claim| !claim.holder.is_empty()).collect();
    let pairs = held.windows(2).filter(|pair| pair[0].by != pair[1].by);
    let known = pairs.map(|pair| pair[1].sent..pair[0].sent + pair[0].lasts);
    // The claim of who wrote before the first that is known lay before the recording.
    let is_before = |first: &Claim<'_>, request: &Request| {
        request.writes() && request.sent() < first.sent && request.instance.as_deref().is_some_and(|it| it != first.by)
    };
    let unknown = held.first().filter(|first| timeline.requests().any(|(_, request)| is_before(first, request)));
    let overlaps = known.chain(unknown.map(|first| first.sent..first.lasts));
    // The mark follows the deletion, and so may the claim of who was quicker than the script.
    let is_taken_away = |entry: &&Entry| matches!(&entry.fact, Fact::Mark(mark) if mark == "subject without a lease");
    let taken_away = timeline.entries().iter().filter(is_taken_away).map(|entry| entry.at).min();
    overlaps.filter(|it| it.start < it.end && taken_away.is_some_and(|at| at < it.end)).collect()
}
