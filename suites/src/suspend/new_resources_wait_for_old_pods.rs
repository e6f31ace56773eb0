//! Resources that change while a Job is suspended.

use crate::words::*;
use k8s_openapi::api::core::v1::Pod;

/// A suspended Job's containers may ask for other resources; pods that do come only when those of before have stopped.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5440),
                section: "Design Details",
                says: "resources change while a Job is suspended and nothing of it is active; other parts of the template do not",
            },
            requirements: &["SUS-014", "SUS-015", "SUS-017"],
            needs: Needs {
                gates: &["MutablePodResourcesForSuspendedJobs", "JobPodReplacementPolicy"],
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(1, 1).replaces_only_failed()).await?;
        scene.wait(job().ready(1)).await?;
        scene.attempt("while it runs", asks_for_more()).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        scene.wait(job().has(Suspended).and(job().active(0)).and(job().terminating(1))).await?;
        let claims = json!([{"name": "card", "resourceClaimTemplateName": "cards"}]);
        let claimed = json!({"spec": {"template": {"spec": {"resourceClaims": claims}}}});
        scene.attempt("claims", Write::patch_job("job", claimed)).await?;
        scene.attempt("while it is suspended", asks_for_more()).await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(job().has(Suspended.is_false())).await?;
        scene.linger(Duration::from_secs(2), "a pod that must not come yet needs its chance").await?;
        scene.mark("the old one may go").await?;
        scene.pod_of("job").is_let_go(End::Exited(143)).await?;
        scene.wait(pods().running(1).and(job().ready(1))).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (resumed, go) = (job().has(Suspended.is_false()), passed("the old one may go"));
        let more = word("asking for more", |pod: &Pod| {
            let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
            let requests = containers.filter_map(|one| one.resources.as_ref()?.requests.clone());
            requests.into_iter().any(|all| all.get("memory").is_some_and(|quantity| quantity.0 == "1Mi"))
        });
        Expectations::from([
            (
                "a running Job keeps its resources",
                eventually(answer("while it runs").is_refused_saying("spec.template", "immutable")),
            ),
            ("a suspended one may change them", eventually(answer("while it is suspended").is_accepted())),
            ("but not what it claims", eventually(answer("claims").is_refused_as(422, "immutable"))),
            ("no pod comes while the old one stops", after(&resumed, before(&go, never(pods().created())))),
            ("then one comes", after(&go, eventually(pods().created()))),
            ("which asks for more", after(&go, eventually(pods().any(more)))),
            ("and can complete the Job", eventually(job().has(Complete))),
            ("the old one is no failure", never(job().failed_at_least(1))),
        ])
    }
}

fn asks_for_more() -> Write {
    let containers =
        json!([{"name": "main", "image": "jobsworth.invalid/agent:v1", "resources": {"requests": {"memory": "1Mi"}}}]);
    Write::patch_job("job", json!({"spec": {"template": {"spec": {"containers": containers}}}}))
}
