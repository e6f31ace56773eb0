//! The bill of a trial: what its controller and its cluster used, and what components say of themselves.

use std::collections::BTreeMap;
use std::time::Duration;

use super::TrialGround;
use crate::cluster::Component;
use crate::cluster::local::LocalCluster;
use crate::load::audit::Count;
use crate::load::record::Trial;
use crate::load::{Trouble, procfs};
use crate::slo::objective::Scraped;
use crate::slo::scrape::{self, Measured, MeasuredByObjective};

/// What an arm has used so far.
pub(super) struct Meter {
    subject: f64,
    server: f64,
    own: f64,
}

impl TrialGround<'_> {
    /// What components say of themselves, but for those that are not there yet. One that says nothing is not measured.
    pub(super) async fn said(&self, absent: &[Scraped]) -> MeasuredByObjective {
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

    /// What they say of the time since they said this.
    pub(super) async fn said_since(&self, earlier: &MeasuredByObjective) -> MeasuredByObjective {
        let since = |(objective, now): (String, Measured)| {
            let before = earlier.get(&objective).cloned().unwrap_or_default();
            (objective, now.since(&before))
        };
        self.said(&[]).await.into_iter().map(since).collect()
    }

    /// What is used up to now, where it can be seen.
    pub(super) fn meter(&self) -> Result<Option<Meter>, Trouble> {
        let Some(cluster) = self.processes else { return Ok(None) };
        let meter = self.meter_without_subject()?;
        let subject = cpu(cluster, Component::Subject)?;
        Ok(meter.map(|meter| Meter { subject, ..meter }))
    }

    /// The same before the controller is there, which has used nothing yet.
    pub(super) fn meter_without_subject(&self) -> Result<Option<Meter>, Trouble> {
        let Some(cluster) = self.processes else { return Ok(None) };
        let server = cpu(cluster, Component::ApiServer)? + cpu(cluster, Component::Etcd)?;
        let own = procfs::cpu_seconds(std::process::id()).ok_or_else(unknown_use)?;
        Ok(Some(Meter { subject: 0.0, server, own }))
    }

    /// Enters what was used and asked for since `before`; a budget that was not kept makes the trial void, and so does
    /// anybody else who changed Jobs or pods.
    pub(super) fn bill(&self, trial: &mut Trial, before: &Meter, count: &Count) -> Result<(), Trouble> {
        let Some((cluster, after)) = self.processes.zip(self.meter()?) else { return Ok(()) };
        let memory = cluster.pids().get(&Component::Subject).and_then(|&pid| procfs::peak_mib(pid));
        let requests = count.requests();
        trial.circumstances.server_cpu_s = Some(after.server - before.server);
        trial.circumstances.harness_cpu_s = Some(after.own - before.own);
        #[expect(clippy::cast_precision_loss, reason = "thousands of requests")]
        let counts = [
            ("requests", requests.without_events as f64),
            ("events", requests.events as f64),
            ("status-writes", requests.status_writes as f64),
            // A second, over the ten seconds in which there were most.
            ("status-writes-of-a-job", requests.status_writes_of_a_job as f64 / 10.0),
        ];
        let used = [("cpu-s", after.subject - before.subject), ("server-cpu-s", after.server - before.server)];
        let all = counts.into_iter().chain(used).chain(memory.map(|mib| ("memory-mib", mib)));
        trial.figures.extend(all.map(|(name, value)| (name.to_owned(), value)));
        trial.requests = Some(requests);
        trial.overdraft = count.overdraft(self.rate);
        trial.strangers.clone_from(count.strangers());
        let late = Duration::from_millis(self.lag_limits.observer_ms.into());
        let overdrawn = trial.overdraft.as_ref().and_then(|overdraft| overdraft.complaint(self.rate, late));
        overdrawn.or_else(|| disturbed(&trial.strangers)).map_or(Ok(()), |why| Err(Trouble::new(why)))
    }
}

/// Why a trial does not count in which others did so much.
fn disturbed(strangers: &BTreeMap<String, u64>) -> Option<String> {
    let each: Vec<String> = strangers.iter().map(|(who, times)| format!("{who} ({times})")).collect();
    (!each.is_empty())
        .then(|| format!("Jobs or pods were changed by those who have no place in a trial: {}", each.join(", ")))
}

fn cpu(cluster: &LocalCluster, of: Component) -> Result<f64, Trouble> {
    cluster.pids().get(&of).and_then(|&pid| procfs::cpu_seconds(pid)).ok_or_else(unknown_use)
}

fn unknown_use() -> Trouble {
    Trouble::new("the system does not say what processes use")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_disturbed_a_trial_is_named() {
        assert_eq!(disturbed(&BTreeMap::new()), None);
        let why = disturbed(&BTreeMap::from([("somebody patch jobs".to_owned(), 2)])).expect("there was somebody");
        assert!(why.ends_with("no place in a trial: somebody patch jobs (2)"), "{why}");
    }
}
