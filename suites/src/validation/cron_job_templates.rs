//! Jobs as templates of CronJobs.

use crate::{
    table::{
        self,
        Fault::{Invalid, NotSupported},
        Row, row,
    },
    words::*,
};

/// The template of a CronJob keeps the rules of a Job, and leaves the selector to be generated.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of CronJob",
                says: "a CronJob's template is held to the rules of a Job and may not bring a selector",
            },
            requirements: &["DEF-007", "VAL-030"],
            // Conditions in a template have their default status since 1.34.
            needs: Needs { binaries_since: Some(Minor::new(1, 34)), ..Needs::default() },
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
    let selector = json!({"matchLabels": {"app": "a"}});
    let disrupted = json!({"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]});
    let one = || counted(1, 1);
    vec![
        row(
            "DEF-007 a pod condition in a template is looked for with status True",
            one().spec("podFailurePolicy", disrupted),
        )
        .in_cron_job()
        .has("/spec/jobTemplate/spec/podFailurePolicy/rules/0/onPodConditions/0/status", "True"),
        row("VAL-030 a plain Job is a template", one()).in_cron_job().accepted(),
        row("VAL-030 a template brings no selector", one().spec("selector", selector))
            .in_cron_job()
            .refused(Invalid, "spec.jobTemplate.spec.selector"),
        row("VAL-030 a template asks for no manual selector", one().spec("manualSelector", true))
            .in_cron_job()
            .refused(NotSupported, "spec.jobTemplate.spec.manualSelector"),
        row("VAL-030 a template may decline a manual selector", one().spec("manualSelector", false))
            .in_cron_job()
            .accepted(),
        row("VAL-030 counts of a template keep their limits", one().spec("parallelism", -1))
            .in_cron_job()
            .refused(Invalid, "spec.jobTemplate.spec.parallelism"),
        row("VAL-030 a template of a NonIndexed Job has no success policy", one().succeeds_when(any(1)))
            .in_cron_job()
            .refused(Invalid, "spec.jobTemplate.spec.successPolicy"),
        row("VAL-030 a template of an Indexed Job may have a success policy", indexed(3).succeeds_when(any(1)))
            .in_cron_job()
            .accepted(),
    ]
}
