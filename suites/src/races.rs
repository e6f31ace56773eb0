//! Two reasons for a Job to end, in every order that a script can bring about: one line of the table is one case. What may come
//! of it is said by the model (`harness/race_model`), and by nobody else.

mod claims;
mod job;
mod script;

use crate::words::*;
use jobsworth_harness::Share;
use jobsworth_race_model::{Encounter, Order, Source as Reason};

/// One encounter, as a case.
#[derive(Debug)]
pub struct Race {
    id: &'static str,
    encounter: Encounter,
}

impl Race {
    /// Who meets whom, and how.
    #[must_use]
    pub const fn encounter(&self) -> Encounter {
        self.encounter
    }
}

/// Makes the table of cases: a name, the first reason, the order, the second reason.
macro_rules! races {
    ($($name:literal: $first:ident $order:ident $second:ident,)*) => {
        /// The encounters that are judged by cases of this suite.
        pub const RACES: &[&Race] = &[$(&Race {
            id: concat!("races/", $name),
            encounter: Encounter { first: Reason::$first, second: Reason::$second, order: Order::$order },
        },)*];

        /// The cases of this suite, in the order of the catalogue.
        pub const CASES: &[&dyn AnyCase] = &[$(&Race {
            id: concat!("races/", $name),
            encounter: Encounter { first: Reason::$first, second: Reason::$second, order: Order::$order },
        },)*];
    };
}

