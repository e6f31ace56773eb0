//! A controller that restarts while Jobs are suspended.

use crate::words::*;

/// A restarted controller makes no pods for suspended Jobs, and still resumes them.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "a suspension holds over restarts of the controller",
            },
            requirements: &["SUS-007", "SYN-026"],
            needs: Needs { restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1)).await?;
        scene.submit(counted(1, 1).named("sleeper").suspended()).await?;
        scene.wait(pods().running(1)).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        let suspended = job().has(Suspended).and(job_named("sleeper").has(Suspended));
        scene.wait(suspended.and(pods().count(0))).await?;
        scene.subject().crash().await?;
        scene.subject().restart().await?;
        scene.linger(Duration::from_secs(2), "a pod that must not be made needs its chance").await?;
        scene.mark("resumed").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(pods().of("job").running(1)).await
    }

    fn expects(&self) -> Expectations {
        let (again, resumed) = (passed("subject restarted"), passed("resumed"));
        Expectations::from([
            ("the restart makes no pods", after(&again, before(&resumed, never(pods().created())))),
            ("a Job that is resumed has its pod", after(&resumed, eventually(pods().of("job").created()))),
            ("the other has none", after(&again, never(pods().of("sleeper").created()))),
            ("and stays suspended", after(&again, always(job_named("sleeper").has(Suspended)))),
        ])
    }
}
