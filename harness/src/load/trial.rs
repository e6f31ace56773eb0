//! One trial: start the arm, see it work, do the workload, let it drain, take the bill, clean up, stop it.

use std::collections::BTreeMap;
use std::time::Duration;

use jobsworth_oracle::{Ending, Ownership, Setting};
use k8s_openapi::api::{batch::v1::Job, core::v1::Namespace};
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval, timeout};

use super::arm::{Arm, Side};
use super::audit::Count;
use super::driver::Driver;
use super::figures::{self, Deeds};
use super::judge::Judge;
use super::observer::Observer;
use super::quantile::{quantile, sorted};
use super::record::{Circumstances, Trial};
use super::request_log::RequestLog;
use super::scenario::{DRAIN, Ensemble};
use super::series::Series;
use super::sightings::JobMoments;
use super::submit::Submitter;
use super::tenants::{self, Beside, Tenants, Visit};
use super::witness::{Look, Witnesses};
use super::workload::{Scenario, Workload};
use super::{Trouble, procfs};
use crate::cluster::local::LocalCluster;
use crate::cluster::namespace;
use crate::cluster::{Cluster, Component, Rate, RunningSubject, SubjectKind};
use crate::slo::objective::{Objective, Scraped};
use crate::slo::scrape::{self, MeasuredByObjective};

/// The namespace of the Jobs that show that a controller works.
pub const PROBES: &str = "load-probes";
/// How long a controller may take until it works, and a namespace until it is gone.
const START: Duration = Duration::from_secs(180);

/// Which trial.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// What is done.
    pub workload: &'a Workload,
    /// By whom.
    pub arm: &'a Arm,
    /// On which side.
    pub side: Side,
    /// In which pair.
    pub pair: u32,
    /// Counts all trials of the comparison; names the namespaces.
    pub number: u32,
}

impl Turn<'_> {
    fn namespaces(&self) -> Vec<String> {
        let name = format!("load-{}-{}", self.workload.name, self.number);
        match self.workload.namespaces {
            1 => vec![name],
            several => (0..several).map(|at| format!("{name}-{at}")).collect(),
        }
    }
}

/// Where trials take place.
pub struct TrialGround<'a> {
    /// The cluster, with no Job controller running.
    pub cluster: &'a LocalCluster,
    /// The bucket of both arms.
    pub rate: Rate,
    /// How late the pod driver may be (p99, in milliseconds) before times say more about it than about the controller.
    pub lag_limit_ms: u32,
    /// What components are asked for before and after the work.
    pub objectives: &'a [Objective],
    /// The Job gates as the API server has them.
    pub gates: &'a BTreeMap<String, bool>,
    /// Whether histories are judged.
    pub judging: Judging,
    /// Who comes beside the work.
    pub tenants: Option<&'a Tenants>,
}

/// Whether every history is judged by all invariants while the load flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Judging {
    /// Every one.
    #[default]
    Everything,
    /// None: to see what judging costs.
    Nothing,
}

/// What an arm has used so far.
struct Meter {
    subject: f64,
    server: f64,
    own: f64,
}

