//! One trial: start the arm, see it work, do the workload, let it drain, take the bill, clean up, stop it.

mod bill;
mod clearing;
mod proof;
mod validity;

use std::collections::BTreeMap;
use std::time::Duration;

use jobsworth_oracle::{Ownership, Setting};
use tokio::sync::mpsc;
use tokio::time::Instant;

use self::clearing::going;
use self::validity::{can_tell, judged, submitted_late, valid};
use super::arm::{Arm, Side};
use super::driver::Driver;
use super::echo::Echo;
use super::figures;
use super::judge::Judge;
use super::observer::Observer;
use super::record::Trial;
use super::request_log::RequestLog;
use super::scenario::{DRAIN, Ensemble};
use super::series::Series;
use super::submit::Submitter;
use super::witness::{Look, Witnesses};
use super::workload::{PodsBy, Scenario, Workload};
use super::{Trouble, procfs};
use crate::cluster::local::LocalCluster;
use crate::cluster::namespace;
use crate::cluster::{Cluster, Rate, RunningSubject, SubjectKind};
use crate::slo::objective::{Objective, Scraped};

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
    /// How late the pod driver and the observer may be (p99, in milliseconds) before times say more about them than about the
    /// controller.
    pub lag_limit_ms: u32,
    /// What components are asked for before and after the work.
    pub objectives: &'a [Objective],
    /// The Job gates as the API server has them.
    pub gates: &'a BTreeMap<String, bool>,
    /// Whether histories are judged.
    pub judging: Judging,
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
        let driver = match turn.workload.pods_by {
            PodsBy::Direct => {
                Some(Driver::start(self.client("jobsworth-pod-driver")?, turn.workload.pods, from_observer))
            }
            // Nobody else wants to hear of pods.
            PodsBy::Kwok => {
                drop(from_observer);
                None
            }
        };
        let manager = turn.arm.kind.manager();
        let submitter = Submitter { client: &client, namespaces: &names, observer: &observer, manager };
        let worked = self.done(turn, trial, submitter, driver.as_ref(), subject).await;
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
        driver: Option<&Driver>,
        subject: &mut Option<Box<dyn RunningSubject>>,
    ) -> Result<(), Trouble> {
        let (workload, observer) = (turn.workload, submitter.observer);
        let began = jiff::Timestamp::now() - observer.now();
        let mut deeds = submitter.bring_forth(workload).await?;
        let echo = Echo::open(self.client("jobsworth-echo")?, &self.client("jobsworth-observer")?, PROBES, turn.number)
            .await?;
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
            before = self.meter_without_subject()?;
            deeds.started = Some(observer.now());
            let mut ensemble = Ensemble { workload, submitter, driver, request_log: &mut request_log };
            let (started, performed) = futures::join!(self.start(turn), echo.during(ensemble.perform(deeds)));
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
            let mut ensemble = Ensemble { workload, submitter, driver, request_log: &mut request_log };
            deeds = echo.during(ensemble.perform(deeds)).await?;
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
        if let Some(driver) = driver {
            driver.account(&mut trial.circumstances);
        }
        echo.account(&mut trial.circumstances);
        submitted_late(&deeds, &mut trial.circumstances);
        limit?;
        can_tell(driver, &echo)?;
        valid(workload, observer, &deeds)?;
        self.in_time(&trial.circumstances)
    }

    async fn start(&self, turn: Turn<'_>) -> Result<Box<dyn RunningSubject>, Trouble> {
        let started = self.cluster.start_subject(&turn.arm.kind).await;
        started.map_err(|error| Trouble::of("start the controller", &error))
    }

    fn client(&self, agent: &str) -> Result<kube::Client, Trouble> {
        let cluster: &dyn Cluster = self.cluster;
        cluster.measured_client(agent).map_err(|error| Trouble::of("make a client", &error))
    }
}
