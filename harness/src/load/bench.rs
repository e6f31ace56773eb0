//! A whole comparison, or one controller alone: one cluster, workloads one after the other, pairs interleaved.

use std::time::Duration;

use crate::cluster::local::LocalCluster;
use crate::cluster::namespace;
use crate::cluster::{Audit, Cluster, ClusterError, ClusterSpec, Progress, Rate};
use crate::error_text::in_full;
use crate::report::host;
use crate::slo::objective::Objective;

use super::arm::{LineUp, Side};
use super::baseline::{self, Baseline};
use super::capacity::Capacity;
use super::comparison::{Comparison, Done, SCHEMA, SliceOf};
use super::course::{Course, Purpose};
use super::goal::Goals;
use super::installed::{Installed, Owner};
use super::lateness::LagLimits;
use super::means::{self, Bringer, Means};
use super::noise::OnNoise;
use super::profile::Profile;
use super::soak::Soak;
use super::tenants::Tenants;
use super::trial::{Judging, PROBES, TrialGround, Turn};
use super::workload::PodsBy;
use super::{Trouble, flow_schema, laps, rate_search};

/// What is done by whom, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is done, in its size.
    pub profiles: Vec<Profile>,
    /// Who does it.
    pub line_up: LineUp,
    /// How many trials of each workload everybody does, if not as many as its profile says.
    pub rounds: Option<u32>,
    /// Decides which of two begins in which block of trials.
    pub seed: u64,
    /// The cluster.
    pub spec: ClusterSpec,
    /// How late those of the harness may be who take part, before a trial is void.
    pub lag_limits: LagLimits,
    /// What becomes of a trial during which the machine was busy with something else.
    pub on_noise: OnNoise,
    /// What components are asked for around each trial.
    pub objectives: Vec<Objective>,
    /// Size of the workloads in percent, for the record: they are scaled already.
    pub scale_percent: u32,
    /// Whether histories are judged while the load flows.
    pub judging: Judging,
    /// What it is done for.
    pub aim: Aim,
    /// What holds where the controller is there already.
    pub installed: Option<Installed>,
    /// Who comes beside every second trial.
    pub tenants: Option<Tenants>,
    /// Which part of a load it is, if it is one of several.
    pub slice: Option<SliceOf>,
}

/// What trials are done for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Aim {
    /// For their figures.
    #[default]
    Trials,
    /// To find the largest pace that each controller holds with the Jobs of the profile.
    LargestRate,
    /// To see for so long what grows.
    Soak(Duration),
}

impl Plan {
    /// A cluster for comparisons: a counting audit log and this bucket.
    #[must_use]
    pub fn spec(base: ClusterSpec, rate: Rate) -> ClusterSpec {
        ClusterSpec { audit: Audit::Counting, rate, nodes: 1, ..base }
    }

    /// How long it will take, in words, where it is not the number of trials that says so.
    #[must_use]
    pub fn outlook(&self) -> Option<String> {
        let controllers = self.line_up.arms().len();
        match self.aim {
            Aim::Trials => None,
            Aim::Soak(asked) => Some(laps::outlook(asked, controllers)),
            Aim::LargestRate => self.profiles.first().and_then(|profile| rate_search::outlook(profile, controllers)),
        }
    }

    /// Whether the cluster is the user's, and with it what nobody here decides.
    #[must_use]
    pub fn is_on_the_users(&self) -> bool {
        self.installed.is_some_and(|installed| installed.owner == Owner::User)
    }

