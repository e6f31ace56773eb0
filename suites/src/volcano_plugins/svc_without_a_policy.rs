//! Arguments of the plugin `svc`.

use crate::volcano_words::*;

/// A Job may do without a NetworkPolicy, and without variables.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "plugins",
            "the arguments of svc switch off the NetworkPolicy and the variables, and a hostname of a template is one host",
            &["VJ-279", "VJ-281", "VJ-283"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let asked = gang(1)
            .plugin("svc", &["--disable-network-policy=true", "--inject-hosts-env=false"])
            .pod_spec(0, "hostname", "mine");
        scene.submit(asked).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("there is a Service", eventually(services().named("job").count(1))),
            ("there is no NetworkPolicy", never(network_policies().at_least(1))),
            (
                "a host of a template is in the list",
                eventually(config_maps().named("job-svc").with("/data/w.host", "mine.job").count(1)),
            ),
            (
                "addresses are told when pods are ready",
                eventually(
                    services()
                        .named("job")
                        .only("without early addresses".to_owned(), |service| {
                            service.raw().pointer("/spec/publishNotReadyAddresses").is_none_or(|value| value == false)
                        })
                        .count(1),
                ),
            ),
        ])
    }
}
