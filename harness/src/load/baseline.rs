//! The baseline: how fast pods come and end where no controller has to do with it, once before all trials.
//!
//! As many bare pods as the largest moment of the workloads has are created side by side, and whoever plays the pods of the trials plays
//! them, too. What is not much faster than a controller may be by its budget says more about itself than about controllers.

use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::Api;
use kube::api::{DeleteParams, ListParams};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio::time::{interval, timeout};

use super::Trouble;
use super::driver::Driver;
use super::observer::Observer;
use super::profile::Profile;
use super::sightings::Sightings;
use super::workload::{Pods, PodsBy, Success, Workload};
use crate::cluster::local::LocalCluster;
use crate::cluster::{Cluster, Rate};

/// How many bare pods there are: fewer would tell how long one takes, and more would take too long.
const PODS: std::ops::RangeInclusive<usize> = 100..=600;
/// How many are created side by side.
const HANDS: usize = 32;
/// How long all of them may take; those that have not ended then do not count.
const LIMIT: Duration = Duration::from_secs(20);
/// How long new nodes may take until pods can be bound to them.
const NODES_READY: Duration = Duration::from_secs(60);
/// What no controller can do without for a pod: its creation and the release of its finalizer.
const REQUESTS_OF_A_POD: f64 = 2.0;
/// How many times the pods that a budget allows kwok must be able to play.
const TIMES: f64 = 3.0;

/// How fast pods came and ended without a controller.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Baseline {
    /// Who played them.
    pub driver: PodsBy,
    /// How many bare pods were to be made.
    pub pods: usize,
    /// How many of them had ended in time.
    pub ended: usize,
    /// From the first creation to the last end in seconds, or all of the time that there was where some had not ended.
    pub seconds: f64,
    /// How many ended each second.
    pub pods_per_second: f64,
    /// Requests per second that a controller may make.
    pub qps: u32,
    /// How many times that is the pods that a controller could create and release with these requests.
    pub times_of_budget: f64,
}

/// The workload with the largest moment, if any has pods.
#[must_use]
pub fn largest(profiles: &[Profile]) -> Option<&Workload> {
    let workloads = profiles.iter().map(|profile| &profile.workload);
    workloads.filter(|workload| workload.pods_at_once() > 0).max_by_key(|workload| workload.pods_at_once())
}

impl Baseline {
    /// Measures it with pods like those of this workload, in a namespace in which nothing else is.
    ///
    /// # Errors
    /// When the API server refuses something, the driver cannot play, or the nodes of kwok do not become ready.
    pub async fn measure(
        cluster: &LocalCluster,
        workload: &Workload,
        rate: Rate,
        namespace: &str,
    ) -> Result<Self, Trouble> {
        let client = |agent: &str| {
            let client = (cluster as &dyn Cluster).measured_client(agent);
            client.map_err(|error| Trouble::of("make a client", &error))
        };
        let maker = client("jobsworth-load")?;
        let (reports, from_observer) = mpsc::unbounded_channel();
        let observer = Observer::start(&client("jobsworth-observer")?, &[namespace.to_owned()], reports, None).await?;
        let at_once = Pods::Succeed(Success::default());
        let driver = match workload.pods_by {
            PodsBy::Direct => Some(Driver::start(client("jobsworth-pod-driver")?, at_once, from_observer)),
            PodsBy::Kwok | PodsBy::Nodes => {
                drop(from_observer);
                nodes_take_pods(&maker).await?;
                None
            }
        };
        let pods = workload.pods_at_once().clamp(*PODS.start(), *PODS.end());
        let begun = observer.now();
        let work = async {
            create(&maker, workload, namespace, pods).await?;
            // Whoever waits longer is not heard any more.
            observer.until("the end of every bare pod", 2 * LIMIT, |seen| ends(seen).count() == pods).await
        };
        if let Ok(done) = timeout(LIMIT, work).await {
            done?;
        }
        if let Some(trouble) = driver.as_ref().and_then(Driver::trouble) {
            return Err(Trouble::new(format!("failed to play the bare pods: {trouble}")));
        }
        let seen = observer.seen();
        let took: Vec<Duration> = ends(&seen).map(|at| at.saturating_sub(begun)).collect();
        let bare: Api<Pod> = Api::namespaced(maker, namespace);
        let gone = bare.delete_collection(&DeleteParams::default().grace_period(0), &ListParams::default()).await;
        gone.map_err(|error| Trouble::of("delete the bare pods", &error))?;
        Ok(Self::of(workload.pods_by, rate, pods, &took))
    }

