//! A Job with more Workloads than one.

use crate::{bare_pod::reference, words::*};

/// Two Workloads that the Job controls: nobody can tell which is meant, and its pods are in no group.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5547),
                section: "Job controller",
                says: "with more than one matching Workload the Job falls back to plain scheduling",
            },
            requirements: &["SCH-009"],
            needs: Needs { gates: super::GATES, since: Some(Minor::new(1, 37)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).suspended()).await?;
        scene.wait(pod_groups().of("job").count(1)).await?;
        let job =
            scene.attempt("again", Write::patch_job("job", json!({"metadata": {"labels": {"seen": "again"}}}))).await?;
        let twin = json!({
            "metadata": {"name": "twin", "ownerReferences": [reference(&job, true)]},
            "spec": {
                "controllerRef": {"apiGroup": "batch", "kind": "Job", "name": "job"},
                "podGroupTemplates": [{"name": "main", "schedulingPolicy": {"basic": {}}}],
            },
        });
        scene.must(Write::create("apis/scheduling.k8s.io/v1beta1", "workloads", twin)).await?;
        scene.wait(workloads().of("job").count(2)).await?;
        scene.linger(Duration::from_millis(500), "the controller hears of Workloads by a watch of its own").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(pods().running(1)).await
    }

    fn expects(&self) -> Expectations {
        let in_a_group =
            word("in a group", |pod| pod.spec.as_ref().is_some_and(|spec| spec.scheduling_group.is_some()));
        Expectations::from([
            ("the Job is there", eventually(answer("again").is_accepted())),
            ("it has two Workloads", eventually(workloads().of("job").count(2))),
            ("it runs", eventually(pods().running(1))),
            ("its pods are in no group", never(pods().any(in_a_group))),
        ])
    }
}
