//! What a case does where nothing happens to it, read from its timeline.

use jobsworth_api::ConditionKind;
use jobsworth_oracle::{Ending, Timeline};
use std::collections::BTreeMap;

/// A case without faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// Verb and resource of each write of the controller, in the order in which they came; Events and Leases are left out.
    pub writes: Vec<String>,
    /// How its Jobs ended, by name.
    pub ends: BTreeMap<String, End>,
}

/// How a Job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this condition.
    With(ConditionKind),
    /// It is gone.
    Gone,
}

impl Baseline {
    /// What a timeline shows; nothing where the script did not come to its end.
    #[must_use]
    pub fn of(timeline: &Timeline) -> Option<Self> {
        if timeline.ending != Ending::Complete {
            return None;
        }
        let mut writes: Vec<_> = timeline.requests().map(|(_, request)| request).collect();
        writes.retain(|request| request.writes() && !matches!(request.on.as_str(), "events" | "leases"));
        writes.sort_by_key(|request| request.sent_us);
        let jobs = timeline.jobs();
        let ends = jobs.iter().filter_map(|job| {
            let is = |kind: &ConditionKind| {
                let conditions = job.last().object.status.iter().flat_map(|status| status.conditions.iter().flatten());
                conditions.into_iter().any(|held| held.status == "True" && held.type_ == kind.as_str())
            };
            let end = [ConditionKind::Complete, ConditionKind::Failed].into_iter().find(is).map(End::With);
            Some((job.name.clone(), if job.gone.is_some() { End::Gone } else { end? }))
        });
        let words = writes.iter().map(|request| format!("{} {}", request.verb, request.on)).collect();
        Some(Self { writes: words, ends: ends.collect() })
    }
}
