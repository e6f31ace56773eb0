//! A soak: one controller goes on for a long time, over laps of the same work, and is looked at every few seconds.
//!
//! Between laps everything of the last one is cleaned up and its histories are judged, so that what the harness holds depends on the
//! length of a lap and not of the soak. The controller is started once.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use super::arm::Side;
use super::course::Course;
use super::profile::Profile;
use super::room::{Need, Room};
use super::soak::{Sample, Soak};
use super::trial::Turn;
use super::workload::{Cohort, Start, Workload};
use super::{Trouble, audit, procfs, scraped};
use crate::cluster::local::LocalCluster;
use crate::cluster::{Cluster as _, Component, pki};

/// The shortest soak and the longest.
pub const LASTS: [Duration; 2] = [Duration::from_secs(30), Duration::from_secs(23 * 3600)];
/// How long Jobs come in a lap, at most and at least.
const LAP: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(600)];
/// How far samples are apart, where that makes no more than [`MOST_SAMPLES`].
const STEP: Duration = Duration::from_secs(5);
const MOST_SAMPLES: u32 = 720;
/// How far looks at the API server are apart: it counts its objects once a minute, and what it tells is long.
const SERVER_STEP: Duration = Duration::from_secs(30);
/// The least that Jobs of a lap have to end once the last of them has come; profiles whose pods run for long say more with `limit`.
const LEAST_LIMIT: Duration = Duration::from_secs(120);
/// As long as all controllers together may go on: afterwards the certificates of their cluster are not valid. Certificates begin before
/// the cluster does, and a last lap takes longer than was asked for, by as much as [`USUAL_LIMIT`] and its cleaning up.
const CLUSTER_LASTS: Duration = pki::VALIDITY.saturating_sub(Duration::from_secs(50 * 60));
/// As long as Jobs of a last lap may take to end is part of [`CLUSTER_LASTS`]; what is longer comes besides.
const USUAL_LIMIT: Duration = Duration::from_secs(900);
/// Caches and pools fill up for so long, and for no more than a fifth of the soak.
const WARM_UP: Duration = Duration::from_secs(600);

/// Lets each controller do the work of the first profile for so long, one after the other. What is seen is in the record at once.
///
/// # Errors
/// When a component ended, or laps cannot be done.
pub async fn soak(course: &mut Course<'_>, profiles: &[Profile], asked: Duration) -> Result<(), Trouble> {
    let profile = profiles.first().ok_or_else(|| Trouble::new("there is no profile for the soak"))?;
    for side in course.line_up.order(0, course.seed) {
        one(course, profile, side, asked).await?;
    }
    Ok(())
}

/// Refuses what would end in the middle, after a day; Jobs of the last lap may take `limit` to end.
///
/// # Errors
/// With what could be asked for.
pub fn within_its_cluster(asked: Duration, controllers: usize, limit: Duration) -> Result<(), Trouble> {
    let controllers = u32::try_from(controllers).unwrap_or(u32::MAX).max(1);
    let longer = limit.saturating_sub(USUAL_LIMIT);
    if asked.saturating_add(longer).saturating_mul(controllers) <= CLUSTER_LASTS {
        return Ok(());
    }
    let most = (CLUSTER_LASTS / controllers).saturating_sub(longer);
    let hours = |time: Duration| time.as_secs_f64() / 3600.0;
    Err(Trouble::new(format!(
        "a soak of {:.1} h outlives its cluster, whose certificates are valid for a day: ask for {:.1} h at most, for each of \
         {controllers}",
        hours(asked),
        hours(most),
    )))
}

async fn one(course: &mut Course<'_>, profile: &Profile, side: Side, asked: Duration) -> Result<(), Trouble> {
    let cluster = course.ground.processes;
    let cluster =
        cluster.ok_or_else(|| Trouble::new("a soak looks at processes of this machine, and there are none"))?;
    let begun = Instant::now();
    course.record.soaks.push(begin(profile, side, asked));
    let mut subject = None;
    let mut tick = interval(step(asked));
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut lap = 0;
    while let Some(left) = asked.checked_sub(begun.elapsed()).filter(|left| !left.is_zero()) {
        let long = left.clamp(LAP[0], LAP[1]);
        let workload = lap_of(&profile.workload, long);
        course.number += 1;
        let turn = Turn { workload: &workload, arm: course.line_up.arm(side), side, pair: lap, number: course.number };
        let Course { ground, record, .. } = &mut *course;
        let samples = record.soaks.last_mut().map(|soak| &mut soak.samples);
        let samples = samples.ok_or_else(|| Trouble::new("the record has no soak"))?;
        let mut trial = tokio::select! {
            trial = ground.lap(turn, &mut subject) => trial,
            never = look_again(cluster, samples, &mut tick, begun) => match never {},
        };
        // A week has a thousand laps, and the record is written anew after each.
        trial.series = None;
        conclude(course, true);
        let trial = course.enter(trial)?;
        // All of it was counted, and a day of it is gigabytes.
        if let Err(error) = audit::forget(&cluster.site().audit_log()) {
            tracing::warn!(%error, "the audit log keeps the space that it takes");
        }
        // Whatever made it void at once would do so again, thousands of times.
        if let Some(void) = trial.void.filter(|_| trial.took_s < long.as_secs_f64()) {
            return Err(Trouble::new(format!("the soak cannot go on: {void}")));
        }
        lap += 1;
    }
    if let Some(subject) = subject {
        subject.stop().await.map_err(|error| Trouble::of("stop the controller", &error))?;
    }
    conclude(course, false);
    Ok(())
}

