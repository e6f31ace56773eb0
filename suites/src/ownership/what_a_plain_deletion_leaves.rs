//! A deletion that says nothing of pods.

use crate::words::*;

/// Who deletes a Job and does not say what becomes of its pods leaves them running, is warned of it, and they are nobody's.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "deletion",
                says: "by default a deleted Job leaves its pods",
            },
            requirements: &["PAR-026", "FIN-012"],
            needs: Needs { stands_alone: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(job().ready(2)).await?;
        scene.attempt("delete", Write::delete_job_plainly("job")).await?;
        scene.wait(job().is_gone().and(pods().all(untracked()))).await?;
        scene.mark("all is settled").await
    }

    fn expects(&self) -> Expectations {
        let settled = passed("all is settled");
        let orphaned = word("nobody's", |pod| pod.metadata.owner_references.iter().flatten().next().is_none());
        Expectations::from([
            ("it is accepted", eventually(answer("delete").is_accepted())),
            ("with a warning", eventually(answer("delete").warns("child pods are preserved by default"))),
            ("the pods run on", whenever(&settled, pods().running(2))),
            ("they are nobody's", whenever(&settled, pods().all(orphaned))),
            ("and are held no more", whenever(&settled, pods().all(untracked()))),
        ])
    }
}
