//! Labels and annotations of pods.

use crate::volcano_words::*;

/// A pod says to which Job, task and group it belongs, and from when it is.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "pods",
            "pods have the names, the owner, the labels and the annotations that others know them by",
            &["VJ-240", "VJ-241", "VJ-242", "VJ-243", "VJ-244", "VJ-246"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let labels = json!({"app": "x"});
        let asked = tasks(&[("a", 2), ("b", 1)]).max_retry(9).pod_metadata(0, "labels", labels.clone()).pod_metadata(
            0,
            "annotations",
            labels,
        );
        scene.submit(asked.pod_metadata(0, "name", "other").pod_spec(1, "schedulerName", "mine")).await?;
        scene.wait(job().is("Running").and(pods().running(3))).await?;
        scene.order("job", "RestartJob").await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(3))).await
    }

    fn expects(&self) -> Expectations {
        let second = pod("a", 1);
        let label = |key: &'static str, value: &'static str| {
            word(format!("labelled {key}={value}"), move |pod| {
                pod.metadata.labels.as_ref().and_then(|all| all.get(key)).is_some_and(|found| found == value)
            })
        };
        let both = |key: &'static str, value: &'static str| label(key, value).and(annotated(key, value));
        let here = word("labelled with its namespace", |pod| {
            pod.metadata.labels.as_ref().and_then(|all| all.get("volcano.sh/job-namespace"))
                == pod.metadata.namespace.as_ref()
        });
        let grouped = word("annotated with its group", |pod| {
            let owner = pod.metadata.owner_references.iter().flatten().map(|owner| format!("job-{}", owner.uid)).next();
            pod.metadata.annotations.as_ref().and_then(|all| all.get("scheduling.k8s.io/group-name")) == owner.as_ref()
        });
        let owned = word("owned by its Job alone", |pod| match pod.metadata.owner_references.as_deref() {
            Some([owner]) => {
                owner.controller == Some(true) && owner.block_owner_deletion == Some(true) && owner.kind == "Job"
            }
            _ => false,
        });
        let scheduled = |name: &'static str| {
            word(format!("for the scheduler {name}"), move |pod| {
                pod.spec.as_ref().and_then(|spec| spec.scheduler_name.as_deref()) == Some(name)
            })
        };
        let all = |says: &'static str, what: jobsworth_oracle::vocabulary::PodWord| {
            (says, whenever(&pods().at_least(1), pods().all(what)))
        };
        let a = |says: &'static str, what: jobsworth_oracle::vocabulary::PodWord| {
            (says, whenever(&second.at_least(1), second.all(what)))
        };
        Expectations::from([
            (
                "names are of Job, task and index",
                eventually(pod("a", 0).count(1).and(second.count(1)).and(pod("b", 0).count(1))),
            ),
            all("the Job is the owner", owned),
            all("the Job is named", both("volcano.sh/job-name", "job")),
            all("the namespace is named", here),
            all("the queue is named", both("volcano.sh/queue-name", "default")),
            all("the group is named", grouped),
            a("the task is named", both("volcano.sh/task-spec", "a")),
            a("the index is named", both("volcano.sh/task-index", "1")),
            a("the template is named", annotated("volcano.sh/template-uid", "job-a")),
            a("labels of the template stay", both("app", "x")),
            a("the scheduler is the Job's", scheduled("volcano")),
            ("unless the template names one", whenever(&pod("b", 0).at_least(1), pod("b", 0).all(scheduled("mine")))),
            (
                "at first they are of the first version",
                eventually(pods().that_are(of_version(0)).that_are(of_attempt(0)).count(3)),
            ),
            (
                "after a restart of the second",
                eventually(pods().that_are(of_version(1)).that_are(of_attempt(1)).count(3)),
            ),
        ])
    }
}
