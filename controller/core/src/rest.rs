//! What is left of a sync once its calls have ended.

use jiff::{SignedDuration, Timestamp};

use crate::course::Course;
use crate::reconcile::whole_seconds;
use crate::{Action, Decision, Memory, Outcome, Requeue, Status};

/// The part of a sync that waits for outcomes.
#[derive(Clone, Debug)]
pub struct Rest(pub(crate) Stage);

/// What the outcomes are waited for.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// Adoptions and releases by selector; the pods are looked at in the next sync.
    Claimed { memory: Box<Memory>, batch_period: SignedDuration },
    /// The scaling step.
    Scaled(Box<Course>),
    /// The first status, if it `writes`, and the releases after it.
    Recorded { course: Box<Course>, status: Box<Status>, writes: bool, release: Vec<Action> },
    /// The second status.
    Settled(Box<Course>),
}

impl Rest {
    /// How the sync goes on. `outcomes` has one list per batch of the decision, with one outcome per action in the same
    /// order; calls that were not made are [`Outcome::Skipped`]. `now` is the time at which the outcomes were known.
    #[must_use]
    pub fn after(self, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        let now = whole_seconds(now);
        let later = |mut course: Box<Course>| {
            course.now = course.now.max(now);
            *course
        };
        let first = outcomes.first().map_or(&[] as &[Outcome], Vec::as_slice);
        match self.0 {
            Stage::Claimed { memory, batch_period } => {
                let missed = first.iter().filter(|outcome| !outcome.is_achieved());
                let missed = missed.map(|outcome| Requeue::for_want_of(Some(outcome))).reduce(Requeue::sooner);
                let requeue = missed.unwrap_or(Requeue::After(batch_period));
                Decision { requeue, ..Decision::idle(*memory) }
            }
            Stage::Scaled(course) => later(course).scaled(first),
            Stage::Recorded { course, status, writes, release } => {
                later(course).recorded(*status, writes, &release, outcomes)
            }
            Stage::Settled(course) => later(course).settled(first.first()),
        }
    }
}
