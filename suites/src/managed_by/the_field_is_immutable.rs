//! Changing who manages a Job.

use crate::words::*;

/// Who manages a Job cannot be changed, taken away or added, be it suspended or not.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim { source: Source::Kep(4368), section: "API", says: "the field is immutable" },
            requirements: &["MGB-004"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).managed_by("example.com/other")).await?;
        scene.submit(counted(1, 1).named("sleeper").managed_by("example.com/other").suspended()).await?;
        scene.submit(counted(1, 1).named("plain").suspended()).await?;
        let manager = |name: Option<&str>| json!({"spec": {"managedBy": name}});
        scene.attempt("change", Write::patch_job("job", manager(Some("example.com/third")))).await?;
        scene.attempt("take away", Write::patch_job("job", manager(None))).await?;
        scene
            .attempt("change while suspended", Write::patch_job("sleeper", manager(Some("example.com/third"))))
            .await?;
        scene.attempt("add", Write::patch_job("plain", manager(Some("example.com/other")))).await?;
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let refused = |to: &str| eventually(answer(to).is_refused("spec.managedBy", "FieldValueInvalid"));
        Expectations::from([
            ("it cannot be changed", refused("change")),
            ("nor taken away", refused("take away")),
            ("nor changed while the Job is suspended", refused("change while suspended")),
            ("nor added", refused("add")),
        ])
    }
}
