//! A run in slices, each in a pod of its own: an Indexed Job in a cluster of the user's, and what comes back of it.
//!
//! [`manifests`] is what is applied. A pod knows [`inside`] which slice it has and how it gets to the API server; it runs that slice
//! and leaves its bundle in [`parts`]. [`results`] brings those to the API server and from there, and [`missing`] says why a slice
//! left nothing. The [`image`] holds this program. Joining is the work of [`merge`](crate::merge).

pub mod image;
pub mod inside;
pub mod manifests;
pub mod missing;
pub mod parts;
pub mod results;

use crate::plan::Partition;
use std::{io, path::PathBuf};

/// Most slices: so many clients of 20 requests a second are more than what an API server is built for.
pub const SLICES_MAX: u32 = 100;
/// Most bytes of a slice's bundle: what is stored in a cluster lies in the memory of its API server and etcd, beside all else.
pub const BUNDLE_MAX: u64 = 64 << 20;
/// The longest name of a sharded run: names of pods and parts are made of it.
pub const LONGEST_NAME: usize = 40;

/// The label that names the sharded run; its Job, its pods and its results have it.
pub const LABEL: &str = "jobsworth.dev/sharded-run";

/// Why a part of a sharded run could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// A file could not be used.
    #[error("failed to {what} {}: {source}", .path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// This is no pod of a sharded run.
    #[error(
        "failed to find out which slice this is: {0} is not set; this command is for the pods of `jobsworth shard write`"
    )]
    NoPod(&'static str),
    /// Its environment names no slice.
    #[error("failed to find out which slice this is: {0}; apply the manifests as `jobsworth shard write` wrote them")]
    NoSlice(String),
    /// The API server refused or did not answer.
    #[error("failed to {what}: {source}")]
    Request {
        /// What was asked.
        what: String,
        /// What it said.
        #[source]
        source: Box<kube::Error>,
    },
    /// There is no such sharded run.
    #[error(
        "failed to find the Job {name} in the namespace {namespace}; `kubectl get jobs -A -l {LABEL}` lists what there is"
    )]
    NoJob {
        /// Its name.
        name: String,
        /// Where it was looked for.
        namespace: String,
    },
    /// There is a Job of that name, and it is not the one that this pod is of.
    #[error(
        "failed to store the result: the Job {0} was deleted and made anew, and this pod is of the one before; collect from the new one"
    )]
    OtherJob(String),
    /// A result has no place in a cluster.
    #[error(
        "failed to store the result of {slice}: it has {bytes} bytes, and at most {BUNDLE_MAX} are put into a cluster; cut the work into more --slices, or ask for fewer cases or trials"
    )]
    TooLarge {
        /// Whose result it is.
        slice: Partition,
        /// How large it is.
        bytes: u64,
    },
    /// There is a Job of that name, and it is none of ours.
    #[error("failed to read the Job {0}: it is no Indexed Job that `jobsworth shard write` wrote")]
    ForeignJob(String),
}

/// Slice number `shard` of so many, from 1.
///
/// # Errors
/// When there is no such slice.
pub fn slice(shard: u32, slices: u32) -> Result<Partition, ShardError> {
    format!("slice:{shard}/{slices}")
        .parse()
        .map_err(|_| ShardError::NoSlice(format!("there is no {shard} of {slices}")))
}

/// A name that everything of a sharded run can have.
///
/// # Errors
/// What is wrong with it.
pub fn name(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    if text.len() > LONGEST_NAME
        || !text.chars().all(fits)
        || !ends(text.chars().next())
        || !ends(text.chars().next_back())
    {
        return Err(format!(
            "it must have lower-case letters, digits and hyphens only, begin and end with a letter or digit, and be no longer than {LONGEST_NAME}"
        ));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_word("nightly", true)]
    #[case::with_a_number("run-2", true)]
    #[case::the_longest("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true)]
    #[case::one_more("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false)]
    #[case::in_capitals("Nightly", false)]
    #[case::with_a_dot("a.b", false)]
    #[case::that_ends_with_a_hyphen("a-", false)]
    #[case::empty("", false)]
    fn names(#[case] text: &str, #[case] good: bool) {
        assert_eq!(name(text).is_ok(), good);
    }

    #[test]
    fn slices_count_from_one() {
        assert_eq!(slice(1, 3).unwrap().to_string(), "slice:1/3");
        assert!(slice(0, 3).unwrap_err().to_string().contains("there is no 0 of 3"));
    }
}
