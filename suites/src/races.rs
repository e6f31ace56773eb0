//! Two reasons for a Job to end, in every order that a script can bring about: one line of the table is one case. What may come
//! of it is said by the model (`harness/race_model`), and by nobody else.

mod claims;
mod going;
mod job;
mod script;

pub use going::Going;

use crate::words::*;
use jobsworth_harness::Share;
use jobsworth_race_model::{Encounter, Order, Source as Reason};

/// One encounter, as a case.
#[derive(Debug)]
pub struct Race {
    id: &'static str,
    encounter: Encounter,
    going: Going,
}

impl Race {
    /// Who meets whom, and how.
    #[must_use]
    pub const fn encounter(&self) -> Encounter {
        self.encounter
    }
}

/// Makes the table of cases: a name, the first reason, the order, the second reason, and how pods go.
macro_rules! races {
    ($($name:literal: $first:ident $order:ident $second:ident $going:ident,)*) => {
        /// The encounters that are judged by cases of this suite.
        pub const RACES: &[&Race] = &[$(&Race {
            id: concat!("races/", $name),
            encounter: Encounter { first: Reason::$first, second: Reason::$second, order: Order::$order },
            going: Going::$going,
        },)*];

        /// The cases of this suite, in the order of the catalogue.
        pub const CASES: &[&dyn AnyCase] = &[$(&Race {
            id: concat!("races/", $name),
            encounter: Encounter { first: Reason::$first, second: Reason::$second, order: Order::$order },
            going: Going::$going,
        },)*];
    };
}

mod table;

pub use table::{CASES, RACES};

/// Encounters that cases of other suites judge.
pub const ELSEWHERE: &[(Encounter, &str)] = &[
    (together(Reason::FailJob, Reason::SuccessRule), "success-policy/fail-job-rule-beats-success"),
    (together(Reason::BackoffLimit, Reason::SuccessRule), "success-policy/backoff-limit-beats-success"),
    (together(Reason::Deadline, Reason::SuccessRule), "success-policy/deadline-beats-success"),
    (together(Reason::MaxFailedIndexes, Reason::SuccessRule), "success-policy/failed-indexes-beat-success"),
    (together(Reason::BackoffLimit, Reason::MaxFailedIndexes), "index-backoff/the-whole-jobs-limit-comes-first"),
    (together(Reason::SuccessRule, Reason::AllIndexes), "success-policy/all-indexes-still-mean-the-policy"),
];

/// Every encounter that a case judges, with its id; one may have several, which differ in how pods go.
#[must_use]
pub fn judged() -> Vec<(Encounter, &'static str)> {
    RACES.iter().map(|race| (race.encounter, race.id)).chain(ELSEWHERE.iter().copied()).collect()
}

const fn together(first: Reason, second: Reason) -> Encounter {
    Encounter { first, second, order: Order::Together }
}

impl Case for Race {
    fn about(&self) -> About {
        let (says, requirements) = said(self.encounter);
        About {
            id: self.id,
            claim: Claim { source: Source::JobController, section: "order of decisions", says },
            requirements,
            needs: self.needs(),
        }
    }

    fn share(&self) -> Share {
        use Reason::{
            AllIndexes, BackoffLimit, Deadline, Deletion, FailJob, FailedIndexes, MaxFailedIndexes, ScaleDown, ScaleUp,
            SuccessRule, Suspend, TimeToLive,
        };
        let Encounter { first, second, order } = self.encounter;
        // One of each way of pods to go that is not the usual one.
        match (self.going, first, order, second) {
            (Going::Lingering, ..) => {}
            (Going::AtOnce, SuccessRule, Order::Then, Suspend)
            | (Going::WithTheirNode, SuccessRule, Order::Then, BackoffLimit)
            | (Going::Held, FailJob, Order::Then, Deletion) => return Share::Usual,
            _ => return Share::OnRequest,
        }
        // A few of each order; the others are of the plan `races`.
        match (order, first, second) {
            (
                Order::Then | Order::Refused,
                SuccessRule | Suspend,
                FailJob | BackoffLimit | Deadline | MaxFailedIndexes | SuccessRule | Suspend,
            )
            | (Order::Together, Deadline | FailJob, Suspend)
            | (Order::Crash, SuccessRule, BackoffLimit | Suspend)
            | (Order::Then, FailedIndexes, TimeToLive)
            | (Order::Then, SuccessRule, Deletion)
            | (Order::Refused, AllIndexes, ScaleUp)
            | (Order::Refused, ScaleDown, Suspend)
            | (Order::Late, SuccessRule, BackoffLimit | Suspend) => Share::Usual,
            _ => Share::OnRequest,
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        script::play(scene, self.encounter, self.going).await
    }

    fn expects(&self) -> Expectations {
        claims::of(self.encounter)
    }
}

impl Race {
    fn needs(&self) -> Needs {
        let Encounter { first, second, order } = self.encounter;
        let has = |reason: Reason| first == reason || second == reason;
        let per_index = has(Reason::MaxFailedIndexes) || has(Reason::FailedIndexes);
        let gates: &'static [&'static str] = match (has(Reason::SuccessRule), per_index) {
            (true, true) => &["JobSuccessPolicy", "JobBackoffLimitPerIndex"],
            (true, false) => &["JobSuccessPolicy"],
            (false, true) => &["JobBackoffLimitPerIndex"],
            (false, false) => &[],
        };
        let restarts_subject = matches!(order, Order::Together | Order::Crash);
        Needs {
            gates,
            one_gate_of: DELAYED_END,
            restarts_subject,
            // Pods of a Job that is deleted go by the garbage collector.
            others_go_on: restarts_subject && has(Reason::Deletion),
            refuses_writes: matches!(order, Order::Crash | Order::Refused),
            faults: if order == Order::Late { FaultNeeds::Watches } else { FaultNeeds::Nothing },
            ..Needs::default()
        }
    }
}

