//! U01 and U02: what holds for objects of whatever kind.
//!
//! U01 is the API server's promise, and a history that breaks it cannot be trusted in anything else. U02 is a
//! convention of the API: a controller that says which generation it has seen has not seen a later one than there is,
//! and does not forget one.

use super::{Invariant, findings::Findings};
use crate::{
    fact::{Entry, Fact},
    property::Check,
    recorded::Sighting,
    timeline::Timeline,
};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) struct NoReturn;

pub(super) struct ObservedGeneration;

impl Invariant for NoReturn {
    fn id(&self) -> &'static str {
        "U01"
    }

    fn says(&self) -> &'static str {
        "an object that is being deleted stays so, and one that is gone does not return"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let mut last: BTreeMap<&str, &Entry> = BTreeMap::new();
        for (entry, sighting) in versions(timeline) {
            let Some(before) = last.insert(sighting.uid(), entry) else { continue };
            findings.occasion();
            let was_deleted = before.fact.sighting().is_some_and(is_deleted);
            if matches!(before.fact, Fact::ObjectGone(_)) {
                findings.breach_at(entry, "what is gone does not return", format!("{}: there again", name(sighting)));
            } else if was_deleted && !is_deleted(sighting) {
                findings.breach_at(entry, "a deletion is not taken back", format!("{}: not deleted", name(sighting)));
            }
        }
        findings.conclude(timeline, "no object had a second version")
    }
}

impl Invariant for ObservedGeneration {
    fn id(&self) -> &'static str {
        "U02"
    }

    fn says(&self) -> &'static str {
        "the generation that a status tells of is not later than the object's, and never an earlier one than before"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let mut last: BTreeMap<&str, i64> = BTreeMap::new();
        for (entry, sighting) in versions(timeline) {
            let Some(seen) = sighting.raw().pointer("/status/observedGeneration").and_then(Value::as_i64) else {
                continue;
            };
            findings.occasion();
            let observed = format!("{}: observedGeneration {seen}", name(sighting));
            let before = last.insert(sighting.uid(), seen).unwrap_or(seen);
            match sighting.metadata().generation {
                Some(generation) if generation < seen => {
                    findings.breach_at(entry, format!("at most generation {generation}"), observed);
                }
                _ if seen < before => findings.breach_at(entry, format!("at least {before}, as before"), observed),
                _ => {}
            }
        }
        findings.conclude(timeline, "no status told of a generation")
    }
}

/// Every version of every object, the last one of what is gone too.
fn versions(timeline: &Timeline) -> impl Iterator<Item = (&Entry, &Sighting)> {
    timeline.entries().iter().filter_map(|entry| Some((entry, entry.fact.sighting()?)))
}

fn is_deleted(sighting: &Sighting) -> bool {
    sighting.metadata().deletion_timestamp.is_some()
}

fn name(sighting: &Sighting) -> String {
    format!("{} {}", sighting.kind(), sighting.name())
}