fn begin(profile: &Profile, side: Side, asked: Duration) -> Soak {
    Soak {
        side,
        profile: profile.workload.name.clone(),
        asked_s: asked.as_secs_f64(),
        partial: true,
        step_s: step(asked).as_secs_f64(),
        warm_up_s: WARM_UP.min(asked / 5).as_secs_f64(),
        at_most: profile.memory_growth,
        answer: None,
        growth: BTreeMap::new(),
        samples: Vec::new(),
    }
}

fn conclude(course: &mut Course<'_>, partial: bool) {
    if let Some(soak) = course.record.soaks.last_mut() {
        soak.partial = partial;
        soak.conclude();
    }
}

/// How far samples are apart.
fn step(asked: Duration) -> Duration {
    STEP.max(asked / MOST_SAMPLES)
}

/// The work of a lap: Jobs come at the same paces for so long. They have as long to end as in any other trial of the profile.
fn lap_of(of: &Workload, long: Duration) -> Workload {
    let cohorts = of.cohorts.iter().map(|cohort| {
        let mut cohort: Cohort = cohort.clone();
        if let Start::Paced { begin, per_second, .. } = &mut cohort.start {
            *begin = Duration::ZERO;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a pace of 1,000 for minutes")]
            let jobs = (*per_second * long.as_secs_f64()).ceil() as u32;
            cohort.jobs = jobs.max(1);
        }
        cohort
    });
    Workload {
        name: format!("{}-lap", of.name),
        cohorts: cohorts.collect(),
        limit: of.limit.max(LEAST_LIMIT),
        ..of.clone()
    }
}

/// What the longest lap of a soak lacks on the disk, in a sentence, if it lacks something: what is written in one is given back before the
/// next. Of memory nothing is said, as Jobs that come for minutes are not all there at once.
#[must_use]
pub fn missing_in(room: &Room, of: &Workload, asked: Duration) -> Option<String> {
    let lap = lap_of(of, asked.clamp(LAP[0], LAP[1]));
    Need { memory: 0, database: 0, ..Need::of(&lap) }.missing_in(room)
}

/// How long a soak takes, in words, before anything is started.
#[must_use]
pub fn outlook(asked: Duration, controllers: usize) -> String {
    let minutes = asked.as_secs().div_ceil(60);
    let each = step(asked).as_secs();
    format!("a soak of {minutes} min for {controllers} controllers, one after the other, with a sample every {each} s")
}

/// Adds a sample at each tick, for ever.
async fn look_again(
    cluster: &LocalCluster,
    samples: &mut Vec<Sample>,
    tick: &mut Interval,
    begun: Instant,
) -> Infallible {
    let mut asked_server: Option<Instant> = None;
    loop {
        tick.tick().await;
        let is_due = asked_server.is_none_or(|at| at.elapsed() >= SERVER_STEP);
        if is_due {
            asked_server = Some(Instant::now());
        }
        let at_s = begun.elapsed().as_secs_f64();
        if let Some(sample) = look(cluster, at_s, is_due).await {
            samples.push(sample);
        }
    }
}

