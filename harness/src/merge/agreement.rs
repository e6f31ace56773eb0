//! Whether runs are slices of one run: asked for the same, by the same program, on clusters that are the same.

use super::{MergeError, Slice};
use crate::report::{
    escape::terminal,
    schema::{AttestedRow, CellRecord, PlanRecord},
};

/// Holds every slice against the first.
///
/// # Errors
/// The first slice that does not belong to those before it, and why.
pub(super) fn check(slices: &[Slice]) -> Result<(), MergeError> {
    let Some((first, others)) = slices.split_first() else { return Ok(()) };
    for (position, slice) in others.iter().enumerate() {
        let twin = slices[..=position].iter().find(|before| before.partition == slice.partition);
        let why = twin
            .map(|twin| format!("it is {} again, as {}", slice.partition, twin.folder.display()))
            .or_else(|| difference(first, slice));
        if let Some(why) = why {
            return Err(MergeError::Foreign { folder: slice.folder.clone(), why });
        }
    }
    Ok(())
}

/// What makes two slices no slices of one run, if anything does.
fn difference(first: &Slice, slice: &Slice) -> Option<String> {
    let (one, other) = (&first.run, &slice.run);
    let named = |what: &str, here: &str, there: &str| {
        (here != there).then(|| {
            let (here, there, beside) = (terminal(here), terminal(there), first.folder.display());
            format!("{what} is {here}, that of {beside} is {there}")
        })
    };
    if !slice.partition.is_beside(first.partition) {
        return Some(format!("it is {}, and {} is {}", slice.partition, first.folder.display(), first.partition));
    }
    named("its program", &other.program.version, &one.program.version)
        .or_else(|| {
            let asked = asked(&other.plan).into_iter().zip(asked(&one.plan));
            asked.into_iter().find_map(|((what, here), (_, there))| named(what, &here, &there))
        })
        .or_else(|| other.cells.iter().find_map(|cell| another_cluster(cell, first)))
}

/// What a plan asks for, in words.
fn asked(plan: &PlanRecord) -> [(&'static str, String); 5] {
    [
        ("its plan", plan.name.clone().unwrap_or_else(|| "none".to_owned())),
        ("what it names", format!("[{}]", plan.names.join(", "))),
        ("its filter", plan.filter.clone()),
        ("how often it repeats", plan.repeat.to_string()),
        ("what flaky cases come to", format!("{:?}", plan.flaky)),
    ]
}

/// What makes the cluster of a cell another one than the first slice had in it.
fn another_cluster(cell: &CellRecord, first: &Slice) -> Option<String> {
    let there = first.run.cells.iter().find(|other| other.id == cell.id)?;
    if there.wanted != cell.wanted || there.subject != cell.subject {
        return Some(format!("another cluster was asked for in its cell {}", terminal(&cell.id)));
    }
    let sums = cell.binaries.iter().find(|(file, sum)| there.binaries.get(*file).is_some_and(|other| other != *sum));
    if let Some((file, _)) = sums {
        return Some(format!("in its cell {} {} is another program", terminal(&cell.id), terminal(file)));
    }
    let (here, there) = (cell.attested.as_ref()?, there.attested.as_ref()?);
    let is = |row: &AttestedRow, other: &AttestedRow| row.component == other.component && row.what == other.what;
    let differs = here.rows.iter().find_map(|row| {
        let other = there.rows.iter().find(|other| is(row, other))?;
        (row.found != other.found).then_some((row, other))
    });
    differs.map(|(row, other)| {
        let [component, what, here, there] =
            [&row.component, &row.what, &row.found, &other.found].map(|it| terminal(it));
        format!("in its cell {} {component} {what} is {here}, elsewhere {there}", terminal(&cell.id))
    })
}
