//! The field selector of Jobs.

use crate::words::*;

/// `status.successful` selects Jobs by the number of their successes, and no other count of the status selects any.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "field selectors",
                says: "the field selector status.successful compares the number of succeeded pods",
            },
            requirements: &["DEF-013"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for (name, successes) in [("one", 1), ("two", 2), ("none", 0)] {
            scene.submit(counted(3, 1).named(name).managed_by("tables.jobsworth.dev/nobody")).await?;
            scene.must(Write::patch_job_status(name, json!({"succeeded": successes, "failed": 7}))).await?;
        }
        scene.attempt("by failures", Write::delete_jobs_where("status.failed=7")).await?;
        scene.attempt("by successes", Write::delete_jobs_where("status.successful=2")).await?;
        scene.wait(job_named("two").exists().negated()).await?;
        scene.attempt("by name", Write::delete_jobs_where("metadata.name=none")).await?;
        scene.wait(job_named("none").exists().negated()).await
    }

    fn expects(&self) -> Expectations {
        let selected = job_named("two").exists();
        Expectations::from([
            (
                "the number of failures is no selector",
                eventually(answer("by failures").is_refused_as(400, "status.failed")),
            ),
            ("the number of successes is one", eventually(answer("by successes").is_accepted())),
            (
                "it selects the Job with two successes",
                eventually(answer("by successes").is_accepted().and(selected.negated())),
            ),
            (
                "the metadata selects too",
                eventually(answer("by name").is_accepted().and(job_named("none").exists().negated())),
            ),
            (
                "no selector selects a Job that it does not name",
                after(&job_named("one").exists(), always(job_named("one").exists())),
            ),
        ])
    }
}
