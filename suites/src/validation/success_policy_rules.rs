//! What a success policy may say.

use crate::{
    draft::{Draft, SuccessRule},
    table::{
        self,
        Fault::{Invalid, Required, TooMany},
        Row, row,
    },
    words::*,
};

/// A success policy has 1 to 20 rules of an Indexed Job, each with indexes, a count that they allow, or both.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3998),
                section: "Job API",
                says: "a success policy is for Indexed Jobs and has 1 to 20 rules that can be met",
            },
            requirements: &["VAL-016", "VAL-017", "VAL-018", "VAL-020"],
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

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [policies(), rules(), counts()].concat()
}

fn policies() -> Vec<Row> {
    let rules = "spec.successPolicy.rules";
    let rule = || any(1);
    let with = |count| std::iter::repeat_with(rule).take(count).fold(indexed(3), Draft::succeeds_when);
    vec![
        row("VAL-016 an Indexed Job may have a success policy", indexed(3).succeeds_when(any(1))).accepted(),
        row("VAL-016 a NonIndexed Job has no success policy", counted(3, 1).succeeds_when(any(1))).refused_saying(
            Invalid,
            "spec.successPolicy",
            "requires indexed completion mode",
        ),
        row("VAL-017 a success policy has a rule", indexed(3).spec("successPolicy", json!({"rules": []})))
            .refused(Required, rules),
        row("VAL-017 one rule is enough", with(1)).accepted(),
        row("VAL-017 20 rules are not too many", with(20)).accepted(),
        row("VAL-017 21 rules are too many", with(21)).refused(TooMany, rules),
    ]
}

fn rules() -> Vec<Row> {
    let empty = json!({"rules": [{"succeededCount": 1}, {}]});
    vec![
        row("VAL-018 a rule asks for something", indexed(3).spec("successPolicy", empty))
            .refused(Required, "spec.successPolicy.rules[1]"),
        row("VAL-018 a rule may ask for a count alone", indexed(3).succeeds_when(any(1))).accepted(),
        row("VAL-018 a rule may ask for indexes alone", indexed(3).succeeds_when(indexes("0"))).accepted(),
        row("VAL-018 a rule may ask for some of its indexes", indexed(3).succeeds_when(some_of(1, "0-1"))).accepted(),
        row("VAL-018 a rule may ask for no index at all", indexed(3).succeeds_when(indexes(""))).accepted(),
    ]
}

fn counts() -> Vec<Row> {
    let count = "spec.successPolicy.rules[0].succeededCount";
    let asks = |rule: SuccessRule| indexed(3).succeeds_when(rule);
    let minus_one = json!({"rules": [{"succeededCount": -1}]});
    vec![
        row("VAL-020 a count may not be negative", indexed(3).spec("successPolicy", minus_one)).refused(Invalid, count),
        // The KEP speaks of a positive number.
        row("VAL-020 a count may be 0", asks(any(0))).accepted(),
        row("VAL-020 a count may be all indexes", asks(any(3))).accepted(),
        row("VAL-020 a count may not be more than all indexes", asks(any(4))).refused_saying(
            Invalid,
            count,
            "less than or equal to 3 (the number of specified completions)",
        ),
        row("VAL-020 a count may be all of the rule's indexes", asks(some_of(2, "0,2"))).accepted(),
        row("VAL-020 a count may not be more than the rule's indexes", asks(some_of(3, "0,2"))).refused_saying(
            Invalid,
            count,
            "less than or equal to 2 (the number of indexes",
        ),
        row("VAL-020 intervals count with all their indexes", asks(some_of(3, "0-2"))).accepted(),
        row("VAL-020 an empty list allows a count of 0", asks(some_of(0, ""))).accepted(),
        row("VAL-020 an empty list allows no count of 1", asks(some_of(1, ""))).refused(Invalid, count),
    ]
}
