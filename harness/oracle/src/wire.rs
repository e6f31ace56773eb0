//! Timelines as lines of JSON: how they are kept on disk.
//!
//! The first line describes the circumstances, then one line an entry in order of arrival, and a last
//! line that says how the recording ended and how many entries there are. A file without its last line
//! is a recording that was cut off; it reads as [`Ending::Truncated`].

use crate::regime::{Phase, Regime, RegimeMark};
use crate::{
    fact::{Answer, Cause, Entry, Fact, Notice},
    recorded::{self, Recorded, Seen, Sighting},
    setting::{Ownership, Setting},
    timeline::{Death, Ending, Timeline},
};
use jobsworth_api::{KubeVersion, Minor, Resource};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{collections::BTreeMap, io::BufRead, sync::Arc, time::Duration};

/// The schema of timeline files, in their first line.
pub const SCHEMA: &str = "jobsworth/timeline/v1";

/// Why a timeline file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TimelineError {
    /// The file cannot be read.
    #[error("failed to read the timeline")]
    Io(#[from] std::io::Error),
    /// The file is empty, or its first line is not one of ours.
    #[error("line 1 is not the head of a {SCHEMA} timeline: {0}")]
    Head(String),
    /// A line is not an entry.
    #[error("line {line} is not an entry: {because}")]
    Entry {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        because: String,
    },
    /// The last line counts other entries than there are.
    #[error("the last line counts {counted} entries, but there are {found}")]
    Count {
        /// What the last line says.
        counted: usize,
        /// How many there are.
        found: usize,
    },
    /// There are lines after the last line.
    #[error("line {0} comes after the end")]
    AfterEnd(usize),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadLine {
    schema: String,
    case: String,
    namespace: String,
    started: jiff::Timestamp,
    kubernetes: String,
    emulated: Option<String>,
    gates: BTreeMap<String, bool>,
    subject: String,
    /// Absent where it is `batch/v1` Jobs, which it always was at first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judged: Option<JudgedLine>,
    /// `built-in`, `drop-in`, or the value of `spec.managedBy`.
    ownership: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    shared: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgedLine {
    group: String,
    version: String,
    plural: String,
    kind: String,
}

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

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndLine {
    end: EndWord,
    entries: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EndWord {
    Complete,
    Stalled { waited_for: String, limit_s: u64 },
    Death { status: String, last_words: Vec<String> },
    Fault(String),
    Truncated,
}

/// The first line of a timeline file, without its line break.
#[must_use]
pub fn head(setting: &Setting) -> String {
    let ownership = match &setting.ownership {
        Ownership::BuiltIn => "built-in".to_owned(),
        Ownership::DropIn => "drop-in".to_owned(),
        Ownership::ManagedBy(name) => name.clone(),
    };
    line(&HeadLine {
        schema: SCHEMA.to_owned(),
        case: setting.case.clone(),
        namespace: setting.namespace.clone(),
        started: setting.started,
        kubernetes: setting.kubernetes.to_string(),
        emulated: setting.emulated.map(|minor| minor.to_string()),
        gates: setting.gates.clone(),
        subject: setting.subject.clone(),
        judged: (setting.judged != Resource::JOBS).then(|| judged_line(&setting.judged)),
        ownership,
        shared: setting.shared,
    })
}

fn judged_line(judged: &Resource) -> JudgedLine {
    JudgedLine {
        group: judged.group.clone().into_owned(),
        version: judged.version.clone().into_owned(),
        plural: judged.plural.clone().into_owned(),
        kind: judged.kind.clone().into_owned(),
    }
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

/// The last line of a timeline file, without its line break.
#[must_use]
pub fn end(ending: &Ending, entries: usize) -> String {
    let end = match ending.clone() {
        Ending::Complete => EndWord::Complete,
        Ending::Stalled { waited_for, limit } => EndWord::Stalled { waited_for, limit_s: limit.as_secs() },
        Ending::Death(Death { status, last_words }) => EndWord::Death { status, last_words },
        Ending::Fault(what) => EndWord::Fault(what),
        Ending::Truncated => EndWord::Truncated,
    };
    line(&EndLine { end, entries })
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("lines have string keys and no failing parts")
}

/// Reads a timeline file.
///
/// # Errors
/// When a line is not what it must be; the error names it. A missing last line, also with half a line
/// in its place, is no error but [`Ending::Truncated`].
pub fn read(mut file: impl BufRead) -> Result<Timeline, TimelineError> {
    let mut text = String::new();
    file.read_line(&mut text)?;
    let setting = setting(&text).map_err(TimelineError::Head)?;
    let (mut entries, mut ending, mut number) = (Vec::new(), None, 1);
    loop {
        text.clear();
        number += 1;
        if file.read_line(&mut text)? == 0 {
            break;
        }
        if ending.is_some() {
            return Err(TimelineError::AfterEnd(number));
        }
        let whole = text.ends_with('\n');
        match parsed(text.trim_end()) {
            Ok(Line::Entry(entry)) => entries.push(entry),
            Ok(Line::End(end, counted)) if counted == entries.len() => ending = Some(end),
            Ok(Line::End(_, counted)) => return Err(TimelineError::Count { counted, found: entries.len() }),
            Err(_) if !whole => break,
            Err(because) => return Err(TimelineError::Entry { line: number, because }),
        }
    }
    Ok(Timeline::seal(setting, entries, ending.unwrap_or(Ending::Truncated)))
}

enum Line {
    Entry(Entry),
    End(Ending, usize),
}

fn setting(text: &str) -> Result<Setting, String> {
    let head: HeadLine = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if head.schema != SCHEMA {
        return Err(format!("its schema is `{}`", head.schema));
    }
    let Regime { kubernetes, emulated, gates } = regime(&head.kubernetes, head.emulated.as_deref(), head.gates)?;
    let ownership = match head.ownership.as_str() {
        "built-in" => Ownership::BuiltIn,
        "drop-in" => Ownership::DropIn,
        _ => Ownership::ManagedBy(head.ownership),
    };
    Ok(Setting {
        case: head.case,
        namespace: head.namespace,
        started: head.started,
        kubernetes,
        emulated,
        gates,
        subject: head.subject,
        judged: head.judged.map_or(Resource::JOBS, judged),
        ownership,
        shared: head.shared,
    })
}

fn judged(JudgedLine { group, version, plural, kind }: JudgedLine) -> Resource {
    Resource { group: group.into(), version: version.into(), plural: plural.into(), kind: kind.into() }
}

fn regime(kubernetes: &str, emulated: Option<&str>, gates: BTreeMap<String, bool>) -> Result<Regime, String> {
    let kubernetes: KubeVersion = kubernetes.parse().map_err(|error| format!("{error}"))?;
    let emulated: Option<Minor> = emulated.map(str::parse).transpose().map_err(|error| format!("{error}"))?;
    Ok(Regime { kubernetes, emulated, gates })
}

fn parsed(text: &str) -> Result<Line, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value.get("end").is_some() {
        let EndLine { end, entries } = typed(value)?;
        let ending = match end {
            EndWord::Complete => Ending::Complete,
            EndWord::Stalled { waited_for, limit_s } => {
                Ending::Stalled { waited_for, limit: Duration::from_secs(limit_s) }
            }
            EndWord::Death { status, last_words } => Ending::Death(Death { status, last_words }),
            EndWord::Fault(what) => Ending::Fault(what),
            EndWord::Truncated => Ending::Truncated,
        };
        return Ok(Line::End(ending, entries));
    }
    let EntryLine { rev, at_us, fact } = typed(value)?;
    Ok(Line::Entry(Entry { revision: rev, at: Duration::from_micros(at_us), fact: fact_of(fact)? }))
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
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

#[cfg(test)]
mod tests;
