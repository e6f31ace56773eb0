//! Whether a trial counts: what it should show it shows, nothing was broken, and the harness was fast enough.

use jobsworth_oracle::Ending;

use super::TrialGround;
use crate::load::Trouble;
use crate::load::driver::Driver;
use crate::load::echo::Echo;
use crate::load::figures::Deeds;
use crate::load::judge::Judge;
use crate::load::observer::Observer;
use crate::load::quantile::{quantile, sorted};
use crate::load::record::{Circumstances, Trial};
use crate::load::sightings::JobMoments;
use crate::load::workload::Workload;

impl TrialGround<'_> {
    /// Whether the harness was fast enough to say something about anybody else.
    pub(super) fn in_time(&self, circumstances: &Circumstances) -> Result<(), Trouble> {
        let late = [
            ("the pod driver", circumstances.driver_lag_p99_ms),
            ("the submitter", circumstances.submit_lag_p99_ms),
            ("the observer", circumstances.probe_p99_ms),
        ];
        let limit = f64::from(self.lag_limit_ms);
        match late.into_iter().find_map(|(who, lag)| Some((who, lag.filter(|lag| *lag > limit)?))) {
            Some((who, lag)) => Err(Trouble::new(format!("{who} was late: p99 {lag:.0} ms"))),
            None => Ok(()),
        }
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

/// Whether the trial shows what it should.
pub(super) fn valid(workload: &Workload, observer: &Observer, deeds: &Deeds) -> Result<(), Trouble> {
    let seen = observer.seen();
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
