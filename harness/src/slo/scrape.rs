//! What a component says of itself, as far as objectives ask for it.

use std::collections::BTreeMap;

use prometheus_parse::{Scrape, Value};
use serde::{Deserialize, Serialize};

use super::histogram::Histogram;
use super::objective::{Measure, Objective, Scraped};

/// What was measured for an objective.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Measured {
    /// All values.
    pub values: Histogram,
    /// How many of them are in the part that the objective limits, where it limits one.
    pub part: u64,
}

/// By id of the objective.
pub type MeasuredByObjective = BTreeMap<String, Measured>;

impl Measured {
    /// What came between an earlier look and this one.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let restarted = earlier.values.count > self.values.count;
        let before = if restarted { 0 } else { earlier.part };
        Self { values: self.values.since(&earlier.values), part: self.part.saturating_sub(before) }
    }

    /// Both together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self { values: self.values.and(&other.values), part: self.part + other.part }
    }
}

/// Adds what one component has measured to what others have.
pub fn add(all: &mut MeasuredByObjective, more: &MeasuredByObjective) {
    for (id, measured) in more {
        let sum = all.get(id).map_or_else(|| measured.clone(), |before| before.and(measured));
        all.insert(id.clone(), sum);
    }
}

/// Which components objectives ask for.
#[must_use]
pub fn asked(objectives: &[Objective]) -> Vec<Scraped> {
    let mut asked: Vec<Scraped> = objectives.iter().filter_map(|one| Some(metric(one)?.0)).collect();
    asked.sort_unstable();
    asked.dedup();
    asked
}

/// Reads the text of a component's `/metrics`. An objective whose metric it does not have is left out.
#[must_use]
pub fn read(text: &str, of: Scraped, objectives: &[Objective]) -> MeasuredByObjective {
    let Ok(scrape) = Scrape::parse(text.lines().map(|line| Ok(line.to_owned()))) else {
        return MeasuredByObjective::new();
    };
    let mut all = MeasuredByObjective::new();
    for objective in objectives {
        let Some((_, metric)) = metric(objective).filter(|(component, _)| *component == of) else { continue };
        for sample in scrape.samples.iter().filter(|sample| sample.metric == metric) {
            let Value::Histogram(buckets) = &sample.value else { continue };
            let has = |labels: &BTreeMap<String, Vec<String>>| {
                let one = |(name, values): (&String, &Vec<String>)| {
                    sample.labels.get(name).is_some_and(|value| values.iter().any(|wanted| wanted == value))
                };
                labels.iter().all(one)
            };
            if matches!(&objective.measure, Measure::Histogram(series) if !has(&series.labels)) {
                continue;
            }
            let measured = all.entry(objective.id.clone()).or_default();
            let mut count = 0;
            for bucket in buckets {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a count that was written as a number"
                )]
                let cumulative = bucket.count as u64;
                if bucket.less_than.is_finite() {
                    measured.values.add(bucket.less_than, cumulative);
                }
                count = count.max(cumulative);
            }
            measured.values.count += count;
            if matches!(&objective.measure, Measure::Share(part) if has(&part.labels)) {
                measured.part += count;
            }
        }
    }
    all
}

fn metric(objective: &Objective) -> Option<(Scraped, &str)> {
    match &objective.measure {
        Measure::Histogram(series) => Some((series.component, &series.metric)),
        Measure::Share(part) => Some((part.component, &part.metric)),
        Measure::Quantiles(quantiles) => Some((quantiles.component, &quantiles.metric)),
        Measure::Latency(_) | Measure::Figure(_) | Measure::Between(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slo::objective;

    const TEXT: &str = "\
# HELP sync How long.
# TYPE sync histogram
sync_bucket{result=\"success\",le=\"1\"} 5
sync_bucket{result=\"success\",le=\"2\"} 9
sync_bucket{result=\"success\",le=\"+Inf\"} 10
sync_sum{result=\"success\"} 12
sync_count{result=\"success\"} 10
sync_bucket{result=\"error\",le=\"1\"} 1
sync_bucket{result=\"error\",le=\"2\"} 1
sync_bucket{result=\"error\",le=\"+Inf\"} 2
sync_sum{result=\"error\"} 9
sync_count{result=\"error\"} 2
";

    fn objectives() -> Vec<Objective> {
        let text = "schema: jobsworth/objectives/v1\nobjectives:\n\
            - {id: all, says: a, source: K, section: s, measure: {histogram: {component: controller, metric: sync, share: 0.9, within-s: 2}}}\n\
            - {id: good, says: a, source: K, section: s, measure: {histogram: {component: controller, metric: sync, labels: {result: [success]}, share: 0.9, within-s: 2}}}\n\
            - {id: bad, says: a, source: K, section: s, measure: {share: {component: controller, metric: sync, labels: {result: [error]}, at-most: 0.01}}}\n\
            - {id: other, says: a, source: K, section: s, measure: {histogram: {component: controller, metric: none, share: 0.9, within-s: 2}}}\n\
            - {id: server, says: a, source: K, section: s, measure: {histogram: {component: api-server, metric: sync, share: 0.9, within-s: 2}}}\n";
        objective::parse(text, "test").expect("it is good")
    }

    #[test]
    fn series_are_summed_by_the_labels_that_an_objective_names() {
        let read = read(TEXT, Scraped::Controller, &objectives());
        assert_eq!(read["all"].values, Histogram { buckets: vec![(1.0, 6), (2.0, 10)], count: 12 });
        assert_eq!(read["good"].values, Histogram { buckets: vec![(1.0, 5), (2.0, 9)], count: 10 });
        assert_eq!((read["bad"].values.count, read["bad"].part), (12, 2));
    }

    #[test]
    fn what_a_component_does_not_have_is_not_measured() {
        let read = read(TEXT, Scraped::Controller, &objectives());
        assert!(!read.contains_key("other") && !read.contains_key("server"), "{read:?}");
        assert_eq!(asked(&objectives()), [Scraped::Controller, Scraped::ApiServer]);
    }

    #[test]
    fn what_two_clusters_measured_is_added_bucket_by_bucket() {
        let of = |text: &str| read(text, Scraped::Controller, &objectives());
        let mut all = of(TEXT);
        add(&mut all, &of(TEXT));
        assert_eq!(all["all"].values, Histogram { buckets: vec![(1.0, 12), (2.0, 20)], count: 24 });
        assert_eq!((all["bad"].values.count, all["bad"].part), (24, 4));
        add(&mut all, &MeasuredByObjective::new());
        let mut none = MeasuredByObjective::new();
        add(&mut none, &all);
        assert_eq!(none, all, "whoever says nothing changes nothing");
    }

    #[test]
    fn a_restart_in_between_counts_from_zero() {
        let of = |count, part| Measured { values: Histogram { buckets: Vec::new(), count }, part };
        assert_eq!(of(12, 5).since(&of(10, 4)), of(2, 1));
        assert_eq!(of(3, 1).since(&of(10, 4)), of(3, 1));
    }
}
