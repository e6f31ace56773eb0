//! Bundles in parts: as many `ConfigMap`s as it takes, and joined again only if all are there and as they were written.

use super::{BUNDLE_MAX, LABEL, ShardError};
use crate::{bundle::sha256, plan::Partition, report::escape::terminal};
use k8s_openapi::{
    ByteString,
    api::{batch::v1::Job, core::v1::ConfigMap},
};
use kube::{Resource as _, ResourceExt as _, api::ObjectMeta};
use std::collections::BTreeMap;

/// Most bytes of a part: a `ConfigMap` has a mebibyte for everything, and in base64 it must fit into a request.
pub const LARGEST: usize = 768 * 1024;
/// The annotation with the slice.
const SLICE: &str = "jobsworth.dev/slice";
/// The annotation with the number of the part, from 1, and how many there are: `2/3`.
const PART: &str = "jobsworth.dev/part";
/// The annotation with the SHA-256 of the whole bundle.
const SHA256: &str = "jobsworth.dev/sha256";
/// Where the content is in the object.
const KEY: &str = "bundle";

/// A part of a slice's bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    slice: Partition,
    number: u32,
    parts: u32,
    sha256: String,
    content: Vec<u8>,
}

/// Whether a bundle of so many bytes may be put into a cluster.
///
/// # Errors
/// When it is too large.
pub fn fits(slice: Partition, bytes: u64) -> Result<(), ShardError> {
    if bytes > BUNDLE_MAX { Err(ShardError::TooLarge { slice, bytes }) } else { Ok(()) }
}

/// Cuts a bundle into parts.
#[must_use]
pub fn split(slice: Partition, bundle: &[u8]) -> Vec<Part> {
    let sum = sha256(bundle);
    let pieces: Vec<&[u8]> = bundle.chunks(LARGEST).collect();
    let parts = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
    let part =
        |(number, piece): (u32, &[u8])| Part { slice, number, parts, sha256: sum.clone(), content: piece.to_vec() };
    (1..).zip(pieces).map(part).collect()
}

impl Part {
    /// The object that holds it; it goes with its Job.
    #[must_use]
    pub fn object(self, job: &Job) -> ConfigMap {
        let Self { slice, number, parts, sha256, content } = self;
        let name = job.name_any();
        let annotations = [(SLICE, slice.to_string()), (PART, format!("{number}/{parts}")), (SHA256, sha256)];
        let metadata = ObjectMeta {
            name: Some(format!("{name}-slice-{}-part-{number}", slice.shard())),
            namespace: job.namespace(),
            labels: Some(BTreeMap::from([(LABEL.to_owned(), name)])),
            annotations: Some(annotations.map(|(key, value)| (key.to_owned(), value)).into()),
            owner_references: job.owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        };
        let content = BTreeMap::from([(KEY.to_owned(), ByteString(content))]);
        ConfigMap { metadata, binary_data: Some(content), immutable: Some(true), ..ConfigMap::default() }
    }

    /// The part in an object.
    ///
    /// # Errors
    /// What is missing in it, fit for a terminal.
    pub fn of(object: &ConfigMap) -> Result<Self, String> {
        let named = |key: &str| object.annotations().get(key);
        let broken = |what: &str| format!("the ConfigMap {} has no {what}", terminal(&object.name_any()));
        let slice = named(SLICE).and_then(|text| text.parse().ok()).ok_or_else(|| broken(SLICE))?;
        let counted = named(PART).and_then(|text| {
            let (number, parts) = text.split_once('/')?;
            Some((number.parse().ok()?, parts.parse().ok()?))
        });
        let (number, parts) = counted.ok_or_else(|| broken(PART))?;
        let sha256 = named(SHA256).cloned().ok_or_else(|| broken(SHA256))?;
        let content = object.binary_data.as_ref().and_then(|data| data.get(KEY)).ok_or_else(|| broken(KEY))?;
        Ok(Self { slice, number, parts, sha256, content: content.0.clone() })
    }

    /// The slice that it is of.
    #[must_use]
    pub const fn slice(&self) -> Partition {
        self.slice
    }
}

