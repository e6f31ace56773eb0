//! What happened over time in a trial: pods by what they were doing, and what was done each second.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::sightings::{PodMoments, Sightings};

/// Steps beyond which time is looked at more coarsely.
const MOST_STEPS: u128 = 400;
/// The finest step.
const FINEST: Duration = Duration::from_millis(250);

/// Numbers over time, one for each step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Series {
    /// How long a step is, in milliseconds.
    pub step_ms: u64,
    /// Pods that were there and did not run yet, at the end of each step.
    pub waiting: Vec<u32>,
    /// Pods that ran.
    pub running: Vec<u32>,
    /// Pods that had ended and were not counted yet: their finalizer was there.
    pub ended: Vec<u32>,
    /// Pods that had been released, and were there or not.
    pub released: Vec<u32>,
    /// Requests of the controller during each step, events left out; empty where they could not be seen.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub requests: Vec<u32>,
}

impl Series {
    /// Of what was seen, and of when requests came, where that is known. Nothing where there was nothing.
    #[must_use]
    pub fn of(seen: &Sightings, requests: Option<&[Duration]>) -> Option<Self> {
        let moments = seen.pods.values().flat_map(|pod| [pod.seen, pod.running, pod.ended, pod.released]);
        let end = moments.flatten().chain(requests.into_iter().flatten().copied()).max()?;
        let step =
            FINEST * u32::try_from((end.as_nanos() / FINEST.as_nanos()).div_ceil(MOST_STEPS).max(1)).unwrap_or(1);
        let steps = usize::try_from(end.as_nanos() / step.as_nanos()).unwrap_or(0) + 1;
        let place = |at: Duration| usize::try_from(at.as_nanos() / step.as_nanos()).unwrap_or(0);
        let mut changes: [Vec<i64>; 4] = std::array::from_fn(|_| vec![0; steps]);
        for pod in seen.pods.values() {
            for (state, (from, to)) in stays(pod).into_iter().enumerate() {
                // A state that begins and ends in one step was not there at the end of it.
                if let Some(from) = from.map(place) {
                    changes[state][from] += 1;
                    if let Some(to) = to.map(place) {
                        changes[state][to.max(from)] -= 1;
                    }
                }
            }
        }
        let [waiting, running, ended, released] = changes.map(|changes| summed(&changes));
        let requests = requests.map_or_else(Vec::new, |requests| {
            let mut each = vec![0_u32; steps];
            requests.iter().for_each(|&at| each[place(at)] += 1);
            each
        });
        let step_ms = u64::try_from(step.as_millis()).unwrap_or(u64::MAX);
        Some(Self { step_ms, waiting, running, ended, released, requests })
    }

    /// Seconds at the end of a step.
    #[must_use]
    pub fn seconds(&self, step: usize) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "hundreds of steps")]
        let steps = (step + 1) as f64;
        #[expect(clippy::cast_precision_loss, reason = "hours in milliseconds")]
        let each = self.step_ms as f64 / 1000.0;
        steps * each
    }
}

/// From when to when a pod waited, ran, had ended, was released. What was not seen was skipped.
fn stays(pod: &PodMoments) -> [(Option<Duration>, Option<Duration>); 4] {
    let released = pod.released;
    let ended = pod.ended.filter(|ended| released.is_none_or(|released| released > *ended));
    // Who is let go before it ends is counted as let go.
    let after_running = [pod.ended, released].into_iter().flatten().min();
    let after_waiting = [pod.running, after_running].into_iter().flatten().min();
    [(pod.seen, after_waiting), (pod.running, after_running), (ended, released), (released, None)]
}

fn summed(changes: &[i64]) -> Vec<u32> {
    let sums = changes.iter().scan(0_i64, |sum, change| {
        *sum += change;
        Some(u32::try_from(*sum).unwrap_or(0))
    });
    sums.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ms(ms: u64) -> Option<Duration> {
        Some(Duration::from_millis(ms))
    }

    fn sightings(pods: &[[Option<Duration>; 4]]) -> Sightings {
        let mut all = Sightings::default();
        for (number, &[seen, running, ended, released]) in pods.iter().enumerate() {
            let moments = PodMoments { seen, running, ended, released, ..PodMoments::default() };
            all.pods.insert(number.to_string(), moments);
        }
        all
    }

    #[test]
    fn pods_go_from_state_to_state() {
        let seen = sightings(&[
            [ms(0), ms(300), ms(600), ms(900)],
            [ms(100), None, ms(700), ms(800)],
            [ms(260), None, None, None],
        ]);
        let requests = [10, 20, 990].map(Duration::from_millis);
        let series = Series::of(&seen, Some(&requests)).expect("there were pods");
        assert_eq!((series.step_ms, series.waiting.as_slice()), (250, [2, 2, 1, 1].as_slice()));
        assert_eq!(
            (series.running.as_slice(), series.ended.as_slice()),
            ([0, 1, 0, 0].as_slice(), [0, 0, 2, 0].as_slice())
        );
        assert_eq!(
            (series.released.as_slice(), series.requests.as_slice()),
            ([0, 0, 0, 2].as_slice(), [2, 0, 0, 1].as_slice())
        );
    }

    #[test]
    fn nothing_has_no_series() {
        assert_eq!(Series::of(&Sightings::default(), Some(&[])), None);
    }

    #[test]
    fn requests_that_nobody_saw_are_not_there_and_not_zero() {
        let seen = sightings(&[[ms(0), ms(300), ms(600), ms(900)]]);
        let series = Series::of(&seen, None).expect("there was a pod");
        assert!(series.requests.is_empty() && series.waiting.len() == 4, "{series:?}");
        let text = serde_json::to_string(&series).expect("it can be written");
        assert!(!text.contains("requests"), "{text}");
    }

    proptest! {
        #[test]
        fn no_pod_is_in_two_states_and_there_are_few_steps(
            pods in prop::collection::vec((0_u64..400_000, prop::collection::vec(0_u64..60_000, 3)), 1..60),
            requests in prop::collection::vec(0_u64..500_000, 0..60),
        ) {
            let all: Vec<[Option<Duration>; 4]> = pods.iter().map(|(seen, later)| {
                let [a, b, c] = [later[0], later[1], later[2]];
                [ms(*seen), ms(seen + a), ms(seen + a + b), ms(seen + a + b + c)]
            }).collect();
            let requests: Vec<Duration> = requests.into_iter().map(Duration::from_millis).collect();
            let series = Series::of(&sightings(&all), Some(&requests)).expect("there are pods");
            prop_assert!(series.waiting.len() <= 402);
            for step in 0..series.waiting.len() {
                let sum = series.waiting[step] + series.running[step] + series.ended[step] + series.released[step];
                let end = Duration::from_millis(series.step_ms) * u32::try_from(step + 1).expect("few steps");
                let there = all.iter().filter(|pod| pod[0].is_some_and(|seen| seen < end)).count();
                prop_assert_eq!(sum as usize, there);
            }
            prop_assert_eq!(series.requests.iter().sum::<u32>() as usize, requests.len());
        }
    }
}
