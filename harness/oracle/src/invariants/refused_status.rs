//! W01: the subject's own status writes pass validation (STA-021; S29).
//!
//! Judged by the API server's own answers. A refusal by an admission policy or a webhook is nobody's mistake; where the script has
//! written to the status of a Job of that name, what follows is not the subject's doing; and neither is what an API server says
//! that changes meanwhile.

use super::{
    Invariant,
    asked::{Asked, is_of_status, told},
    findings::Findings,
    tampering,
};
use crate::{property::Check, request::Request, timeline::Timeline};

/// In what an API server says when a policy or a webhook refuses.
const ADMISSION: [&str; 2] = ["denied request", "denied the request"];

pub(super) struct RefusedStatus;

impl Invariant for RefusedStatus {
    fn id(&self) -> &'static str {
        "W01"
    }

    fn says(&self) -> &'static str {
        "no status write of the controller is refused as invalid"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["STA-021"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let jobs = timeline.jobs();
        let tampered: Vec<_> = jobs.iter().filter(|job| !tampering::written(job).is_empty()).collect();
        let asked = Asked::of(timeline);
        for (entry, request) in asked.writes().filter(|(_, request)| is_of_status(request)) {
            if tampered.iter().any(|job| job.name == request.name) || !timeline.regimes().is_constant() {
                continue;
            }
            // An audit log that does not say why cannot tell a policy's refusal from one by validation.
            if request.audited.is_some() && request.refusal().is_some() && request.says.is_empty() {
                continue;
            }
            findings.occasion();
            if matches!(request.refusal(), Some(400 | 422)) && !is_by_admission(request) {
                findings.breach_at(entry, "a status that is valid", told(request));
            }
        }
        findings.conclude(timeline, "no status write of the controller was seen on its way")
    }
}

fn is_by_admission(request: &Request) -> bool {
    ADMISSION.iter().any(|words| request.says.contains(words))
}