impl TrialGround<'_> {
    /// Does one trial. Whatever goes wrong makes it void, with the reason.
    pub async fn trial(&self, turn: Turn<'_>) -> Trial {
        let begun = Instant::now();
        let mut subject = None;
        let mut trial = self.lap(turn, &mut subject).await;
        let is_whole = self.cluster.unexpected_exit().borrow().is_none();
        // Where something ended unasked, nothing else can be ended in order.
        if let Some(subject) = subject.filter(|_| is_whole) {
            let stopped = subject.stop().await.map_err(|error| Trouble::of("stop the controller", &error));
            trial.void = trial.void.or_else(|| stopped.err().map(|trouble| trouble.to_string()));
        }
        trial.took_s = begun.elapsed().as_secs_f64();
        trial
    }

    /// The same with a controller that goes on: it is started if it is not there yet, and is not stopped.
    pub async fn lap(&self, turn: Turn<'_>, subject: &mut Option<Box<dyn RunningSubject>>) -> Trial {
        let begun = Instant::now();
        let mut trial = Trial {
            workload: turn.workload.name.clone(),
            pair: turn.pair,
            side: turn.side,
            arm: turn.arm.name.clone(),
            started: jiff::Timestamp::now().to_string(),
            ..Trial::default()
        };
        trial.circumstances.cpu_pressure[0] = procfs::cpu_pressure();
        let mut unexpected_exit = self.cluster.unexpected_exit();
        let done = tokio::select! {
            done = self.stages(turn, &mut trial, subject) => done,
            ended = crate::cluster::unexpected(&mut unexpected_exit) => {
                Err(Trouble::new(format!("{} ended unasked with {}", ended.component, ended.status)))
            }
        };
        trial.void = done.err().map(|trouble| trouble.to_string());
        trial.circumstances.cpu_pressure[1] = procfs::cpu_pressure();
        trial.took_s = begun.elapsed().as_secs_f64();
        trial
    }

    async fn stages(
        &self,
        turn: Turn<'_>,
        trial: &mut Trial,
        subject: &mut Option<Box<dyn RunningSubject>>,
    ) -> Result<(), Trouble> {
        let client = self.client("jobsworth-load")?;
        let names = turn.namespaces();
        let mut uids = Vec::new();
        for name in &names {
            let made = namespace::create(&client, name, None).await;
            uids.push(made.map_err(|error| Trouble::of("make the namespace", &error))?);
        }
        let (reports, from_observer) = mpsc::unbounded_channel();
        let judge = match self.judging {
            Judging::Everything => Some(Judge::start(self.setting(turn))?),
            Judging::Nothing => None,
        };
        let input = judge.as_ref().map(Judge::input);
        let observer = Observer::start(&self.client("jobsworth-observer")?, &names, reports, input).await?;
        let driver = Driver::start(self.client("jobsworth-pod-driver")?, turn.workload.pods, from_observer);
        let manager = turn.arm.kind.manager();
        let submitter = Submitter { client: &client, namespaces: &names, observer: &observer, manager };
        let worked = self.done(turn, trial, submitter, &driver, subject).await;
        let worked = match judge {
            Some(judge) => judged(judge, worked, trial).await,
            None => worked,
        };
        // The controller goes on until everything is gone: what it holds with finalizers is its own to release.
        for (name, uid) in names.iter().zip(&uids) {
            namespace::sweep(&client, name, uid).await;
        }
        let mut gone = Ok(());
        for name in &names {
            gone = gone.and(self.gone(&client, name, going(turn.workload)).await);
        }
        worked.and(gone)
    }

    /// By which rules histories are judged.
    fn setting(&self, turn: Turn<'_>) -> Setting {
        let kind = &turn.arm.kind;
        let ownership = match kind.manager() {
            Some(manager) => Ownership::ManagedBy(manager.to_owned()),
            None if *kind == SubjectKind::BuiltIn => Ownership::BuiltIn,
            None => Ownership::DropIn,
        };
        Setting {
            case: turn.workload.name.clone(),
            namespace: turn.namespaces().join(" "),
            started: jiff::Timestamp::now(),
            kubernetes: self.cluster.spec().version,
            emulated: None,
            gates: self.gates.clone(),
            subject: turn.arm.name.clone(),
            judged: kind.api().resource(),
            ownership,
            shared: false,
        }
    }

    /// From the Jobs that are there before the controller to the bill.
    async fn done(
        &self,
        turn: Turn<'_>,
        trial: &mut Trial,
        submitter: Submitter<'_>,
        driver: &Driver,
        subject: &mut Option<Box<dyn RunningSubject>>,
    ) -> Result<(), Trouble> {
        let (workload, observer) = (turn.workload, submitter.observer);
        let began = jiff::Timestamp::now() - observer.now();
        let mut deeds = submitter.bring_forth(workload).await?;
        let mut request_log = RequestLog::open(&self.cluster.site().audit_log(), self.rate)?;
        let (before, said, looked);
        if workload.scenario == Scenario::Restart {
            let old = *workload.pods().start();
            observer
                .until("the pods that are there before running", workload.limit, |seen| seen.pods_running() == old)
                .await?;
            said = self.said(&[Scraped::Controller]).await;
            // Watches that it opens as it starts have no counterpart in the audit log.
            looked = None;
            before = Meter { subject: 0.0, ..self.meter_without_subject()? };
            deeds.started = Some(observer.now());
            let mut ensemble = Ensemble { workload, submitter, driver, request_log: &mut request_log };
            let (started, performed) = futures::join!(self.start(turn), ensemble.perform(deeds));
            *subject = Some(started?);
            deeds = performed?;
        } else {
            if subject.is_none() {
                *subject = Some(self.start(turn).await?);
                self.proven_to_work(submitter.client, turn).await?;
            }
            request_log.silence(START).await?;
            request_log.clear();
            said = self.said(&[]).await;
            looked = Some(Look::at(self.cluster).await);
            before = self.meter()?;
            let beside = self.tenants_beside(turn, submitter.namespaces).await?;
            let mut ensemble = Ensemble { workload, submitter, driver, request_log: &mut request_log };
            let performed = ensemble.perform(deeds).await;
            // Whatever came of the work: nobody stays.
            let left = tenants::leave(beside).await;
            (deeds, trial.tenants) = (performed?, left?);
        }
        let limit = request_log.silence(DRAIN).await;
        self.bill(trial, &before, request_log.count())?;
        for (objective, now) in self.said(&[]).await {
            let earlier = said.get(&objective).cloned().unwrap_or_default();
            trial.measured.insert(objective, now.since(&earlier));
        }
        if let Some(earlier) = looked {
            let (now, watches) = (Look::at(self.cluster).await, request_log.count().watches());
            trial.witnesses = Some(Witnesses::of(&trial.requests, watches, &earlier, &now));
        }
        let seen = observer.seen();
        trial.figures.extend(figures::of(workload, &seen, &deeds));
        trial.latencies = figures::latencies(workload, &seen, &deeds);
        trial.series = Series::of(&seen, &request_log.count().moments(began));
        driver.account(&mut trial.circumstances);
        submitted_late(&deeds, &mut trial.circumstances);
        limit?;
        valid(workload, observer, driver, &deeds)?;
        self.in_time(&trial.circumstances)
    }

    async fn tenants_beside(&self, turn: Turn<'_>, looked_at: &[String]) -> Result<Option<Beside>, Trouble> {
        let Some(tenants) = self.tenants else { return Ok(None) };
        let Turn { workload, arm, number, .. } = turn;
        let visit =
            Visit { workload: &workload.name, number, looked_at, manager: arm.kind.manager(), limit: workload.limit };
        tenants.come(self.cluster, visit).await.map(Some)
    }

    async fn start(&self, turn: Turn<'_>) -> Result<Box<dyn RunningSubject>, Trouble> {
        let started = self.cluster.start_subject(&turn.arm.kind).await;
        started.map_err(|error| Trouble::of("start the controller", &error))
    }

    /// What components say of themselves, but for those that are not there yet. One that says nothing is not measured.
    async fn said(&self, absent: &[Scraped]) -> MeasuredByObjective {
        let mut said = MeasuredByObjective::new();
        for of in scrape::asked(self.objectives).into_iter().filter(|of| !absent.contains(of)) {
            let component = match of {
                Scraped::Controller => Component::Subject,
                Scraped::ApiServer => Component::ApiServer,
            };
            if let Ok(text) = self.cluster.metrics(component).await {
                said.extend(scrape::read(&text, of, self.objectives));
            }
        }
        said
    }

    /// Whether the harness was fast enough to say something about anybody else.
    fn in_time(&self, circumstances: &Circumstances) -> Result<(), Trouble> {
        let late =
            [("the pod driver", circumstances.driver_lag_p99_ms), ("the submitter", circumstances.submit_lag_p99_ms)];
        let limit = f64::from(self.lag_limit_ms);
        match late.into_iter().find_map(|(who, lag)| Some((who, lag.filter(|lag| *lag > limit)?))) {
            Some((who, lag)) => Err(Trouble::new(format!("{who} was late: p99 {lag:.0} ms"))),
            None => Ok(()),
        }
    }

    /// A suspended Job gets its condition only from a controller whose caches are filled. The same proof for every arm.
    async fn proven_to_work(&self, client: &kube::Client, turn: Turn<'_>) -> Result<(), Trouble> {
        let jobs: Api<Job> = Api::namespaced(client.clone(), PROBES);
        let name = format!("probe-{}", turn.number);
        let mut probe = json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"suspend": true, "template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "main", "image": "nobody-runs-it"}],
            }}},
        });
        if let Some(manager) = turn.arm.kind.manager() {
            probe["spec"]["managedBy"] = json!(manager);
        }
        let failed = |error: &dyn std::error::Error| Trouble::of("probe the controller", error);
        let probe: Job = serde_json::from_value(probe).map_err(|error| failed(&error))?;
        jobs.create(&PostParams::default(), &probe).await.map_err(|error| failed(&error))?;
        let mut look = interval(Duration::from_millis(100));
        let works = async {
            loop {
                look.tick().await;
                let job = jobs.get(&name).await.map_err(|error| failed(&error))?;
                let mut conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
                if conditions.any(|condition| condition.type_ == "Suspended") {
                    return Ok(());
                }
            }
        };
        timeout(START, works).await.map_err(|_| Trouble::new("the controller does not work"))??;
        jobs.delete(&name, &DeleteParams::background()).await.map(drop).map_err(|error| failed(&error))
    }

    async fn gone(&self, client: &kube::Client, name: &str, limit: Duration) -> Result<(), Trouble> {
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

    fn client(&self, agent: &str) -> Result<kube::Client, Trouble> {
        let cluster: &dyn Cluster = self.cluster;
        cluster.measured_client(agent).map_err(|error| Trouble::of("make a client", &error))
    }

    fn meter(&self) -> Result<Meter, Trouble> {
        Ok(Meter { subject: self.cpu(Component::Subject)?, ..self.meter_without_subject()? })
    }

    /// The same before the controller is there.
    fn meter_without_subject(&self) -> Result<Meter, Trouble> {
        let server = self.cpu(Component::ApiServer)? + self.cpu(Component::Etcd)?;
        let own = procfs::cpu_seconds(std::process::id()).ok_or_else(unknown_use)?;
        Ok(Meter { subject: 0.0, server, own })
    }

    fn cpu(&self, of: Component) -> Result<f64, Trouble> {
        self.cluster.pids().get(&of).and_then(|&pid| procfs::cpu_seconds(pid)).ok_or_else(unknown_use)
    }

    fn bill(&self, trial: &mut Trial, before: &Meter, count: &Count) -> Result<(), Trouble> {
        let after = self.meter()?;
        let memory = self.cluster.pids().get(&Component::Subject).and_then(|&pid| procfs::peak_mib(pid));
        trial.requests = count.requests();
        trial.circumstances.server_cpu_s = Some(after.server - before.server);
        trial.circumstances.harness_cpu_s = Some(after.own - before.own);
        #[expect(clippy::cast_precision_loss, reason = "thousands of requests")]
        let counts = [
            ("requests", trial.requests.without_events as f64),
            ("events", trial.requests.events as f64),
            ("status-writes", trial.requests.status_writes as f64),
            // A second, over the ten seconds in which there were most.
            ("status-writes-of-a-job", trial.requests.status_writes_of_a_job as f64 / 10.0),
        ];
        let used = [("cpu-s", after.subject - before.subject), ("server-cpu-s", after.server - before.server)];
        let all = counts.into_iter().chain(used).chain(memory.map(|mib| ("memory-mib", mib)));
        trial.figures.extend(all.map(|(name, value)| (name.to_owned(), value)));
        let allowed = u64::from(self.rate.qps) + u64::from(self.rate.burst);
        if trial.requests.busiest_second > allowed {
            let busiest = trial.requests.busiest_second;
            return Err(Trouble::new(format!("{busiest} requests in one second; the bucket allows {allowed}")));
        }
        Ok(())
    }
}

