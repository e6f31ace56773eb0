//! Runs of the slices of one plan, joined: one verdict, one exit code, and what is missing is said.
//!
//! Each slice is a run of its own (`--partition slice:1/3`), perhaps on another machine. What is joined is what they recorded: no case is
//! judged anew, and none is judged that no slice ran.

mod agreement;
#[cfg(test)]
mod tests;

use crate::{
    plan::Partition,
    report::{
        ReportError,
        escape::terminal,
        rejudge::is_inside,
        schema::{
            CaseRecord, CellRecord, Run, State, Verdict,
            verdicts::{JudgedCase, Verdicts},
        },
        store, stored, tally,
    },
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Why runs cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A folder cannot be read.
    #[error(transparent)]
    Stored(#[from] ReportError),
    /// There is no slice.
    #[error("failed to join runs: there is none")]
    Nothing,
    /// They are not the slices of one run.
    #[error("failed to join {}: {why}", folder.display())]
    Foreign {
        /// The folder that does not belong to those before it.
        folder: PathBuf,
        /// What is in the way, fit for a terminal.
        why: String,
    },
}

/// A run of one slice, as it is on disk.
#[derive(Clone, Debug)]
pub struct Slice {
    folder: PathBuf,
    partition: Partition,
    run: Run,
    judged: Vec<JudgedCase>,
}

/// The joined run.
#[derive(Debug)]
pub struct Joined {
    /// The run; its exit is still open.
    pub run: Run,
    /// The judgements of all slices.
    pub verdicts: Verdicts,
    /// Recordings to be copied: where each is, and its path in the joined run's folder.
    pub recordings: Vec<(PathBuf, String)>,
    /// What keeps the joined run from being whole, a sentence each; such a run cannot be told to hold.
    pub missing: Vec<String>,
}

impl Slice {
    /// Reads the folder of a run. One that was cut off is read, too: what it has counts, and that it is not whole is said.
    ///
    /// # Errors
    /// When there is no run that this program reads, or it is no slice of one.
    pub fn read(folder: &Path) -> Result<Self, MergeError> {
        let foreign = |why: &str| MergeError::Foreign { folder: folder.to_owned(), why: why.to_owned() };
        let run = stored::run(folder)?;
        if run.state == State::Finished {
            stored::finished(folder)?;
        }
        let named = run.cases.iter().filter_map(|case| case.timeline.as_deref());
        if let Some(path) = named.into_iter().find(|path| !is_inside(path)) {
            let why = format!("its run.json names a recording that is not inside of it: {}", terminal(path));
            return Err(foreign(&why));
        }
        let partition = run.plan.partition.as_deref();
        let partition = partition.ok_or_else(|| foreign("it is a whole run, and no slice of one (--partition)"))?;
        let partition = partition.parse().map_err(|_| foreign("its run.json names a partition that is none"))?;
        let judged = store::verdicts(folder)?.map(|verdicts| verdicts.cases).unwrap_or_default();
        Ok(Self { folder: folder.to_owned(), partition, run, judged })
    }
}

/// Joins slices into the run `id`, begun by the command line `argv`.
///
/// # Errors
/// When they are not slices of one run: other cases or cells were asked for, the program or a cluster was another, or a slice is there
/// twice; or there is none.
pub fn join(mut slices: Vec<Slice>, id: &str, argv: Vec<String>) -> Result<Joined, MergeError> {
    slices.sort_by_key(|slice| slice.partition.shard());
    agreement::check(&slices)?;
    let first = slices.first().ok_or(MergeError::Nothing)?;
    let mut run = Run {
        id: id.to_owned(),
        state: State::Finished,
        argv,
        started: slices.iter().map(|slice| slice.run.started).min().unwrap_or(first.run.started),
        took_ms: slices.iter().filter_map(|slice| slice.run.took_ms).max(),
        cells: cells(&slices),
        cases: cases(&slices)?,
        exit: None,
        warnings: slices.iter().flat_map(|slice| slice.of_slice(&slice.run.warnings)).collect(),
        ..first.run.clone()
    };
    run.plan.partition = None;
    run.plan.turns = slices.iter().map(|slice| slice.run.plan.turns).sum();
    run.outcome = tally::of(&run);
    let judged = slices.iter().flat_map(|slice| slice.judged.iter().cloned()).collect();
    Ok(Joined {
        verdicts: Verdicts::new(run.id.clone(), judged),
        recordings: slices.iter().flat_map(Slice::recordings).collect(),
        missing: missing(&slices),
        run,
    })
}

impl Slice {
    /// Sentences of this slice, each with which slice says so.
    fn of_slice<'a>(&'a self, says: &'a [String]) -> impl Iterator<Item = String> + 'a {
        says.iter().map(|says| format!("{}: {says}", self.partition))
    }

    fn recordings(&self) -> impl Iterator<Item = (PathBuf, String)> + '_ {
        let named = self.run.cases.iter().filter_map(|case| case.timeline.clone());
        named.map(|path| (self.folder.join(&path), path))
    }
}

