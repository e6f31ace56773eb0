//! Keeps the books: turns events into the wire form of the run.

use super::{
    Deviations,
    schema::{
        Attested, BreakdownRecord, CaseRecord, CellRecord, ChangeRecord, Failure, Lost, PlanRecord, Program, RUN, Run,
        State, Tally, Verdict, Wanted, What,
        verdicts::{JudgedCase, Verdicts},
    },
    wording,
};
use crate::{
    case::{About, AnyCase, Catalogue},
    cluster::Step,
    plan::Resolved,
    run::{CaseReport, Event, EventKind, Keep, Sink},
    subject::Subject,
};
use jobsworth_oracle::Check;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Hears a run and writes its books.
pub struct RunRecord {
    abouts: BTreeMap<&'static str, About>,
    /// Ids of the catalogue; only these can be named to `run`.
    listed: BTreeSet<&'static str>,
    /// Cell, case and attempt of every turn that is planned.
    turns: Vec<(String, &'static str, u32)>,
    books: Mutex<Books>,
}

struct Books {
    run: Run,
    judged: Vec<JudgedCase>,
    interrupted: Option<&'static str>,
    refused: Option<String>,
    elapsed: Duration,
}

/// Everything that was written down.
pub struct Closed {
    /// The run; its exit is still open.
    pub run: Run,
    /// The judgements.
    pub verdicts: Verdicts,
    /// The signal that ended the run, if one did.
    pub interrupted: Option<&'static str>,
    /// What the server said to a manifest that it did not take.
    pub refused: Option<String>,
    /// What known deviations come to.
    pub deviations: Deviations,
}

/// What a run knows of itself before it begins.
pub struct Beginning<'a> {
    /// The plan.
    pub resolved: &'a Resolved<'a>,
    /// The command line.
    pub argv: Vec<String>,
    /// Wall clock.
    pub now: jiff::Timestamp,
    /// The machine.
    pub host: super::schema::Host,
    /// The provider and why it was chosen.
    pub provider: String,
}

impl RunRecord {
    /// Opens the books. `extra` are cases that the catalogue does not list.
    #[must_use]
    pub fn open(beginning: Beginning<'_>, catalogue: &Catalogue, extra: &[&dyn AnyCase]) -> Self {
        let cases = catalogue.cases.iter().map(|case| case.about()).chain(extra.iter().map(|case| case.about()));
        let abouts = cases.map(|about| (about.id, about)).collect();
        let cells = beginning.resolved.run.cells.iter();
        let turns = cells
            .flat_map(|plan| plan.turns.iter().map(|turn| (plan.cell.id.clone(), turn.case.about().id, turn.attempt)))
            .collect();
        let run = first_page(beginning);
        let books = Books { run, judged: Vec::new(), interrupted: None, refused: None, elapsed: Duration::ZERO };
        let listed = catalogue.cases.iter().map(|case| case.about().id).collect();
        Self { abouts, listed, turns, books: Mutex::new(books) }
    }

    /// The run as it stands.
    #[must_use]
    pub fn so_far(&self) -> Run {
        self.lock().run.clone()
    }

    /// The record of a case that ended, with its claim and how to run it again.
    #[must_use]
    pub fn record_of(&self, report: &CaseReport) -> CaseRecord {
        self.finished(&self.lock().run, report)
    }

    /// Closes the books: cases sorted, times filled in. Turns of the plan that nothing was heard of, as
    /// after a stop at once, are written down as incomplete.
    #[must_use]
    pub fn close(&self) -> Closed {
        let books = self.lock();
        let (mut run, judged) = (books.run.clone(), books.judged.clone());
        let (interrupted, refused, elapsed) = (books.interrupted, books.refused.clone(), books.elapsed);
        drop(books);
        self.fill_up(&mut run);
        run.outcome = crate::report::tally::of(&run);
        run.cases.sort_by(|a, b| (&a.cell, &a.case, a.attempt).cmp(&(&b.cell, &b.case, b.attempt)));
        run.took_ms = Some(millis(elapsed));
        run.state = State::Finished;
        let verdicts = Verdicts::new(run.id.clone(), judged);
        Closed { run, verdicts, interrupted, refused, deviations: Deviations::Tell }
    }

