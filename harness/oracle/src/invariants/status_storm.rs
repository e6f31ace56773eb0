//! W07: the status of a Job is not written all the time (L7, SYN-009).
//!
//! Changes of pods are gathered for a while before they are acted upon, and what is found then is written in a few steps. More
//! writes in a second than that takes mean a controller that writes for each pod, or whatever it sees.

use super::{
    Invariant,
    asked::{Asked, is_of_status, told},
    findings::Findings,
};
use crate::{fact::Entry, property::Check, request::Request, timeline::Timeline};
use std::{collections::BTreeMap, time::Duration};

/// Steps of a Job's life that scripts crowd into one second take a few writes each; no history of a sound controller has half
/// as many.
const WRITES: usize = 20;
const SECOND: Duration = Duration::from_secs(1);

pub(super) struct StatusStorm;

impl Invariant for StatusStorm {
    fn id(&self) -> &'static str {
        "W07"
    }

    fn says(&self) -> &'static str {
        "the controller does not write the status of one object many times a second"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let asked = Asked::of(timeline);
        let mut by_object: BTreeMap<(&str, &str), Vec<(&Entry, &Request)>> = BTreeMap::new();
        for (entry, request) in asked.writes().filter(|(_, request)| is_of_status(request) && request.is_taken()) {
            findings.occasion();
            by_object.entry((&request.on, &request.name)).or_default().push((entry, request));
        }
        for writes in by_object.values() {
            for storm in writes.windows(WRITES + 1) {
                let (first, (entry, last)) = (storm[0].1, storm[WRITES]);
                if last.sent() < first.sent() + SECOND {
                    let observed = format!("{} for the {}th time", told(last), WRITES + 1);
                    findings.breach_at(entry, format!("at most {WRITES} status writes in a second"), observed);
                }
            }
        }
        findings.conclude(timeline, "the controller wrote no status")
    }
}
