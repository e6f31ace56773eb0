//! The size of a gang.

use crate::words::*;
use jobsworth_oracle::vocabulary::objects::ObjectWords;

fn sized(groups: &ObjectWords, size: u32) -> Predicate {
    groups.with("/spec/schedulingPolicy/gang/minCount", size).count(1)
}

/// A gang without a number is as large as the parallelism, and follows it; a number of its own is followed where it is changed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Job API",
                says: "gang.minCount defaults to the parallelism without being written back, and changes of either reach Workload and PodGroup",
            },
            requirements: &["SCH-004", "SCH-006"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let gang = |of: serde_json::Value| json!({"schedulingPolicy": {"gang": of}});
        let min = |count: u32| json!({"minCount": count});
        scene.submit(counted(6, 2).spec("scheduling", gang(json!({})))).await?;
        scene.submit(counted(6, 3).named("fixed").spec("scheduling", gang(min(2)))).await?;
        scene.wait(pods().running(5)).await?;
        scene.must(Write::patch_job("job", json!({"spec": {"parallelism": 4}}))).await?;
        scene.wait(sized(&pod_groups().of("job"), 4)).await?;
        scene.must(Write::patch_job("fixed", json!({"spec": {"scheduling": gang(min(3))}}))).await?;
        scene.wait(sized(&pod_groups().of("fixed"), 3)).await?;
        scene.must(Write::patch_job("fixed", json!({"spec": {"parallelism": 5}}))).await?;
        scene.wait(pods().of("fixed").running(5)).await?;
        scene.mark("to nothing").await?;
        scene.must(Write::patch_job("job", json!({"spec": {"parallelism": 0}}))).await?;
        scene.wait(pods().of("job").that_are(live()).count(0)).await?;
        scene.wait(sized(&pod_groups().of("job"), 1)).await
    }

    fn expects(&self) -> Expectations {
        let unwritten = job().object("says no size of the gang".to_owned(), |job| {
            let scheduling = job.spec.as_ref().and_then(|spec| spec.scheduling.as_ref());
            let policy = scheduling.and_then(|scheduling| scheduling.scheduling_policy.as_ref());
            policy.and_then(|policy| policy.gang.as_ref()).is_some_and(|gang| gang.min_count.is_none())
        });
        let (its, fixed) = (pod_groups().of("job"), pod_groups().of("fixed"));
        let template = |job: &'static str, size: u32| {
            workloads().of(job).with("/spec/podGroupTemplates/0/schedulingPolicy/gang/minCount", size).count(1)
        };
        Expectations::from([
            (
                "a gang without a number is as large as the parallelism",
                eventually(sized(&its, 2).and(template("job", 2))),
            ),
            ("the number is not written back", after(&job().exists(), always(unwritten))),
            (
                "it follows the parallelism",
                after(&pods().of("job").running(4), eventually(sized(&its, 4).and(template("job", 4)))),
            ),
            ("a number is taken as it is", eventually(sized(&fixed, 2).and(template("fixed", 2)))),
            ("a changed number reaches Workload and PodGroup", eventually(sized(&fixed, 3).and(template("fixed", 3)))),
            ("a number does not follow the parallelism", never(sized(&fixed, 5))),
            ("pods that come later are members, too", always(its.hold_all_pods_of("job"))),
            ("so are those of a gang with a number", always(fixed.hold_all_pods_of("fixed"))),
            (
                "scaled to nothing it runs nothing",
                after(&passed("to nothing"), eventually(pods().of("job").that_are(live()).count(0))),
            ),
            (
                "and is as large as one",
                after(&passed("to nothing"), eventually(sized(&its, 1).and(template("job", 1)))),
            ),
        ])
    }
}
