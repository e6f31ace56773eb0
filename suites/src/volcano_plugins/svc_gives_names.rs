//! The plugin `svc`.

use crate::volcano_words::*;

/// Pods of a Job find each other by name.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "plugins",
            "svc makes a Service, a ConfigMap of hosts and a NetworkPolicy, and puts the hosts into pods",
            &["VJ-278", "VJ-279", "VJ-280", "VJ-281", "VJ-282", "VJ-283"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let two = tasks(&[("ps-a", 1), ("w", 2)]).plugin("svc", &["--publish-not-ready-addresses=true"]);
        scene.submit(two.pod_spec(1, "subdomain", "other")).await?;
        scene.wait(job().is("Running").and(pods().running(3))).await
    }

    fn expects(&self) -> Expectations {
        let (service, policy) = (services().named("job"), network_policies().named("job"));
        let (maps, job_of) = (config_maps().named("job-svc"), Resource::VOLCANO_JOBS);
        let first = pod("ps-a", 0);
        let told = word("told of all hosts", |pod| {
            let Some(spec) = &pod.spec else { return false };
            let names = ["VC_PS_A_HOSTS", "VC_PS_A_NUM", "VC_W_HOSTS", "VC_W_NUM"];
            spec.containers.iter().all(|container| {
                names.iter().all(|name| {
                    container.env.iter().flatten().any(|variable| {
                        let from = variable.value_from.as_ref().and_then(|from| from.config_map_key_ref.as_ref());
                        variable.name == *name && from.is_some_and(|from| from.name == "job-svc" && from.key == *name)
                    })
                })
            })
        });
        let mounted = word("with the hosts mounted", |pod| {
            let Some(spec) = &pod.spec else { return false };
            let has = |container: &k8s_openapi::api::core::v1::Container| {
                container
                    .volume_mounts
                    .iter()
                    .flatten()
                    .any(|mount| mount.name == "job-svc" && mount.mount_path == "/etc/volcano")
            };
            spec.containers.iter().all(has)
        });
        let called = |host: &'static str, domain: &'static str| {
            word(format!("called {host}.{domain}"), move |pod| {
                pod.spec.as_ref().is_some_and(|spec| {
                    spec.hostname.as_deref() == Some(host) && spec.subdomain.as_deref() == Some(domain)
                })
            })
        };
        Expectations::from([
            ("there is a Service of the Job's", eventually(service.controlled_by(&job_of, "job").count(1))),
            ("without an address", eventually(service.with("/spec/clusterIP", "None").count(1))),
            ("without ports", eventually(service.with("/spec/ports", ()).count(1))),
            ("for the Job's pods", eventually(service.with("/spec/selector/volcano.sh~1job-name", "job").count(1))),
            ("also before they are ready", eventually(service.with("/spec/publishNotReadyAddresses", true).count(1))),
            ("there is a ConfigMap of the Job's", eventually(maps.controlled_by(&job_of, "job").count(1))),
            ("with a file of hosts for each task", eventually(maps.with("/data/ps_a.host", "job-ps-a-0.job").count(1))),
            (
                "with domains that templates name",
                eventually(maps.with("/data/w.host", "job-w-0.other\njob-w-1.other").count(1)),
            ),
            ("with lists", eventually(maps.with("/data/VC_W_HOSTS", "job-w-0.other,job-w-1.other").count(1))),
            ("and numbers", eventually(maps.with("/data/VC_W_NUM", "2").count(1))),
            ("there is a NetworkPolicy of the Job's", eventually(policy.controlled_by(&job_of, "job").count(1))),
            (
                "that lets its pods in",
                eventually(
                    policy.with("/spec/ingress/0/from/0/podSelector/matchLabels/volcano.sh~1job-name", "job").count(1),
                ),
            ),
            (
                "all are there before the first pod",
                before(&pods().at_least(1), eventually(service.count(1).and(maps.count(1)).and(policy.count(1)))),
            ),
            ("pods have the files", eventually(pods().that_are(mounted).count(3))),
            ("and the variables", eventually(pods().that_are(told).count(3))),
            ("a pod has its own name", eventually(first.that_are(called("job-ps-a-0", "job")).count(1))),
            ("and the domain of its template", eventually(pod("w", 1).that_are(called("job-w-1", "other")).count(1))),
        ])
    }
}
