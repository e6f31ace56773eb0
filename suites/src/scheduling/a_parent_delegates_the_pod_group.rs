//! Jobs whose parent has a Workload and leaves the group to the Job controller.

use crate::{bare_pod::reference, words::*};

/// Where its parent's Workload has the template that the annotation names, a Job has a `PodGroup` made from it, and no Workload.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Job controller",
                says: "a parent that owns the Workload delegates the PodGroup by an annotation that names the template",
            },
            requirements: &["SCH-007", "SCH-011"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let parent = scene
            .attempt("parent", Write::create("api/v1", "configmaps", json!({"metadata": {"name": "parent"}})))
            .await?;
        let workload = json!({
            "metadata": {"name": "of-the-parent"},
            "spec": {
                "controllerRef": {"kind": "ConfigMap", "name": "parent"},
                "podGroupTemplates": [{"name": "part", "schedulingPolicy": {"gang": {"minCount": 2}}}],
            },
        });
        scene.must(Write::create("apis/scheduling.k8s.io/v1beta1", "workloads", workload)).await?;
        scene.wait(workloads().count(1)).await?;
        let below = |template: &str| {
            let owned = counted(2, 2).metadata("ownerReferences", json!([reference(&parent, true)]));
            owned.metadata("annotations", json!({"scheduling.k8s.io/group-template-name": template}))
        };
        scene.submit(below("part")).await?;
        scene.submit(below("nowhere").named("astray")).await?;
        scene.wait(pods().running(4)).await
    }

    fn expects(&self) -> Expectations {
        let group = pod_groups().of("job");
        let made = group
            .with("/spec/workloadRef/workloadName", "of-the-parent")
            .with("/spec/schedulingPolicy/gang/minCount", 2);
        Expectations::from([
            ("the parent is there", eventually(answer("parent").is_accepted())),
            ("the group is made from the parent's template", eventually(made.count(1))),
            ("the Workload stays the parent's alone", never(group.owned_by(&Resource::WORKLOADS).at_least(1))),
            ("there is no second Workload", never(workloads().at_least(2))),
            ("the pods are members", after(&pods().of("job").running(2), always(group.hold_all_pods_of("job")))),
            ("a template that is not there makes no group", never(pod_groups().of("astray").at_least(1))),
            ("its pods run all the same", eventually(pods().of("astray").running(2))),
        ])
    }
}
