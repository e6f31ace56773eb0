//! The work of a trial itself, from the first request to the last thing that is waited for.

use std::time::Duration;

use super::Trouble;
use super::driver::Driver;
use super::figures::Deeds;
use super::request_log::RequestLog;
use super::sightings::Sightings;
use super::submit::{Submitter, Suspend};
use super::workload::{Cohort, FATAL, InitialState, Scenario, Workload};
use crate::pod_driver::End;

/// How long the controller may go on making requests after the work is done.
pub const DRAIN: Duration = Duration::from_secs(45);

/// How long a controller is looked at that has nothing to do; one that looks at all Jobs each minute is seen to.
const REST: Duration = Duration::from_secs(60);

/// What takes part in the work.
pub struct Ensemble<'a> {
    /// What is done.
    pub workload: &'a Workload,
    /// Who creates Jobs.
    pub submitter: Submitter<'a>,
    /// Who plays pods, where they do not end by themselves.
    pub driver: Option<&'a Driver>,
    /// Who counts requests.
    pub request_log: &'a mut RequestLog,
}

impl Ensemble<'_> {
    /// Does the work and waits until there is nothing left to wait for. `deeds` says what was done before.
    ///
    /// # Errors
    /// When something does not come within the workload's limit, or a request is refused.
    pub async fn perform(&mut self, deeds: Deeds) -> Result<Deeds, Trouble> {
        match self.workload.scenario {
            Scenario::Work => self.work().await,
            Scenario::Leader => self.leader().await,
            Scenario::Expiry(_) => self.expiry(deeds).await,
            Scenario::Suspension => self.suspension().await,
            Scenario::Restart => self.restart(deeds).await,
        }
    }

    async fn work(&mut self) -> Result<Deeds, Trouble> {
        let deeds = self.submitter.submit(self.workload).await?;
        self.all_ended().await?;
        Ok(deeds)
    }

    async fn leader(&mut self) -> Result<Deeds, Trouble> {
        let deeds = self.submitter.submit(self.workload).await?;
        self.all_running().await?;
        let driver = self.driver.ok_or_else(|| Trouble::new("nobody can let a pod end at a word here"))?;
        let fails = self.workload.cohorts.iter().any(Cohort::is_to_fail);
        driver.finish_first(End::Exited(if fails { FATAL } else { 0 })).await?;
        self.all_ended().await?;
        Ok(deeds)
    }

    async fn expiry(&mut self, deeds: Deeds) -> Result<Deeds, Trouble> {
        if deeds.first_due().is_some_and(|due| self.submitter.observer.now() >= due) {
            return Err(Trouble::new("the controller was not ready before the Jobs expired"));
        }
        let jobs = self.workload.jobs();
        self.until("all expired Jobs deleted", |seen| seen.jobs_stopped() == jobs).await?;
        self.until("all expired Jobs gone", |seen| seen.jobs_gone() == jobs).await?;
        Ok(deeds)
    }

    async fn suspension(&mut self) -> Result<Deeds, Trouble> {
        let mut deeds = self.submitter.submit(self.workload).await?;
        self.all_running().await?;
        let (pods, jobs) = (self.workload.pods_at_once(), self.workload.jobs());
        let observer = self.submitter.observer;
        deeds.suspended = Some(observer.now());
        self.submitter.suspend(self.workload, Suspend::Pause).await?;
        self.until("all pods told to stop", |seen| seen.pods_stopped() == pods).await?;
        let suspended = |seen: &Sightings| seen.jobs.values().filter(|job| job.suspended.is_some()).count() == jobs;
        self.until("all Jobs suspended", suspended).await?;
        self.request_log.silence(DRAIN).await?;
        deeds.resumed = Some(observer.now());
        self.submitter.suspend(self.workload, Suspend::Resume).await?;
        self.until("as many pods running again", |seen| seen.pods_running() == 2 * pods).await?;
        Ok(deeds)
    }

    /// The controller is being started by somebody else, who said when in `deeds`.
    async fn restart(&mut self, deeds: Deeds) -> Result<Deeds, Trouble> {
        let new = self.submitter.submit(self.workload).await?;
        let wanted = self.workload.born(InitialState::Submitted);
        let names = new.submitted.clone();
        self.until("a pod of every new Job", |seen| {
            let with_pods = seen.jobs_with_pods();
            let has = |(uid, job): &(&String, &super::sightings::JobMoments)| {
                names.contains_key(&job.name) && with_pods.contains(uid.as_str())
            };
            seen.jobs.iter().filter(has).count() == wanted
        })
        .await?;
        let last = self.request_log.silence(self.workload.limit).await?;
        let silent = Some(self.submitter.observer.at(last));
        let at_rest = self.request_log.made_within(REST).await?;
        Ok(Deeds { submitted: new.submitted, lags: new.lags, silent, at_rest, ..deeds })
    }

    /// Waits until all pods run, the bucket is full again, and nothing is under way.
    async fn all_running(&mut self) -> Result<(), Trouble> {
        let pods = self.workload.pods_at_once();
        self.until("all pods running", |seen| seen.pods_running() == pods).await?;
        self.request_log.silence(DRAIN).await.map(drop)
    }

    async fn all_ended(&self) -> Result<(), Trouble> {
        let jobs = self.workload.jobs();
        match self.until("all Jobs ended", |seen| seen.jobs_ended() == jobs).await {
            Err(Trouble::Late { limit, .. }) => {
                let left = jobs.saturating_sub(self.submitter.observer.seen().jobs_ended());
                Err(Trouble::Undrained { left, limit })
            }
            waited => waited,
        }
    }

    async fn until(&self, what: &str, holds: impl Fn(&Sightings) -> bool + Send) -> Result<(), Trouble> {
        self.submitter.observer.until(what, self.workload.limit, holds).await
    }
}
