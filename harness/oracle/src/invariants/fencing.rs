//! S30: what an instance writes, it writes while it holds the Lease.
//!
//! An instance may write for as long as its last claim of the Lease says, counted from when that was sent: others wait so long from when
//! they see it. What takes the Lease away before that time is over, as somebody who deletes it, is noticed at the next renewal; controllers
//! built on `client-go` then go on until their renew deadline, so it is the time that counts. Nothing here can be exact: Kubernetes has no
//! fencing tokens, and a request that is under way when a process is stopped arrives all the same, at the proxy before anywhere else.
//!
//! Judged are requests of which the instance is known. A writer of which no claim is known may have made one right before the recording
//! began: it is left alone for as long as that would last, by what another's lasts.

use super::{
    Invariant,
    asked::{Asked, told},
    election::{Claim, claims},
    findings::Findings,
};
use crate::{fact::Entry, property::Check, request::Request, timeline::Timeline};
use std::time::Duration;

/// So much later than it was sent a request may come to the proxy of a busy machine, where nobody else has claimed the Lease.
const ROOM: Duration = Duration::from_millis(500);

pub(super) struct Fencing;

impl Invariant for Fencing {
    fn id(&self) -> &'static str {
        "S30"
    }

    fn says(&self) -> &'static str {
        "no write leaves an instance that does not hold an unexpired Lease"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let claims = claims(timeline);
        for (entry, request) in Asked::of(timeline).writes() {
            let Some(instance) = request.instance.as_deref() else { continue };
            findings.occasion();
            if let Some(why) = unheld(&claims, instance, request) {
                breach(&mut findings, entry, request, &why);
            }
        }
        findings.conclude(timeline, "no write was seen of one of several instances")
    }
}

fn breach(findings: &mut Findings, entry: &Entry, request: &Request, why: &str) {
    findings.breach_at(entry, "a write by the instance that holds the Lease", format!("{}: {why}", told(request)));
}

/// Why the instance did not hold the Lease when it sent this, if it did not.
fn unheld(claims: &[Claim<'_>], instance: &str, request: &Request) -> Option<String> {
    let sent = request.sent();
    let known = || claims.iter().filter(|claim| claim.answered <= sent);
    let own = known().filter(|claim| claim.by == instance).max_by_key(|claim| claim.sent);
    let other = known().rfind(|claim| claim.by != instance && !claim.holder.is_empty());
    let Some(own) = own else {
        // Its claim may still be under way: the API server has taken it before it is answered.
        let over = other.filter(|other| sent > other.lasts + ROOM);
        return over.map(|other| format!("it has not claimed the Lease, and the {} instance has", other.by));
    };
    if own.holder.is_empty() {
        return Some("it has given the Lease back".to_owned());
    }
    let since = sent.saturating_sub(own.sent);
    let was_taken = other.is_some_and(|other| other.answered > own.answered);
    let room = if was_taken { Duration::ZERO } else { ROOM };
    (since > own.lasts + room).then(|| {
        let meanwhile = if was_taken { ", and another has claimed it since" } else { "" };
        format!("{:.1} s after its last claim of a Lease of {:?}{meanwhile}", since.as_secs_f64(), own.lasts)
    })
}