/// A broken invariant comes before everything else that may be wrong with a trial: it is most likely the reason.
async fn judged(judge: Judge, worked: Result<(), Trouble>, trial: &mut Trial) -> Result<(), Trouble> {
    let ending = match &worked {
        Ok(()) => Ending::Complete,
        Err(trouble) => Ending::Fault(trouble.to_string()),
    };
    let concluded = tokio::task::spawn_blocking(move || judge.conclude(&ending)).await;
    let judged = concluded.map_err(|error| Trouble::of("judge the histories", &error))??;
    let complaint = judged.complaint().or_else(|| judged.doubt());
    trial.judged = Some(judged);
    complaint.map_or(worked, |complaint| Err(Trouble::new(complaint)))
}

fn unknown_use() -> Trouble {
    Trouble::new("the system does not say what processes use")
}

/// How long it may take until everything of a workload is gone: what a slow controller releases in a second, and some.
fn going(workload: &Workload) -> Duration {
    let objects = u32::try_from(workload.jobs() + workload.pods_at_once()).unwrap_or(u32::MAX);
    START + Duration::from_millis(50) * objects
}

/// How late Jobs with a deadline were submitted.
fn submitted_late(deeds: &Deeds, into: &mut Circumstances) {
    let lags = sorted(&deeds.lags);
    into.submit_lag_p50_ms = quantile(&lags, 0.5);
    into.submit_lag_p99_ms = quantile(&lags, 0.99);
    into.submit_lag_max_ms = quantile(&lags, 1.0);
}

/// Whether the trial shows what it should.
fn valid(workload: &Workload, observer: &Observer, driver: &Driver, deeds: &Deeds) -> Result<(), Trouble> {
    let seen = observer.seen();
    if let Some(trouble) = driver.trouble() {
        return Err(Trouble::new(trouble));
    }
    if seen.jobs.values().any(|job| job.failed) {
        return Err(Trouble::new("a Job failed"));
    }
    let pods = workload.pods();
    if !pods.contains(&seen.pods.len()) {
        let wanted = if pods.start() == pods.end() {
            pods.end().to_string()
        } else {
            format!("{} to {}", pods.start(), pods.end())
        };
        return Err(Trouble::new(format!("{} pods instead of {wanted}", seen.pods.len())));
    }
    let early =
        |job: &JobMoments| deeds.due.get(&job.name).zip(job.stopped).is_some_and(|(due, stopped)| stopped < *due);
    if seen.jobs.values().any(early) {
        return Err(Trouble::new("a Job was deleted before it expired"));
    }
    Ok(())
}
