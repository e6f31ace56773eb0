//! The wire form of events: a line of `events.ndjson`, schema `jobsworth/events/v1`.

use super::{Attested, BreakdownRecord, Failure, Lost, Tally, Verdict};
use crate::{
    run::{CaseReport, Event, EventKind},
    slo::answer::Finding,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::BTreeMap, time::Duration};

/// The schema of a line, named in the first.
pub const EVENTS: &str = "jobsworth/events/v1";

/// One line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventLine {
    /// Wall clock.
    #[schemars(with = "String")]
    pub t: Timestamp,
    /// Microseconds of a monotonic clock since the run began.
    pub mono_us: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: EventRecord,
}

/// What happened.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "ev")]
pub enum EventRecord {
    /// The run begins.
    #[serde(rename = "run.started")]
    RunStarted {
        /// `jobsworth/events/v1`.
        schema: String,
        /// Id of the run.
        run: String,
        /// Seed of everything random.
        seed: u64,
        /// How many cells there are.
        cells: usize,
        /// How many turns of cases there are.
        turns: usize,
    },
    /// A step on the way to a cell's cluster.
    #[serde(rename = "cell.step")]
    Step {
        /// The cell.
        cell: String,
        /// The step in words.
        says: String,
    },
    /// A cell's cluster was compared with what was asked for.
    #[serde(rename = "cell.attested")]
    Attested {
        /// The cell.
        cell: String,
        /// Wanted against found.
        attested: Attested,
        /// SHA-256 of each program, by file name.
        binaries: BTreeMap<String, String>,
    },
    /// A case changed its cluster, and every component has said so.
    #[serde(rename = "cell.changed")]
    Changed {
        /// The cell.
        cell: String,
        /// Id of the case.
        case: String,
        /// Which repetition, from 1.
        attempt: u32,
        /// What is so now, for example `JobSuccessPolicy off`.
        to: String,
        /// How long it took, in milliseconds.
        took_ms: u64,
        /// How long each component took, in milliseconds and in order.
        steps: Vec<ChangedStep>,
        /// Wanted against found.
        attested: Attested,
    },
    /// A cell cannot give verdicts.
    #[serde(rename = "cell.lost")]
    CellLost {
        /// The cell.
        cell: String,
        /// Why.
        #[serde(flatten)]
        lost: Lost,
    },
    /// The controller under test died, or panicked and went on.
    #[serde(rename = "controller.broke")]
    ControllerBroke {
        /// The cell.
        cell: String,
        /// What happened.
        #[serde(flatten)]
        breakdown: BreakdownRecord,
    },
    /// The cases that ran beside each other when the controller last died were tried again, each alone.
    #[serde(rename = "controller.tried")]
    SuspectsTried {
        /// The cell.
        cell: String,
        /// Those during which it died again.
        repeated_by: Vec<String>,
    },
    /// The cluster of a cell stays, as asked.
    #[serde(rename = "cell.kept")]
    ClusterKept {
        /// The cell.
        cell: String,
        /// The cluster's name.
        name: String,
    },
    /// Many cases waited in vain, so that waits are cut short from here on.
    #[serde(rename = "patience.shortened")]
    PatienceShortened {
        /// The cell.
        cell: String,
        /// How many cases had waited in vain.
        cases: u32,
        /// How long a wait may be from here on, in milliseconds.
        to_ms: u64,
        /// The longest wait of a case that passed by then, in milliseconds.
        needed_ms: u64,
    },
    /// What the components of a cell said of themselves about service levels.
    #[serde(rename = "cell.objectives")]
    ObjectivesTold {
        /// The cell.
        cell: String,
        /// Those that something was measured for.
        findings: Vec<Finding>,
    },
    /// A case was not run, because it does not apply.
    #[serde(rename = "case.skipped")]
    CaseSkipped {
        /// The cell.
        cell: String,
        /// Id of the case.
        case: String,
        /// Why.
        because: String,
    },
    /// A case begins.
    #[serde(rename = "case.started")]
    CaseStarted {
        /// The cell.
        cell: String,
        /// Id of the case.
        case: String,
        /// Which repetition, from 1.
        attempt: u32,
    },
    /// A case ended.
    #[serde(rename = "case.finished")]
    CaseFinished {
        /// The cell.
        cell: String,
        /// Id of the case.
        case: String,
        /// Which repetition, from 1.
        attempt: u32,
        /// How it came out.
        verdict: Verdict,
        /// How long it took, in milliseconds.
        dur_ms: u64,
        /// The timeline, relative to the run's folder.
        timeline: String,
        /// Every broken sentence.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        failures: Vec<Failure>,
        /// Why the evidence does not suffice.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        doubts: Vec<String>,
    },
    /// A case did not get to its end, or never began.
    #[serde(rename = "case.incomplete")]
    CaseIncomplete {
        /// The cell.
        cell: String,
        /// Id of the case.
        case: String,
        /// Which repetition, from 1.
        attempt: u32,
        /// Why.
        because: String,
    },
    /// Something that changes no verdict.
    #[serde(rename = "warning")]
    Warning {
        /// In words.
        says: String,
    },
    /// The run was asked to stop.
    #[serde(rename = "run.interrupted")]
    Interrupted {
        /// Name of the signal.
        signal: String,
    },
    /// The run ends.
    #[serde(rename = "run.finished")]
    RunFinished {
        /// How it came out.
        outcome: Tally,
    },
}

