//! The start time of a suspended Job across the version that clears it.

use crate::words::*;

/// A Job that keeps its start time when it is suspended loses it when a newer controller suspends it again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5440),
                section: "Upgrade / Downgrade Strategy",
                says: "since 1.36 a suspended Job has not started; before, it keeps its start time",
            },
            requirements: &["UPG-021", "SUS-009"],
            needs: Needs {
                other_version: Some(Neighbour::Newer),
                since: Some(Minor::new(1, 35)),
                until: Some(Minor::new(1, 35)),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1)).await?;
        scene.wait(pods().running(1).and(job().has_started())).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job().has(Suspended).and(pods().count(0))).await?;
        scene.change_version().await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(pods().running(1).and(job().has(Suspended.is_false()))).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job().has(Suspended).and(pods().count(0))).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let begins = changing("the other Kubernetes");
        let resumed = job().has(Suspended.is_false().because("JobResumed")).named("job is resumed");
        let asleep = job().has(Suspended);
        Expectations::from([
            (
                "the older controller lets it keep its start",
                before(&begins, eventually(asleep.clone().and(job().has_started()))),
            ),
            ("and never clears it", before(&begins, whenever(&asleep, job().has_started()))),
            (
                "the newer one clears it",
                after(&begins, after(&resumed, eventually(asleep.and(job().has_started().negated())))),
            ),
            ("and sets a new one", after(&resumed, eventually(job().has(Complete).and(job().has_started())))),
        ])
    }
}
