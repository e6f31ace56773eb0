//! Numbers of a Job's spec: their limits, and what they need beside them.

use crate::{
    draft::Draft,
    table::{
        self,
        Fault::{Invalid, NotSupported, Required},
        Row, row,
    },
    words::*,
};

/// Numbers of a Job's spec are refused beyond their limits and accepted at them.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of JobSpec",
                says: "numbers of the spec have lower and upper limits, some of them only together with others",
            },
            requirements: &[
                "VAL-001", "VAL-002", "VAL-003", "VAL-004", "VAL-006", "VAL-007", "VAL-008", "VAL-009", "VAL-010",
                "VAL-038", "VAL-040", "IDX-027",
            ],
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
    [not_negative(), large(), restarts(), indexed_needs(), failed_indexes(), above_the_soft_limit(), warned()].concat()
}

/// Each number may be 0 and not less.
fn not_negative() -> Vec<Row> {
    let per_index = || indexed(3).backoff_limit_per_index(1);
    let fields: [(&'static str, Draft); 7] = [
        ("spec.parallelism", counted(1, 1)),
        ("spec.completions", counted(1, 1)),
        ("spec.activeDeadlineSeconds", counted(1, 1)),
        ("spec.backoffLimit", counted(1, 1)),
        ("spec.ttlSecondsAfterFinished", counted(1, 1)),
        ("spec.backoffLimitPerIndex", per_index()),
        ("spec.maxFailedIndexes", per_index()),
    ];
    let pair = |(path, job): (&'static str, Draft)| {
        let field = path.trim_start_matches("spec.");
        [
            row(&format!("VAL-001 {field} may be 0"), job.clone().spec(field, 0)).accepted(),
            row(&format!("VAL-001 {field} may not be -1"), job.spec(field, -1)).refused(Invalid, path),
        ]
    };
    fields.into_iter().flat_map(pair).collect()
}

fn large() -> Vec<Row> {
    vec![
        row("VAL-001 every count may be as large as its type", counted(1, 1).spec("completions", i32::MAX))
            .then(json!({"spec": {
                "parallelism": i32::MAX, "backoffLimit": i32::MAX, "ttlSecondsAfterFinished": i32::MAX,
            }}))
            .accepted(),
        row("VAL-001 a count larger than its type is not read", counted(1, 1).spec("parallelism", 1_i64 << 31))
            .refused_as(|answer| answer.is_refused_as(400, "parallelism")),
        row("VAL-001 a deadline may be larger than 32 bits", counted(1, 1).spec("activeDeadlineSeconds", 1_i64 << 31))
            .accepted(),
        row("VAL-038 a NonIndexed Job may have a parallelism of 100001", work_queue(100_001)).accepted(),
        row("VAL-004 an Indexed Job may have a parallelism of 100000", indexed(3).parallelism(100_000)).accepted(),
        row("VAL-004 an Indexed Job may not have a parallelism of 100001", indexed(3).parallelism(100_001))
            .refused(Invalid, "spec.parallelism"),
    ]
}

fn restarts() -> Vec<Row> {
    let policy = "spec.template.spec.restartPolicy";
    let restarting = |value: serde_json::Value| counted(1, 1).pod_spec("restartPolicy", value);
    vec![
        row("VAL-002 pods may never restart", restarting("Never".into())).accepted(),
        row("VAL-002 pods may restart on failure", restarting("OnFailure".into())).accepted(),
        row("VAL-002 pods may not always restart", restarting("Always".into())).refused(Required, policy),
        row("VAL-002 a restart policy must be chosen", restarting(().into())).refused(Required, policy),
        row("VAL-002 an unknown restart policy is refused", restarting("Sometimes".into()))
            .refused(NotSupported, policy),
        // Documented as unsupported; no server so far says so.
        row(
            "VAL-010 a limit per index goes with pods that restart in place",
            indexed(3).backoff_limit_per_index(1).restarts_in_place(),
        )
        .accepted(),
    ]
}

fn indexed_needs() -> Vec<Row> {
    let counted_failures = counted(3, 1).backoff_limit_per_index(1);
    vec![
        row("VAL-003 an Indexed Job needs completions", indexed(3).without("completions"))
            .refused(Required, "spec.completions"),
        row("VAL-003 an Indexed Job may have no completion to reach", indexed(0)).accepted(),
        row("VAL-003 an unknown completion mode is refused", counted(1, 1).spec("completionMode", "Ordered"))
            .refused(NotSupported, "spec.completionMode"),
        row("VAL-006 a limit per index is for Indexed Jobs", counted_failures.clone())
            .refused(Invalid, "spec.backoffLimitPerIndex"),
        row("VAL-006 a limit of failed indexes is for Indexed Jobs", counted_failures.spec("maxFailedIndexes", 1))
            .refused_among_others(Invalid, "spec.maxFailedIndexes"),
        row("VAL-006 Indexed Jobs have both limits", indexed(3).backoff_limit_per_index(1).spec("maxFailedIndexes", 1))
            .accepted(),
        row("VAL-007 a limit of failed indexes needs a limit per index", indexed(3).spec("maxFailedIndexes", 1))
            .refused(Required, "spec.backoffLimitPerIndex"),
        row("VAL-007 a limit per index may stand alone", indexed(3).backoff_limit_per_index(1)).accepted(),
    ]
}

fn failed_indexes() -> Vec<Row> {
    let failing = |completions, most: u32| {
        indexed(completions).parallelism(1).backoff_limit_per_index(1).spec("maxFailedIndexes", most)
    };
    let most = "spec.maxFailedIndexes";
    vec![
        row("VAL-008 as many indexes may fail as there are", failing(3, 3)).accepted(),
        row("VAL-008 no more indexes may fail than there are", failing(3, 4)).refused(Invalid, most),
        row("VAL-008 100000 indexes may fail", failing(100_000, 100_000)).accepted(),
        row("VAL-008 100001 indexes may not fail", failing(100_000, 100_001)).refused_saying(
            Invalid,
            most,
            "must be less than or equal to 100000",
        ),
        row("VAL-009 above 100000 completions, 10000 indexes may fail", failing(100_001, 10_000)).accepted(),
        row("VAL-009 above 100000 completions, 10001 indexes may not fail", failing(100_001, 10_001)).refused_saying(
            Invalid,
            most,
            "10000 when completions are above 100000",
        ),
        row("VAL-009 at 100000 completions, 10001 indexes may fail", failing(100_000, 10_001)).accepted(),
    ]
}

fn above_the_soft_limit() -> Vec<Row> {
    let job = |completions, pods| indexed(completions).parallelism(pods).backoff_limit_per_index(1);
    vec![
        row("VAL-009 above 100000 completions, failed indexes must be limited", job(100_001, 1))
            .refused(Required, "spec.maxFailedIndexes"),
        row("VAL-009 at 100000 completions, failed indexes need no limit", job(100_000, 1)).accepted(),
        row(
            "VAL-009 above 100000 completions, 10000 pods may run at once",
            job(100_001, 10_000).spec("maxFailedIndexes", 1),
        )
        .accepted(),
        row(
            "VAL-009 above 100000 completions, 10001 pods may not run at once",
            job(100_001, 10_001).spec("maxFailedIndexes", 1),
        )
        .refused_saying(Invalid, "spec.parallelism", "10000 when completions are above 100000"),
        row("VAL-009 at 100000 completions, 10001 pods may run at once", job(100_000, 10_001)).accepted(),
        row(
            "VAL-009 without a limit per index, nothing but the type bounds completions",
            indexed(i32::MAX.unsigned_abs()).parallelism(1),
        )
        .accepted(),
    ]
}

fn warned() -> Vec<Row> {
    let text = "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, \
                Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
    let large = |completions, pods| indexed(completions).parallelism(pods);
    vec![
        row("VAL-040 100001 indexes, 10001 at once, are warned of", large(100_001, 10_001)).warns(text),
        row("VAL-040 100000 indexes, 10001 at once, are not warned of", large(100_000, 10_001)).does_not_warn(),
        row("VAL-040 100001 indexes, 10000 at once, are not warned of", large(100_001, 10_000)).does_not_warn(),
        row("VAL-040 100001 completions of a NonIndexed Job are not warned of", counted(100_001, 10_001))
            .does_not_warn(),
        row("VAL-040 growing beyond both numbers is warned of", large(100_001, 1))
            .then(json!({"spec": {"parallelism": 10_001}}))
            .warns(text),
    ]
}
