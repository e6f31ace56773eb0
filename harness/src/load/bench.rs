//! A whole comparison, or one controller alone: one cluster, workloads one after the other, pairs interleaved.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::cluster::local::{LocalCluster, LocalProvider};
use crate::cluster::namespace;
use crate::cluster::{Audit, Cluster, ClusterError, ClusterSpec, Component, Progress, Rate, attest};
use crate::report::host;
use crate::slo::objective::Objective;

use super::arm::LineUp;
use super::capacity::Capacity;
use super::comparison::{Comparison, Done, SCHEMA, WARM_UP};
use super::course::Course;
use super::goal::Goals;
use super::profile::Profile;
use super::soak::Soak;
use super::tenants::Tenants;
use super::trial::{Judging, PROBES, TrialGround};
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
    /// The cluster.
    pub spec: ClusterSpec,
    /// How late the pod driver may be (p99, in milliseconds) before a trial is void.
    pub lag_limit_ms: u32,
    /// What components are asked for around each trial.
    pub objectives: Vec<Objective>,
    /// Size of the workloads in percent, for the record: they are scaled already.
    pub scale_percent: u32,
    /// Whether histories are judged while the load flows.
    pub judging: Judging,
    /// What it is done for.
    pub aim: Aim,
    /// Who comes beside every second trial.
    pub tenants: Option<Tenants>,
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

    /// The record of a comparison of which nothing is done yet.
    #[must_use]
    pub fn record(&self) -> Comparison {
        Comparison {
            schema: SCHEMA.to_owned(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            argv: std::env::args().collect(),
            started: jiff::Timestamp::now().to_string(),
            kubernetes: self.spec.version.to_string(),
            binaries: Vec::new(),
            host: host::fingerprint(),
            arms: self.line_up.arms().into_iter().map(|(side, arm)| (side, arm.name.clone())).collect(),
            rate: self.spec.rate,
            scale_percent: self.scale_percent,
            lag_limit_ms: self.lag_limit_ms,
            tenants: self.tenants.as_ref().map(Tenants::users),
            profiles: self.done(),
            server: None,
            trials: Vec::new(),
            ratios: Vec::new(),
            largest_rates: None,
            soaks: Vec::new(),
            stopped: None,
        }
    }

    /// What is to be done, by itself and beside tenants.
    fn done(&self) -> Vec<Done> {
        let each = self.profiles.iter().map(|profile| Done::of(profile, self.spec.rate));
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
        provider: &LocalProvider,
        record: &mut Comparison,
        progress: Progress<'_>,
        told: &(dyn Fn(&Comparison) + Send + Sync),
        stop: impl Future<Output = String>,
    ) -> Result<(), ClusterError> {
        let name = format!("load-{}", std::process::id());
        let mut stop = std::pin::pin!(stop);
        let cluster = tokio::select! {
            cluster = provider.provision_local(&self.spec, &name, progress) => cluster?,
            why = &mut stop => {
                record.stopped = Some(why);
                return Ok(());
            }
        };
        record.binaries = cluster.binaries();
        let stopped = tokio::select! {
            done = self.trials(&cluster, record, told) => done.err().map(|trouble| trouble.to_string()),
            why = stop => Some(why),
        };
        record.stopped = stopped;
        // One that was stopped is as good as what it has seen.
        record.soaks.iter_mut().for_each(Soak::conclude);
        Box::new(cluster).destroy().await
    }

    fn goals(&self) -> Goals {
        let mut goals = Goals::default();
        for profile in &self.profiles {
            goals = goals.with(&profile.workload.name, profile.goals.clone());
        }
        goals
    }

    async fn trials(
        &self,
        cluster: &LocalCluster,
        record: &mut Comparison,
        told: &(dyn Fn(&Comparison) + Send + Sync),
    ) -> Result<(), Trouble> {
        let client = cluster.client();
        let gates = attested(cluster).await?;
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
        let ground = TrialGround {
            cluster,
            rate: self.spec.rate,
            lag_limit_ms: self.lag_limit_ms,
            objectives: &self.objectives,
            gates: &gates,
            judging: self.judging,
            tenants: None,
        };
        let goals = (self.aim == Aim::Trials).then(|| self.goals());
        let mut course = Course { line_up: &self.line_up, ground, record, told, goals, number: 0 };
        match self.aim {
            Aim::Trials => self.rounds(&mut course).await,
            Aim::LargestRate => rate_search::search(&mut course, &self.profiles).await,
            Aim::Soak(asked) => laps::soak(&mut course, &self.profiles, asked).await,
        }
    }

    async fn rounds<'a>(&'a self, course: &mut Course<'a>) -> Result<(), Trouble> {
        if let Some(first) = self.profiles.first() {
            // The first requests of a server pay for caches and connections; nobody's figures should.
            for side in self.line_up.order(0) {
                course.run(&first.workload.clone().scaled(10), 0, side, Some(WARM_UP)).await?;
            }
        }
        for profile in &self.profiles {
            for round in 0..self.rounds.unwrap_or(profile.rounds) {
                for side in self.line_up.order(round) {
                    course.run(&profile.workload, round, side, None).await?;
                }
                let Some(tenants) = &self.tenants else { continue };
                // As close as can be to the trials that they are held against.
                course.ground.tenants = Some(tenants);
                for side in self.line_up.order(round) {
                    course.run(&Tenants::workload(&profile.workload), round, side, None).await?;
                }
                course.ground.tenants = None;
            }
        }
        Ok(())
    }
}

/// The Job gates as the API server has them; invariants depend on some.
async fn attested(cluster: &LocalCluster) -> Result<BTreeMap<String, bool>, Trouble> {
    let attestation = attest::attest_each(cluster, &[Component::ApiServer], &cluster.spec()).await;
    let attestation = attestation.map_err(|error| Trouble::of("ask the API server what it is", &error))?;
    let doubts: Vec<String> = attestation.doubts().map(ToString::to_string).collect();
    match doubts.as_slice() {
        [] => Ok(attestation.gates()),
        doubts => Err(Trouble::new(format!("the API server is not what was asked for: {}", doubts.join("; ")))),
    }
}
