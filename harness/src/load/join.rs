//! Records of the slices of one load, joined into one: what was counted is added, and nothing is averaged.
//!
//! Each slice is a load of its own (`load --partition slice:1/3`), in a process of its own with a clock of its own. What is joined is what
//! they recorded: distributions bucket by bucket, so that percentiles are those of all waits together, to one in a thousand
//! ([`latency`](super::latency)). What would take a clock or a counter that slices share is absent, and named.

mod agreement;
#[cfg(test)]
mod tests;
mod trials;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::comparison::{Comparison, SCHEMA};
use super::installed::{Owner, Unmeasured};
use crate::plan::Partition;
use crate::report::{ReportError, escape::terminal, stored};

/// What no two slices have together, whatever was loaded.
const APART: &str = "of slices together: which pods were in which state when, what components said of themselves, which pace was held, \
                     and how late Jobs were submitted but for the latest (each slice has its own part)";

/// Why records cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// A file cannot be read.
    #[error(transparent)]
    Stored(#[from] ReportError),
    /// There is no slice.
    #[error("failed to join records of load: there is none")]
    Nothing,
    /// They are not the slices of one load.
    #[error("failed to join {}: {why}", terminal(&file.display().to_string()))]
    Foreign {
        /// The record that does not belong to those before it.
        file: PathBuf,
        /// What is in the way, fit for a terminal.
        why: String,
    },
}

/// The record of one slice.
#[derive(Clone, Debug)]
pub struct Part {
    file: PathBuf,
    partition: Partition,
    cluster: String,
    /// How many trials it was to do.
    trials: u32,
    record: Comparison,
}

impl Part {
    /// Reads the record of a slice. One that was stopped is read, too: what it has counts, and that it is not whole is said.
    ///
    /// # Errors
    /// When there is no record that this program reads, or it is no slice of a load.
    pub fn read(file: &Path) -> Result<Self, JoinError> {
        Self::of(file, stored::of_schema(file, SCHEMA)?)
    }

    fn of(file: &Path, record: Comparison) -> Result<Self, JoinError> {
        let foreign = |why: &str| JoinError::Foreign { file: file.to_owned(), why: why.to_owned() };
        let slice = record.slice.clone();
        let slice = slice.ok_or_else(|| foreign("it is a whole load, and no slice of one (--partition)"))?;
        let partition: Result<Partition, _> = slice.partition.parse();
        let partition = partition.ok().filter(Partition::is_by_position);
        let partition = partition.ok_or_else(|| foreign("it names a partition that is none"))?;
        // Ratios come last: of two controllers that were stopped there may be none yet.
        let are_two = record.alone().is_none() || !record.ratios.is_empty();
        if are_two || record.tenants.is_some() || record.largest_rates.is_some() || !record.soaks.is_empty() {
            return Err(foreign("it has two controllers, tenants, a search or a soak, and slices have none"));
        }
        Ok(Self { file: file.to_owned(), partition, cluster: slice.cluster, trials: slice.trials, record })
    }

    /// Where its record is.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Which slice it is of.
    #[must_use]
    pub const fn partition(&self) -> Partition {
        self.partition
    }

    /// Why it is not whole, if it is not: it was stopped, or its record was cut off or read before its load had ended.
    fn partial(&self) -> Option<String> {
        let (did, wanted) = (self.record.trials.len(), self.trials);
        let cut = || format!("{did} of {wanted} trials are in its record, and it does not say why");
        let why = self.record.stopped.clone().or_else(|| (did < wanted as usize).then(cut))?;
        Some(format!("{}: {why}", self.partition))
    }

    /// When it began; a record that does not say so began last.
    fn started(&self) -> jiff::Timestamp {
        self.record.started.parse().unwrap_or(jiff::Timestamp::MAX)
    }
}

/// Whether all of these, in the order of their slices, are slices of one load.
///
/// # Errors
/// The first that is none with those before it, and why.
pub fn are_of_one_load(parts: &[Part]) -> Result<(), JoinError> {
    agreement::check(parts)
}

/// Joins the records of slices into one of the whole load, begun by the command line `argv`. What is known to be missing is said with
/// what is found to be.
///
/// # Errors
/// When they are not slices of one load: another program, cluster, controller, profile, seed or size; or a slice is there twice; or there
/// is none.
pub fn join(mut parts: Vec<Part>, argv: Vec<String>, known: Vec<String>) -> Result<Comparison, JoinError> {
    parts.sort_by_key(|part| part.partition.shard());
    agreement::check(&parts)?;
    let first = parts.first().ok_or(JoinError::Nothing)?;
    let trials = trials::joined(&parts, first.partition);
    let lost: BTreeSet<&str> = trials.iter().flat_map(|joined| joined.lost.iter().map(String::as_str)).collect();
    // Where the record does not say where it was made: slices are of a cluster that was there.
    let there = || Unmeasured { provider: Owner::User.provider().to_owned(), absent: Vec::new() };
    let mut installed = first.record.installed.clone().unwrap_or_else(there);
    installed.absent.extend(lost_figures(&lost).into_iter().chain([APART.to_owned()]));
    let begun = parts.iter().min_by_key(|part| part.started()).unwrap_or(first);
    let stopped: Vec<String> = missing(&parts, first.partition).into_iter().chain(known).collect();
    Ok(Comparison {
        argv,
        started: begun.record.started.clone(),
        installed: Some(installed),
        slice: None,
        slices: Some(first.partition.shards()),
        trials: trials.into_iter().map(|joined| joined.trial).collect(),
        stopped: (!stopped.is_empty()).then(|| stopped.join("; ")),
        ..first.record.clone()
    })
}

/// Figures that slices have, and that cannot be told of all together.
fn lost_figures(lost: &BTreeSet<&str>) -> Option<String> {
    let names: Vec<&str> = lost.iter().copied().collect();
    (!names.is_empty()).then(|| format!("of slices together: {}", names.join(", ")))
}

/// What is not there, or not whole.
fn missing(parts: &[Part], one: Partition) -> Vec<String> {
    let told = one.all().filter_map(|partition| match parts.iter().find(|part| part.partition == partition) {
        None => Some(format!("{partition} is missing: no record is of it")),
        Some(part) => part.partial(),
    });
    told.collect()
}
