//! One trial: start the arm, see it work, do the workload, let it drain, take the bill, clean up, stop it.

use std::time::Duration;

use k8s_openapi::api::{batch::v1::Job, core::v1::Namespace};
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval, timeout};

use super::arm::{Arm, Side};
use super::audit::{Count, Tail};
use super::driver::Driver;
use super::figures::{self, Deeds};
use super::observer::Observer;
use super::record::Trial;
use super::submit::Submitter;
use super::workload::{Creation, Pods, Workload};
use super::{Trouble, procfs};
use crate::cluster::local::LocalCluster;
use crate::cluster::namespace;
use crate::cluster::{Cluster, Component, Rate};

/// The namespace of the Jobs that show that a controller works.
pub const PROBES: &str = "load-probes";
/// How long a controller may take until it works, and a namespace until it is gone.
const START: Duration = Duration::from_secs(180);
/// How long the work itself may take; a trial that takes longer is void.
const WORK: Duration = Duration::from_secs(300);
/// How long the controller may go on making requests after the work is done.
const DRAIN: Duration = Duration::from_secs(45);

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
    /// Counts all trials of the comparison; names the namespace.
    pub number: u32,
}

/// Where trials take place.
pub struct TrialGround<'a> {
    /// The cluster, with no Job controller running.
    pub cluster: &'a LocalCluster,
    /// The bucket of both arms.
    pub rate: Rate,
    /// How late the pod driver may be (p99, in milliseconds) before times say more about it than about the controller.
    pub lag_limit_ms: u32,
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
        let mut trial = Trial {
            workload: turn.workload.name.to_owned(),
            pair: turn.pair,
            side: turn.side,
            arm: turn.arm.name.to_owned(),
            started: jiff::Timestamp::now().to_string(),
            ..Trial::default()
        };
        trial.circumstances.cpu_pressure[0] = procfs::cpu_pressure();
        let mut unexpected_exit = self.cluster.unexpected_exit();
        let done = tokio::select! {
            done = self.stages(turn, &mut trial) => done,
            ended = crate::cluster::unexpected(&mut unexpected_exit) => {
                Err(Trouble::new(format!("{} ended unasked with {}", ended.component, ended.status)))
            }
        };
        trial.void = done.err().map(|trouble| trouble.to_string());
        trial.circumstances.cpu_pressure[1] = procfs::cpu_pressure();
        trial.took_s = begun.elapsed().as_secs_f64();
        trial
    }

    async fn stages(&self, turn: Turn<'_>, trial: &mut Trial) -> Result<(), Trouble> {
        let client = self.client("jobsworth-load")?;
        let name = format!("load-{}-{}", turn.workload.name, turn.number);
        let made = namespace::create(&client, &name, None).await;
        let uid = made.map_err(|error| Trouble::of("make the namespace", &error))?;
        let (reports, from_observer) = mpsc::unbounded_channel();
        let observer = Observer::start(&self.client("jobsworth-observer")?, &name, reports).await?;
        let driver = Driver::start(self.client("jobsworth-pod-driver")?, &name, turn.workload.pods, from_observer);
        let submitter = Submitter { client: &client, namespace: &name, observer: &observer };
        let mut subject = None;
        let worked = async {
            let born = match turn.workload.birth {
                Creation::Finished => Some(submitter.finished(turn.workload).await?),
                Creation::Submitted => None,
            };
            let started = self.cluster.start_subject(&turn.arm.kind).await;
            subject = Some(started.map_err(|error| Trouble::of("start the controller", &error))?);
            self.proven_to_work(&client, turn.number).await?;
            let mut count = Count::default();
            let mut tail = self.tail()?;
            self.silence(&mut tail, &mut count, START).await?;
            count = Count::default();
            let before = self.meter()?;
            let deeds = self.work(turn.workload, submitter, &driver, born, &mut tail, &mut count).await?;
            let limit = self.silence(&mut tail, &mut count, DRAIN).await;
            self.bill(trial, &before, &count)?;
            trial.figures.extend(figures::of(turn.workload, &observer.seen(), &deeds));
            driver.account(&mut trial.circumstances);
            limit?;
            valid(turn.workload, &observer, &driver, &deeds)?;
            match trial.circumstances.driver_lag_p99_ms {
                Some(lag) if lag > f64::from(self.lag_limit_ms) => {
                    Err(Trouble::new(format!("the pod driver was late: p99 {lag:.0} ms")))
                }
                _ => Ok(()),
            }
        };
        let worked = worked.await;
        // The controller goes on until everything is gone: what it holds with finalizers is its own to release.
        namespace::sweep(&client, &name, &uid).await;
        let gone = self.gone(&client, &name).await;
        let stopped = match subject {
            Some(subject) => subject.stop().await.map_err(|error| Trouble::of("stop the controller", &error)),
            None => Ok(()),
        };
        worked.and(gone).and(stopped)
    }

    /// The workload itself, until there is nothing left to wait for.
    async fn work(
        &self,
        workload: &Workload,
        submitter: Submitter<'_>,
        driver: &Driver,
        born: Option<Deeds>,
        tail: &mut Tail,
        count: &mut Count,
    ) -> Result<Deeds, Trouble> {
        let observer = submitter.observer;
        if let Some(deeds) = born {
            if deeds.due.is_some_and(|due| observer.now() >= due) {
                return Err(Trouble::new("the controller was not ready before the Jobs expired"));
            }
            let jobs = workload.jobs();
            observer.until("all expired Jobs deleted", WORK, |seen| seen.jobs_stopped() == jobs).await?;
            let all_gone = |seen: &super::sightings::Sightings| seen.jobs.values().all(|job| job.gone.is_some());
            observer.until("all expired Jobs gone", WORK, all_gone).await?;
            return Ok(deeds);
        }
        let deeds = submitter.submit(workload).await?;
        if workload.pods == Pods::LingerAfterTheFirst {
            let pods = workload.pods();
            observer.until("all pods running", WORK, |seen| seen.pods_running() == pods).await?;
            // The bucket is full again, and nothing is under way.
            self.silence(tail, count, DRAIN).await?;
            driver.finish_first().await?;
        }
        let jobs = workload.jobs();
        observer.until("all Jobs ended", WORK, |seen| seen.jobs_ended() == jobs).await?;
        Ok(deeds)
    }

    /// A suspended Job gets its condition only from a controller whose caches are filled. The same proof for every arm.
    async fn proven_to_work(&self, client: &kube::Client, number: u32) -> Result<(), Trouble> {
        let jobs: Api<Job> = Api::namespaced(client.clone(), PROBES);
        let name = format!("probe-{number}");
        let probe = json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"suspend": true, "template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "main", "image": "nobody-runs-it"}],
            }}},
        });
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

    /// Waits until the controller has made no request for so long that its bucket is full.
    async fn silence(&self, tail: &mut Tail, count: &mut Count, limit: Duration) -> Result<(), Trouble> {
        let refill = Duration::from_secs_f64(f64::from(self.rate.burst) / f64::from(self.rate.qps));
        // Events and status changes are gathered for a second, by both arms.
        let long = refill.max(Duration::from_secs(1)) + Duration::from_millis(500);
        let begun = Instant::now();
        let mut last = begun;
        let mut look = interval(Duration::from_millis(50));
        while last.elapsed() < long {
            look.tick().await;
            if tail.read(count).map_err(|error| Trouble::of("read the audit log", &error))? > 0 {
                last = Instant::now();
            }
            if begun.elapsed() > limit {
                return Err(Trouble::new(format!("the controller still made requests after {} s", limit.as_secs())));
            }
        }
        Ok(())
    }

    async fn gone(&self, client: &kube::Client, name: &str) -> Result<(), Trouble> {
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
        timeout(START, gone).await.map_err(|_| Trouble::new(format!("namespace {name} does not go")))?
    }

    fn client(&self, agent: &str) -> Result<kube::Client, Trouble> {
        let cluster: &dyn Cluster = self.cluster;
        cluster.measured_client(agent).map_err(|error| Trouble::of("make a client", &error))
    }

    fn tail(&self) -> Result<Tail, Trouble> {
        Tail::at_end(&self.cluster.site().audit_log()).map_err(|error| Trouble::of("read the audit log", &error))
    }

    fn meter(&self) -> Result<Meter, Trouble> {
        let pids = self.cluster.pids();
        let cpu = |component: Component| pids.get(&component).and_then(|&pid| procfs::cpu_seconds(pid));
        let lacks = || Trouble::new("the system does not say what processes use");
        Ok(Meter {
            subject: cpu(Component::Subject).ok_or_else(lacks)?,
            server: cpu(Component::ApiServer)
                .zip(cpu(Component::Etcd))
                .map(|(one, other)| one + other)
                .ok_or_else(lacks)?,
            own: procfs::cpu_seconds(std::process::id()).ok_or_else(lacks)?,
        })
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

/// Whether the trial shows what it should.
fn valid(workload: &Workload, observer: &Observer, driver: &Driver, deeds: &Deeds) -> Result<(), Trouble> {
    let seen = observer.seen();
    if let Some(trouble) = driver.trouble() {
        return Err(Trouble::new(trouble));
    }
    if seen.jobs.values().any(|job| job.failed) {
        return Err(Trouble::new("a Job failed"));
    }
    if seen.pods.len() != workload.pods() {
        return Err(Trouble::new(format!("{} pods instead of {}", seen.pods.len(), workload.pods())));
    }
    if let Some(due) = deeds.due
        && seen.jobs.values().any(|job| job.stopped.is_some_and(|at| at < due))
    {
        return Err(Trouble::new("a Job was deleted before it expired"));
    }
    Ok(())
}