/// How long one component of a change took.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedStep {
    /// The component.
    pub component: String,
    /// From the end of the old process to the attestation of the new one, in milliseconds.
    pub took_ms: u64,
}

impl EventLine {
    /// The line of an event.
    #[must_use]
    pub fn of(event: &Event) -> Self {
        Self {
            t: event.at,
            mono_us: u64::try_from(event.elapsed.as_micros()).unwrap_or(u64::MAX),
            event: record(&event.kind),
        }
    }
}

fn record(kind: &EventKind) -> EventRecord {
    match kind {
        EventKind::RunStarted { run, seed, cells, turns } => EventRecord::RunStarted {
            schema: EVENTS.to_owned(),
            run: run.clone(),
            seed: *seed,
            cells: *cells,
            turns: *turns,
        },
        EventKind::Provisioning { cell, step } => EventRecord::Step { cell: cell.clone(), says: step.to_string() },
        EventKind::Attested { cell, attestation, binaries } => EventRecord::Attested {
            cell: cell.clone(),
            attested: attestation.as_ref().into(),
            binaries: binaries.iter().cloned().collect(),
        },
        EventKind::ClusterChanged { cell, case, attempt, to, took, steps, attestation } => EventRecord::Changed {
            cell: cell.clone(),
            case: (*case).to_owned(),
            attempt: *attempt,
            to: to.clone(),
            took_ms: millis(*took),
            steps: steps
                .iter()
                .map(|(component, took)| ChangedStep { component: component.to_string(), took_ms: millis(*took) })
                .collect(),
            attested: attestation.as_ref().into(),
        },
        EventKind::CellLost { cell, because, unexpected_exit } => {
            EventRecord::CellLost { cell: cell.clone(), lost: Lost::of(because, unexpected_exit.as_ref()) }
        }
        EventKind::ControllerBroke { cell, breakdown } => {
            EventRecord::ControllerBroke { cell: cell.clone(), breakdown: breakdown.into() }
        }
        EventKind::SuspectsTried { cell, repeated_by } => {
            EventRecord::SuspectsTried { cell: cell.clone(), repeated_by: repeated_by.clone() }
        }
        EventKind::PatienceShortened { cell, shortened } => EventRecord::PatienceShortened {
            cell: cell.clone(),
            cases: shortened.cases,
            to_ms: millis(shortened.to),
            needed_ms: millis(shortened.needed),
        },
        EventKind::ObjectivesTold { cell, findings } => {
            EventRecord::ObjectivesTold { cell: cell.clone(), findings: findings.clone() }
        }
        EventKind::ClusterKept { cell, name } => EventRecord::ClusterKept { cell: cell.clone(), name: name.clone() },
        EventKind::Warning(says) => EventRecord::Warning { says: says.clone() },
        EventKind::Interrupted { signal } => EventRecord::Interrupted { signal: (*signal).to_owned() },
        EventKind::RunFinished { outcome } => EventRecord::RunFinished { outcome: outcome.into() },
        EventKind::CaseSkipped { cell, case, because } => {
            EventRecord::CaseSkipped { cell: cell.clone(), case: (*case).to_owned(), because: because.clone() }
        }
        EventKind::CaseStarted { cell, case, attempt } => {
            EventRecord::CaseStarted { cell: cell.clone(), case: (*case).to_owned(), attempt: *attempt }
        }
        EventKind::CaseIncomplete { cell, case, attempt, because, timeline: _ } => EventRecord::CaseIncomplete {
            cell: cell.clone(),
            case: (*case).to_owned(),
            attempt: *attempt,
            because: because.clone(),
        },
        EventKind::CaseFinished(report) => finished(report),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn finished(report: &CaseReport) -> EventRecord {
    EventRecord::CaseFinished {
        cell: report.cell.clone(),
        case: report.case.to_owned(),
        attempt: report.attempt,
        verdict: report.judgement.verdict.into(),
        dur_ms: millis(report.took),
        timeline: report.timeline.display().to_string(),
        failures: Failure::all_of(report),
        doubts: report.judgement.doubts.clone(),
    }
}

/// The JSON schema of a line.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(EventLine)
}
