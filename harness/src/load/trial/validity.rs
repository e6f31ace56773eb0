//! Whether a trial counts: what it should show it shows, nothing was broken, and the harness was fast enough.

use jobsworth_oracle::Ending;

use super::TrialGround;
use crate::load::Trouble;
use crate::load::driver::Driver;
use crate::load::echo::Echo;
use crate::load::figures::Deeds;
use crate::load::judge::Judge;
use crate::load::noise::{self, OnNoise};
use crate::load::observer::Observer;
use crate::load::quantile::{quantile, sorted};
use crate::load::record::{Circumstances, Trial};
use crate::load::sightings::JobMoments;
use crate::load::witness::Witnesses;
use crate::load::workload::{Cohort, Workload};

impl TrialGround<'_> {
    /// Whether the harness was fast enough to say something about anybody else.
    pub(super) fn in_time(&self, circumstances: &Circumstances) -> Result<(), Trouble> {
        self.lag_limits.complaint(circumstances).map_or(Ok(()), |why| Err(Trouble::new(why)))
    }

    /// Whether Jobs that have not ended are the controller's alone: nobody of the harness made them wait.
    pub(super) fn kept_up(
        &self,
        driver: Option<&Driver>,
        echo: Option<&Echo>,
        into: &mut Circumstances,
    ) -> Result<(), Trouble> {
        driver.into_iter().for_each(|driver| driver.account(into));
        echo.into_iter().for_each(|echo| echo.account(into));
        can_tell(driver, echo)?;
        self.in_time(into)
    }
}

/// Of a trial whose Jobs had not ended in time, what is left may be in the way of the next one: then it is more than that.
pub(super) fn cleared(worked: Result<(), Trouble>, gone: Result<(), Trouble>) -> Result<(), Trouble> {
    match (worked, gone) {
        (Err(Trouble::Undrained { .. }), Err(gone)) => Err(gone),
        (worked, gone) => worked.and(gone),
    }
}

/// A broken invariant comes before everything else that may be wrong with a trial: it is most likely the reason.
pub(super) async fn judged(judge: Judge, worked: Result<(), Trouble>, trial: &mut Trial) -> Result<(), Trouble> {
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

/// How late Jobs with a deadline were submitted.
pub(super) fn submitted_late(deeds: &Deeds, into: &mut Circumstances) {
    let lags = sorted(&deeds.lags);
    into.submit_lag_p50_ms = quantile(&lags, 0.5);
    into.submit_lag_p99_ms = quantile(&lags, 0.99);
    into.submit_lag_max_ms = quantile(&lags, 1.0);
}

/// Whether those of the harness who take part in the work did what they are there for.
pub(super) fn can_tell(driver: Option<&Driver>, echo: Option<&Echo>) -> Result<(), Trouble> {
    match driver.and_then(Driver::trouble).or_else(|| echo.and_then(Echo::trouble)) {
        Some(trouble) => Err(Trouble::new(trouble)),
        None => Ok(()),
    }
}

/// Makes a trial void during which the machine was busy with something else, or its clock was set. A broken invariant is one on any
/// machine; that Jobs had not ended may be the fault of such a machine, and says nothing then.
pub(super) fn quiet(trial: &mut Trial, on_noise: OnNoise) {
    let Some(why) = noise::complaint(&trial.circumstances, on_noise) else { return };
    if trial.undrained.take().is_some() || trial.void.is_none() {
        trial.void = Some(why);
    }
}

/// Whether those who counted requests agree on how many there were, where they were asked.
pub(super) fn agreed(witnesses: Option<&Witnesses>) -> Result<(), Trouble> {
    witnesses.and_then(Witnesses::complaint).map_or(Ok(()), |why| Err(Trouble::new(why)))
}

/// Whether the trial shows what it should.
pub(super) fn valid(workload: &Workload, observer: &Observer, deeds: &Deeds) -> Result<(), Trouble> {
    let seen = observer.seen();
    let is_to_fail = workload.cohorts.iter().any(Cohort::is_to_fail);
    if let Some(job) = seen.jobs.values().find(|job| job.ended.is_some() && job.failed != is_to_fail) {
        return Err(Trouble::new(format!("a Job {}", if job.failed { "failed" } else { "did not fail" })));
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::it_went_well(None, None, Some("the machine was busy"), None)]
    #[case::its_jobs_had_not_ended(Some("7 Jobs had not ended"), Some(7), Some("the machine was busy"), None)]
    #[case::an_invariant_was_broken(Some("S17 is broken"), None, Some("S17 is broken"), None)]
    fn a_busy_machine_is_no_fault_of_the_controller(
        #[case] void: Option<&str>,
        #[case] undrained: Option<usize>,
        #[case] says: Option<&str>,
        #[case] left: Option<usize>,
    ) {
        let circumstances = Circumstances { other_cpu_percent: Some(50.0), ..Circumstances::default() };
        let trial = Trial { void: void.map(str::to_owned), undrained, circumstances, ..Trial::default() };
        let mut busy = trial.clone();
        quiet(&mut busy, OnNoise::Void);
        assert!(busy.void.as_deref().zip(says).is_some_and(|(void, says)| void.starts_with(says)), "{:?}", busy.void);
        assert_eq!(busy.undrained, left);
        let mut told = trial.clone();
        quiet(&mut told, OnNoise::Tell);
        assert_eq!((told.void, told.undrained), (trial.void, trial.undrained));
    }

    fn undrained() -> Trouble {
        Trouble::Undrained { left: 7, limit: Duration::from_secs(300) }
    }

    #[rstest]
    #[case::all_is_well(Ok(()), Ok(()), None)]
    #[case::jobs_were_left(Err(undrained()), Ok(()), Some("7 Jobs had not ended within 300 s"))]
    #[case::and_are_still_there(Err(undrained()), Err(Trouble::new("it does not go")), Some("it does not go"))]
    #[case::what_broke_first_is_told(
        Err(Trouble::new("it broke")),
        Err(Trouble::new("it does not go")),
        Some("it broke")
    )]
    fn what_is_left_behind_is_told_where_it_is_more_than_unfinished_work(
        #[case] worked: Result<(), Trouble>,
        #[case] gone: Result<(), Trouble>,
        #[case] says: Option<&str>,
    ) {
        let told = cleared(worked, gone).err().map(|trouble| trouble.to_string());
        assert_eq!(told.as_deref(), says);
    }
}