/// What there is now; nothing while there is no controller.
async fn look(cluster: &LocalCluster, at_s: f64, ask_server: bool) -> Option<Sample> {
    let pid = cluster.pids().get(&Component::Subject).copied()?;
    let (memory_mib, open_files, threads) = (procfs::resident_mib(pid)?, procfs::open_files(pid), procfs::threads(pid));
    let said = cluster.metrics(Component::Subject).await.unwrap_or_default();
    let mut sample = Sample {
        at_s,
        memory_mib: Some(memory_mib),
        open_files: open_files.map(f64::from),
        threads: threads.map(f64::from),
        goroutines: scraped::sum(&said, "go_goroutines", |_| true),
        ..Sample::default()
    };
    if ask_server {
        let said = cluster.metrics(Component::ApiServer).await.unwrap_or_default();
        let bytes = scraped::sum(&said, "apiserver_storage_size_bytes", |_| true);
        sample.database_mib = bytes.map(|bytes| bytes / f64::from(1_u32 << 20));
        // The older name goes away some time; both count the same.
        let names = ["apiserver_resource_objects", "apiserver_storage_objects"];
        sample.objects = names.into_iter().find_map(|name| scraped::sum(&said, name, |_| true));
    }
    Some(sample)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::load::workload::Arrivals;
    use crate::load::{profile, sample};

    #[test]
    fn a_lap_has_every_pace_from_its_beginning() {
        let text = "schema: jobsworth/load-profile/v1\nname: soak\nsays: x\nsoak: {memory-mib-per-hour: 8}\nmix:\n\
            - {name: a, jobs: 1, completions: 3, per-second: 1.5}\n\
            - {name: b, jobs: 1, completions: 2, per-second: 0.5, begin: 60s, mode: NonIndexed}\n";
        let profile = profile::parse(text, "test").expect("it is good");
        assert_eq!(profile.memory_growth, Some(8.0));
        let lap = lap_of(&profile.workload, Duration::from_secs(30));
        assert_eq!((lap.name.as_str(), lap.jobs(), lap.limit.as_secs()), ("soak-lap", 45 + 15, 300));
        let begins = |cohort: &Cohort| matches!(cohort.start, Start::Paced { begin, .. } if begin.is_zero());
        assert!(lap.cohorts.iter().all(begins), "{lap:?}");
    }

    #[rstest]
    #[case::pods_that_run_for_minutes(1800, 1800)]
    #[case::a_limit_that_a_backlog_would_exceed(5, 120)]
    fn jobs_of_a_lap_have_the_time_that_their_profile_gives_them(#[case] limit: u64, #[case] wanted: u64) {
        let workload = Workload { limit: Duration::from_secs(limit), ..sample::workload("small-behind-large") };
        assert_eq!(lap_of(&workload, Duration::from_secs(600)).limit.as_secs(), wanted);
    }

    #[test]
    fn a_lap_that_writes_more_than_there_is_room_for_is_too_much_however_long_the_soak_is() {
        let start = Start::Paced { begin: Duration::ZERO, per_second: 20.0, arrivals: Arrivals::Steady };
        let cohort = Cohort { start, ..sample::cohort("at", 1, 3) };
        let workload = Workload { cohorts: vec![cohort], ..sample::workload("indexed-500") };
        let missing = |gib: u64, seconds: u64| {
            missing_in(&Room { memory: 1 << 20, disk: gib << 30 }, &workload, Duration::from_secs(seconds))
        };
        assert_eq!(missing(16, 30), None);
        assert_eq!(missing(16, 23 * 3600), None, "each lap writes as much as any other");
        let says = missing(1, 23 * 3600).expect("20 Jobs a second for ten minutes write more");
        assert!(says.contains("MiB of space on disk; this machine has 1024 MiB left"), "{says}");
    }

    #[test]
    fn how_long_a_soak_takes_is_told_before() {
        let wanted = "a soak of 60 min for 2 controllers, one after the other, with a sample every 5 s";
        assert_eq!(outlook(Duration::from_secs(3600), 2), wanted);
    }

    #[rstest]
    #[case::one_for_most_of_a_day(23 * 60, 1, 15, None)]
    #[case::two_for_half_of_that(11 * 60 + 30, 2, 15, None)]
    #[case::one_that_is_short_and_whose_jobs_take_long(22 * 60, 1, 75, None)]
    #[case::one_that_is_long_and_whose_jobs_take_long(23 * 60, 1, 75, Some("ask for 22.0 h at most, for each of 1"))]
    #[case::jobs_that_may_take_days(60, 1, 3 * 24 * 60, Some("ask for 0.0 h at most, for each of 1"))]
    #[case::one_for_a_day(24 * 60, 1, 5, Some("a soak of 24.0 h outlives its cluster"))]
    #[case::two_for_a_minute_too_long(11 * 60 + 31, 2, 5, Some("ask for 11.5 h at most, for each of 2"))]
    #[case::a_week(7 * 24 * 60, 1, 5, Some("ask for 23.0 h at most, for each of 1"))]
    fn a_soak_ends_before_its_cluster(
        #[case] minutes: u64,
        #[case] controllers: usize,
        #[case] limit: u64,
        #[case] refusal: Option<&str>,
    ) {
        let [asked, limit] = [minutes, limit].map(|minutes| Duration::from_secs(minutes * 60));
        let told = within_its_cluster(asked, controllers, limit).map_err(|trouble| trouble.to_string());
        match refusal {
            Some(says) => assert!(told.clone().is_err_and(|told| told.contains(says)), "{told:?}"),
            None => assert_eq!(told, Ok(())),
        }
    }

    proptest! {
        #[test]
        fn there_are_few_samples_however_long_it_takes(seconds in LASTS[0].as_secs()..=LASTS[1].as_secs()) {
            let asked = Duration::from_secs(seconds);
            prop_assert!(step(asked) >= STEP);
            prop_assert!(asked.as_secs_f64() / step(asked).as_secs_f64() <= 720.1);
        }
    }
}
