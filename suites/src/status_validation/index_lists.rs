//! Lists of indexes in a status.

use super::status::{started, with};
use crate::{
    table::{self, Fault::Invalid, Row, row},
    words::*,
};

/// Completed and failed indexes are well-formed lists of existing indexes, apart from each other, where they
/// apply at all.
///
/// They are looked at when they change: a list that an elastic Job outlived stays, and other writes pass.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of JobStatus",
                says: "lists of indexes that change must be well-formed, in range and disjoint",
            },
            requirements: &["VST-104", "VST-105", "VST-106", "VST-107", "VST-108", "VST-201", "VST-204"],
            needs: Needs { gates: &["JobManagedBy", "JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows())
    }
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [completed(), failed(), out_of_place(), overlapping(), after_a_scale_down(), format()].concat()
}

const COMPLETED: &str = "completedIndexes";
const FAILED: &str = "failedIndexes";

fn completed() -> Vec<Row> {
    let of_five = |says: &str, list: &str| row(says, indexed(5)).status(with(COMPLETED, list));
    let field = "status.completedIndexes";
    let error = "error parsing completedIndexes";
    vec![
        of_five("VST-104 the last index may be completed", "4").accepted(),
        of_five("VST-104 the index after the last is not completed", "5").refused_saying(Invalid, field, error),
        of_five("VST-104 an interval does not go beyond the last index", "3-5").refused_saying(Invalid, field, error),
        of_five("VST-104 words are no completed indexes", "all").refused_saying(Invalid, field, error),
        row("VST-104 what was in order may not become disorder", indexed(5))
            .status(with(COMPLETED, "0-2"))
            .status(with(COMPLETED, "2,0"))
            .refused_saying(Invalid, field, error),
        row("VST-104 completed indexes may go", indexed(5))
            .status(with(COMPLETED, "0"))
            .status(with(COMPLETED, ()))
            .accepted(),
    ]
}

fn failed() -> Vec<Row> {
    let failing = |says: &str, list: &str| row(says, indexed(5).backoff_limit_per_index(1)).status(with(FAILED, list));
    let field = "status.failedIndexes";
    let error = "error parsing failedIndexes";
    vec![
        failing("VST-105 the last index may have failed", "4").accepted(),
        failing("VST-105 no index may have failed", "").accepted(),
        failing("VST-105 the index after the last has not failed", "5").refused_saying(Invalid, field, error),
        failing("VST-105 failed indexes do not fall", "3,1").refused_saying(Invalid, field, error),
        failing("VST-105 words are no failed indexes", "none").refused_saying(Invalid, field, error),
    ]
}

fn out_of_place() -> Vec<Row> {
    vec![
        row("VST-106 a NonIndexed Job completes no indexes", counted(3, 1))
            .status(with(COMPLETED, "0"))
            .refused(Invalid, "status.completedIndexes"),
        row("VST-106 a queue of work completes no indexes", work_queue(1))
            .status(with(COMPLETED, "0"))
            .refused(Invalid, "status.completedIndexes"),
        row("VST-106 a NonIndexed Job may say that it completed none", counted(3, 1))
            .status(with(COMPLETED, ""))
            .accepted(),
        row("VST-106 an Indexed Job may complete indexes", indexed(3)).status(with(COMPLETED, "0")).accepted(),
        row("VST-107 without a limit per index, none fails", indexed(3))
            .status(with(FAILED, "0"))
            .refused(Invalid, "status.failedIndexes"),
        row("VST-107 without a limit per index, not even no index fails", indexed(3))
            .status(with(FAILED, ""))
            .refused(Invalid, "status.failedIndexes"),
        row("VST-107 indexes of a NonIndexed Job do not fail", counted(3, 1))
            .status(with(FAILED, ""))
            .refused(Invalid, "status.failedIndexes"),
        row("VST-107 with a limit per index, one may fail", indexed(3).backoff_limit_per_index(1))
            .status(with(FAILED, "0"))
            .accepted(),
    ]
}

