//! What goes together in a load profile, and what its scenario asks for.

use super::{Checker, ProfileText, ScenarioText};
use crate::load::workload::{Cohort, InitialState, Mode, Policy, Workload};

impl Checker<'_> {
    /// Refuses Jobs that are to fail where no pod does.
    pub(super) fn failing(&mut self, written: &ProfileText, workload: &Workload) {
        if written.scenario != ScenarioText::Leader && workload.cohorts.iter().any(Cohort::is_to_fail) {
            let says = "with `pod-failure-policy: fail-job` no pod ever fails in this scenario";
            self.add(&written.mix.referenced, says, "say `scenario: leader`, or another `pod-failure-policy`");
        }
    }

    /// What goes together in each scenario.
    pub(super) fn scenario(&mut self, written: &ProfileText, workload: &Workload) {
        let mix = &written.mix;
        let born = |initial| workload.born(initial) > 0;
        for cohort in &mix.value {
            let Some(initial) = cohort.born.as_ref().filter(|initial| initial.value != InitialState::Submitted) else {
                continue;
            };
            let may_be = match written.scenario {
                ScenarioText::Expiry | ScenarioText::Restart => true,
                ScenarioText::Work => initial.value == InitialState::Finished,
                ScenarioText::Leader | ScenarioText::Suspension => false,
            };
            if !may_be {
                self.add(
                    &initial.referenced,
                    "in this scenario Jobs cannot be there before the controller like this",
                    "say `scenario: expiry` or `scenario: restart`",
                );
            }
        }
        let wrong = match written.scenario {
            ScenarioText::Work => {
                let is_there = !workload.cohorts.is_empty()
                    && workload.cohorts.iter().all(|cohort| cohort.initial != InitialState::Submitted);
                is_there.then_some("in `scenario: work` at least one cohort is submitted")
            }
            ScenarioText::Leader => (workload.jobs() != 1 || workload.cohorts.iter().any(|cohort| !led(cohort)))
                .then_some(
                    "`scenario: leader` is about one Job whose `success-policy` has `indexes: leader`, or whose `pod-failure-policy` is \
                     `fail-job`",
                ),
            ScenarioText::Expiry => {
                let all = workload
                    .cohorts
                    .iter()
                    .all(|cohort| cohort.initial == InitialState::Finished && cohort.ttl_s.is_some());
                (!all).then_some("in `scenario: expiry` each cohort is `born: finished` and has a `ttl`")
            }
            ScenarioText::Suspension => None,
            ScenarioText::Restart => {
                let there = born(InitialState::Finished) || born(InitialState::Running);
                (!there || !born(InitialState::Submitted)).then_some(
                    "`scenario: restart` needs a cohort that is `born: running` or `finished`, and one that is submitted",
                )
            }
        };
        if let Some(says) = wrong {
            self.add(&mix.referenced, says, "change the mix or the scenario");
        }
        let pods = &written.pods;
        let keys = [pods.run_time.as_ref().map(|it| &it.referenced), pods.per_second.as_ref().map(|it| &it.referenced)];
        for at in keys.into_iter().chain([pods.below_index.as_ref().map(|it| &it.referenced)]).flatten() {
            if written.scenario != ScenarioText::Work {
                self.add(
                    at,
                    "in this scenario pods do not succeed by themselves",
                    "say `scenario: work`, or remove the key",
                );
            }
        }
        if let Some(below) = &pods.below_index
            && !workload.cohorts.iter().any(|cohort| ends_below(cohort, below.value))
        {
            let says = format!("with `below-index: {}` no Job would ever end", below.value);
            self.add(
                &below.referenced,
                says,
                "give a Job a `success-policy` that so many indexes can meet, or raise it",
            );
        }
    }
}

fn led(cohort: &Cohort) -> bool {
    let is_indexed = cohort.mode == Mode::Indexed;
    is_indexed && if cohort.is_to_fail() { cohort.policy.is_none() } else { cohort.policy == Some(Policy::leader()) }
}

/// Whether a Job can end although only indexes below this succeed.
fn ends_below(cohort: &Cohort, below: u32) -> bool {
    let met = |policy: &Policy| (0..below).filter(|&index| policy.names(index)).count() >= policy.needed() as usize;
    cohort.completions <= below || cohort.policy.as_ref().is_some_and(met)
}
