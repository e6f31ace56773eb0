//! Cases that a controller survives, and such that it does not.

use std::sync::LazyLock;

use jobsworth_suites::words::*;
use tokio::sync::watch;

/// Whether the case that panics has a pod that runs: who is alone when the controller dies is guilty without another try.
static PANICS_RUNS: LazyLock<watch::Sender<bool>> = LazyLock::new(|| watch::Sender::new(false));

/// A Job runs and completes, beside whatever else there is.
pub struct Lives(pub &'static str);

/// A Job that must not be.
pub struct Dies(pub &'static str);

fn about(name: &'static str) -> About {
    let id = match name {
        "exits" => "deaths/exits",
        "exits-once" => "deaths/exits-once",
        "aborts" => "deaths/aborts",
        "panics" => "deaths/panics",
        "one" => "deaths/one",
        _ => "deaths/two",
    };
    let says = "no Job ends its controller";
    let claim = Claim { source: Source::JobController, section: "life", says };
    About { id, claim, requirements: &["SYN-001"], needs: Needs::default() }
}

impl Case for Lives {
    fn about(&self) -> About {
        about(self.0)
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).named("job")).await?;
        if self.0 == "panics" {
            // The controller goes on, and never gets to this one.
            scene.submit(counted(1, 1).named("panics")).await?;
        }
        scene.wait(pods().running(1)).await?;
        if self.0 == "panics" {
            PANICS_RUNS.send_replace(true);
        }
        scene.linger(Duration::from_secs(3), "the others need a moment to do what they do").await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job_named("job").has(Complete)).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([("it completes", eventually(job_named("job").has(Complete)))])
    }
}

impl Case for Dies {
    fn about(&self) -> About {
        about(self.0)
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        if self.0 == "exits-once" {
            // The sender is never dropped.
            let _ = PANICS_RUNS.subscribe().wait_for(|runs| *runs).await;
        }
        scene.submit(counted(1, 1).named(self.0)).await?;
        scene.wait(pods().running(1)).await?;
        scene.pod_of(self.0).succeeds().await?;
        scene.wait(job_named(self.0).has(Complete)).await
    }

    fn expects(&self) -> Expectations {
        let done = job_named(self.0).has(Complete);
        Expectations::from([("it completes", eventually(done))])
    }
}
