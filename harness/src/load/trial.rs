//! One trial: start the arm, see it work, do the workload, let it drain, take the bill, clean up, stop it.

mod bill;
mod clearing;
mod gaps;
mod proof;
mod validity;

use std::collections::BTreeMap;
use std::time::Duration;

use jobsworth_oracle::{Ownership, Setting};
use tokio::sync::mpsc;
use tokio::time::Instant;

use self::clearing::going;
use self::validity::{agreed, can_tell, cleared, judged, quiet, submitted_late, valid};
use super::arm::{Arm, Side};
use super::audit::Count;
use super::driver::Driver;
use super::echo::Echo;
use super::figures;
use super::judge::Judge;
use super::lateness::LagLimits;
use super::noise::{self, OnNoise};
use super::observer::Observer;
use super::record::Trial;
use super::request_log::RequestLog;
use super::scenario::{DRAIN, Ensemble};
use super::series::Series;
use super::submit::Submitter;
use super::tenants::{Beside, Tenants, Visit};
use super::witness::{Look, Witnesses};
use super::workload::{PodsBy, Scenario, Workload};
use super::{Trouble, installed, pace, procfs};
use crate::cluster::local::LocalCluster;
use crate::cluster::namespace;
use crate::cluster::{Cluster, NamespacePolicy, Rate, RunningSubject, SubjectKind};
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
    /// The cluster.
    pub cluster: &'a dyn Cluster,
    /// The same with no Job controller running, where its parts are processes of ours: they can be metered, and its audit log is here.
    pub processes: Option<&'a LocalCluster>,
    /// The bucket of both arms.
    pub rate: Rate,
    /// How late those of the harness may be who take part.
    pub lag_limits: LagLimits,
    /// What becomes of a trial during which the machine was busy with something else.
    pub on_noise: OnNoise,
    /// What components are asked for before and after the work.
    pub objectives: &'a [Objective],
    /// The Job gates as the API server has them.
    pub gates: &'a BTreeMap<String, bool>,
    /// Whether histories are judged.
    pub judging: Judging,
    /// Who comes beside the work.
    pub tenants: Option<&'a Tenants>,
    /// Random, and the same for all trials of a run: in a cluster of the user's it is in the names of namespaces.
    pub run: u64,
}

