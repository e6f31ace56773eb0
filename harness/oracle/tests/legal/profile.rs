//! What kind of world a history is of: what is asked of its Job, how late things are heard, what goes wrong.

use super::{
    choice::Choices,
    objects::{FailureRule, Spec, SuccessRule},
};
use std::collections::BTreeSet;

/// How a world is, from its beginning to its end.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// How late the controller's caches may be, in milliseconds.
    pub lag: u64,
    /// So often somebody holds the controller's watches for a while.
    pub holds: u32,
    /// How late the recorder may hear, in milliseconds.
    pub hearing: u32,
    /// How long a request may take each way, in milliseconds.
    pub latency: u32,
    /// Of a hundred requests, so many are refused or lose their answer.
    pub mishaps: u32,
    /// So often the controller may die.
    pub crashes: u32,
    /// So many things people do.
    pub acts: u32,
    /// Whether the controller's requests are recorded.
    pub wired: bool,
    /// Whether people's own requests are not.
    pub shared: bool,
    /// Whether a decision is stored before anything is done about it.
    pub tells_first: bool,
    /// Whether a suspension clears the start.
    pub forgets_start: bool,
    /// Of a hundred ends of pods, so many are failures.
    pub failing: u32,
    /// Of a hundred syncs, so many stop before they have done everything.
    pub halfhearted: u32,
}

impl Profile {
    pub fn draw(chance: &mut Choices) -> Self {
        Self {
            lag: chance.pick(&[0, 0, 150, 800, 2500]),
            holds: chance.pick(&[0, 0, 0, 1, 2]),
            hearing: chance.pick(&[1, 5, 40, 300]),
            latency: chance.pick(&[3, 20, 80, 300]),
            mishaps: chance.pick(&[0, 0, 4, 15]),
            crashes: chance.pick(&[0, 0, 1, 2]),
            acts: chance.pick(&[0, 1, 2, 4, 7]),
            wired: !chance.percent(50),
            shared: chance.percent(25),
            tells_first: !chance.percent(40),
            forgets_start: !chance.percent(40),
            failing: chance.pick(&[0, 20, 50, 85]),
            halfhearted: chance.pick(&[0, 10, 40]),
        }
    }
}

pub fn spec(chance: &mut Choices) -> Spec {
    let indexed = chance.percent(60);
    let mut spec = Spec {
        indexed,
        parallelism: chance.pick(&[1, 2, 3, 4, 0]),
        completions: Some(chance.pick(&[1, 2, 3, 4, 5, 0])),
        backoff_limit: chance.pick(&[6, 0, 1, 2, 3]),
        per_index: None,
        max_failed: None,
        success: Vec::new(),
        failure: Vec::new(),
        replace_failed: chance.percent(35),
        suspend: chance.percent(15),
        deadline: chance.percent(20).then_some(()).map(|()| chance.pick(&[20, 60, 5, 2, 1, 0])),
        ttl: chance.percent(35).then_some(()).map(|()| chance.pick(&[2, 0, 1, 8, 20])),
        on_failure: false,
        managed_by: chance.percent(5).then_some("kubernetes.io/job-controller"),
        edition: 0,
    };
    if chance.percent(25) {
        failure_policy(chance, &mut spec);
    } else if chance.percent(20) {
        spec.on_failure = true;
    }
    if indexed {
        for_indexes(chance, &mut spec);
    } else if chance.percent(25) {
        spec.completions = None;
    }
    spec
}

fn failure_policy(chance: &mut Choices, spec: &mut Spec) {
    let rules = [FailureRule::FailJob, FailureRule::Ignore, FailureRule::IgnoreDisruption, FailureRule::Count];
    spec.failure = rules.into_iter().filter(|_| chance.percent(60)).collect();
    if spec.failure.is_empty() {
        spec.failure.push(FailureRule::FailJob);
    }
    chance.shuffle(&mut spec.failure);
    spec.replace_failed = true;
}

fn for_indexes(chance: &mut Choices, spec: &mut Spec) {
    if !spec.on_failure && chance.percent(40) {
        spec.per_index = Some(chance.pick(&[0, 1, 2]));
        spec.backoff_limit = chance.pick(&[i32::MAX, i32::MAX, 2]);
        if chance.percent(40) {
            spec.max_failed = Some(chance.pick(&[0, 1, 2]).min(spec.completions.unwrap_or(0)));
        }
        if !spec.failure.is_empty() && chance.percent(60) {
            spec.failure.push(FailureRule::FailIndex);
        }
    }
    let completions = u32::try_from(spec.completions.unwrap_or(0)).unwrap_or(0);
    if completions > 0 && chance.percent(40) {
        let rules = 1 + chance.below(2);
        spec.success = (0..rules).map(|_| success_rule(chance, completions)).collect();
    }
}

fn success_rule(chance: &mut Choices, completions: u32) -> SuccessRule {
    let count = |chance: &mut Choices, most: u32| Some(1 + chance.below(most));
    if chance.percent(40) {
        return SuccessRule { indexes: None, count: count(chance, completions) };
    }
    let mut indexes: BTreeSet<u32> = (0..completions).filter(|_| chance.percent(40)).collect();
    if indexes.is_empty() {
        indexes.insert(chance.below(completions));
    }
    let most = u32::try_from(indexes.len()).unwrap_or(1);
    let count = if chance.percent(30) { count(chance, most) } else { None };
    SuccessRule { indexes: Some(indexes), count }
}
