//! Policies of twenty rules, of 64 KiB, and of the greatest numbers of their type.

use super::MAX;
use crate::draft::Draft;
use crate::{
    siege::{Row, besiege, row, withstood},
    words::*,
};

/// A policy is read to its end, however long it is.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "policies",
                says: "failure and success policies are followed up to the limits of their size and of their numbers",
            },
            requirements: &["PFP-001", "PFP-004", "SUC-002", "SYN-031", "SUC-022"],
            needs: Needs {
                gates: &["JobSuccessPolicy", "JobPodFailurePolicy"],
                pods: PodNeeds::Played("exit codes that no process has"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        besiege(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        withstood(&rows())
    }
}

/// The rows of the table.
#[must_use]
pub fn rows() -> Vec<Row> {
    let every_other = |bytes: usize| {
        let mut list = "0".to_owned();
        for part in (1..).map(|n: u32| format!(",{}", 2 * n)) {
            if list.len() + part.len() > bytes {
                break;
            }
            list.push_str(&part);
        }
        list
    };
    let first_of = |completions: u32, list: &str| indexed(completions).parallelism(1).succeeds_when(indexes(list));
    vec![
        row("twenty-rules-of-255-codes", twenty_rules_of_codes()).pod_ends(7 + 19 * 1000).becomes("FailureTarget(PodFailurePolicy), Failed(PodFailurePolicy), failed 1, 1 ended, *PodFailurePolicy, *SuccessfulCreate"),
        row("twenty-rules-of-twenty-conditions", twenty_rules_of_conditions()).pod_ends(1).becomes("FailureTarget(BackoffLimitExceeded), Failed(BackoffLimitExceeded), failed 1, 1 ended, *BackoffLimitExceeded, *SuccessfulCreate"),
        row(
            "codes-at-their-limits",
            counted(1, 1).when_a_pod(exits(&[i32::MIN, -1, i32::MAX - 1, i32::MAX]).fail_job()),
        )
        .pod_ends(i32::MAX)
        .becomes("FailureTarget(PodFailurePolicy), Failed(PodFailurePolicy), failed 1, 1 ended, *PodFailurePolicy, *SuccessfulCreate"),
        row("a-negative-code", counted(1, 1).when_a_pod(exits(&[i32::MIN]).fail_job()))
            .pod_ends(i32::MIN)
            .becomes("FailureTarget(PodFailurePolicy), Failed(PodFailurePolicy), failed 1, 1 ended, *PodFailurePolicy, *SuccessfulCreate"),
        // As a signal ends a process: more than a signed byte holds.
        row("a-code-above-127", counted(1, 1).when_a_pod(exits(&[137]).fail_job()))
            .pod_ends(137)
            .becomes("FailureTarget(PodFailurePolicy), Failed(PodFailurePolicy), failed 1, 1 ended, *PodFailurePolicy, *SuccessfulCreate"),
        row("twenty-rules-of-success", (0..20).fold(indexed(20).parallelism(1), |job, n| {
            job.succeeds_when(indexes(&(19 - n).to_string()))
        }))
        .pod_ends(0)
        .becomes("SuccessCriteriaMet(SuccessPolicy), Complete(SuccessPolicy), succeeded 1, completedIndexes 0, 1 ended, *Completed, *SuccessfulCreate"),
        row("64-kib-of-indexes", first_of(100_000, &every_other(64 * 1024))).pod_ends(0).becomes("active 1, ready 1, succeeded 1, completedIndexes 0, 1 running, 1 ended, *SuccessfulCreate"),
        row("two-billion-indexes-must-succeed", first_of(MAX, "0-2147483646")).pod_ends(0).becomes("active 1, ready 1, succeeded 1, completedIndexes 0, 1 running, 1 ended, *SuccessfulCreate"),
        row("two-billion-successes-are-enough", indexed(MAX).parallelism(1).succeeds_when(any(MAX)))
            .pod_ends(0)
            .becomes("active 1, ready 1, succeeded 1, completedIndexes 0, 1 running, 1 ended, *SuccessfulCreate"),
        row("no-success-is-enough", indexed(2).parallelism(1).succeeds_when(any(0))).becomes("active 1, ready 1, 1 running, *SuccessfulCreate"),
        row("an-index-with-a-sign", first_of(2, "+0")).pod_ends(0).becomes("SuccessCriteriaMet(SuccessPolicy), Complete(SuccessPolicy), succeeded 1, completedIndexes 0, 1 ended, *Completed, *SuccessfulCreate"),
        row("an-index-with-zeros", first_of(2, "0000000000")).pod_ends(0).becomes("SuccessCriteriaMet(SuccessPolicy), Complete(SuccessPolicy), succeeded 1, completedIndexes 0, 1 ended, *Completed, *SuccessfulCreate"),
    ]
}

/// The last code of the last rule is 19,007.
fn twenty_rules_of_codes() -> Draft {
    (0..20).fold(counted(1, 1), |job, rule| {
        let codes: Vec<i32> = (0..255).map(|code| rule * 1000 + 7 - 254 + code).filter(|code| *code != 0).collect();
        let hit = exits(&codes);
        job.when_a_pod(if rule == 19 { hit.fail_job() } else { hit.ignore() })
    })
}

fn twenty_rules_of_conditions() -> Draft {
    let of = |rule: u32| (0..20).map(move |n| format!("example.com/condition-{rule}-{n}"));
    (0..20).fold(counted(1, 1), |job, rule| job.fails_when_a_pod_has(of(rule)))
}
