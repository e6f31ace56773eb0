//! W02: no blind overwrite (SYN-024; S29).
//!
//! An update, and a patch of a status, carries the resourceVersion of what it was computed from, so that the API server refuses it
//! where that is not the latest any more. Other patches say what they change, and no more.

use super::{
    Invariant,
    asked::{Asked, is_of_status, told},
    findings::Findings,
};
use crate::{property::Check, timeline::Timeline};

pub(super) struct BlindWrite;

impl Invariant for BlindWrite {
    fn id(&self) -> &'static str {
        "W02"
    }

    fn says(&self) -> &'static str {
        "whatever replaces an object or its status carries the version that it was computed from"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["SYN-024"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for (entry, request) in Asked::of(timeline).writes() {
            if (request.verb != "update" && !is_of_status(request)) || !request.shows_its_body() {
                continue;
            }
            findings.occasion();
            if request.from.is_none() {
                findings.breach_at(entry, "a write with a resourceVersion", told(request));
            }
        }
        findings.conclude(timeline, "nothing was replaced")
    }
}