    fn fill_up(&self, run: &mut Run) {
        let heard: BTreeSet<(String, String, u32)> =
            run.cases.iter().map(|case| (case.cell.clone(), case.case.clone(), case.attempt)).collect();
        for (cell, case, attempt) in &self.turns {
            if !heard.contains(&(cell.clone(), (*case).to_owned(), *attempt)) {
                let mut record = self.record(run, cell, case, *attempt, Verdict::Incomplete);
                record.because = Some("the run was stopped before its end".to_owned());
                run.cases.push(record);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A record of a case with everything that the catalogue and the cell say about it.
    fn record(&self, run: &Run, cell: &str, case: &str, attempt: u32, verdict: Verdict) -> CaseRecord {
        let about = self.abouts.get(case);
        let again = match run.cells.iter().find(|record| record.id == cell) {
            Some(cell) if self.listed.contains(case) => wording::again(case, &cell.wanted, &cell.subject, run.seed),
            _ => wording::command(&run.argv),
        };
        CaseRecord {
            cell: cell.to_owned(),
            case: case.to_owned(),
            attempt,
            verdict,
            claim: about.map(|about| about.claim.says.to_owned()).unwrap_or_default(),
            source: about.map(|about| about.claim.source.to_string()).unwrap_or_default(),
            requirements: about.iter().flat_map(|about| about.requirements).map(|id| (*id).to_owned()).collect(),
            because: None,
            namespace: None,
            started: None,
            took_ms: None,
            timeline: None,
            failures: Vec::new(),
            doubts: Vec::new(),
            deviation: None,
            held: 0,
            again,
        }
    }

    fn finished(&self, run: &Run, report: &CaseReport) -> CaseRecord {
        let verdict = report.judgement.verdict.into();
        let mut record = self.record(run, &report.cell, report.case, report.attempt, verdict);
        record.namespace = Some(report.namespace.clone());
        record.started = Some(report.started);
        record.took_ms = Some(millis(report.took));
        record.timeline = Some(report.timeline.display().to_string());
        record.failures = Failure::all_of(report);
        record.doubts = report.judgement.doubts.clone();
        record.deviation = report.judgement.deviation.map(Into::into);
        record.held = report.judgement.sentences.iter().filter(|sentence| sentence.check == Check::Held).count();
        record
    }
}

impl Sink for RunRecord {
    fn take(&self, event: &Event) {
        let mut books = self.lock();
        let books = &mut *books;
        books.elapsed = event.elapsed;
        match &event.kind {
            EventKind::Provisioning { cell, step: Step::Up(after) } => {
                on_cell(&mut books.run, cell, |cell| cell.up_ms = Some(millis(*after)));
            }
            EventKind::Attested { cell, attestation, binaries } => on_cell(&mut books.run, cell, |cell| {
                cell.attested = Some(Attested::from(attestation.as_ref()));
                cell.binaries = binaries.iter().cloned().collect();
            }),
            EventKind::ClusterChanged { cell, case, attempt, to, took, .. } => on_cell(&mut books.run, cell, |cell| {
                let (case, to) = ((*case).to_owned(), to.clone());
                cell.changes.push(ChangeRecord { case, attempt: *attempt, to, took_ms: millis(*took) });
            }),
            EventKind::CellLost { cell, because, unexpected_exit } => {
                on_cell(&mut books.run, cell, |cell| cell.lost = Some(Lost::of(because, unexpected_exit.as_ref())));
            }
            EventKind::ControllerBroke { cell, breakdown } => {
                on_cell(&mut books.run, cell, |cell| cell.breakdowns.push(BreakdownRecord::from(breakdown)));
            }
            EventKind::SuspectsTried { cell, repeated_by } => on_cell(&mut books.run, cell, |cell| {
                // What the suspects did when they were tried stands behind it.
                let shared =
                    cell.breakdowns.iter_mut().rev().find(|death| death.what == What::Died && death.cases.len() > 1);
                if let Some(death) = shared {
                    death.blamed.clone_from(repeated_by);
                }
            }),
            EventKind::ClusterKept { cell, name } => {
                on_cell(&mut books.run, cell, |cell| cell.kept = Some(name.clone()));
            }
            EventKind::CaseSkipped { cell, case, because } => {
                let mut record = self.record(&books.run, cell, case, 0, Verdict::Skip);
                record.because = Some(because.clone());
                books.run.cases.push(record);
            }
            EventKind::CaseIncomplete { cell, case, attempt, because, timeline } => {
                let mut record = self.record(&books.run, cell, case, *attempt, Verdict::Incomplete);
                record.because = Some(because.clone());
                record.timeline = timeline.as_ref().map(|path| path.display().to_string());
                books.run.cases.push(record);
            }
            EventKind::CaseFinished(report) => {
                books.judged.push(JudgedCase::of(&report.cell, report.case, report.attempt, &report.judgement));
                books.refused = books.refused.take().or_else(|| report.refused.clone());
                let record = self.finished(&books.run, report);
                if let Some(news) = record.deviation.as_ref().filter(|deviation| !deviation.shown) {
                    books.run.warnings.push(format!("{} in {}: {}", record.case, record.cell, wording::known(news)));
                }
                books.run.cases.push(record);
            }
            EventKind::ObjectivesTold { cell, findings } => {
                on_cell(&mut books.run, cell, |cell| cell.objectives.extend(findings.iter().cloned()));
            }
            EventKind::PatienceShortened { cell, shortened } => {
                books.run.warnings.push(format!("{cell}: {}", wording::shortened(shortened)));
            }
            EventKind::Warning(says) => books.run.warnings.push(says.clone()),
            EventKind::Interrupted { signal } => books.interrupted = Some(signal),
            EventKind::RunFinished { outcome } => {
                books.interrupted = books.interrupted.or(outcome.interrupted);
            }
            EventKind::RunStarted { .. } | EventKind::Provisioning { .. } | EventKind::CaseStarted { .. } => {}
        }
    }
}

fn on_cell(run: &mut Run, id: &str, change: impl FnOnce(&mut CellRecord)) {
    if let Some(cell) = run.cells.iter_mut().find(|cell| cell.id == id) {
        change(cell);
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn first_page(beginning: Beginning<'_>) -> Run {
    let Beginning { resolved, argv, now, host, provider } = beginning;
    let (run, asked) = (&resolved.run, &resolved.asked);
    let cells = run.cells.iter().map(|plan| CellRecord {
        id: plan.cell.id.clone(),
        provider: plan.cell.provider.to_owned(),
        subject: plan.cell.subject.clone(),
        wanted: Wanted {
            kubernetes: plan.cell.spec.version.to_string(),
            other: plan.cell.spec.other.map(|other| other.to_string()),
            emulated: plan.cell.spec.emulated.map(|minor| minor.to_string()),
            gates: plan.cell.spec.gates.clone(),
            controller: match Subject::known().iter().any(|known| known.name == plan.cell.subject) {
                true => Vec::new(),
                false => plan.cell.subject_flags.clone(),
            },
            provider: plan.cell.provider_flags.clone(),
        },
        attested: None,
        binaries: BTreeMap::new(),
        lost: None,
        breakdowns: Vec::new(),
        kept: None,
        objectives: Vec::new(),
        changes: Vec::new(),
        up_ms: None,
    });
    Run {
        schema: RUN.to_owned(),
        id: run.id.clone(),
        state: State::Running,
        program: Program { name: "jobsworth".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        argv,
        started: now,
        took_ms: None,
        plan: PlanRecord {
            name: asked.plan.clone(),
            names: asked.names.clone(),
            filter: asked.filter.clone(),
            jobs: run.jobs,
            repeat: asked.repeat,
            flaky: run.flaky,
            keep: keep_word(run.keep).to_owned(),
            max_fail: run.max_fail,
            partition: asked.partition.map(|partition| partition.to_string()),
            provider,
            turns: resolved.turns(),
        },
        seed: run.seed,
        host,
        cells: cells.collect(),
        cases: Vec::new(),
        outcome: Tally::default(),
        exit: None,
        warnings: Vec::new(),
    }
}

fn keep_word(keep: Keep) -> &'static str {
    match keep {
        Keep::Never => "never",
        Keep::Failed => "failed",
        Keep::Always => "always",
    }
}
