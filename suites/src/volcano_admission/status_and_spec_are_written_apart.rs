//! Writes to a Job and to its status.

use crate::volcano_words::*;

/// A write to a Job leaves its status alone, and the other way round.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "identity and discovery",
            "the status is a subresource that the webhook is not asked about, and takes what the schema allows",
            &["VJ-003", "VJ-100", "VJ-105", "VJ-106"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let (kind, name) = (Resource::VOLCANO_JOBS, "quiet");
        scene.gangs_behave(|gangs| gangs.phases = When::OnWord);
        scene.submit(gang(1).named(name)).await?;
        scene.wait(job_named(name).is("Pending").and(group_of(name).exists())).await?;
        let both =
            json!({"spec": {"priorityClassName": "high"}, "status": {"state": {"phase": "Completed"}, "succeeded": 7}});
        scene.attempt("both to the Job", Write::patch_of(&kind, name, both).dry_run()).await?;
        let both = json!({"spec": {"priorityClassName": "low", "queue": "other"}, "status": {"state": {"phase": "Aborted"}, "unknown": 2}});
        scene.attempt("both to the status", Write::patch_of(&kind, name, both).part("status").dry_run()).await?;
        let phase = json!({"status": {"state": {"phase": "Sleeping"}}});
        scene.attempt("a phase that is none", Write::patch_of(&kind, name, phase).part("status").dry_run()).await?;
        let capital = json!({"status": {"Succeeded": 1}});
        scene.attempt("a counter that is none", Write::patch_of(&kind, name, capital).part("status").dry_run()).await?;
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let (to_job, to_status) = (answer("both to the Job"), answer("both to the status"));
        Expectations::from([
            ("a write to the Job changes its spec", eventually(to_job.has("/spec/priorityClassName", "high"))),
            (
                "and not its status",
                eventually(to_job.has("/status/state/phase", "Pending").and(to_job.has("/status/succeeded", ()))),
            ),
            (
                "a write to the status changes that",
                eventually(to_status.has("/status/state/phase", "Aborted").and(to_status.has("/status/unknown", 2))),
            ),
            (
                "and not the spec",
                eventually(to_status.has("/spec/priorityClassName", ()).and(to_status.has("/spec/queue", "default"))),
            ),
            (
                "phases are ten words",
                eventually(answer("a phase that is none").is_refused("status.state.phase", "FieldValueNotSupported")),
            ),
            (
                "counters begin with a small letter",
                eventually(answer("a counter that is none").is_refused_as(422, "unknown field \"status.Succeeded\"")),
            ),
        ])
    }
}
