//! The end of a trial: everything that was made for it goes.

use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use tokio::time::{interval, timeout};

use super::{START, TrialGround};
use crate::cluster::namespace::{self, removal};
use crate::load::Trouble;
use crate::load::tenant_figures::TenantFigures;
use crate::load::tenants::Beside;
use crate::load::workload::Workload;

impl TrialGround<'_> {
    /// Tells tenants to go, if there are some, and waits until nothing of them is left. What they got is kept though their namespace
    /// stays: the pods of a controller that hangs do.
    pub(super) async fn tenants_gone(
        &self,
        client: &kube::Client,
        beside: Option<Beside>,
        workload: &Workload,
        got: &mut Option<TenantFigures>,
    ) -> Result<(), Trouble> {
        let Some(mut beside) = beside else { return Ok(()) };
        let left = beside.leave().await.map(|figures| *got = Some(figures));
        // Their pod driver goes on meanwhile, as that of the trial does.
        let gone = self.gone(client, beside.namespace(), going(workload)).await;
        left.and(gone)
    }

    /// Deletes these namespaces, by name and uid, and waits until they are gone. Who controls Jobs and who plays pods go on meanwhile: what
    /// a controller holds with finalizers is its own to release.
    pub(super) async fn clear(
        &self,
        client: &kube::Client,
        workload: &Workload,
        namespaces: &[(String, String)],
    ) -> Result<(), Trouble> {
        for (name, uid) in namespaces {
            namespace::sweep(client, name, uid).await;
        }
        let mut gone = Ok(());
        for (name, _) in namespaces {
            gone = gone.and(self.gone(client, name, going(workload)).await);
        }
        gone
    }

    /// The same where no controller is there any more and nobody plays pods: finalizers are taken here. A controller with its bucket, and
    /// pods that end one by one, take minutes for ten thousand.
    pub(super) async fn clear_alone(
        &self,
        client: &kube::Client,
        workload: &Workload,
        namespaces: &[(String, String)],
    ) -> Result<(), Trouble> {
        let names = namespaces.iter().map(|(name, _)| name.clone()).collect();
        let deleted = removal::delete_pods(client, &names).await;
        let deleted = deleted.map_err(|error| Trouble::of("delete the pods", &error));
        deleted.and(self.clear(client, workload, namespaces).await)
    }

    /// Waits until a namespace is gone.
    pub(super) async fn gone(&self, client: &kube::Client, name: &str, limit: Duration) -> Result<(), Trouble> {
        let namespaces: Api<Namespace> = Api::all(client.clone());
        let mut look = interval(Duration::from_millis(200));
        let gone = async {
            loop {
                look.tick().await;
                match namespaces.get_opt(name).await {
                    Ok(None) => return Ok(()),
                    Ok(Some(_)) => {}
                    Err(error) => return Err(Trouble::of("look for the namespace", &error)),
                }
            }
        };
        timeout(limit, gone).await.map_err(|_| Trouble::new(format!("namespace {name} does not go")))?
    }
}

/// How long it may take until everything of a workload is gone: what a slow controller releases in a second, and some.
pub(super) fn going(workload: &Workload) -> Duration {
    // Slices end at about the same time, and one controller releases what all of them made.
    let whole = workload.whole();
    let objects = u32::try_from(whole.jobs() + whole.pods_at_once()).unwrap_or(u32::MAX);
    START + Duration::from_millis(50) * objects
}