/// What is not there, or not whole.
fn missing(slices: &[Slice]) -> Vec<String> {
    let Some(first) = slices.first() else { return Vec::new() };
    let there: BTreeMap<u32, &Slice> = slices.iter().map(|slice| (slice.partition.shard(), slice)).collect();
    let told = first.partition.all().filter_map(|partition| match there.get(&partition.shard()) {
        None => Some(format!("{partition} is missing: no folder is of it")),
        Some(slice) if slice.run.state == State::Running => {
            Some(format!("{partition} did not end in order: cases are missing in {}", slice.folder.display()))
        }
        Some(slice) => slice.ended_early().map(|says| format!("{partition}: {says}")),
    });
    told.collect()
}

impl Slice {
    /// What stopped it, if a signal did.
    fn ended_early(&self) -> Option<String> {
        let causes = self.run.exit.iter().flat_map(|exit| &exit.causes);
        causes.into_iter().find(|cause| cause.code > 128).map(|cause| cause.says.clone())
    }
}

/// All cells, each with what every slice saw in it.
fn cells(slices: &[Slice]) -> Vec<CellRecord> {
    let mut joined: Vec<CellRecord> = Vec::new();
    for (slice, cell) in slices.iter().flat_map(|slice| slice.run.cells.iter().map(move |cell| (slice, cell))) {
        let mut cell = cell.clone();
        if let Some(lost) = &mut cell.lost {
            lost.because = format!("{}: {}", slice.partition, lost.because);
        }
        match joined.iter_mut().find(|other| other.id == cell.id) {
            None => joined.push(cell),
            Some(other) => {
                other.attested = other.attested.take().or(cell.attested);
                other.binaries.extend(cell.binaries);
                other.lost = other.lost.take().or(cell.lost);
                other.breakdowns.extend(cell.breakdowns);
                // Each is about what one slice measured; those of another slice stand beside them.
                other.objectives.extend(cell.objectives);
                other.changes.extend(cell.changes);
                other.up_ms = other.up_ms.max(cell.up_ms);
            }
        }
    }
    joined
}

/// All cases. One that applies to no cell may be told by every slice; no turn was run by two.
fn cases(slices: &[Slice]) -> Result<Vec<CaseRecord>, MergeError> {
    let mut joined: BTreeMap<(String, String, u32), CaseRecord> = BTreeMap::new();
    for (slice, case) in slices.iter().flat_map(|slice| slice.run.cases.iter().map(move |case| (slice, case))) {
        let turn = (case.cell.clone(), case.case.clone(), case.attempt);
        let before = joined.insert(turn, case.clone());
        if before.is_some_and(|before| before.verdict != Verdict::Skip || case.verdict != Verdict::Skip) {
            let why = format!("{} in {} was run by another slice, too", terminal(&case.case), terminal(&case.cell));
            return Err(MergeError::Foreign { folder: slice.folder.clone(), why });
        }
    }
    Ok(joined.into_values().collect())
}
