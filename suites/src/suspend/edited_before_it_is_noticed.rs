//! Editing a suspended Job of which nobody has taken notice.

use crate::words::*;

/// A suspended Job may be told where to run before its status says that it is suspended.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2926),
                section: "Proposal",
                says: "a Job that was created suspended may be edited at once",
            },
            requirements: &["SUS-013", "SUS-010"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).suspended().managed_by("example.com/nobody")).await?;
        let edit = json!({"spec": {"template": {"spec": {"nodeSelector": {"example.com/zone": "a"}}}}});
        scene.attempt("edit", Write::patch_job("job", edit)).await?;
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let edit = answer("edit");
        let here = edit.has("/spec/template/spec/nodeSelector/example.com~1zone", "a");
        Expectations::from([
            ("the edit is accepted", eventually(edit.is_accepted())),
            ("and kept", eventually(here)),
            ("nobody has said that the Job is suspended", after(&job().exists(), never(job().has(Suspended)))),
        ])
    }
}
