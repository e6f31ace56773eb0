//! Jobs for which others see to the group.

use crate::{bare_pod::reference, words::*};
use jobsworth_oracle::vocabulary;

/// A Job whose template names a `PodGroup`, and one that another controller owns, get neither Workload nor `PodGroup`.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Job controller",
                says: "no scheduling objects are managed for a template with its own schedulingGroup, nor for a Job that another controller owns",
            },
            requirements: &["SCH-007", "SCH-008"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let parent = scene
            .attempt("parent", Write::create("api/v1", "configmaps", json!({"metadata": {"name": "parent"}})))
            .await?;
        let owners = json!([reference(&parent, true)]);
        scene.submit(counted(1, 1).named("own").pod_spec("schedulingGroup", json!({"podGroupName": "mine"}))).await?;
        scene.submit(counted(1, 1).named("below").metadata("ownerReferences", owners)).await?;
        scene.submit(counted(1, 1).named("root")).await?;
        scene.wait(pods().running(3)).await?;
        scene.wait(pod_groups().of("root").count(1)).await
    }

    fn expects(&self) -> Expectations {
        let of_both =
            |words: vocabulary::objects::ObjectWords| words.of("own").at_least(1).or(words.of("below").at_least(1));
        let member_of = |group: Option<&'static str>| {
            word(format!("members of {}", group.unwrap_or("no group")), move |pod| {
                let spec = pod.spec.as_ref();
                spec.and_then(|spec| spec.scheduling_group.as_ref()?.pod_group_name.as_deref()) == group
            })
        };
        Expectations::from([
            ("the parent is there", eventually(answer("parent").is_accepted())),
            (
                "a Job beside them has both",
                eventually(workloads().of("root").count(1).and(pod_groups().of("root").count(1))),
            ),
            ("they get no Workload", never(of_both(workloads()))),
            ("they get no PodGroup", never(of_both(pod_groups()))),
            ("a template keeps its group", eventually(pods().of("own").that_are(member_of(Some("mine"))).running(1))),
            (
                "pods below a parent are in no group",
                eventually(pods().of("below").that_are(member_of(None)).running(1)),
            ),
        ])
    }
}
