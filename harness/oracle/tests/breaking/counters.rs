//! S08 to S11: counters and sets of indexes.

use super::{Told, breaks, legal};
use crate::timelines::{Story, ledger_of_two, one_failed, three_run, two_decided};
use serde_json::json;

/// Four indexes, of which 0, 1 and 3 are completed.
fn three_of_four() -> Story {
    let story = Story::indexed(4, 4).create("0a").create("1a").create("2a").create("3a").start(4);
    let story = story.succeed("0a").succeed("1a").succeed("3a");
    story
        .status(json!({"active": 1, "succeeded": 3, "completedIndexes": "0,1,3"}))
        .release("0a")
        .release("1a")
        .release("3a")
}

/// Completions and parallelism lowered together.
fn scaled_to(story: Story, count: u32) -> Story {
    story.spec(json!({"completions": count, "parallelism": count}))
}

fn per_index() -> Story {
    Story::of(json!({
        "completionMode": "Indexed", "completions": 3, "parallelism": 3, "backoffLimitPerIndex": 0,
        "backoffLimit": 2_147_483_647,
    }))
    .create("0a")
    .create("1a")
    .create("2a")
    .start(3)
    .status(json!({"failedIndexes": ""}))
    .fail("2a")
    .ledger(&[], &["2a"], json!({"active": 2, "failedIndexes": "2"}))
    .release("2a")
    .ledger(&[], &[], json!({"failed": 1}))
}

pub const TOLD: &[Told] = &[
    breaks("S08", "failed falls", || one_failed().status(json!({"failed": 0}))),
    breaks("S08", "succeeded falls without indexes", || {
        ledger_of_two()
            .release("a")
            .release("b")
            .ledger(&[], &[], json!({"succeeded": 2}))
            .status(json!({"succeeded": 1}))
    }),
    breaks("S08", "succeeded falls with indexes that are still wanted", || {
        two_decided().status(json!({"succeeded": 1, "completedIndexes": "0"}))
    }),
    breaks("S08", "succeeded falls by more than was scaled away", || {
        scaled_to(three_of_four(), 3).status(json!({"succeeded": 1, "completedIndexes": "0"}))
    }),
    legal("S08", "an index that was scaled away takes its success with it", || {
        scaled_to(three_of_four(), 3).status(json!({"succeeded": 2, "completedIndexes": "0,1"}))
    }),
    legal("S08", "the namesake counts from nothing", || one_failed().job_gone().again("second", json!({})).start(0)),
    breaks("S09", "an index is lost", || two_decided().status(json!({"succeeded": 1, "completedIndexes": "1"}))),
    breaks("S09", "a pair is written as a range", || two_decided().status(json!({"completedIndexes": "0-1"}))),
    breaks("S09", "three in a row are written out", || {
        three_run()
            .succeed("0a")
            .succeed("1a")
            .succeed("2a")
            .status(json!({"succeeded": 3, "completedIndexes": "0,1,2"}))
    }),
    breaks("S09", "they do not ascend", || two_decided().status(json!({"completedIndexes": "1,0"}))),
    breaks("S09", "an index is out of range", || {
        two_decided().status(json!({"succeeded": 3, "completedIndexes": "0,1,7"}))
    }),
    breaks("S09", "a Job without indexes has some", || {
        Story::plain(2, 1).start(1).status(json!({"completedIndexes": "0"}))
    }),
    breaks("S09", "out of range after a hole, and the version before is known", || {
        Story::indexed(2, 2).gap("jobs").start(0).status(json!({"succeeded": 1, "completedIndexes": "7"}))
    }),
    legal("S09", "an index out of range stays until the next sync", || scaled_to(three_of_four(), 2)),
    legal("S09", "three in a row are a range", || {
        three_run()
            .succeed("0a")
            .succeed("1a")
            .succeed("2a")
            .status(json!({"active": 0, "succeeded": 3, "completedIndexes": "0-2"}))
    }),
    breaks("S10", "a success too many", || two_decided().status(json!({"succeeded": 3}))),
    breaks("S10", "a success too few", || three_run().succeed("0a").status(json!({"completedIndexes": "0"}))),
    breaks("S10", "pods are counted instead of indexes", || {
        three_run().succeed("0a").succeed("1a").status(json!({"succeeded": 2, "completedIndexes": "0"}))
    }),
    legal("S10", "a range counts for each of its indexes", || {
        three_run()
            .succeed("0a")
            .succeed("1a")
            .succeed("2a")
            .status(json!({"active": 0, "succeeded": 3, "completedIndexes": "0-2"}))
    }),
    legal("S10", "without indexes nothing is compared", || {
        ledger_of_two().release("a").release("b").ledger(&[], &[], json!({"succeeded": 2}))
    }),
    breaks("S11", "a failed index is forgotten", || per_index().status(json!({"failedIndexes": ""}))),
    breaks("S11", "the list vanishes", || per_index().status(json!({"failedIndexes": null}))),
    breaks("S11", "an index is completed and failed", || {
        per_index().succeed("1a").status(json!({"succeeded": 1, "completedIndexes": "1", "failedIndexes": "1,2"}))
    }),
    breaks("S11", "there is a list without a limit per index", || three_run().status(json!({"failedIndexes": ""}))),
    breaks("S11", "a failed index is out of range", || per_index().status(json!({"failedIndexes": "2,9"}))),
    legal("S11", "an index that was scaled away is not failed any more", || {
        scaled_to(per_index(), 2).status(json!({"failedIndexes": ""}))
    }),
    legal("S11", "without its gate the list goes", || {
        per_index().without("JobBackoffLimitPerIndex").status(json!({"failedIndexes": null}))
    }),
];