/// What is claimed of an encounter, and which requirements say so.
const fn said(encounter: Encounter) -> (&'static str, &'static [&'static str]) {
    match (encounter.second, encounter.order) {
        (Reason::TimeToLive, _) => {
            ("a Job that has ended goes when its time is over, whatever it came to", &["TTL-001", "TTL-009"])
        }
        (Reason::Deletion, _) => ("a Job that is deleted goes, whatever is decided of it", &["SYN-023", "FIN-012"]),
        (_, Order::Together) => ("one look that finds two reasons decides by precedence", &["STA-001", "DLN-005"]),
        (_, Order::Then) => ("what is declared stays, whatever comes after it", &["STA-002", "STA-003", "DLN-008"]),
        (_, Order::Crash) => ("what was not stored is decided anew, by precedence", &["SYN-026", "STA-001"]),
        (_, Order::Refused) => {
            ("what could not be stored comes to what it was, or to what has precedence", &["SUC-023", "STA-001"])
        }
        (_, Order::Late) => ("what is heard late changes nothing that was declared", &["STA-002", "SYN-024"]),
    }
}

#[cfg(test)]
mod tests {
    use super::{ELSEWHERE, Going, RACES, Race, judged};
    use crate::CATALOGUE;
    use jobsworth_race_model::{Encounter, Legal, Order, Source, encounters};
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
            let ending = Going::OTHERS.iter().find(|(going, _)| *going == race.going).map(|(_, ending)| *ending);
            let name =
                [Some(named(race.encounter).as_str()), ending].into_iter().flatten().collect::<Vec<_>>().join("-");
            assert_eq!(race.id, name);
            assert!(race.going.allows(race.encounter), "{name}");
        }
    }

    #[test]
    fn no_case_is_about_what_cannot_be() {
        let impossible = |encounter: Encounter| matches!(encounter.legal(), Legal::Impossible(_));
        let wrong: Vec<&str> = judged().into_iter().filter(|(it, _)| impossible(*it)).map(|(_, case)| case).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn every_encounter_that_can_be_is_judged() {
        let judged: BTreeSet<Encounter> = judged().into_iter().map(|(encounter, _)| encounter).collect();
        let can_be = |it: &Encounter| !matches!(it.legal(), Legal::Impossible(_));
        let open: Vec<String> =
            encounters().filter(|it| can_be(it) && !judged.contains(it)).map(|it| it.to_string()).collect();
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn every_encounter_is_judged_by_one_case_for_each_way_of_pods_to_go() {
        let usual = |race: &&&Race| race.going == Going::Lingering;
        let encounters: Vec<Encounter> = RACES.iter().filter(usual).map(|race| race.encounter).collect();
        let own = encounters.iter().copied().chain(ELSEWHERE.iter().map(|(encounter, _)| *encounter));
        assert_eq!(own.collect::<BTreeSet<_>>().len(), encounters.len() + ELSEWHERE.len());
        let ways: BTreeSet<(Encounter, Going)> = RACES.iter().map(|race| (race.encounter, race.going)).collect();
        assert_eq!(ways.len(), RACES.len());
        let judged = judged();
        let unknown: Vec<_> = judged.iter().filter(|(_, case)| CATALOGUE.case(case).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
