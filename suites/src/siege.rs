//! Tables of hostile Jobs: each row is a Job that nobody reasonable submits, what is done to it, and what becomes of it.
//!
//! After every row comes a sentinel, an ordinary Job of one pod, that must be served as if the row were not there. The
//! first sentinel runs alone; its time is the usual one.

use crate::{
    bare_pod::BarePod,
    draft::{Draft, counted},
    portrait::portrait,
};
use jobsworth_api::ConditionKind;
use jobsworth_harness::{Scene, Stop, scene::Write};
use jobsworth_oracle::{
    Expectations, Predicate, World,
    property::whenever,
    vocabulary::{
        job_named, last_write, passed,
        pods::{is_stopping, is_terminal, job_name, phase},
    },
};
use serde_json::{Value, json};
use std::time::Duration;

/// The point at which everything has had its time.
const SETTLED: &str = "settled";
/// The sentinel that runs before any row is there.
const ALONE: &str = "sentinel-alone";
/// How long a script waits for a sentinel. One that comes later is not served in its usual time on any machine.
const SENTINEL: Duration = Duration::from_secs(45);
/// How long a script waits for a pod of a row, or for what the row is meanwhile.
const POD: Duration = Duration::from_secs(20);
/// How long all rows together have to become what they become.
const ROWS: Duration = Duration::from_secs(60);
/// For how long they must stay so: the controllers look at a Job again a second after it changed.
const CALM: Duration = Duration::from_secs(2);
/// How often they may be something else again before that.
const LOOKS: u32 = 10;
/// A sentinel may take the controller so many times as long as alone ...
const TIMES: i64 = 3;
/// ... and so many seconds more.
const MORE: i64 = 10;

/// A hostile Job.
#[derive(Clone, Debug)]
pub struct Row {
    name: String,
    job: Value,
    acts: Vec<Act>,
    becomes: Vec<&'static str>,
}

#[derive(Clone, Debug)]
enum Act {
    Patch(Value),
    Status(Value),
    Joined(BarePod),
    PodPatched(Value),
    PodEnds(i32),
    Until(&'static str),
}

/// A row: the name of the Job, which says what is hostile in it, and the Job.
#[must_use]
pub fn row(name: &str, job: Draft) -> Row {
    Row { name: name.to_owned(), job: job.named(name).json(), acts: Vec::new(), becomes: Vec::new() }
}

impl Row {
    /// Then `patch` is merged into the Job.
    #[must_use]
    pub fn then(self, patch: Value) -> Self {
        self.act(Act::Patch(patch))
    }

    /// Then somebody else merges this into its status.
    #[must_use]
    pub fn status(self, status: Value) -> Self {
        self.act(Act::Status(status))
    }

    /// Then this pod joins its pods, as if the controller had made it.
    #[must_use]
    pub fn joined_by(self, pod: BarePod) -> Self {
        self.act(Act::Joined(pod))
    }

    /// Then `patch` is merged into a pod of it.
    #[must_use]
    pub fn pod_patched(self, patch: Value) -> Self {
        self.act(Act::PodPatched(patch))
    }

    /// Then a pod of it exits with this code.
    #[must_use]
    pub fn pod_ends(self, code: i32) -> Self {
        self.act(Act::PodEnds(code))
    }

    /// Then it looks like this, for a while at least.
    #[must_use]
    pub fn until(self, portrait: &'static str) -> Self {
        self.act(Act::Until(portrait))
    }

    /// At the end it looks like this; see [`portrait`].
    #[must_use]
    pub fn becomes(mut self, portrait: &'static str) -> Self {
        self.becomes.push(portrait);
        self
    }

    /// The name of the Job.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether there is an outcome to be held against.
    #[must_use]
    pub fn says_what_it_becomes(&self) -> bool {
        !self.becomes.is_empty()
    }

    fn act(mut self, act: Act) -> Self {
        self.acts.push(act);
        self
    }

    fn has_become(&self) -> Predicate {
        let (name, becomes) = (self.name.clone(), self.becomes.clone());
        let words = format!("{name} is “{}”", becomes.join("” or “"));
        Predicate::new(words, move |world| becomes.contains(&portrait(world, &name).as_str()))
    }