fn overlapping() -> Vec<Row> {
    let job = || indexed(9).backoff_limit_per_index(1);
    let field = "status.failedIndexes";
    let both = |completed: &str, failed: &str| with(COMPLETED, completed).with(FAILED, failed);
    vec![
        row("VST-108 indexes may fail between those that complete", job()).status(both("0-2,5", "3,4,6-8")).accepted(),
        row("VST-108 an index does not fail and complete", job()).status(both("0-4", "2")).refused_saying(
            Invalid,
            field,
            "overlap at index: 2",
        ),
        row("VST-108 the first of several indexes in both lists is named", job())
            .status(both("0,3-6", "1,4-5"))
            .refused_saying(Invalid, field, "overlap at index: 4"),
        row("VST-108 an index that failed does not complete", job())
            .status(both("0", "3"))
            .status(with(COMPLETED, "0,3"))
            .refused_saying(Invalid, field, "overlap at index: 3"),
        row("VST-108 an index that completed does not fail", job())
            .status(both("0", "3"))
            .status(with(FAILED, "0,3"))
            .refused_saying(Invalid, field, "overlap at index: 0"),
    ]
}

/// A Job that shrank from five indexes to two after the last one had completed, or failed.
fn after_a_scale_down() -> Vec<Row> {
    let shrink = || json!({"spec": {"completions": 2, "parallelism": 2}});
    let shrunk =
        |says: &str| row(says, indexed(5)).status(started().with(COMPLETED, "0,4").with("succeeded", 2)).then(shrink());
    let shrunk_failing = |says: &str| {
        row(says, indexed(5).backoff_limit_per_index(1)).status(started().with(FAILED, "4")).then(shrink())
    };
    vec![
        shrunk("VST-201 a completed index out of range does not stop other writes")
            .status(with("active", 1))
            .has("/status/completedIndexes", "0,4"),
        shrunk("VST-201 the same index out of range may be written again")
            .status(with("active", 1).with(COMPLETED, "0,4"))
            .accepted(),
        shrunk("VST-201 completed indexes may come back into range").status(with(COMPLETED, "0")).accepted(),
        shrunk("VST-201 completed indexes that change must be in range")
            .status(with(COMPLETED, "0,1,4"))
            .refused_saying(Invalid, "status.completedIndexes", "too large index"),
        shrunk_failing("VST-201 a failed index out of range does not stop other writes")
            .status(with("active", 1))
            .has("/status/failedIndexes", "4"),
        shrunk_failing("VST-201 failed indexes that change must be in range")
            .status(with(FAILED, "0,4"))
            .refused_saying(Invalid, "status.failedIndexes", "too large index"),
    ]
}

fn format() -> Vec<Row> {
    let of_nine = |says: &str, list: &str| row(says, indexed(9)).status(with(COMPLETED, list));
    let refused = |says: &str, list: &str, text: &'static str| {
        of_nine(says, list).refused_saying(Invalid, "status.completedIndexes", text)
    };
    let falls = "non-increasing order";
    let no_integer = "cannot convert string to integer";
    vec![
        of_nine("VST-204 indexes and intervals mix", "0,2-4,6").accepted(),
        of_nine("VST-204 intervals may be neighbours", "1-3,4-5").accepted(),
        refused("VST-204 an index is not listed twice", "1,1", falls),
        refused("VST-204 an interval of one index is none", "1-1", falls),
        refused("VST-204 an interval does not fall", "3-1", falls),
        refused("VST-204 intervals do not overlap", "0-3,2-4", falls),
        refused("VST-204 an interval has two ends", "1-2-3", "at most two parts"),
        refused("VST-204 blanks are no part of a list", "1, 2", no_integer),
        refused("VST-204 a list does not end in a comma", "1,", no_integer),
        // As in the spec: each part is read as an integer of Go.
        of_nine("VST-204 a plus sign before an index passes", "+1").accepted(),
    ]
}