races! {
    "fail-job-rule-with-backoff-limit": FailJob Together BackoffLimit,
    "fail-job-rule-with-deadline": FailJob Together Deadline,
    "fail-job-rule-with-failed-index-limit": FailJob Together MaxFailedIndexes,
    "fail-job-rule-with-suspension": FailJob Together Suspend,
    "backoff-limit-with-deadline": BackoffLimit Together Deadline,
    "backoff-limit-with-suspension": BackoffLimit Together Suspend,
    "deadline-with-failed-index-limit": Deadline Together MaxFailedIndexes,
    "deadline-with-suspension": Deadline Together Suspend,
    "failed-index-limit-with-suspension": MaxFailedIndexes Together Suspend,
    "success-rule-with-suspension": SuccessRule Together Suspend,
    "fail-job-rule-then-backoff-limit": FailJob Then BackoffLimit,
    "fail-job-rule-then-deadline": FailJob Then Deadline,
    "fail-job-rule-then-failed-index-limit": FailJob Then MaxFailedIndexes,
    "fail-job-rule-then-success-rule": FailJob Then SuccessRule,
    "fail-job-rule-then-suspension": FailJob Then Suspend,
    "backoff-limit-then-fail-job-rule": BackoffLimit Then FailJob,
    "backoff-limit-then-deadline": BackoffLimit Then Deadline,
    "backoff-limit-then-success-rule": BackoffLimit Then SuccessRule,
    "backoff-limit-then-suspension": BackoffLimit Then Suspend,
    "deadline-then-fail-job-rule": Deadline Then FailJob,
    "deadline-then-backoff-limit": Deadline Then BackoffLimit,
    "deadline-then-failed-index-limit": Deadline Then MaxFailedIndexes,
    "deadline-then-success-rule": Deadline Then SuccessRule,
    "deadline-then-suspension": Deadline Then Suspend,
    "failed-index-limit-then-fail-job-rule": MaxFailedIndexes Then FailJob,
    "failed-index-limit-then-deadline": MaxFailedIndexes Then Deadline,
    "failed-index-limit-then-success-rule": MaxFailedIndexes Then SuccessRule,
    "failed-index-limit-then-suspension": MaxFailedIndexes Then Suspend,
    "success-rule-then-fail-job-rule": SuccessRule Then FailJob,
    "success-rule-then-backoff-limit": SuccessRule Then BackoffLimit,
    "success-rule-then-deadline": SuccessRule Then Deadline,
    "success-rule-then-failed-index-limit": SuccessRule Then MaxFailedIndexes,
    "success-rule-then-suspension": SuccessRule Then Suspend,
    "suspension-then-deadline": Suspend Then Deadline,
    "fail-job-rule-refused-then-backoff-limit": FailJob Refused BackoffLimit,
    "fail-job-rule-refused-then-deadline": FailJob Refused Deadline,
    "fail-job-rule-refused-then-failed-index-limit": FailJob Refused MaxFailedIndexes,
    "fail-job-rule-refused-then-success-rule": FailJob Refused SuccessRule,
    "fail-job-rule-refused-then-suspension": FailJob Refused Suspend,
    "backoff-limit-refused-then-fail-job-rule": BackoffLimit Refused FailJob,
    "backoff-limit-refused-then-deadline": BackoffLimit Refused Deadline,
    "backoff-limit-refused-then-success-rule": BackoffLimit Refused SuccessRule,
    "backoff-limit-refused-then-suspension": BackoffLimit Refused Suspend,
    "deadline-refused-then-fail-job-rule": Deadline Refused FailJob,
    "deadline-refused-then-backoff-limit": Deadline Refused BackoffLimit,
    "deadline-refused-then-failed-index-limit": Deadline Refused MaxFailedIndexes,
    "deadline-refused-then-success-rule": Deadline Refused SuccessRule,
    "deadline-refused-then-suspension": Deadline Refused Suspend,
    "failed-index-limit-refused-then-fail-job-rule": MaxFailedIndexes Refused FailJob,
    "failed-index-limit-refused-then-deadline": MaxFailedIndexes Refused Deadline,
    "failed-index-limit-refused-then-success-rule": MaxFailedIndexes Refused SuccessRule,
    "failed-index-limit-refused-then-suspension": MaxFailedIndexes Refused Suspend,
    "success-rule-refused-then-fail-job-rule": SuccessRule Refused FailJob,
    "success-rule-refused-then-backoff-limit": SuccessRule Refused BackoffLimit,
    "success-rule-refused-then-deadline": SuccessRule Refused Deadline,
    "success-rule-refused-then-failed-index-limit": SuccessRule Refused MaxFailedIndexes,
    "success-rule-refused-then-suspension": SuccessRule Refused Suspend,
    "suspension-refused-then-fail-job-rule": Suspend Refused FailJob,
    "suspension-refused-then-backoff-limit": Suspend Refused BackoffLimit,
    "suspension-refused-then-deadline": Suspend Refused Deadline,
    "suspension-refused-then-failed-index-limit": Suspend Refused MaxFailedIndexes,
    "suspension-refused-then-success-rule": Suspend Refused SuccessRule,
    "fail-job-rule-crashed-then-backoff-limit": FailJob Crash BackoffLimit,
    "fail-job-rule-crashed-then-deadline": FailJob Crash Deadline,
    "fail-job-rule-crashed-then-failed-index-limit": FailJob Crash MaxFailedIndexes,
    "fail-job-rule-crashed-then-success-rule": FailJob Crash SuccessRule,
    "fail-job-rule-crashed-then-suspension": FailJob Crash Suspend,
    "backoff-limit-crashed-then-fail-job-rule": BackoffLimit Crash FailJob,
    "backoff-limit-crashed-then-deadline": BackoffLimit Crash Deadline,
    "backoff-limit-crashed-then-success-rule": BackoffLimit Crash SuccessRule,
    "backoff-limit-crashed-then-suspension": BackoffLimit Crash Suspend,
    "deadline-crashed-then-fail-job-rule": Deadline Crash FailJob,
    "deadline-crashed-then-backoff-limit": Deadline Crash BackoffLimit,
    "deadline-crashed-then-failed-index-limit": Deadline Crash MaxFailedIndexes,
    "deadline-crashed-then-success-rule": Deadline Crash SuccessRule,
    "deadline-crashed-then-suspension": Deadline Crash Suspend,
    "failed-index-limit-crashed-then-fail-job-rule": MaxFailedIndexes Crash FailJob,
    "failed-index-limit-crashed-then-deadline": MaxFailedIndexes Crash Deadline,
    "failed-index-limit-crashed-then-success-rule": MaxFailedIndexes Crash SuccessRule,
    "failed-index-limit-crashed-then-suspension": MaxFailedIndexes Crash Suspend,
    "success-rule-crashed-then-fail-job-rule": SuccessRule Crash FailJob,
    "success-rule-crashed-then-backoff-limit": SuccessRule Crash BackoffLimit,
    "success-rule-crashed-then-deadline": SuccessRule Crash Deadline,
    "success-rule-crashed-then-failed-index-limit": SuccessRule Crash MaxFailedIndexes,
    "success-rule-crashed-then-suspension": SuccessRule Crash Suspend,
    "suspension-crashed-then-fail-job-rule": Suspend Crash FailJob,
    "suspension-crashed-then-backoff-limit": Suspend Crash BackoffLimit,
    "suspension-crashed-then-deadline": Suspend Crash Deadline,
    "suspension-crashed-then-failed-index-limit": Suspend Crash MaxFailedIndexes,
    "suspension-crashed-then-success-rule": Suspend Crash SuccessRule,
}

/// Encounters that cases of other suites judge.
pub const ELSEWHERE: &[(Encounter, &str)] = &[
    (together(Reason::FailJob, Reason::SuccessRule), "success-policy/fail-job-rule-beats-success"),
    (together(Reason::BackoffLimit, Reason::SuccessRule), "success-policy/backoff-limit-beats-success"),
    (together(Reason::Deadline, Reason::SuccessRule), "success-policy/deadline-beats-success"),
    (together(Reason::MaxFailedIndexes, Reason::SuccessRule), "success-policy/failed-indexes-beat-success"),
    (together(Reason::BackoffLimit, Reason::MaxFailedIndexes), "index-backoff/the-whole-jobs-limit-comes-first"),
    (together(Reason::SuccessRule, Reason::AllIndexes), "success-policy/all-indexes-still-mean-the-policy"),
];