    async fn play(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(self.job.clone()).await?;
        for act in &self.acts {
            // Without a pod nothing can be done to one; the row is then not what it becomes.
            if matches!(act, Act::PodPatched(_) | Act::PodEnds(_))
                && !patiently(scene.wait_up_to(POD, has_live_pod(&self.name)).await)?
            {
                return Ok(());
            }
            match act {
                Act::Patch(patch) => scene.patch(&self.name, patch.clone()).await?,
                Act::Status(status) => scene.must(Write::patch_job_status(&self.name, status.clone())).await?,
                Act::Joined(pod) => {
                    let owner = owner(&scene.world(), &self.name);
                    scene.must(pod.clone().made_for(&owner).create()).await?;
                }
                Act::PodPatched(patch) => scene.pod_of(&self.name).is_patched(patch.clone()).await?,
                Act::PodEnds(0) => scene.pod_of(&self.name).succeeds().await?,
                Act::PodEnds(code) => scene.pod_of(&self.name).fails(*code).await?,
                Act::Until(wanted) => {
                    let (name, wanted) = (self.name.clone(), *wanted);
                    let words = format!("{name} to be “{wanted}”");
                    let there = Predicate::new(words, move |world| portrait(world, &name) == wanted);
                    patiently(scene.wait_up_to(POD, there).await)?;
                }
            }
        }
        Ok(())
    }
}

/// The Job of this name as it is now, as an owner.
fn owner(world: &World, name: &str) -> Value {
    let uid = world.job(name).and_then(|job| job.metadata.uid.clone());
    json!({"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": true})
}

/// Whether what was waited for came; that it did not is for the claims to say.
fn patiently(waited: Result<(), Stop>) -> Result<bool, Stop> {
    match waited {
        Ok(()) => Ok(true),
        Err(Stop::Stalled { .. }) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Plays a table: a sentinel alone, then every row with a sentinel after it, then time for all of them.
///
/// # Errors
/// When the API server refuses what a row asks for.
pub async fn besiege(rows: &[Row], scene: &mut Scene) -> Result<(), Stop> {
    let mut served = sentinel(ALONE, scene).await?;
    for row in rows {
        // Who does not serve one Job any more need not be asked for each of the others.
        if !served {
            break;
        }
        patiently(row.play(scene).await)?;
        served = sentinel(&sentinel_beside(row.name()), scene).await?;
    }
    settle(rows, served, scene).await
}

/// Plays a table in one go, with one sentinel at its end.
///
/// # Errors
/// When the API server refuses what a row asks for.
pub async fn storm(rows: &[Row], scene: &mut Scene) -> Result<(), Stop> {
    let served = sentinel(ALONE, scene).await?;
    for row in rows.iter().filter(|_| served) {
        patiently(row.play(scene).await)?;
    }
    let served = served && sentinel(&sentinel_beside("all"), scene).await?;
    settle(rows, served, scene).await
}

/// A controller that has not seen yet all that it wrote may write once more what it sees: what a row becomes, it stays for a while.
async fn settle(rows: &[Row], served: bool, scene: &mut Scene) -> Result<(), Stop> {
    for _ in 0..LOOKS {
        let are_there = served && patiently(scene.wait_up_to(ROWS, have_become(rows)).await)?;
        if !are_there || !patiently(scene.wait_up_to(CALM, have_become(rows).negated()).await)? {
            break;
        }
    }
    scene.mark(SETTLED).await
}

fn have_become(rows: &[Row]) -> Predicate {
    let each: Vec<Predicate> = rows.iter().map(Row::has_become).collect();
    Predicate::new("every row is what it becomes", move |world| each.iter().all(|one| one.holds(world)))
}

fn sentinel_beside(row: &str) -> String {
    // The name of a Job ends after 63 letters.
    format!("sentinel-{}", row.chars().take(50).collect::<String>().trim_end_matches(['-', '.']))
}

/// Lets an ordinary Job run to its end; whether it came there.
async fn sentinel(name: &str, scene: &mut Scene) -> Result<bool, Stop> {
    scene.submit(counted(1, 1).named(name)).await?;
    if !patiently(scene.wait_up_to(SENTINEL, has_live_pod(name)).await)? {
        return Ok(false);
    }
    scene.pod_of(name).succeeds().await?;
    patiently(scene.wait_up_to(SENTINEL, job_named(name).is_finished()).await)
}

fn has_live_pod(job: &str) -> Predicate {
    let name = job.to_owned();
    Predicate::new(format!("a pod of {job} to be live"), move |world| {
        world.pods().any(|pod| job_name(pod) == Some(&name) && !is_stopping(pod) && !is_terminal(pod))
    })
}

/// How long the controller took for a sentinel: from its creation until its pod was there, and from the end of that pod until the Job
/// was complete, by the clocks of whoever wrote that. Whoever runs the pod in between may be late; that is none of the controller's.
#[must_use]
pub fn time_of(world: &World, sentinel: &str) -> Option<i64> {
    let job = world.job(sentinel)?;
    let conditions = job.status.as_ref()?.conditions.as_ref()?;
    let complete = conditions.iter().find(|c| c.type_ == ConditionKind::Complete.as_str() && c.status == "True")?;
    let end = complete.last_transition_time.as_ref()?.0;
    let pod = world.pods().find(|pod| job_name(pod) == Some(sentinel) && phase(pod) == "Succeeded")?;
    let there = pod.metadata.creation_timestamp.as_ref()?.0;
    let until_there = there.duration_since(job.metadata.creation_timestamp.as_ref()?.0).as_secs();
    // Not `finishedAt`: that is earlier where its writer is late.
    let until_complete = end.duration_since(last_write(&pod.metadata, Some("status"))?).as_secs();
    Some(until_there.max(0).saturating_add(until_complete.max(0)))
}

/// The usual time of a sentinel in this world.
#[must_use]
pub fn usual_time(world: &World) -> Option<i64> {
    time_of(world, ALONE)
}

/// The time of the sentinel beside this row.
#[must_use]
pub fn time_beside(world: &World, row: &str) -> Option<i64> {
    time_of(world, &sentinel_beside(row))
}

/// Whether a sentinel that took so many seconds was served in its usual time by a machine that is so much behind.
fn is_usual(time: i64, usual: i64, behind: Duration) -> bool {
    let behind = i64::try_from(behind.as_secs()).unwrap_or(i64::MAX);
    time <= usual.saturating_mul(TIMES).saturating_add(MORE).saturating_add(behind)
}

fn is_served_beside(row: &str) -> Predicate {
    let name = sentinel_beside(row);
    let words = format!(
        "{name} takes the controller at most {MORE} s more than {TIMES} times the usual time, and what is late"
    );
    Predicate::new(words, move |world| {
        let times = time_of(world, &name).zip(usual_time(world));
        times.is_some_and(|(time, usual)| is_usual(time, usual, world.lag().allowance()))
    })
}

/// Two claims a row: what became of it, and that the sentinel beside it was served in its usual time.
#[must_use]
pub fn withstood(rows: &[Row]) -> Expectations {
    let settled = passed(SETTLED);
    rows.iter().fold(Expectations::new(), |all, row| {
        all.and(row.name(), whenever(&settled, row.has_become())).and(
            format!("beside {} an ordinary Job is served in its usual time", row.name()),
            whenever(&settled, is_served_beside(row.name())),
        )
    })
}

/// Two claims for all rows together.
#[must_use]
pub fn weathered(rows: &[Row]) -> Expectations {
    let settled = passed(SETTLED);
    Expectations::new()
        .and("every row is what it becomes alone", whenever(&settled, have_become(rows)))
        .and("an ordinary Job is served beside all of them", whenever(&settled, is_served_beside("all")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::as_long_as_alone(2, 2, 0, true)]
    #[case::at_the_bound(16, 2, 0, true)]
    #[case::beyond_it(17, 2, 0, false)]
    #[case::on_a_machine_that_is_behind(22, 2, 6, true)]
    #[case::and_later_than_that_explains(23, 2, 6, false)]
    fn what_the_machine_was_late_is_no_fault_of_the_controller(
        #[case] time: i64,
        #[case] usual: i64,
        #[case] behind: u64,
        #[case] is_served: bool,
    ) {
        assert_eq!(is_usual(time, usual, Duration::from_secs(behind)), is_served);
    }
}
