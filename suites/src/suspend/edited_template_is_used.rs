//! Editing and resuming in one request.

use crate::words::*;
use jobsworth_oracle::vocabulary::pods::PodWord;

fn in_zone_a() -> PodWord {
    word("bound for zone a", |pod| {
        let selector = pod.spec.as_ref().and_then(|spec| spec.node_selector.as_ref());
        selector.and_then(|labels| labels.get("example.com/zone")).is_some_and(|zone| zone == "a")
    })
}

/// A suspended Job that never started may be told where to run, and its pods obey.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2926),
                section: "Proposal",
                says: "scheduling directives of a suspended Job may change before it starts",
            },
            requirements: &["SUS-010", "SUS-012"],
            needs: Needs { own_nodes: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2).suspended()).await?;
        scene.wait(job().has(Suspended)).await?;
        let template = json!({"spec": {"nodeSelector": {"example.com/zone": "a"}}});
        let edit = json!({"spec": {"suspend": false, "template": template}});
        scene.attempt("edit and resume", Write::patch_job("job", edit)).await?;
        scene.wait(pods().running(2)).await?;
        let back = json!({"spec": {"template": {"spec": {"nodeSelector": null}}}});
        scene.attempt("edit while running", Write::patch_job("job", back)).await?;
        Ok(())
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("a suspended Job can be edited and resumed at once", eventually(answer("edit and resume").is_accepted())),
            ("its pods are made", eventually(pods().that_are(in_zone_a()).running(2))),
            ("all as edited", after(&job().exists(), always(pods().all(in_zone_a())))),
            (
                "a running Job cannot be edited",
                eventually(answer("edit while running").is_refused("spec.template", "FieldValueInvalid")),
            ),
        ])
    }
}
