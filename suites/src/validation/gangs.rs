//! What of `spec.scheduling` is valid, and what of it may change.

use crate::{
    draft::Draft,
    table::{
        self,
        Fault::{Invalid, TooMany},
        Row, row,
    },
    words::*,
};
use serde_json::Value;

/// A gang is no larger than the parallelism, its size alone may change, and a Job stays what it was: a gang or none.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Job API",
                says: "minCount is at least 1 and at most the parallelism, and nothing but it may change",
            },
            requirements: &["SCH-002", "SCH-004", "SCH-005"],
            needs: Needs {
                gates: &["GenericWorkload", "WorkloadWithJob", "JobManagedBy"],
                since: Some(Minor::new(1, 37)),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows())
    }
}

const POLICY: &str = "spec.scheduling.schedulingPolicy";
const MIN_COUNT: &str = "spec.scheduling.schedulingPolicy.gang.minCount";
const TOO_LARGE: &str = "must not be greater than parallelism";

fn gang(min_count: u32) -> Value {
    json!({"schedulingPolicy": {"gang": {"minCount": min_count}}})
}

fn scheduled(scheduling: Value) -> Draft {
    counted(3, 3).spec("scheduling", scheduling)
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [settings(), changes()].concat()
}

fn settings() -> Vec<Row> {
    let basic = json!({"schedulingPolicy": {"basic": {}}});
    let both = json!({"schedulingPolicy": {"basic": {}, "gang": {"minCount": 1}}});
    let claims = |count: usize| {
        let claim = |number: usize| json!({"name": format!("claim-{number}"), "resourceClaimName": "shared"});
        json!({"resourceClaims": (0..count).map(claim).collect::<Vec<_>>()})
    };
    vec![
        row("SCH-002 a Job may be scheduled pod by pod", scheduled(basic)).accepted(),
        row("SCH-002 a Job is a gang or not, and not both", scheduled(both)).refused(Invalid, POLICY),
        row("SCH-002 a policy is one of the two", scheduled(json!({"schedulingPolicy": {}}))).refused(Invalid, POLICY),
        row("SCH-002 a Job may share four claims", scheduled(claims(4))).accepted(),
        row("SCH-002 a Job shares no five claims", scheduled(claims(5)))
            .refused(TooMany, "spec.scheduling.resourceClaims"),
        row("SCH-005 a gang may be as large as the parallelism", scheduled(gang(3))).accepted(),
        row("SCH-005 a gang is not larger than the parallelism", scheduled(gang(4)))
            .refused_saying(Invalid, MIN_COUNT, TOO_LARGE),
        row("SCH-005 nor is it where a CronJob makes the Job", scheduled(gang(4))).in_cron_job().refused_saying(
            Invalid,
            "spec.jobTemplate.spec.scheduling.schedulingPolicy.gang.minCount",
            TOO_LARGE,
        ),
        row("SCH-005 a gang has a member", scheduled(gang(0))).refused(Invalid, MIN_COUNT),
        row("SCH-004 the size of a gang may be left open", scheduled(json!({"schedulingPolicy": {"gang": {}}})))
            .has("/spec/scheduling/schedulingPolicy/gang/minCount", ()),
    ]
}

fn changes() -> Vec<Row> {
    let to = |scheduling: Value| json!({"spec": {"scheduling": scheduling}});
    let basic = json!({"schedulingPolicy": {"gang": null, "basic": {}}});
    vec![
        row("SCH-005 the size of a gang may change", scheduled(gang(3)))
            .then(to(gang(2)))
            .has("/spec/scheduling/schedulingPolicy/gang/minCount", 2),
        row("SCH-005 it does not grow over the parallelism", scheduled(gang(3)))
            .then(to(gang(4)))
            .refused_saying(Invalid, MIN_COUNT, TOO_LARGE),
        row("SCH-005 the parallelism does not fall below it", scheduled(gang(3)))
            .then(json!({"spec": {"parallelism": 2}}))
            .refused_saying(Invalid, MIN_COUNT, TOO_LARGE),
        row("SCH-005 a gang stays one", scheduled(gang(3))).then(to(basic)).refused(Invalid, POLICY),
        row("SCH-005 a Job without settings gets none", counted(3, 3)).then(to(gang(3))).refused_saying(
            Invalid,
            "spec.scheduling",
            "field cannot be set once created",
        ),
        row("SCH-005 settings do not go", scheduled(gang(3)))
            .then(json!({"spec": {"scheduling": null}}))
            .refused_saying(Invalid, "spec.scheduling", "field cannot be cleared once set"),
    ]
}
