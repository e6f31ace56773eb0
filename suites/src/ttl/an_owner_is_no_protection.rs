//! A Job that has an owner.

use crate::bare_pod::reference;
use crate::words::*;

/// An expired Job is removed although its owner is still there.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Owner References",
                says: "owner references do not keep a Job from being cleaned up",
            },
            requirements: &["TTL-011"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let owner = json!({"metadata": {"name": "owner"}});
        let owner = scene.attempt("owner", Write::create("api/v1", "configmaps", owner)).await?;
        let owners = json!([reference(&owner, false)]);
        scene.submit(counted(1, 1).ttl(1).metadata("ownerReferences", owners)).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let removed = job().is_deleting();
        let owned =
            job().object("has an owner".to_owned(), |job| job.metadata.owner_references.iter().flatten().count() == 1);
        let in_time = eventually_within(Duration::from_secs(11), removed.clone());
        Expectations::from([
            ("the owner is there", eventually(answer("owner").is_accepted())),
            ("the Job is removed while it is owned", whenever(&removed, owned)),
            ("when its time is over", after(&job().is_finished(), in_time)),
            ("and not before", whenever(&removed, job().is_deleted_past_its_end_by(0))),
        ])
    }
}
