//! What the slices of a load left: a record each.

use super::{made, none_of, place_of, record_of};
use crate::{
    case::Catalogue,
    cli::{Failure, Stdout, merge},
    load::join::{Part, are_of_one_load},
    plan::Partition,
    report::{Exit, escape::terminal, store},
};
use std::path::Path;

/// What slices left.
pub(super) struct Left<'a> {
    /// What is whole.
    pub whole: Vec<(Partition, Vec<u8>)>,
    /// Why other slices are not there, a sentence each.
    pub missing: Vec<String>,
    /// The folder for what is not part of the joined record.
    pub beside: &'a Path,
    /// Of the Job.
    pub name: &'a str,
    /// Of what is joined.
    pub id: &'a str,
    /// Where the joined record is to be.
    pub out: Option<&'a Path>,
}

/// Whether a slice left the record of a load, which is JSON, and no bundle.
pub(super) fn is_record(left: &[u8]) -> bool {
    left.first() == Some(&b'{')
}

/// Keeps the records beside the joined one, and joins them.
pub(super) fn joined(left: Left<'_>, catalogue: &Catalogue, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let Left { whole, mut missing, beside, name, id, out } = left;
    // Before anything is kept beside a place that cannot be had.
    merge::loads::place(out, id)?;
    let mut parts = Vec::new();
    for (slice, record) in whole {
        match read(slice, &record, beside)? {
            Ok(part) => parts.push(part),
            Err(says) => missing.push(format!("the result of {slice} cannot be read: {}", terminal(&says))),
        }
    }
    let parts = of_one_load(parts, &mut missing);
    if parts.is_empty() {
        return Err(none_of(name, &missing));
    }
    merge::loads::joined(merge::loads::Joining { parts, id, out, missing }, catalogue, stdout)
}

/// Keeps a record and reads it; or why it cannot be read: one slice is no reason to do without the others.
fn read(slice: Partition, record: &[u8], beside: &Path) -> Result<Result<Part, String>, Failure> {
    made(beside)?;
    let file = record_of(&place_of(slice.shard(), beside));
    store::write_whole(&file, record)?;
    Ok(match Part::read(&file) {
        Ok(part) if part.partition() == slice => Ok(part),
        Ok(part) => Err(format!("it says that it is {}", part.partition())),
        Err(error) => Err(error.to_string()),
    })
}

/// Those that are slices of one load with those before them; what is not goes to `missing`.
fn of_one_load(parts: Vec<Part>, missing: &mut Vec<String>) -> Vec<Part> {
    let mut kept = Vec::new();
    for part in parts {
        kept.push(part);
        if let Err(error) = are_of_one_load(&kept) {
            kept.pop();
            missing.push(error.to_string());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_told_from_a_bundle_by_its_first_byte() {
        assert!(is_record(b"{\"schema\": \"jobsworth/load/v1\"}"));
        // How zstd begins.
        assert!(!is_record(&[0x28, 0xb5, 0x2f, 0xfd]) && !is_record(b""));
    }

    #[test]
    fn what_is_no_record_of_a_slice_is_kept_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let beside = folder.path().join("whole.json.slices");
        let slice: Partition = "slice:2/3".parse().unwrap();
        let read = read(slice, b"{}", &beside).unwrap_or_else(|_| panic!("nothing is in the way"));
        let says = read.map(|part| part.partition()).unwrap_err();
        assert!(says.contains("it names no schema"), "{says}");
        assert_eq!(std::fs::read(beside.join("slice-2.json")).unwrap(), b"{}");
    }
}
