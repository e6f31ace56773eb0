//! What tests of sweeps need: a case that does nothing, histories of one Job, parts of records.

use super::{
    point::Fate,
    record::{BaselessCase, Outcome, PartBreakdown, PointRecord, UnjudgedPoint},
};
use crate::{
    case::{About, AnyCase, Case, Claim, KnownEnd, Needs, Source},
    cluster::subject_kind::JobApi,
    report::schema::{BreakdownRecord, What},
    scene::{Scene, Stop},
};
use jiff::Timestamp;
use jobsworth_api::{ConditionKind, Minor};
use jobsworth_oracle::{
    Ending, Entry, Expectations, Fact, Ownership, Recorded, Seen, Setting, Timeline,
    recorded::volcano,
    vocabulary::{job::ConditionWords as _, job_named},
};
use k8s_openapi::api::batch::v1::Job;
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};

/// Its id.
pub(super) const IDLE: &str = "suite/idle";

struct Idle {
    api: JobApi,
    gates: &'static [&'static str],
}

impl Case for Idle {
    fn about(&self) -> About {
        About {
            id: IDLE,
            claim: Claim { source: Source::JobController, section: "any", says: "any" },
            requirements: &[],
            needs: Needs { api: self.api, gates: self.gates, ..Needs::default() },
        }
    }

    async fn script(&self, _: &mut Scene) -> Result<(), Stop> {
        Ok(())
    }

    fn expects(&self) -> Expectations {
        Expectations::new()
    }
}

/// A case about this API that does nothing.
pub(super) fn idle(api: JobApi) -> &'static dyn AnyCase {
    Box::leak(Box::new(Idle { api, gates: &[] }))
}

/// A case of which [`KNOWN_ENDS`] are known.
pub(super) const WITH_A_KNOWN_END: &dyn AnyCase = &Idle { api: JobApi::Batch, gates: &["Known"] };

/// The built-in controller of 1.37 may fail a Job for the reason `Known` though index 0 is completed.
pub(super) const KNOWN_ENDS: &[KnownEnd] = &[KnownEnd {
    subject: "builtin",
    since: Minor::new(1, 37),
    until: Minor::new(1, 37),
    gate: "Known",
    instead_of: ConditionKind::Complete,
    shows: |name| {
        job_named(name).has(ConditionKind::Failed.because("Known")).and(job_named(name).completed_indexes("0"))
    },
    source: "a page",
}];

/// The Job of this name, there with this status, or gone with it.
pub(super) fn job(api: JobApi, status: &Value, is_gone: bool) -> Fact {
    let object = json!({"metadata": {"name": "job", "uid": "u"}, "status": status});
    match api {
        JobApi::Batch => fact::<Job>(object, is_gone),
        JobApi::Volcano => fact::<volcano::Job>(object, is_gone),
    }
}

fn fact<K: Recorded>(object: Value, is_gone: bool) -> Fact {
    let seen = Seen::<K>::new(object).unwrap();
    if is_gone { Fact::gone(seen) } else { Fact::there(seen) }
}

/// The recording of a script that came to its end.
pub(super) fn timeline(api: JobApi, facts: Vec<Fact>) -> Timeline {
    let setting = Setting {
        case: IDLE.to_owned(),
        namespace: "jw-1".to_owned(),
        started: Timestamp::UNIX_EPOCH,
        kubernetes: "1.37.1".parse().unwrap(),
        emulated: None,
        gates: BTreeMap::new(),
        subject: "any".to_owned(),
        judged: api.resource(),
        ownership: Ownership::DropIn,
        shared: false,
    };
    let entry = |(fact, revision)| Entry { revision, at: Duration::from_millis(revision), fact };
    Timeline::seal(setting, facts.into_iter().zip(1..).map(entry).collect(), Ending::Complete)
}

/// A point of `suite/a` in a record.
pub(super) fn point(write: u32, fate: Fate, outcome: Outcome) -> PointRecord {
    let because = match outcome {
        Outcome::Broken => vec!["S13: counted twice".to_owned()],
        Outcome::Deviates => vec!["known: see a page".to_owned(), "claim: Job job ends Complete: it failed".to_owned()],
        _ => Vec::new(),
    };
    let (id, case, timeline) = (format!("a-{write}"), "suite/a".to_owned(), "part-1/t".to_owned());
    PointRecord { id, case, write, fate, outcome, because, timeline }
}

/// A point of `suite/a` that took too long.
pub(super) fn unjudged(write: u32) -> UnjudgedPoint {
    UnjudgedPoint {
        id: format!("a-{write}"),
        case: "suite/a".to_owned(),
        write,
        fate: Fate::AnswerLost,
        because: "the case took over 300s".to_owned(),
        timeline: Some("part-1/u".to_owned()),
    }
}

/// A case that did not hold without faults; where nobody can tell, because it never began.
pub(super) fn baseless(case: &str, outcome: Outcome) -> BaselessCase {
    let (why, timeline) = match outcome {
        Outcome::Broken => ("S01: no counter falls: it fell", Some("baseline/t".to_owned())),
        _ => ("the run was stopped by SIGINT", None),
    };
    BaselessCase { case: case.to_owned(), outcome, because: vec![why.to_owned()], timeline }
}

/// A breakdown for which no case fails.
pub(super) fn breakdown(what: What) -> PartBreakdown {
    let (last_lines, cases) = (vec!["panicked at x".to_owned()], vec!["a-1".to_owned()]);
    let breakdown = BreakdownRecord { what, status: None, last_lines, cases, blamed: Vec::new() };
    PartBreakdown { part: "part-1".to_owned(), breakdown }
}