/// Stops the controller, if there still is one.
async fn stop(subject: &mut Option<Box<dyn RunningSubject>>) -> Result<(), Trouble> {
    match subject.take() {
        Some(subject) => subject.stop().await.map_err(|error| Trouble::of("stop the controller", &error)),
        None => Ok(()),
    }
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
        if is_whole {
            let stopped = stop(&mut subject).await;
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
        let before = self.noise();
        let mut unexpected_exit = self.cluster.unexpected_exit();
        let done = tokio::select! {
            done = self.stages(turn, &mut trial, subject) => done,
            ended = crate::cluster::unexpected(&mut unexpected_exit) => {
                Err(Trouble::new(format!("{} ended unasked with {}", ended.component, ended.status)))
            }
        };
        if let Err(Trouble::Undrained { left, .. }) = &done {
            trial.undrained = Some(*left);
        }
        trial.void = done.err().map(|trouble| trouble.to_string());
        trial.circumstances.cpu_pressure[1] = procfs::cpu_pressure();
        before.account(&self.noise(), &mut trial.circumstances);
        quiet(&mut trial, self.on_noise);
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
        let (names, policy) = (self.namespaces(turn), self.policy(turn.workload));
        let mut uids = Vec::new();
        for name in &names {
            let made = namespace::create(&client, name, policy.as_ref()).await;
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
            PodsBy::Kwok | PodsBy::Nodes => {
                drop(from_observer);
                None
            }
        };
        let (manager, gap) = (turn.arm.kind.manager(), policy.as_ref().map(|_| installed::gap(turn.workload)));
        let submitter = Submitter { client: &client, namespaces: &names, observer: &observer, manager, gap };
        let worked = self.done(turn, trial, submitter, driver.as_ref(), subject).await;
        let worked = match judge {
            Some(judge) => judged(judge, worked, trial).await,
            None => worked,
        };
        let namespaces: Vec<(String, String)> = names.into_iter().zip(uids).collect();
        if turn.workload.scenario != Scenario::Restart {
            return cleared(worked, self.clear(&client, turn.workload, &namespaces).await);
        }
        // Its pods have their finalizers from the harness, and there are thousands of them.
        drop(driver);
        let stopped = stop(subject).await;
        cleared(worked, stopped.and(self.clear_alone(&client, turn.workload, &namespaces).await))
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
            namespace: self.namespaces(turn).join(" "),
            started: jiff::Timestamp::now(),
            kubernetes: self.cluster.spec().version,
            emulated: self.cluster.spec().emulated,
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
        let echo = self.echo(turn.number).await?;
        let unwritten = self.unwritten().await?;
        let mut request_log = self.request_log(observer)?;
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
            let performed = Echo::around(echo.as_ref(), ensemble.perform(deeds));
            let (started, performed) = futures::join!(self.start(turn), performed);
            *subject = Some(started?);
            deeds = performed?;
        } else {
            if subject.is_none() {
                *subject = Some(self.start(turn).await?);
                if self.processes.is_some() {
                    self.proven_to_work(submitter.client, PROBES, turn).await?;
                }
            }
            request_log.silence(START).await?;
            request_log.clear();
            said = self.said(&[]).await;
            looked = self.look().await;
            before = self.meter()?;
            let beside = self.tenants_beside(turn, submitter.namespaces).await?;
            trial.work_began = Some(jiff::Timestamp::now().to_string());
            let mut ensemble = Ensemble { workload, submitter, driver, request_log: &mut request_log };
            let performed = Echo::around(echo.as_ref(), ensemble.perform(deeds)).await;
            // Whatever came of the work: nobody stays, and what they got is kept. It may have been the same that they waited for.
            let left = self.tenants_gone(submitter.client, beside, workload, &mut trial.tenants).await;
            if let Err(Trouble::Undrained { .. }) = &performed {
                self.kept_up(driver, echo.as_ref(), &mut trial.circumstances)?;
            }
            deeds = performed?;
            left?;
        }
        let limit = request_log.silence(DRAIN).await;
        if let Some((before, count)) = before.zip(request_log.count()) {
            self.bill(trial, &before, count)?;
        }
        trial.measured = self.said_since(&said).await;
        if let (Some(earlier), Some(requests), Some(count)) = (looked, &trial.requests, request_log.count()) {
            let now = Look::at(self.cluster).await;
            trial.witnesses = Some(Witnesses::of(requests, count.watches(), &earlier, &now));
        }
        let seen = observer.seen();
        trial.figures.extend(figures::of(workload, &seen, &deeds));
        trial.latencies = figures::latencies(workload, &seen, &deeds);
        trial.series = Series::of(&seen, request_log.count().map(|count| count.moments(began)).as_deref());
        driver.into_iter().for_each(|driver| driver.account(&mut trial.circumstances));
        echo.iter().for_each(|echo| echo.account(&mut trial.circumstances));
        submitted_late(&deeds, &mut trial.circumstances);
        limit?;
        self.without_gaps(unwritten, request_log.count().map_or(0, Count::torn)).await?;
        can_tell(driver, echo.as_ref())?;
        valid(workload, observer, &deeds)?;
        agreed(trial.witnesses.as_ref())?;
        self.in_time(&trial.circumstances)
    }

    /// What components count before the work, where they are processes of ours.
    async fn look(&self) -> Option<Look> {
        match self.processes {
            Some(cluster) => Some(Look::at(cluster).await),
            None => None,
        }
    }

    /// What tells later how busy the machine was with something else.
    fn noise(&self) -> noise::Look {
        let pids = self.processes.map(|cluster| cluster.pids().into_values().collect());
        noise::Look::now(pids.as_ref())
    }

    fn request_log(&self, observer: &Observer) -> Result<RequestLog, Trouble> {
        match self.processes {
            Some(cluster) => RequestLog::open(&cluster.site().audit_log(), self.rate),
            None => Ok(RequestLog::unseen(observer.news())),
        }
    }

    async fn tenants_beside(&self, turn: Turn<'_>, looked_at: &[String]) -> Result<Option<Beside>, Trouble> {
        let Some(tenants) = self.tenants else { return Ok(None) };
        let Turn { workload, arm, number, .. } = turn;
        let visit = Visit {
            workload: &workload.name,
            number,
            looked_at,
            manager: arm.kind.manager(),
            longest: pace::longest(workload),
        };
        tenants.come(self.cluster, visit).await.map(Some)
    }

    async fn start(&self, turn: Turn<'_>) -> Result<Box<dyn RunningSubject>, Trouble> {
        let started = self.cluster.start_subject(&turn.arm.kind).await;
        started.map_err(|error| Trouble::of("start the controller", &error))
    }

    /// A client by that name; in a cluster of the user's one that keeps to the limit which holds there, and repeats what was refused
    /// because the server was busy.
    pub(super) fn client(&self, agent: &str) -> Result<kube::Client, Trouble> {
        match self.cluster.namespace_policy() {
            Some(_) => Ok(self.cluster.client()),
            None => self.cluster.measured_client(agent).map_err(|error| Trouble::of("make a client", &error)),
        }
    }

    /// Where the Jobs of a trial are; in a cluster of the user's under names that are called like those of cases.
    fn namespaces(&self, turn: Turn<'_>) -> Vec<String> {
        let names = turn.namespaces();
        match self.cluster.namespace_policy() {
            Some(_) => names.iter().map(|name| namespace::name(name, 1, self.run)).collect(),
            None => names,
        }
    }

    /// What holds in its namespaces, where the cluster is not ours.
    fn policy(&self, workload: &Workload) -> Option<NamespacePolicy> {
        let pods = u32::try_from(workload.pods_at_once()).unwrap_or(u32::MAX);
        let jobs = u32::try_from(workload.jobs()).unwrap_or(u32::MAX);
        let submitting = installed::gap(workload).saturating_mul(jobs);
        let work = pace::longest(workload).saturating_add(submitting).saturating_add(going(workload));
        Some(self.cluster.namespace_policy()?.holding(pods, work))
    }

    /// What tells how late the observer is, where the cluster is ours: in one of the user's nothing is written but the work.
    async fn echo(&self, trial: u32) -> Result<Option<Echo>, Trouble> {
        if self.processes.is_none() {
            return Ok(None);
        }
        let (writer, observer) = (self.client("jobsworth-echo")?, self.client("jobsworth-observer")?);
        Echo::open(writer, &observer, PROBES, trial).await.map(Some)
    }
}
