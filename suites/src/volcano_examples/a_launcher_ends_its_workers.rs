//! MPI: a launcher and its workers.

use super::the_job;
use crate::volcano_words::*;

/// The launcher's success ends the Job; before, a lost worker begins it anew.
pub struct This;

const EXAMPLE: &str = include_str!("../../../controller/volcano/examples/mpi.yaml");
const JOB: &str = "mpi";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "plugins",
            "a launcher has keys and hosts from its first run on; a lost worker restarts the Job, the launcher's success completes it",
            &["VJ-285", "VJ-279", "VJ-127", "VJ-139"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(the_job(EXAMPLE)).await?;
        scene.wait(job_named(JOB).is("Running").and(pods_of(JOB).running(3))).await?;
        scene.pod_named("mpi-worker-1").is_deleted().await?;
        let again = job_named(JOB).is("Running").and(job_named(JOB).retry_count(1));
        scene.wait(again.and(pods_of(JOB).that_are(of_version(1)).running(3))).await?;
        scene.pod_named("mpi-launcher-0").succeeds().await?;
        scene.wait(job_named(JOB).is("Completed").and(pods_of(JOB).count(1))).await
    }

    fn expects(&self) -> Expectations {
        let completed = job_named(JOB).is("Completed");
        let (hosts, keys) = (|| config_maps().named("mpi-svc"), || secrets().named("mpi-ssh"));
        let launcher = || pods_of(JOB).that_are(of_task("launcher"));
        Expectations::from([
            (
                "hosts and keys come before pods",
                before(&pods_of(JOB).at_least(1), eventually(hosts().count(1).and(keys().count(1)))),
            ),
            ("a lost worker begins it anew", eventually(job_named(JOB).retry_count(1))),
            ("once", never(job_named(JOB).retry_count_at_least(2))),
            ("with all pods", eventually(pods_of(JOB).that_are(of_version(1)).running(3))),
            ("the launcher ends it", eventually(completed.clone())),
            ("with workers that run", after(&completed, eventually(pods_of(JOB).that_are(of_task("worker")).count(0)))),
            ("the launcher stays", after(&completed, always(launcher().that_are(succeeded()).count(1)))),
            ("keys go", after(&completed, eventually(keys().count(0)))),
            ("and so do hosts", after(&completed, eventually(hosts().count(0)))),
        ])
    }
}
