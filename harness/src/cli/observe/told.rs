//! A history that no script of ours stirred: judged, and told as a run of one case is.

use super::{
    resolved,
    script::{Observation, Pods},
};
use crate::{
    case::Catalogue,
    cli::{
        Failure,
        run::{How, console, finish, open_folder},
    },
    cluster::ClusterSpec,
    report::{Exit, RunRecord, SinkSet, event_log::EventLog, host, rejudge::OBSERVED, run_record::Beginning, store},
    run::{CaseReport, Cell, Event, EventKind, Outcome, Sink, execute},
};
use jiff::Timestamp;
use jobsworth_api::{KubeVersion, Resource};
use jobsworth_oracle::{Ending, Entry, Expectations, Fact, Ownership, Setting, import::Choice, wire};
use k8s_openapi::api::batch::v1::Job;
use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path, sync::Arc, time::Duration};

/// A history, and what is known of how it came about.
pub(super) struct History {
    pub setting: Setting,
    pub entries: Vec<Entry>,
    pub ending: Ending,
    /// What a reader must know of the way it was recorded.
    pub notes: Vec<String>,
    /// `existing` or `recording`.
    pub provider: &'static str,
    /// Where it is from, in words.
    pub from: String,
}

/// What is known of a Job of which nobody says who takes care of it.
pub(super) fn setting(choice: &Choice, started: Timestamp, kubernetes: KubeVersion) -> Setting {
    Setting {
        case: OBSERVED.to_owned(),
        namespace: choice.namespace.clone(),
        started,
        kubernetes,
        emulated: None,
        // Whether it is served is not known; it is alpha.
        gates: BTreeMap::from([("GenericWorkload".to_owned(), false)]),
        subject: "unknown".to_owned(),
        judged: Resource::JOBS,
        ownership: Ownership::BuiltIn,
        shared: true,
    }
}

/// Judges the history, writes every report, and says how it went.
pub(super) fn tell(mut history: History, how: &How, catalogue: &Catalogue) -> Result<Exit, Failure> {
    history.setting.ownership = owner(&history.entries);
    history.entries.extend(late(&history.entries));
    let History { setting, entries, ending, notes, provider, from } = history;
    let took = entries.iter().map(|entry| entry.at).max().unwrap_or_default();
    let cell = Cell {
        id: "observed".to_owned(),
        provider,
        subject: setting.subject.clone(),
        subject_flags: Vec::new(),
        provider_flags: Vec::new(),
        ownership: setting.ownership.clone(),
        spec: ClusterSpec::of(setting.kubernetes),
    };
    let observation = Observation { objects: Vec::new(), pods: Pods::Run, limit: Duration::ZERO };
    let resolved = resolved(cell, &observation);
    let folder = open_folder(how.out.as_deref(), &resolved.run.id)?;
    let beginning = Beginning {
        resolved: &resolved,
        argv: std::env::args().collect(),
        now: Timestamp::now(),
        host: host::fingerprint(),
        provider: format!("{provider}: {from}"),
    };
    let record = Arc::new(RunRecord::open(beginning, catalogue, &[&observation]));
    store::write_whole(&folder.join("run.json"), store::json(&record.so_far()).as_bytes())?;
    let events = EventLog::create(&folder.join("events.ndjson"))?;
    let console = console(how, &record);
    let relative = Path::new("cells").join("observed").join("observe-manifest-1.timeline.ndjson");
    let cell = folder.join("cells").join("observed");
    fs::create_dir_all(&cell)
        .map_err(|error| Failure::undecided(format!("failed to create the folder {}: {error}", cell.display())))?;
    store::write_whole(&folder.join(&relative), lines(&setting, &entries, &ending).as_bytes())?;
    // What is judged is what is on disk, as for every case.
    let timeline = execute::read(&folder.join(&relative)).map_err(Failure::undecided)?;
    let (judgement, excerpts) = execute::judged(&timeline, &Expectations::new());
    let mut outcome = Outcome::default();
    outcome.count(judgement.verdict);
    let report = CaseReport {
        cell: "observed".to_owned(),
        case: OBSERVED,
        attempt: 1,
        namespace: setting.namespace,
        started: setting.started,
        took,
        waited: Duration::ZERO,
        ending,
        refused: None,
        judgement,
        timeline: relative,
        excerpts,
    };
    let sinks = SinkSet::default().and(&*record).and(&events).and(&console);
    let warnings = notes.into_iter().map(EventKind::Warning);
    let last = [EventKind::CaseFinished(Box::new(report)), EventKind::RunFinished { outcome }];
    for kind in warnings.chain(last) {
        sinks.take(&Event { at: Timestamp::now(), elapsed: took, kind });
    }
    drop(sinks);
    let troubles = events.finish().err().map(|error| error.to_string()).into_iter().collect();
    finish(&folder, record.close(), troubles, console)
}

/// A gap where the Job had a history already when it was first seen: what its counters rest on is not known.
fn late(entries: &[Entry]) -> Option<Entry> {
    let first = entries.iter().find(|entry| entry.fact.version::<Job>().is_some())?;
    let status = first.fact.version::<Job>()?.status.as_ref()?;
    let uncounted = status.uncounted_terminated_pods.as_ref();
    let is_late = status.succeeded.unwrap_or(0) > 0
        || status.failed.unwrap_or(0) > 0
        || status.conditions.as_ref().is_some_and(|conditions| !conditions.is_empty())
        || uncounted.is_some_and(|lists| lists.failed.is_some() || lists.succeeded.is_some());
    let fact = Fact::Gap("jobs and pods from before this recording".to_owned());
    is_late.then_some(Entry { revision: first.revision, at: first.at, fact })
}

/// Whoever the Job names.
fn owner(entries: &[Entry]) -> Ownership {
    let job = entries.iter().find_map(|entry| entry.fact.version::<Job>());
    let manager = job.and_then(|job| job.spec.as_ref()?.managed_by.clone());
    match manager.filter(|manager| manager != jobsworth_api::well_known::BUILT_IN_CONTROLLER) {
        Some(manager) => Ownership::ManagedBy(manager),
        None => Ownership::BuiltIn,
    }
}

/// The timeline as a file.
fn lines(setting: &Setting, entries: &[Entry], ending: &Ending) -> String {
    let mut text = wire::head(setting) + "\n";
    for entry in entries {
        let _ = writeln!(text, "{}", wire::entry(entry));
    }
    text + &wire::end(ending, entries.len()) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_oracle::Seen;
    use rstest::rstest;
    use serde_json::{Value, json};

    #[rstest]
    #[case::nobody_looked_at(json!({}), false)]
    #[case::whose_pods_run(json!({"active": 2, "ready": 1}), false)]
    #[case::that_counted(json!({"failed": 1}), true)]
    #[case::that_has_ended(json!({"conditions": [{"type": "Complete", "status": "True"}]}), true)]
    fn a_recording_begins_late_with_a_job(#[case] status: Value, #[case] is_late: bool) {
        let template = json!({"spec": {"containers": []}});
        let job = json!({"metadata": {"name": "job", "uid": "u"}, "spec": {"template": template}, "status": status});
        let fact = Fact::there(Seen::<Job>::new(job).unwrap());
        let entries = [Entry { revision: 7, at: Duration::ZERO, fact }];
        assert_eq!(late(&entries).is_some(), is_late);
    }
}