/// The bundle that these are all parts of.
///
/// # Errors
/// Which part is missing, or that they are not what was written; fit for a terminal.
pub fn joined(mut parts: Vec<Part>) -> Result<Vec<u8>, String> {
    parts.sort_by_key(|part| part.number);
    let Some(first) = parts.first() else { return Err("no part of it is there".to_owned()) };
    let (all, sum) = (first.parts, first.sha256.clone());
    if parts.iter().any(|part| part.parts != all || part.sha256 != sum) {
        return Err("its parts are of two bundles".to_owned());
    }
    if let Some(number) = (1..=all).find(|number| !parts.iter().any(|part| part.number == *number)) {
        return Err(format!("part {number} of {all} is missing"));
    }
    let bundle: Vec<u8> = parts.into_iter().flat_map(|part| part.content).collect();
    if sha256(&bundle) != sum {
        return Err("its parts are not what the slice wrote: their SHA-256 is another".to_owned());
    }
    Ok(bundle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn slice() -> Partition {
        "slice:2/3".parse().unwrap()
    }

    fn job() -> Job {
        serde_json::from_value(json!({"metadata": {"name": "nightly", "namespace": "jobsworth", "uid": "u"}})).unwrap()
    }

    /// Two whole parts and a little more, no two bytes of a part alike for long.
    fn bundle() -> Vec<u8> {
        (0..=u8::MAX).cycle().take(2 * LARGEST + 7).collect()
    }

    /// The parts as they come back from an API server.
    fn stored(bundle: &[u8]) -> Vec<Part> {
        let objects = split(slice(), bundle).into_iter().map(|part| part.object(&job()));
        let sent = objects.map(|object| serde_json::to_vec(&object).unwrap());
        sent.map(|text| Part::of(&serde_json::from_slice(&text).unwrap()).unwrap()).collect()
    }

    #[rstest]
    #[case::of_one_part(b"small".to_vec(), 1)]
    #[case::that_fills_its_part(vec![7; LARGEST], 1)]
    #[case::of_three_parts(bundle(), 3)]
    fn a_bundle_comes_back_as_it_was(#[case] bundle: Vec<u8>, #[case] parts: usize) {
        let mut stored = stored(&bundle);
        assert_eq!(stored.len(), parts);
        stored.reverse();
        assert!(joined(stored).unwrap() == bundle);
    }

    #[rstest]
    #[case::a_part_that_was_lost(|parts: &mut Vec<Part>| drop(parts.remove(1)), "part 2 of 3 is missing")]
    #[case::the_last_that_was_lost(|parts: &mut Vec<Part>| drop(parts.pop()), "part 3 of 3 is missing")]
    #[case::a_byte_that_changed(|parts: &mut Vec<Part>| parts[1].content[9] ^= 1, "their SHA-256 is another")]
    #[case::a_part_of_another(|parts: &mut Vec<Part>| parts[0].sha256 = "0".to_owned(), "its parts are of two bundles")]
    #[case::a_part_that_is_there_twice(|parts: &mut Vec<Part>| parts.push(parts[0].clone()), "their SHA-256 is another")]
    #[case::no_part(Vec::clear, "no part of it is there")]
    fn what_is_not_whole_is_no_bundle(#[case] change: fn(&mut Vec<Part>), #[case] says: &str) {
        let mut parts = stored(&bundle());
        change(&mut parts);
        let told = joined(parts).unwrap_err();
        assert!(told.contains(says), "{told}");
    }

    #[test]
    fn a_bundle_that_is_too_large_is_refused_with_the_way_out() {
        assert!(fits(slice(), BUNDLE_MAX).is_ok());
        let told = fits(slice(), BUNDLE_MAX + 1).unwrap_err().to_string();
        assert!(told.contains("slice:2/3") && told.contains("at most 67108864") && told.contains("--slices"), "{told}");
    }

    #[test]
    fn an_object_says_whose_it_is_and_goes_with_its_job() {
        let object = split(slice(), b"small").remove(0).object(&job());
        assert_eq!(object.name_any(), "nightly-slice-2-part-1");
        assert_eq!(object.labels()[LABEL], "nightly");
        let owner = &object.owner_references()[0];
        assert_eq!((owner.kind.as_str(), owner.name.as_str(), owner.uid.as_str()), ("Job", "nightly", "u"));
    }

    #[rstest]
    #[case::a_slice(SLICE)]
    #[case::its_number(PART)]
    #[case::the_sum_of_all(SHA256)]
    fn an_object_without_one_of_its_marks_is_no_part(#[case] mark: &str) {
        let mut object = split(slice(), b"small").remove(0).object(&job());
        object.annotations_mut().remove(mark);
        assert_eq!(Part::of(&object).unwrap_err(), format!("the ConfigMap nightly-slice-2-part-1 has no {mark}"));
    }
}