/// Every encounter that a case judges, with its id.
#[must_use]
pub fn judged() -> Vec<(Encounter, &'static str)> {
    RACES.iter().map(|race| (race.encounter, race.id)).chain(ELSEWHERE.iter().copied()).collect()
}

const fn together(first: Reason, second: Reason) -> Encounter {
    Encounter { first, second, order: Order::Together }
}

impl Case for Race {
    fn about(&self) -> About {
        let (says, requirements) = said(self.encounter.order);
        About {
            id: self.id,
            claim: Claim { source: Source::JobController, section: "order of decisions", says },
            requirements,
            needs: self.needs(),
        }
    }

    fn share(&self) -> Share {
        // A few of each order; the others are of the plan `races`.
        match (self.encounter.order, self.encounter.first, self.encounter.second) {
            (Order::Then | Order::Refused, Reason::SuccessRule | Reason::Suspend, _) => Share::Usual,
            (Order::Together, Reason::Deadline | Reason::FailJob, Reason::Suspend) => Share::Usual,
            (Order::Crash, Reason::SuccessRule, Reason::BackoffLimit | Reason::Suspend) => Share::Usual,
            _ => Share::OnRequest,
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        script::play(scene, self.encounter).await
    }

    fn expects(&self) -> Expectations {
        claims::of(self.encounter)
    }
}

impl Race {
    fn needs(&self) -> Needs {
        let Encounter { first, second, order } = self.encounter;
        let has = |reason: Reason| first == reason || second == reason;
        let gates: &'static [&'static str] = match (has(Reason::SuccessRule), has(Reason::MaxFailedIndexes)) {
            (true, true) => &["JobSuccessPolicy", "JobBackoffLimitPerIndex"],
            (true, false) => &["JobSuccessPolicy"],
            (false, true) => &["JobBackoffLimitPerIndex"],
            (false, false) => &[],
        };
        Needs {
            gates,
            one_gate_of: DELAYED_END,
            restarts_subject: matches!(order, Order::Together | Order::Crash),
            refuses_writes: matches!(order, Order::Crash | Order::Refused),
            ..Needs::default()
        }
    }
}

/// What is claimed of an order, and which requirements say so.
const fn said(order: Order) -> (&'static str, &'static [&'static str]) {
    match order {
        Order::Together => ("one look that finds two reasons decides by precedence", &["STA-001", "DLN-005"]),
        Order::Then => ("what is declared stays, whatever comes after it", &["STA-002", "STA-003", "DLN-008"]),
        Order::Crash => ("what was not stored is decided anew, by precedence", &["SYN-026", "STA-001"]),
        Order::Refused => {
            ("what could not be stored comes to what it was, or to what has precedence", &["SUC-023", "STA-001"])
        }
        Order::Late => ("what is heard late changes nothing that was declared", &["STA-002"]),
    }
}

#[cfg(test)]
mod tests {
    use super::{RACES, judged};
    use crate::CATALOGUE;
    use jobsworth_race_model::{Encounter, Legal, Order, Source};
    use std::collections::BTreeSet;

    /// What a line of the table has to be called.
    fn named(encounter: Encounter) -> String {
        let name = |source: Source| match source {
            Source::MaxFailedIndexes => "failed-index-limit".to_owned(),
            other => other.to_string().to_lowercase().replace(' ', "-").replace("failjob", "fail-job"),
        };
        let order = match encounter.order {
            Order::Together => "with",
            Order::Then => "then",
            Order::Refused => "refused-then",
            Order::Crash => "crashed-then",
            Order::Late => "late-then",
        };
        format!("races/{}-{order}-{}", name(encounter.first), name(encounter.second))
    }

    #[test]
    fn every_line_of_the_table_says_what_it_is() {
        for race in RACES {
            assert_eq!(race.id, named(race.encounter));
        }
    }

    #[test]
    fn no_case_is_about_what_cannot_be() {
        let impossible = |encounter: Encounter| matches!(encounter.legal(), Legal::Impossible(_));
        let wrong: Vec<&str> = judged().into_iter().filter(|(it, _)| impossible(*it)).map(|(_, case)| case).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn every_encounter_is_judged_by_one_case_that_there_is() {
        let judged = judged();
        assert_eq!(judged.iter().map(|(encounter, _)| encounter).collect::<BTreeSet<_>>().len(), judged.len());
        let unknown: Vec<_> = judged.iter().filter(|(_, case)| CATALOGUE.case(case).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
