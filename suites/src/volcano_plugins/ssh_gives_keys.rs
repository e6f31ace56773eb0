//! The plugin `ssh`.

use crate::volcano_words::*;

/// Pods of a Job have a key by which they get into each other.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "plugins",
            "ssh makes a Secret with a key pair and a configuration, and mounts it",
            &["VJ-285", "VJ-286", "VJ-287"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let init = json!([{"name": "init", "image": "jobsworth.invalid/agent:v1"}]);
        scene.submit(gang(2).plugin("ssh", &["--ssh-port=2022"]).pod_spec(0, "initContainers", init)).await?;
        scene.submit(gang(1).named("elsewhere").plugin("ssh", &["--ssh-key-file-path=/keys/.ssh"])).await?;
        scene.submit(gang(1).named("grown").plugin("ssh", &[])).await?;
        scene.wait(pods().running(2).and(pods_of("elsewhere").running(1))).await?;
        scene.wait(job_named("grown").is("Running").and(job_named("grown").running(1))).await?;
        scene.mark("about to grow").await?;
        let mut two = task("w", 2);
        two["minAvailable"] = 1.into();
        two["maxRetry"] = 3.into();
        scene.patch("grown", json!({"spec": {"tasks": [two]}})).await?;
        scene.wait(pods_of("grown").running(2).and(job_named("grown").running(2))).await
    }

    fn expects(&self) -> Expectations {
        let secret = secrets().named("job-ssh");
        let pairs = |pod: &k8s_openapi::api::core::v1::Pod, path: &str, mode: i32| {
            let Some(spec) = &pod.spec else { return false };
            let of_secret = |volume: &k8s_openapi::api::core::v1::Volume| {
                volume.secret.as_ref().is_some_and(|secret| secret.default_mode == Some(mode))
            };
            let mounted = |container: &k8s_openapi::api::core::v1::Container| {
                container
                    .volume_mounts
                    .iter()
                    .flatten()
                    .any(|mount| mount.mount_path.ends_with(path) && mount.sub_path.as_deref() == Some(".ssh"))
            };
            spec.volumes.iter().flatten().any(of_secret)
                && spec.containers.iter().chain(spec.init_containers.iter().flatten()).all(mounted)
        };
        let of_superuser = word("with the key where its superuser looks for it", move |pod| pairs(pod, "/.ssh", 0o600));
        let of_user = word("with the key where a user looks for it", move |pod| pairs(pod, "/keys/.ssh", 0o644));
        let config = "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nHost job-w-0\n  HostName job-w-0.job\n  Port 2022\n\
                      Host job-w-1\n  HostName job-w-1.job\n  Port 2022\n";
        Expectations::from([
            (
                "there is a Secret of the Job's",
                eventually(secret.controlled_by(&Resource::VOLCANO_JOBS, "job").count(1)),
            ),
            (
                "with a private key",
                eventually(
                    secret
                        .only("with a private key".to_owned(), |secret| {
                            secret.raw().pointer("/withheld/id_rsa").is_some()
                        })
                        .count(1),
                ),
            ),
            (
                "whose public half opens the pods",
                eventually(
                    secret
                        .only("with its public half".to_owned(), |secret| {
                            let half = |key: &str| secret.raw()["public"][key].as_str().map(str::to_owned);
                            half("id_rsa.pub").is_some_and(|half| half.starts_with("ssh-"))
                                && half("id_rsa.pub") == half("authorized_keys")
                        })
                        .count(1),
                ),
            ),
            (
                "and how to use it",
                eventually(
                    secret
                        .only("with a configuration".to_owned(), move |secret| {
                            let blank = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                            secret.raw()["public"]["config"].as_str().is_some_and(|found| blank(found) == blank(config))
                        })
                        .count(1),
                ),
            ),
            ("it is there before the first pod", before(&pods().at_least(1), eventually(secret.count(1)))),
            ("pods have it", eventually(pods().that_are(of_superuser).count(2))),
            ("where the argument says", eventually(pods_of("elsewhere").that_are(of_user).count(1))),
            ("a Job has one key", never(secrets().at_least(4))),
            ("and keeps it when it grows", after(&passed("about to grow"), never(secrets().created()))),
            ("as it does", eventually(pods_of("grown").running(2))),
        ])
    }
}
