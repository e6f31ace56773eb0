//! What happens in a run, as a stream that reporters consume.

use crate::{
    cluster::{Component, Step, UnexpectedExit, attest::Attestation},
    scene::Shortened,
    slo::answer::Finding,
};
use jobsworth_oracle::{Ending, Judgement, Verdict};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// Wall clock.
    pub at: jiff::Timestamp,
    /// Monotonic, since the run began.
    pub elapsed: Duration,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// The run begins.
    RunStarted {
        /// Id of the run.
        run: String,
        /// Seed of everything random.
        seed: u64,
        /// How many cells there are.
        cells: usize,
        /// How many turns of cases there are over all cells.
        turns: usize,
    },
    /// A step on the way to a cell's cluster.
    Provisioning {
        /// The cell.
        cell: String,
        /// The step.
        step: Step,
    },
    /// A cell's cluster was compared with what was asked for.
    Attested {
        /// The cell.
        cell: String,
        /// Wanted against found.
        attestation: Arc<Attestation>,
        /// File name and SHA-256 of each binary.
        binaries: Vec<(String, String)>,
    },
    /// A case changed its cluster, and every component has said so.
    ClusterChanged {
        /// The cell.
        cell: String,
        /// Id of the case.
        case: &'static str,
        /// Which repetition, from 1.
        attempt: u32,
        /// What is so now, for example `JobSuccessPolicy off`.
        to: String,
        /// How long it took.
        took: Duration,
        /// How long each component took, in order.
        steps: Vec<(Component, Duration)>,
        /// Wanted against found.
        attestation: Arc<Attestation>,
    },
    /// A cell cannot give verdicts: its cluster did not come up, is not what was asked for, or died.
    CellLost {
        /// The cell.
        cell: String,
        /// What happened, in words, with the component's last lines.
        because: String,
        /// The component that ended unasked, if one did.
        unexpected_exit: Option<UnexpectedExit>,
    },
    /// The controller under test died, or panicked and went on.
    ControllerBroke {
        /// The cell.
        cell: String,
        /// What happened.
        breakdown: Breakdown,
    },
    /// The cases that ran beside each other when the controller last died were tried again, each alone.
    SuspectsTried {
        /// The cell.
        cell: String,
        /// Those during which it died again.
        repeated_by: Vec<String>,
    },
    /// Many cases waited in vain, so that waits are cut short from here on.
    PatienceShortened {
        /// The cell.
        cell: String,
        /// Why, and to what.
        shortened: Shortened,
    },
    /// What the components of a cell said of themselves about service levels.
    ObjectivesTold {
        /// The cell.
        cell: String,
        /// Those that something was measured for.
        findings: Vec<Finding>,
    },
    /// A case was not run, because it does not apply.
    CaseSkipped {
        /// The cell.
        cell: String,
        /// Id of the case.
        case: &'static str,
        /// Why.
        because: String,
    },
    /// A case begins.
    CaseStarted {
        /// The cell.
        cell: String,
        /// Id of the case.
        case: &'static str,
        /// Which repetition, from 1.
        attempt: u32,
    },
    /// A case ended.
    CaseFinished(Box<CaseReport>),
    /// A case was planned but did not run, or did not get to its end.
    CaseIncomplete {
        /// The cell.
        cell: String,
        /// Id of the case.
        case: &'static str,
        /// Which repetition, from 1.
        attempt: u32,
        /// Why.
        because: String,
        /// The timeline so far, relative to the run's folder, if there is one.
        timeline: Option<PathBuf>,
    },
    /// The cluster of a cell stays, as asked.
    ClusterKept {
        /// The cell.
        cell: String,
        /// Its name for `cluster` commands.
        name: String,
    },
    /// Something that is worth a line but changes no verdict.
    Warning(String),
    /// The run was asked to stop.
    Interrupted {
        /// Name of the signal.
        signal: &'static str,
    },
    /// The run ends.
    RunFinished {
        /// How it came out.
        outcome: Outcome,
    },
}

/// Something that a controller under test must never do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// How it ended; none, if it panicked and went on.
    pub died: Option<String>,
    /// What it wrote then.
    pub lines: Vec<String>,
    /// The cases that ran, or were being cleared away: one of them is the cause.
    pub cases: Vec<String>,
    /// Those of them that fail for it.
    pub blamed: Vec<String>,
}

/// One case, judged.
#[derive(Clone, Debug)]
pub struct CaseReport {
    /// The cell.
    pub cell: String,
    /// Id of the case.
    pub case: &'static str,
    /// Which repetition, from 1.
    pub attempt: u32,
    /// The case's namespace.
    pub namespace: String,
    /// Wall clock at its beginning.
    pub started: jiff::Timestamp,
    /// How long it ran.
    pub took: Duration,
    /// The longest wait of its script that came to something.
    pub waited: Duration,
    /// How the recording ended.
    pub ending: Ending,
    /// What the server said to an object that was to be observed, if it did not take it.
    pub refused: Option<String>,
    /// The verdict, sentence by sentence.
    pub judgement: Judgement,
    /// The timeline, relative to the run's folder.
    pub timeline: PathBuf,
    /// The text timeline around each breach, in the order of `judgement.broken()`.
    pub excerpts: Vec<String>,
}

/// How a run came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Cases that passed, counting repetitions.
    pub passed: u32,
    /// Cases that failed.
    pub failed: u32,
    /// Cases in which a known deviation showed, and nothing else was wrong.
    pub deviating: u32,
    /// Cases whose evidence did not suffice.
    pub inconclusive: u32,
    /// Cases that did not apply.
    pub skipped: u32,
    /// Cases that did not get to their end, or never began.
    pub incomplete: u32,
    /// Cells without a verdict.
    pub lost_cells: u32,
    /// Deaths and panics of controllers.
    pub breakdowns: u32,
    /// The signal that ended the run, if one did.
    pub interrupted: Option<&'static str>,
}

impl Outcome {
    /// Counts one verdict.
    pub fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Pass => self.passed += 1,
            Verdict::Fail => self.failed += 1,
            Verdict::Deviates => self.deviating += 1,
            Verdict::Inconclusive => self.inconclusive += 1,
            Verdict::Skip => self.skipped += 1,
        }
    }
}

/// Hears the events of a run, in order. Must be quick: the run waits for it.
pub trait Sink: Send + Sync {
    /// Takes one event.
    fn take(&self, event: &Event);
}
