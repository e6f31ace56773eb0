//! Which texts are lists of indexes.

use crate::{
    table::{
        self,
        Fault::{Invalid, TooLong},
        Row, row,
    },
    words::*,
};

/// A list of indexes is integers and intervals that rise, below the number of completions, in 64 KiB at most.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Job API",
                says: "a rule's indexes are integers and intervals in rising order, all of them existing ones",
            },
            requirements: &["VAL-019", "VAL-035", "VAL-036", "VAL-037"],
            needs: Needs { gates: &["JobManagedBy", "JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows())
    }
}

const FIELD: &str = "spec.successPolicy.rules[0].succeededIndexes";

/// The table: every list is asked for in a Job of five indexes, but for the longest.
#[must_use]
pub fn rows() -> Vec<Row> {
    [small(), order(), spelling(), length()].concat()
}

fn listed(says: &str, list: &str) -> Row {
    row(says, indexed(5).succeeds_when(indexes(list))).has("/spec/successPolicy/rules/0/succeededIndexes", list)
}

fn refused(says: &str, list: &str, text: &'static str) -> Row {
    row(says, indexed(5).succeeds_when(indexes(list))).refused_saying(Invalid, FIELD, text)
}

fn small() -> Vec<Row> {
    vec![
        listed("VAL-019 a single index is a list", "0"),
        listed("VAL-019 indexes and intervals mix", "0,2-4"),
        listed("VAL-019 the last index may be listed", "4"),
        refused("VAL-019 the index after the last may not be listed", "5", "too large index"),
        refused("VAL-019 an interval may not end after the last index", "3-5", "too large index"),
        listed("VAL-019 an empty text is an empty list", ""),
        refused("VAL-019 a list that ends in a comma is none", "1,", "cannot convert string to integer"),
        refused("VAL-019 words are no indexes", "all", "cannot convert string to integer"),
        row("VAL-019 a Job without indexes has none to list", indexed(0).succeeds_when(indexes("0"))).refused_saying(
            Invalid,
            FIELD,
            "too large index",
        ),
    ]
}

fn order() -> Vec<Row> {
    let falls = "non-increasing order";
    vec![
        refused("VAL-035 an index may not be listed twice", "1,1", falls),
        refused("VAL-035 indexes may not fall", "2,1", falls),
        refused("VAL-035 an interval may not fall", "3-1", falls),
        refused("VAL-035 an interval of one index is none", "1-1", falls),
        refused("VAL-035 an interval may not repeat the end of the one before", "0-2,2-3", falls),
        refused("VAL-035 intervals may not overlap", "0-3,2-4", falls),
        listed("VAL-037 intervals may be neighbours", "1-3,4"),
        listed("VAL-037 neighbours may be listed one by one", "0,1,2"),
    ]
}

fn spelling() -> Vec<Row> {
    let no_integer = "cannot convert string to integer";
    vec![
        refused("VAL-036 an interval has two ends", "1-2-3", "at most two parts"),
        refused("VAL-036 an interval has an end", "1-", no_integer),
        refused("VAL-036 an interval has a beginning", "-1", no_integer),
        refused("VAL-036 no blank before an index", " 1", no_integer),
        refused("VAL-036 no blank after a comma", "1, 2", no_integer),
        refused("VAL-036 no blank in an interval", "1 - 2", no_integer),
        refused("VAL-036 nothing between two commas is no index", "1,,2", no_integer),
        refused("VAL-036 an index has no fraction", "1.5", no_integer),
        refused("VAL-036 an index is written in tens", "0x1", no_integer),
        // The API server reads each part as an integer of Go: a plus sign and leading zeros pass.
        listed("VAL-036 a plus sign before an index passes", "+1"),
        listed("VAL-036 leading zeros pass", "01,002"),
    ]
}

fn length() -> Vec<Row> {
    let asked = |says, bytes| {
        let list = list_of(bytes);
        row(says, indexed(i32::MAX.unsigned_abs()).parallelism(1).succeeds_when(indexes(&list))).dry_run()
    };
    vec![
        asked("VAL-019 a list of 65536 bytes is not too long", 65_536).accepted(),
        asked("VAL-019 a list of 65537 bytes is too long", 65_537).refused(TooLong, FIELD),
    ]
}

/// A rising list that is so many bytes long: indexes of seven digits, and a longer one at the end.
fn list_of(bytes: usize) -> String {
    let with_comma = 8;
    let short = (1_000_000..).step_by(2).take(bytes / with_comma - 1).map(|index: u32| format!("{index},"));
    let mut list: String = short.collect();
    let rest = bytes - list.len();
    list.push_str(&"1".repeat(rest));
    list
}

#[cfg(test)]
mod tests {
    use super::list_of;

    #[test]
    fn the_longest_lists_are_as_long_as_they_say() {
        assert_eq!(list_of(65_536).len(), 65_536);
        assert_eq!(list_of(65_537).len(), 65_537);
    }
}
