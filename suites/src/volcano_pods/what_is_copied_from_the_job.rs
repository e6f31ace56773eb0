//! Labels and annotations that pods take over from their Job.

use crate::volcano_words::*;

/// Some labels and annotations of a Job are those of its pods.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "annotations about preemption and budgets are copied from the Job, and the topology policy from the task",
            &["VJ-028", "VJ-245"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let annotations = |more: serde_json::Value| {
            let mut all = json!({"volcano.sh/preemptable": "true", "volcano.sh/cooldown-time": "5m", "volcano.sh/revocable-zone": "*", "other": "x"});
            for (key, value) in more.as_object().into_iter().flatten() {
                all[key] = value.clone();
            }
            all
        };
        let both = annotations(json!({"volcano.sh/jdb-min-available": "1", "volcano.sh/jdb-max-unavailable": "2"}));
        let labels = json!({"volcano.sh/preemptable": "true", "volcano.sh/cooldown-time": "5m", "other": "x"});
        scene.submit(gang(1).metadata("annotations", both).metadata("labels", labels)).await?;
        let one = annotations(json!({"volcano.sh/jdb-max-unavailable": "2"}));
        scene
            .submit(
                gang(1)
                    .named("placed")
                    .metadata("annotations", one)
                    .task(0, "topologyPolicy", "restricted")
                    .cpu(0, "1"),
            )
            .await?;
        scene.wait(pods().count(1).and(pods_of("placed").count(1))).await
    }

    fn expects(&self) -> Expectations {
        let labelled = |key: &'static str, value: Option<&'static str>| {
            word(format!("labelled {key}={value:?}"), move |pod| {
                pod.metadata.labels.as_ref().and_then(|all| all.get(key)).map(String::as_str) == value
            })
        };
        let lacks = |key: &'static str| {
            word(format!("without {key}"), move |pod| {
                !pod.metadata.annotations.as_ref().is_some_and(|all| all.contains_key(key))
            })
        };
        Expectations::from([
            (
                "preemption is",
                eventually(
                    pods()
                        .that_are(
                            annotated("volcano.sh/preemptable", "true")
                                .and(labelled("volcano.sh/preemptable", Some("true"))),
                        )
                        .count(1),
                ),
            ),
            (
                "the time to cool down is",
                eventually(
                    pods()
                        .that_are(
                            annotated("volcano.sh/cooldown-time", "5m")
                                .and(labelled("volcano.sh/cooldown-time", Some("5m"))),
                        )
                        .count(1),
                ),
            ),
            ("the zone is", eventually(pods().that_are(annotated("volcano.sh/revocable-zone", "*")).count(1))),
            (
                "of two budgets the first is",
                eventually(
                    pods()
                        .that_are(
                            annotated("volcano.sh/jdb-min-available", "1").and(lacks("volcano.sh/jdb-max-unavailable")),
                        )
                        .count(1),
                ),
            ),
            (
                "a budget that is alone is",
                eventually(pods_of("placed").that_are(annotated("volcano.sh/jdb-max-unavailable", "2")).count(1)),
            ),
            ("others are not", never(pods().that_are(annotated("other", "x")).at_least(1))),
            ("nor other labels", never(pods().that_are(labelled("other", Some("x"))).at_least(1))),
            (
                "the topology policy is",
                eventually(
                    pods_of("placed").that_are(annotated("volcano.sh/numa-topology-policy", "restricted")).count(1),
                ),
            ),
        ])
    }
}
