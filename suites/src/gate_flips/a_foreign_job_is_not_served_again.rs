//! Pods of a foreign Job after its gate is on again.

use crate::words::*;

/// A pod that was created while two controllers had the Job is left alone once the gate is on again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(4368),
                section: "Risks and Mitigations",
                says: "with the gate on again the built-in controller skips the Job from the next sync",
            },
            requirements: &["UPG-007", "MGB-002"],
            needs: Needs { flips: &["JobManagedBy"], stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(3, 1).managed_by("example.com/other")).await?;
        scene.change(Change::gate("JobManagedBy", false)).await?;
        scene.pod_of("job").succeeds().await?;
        scene.wait(job().succeeded(1).and(pods().of("job").running(1))).await?;
        scene.change(Change::gate("JobManagedBy", true)).await?;
        scene.pod_of("job").succeeds().await?;
        scene.submit(counted(1, 1).named("own")).await?;
        scene.pod_of("own").succeeds().await?;
        scene.wait(job_named("own").is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (off, on) = (changed("JobManagedBy off"), changed("JobManagedBy on"));
        Expectations::from([
            ("with the gate off it is served", after(&off, before(&on, eventually(job().succeeded(1))))),
            ("with the gate on again its pods are not counted", after(&on, never(job().succeeded(2)))),
            ("and not released", after(&on, eventually(pods().of("job").any(succeeded().and(tracked()))))),
            ("nor replaced", after(&on, never(pods().of("job").created()))),
            ("what was counted stays", stable(&job().succeeded(1))),
            ("others are served", after(&on, eventually(job_named("own").has(Complete)))),
        ])
    }
}