    /// The record of a comparison of which nothing is done yet.
    #[must_use]
    pub fn record(&self) -> Comparison {
        let rate = (!self.is_on_the_users()).then_some(self.spec.rate);
        Comparison {
            schema: SCHEMA.to_owned(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            argv: std::env::args().collect(),
            started: jiff::Timestamp::now().to_string(),
            kubernetes: self.spec.version.to_string(),
            binaries: Vec::new(),
            host: host::fingerprint(),
            arms: self.line_up.arms().into_iter().map(|(side, arm)| (side, arm.name.clone())).collect(),
            rate,
            workers: self.spec.workers,
            installed: self.installed.as_ref().map(Installed::unmeasured),
            slice: self.slice.clone(),
            slices: None,
            scale_percent: self.scale_percent,
            pods: self.installed.map_or_else(|| PodsBy::of(&self.spec), |_| PodsBy::Nodes),
            lag_limit_ms: self.lag_limits.submitter_ms,
            driver_lag_limit_ms: Some(self.lag_limits.driver_ms),
            observer_lag_limit_ms: Some(self.lag_limits.observer_ms),
            on_noise: Some(self.on_noise),
            seed: matches!(self.line_up, LineUp::Compared { .. }).then_some(self.seed),
            tenants: self.tenants.as_ref().map(Tenants::users),
            profiles: self.done(rate),
            server: None,
            baseline: None,
            trials: Vec::new(),
            ratios: Vec::new(),
            control: None,
            largest_rates: None,
            soaks: Vec::new(),
            stopped: None,
        }
    }

    /// What is to be done, by itself and beside tenants.
    fn done(&self, rate: Option<Rate>) -> Vec<Done> {
        let each = self.profiles.iter().map(|profile| Done::of(profile, rate));
        let both = each.flat_map(|done| {
            let beside = self.tenants.as_ref().map(|tenants| done.beside_tenants(tenants.users()));
            [Some(done), beside]
        });
        both.flatten().collect()
    }

    /// Does every trial, unless `stop` says why not. `record` grows trial by trial and `told` hears of each.
    ///
    /// # Errors
    /// When there is no cluster. What goes wrong in a trial makes that trial void.
    pub async fn carry_out(
        &self,
        bringer: Bringer<'_>,
        record: &mut Comparison,
        progress: Progress<'_>,
        told: &(dyn Fn(&Comparison) + Send + Sync),
        stop: impl Future<Output = String>,
    ) -> Result<(), ClusterError> {
        let mut stop = std::pin::pin!(stop);
        let means = tokio::select! {
            means = bringer.provision(&self.spec, progress) => means?,
            why = &mut stop => {
                record.stopped = Some(why);
                return Ok(());
            }
        };
        record.binaries = means.cluster().binaries();
        let stopped = tokio::select! {
            done = self.trials(&means, record, told) => done.err().map(|trouble| trouble.to_string()),
            why = stop => Some(why),
        };
        record.stopped = stopped;
        // One that was stopped is as good as what it has seen.
        record.soaks.iter_mut().for_each(Soak::conclude);
        match means.destroy().await {
            // Trials that were done are none the worse for it; what is left behind is told with them.
            Err(error) if self.installed.is_some() => {
                let whys = record.stopped.take().into_iter().chain([in_full(&error)]);
                record.stopped = Some(whys.collect::<Vec<_>>().join("; "));
                Ok(())
            }
            gone => gone,
        }
    }

    /// What the head is held against; one controller alone is held against nothing.
    fn goals(&self) -> Goals {
        let mut goals = Goals::default();
        let compared = matches!(self.line_up, LineUp::Compared { .. });
        for profile in self.profiles.iter().filter(|_| compared) {
            goals = goals.with(&profile.workload.name, profile.goals.clone());
        }
        goals
    }

    async fn trials(
        &self,
        means: &Means,
        record: &mut Comparison,
        told: &(dyn Fn(&Comparison) + Send + Sync),
    ) -> Result<(), Trouble> {
        let gates = means.gates().await?;
        if let Some(cluster) = means.processes() {
            self.served(cluster, record, told).await?;
        }
        let ground = TrialGround {
            cluster: means.cluster(),
            processes: means.processes(),
            rate: self.spec.rate,
            lag_limits: self.lag_limits,
            on_noise: self.on_noise,
            objectives: &self.objectives,
            gates: &gates,
            judging: self.judging,
            tenants: None,
            run: rand::random(),
        };
        if let (None, Some(first)) = (ground.processes, self.profiles.first()) {
            let (workload, arm, side) = (&first.workload, self.line_up.arm(Side::Head), Side::Head);
            means::shown_to_work(&ground, Turn { workload, arm, side, pair: 0, number: 0 }).await?;
        }
        let goals = (self.aim == Aim::Trials).then(|| self.goals());
        let seed = self.seed;
        let mut course = Course { line_up: &self.line_up, seed, ground, record, told, goals, number: 0 };
        match self.aim {
            Aim::Trials => self.rounds(&mut course).await,
            Aim::LargestRate => rate_search::search(&mut course, &self.profiles).await,
            Aim::Soak(asked) => laps::soak(&mut course, &self.profiles, asked).await,
        }
    }

    /// Makes what trials share, and sees what the API server can do and whoever plays pods: a budget that is too large for one of them
    /// says little about controllers.
    async fn served(
        &self,
        cluster: &LocalCluster,
        record: &mut Comparison,
        told: &(dyn Fn(&Comparison) + Send + Sync),
    ) -> Result<(), Trouble> {
        let client = cluster.client();
        namespace::create(&client, PROBES, None).await.map_err(|error| Trouble::of("make the namespace", &error))?;
        flow_schema::make(&client).await?;
        let measured = (cluster as &dyn Cluster).measured_client("jobsworth-load");
        let measured = measured.map_err(|error| Trouble::of("make a client", &error))?;
        let capacity = Capacity::measure(&measured, PROBES).await?;
        record.server = Some(capacity);
        told(record);
        if let Some(refusal) = capacity.refusal(self.spec.rate) {
            return Err(Trouble::new(refusal));
        }
        let Some(workload) = baseline::largest(&self.profiles) else { return Ok(()) };
        let baseline = Baseline::measure(cluster, workload, self.spec.rate, PROBES).await?;
        record.baseline = Some(baseline);
        told(record);
        baseline.refusal().map_or(Ok(()), |refusal| Err(Trouble::new(refusal)))
    }

    async fn rounds<'a>(&'a self, course: &mut Course<'a>) -> Result<(), Trouble> {
        // The first requests of a server pay for caches and connections; nobody's figures should. That of the user has paid.
        if let Some(first) = self.profiles.first().filter(|_| !self.is_on_the_users()) {
            for side in self.line_up.order(0, self.seed) {
                course.run(&first.workload.clone().scaled(10), 0, side, Purpose::WarmUp).await?;
            }
        }
        for profile in &self.profiles {
            for round in 0..self.rounds.unwrap_or(profile.rounds) {
                for side in self.line_up.order(round, self.seed) {
                    course.run(&profile.workload, round, side, Purpose::Measuring).await?;
                }
                let Some(tenants) = &self.tenants else { continue };
                // As close as can be to the trials that they are held against.
                course.ground.tenants = Some(tenants);
                for side in self.line_up.order(round, self.seed) {
                    course.run(&Tenants::workload(&profile.workload), round, side, Purpose::Measuring).await?;
                }
                course.ground.tenants = None;
            }
        }
        Ok(())
    }
}