    #[expect(clippy::cast_precision_loss, reason = "hundreds of pods")]
    fn of(driver: PodsBy, rate: Rate, pods: usize, took: &[Duration]) -> Self {
        let last = took.iter().max().filter(|_| took.len() >= pods);
        let seconds = last.unwrap_or(&LIMIT).as_secs_f64().max(0.001);
        let pods_per_second = took.len() as f64 / seconds;
        let times_of_budget = pods_per_second * REQUESTS_OF_A_POD / f64::from(rate.qps.max(1));
        Self { driver, pods, ended: took.len(), seconds, pods_per_second, qps: rate.qps, times_of_budget }
    }

    /// Why no figures can be had, or why figures with this budget would be those of kwok and the scheduler, if they would. The direct
    /// driver says in each trial how late it was, and is refused there.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        if self.ended == 0 {
            return Some(format!(
                "without a controller {} ends none of {} bare pods in {:.0} s, so no Job would end either: look at the logs of the \
                 cluster, or take a machine that has less to do",
                self.who(),
                self.pods,
                self.seconds
            ));
        }
        let is_slow = self.driver == PodsBy::Kwok && self.times_of_budget < TIMES;
        let most = (self.pods_per_second * REQUESTS_OF_A_POD / TIMES).floor().max(1.0);
        is_slow.then(|| {
            format!(
                "{}, and {TIMES:.0} times are needed, so figures would say more about kwok and the scheduler than about \
                 controllers: take --qps {most:.0}, a machine that has less to do, or leave out --pods kwok",
                self.says()
            )
        })
    }

    const fn who(&self) -> &'static str {
        match self.driver {
            PodsBy::Direct => "the direct driver",
            PodsBy::Kwok => "kwok with the scheduler",
            PodsBy::Nodes => "the nodes of the cluster",
        }
    }

    /// In a sentence.
    #[must_use]
    pub fn says(&self) -> String {
        format!(
            "without a controller {} ends {:.0} pods a second ({} of {} bare pods in {:.1} s), {:.2} times as many as {} requests a \
             second allow a controller",
            self.who(),
            self.pods_per_second,
            self.ended,
            self.pods,
            self.seconds,
            self.times_of_budget,
            self.qps
        )
    }
}

/// When pods ended.
fn ends(seen: &Sightings) -> impl Iterator<Item = Duration> {
    seen.pods.values().filter_map(|pod| pod.ended)
}

async fn create(client: &kube::Client, workload: &Workload, namespace: &str, pods: usize) -> Result<(), Trouble> {
    let creations = (0..pods).map(|number| async move {
        let request = http::Request::post(format!("/api/v1/namespaces/{namespace}/pods"));
        let request = request.header(http::header::CONTENT_TYPE, "application/json");
        let request = request.body(workload.bare_pod(number).to_string().into_bytes());
        let request = request.map_err(|error| Trouble::of("make a request", &error))?;
        let answer = client.request_text(request).await;
        answer.map(drop).map_err(|error| Trouble::of("create a bare pod", &error))
    });
    stream::iter(creations).buffer_unordered(HANDS).try_collect::<Vec<()>>().await.map(drop)
}

