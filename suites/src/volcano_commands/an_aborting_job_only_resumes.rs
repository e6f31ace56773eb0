//! A Job whose pods still stop for its abort.

use crate::volcano_words::*;

/// A Job that is being aborted can be resumed, and nothing else.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "transition table",
            "a Job that is Aborting becomes Aborted when no pod is alive, unless it is resumed",
            &["VJ-178"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        for name in ["stays", "resumed"] {
            scene.submit(gang(2).named(name)).await?;
            scene.wait(job_named(name).is("Running").and(pods_of(name).running(2))).await?;
            scene.order(name, "AbortJob").await?;
            scene.wait(job_named(name).is("Aborting").and(pods_of(name).that_are(terminating()).count(2))).await?;
        }
        for action in ["TerminateJob", "CompleteJob", "RestartJob", "SyncJob", "Foo"] {
            scene.order("stays", action).await?;
        }
        scene.order("resumed", "ResumeJob").await?;
        scene.wait(job_named("resumed").is("Restarting").and(commands().count(0))).await?;
        scene.pod_named("stays-w-0").is_let_go(End::Exited(143)).await?;
        scene.wait(pods_of("stays").count(1)).await?;
        scene.mark("one pod is left").await?;
        scene.linger(Duration::from_millis(500), "an end that comes too early needs its chance").await?;
        scene.pod_named("stays-w-1").is_let_go(End::Exited(143)).await?;
        for pod in ["resumed-w-0", "resumed-w-1"] {
            scene.pod_named(pod).is_let_go(End::Exited(143)).await?;
        }
        scene.wait(job_named("stays").is("Aborted").and(job_named("resumed").is("Running"))).await
    }

    fn expects(&self) -> Expectations {
        let stays = job_named("stays");
        let alive = pods_of("stays").that_are(terminating()).at_least(1);
        Expectations::from([
            ("while a pod stops it is Aborting", whenever(&alive, stays.is_one_of(&["Running", "Aborting"]))),
            ("what stops is counted", eventually(stays.terminating(2).and(stays.is("Aborting")))),
            ("then it is Aborted", after(&passed("one pod is left"), eventually(stays.is("Aborted")))),
            (
                "orders to end otherwise are lost",
                never(stays.is_one_of(&["Terminating", "Terminated", "Completing", "Completed", "Restarting"])),
            ),
            (
                "ResumeJob leads by way of Restarting back to Running",
                after(&job_named("resumed").is("Restarting"), eventually(job_named("resumed").is("Running"))),
            ),
            ("and never to Aborted", never(job_named("resumed").is("Aborted"))),
        ])
    }
}
