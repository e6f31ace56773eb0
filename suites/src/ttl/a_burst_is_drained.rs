//! Many Jobs whose time is over together.

use crate::words::*;

/// Sixty Jobs that end together all go in time, a Job that comes meanwhile is served, and no event tells of deletions.
pub struct This;

const JOBS: usize = 60;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Scalability",
                says: "expired Jobs go as fast as requests may be sent, and nobody waits for them",
            },
            requirements: &["TTL-021", "TTL-019"],
            needs: Needs { fills_rate_limit: true, gates: &["JobSuccessPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for nth in 0..JOBS {
            scene.submit(counted(0, 1).named(&format!("short-{nth}")).ttl(2)).await?;
        }
        scene.mark("all are asked for").await?;
        scene.submit(counted(1, 1).named("small")).await?;
        scene.pod_of("small").succeeds().await?;
        scene.wait(job_named("small").is_finished()).await?;
        scene.wait(left(0)).await
    }

    fn expects(&self) -> Expectations {
        let asked = passed("all are asked for");
        let small = job_named("small");
        Expectations::from([
            ("they end before they go", eventually(ended())),
            // How fast they go then is the garbage collector's affair.
            ("all are told to go", after(&asked, eventually_within(Duration::from_secs(25), told_to_go()))),
            ("and go", after(&asked, eventually(left(0)))),
            (
                "a small Job is served meanwhile",
                after(&asked, eventually_within(Duration::from_secs(15), small.has(Complete))),
            ),
            ("none fails", never(small.has(Failed))),
            ("no event tells of a deletion", never(told_of_a_deletion())),
        ])
    }
}

fn left(most: usize) -> Predicate {
    Predicate::new(format!("{most} short Jobs are left"), move |world| {
        let is_short = |name: Option<&str>| name.is_some_and(|name| name.starts_with("short-"));
        world.jobs().filter(|job| is_short(job.metadata.name.as_deref())).count() == most
    })
}

fn told_to_go() -> Predicate {
    Predicate::new("every short Job that is left is told to go", |world| {
        let mut jobs =
            world.jobs().filter(|job| job.metadata.name.as_deref().is_some_and(|name| name.starts_with("short-")));
        jobs.all(|job| job.metadata.deletion_timestamp.is_some())
    })
}

fn ended() -> Predicate {
    Predicate::new("a short Job is complete", |world| {
        let jobs =
            world.jobs().filter(|job| job.metadata.name.as_deref().is_some_and(|name| name.starts_with("short-")));
        jobs.filter_map(|job| job.status.as_ref()).any(|status| status.completion_time.is_some())
    })
}

fn told_of_a_deletion() -> Predicate {
    Predicate::of_events("an event about a Job tells of something else than pods and ends", |world| {
        let usual = ["Completed", "SuccessfulCreate", "Suspended", "Resumed"];
        world.notices().iter().any(|one| one.about.starts_with("Job/") && !usual.contains(&one.reason.as_str()))
    })
}
