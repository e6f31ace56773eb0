//! A line of a timeline file between its first and its last: one entry.

use super::{line, regime, typed};
use crate::fact::{Answer, Cause, Entry, Fact, Notice};
use crate::recorded::{self, Recorded, Seen, Sighting};
use crate::regime::{Phase, RegimeMark};
use crate::request::Request;
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc, time::Duration};

#[derive(Serialize, Deserialize)]
struct EntryLine {
    rev: u64,
    at_us: u64,
    #[serde(flatten)]
    fact: FactLine,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
enum FactLine {
    Job {
        object: Arc<Value>,
    },
    JobGone {
        object: Arc<Value>,
    },
    Pod {
        object: Arc<Value>,
    },
    PodGone {
        object: Arc<Value>,
    },
    Object {
        object: Arc<Value>,
    },
    ObjectGone {
        object: Arc<Value>,
    },
    Notice {
        kind: String,
        reason: String,
        message: String,
        about: String,
        count: u32,
    },
    Answer {
        to: String,
        code: u16,
        reason: String,
        message: String,
        causes: Vec<CauseLine>,
        warnings: Vec<String>,
        body: Arc<Value>,
    },
    Request(Request),
    Mark {
        mark: String,
    },
    Regime {
        mark: String,
        phase: PhaseWord,
        kubernetes: String,
        emulated: Option<String>,
        gates: BTreeMap<String, bool>,
    },
    Gap {
        resource: String,
    },
    Apart {
        resource: String,
    },
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PhaseWord {
    Begun,
    Attested,
}

#[derive(Serialize, Deserialize)]
struct CauseLine {
    field: String,
    reason: String,
    message: String,
}

/// The line of one entry, without its line break.
#[must_use]
pub fn entry(entry: &Entry) -> String {
    let fact = match &entry.fact {
        Fact::Object(sighting) => there_line(sighting),
        Fact::ObjectGone(sighting) => gone_line(sighting),
        Fact::Notice(Notice { kind, reason, message, about, count }) => FactLine::Notice {
            kind: kind.clone(),
            reason: reason.clone(),
            message: message.clone(),
            about: about.clone(),
            count: *count,
        },
        Fact::Answer(answer) => answer_line(answer),
        Fact::Request(request) => FactLine::Request(Request::clone(request)),
        Fact::Mark(mark) => FactLine::Mark { mark: mark.clone() },
        Fact::Regime(mark) => regime_line(mark),
        Fact::Gap(resource) => FactLine::Gap { resource: resource.clone() },
        Fact::Apart(resource) => FactLine::Apart { resource: resource.clone() },
    };
    let at_us = u64::try_from(entry.at.as_micros()).unwrap_or(u64::MAX);
    line(&EntryLine { rev: entry.revision, at_us, fact })
}

fn there_line(sighting: &Sighting) -> FactLine {
    let object = sighting.raw().clone();
    match sighting.line() {
        recorded::Line::Job => FactLine::Job { object },
        recorded::Line::Pod => FactLine::Pod { object },
        recorded::Line::Object => FactLine::Object { object },
    }
}

fn gone_line(sighting: &Sighting) -> FactLine {
    let object = sighting.raw().clone();
    match sighting.line() {
        recorded::Line::Job => FactLine::JobGone { object },
        recorded::Line::Pod => FactLine::PodGone { object },
        recorded::Line::Object => FactLine::ObjectGone { object },
    }
}

fn regime_line(RegimeMark { mark, phase, regime }: &RegimeMark) -> FactLine {
    FactLine::Regime {
        mark: mark.clone(),
        phase: match phase {
            Phase::Begun => PhaseWord::Begun,
            Phase::Attested => PhaseWord::Attested,
        },
        kubernetes: regime.kubernetes.to_string(),
        emulated: regime.emulated.map(|minor| minor.to_string()),
        gates: regime.gates.clone(),
    }
}

fn answer_line(answer: &Answer) -> FactLine {
    let cause = |cause: &Cause| CauseLine {
        field: cause.field.clone(),
        reason: cause.reason.clone(),
        message: cause.message.clone(),
    };
    FactLine::Answer {
        to: answer.to.clone(),
        code: answer.code,
        reason: answer.reason.clone(),
        message: answer.message.clone(),
        causes: answer.causes.iter().map(cause).collect(),
        warnings: answer.warnings.clone(),
        body: answer.body.clone(),
    }
}

/// What the line says, or what is wrong with it.
pub(super) fn read(line: Value) -> Result<Entry, String> {
    let EntryLine { rev, at_us, fact } = typed(line)?;
    Ok(Entry { revision: rev, at: Duration::from_micros(at_us), fact: fact_of(fact)? })
}

fn seen<K: Recorded>(raw: Arc<Value>) -> Result<Sighting, String> {
    Seen::<K>::new(Arc::unwrap_or_clone(raw)).map(Sighting::from).map_err(|error| error.to_string())
}

fn told(raw: Arc<Value>) -> Result<Sighting, String> {
    Sighting::of_any_kind(Arc::unwrap_or_clone(raw)).map_err(|error| error.to_string())
}

fn fact_of(fact: FactLine) -> Result<Fact, String> {
    Ok(match fact {
        FactLine::Job { object } => Fact::Object(seen::<Job>(object)?),
        FactLine::JobGone { object } => Fact::ObjectGone(seen::<Job>(object)?),
        FactLine::Pod { object } => Fact::Object(seen::<Pod>(object)?),
        FactLine::PodGone { object } => Fact::ObjectGone(seen::<Pod>(object)?),
        FactLine::Object { object } => Fact::Object(told(object)?),
        FactLine::ObjectGone { object } => Fact::ObjectGone(told(object)?),
        FactLine::Notice { kind, reason, message, about, count } => {
            Fact::Notice(Notice { kind, reason, message, about, count })
        }
        FactLine::Answer { to, code, reason, message, causes, warnings, body } => {
            let cause = |line: CauseLine| Cause { field: line.field, reason: line.reason, message: line.message };
            let causes = causes.into_iter().map(cause).collect();
            Fact::Answer(Answer { to, code, reason, message, causes, warnings, body })
        }
        FactLine::Request(request) => Fact::Request(request.into()),
        FactLine::Mark { mark } => Fact::Mark(mark),
        FactLine::Regime { mark, phase, kubernetes, emulated, gates } => Fact::Regime(RegimeMark {
            mark,
            phase: match phase {
                PhaseWord::Begun => Phase::Begun,
                PhaseWord::Attested => Phase::Attested,
            },
            regime: regime(&kubernetes, emulated.as_deref(), gates)?,
        }),
        FactLine::Gap { resource } => Fact::Gap(resource),
        FactLine::Apart { resource } => Fact::Apart(resource),
    })
}
