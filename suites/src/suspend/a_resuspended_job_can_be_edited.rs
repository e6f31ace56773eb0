//! Editing a Job that has run before.

use crate::words::*;
use jobsworth_oracle::vocabulary::pods::PodWord;

fn in_zone_a() -> PodWord {
    word("bound for zone a", |pod| {
        let selector = pod.spec.as_ref().and_then(|spec| spec.node_selector.as_ref());
        selector.and_then(|labels| labels.get("example.com/zone")).is_some_and(|zone| zone == "a")
    })
}

/// A Job that ran and is suspended again may be told where to run once its pods are gone.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5440),
                section: "Design Details",
                says: "a Job may be edited while it is suspended and has no active pods",
            },
            requirements: &["SUS-011", "SUS-009"],
            needs: Needs {
                gates: &["MutableSchedulingDirectivesForSuspendedJobs"],
                own_nodes: true,
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let edit = json!({"spec": {"template": {"spec": {"nodeSelector": {"example.com/zone": "a"}}}}});
        scene.submit(counted(1, 1)).await?;
        scene.wait(pods().running(1)).await?;
        scene.attempt("edit while running", Write::patch_job("job", edit.clone())).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job().has(Suspended).and(job().active(0)).and(pods().count(0))).await?;
        scene.attempt("edit while suspended", Write::patch_job("job", edit)).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(pods().running(1)).await
    }

    fn expects(&self) -> Expectations {
        let edited = answer("edit while suspended").is_accepted();
        Expectations::from([
            (
                "a running Job cannot be edited",
                eventually(answer("edit while running").is_refused("spec.template", "FieldValueInvalid")),
            ),
            ("a Job that is suspended again can", eventually(edited.clone())),
            ("its new pod is as edited", after(&edited, eventually(pods().that_are(in_zone_a()).running(1)))),
            ("no other is made", after(&edited, always(pods().all(in_zone_a())))),
        ])
    }
}