/// Waits until pods can be bound to every node: new ones are tainted until they are seen to be ready.
async fn nodes_take_pods(client: &kube::Client) -> Result<(), Trouble> {
    let nodes: Api<Node> = Api::all(client.clone());
    let mut look = interval(Duration::from_millis(200));
    let free = async {
        loop {
            look.tick().await;
            let found = nodes.list(&ListParams::default()).await;
            let found = found.map_err(|error| Trouble::of("look at the nodes", &error))?;
            let taints = |node: &Node| node.spec.as_ref().and_then(|spec| spec.taints.as_ref()).map_or(0, Vec::len);
            if found.items.iter().all(|node| taints(node) == 0) {
                return Ok(());
            }
        }
    };
    timeout(NODES_READY, free).await.map_err(|_| Trouble::new("the nodes of kwok do not become ready"))?
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::load::profile;

    fn rate(qps: u32) -> Rate {
        Rate { qps, burst: 1 }
    }

    fn took(pods: u64) -> Vec<Duration> {
        (1..=pods).map(|number| Duration::from_millis(number * 10)).collect()
    }

    #[test]
    fn the_rate_goes_to_the_last_end_and_where_some_have_not_ended_over_all_of_the_time() {
        let whole = Baseline::of(PodsBy::Direct, rate(100), 200, &took(200));
        assert_eq!((whole.ended, whole.seconds, whole.pods_per_second, whole.times_of_budget), (200, 2.0, 100.0, 2.0));
        let part = Baseline::of(PodsBy::Direct, rate(100), 200, &took(150));
        assert_eq!((part.ended, part.seconds, part.pods_per_second, part.times_of_budget), (150, 20.0, 7.5, 0.15));
        let none = Baseline::of(PodsBy::Kwok, rate(100), 200, &[]);
        assert_eq!((none.ended, none.pods_per_second), (0, 0.0));
    }

    #[rstest]
    #[case::as_fast_as_needed(PodsBy::Kwok, 66, None)]
    #[case::too_slow(PodsBy::Kwok, 67, Some("take --qps 66,"))]
    #[case::too_slow_by_little(PodsBy::Kwok, 67, Some("2.99 times as many"))]
    #[case::a_driver_that_tells_its_own_lag(PodsBy::Direct, 1000, None)]
    fn kwok_must_play_three_times_the_pods_that_the_budget_allows(
        #[case] driver: PodsBy,
        #[case] qps: u32,
        #[case] says: Option<&str>,
    ) {
        // 100 pods a second are 200 requests of a controller.
        let refusal = Baseline::of(driver, rate(qps), 200, &took(200)).refusal();
        assert_eq!(refusal.is_some(), says.is_some(), "{refusal:?}");
        assert!(refusal.as_ref().zip(says).is_none_or(|(refusal, says)| refusal.contains(says)), "{refusal:?}");
    }

    #[rstest]
    #[case::by_kwok(PodsBy::Kwok, "kwok with the scheduler ends none of 200 bare pods in 20 s")]
    #[case::by_ours(PodsBy::Direct, "the direct driver ends none of 200 bare pods in 20 s")]
    fn where_no_pod_ends_no_smaller_budget_is_advised(#[case] driver: PodsBy, #[case] says: &str) {
        let refusal = Baseline::of(driver, rate(100), 200, &[]).refusal().unwrap_or_default();
        assert!(refusal.contains(says) && !refusal.contains("--qps"), "{refusal}");
    }

    #[test]
    fn the_largest_moment_of_all_profiles_is_what_the_baseline_is_like() {
        let profile = |name: &str, completions: u32| {
            let mix = format!("[{{name: wide, jobs: 1, completions: {completions}}}]");
            let text = format!("schema: jobsworth/load-profile/v1\nname: {name}\nsays: x\nmix: {mix}\n");
            profile::parse(&text, name).expect("a profile")
        };
        let profiles = [profile("small", 3), profile("large", 500), profile("middle", 40)];
        assert_eq!(largest(&profiles).map(|workload| workload.name.as_str()), Some("large"));
        assert!(largest(&[]).is_none());
    }
}
