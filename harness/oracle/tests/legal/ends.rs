//! How Jobs end in this world, beside what the model of encounters says that is legal (`harness/race_model`).

use super::objects::{Job, JobId};
use jobsworth_race_model::{Encounter, Legal, Order, Outcome, Source};
use std::collections::BTreeSet;

/// What became of the write that would have stored a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Stored,
    Refused,
    Crashed,
}

/// What was seen of one Job.
#[derive(Clone, Debug, Default)]
struct Course {
    /// Sources that were true in the last look that decided.
    seen: BTreeSet<Source>,
    /// The same, of a look whose write came to nothing.
    lost: Option<(BTreeSet<Source>, Fate)>,
    /// The same, of the look whose decision is stored.
    stored: Option<BTreeSet<Source>>,
    /// Sources that came true after that.
    later: BTreeSet<Source>,
}

/// What was seen of all of them.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    courses: Vec<Course>,
}

impl Ends {
    fn course(&mut self, id: JobId) -> &mut Course {
        if self.courses.len() <= id {
            self.courses.resize_with(id + 1, Course::default);
        }
        &mut self.courses[id]
    }

    pub fn looked(&mut self, id: JobId, sources: BTreeSet<Source>) {
        self.course(id).seen = sources;
    }

    pub fn looked_later(&mut self, id: JobId, sources: BTreeSet<Source>) {
        let course = self.course(id);
        if let Some(stored) = &course.stored {
            course.later.extend(sources.difference(stored));
        }
    }

    pub fn written(&mut self, id: JobId, fate: Fate) {
        let course = self.course(id);
        match fate {
            Fate::Stored => course.stored = Some(course.seen.clone()),
            _ => course.lost = Some((course.seen.clone(), fate)),
        }
    }

    /// The encounters that this Job has met, each with what came of it. It is disturbed if somebody besides the controller has
    /// deleted pods of it.
    pub fn met(&self, id: JobId, job: &Job, is_gone: bool, is_disturbed: bool) -> Vec<(Encounter, Outcome)> {
        let (Some(course), Some(outcome)) = (self.courses.get(id), decided(job)) else { return Vec::new() };
        let Some(stored) = &course.stored else { return Vec::new() };
        let mut met = Vec::new();
        let mut meet = |first, second, order, outcome| met.push((Encounter { first, second, order }, outcome));
        if let (&[one, other], None) = (&stored.iter().copied().collect::<Vec<_>>()[..], &course.lost) {
            meet(one, other, Order::Together, outcome);
        }
        if let Some((lost, fate)) = &course.lost
            && let &[first] = &lost.iter().copied().collect::<Vec<_>>()[..]
            && let &[second] = &stored.iter().copied().filter(|it| *it != first).collect::<Vec<_>>()[..]
            && stored.contains(&first)
        {
            meet(first, second, if *fate == Fate::Crashed { Order::Crash } else { Order::Refused }, outcome);
        }
        if let &[first] = &stored.iter().copied().collect::<Vec<_>>()[..] {
            for second in &course.later {
                meet(first, *second, Order::Then, outcome);
            }
            if is_gone && job.deleted.is_some() && job.spec.ttl.is_some() {
                meet(first, Source::TimeToLive, Order::Then, Outcome::Gone);
            } else if is_gone {
                meet(first, Source::Deletion, Order::Then, Outcome::Gone);
            }
        }
        // The model's Jobs are not edited, and their pods are neither stopped by others nor restarted in place. Each of these can bring
        // about what it says that cannot be: a pod that stops is no longer active, so all completions may be reached before it ends and
        // fails; and a limit that is exceeded by restarts is so while the pod runs, which may succeed yet.
        let is_of_the_model = job.generation == 1 && !job.spec.on_failure && !is_disturbed;
        met.retain(|(encounter, _)| is_of_the_model || matches!(encounter.legal(), Legal::OneOf(_)));
        met
    }
}

/// Whether the model has this encounter, and allows what came of it.
pub fn misjudged(encounter: Encounter, outcome: Outcome) -> Option<String> {
    match encounter.legal() {
        Legal::OneOf(legal) if legal.contains(&outcome) => None,
        Legal::OneOf(legal) => {
            let legal: Vec<_> = legal.iter().map(ToString::to_string).collect();
            Some(format!("{encounter}: came to {outcome}, the model has {}", legal.join(" or ")))
        }
        Legal::Impossible(why) => {
            Some(format!("{encounter}: came to {outcome}, the model says that it cannot be: {why}"))
        }
    }
}

fn decided(job: &Job) -> Option<Outcome> {
    let met = job.status.held("SuccessCriteriaMet").map(|condition| Outcome::Complete(condition.reason));
    met.or_else(|| job.status.held("FailureTarget").map(|condition| Outcome::Failed(condition.reason)))
}
