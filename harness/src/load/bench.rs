//! A whole comparison: one cluster, workloads one after the other, pairs interleaved.

use crate::cluster::local::{LocalCluster, LocalProvider};
use crate::cluster::namespace;
use crate::cluster::{Audit, Cluster, ClusterError, ClusterSpec, Progress, Rate};
use crate::report::host;

use super::arm::{Arm, Side};
use super::comparison::{Comparison, SCHEMA};
use super::record::Trial;
use super::trial::{PROBES, TrialGround, Turn};
use super::workload::Workload;
use super::{Trouble, ratio, schedule};

/// What is compared, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is done.
    pub workloads: Vec<Workload>,
    /// The arm that is compared with.
    pub base: Arm,
    /// The arm that is compared.
    pub head: Arm,
    /// How many pairs of each workload.
    pub pairs: u32,
    /// The cluster.
    pub spec: ClusterSpec,
    /// How late the pod driver may be (p99, in milliseconds) before a trial is void.
    pub lag_limit_ms: u32,
    /// Size of the workloads in percent, for the record: they are scaled already.
    pub scale_percent: u32,
}

impl Plan {
    fn arm(&self, side: Side) -> &Arm {
        match side {
            Side::Base => &self.base,
            Side::Head => &self.head,
        }
    }

    /// A cluster for comparisons: a counting audit log and this bucket.
    #[must_use]
    pub fn spec(base: ClusterSpec, rate: Rate) -> ClusterSpec {
        ClusterSpec { audit: Audit::Counting, rate, nodes: 1, ..base }
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
            arms: [(Side::Base, self.base.name.to_owned()), (Side::Head, self.head.name.to_owned())].into(),
            rate: self.spec.rate,
            scale_percent: self.scale_percent,
            lag_limit_ms: self.lag_limit_ms,
            trials: Vec::new(),
            ratios: Vec::new(),
            stopped: None,
        }
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
        record.ratios = ratio::all(&record.trials);
        Box::new(cluster).destroy().await
    }

    async fn trials(
        &self,
        cluster: &LocalCluster,
        record: &mut Comparison,
        told: &(dyn Fn(&Comparison) + Send + Sync),
    ) -> Result<(), Trouble> {
        let client = cluster.client();
        namespace::create(&client, PROBES, None).await.map_err(|error| Trouble::of("make the namespace", &error))?;
        let ground = TrialGround { cluster, rate: self.spec.rate, lag_limit_ms: self.lag_limit_ms };
        let mut number = 0;
        let mut run = async |workload: &Workload, pair: u32, side: Side, void: Option<&str>| {
            number += 1;
            let mut trial = ground.trial(Turn { workload, arm: self.arm(side), side, pair, number }).await;
            trial.void = trial.void.or_else(|| void.map(str::to_owned));
            enter(record, trial);
            told(record);
            cluster.unexpected_exit().borrow().clone().map_or(Ok(()), |lost| {
                Err(Trouble::new(format!("{} ended unasked with {}", lost.component, lost.status)))
            })
        };
        if let Some(first) = self.workloads.first() {
            // The first requests of a server pay for caches and connections; nobody's figures should.
            for side in schedule::order(0) {
                run(&first.clone().scaled(10), 0, side, Some("warm-up")).await?;
            }
        }
        for workload in &self.workloads {
            for pair in 0..self.pairs {
                for side in schedule::order(pair) {
                    run(workload, pair, side, None).await?;
                }
            }
        }
        Ok(())
    }
}

fn enter(record: &mut Comparison, trial: Trial) {
    record.trials.push(trial);
    record.ratios = ratio::all(&record.trials);
}
