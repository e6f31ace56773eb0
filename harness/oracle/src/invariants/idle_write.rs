//! W03: no write changes nothing (L3).
//!
//! Shown by the API server's answer: an update comes back with the version that it was computed from, or a patch with one that was
//! known a while before it was sent. Who was killed, whose watches are behind, or whose write of the object before went wrong, may ask for
//! what is so already.

use super::{
    Invariant,
    asked::{Asked, told},
    findings::Findings,
};
use crate::{
    fact::{Entry, Fact},
    property::Check,
    request::Request,
    timeline::Timeline,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// How far what a controller knows may be behind what is stored: a sync goes on with what it saw in the beginning, and where answers are
/// slow it takes more than a second to release some pods one after the other.
const BEHIND: Duration = Duration::from_secs(3);

pub(super) struct IdleWrite;

impl Invariant for IdleWrite {
    fn id(&self) -> &'static str {
        "W03"
    }

    fn says(&self) -> &'static str {
        "no write of the controller leaves everything as it was"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["SYN-025"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let asked = Asked::of(timeline);
        let known = known(timeline);
        let mut doubtful: BTreeSet<(&str, &str)> = BTreeSet::new();
        for (entry, request) in
            asked.writes().filter(|(_, request)| matches!(request.verb.as_str(), "update" | "patch"))
        {
            let object = (request.on.as_str(), request.name.as_str());
            if request.went_wrong() {
                doubtful.insert(object);
                continue;
            }
            let Some(made) = request.made else { continue };
            let version = known.get(&made);
            let was_known = version.is_some_and(|version| version.since + BEHIND < request.sent());
            let is_idle = changes_nothing(request, made, was_known);
            if doubtful.contains(&object) {
                if !is_idle {
                    doubtful.remove(&object);
                }
                continue;
            }
            if asked.is_upset(request.sent()) {
                continue;
            }
            findings.occasion();
            // Whoever takes the last finalizer makes the object go, and is answered with what it was.
            if version.is_some_and(|version| version.is_going) {
                continue;
            }
            if is_idle {
                findings.breach_at(entry, "a write that changes something", told(request));
            }
        }
        findings.conclude(timeline, asked.or_untold("no write of the controller was seen on its way"))
    }
}

fn changes_nothing(request: &Request, made: u64, was_known: bool) -> bool {
    (request.verb == "update" && request.from == Some(made)) || (request.verb == "patch" && was_known)
}

/// A version of an object.
struct Known {
    /// When it arrived.
    since: Duration,
    /// Whether the object is being deleted in it.
    is_going: bool,
}

/// Every version that was recorded, by its revision.
fn known(timeline: &Timeline) -> BTreeMap<u64, Known> {
    let version = |entry: &Entry| match &entry.fact {
        Fact::Object(seen) | Fact::ObjectGone(seen) => {
            let is_going = seen.metadata().deletion_timestamp.is_some();
            Some((entry.revision, Known { since: entry.at, is_going }))
        }
        _ => None,
    };
    timeline.entries().iter().filter_map(version).collect()
}
