//! The sheet as data: each criterion with its requirements, each requirement with what judged it, each turn with its evidence.

mod judged;

use super::{
    kep::{Criterion, Kep, Proof},
    stored::{Evidence, StoredRun},
};
use crate::{
    case::Catalogue,
    plan::{
        fit::gates_text,
        requirements::{Coverage, coverage},
    },
    report::schema::CellRecord,
};
use std::collections::BTreeMap;

/// A sheet.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The KEP.
    pub kep: Kep,
    /// The runs, each with its label: `R1` is the first.
    pub runs: Vec<RunLine>,
    /// The cells that judged anything here.
    pub cells: Vec<CellLine>,
    /// The criteria, in the order of the KEP.
    pub lines: Vec<Line>,
    /// The timelines that are named: `E1` is the first.
    pub evidence: Vec<EvidenceLine>,
}

/// A run.
#[derive(Clone, Debug)]
pub struct RunLine {
    /// Its id.
    pub id: String,
    /// When it began, as it says itself.
    pub started: String,
    /// Version of the program.
    pub program: String,
    /// Its folder, for links.
    pub folder: String,
    /// The state of its `run.json` and `verdicts.json`.
    pub files: Vec<(&'static str, Evidence)>,
}

/// A cell of a run.
#[derive(Clone, Debug)]
pub struct CellLine {
    /// Place of its run, from 0.
    pub run: usize,
    /// Its id.
    pub id: String,
    /// Version of Kubernetes, with the one that it emulates.
    pub kubernetes: String,
    /// Gates that were set.
    pub gates: String,
    /// Who made it.
    pub provider: String,
    /// The controller under test.
    pub subject: String,
    /// Whether it was proven to be that.
    pub attested: String,
}

/// A criterion and what became of it.
#[derive(Clone, Debug)]
pub struct Line {
    /// The criterion.
    pub criterion: Criterion,
    /// What it comes to: the worst of its requirements.
    pub state: State,
    /// Its requirements; none where people have to tell.
    pub requirements: Vec<Judged>,
}

/// A requirement and what judged it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its number.
    pub number: String,
    /// What it says, in short.
    pub phrase: String,
    /// What it comes to.
    pub state: State,
    /// What is missing or wrong, or worth knowing; may be empty.
    pub says: String,
    /// The turns, by cell and case.
    pub turns: Vec<Turns>,
}

/// Turns of one case in one cell.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Id of the case; `every case` for an invariant.
    pub case: String,
    /// Place of the cell among the sheet's, from 0.
    pub cell: usize,
    /// How many passed.
    pub passed: usize,
    /// How many there were.
    pub all: usize,
    /// What they come to.
    pub state: State,
    /// Places of their timelines, from 0.
    pub evidence: Vec<usize>,
}

/// A timeline.
#[derive(Clone, Debug)]
pub struct EvidenceLine {
    /// Place of its run, from 0.
    pub run: usize,
    /// Below the run's folder.
    pub path: String,
    /// Its state.
    pub file: Evidence,
}

/// What something comes to; later is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Shown.
    Covered,
    /// People have to tell.
    ByHand,
    /// There are cases for it, and none came to a verdict here.
    NotJudged,
    /// No case judges it.
    NoCase,
    /// It was tried, and could not be told.
    Open,
    /// What was broken is a known deviation of the controller.
    Deviates,
    /// It was broken.
    Broken,
}

impl State {
    /// A sign and a word; the sign never stands alone.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Covered => "✔ covered",
            Self::ByHand => "☐ by hand",
            Self::NotJudged => "✖ not judged here",
            Self::NoCase => "✖ no case",
            Self::Open => "✖ could not tell",
            Self::Deviates => "✖ deviates, as known",
            Self::Broken => "✖ broken",
        }
    }

    /// The word alone.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.words().split_once(' ').map_or("", |(_, word)| word)
    }
}

impl Sheet {
    /// Puts a sheet together.
    #[must_use]
    pub fn of(kep: Kep, runs: &[StoredRun], catalogue: &Catalogue) -> Self {
        let known: BTreeMap<&str, Coverage<'_>> =
            coverage(catalogue).into_iter().map(|one| (one.number, one)).collect();
        let mut gathered = judged::Gathered::new(runs);
        let lines = kep.criteria.iter().map(|criterion| {
            let requirements: Vec<Judged> = match &criterion.proof {
                Proof::ByHand(_) => Vec::new(),
                Proof::Requirements(numbers) => {
                    numbers.iter().map(|number| gathered.judged(number, known.get(number.as_str()))).collect()
                }
            };
            let state = requirements.iter().map(|judged| judged.state).max().unwrap_or(State::ByHand);
            Line { criterion: criterion.clone(), state, requirements }
        });
        let lines = lines.collect();
        let (cells, evidence) = gathered.into_parts();
        Self { runs: runs.iter().map(run_line).collect(), cells, lines, evidence, kep }
    }

    /// How many criteria come to this.
    #[must_use]
    pub fn count(&self, state: State) -> usize {
        self.lines.iter().filter(|line| line.state == state).count()
    }

    /// The counts in words: `12 of 27 criteria covered; 3 no case, 2 by hand`.
    #[must_use]
    pub fn sum(&self) -> String {
        let others = [State::Broken, State::Deviates, State::Open, State::NoCase, State::NotJudged, State::ByHand];
        let told = others.into_iter().filter(|state| self.count(*state) > 0);
        let told: Vec<String> = told.map(|state| format!("{} {}", self.count(state), state.word())).collect();
        let rest = if told.is_empty() { String::new() } else { format!("; {}", told.join(", ")) };
        format!("{} of {} criteria covered{rest}", self.count(State::Covered), self.lines.len())
    }

    /// The worst that a run could have shown and did not; [`State::Covered`] where nothing is missing but what people tell.
    #[must_use]
    pub fn worst(&self) -> State {
        let judged = self.lines.iter().map(|line| line.state).filter(|state| *state != State::ByHand);
        judged.max().unwrap_or(State::NotJudged)
    }
}

fn run_line(stored: &StoredRun) -> RunLine {
    let file = |name: &'static str| (name, stored.files.get(name).cloned().unwrap_or(Evidence::Missing));
    RunLine {
        id: stored.run.id.clone(),
        started: stored.run.started.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        program: stored.run.program.version.clone(),
        folder: stored.folder.clone(),
        files: vec![file("run.json"), file("verdicts.json")],
    }
}

fn cell_line(run: usize, cell: &CellRecord) -> CellLine {
    let emulated = cell.wanted.emulated.as_ref().map(|minor| format!(" as {minor}")).unwrap_or_default();
    let attested = match (&cell.attested, &cell.lost) {
        (_, Some(_)) => "✖ lost".to_owned(),
        (Some(attested), None) if attested.holds => format!("✔ {} facts", attested.rows.len()),
        (Some(_), None) => "✖ is not what was asked for".to_owned(),
        (None, None) => "✖ nothing was attested".to_owned(),
    };
    CellLine {
        run,
        id: cell.id.clone(),
        kubernetes: format!("{}{emulated}", cell.wanted.kubernetes),
        gates: gates_text(&cell.wanted.gates),
        provider: cell.provider.clone(),
        subject: cell.subject.clone(),
        attested,
    }
}
