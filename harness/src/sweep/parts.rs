//! The runs in a sweep's folder: those without faults, and those of its points.

use super::{played::Played, point::Point, record::SWEEP, record::SweepRecord};
use crate::{
    case::Catalogue,
    report::{ReportError, stored},
    run::execute,
};
use std::{collections::BTreeMap, fs, path::Path};

/// The folder of a run without faults, by its number from 1.
#[must_use]
pub fn baseline_name(number: u32) -> String {
    match number {
        1 => "baseline".to_owned(),
        _ => format!("baseline-{number}"),
    }
}

/// The folder of a run of points, by its number from 1.
#[must_use]
pub fn part_name(number: u32) -> String {
    format!("part-{number}")
}

/// The runs in the folder that are named so, by number from 1, and the first name that is free.
#[must_use]
pub fn parts(folder: &Path, named: impl Fn(u32) -> String) -> (Vec<String>, String) {
    let mut there = Vec::new();
    let mut free = named(1);
    // A run that is there at all has this file from its beginning on, also one that was killed.
    for next in 2.. {
        if !folder.join(&free).join("run.json").exists() {
            break;
        }
        there.push(free);
        free = named(next);
    }
    (there, free)
}

/// The points of the sweep of which the run in this folder is a part, by id: what they claim comes of the runs without faults. None
/// where it is no part of one, and none of a case that is not in the catalogue or did not hold without faults.
///
/// # Errors
/// When `sweep.json` beside the folder, or a run without faults, cannot be read.
pub fn points_of(part: &Path, catalogue: &Catalogue) -> Result<BTreeMap<String, &'static Point>, ReportError> {
    let Some(folder) = fs::canonicalize(part).ok().and_then(|part| part.parent().map(Path::to_owned)) else {
        return Ok(BTreeMap::new());
    };
    let path = folder.join("sweep.json");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let record: SweepRecord = stored::of_schema(&path, SWEEP)?;
    let mut played = Played::default();
    for name in parts(&folder, baseline_name).0 {
        let run = stored::run(&folder.join(&name))?;
        played.add(&name, &record.cell, run);
    }
    let judged = record.points.iter().map(|point| (&point.case, point.write, point.fate));
    let others = record.unjudged.iter().map(|point| (&point.case, point.write, point.fate));
    let mut ends = BTreeMap::new();
    let mut points = BTreeMap::new();
    for (id, write, fate) in judged.chain(others) {
        let Some(case) = catalogue.case(id) else { continue };
        let known = ends.entry(id.clone()).or_insert_with(|| {
            let baseline = played.baseline(id, |path| execute::read(&folder.join(path)));
            baseline.ok().map(|baseline| baseline.ends)
        });
        let Some(ends) = known else { continue };
        let point = Point::new(case, write, fate, ends.clone(), catalogue.known_ends);
        points.insert(point.id().to_owned(), point);
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_begun_keeps_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let found = || parts(folder.path(), part_name);
        assert_eq!(found(), (Vec::new(), "part-1".to_owned()));
        for (part, file) in [("part-1", "run.json"), ("part-2", "run.json"), ("part-3", "other.json")] {
            fs::create_dir(folder.path().join(part)).unwrap();
            fs::write(folder.path().join(part).join(file), "{}").unwrap();
        }
        assert_eq!(found(), (vec!["part-1".to_owned(), "part-2".to_owned()], "part-3".to_owned()));
    }
}
