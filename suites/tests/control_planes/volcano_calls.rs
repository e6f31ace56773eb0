//! What a Job of Volcano's costs its controller in requests, from its creation to Completed, on a real API server.

use crate::volcano_bench;
use jobsworth_harness::cluster::Route;
use jobsworth_harness::load::scraped;
use jobsworth_harness::run::Cell;
use jobsworth_harness::run::execute::{self, run_case};
use jobsworth_harness::run::prepared_cell::PreparedCell;
use jobsworth_harness::subject::Subject;
use jobsworth_oracle::vocabulary::pods::{is_terminal, phase};
use jobsworth_oracle::{Timeline, Verdict};
use jobsworth_suites::volcano_words::*;
use k8s_openapi::api::core::v1::Pod;
use std::collections::BTreeMap;
use tokio::sync::watch;

/// In which the controller tells for how long it gathers changes before it looks.
const GATHERING: &str = "volcano_job_gathering_seconds";

/// A Job whose requests are counted.
struct Counted {
    id: &'static str,
    pods: u32,
    plugins: &'static [&'static str],
    /// What these plugins make, each of which is made and deleted.
    objects: usize,
    /// What it may cost where changes of its pods come close together.
    at_most: usize,
}

/// Release 1.15 makes 8, 45 and 54.
static JOBS: [Counted; 3] = [
    Counted { id: "volcano-calls/one-pod", pods: 1, plugins: &[], objects: 0, at_most: 7 },
    Counted { id: "volcano-calls/ten-pods", pods: 10, plugins: &[], objects: 0, at_most: 20 },
    // Service, hosts, NetworkPolicy, keys.
    Counted {
        id: "volcano-calls/ten-pods-with-plugins",
        pods: 10,
        plugins: &["env", "svc", "ssh"],
        objects: 4,
        at_most: 30,
    },
];

impl Counted {
    /// What nobody can do without: the pods, what plugins make, made and deleted, the group, made and deleted, and three phases
    /// that are told: Pending, Running, Completed.
    fn floor(&self) -> usize {
        self.pods as usize + 2 * self.objects + 2 + 3
    }
}

impl Case for Counted {
    fn about(&self) -> About {
        about(self.id, "status", "a Job costs so many requests", &["VJ-115"])
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let all = self.pods as usize;
        let job_of_all = self.plugins.iter().fold(gang(self.pods), |gang, plugin| gang.plugin(plugin, &[]));
        scene.submit(job_of_all).await?;
        scene.wait(job().is("Running").and(pods().running(all))).await?;
        for index in 0..self.pods {
            scene.pod_named(&format!("job-w-{index}")).succeeds().await?;
        }
        scene.wait(job().is("Completed").and(group().is_absent()).and(services().count(0))).await?;
        scene.linger(Duration::from_secs(3), "a request after the end needs its chance").await
    }

    /// The invariants are judged, and the requests counted below.
    fn expects(&self) -> Expectations {
        Expectations::from([("the Job completes", eventually(job().is("Completed")))])
    }
}

/// By verb and resource, without Events and Leases. Lists and watches are of all namespaces, and so of no Job.
fn requests(timeline: &Timeline) -> BTreeMap<String, usize> {
    let requests = timeline.requests().map(|(_, request)| request);
    let mut counts = BTreeMap::new();
    for request in requests.filter(|request| !matches!(request.on.as_str(), "events" | "leases")) {
        *counts.entry(format!("{} {}", request.verb, request.on)).or_default() += 1;
    }
    counts
}

/// How long the controller gathers changes of pods before it looks, as it says itself.
async fn gathering_time(stage: &PreparedCell) -> Duration {
    let text = stage.subject.metrics().await.unwrap();
    let seconds = scraped::sum(&text, GATHERING, |_| true).filter(|seconds| *seconds > 0.0);
    Duration::from_secs_f64(seconds.unwrap_or_else(|| panic!("the controller does not tell {GATHERING}: {text}")))
}

/// How often the phases of pods changed further apart than the controller gathers changes. Each time it looks once more, and what is
/// new costs a write of the status. That the first end comes well after the last start is the script's doing, and costs what it always
/// does.
fn gaps(timeline: &Timeline, gathered: Duration) -> usize {
    let mut phases = BTreeMap::new();
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for entry in timeline.entries() {
        let Some(pod) = entry.fact.there_is::<Pod>() else { continue };
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        if phases.insert(name, phase(pod)) != Some(phase(pod)) {
            let changes = if is_terminal(pod) { &mut ends } else { &mut starts };
            changes.push(entry.at);
        }
    }
    let are_apart = |two: &&[Duration]| two[1].saturating_sub(two[0]) > gathered;
    starts.windows(2).filter(are_apart).count() + ends.windows(2).filter(are_apart).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_costs_few_requests() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = volcano_bench::spec();
    spec.route = Route::Proxied;
    let cluster = volcano_bench::cluster(&folder.path().join("clusters"), &spec, "volcano-calls").await;
    let cell = Cell::of("calls".to_owned(), "local", &Subject::volcano_reference(), spec);
    let stage = PreparedCell::set(&cell, Box::new(cluster), folder.path().join("run"), 15).await;
    let stage = stage.unwrap_or_else(|unfit| panic!("{}", unfit.because));
    let (_never, stop) = watch::channel(None);

    let mut complaints = Vec::new();
    // One after the other: what one costs must not depend on what the others do.
    for counted in &JOBS {
        let report = run_case(&stage, counted, 1, stop.clone()).await;
        let report = report.unwrap_or_else(|incomplete| panic!("{}: {}", counted.id, incomplete.because));
        assert_eq!(report.judgement.verdict, Verdict::Pass, "{}: {:#?}", counted.id, report.excerpts);
        let timeline = execute::read(&stage.folder.join(&report.timeline)).unwrap();
        let counts = requests(&timeline);
        let (sum, floor) = (counts.values().sum::<usize>(), counted.floor());
        let gaps = gaps(&timeline, gathering_time(&stage).await);
        let at_most = counted.at_most + gaps;
        println!("{}: {sum} requests, at most {at_most}, {gaps} for gaps, at least {floor}: {counts:?}", counted.id);
        if !(floor..=at_most).contains(&sum) {
            complaints.push(format!("{}: {sum} is not within {floor} and {at_most}: {counts:#?}", counted.id));
        }
        assert_eq!(counts.get("create pods"), Some(&(counted.pods as usize)), "{}: {counts:#?}", counted.id);
    }
    stage.cluster.destroy().await.unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
