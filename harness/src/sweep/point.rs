//! One point of a sweep: a case, a write of it, and what happens there.

use super::{baseline::End, letting_go::let_pods_go};
use crate::{
    case::{About, AnyCase, Case, FaultNeeds, KnownEnd, Needs},
    cluster::subject_kind::JobApi,
    scene::{Mishap, Moment, Scene, Stop, any_write},
};
use jobsworth_oracle::{
    Expectations, KnownDeviation, Predicate, Property,
    property::{after, eventually},
    vocabulary::{job_named, volcano},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// What happens at a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// The controller is killed before it is applied, and started again.
    KilledBefore,
    /// The controller is killed after it was applied, and started again.
    KilledAfter,
    /// It is applied, and the controller hears nothing.
    AnswerLost,
    /// It is refused with 503.
    Refused,
    /// It is refused with 409, a conflict: somebody else has written meanwhile.
    Conflict,
}

impl Fate {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 5] = [Self::KilledBefore, Self::KilledAfter, Self::AnswerLost, Self::Refused, Self::Conflict];

    /// Those that sweeps drew from before there were conflicts.
    #[must_use]
    pub fn without_conflicts() -> Vec<Self> {
        Self::ALL.into_iter().filter(|fate| *fate != Self::Conflict).collect()
    }

    /// Whether it can happen at a write that a baseline names so: the API server answers no deletion with a conflict but one that
    /// means another object, and a controller that hears it may rightly take its own for gone.
    #[must_use]
    pub fn can_meet(self, write: &str) -> bool {
        self != Self::Conflict || !write.starts_with("delete")
    }

    const fn kills(self) -> bool {
        matches!(self, Self::KilledBefore | Self::KilledAfter)
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::KilledBefore => "killed before",
            Self::KilledAfter => "killed after",
            Self::AnswerLost => "answer lost",
            Self::Refused => "refused with 503",
            Self::Conflict => "refused with 409",
        })
    }
}

/// A case with something happening at one of the controller's writes.
pub struct Point {
    id: &'static str,
    case: &'static dyn AnyCase,
    write: u32,
    fate: Fate,
    ends: BTreeMap<String, End>,
    known: BTreeMap<String, (KnownDeviation, Predicate)>,
}

impl Point {
    /// The point at this write, counted from 1, of a case whose Jobs end so without faults. It lives as long as the program: plans hold
    /// cases for good.
    #[must_use]
    pub fn new(
        case: &'static dyn AnyCase,
        write: u32,
        fate: Fate,
        ends: BTreeMap<String, End>,
        known: &'static [KnownEnd],
    ) -> &'static Self {
        let fate_in_id = fate.to_string().replace(' ', "-");
        let id = format!("{}-{fate_in_id}-at-write-{write}", case.about().id);
        let known = ends.iter().filter_map(|(name, end)| Some((name.clone(), known_of(case, name, *end, known)?)));
        let known = known.collect();
        Box::leak(Box::new(Self { id: id.leak(), case, write, fate, ends, known }))
    }

    /// Its id, unique in a sweep.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// Id of the case that it is made of.
    #[must_use]
    pub fn case_id(&self) -> &'static str {
        self.case.about().id
    }

    /// Which write, counted from 1.
    #[must_use]
    pub const fn write(&self) -> u32 {
        self.write
    }

    /// What happens there.
    #[must_use]
    pub const fn fate(&self) -> Fate {
        self.fate
    }
}

impl Case for Point {
    fn about(&self) -> About {
        let inner = self.case.about();
        let restarts_subject = inner.needs.restarts_subject || self.fate.kills();
        let needs = Needs { restarts_subject, faults: FaultNeeds::OwnRequests, ..inner.needs };
        About { id: self.id, needs, ..inner }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let matcher = any_write().from_number(self.write);
        match self.fate {
            Fate::KilledBefore => scene.wire().kills(matcher, Moment::Before).await?,
            Fate::KilledAfter => scene.wire().kills(matcher, Moment::After).await?,
            Fate::AnswerLost => drop(scene.wire().meets(matcher, Mishap::AnswerLost).await?),
            Fate::Refused => drop(scene.wire().meets(matcher, Mishap::refused(503)).await?),
            // What is the write of this number now may have been another one without faults.
            Fate::Conflict => drop(scene.wire().meets(matcher.sparing_deletions(), Mishap::conflict()).await?),
        }
        match self.case.script(scene).await {
            Err(stalled @ Stop::Stalled { .. }) => {
                let is_over = let_pods_go(scene, self.case.about().needs.api, &self.ends).await?;
                if is_over { Ok(()) } else { Err(stalled) }
            }
            played => played,
        }
    }

    /// What a case claims of times and orders may not hold where its controller was killed. How its Jobs end does.
    fn expects(&self) -> Expectations {
        let api = self.case.about().needs.api;
        self.ends.iter().fold(Expectations::new(), |all, (name, end)| {
            let (says, property) = claim(api, name, *end);
            match (self.known.get(name), shown(name, *end)) {
                // An end that is neither breaks this sentence, too, and nothing excuses that.
                (Some((known, shows)), Some(end)) => all
                    .and(format!("{says}, or as is known"), eventually(end.or(shows.clone())))
                    .and(says, property)
                    // Most points need not come to it.
                    .possibly(*known),
                _ => all.and(says, property),
            }
        })
    }
}

/// What is known of a Job that ends so without faults: it breaks the sentence about its end.
fn known_of(
    case: &dyn AnyCase,
    name: &str,
    end: End,
    known: &'static [KnownEnd],
) -> Option<(KnownDeviation, Predicate)> {
    let Needs { api, gates, .. } = case.about().needs;
    let known = known.iter().find(|known| end == End::With(known.instead_of) && gates.contains(&known.gate))?;
    let says: &'static str = claim(api, name, end).0.leak();
    let deviation = KnownDeviation {
        subject: known.subject,
        since: known.since,
        until: Some(known.until),
        mended_in: &[],
        unless: None,
        breaks: Box::leak(Box::new([says])),
        source: known.source,
    };
    Some((deviation, (known.shows)(name)))
}

/// What a Job shows that has ended so, if it is still there.
fn shown(name: &str, end: End) -> Option<Predicate> {
    match end {
        End::With(kind) => Some(job_named(name).has(kind)),
        End::In(phase) => Some(volcano::job_named(name).is(phase)),
        End::Gone => None,
    }
}

/// The end of a Job as a claim. Before it is made a Job is not there either, so only one that was there can go.
fn claim(api: JobApi, name: &str, end: End) -> (String, Property) {
    match end {
        End::With(kind) => (format!("Job {name} ends {kind}"), eventually(job_named(name).has(kind))),
        End::In(phase) => (format!("Job {name} ends {phase}"), eventually(volcano::job_named(name).is(phase))),
        End::Gone => {
            let (there, gone) = match api {
                JobApi::Batch => (job_named(name).exists(), job_named(name).is_gone()),
                JobApi::Volcano => (volcano::job_named(name).exists(), volcano::job_named(name).is_gone()),
            };
            (format!("Job {name} goes"), after(&there, eventually(gone)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::sample;
    use jobsworth_api::ConditionKind;
    use jobsworth_oracle::{Check, Fact, Verdict, judge::Expectation};
    use rstest::rstest;
    use serde_json::json;

    /// What the end of the Job is without faults, and what it may be besides.
    const SAYS: &str = "Job job ends Complete";
    const OR: &str = "Job job ends Complete, or as is known";

    /// A Job that runs; then perhaps one that has ended so, in the words of either API, or goes.
    fn history(api: JobApi, then: &str) -> Vec<Fact> {
        let running = json!({"state": {"phase": "Running"}});
        let ended = json!({"state": {"phase": then}, "conditions": [{"type": then, "status": "True"}]});
        let mut facts = vec![sample::job(api, &running, false)];
        match then {
            "" => {}
            "gone" => facts.push(sample::job(api, &running, true)),
            _ => facts.push(sample::job(api, &ended, false)),
        }
        facts
    }

    #[rstest]
    #[case::a_job_with_a_condition(JobApi::Batch, End::With(ConditionKind::Complete), "Complete")]
    #[case::a_volcano_job_in_a_phase(JobApi::Volcano, End::In("Completed"), "Completed")]
    #[case::a_job_that_goes(JobApi::Batch, End::Gone, "gone")]
    #[case::a_volcano_job_that_goes(JobApi::Volcano, End::Gone, "gone")]
    fn jobs_must_end_as_they_do_without_faults(#[case] api: JobApi, #[case] end: End, #[case] so: &str) {
        let ends = BTreeMap::from([("job".to_owned(), end)]);
        let expectations = Case::expects(Point::new(sample::idle(api), 1, Fate::KilledAfter, ends, sample::KNOWN_ENDS));
        let check = |facts: Vec<Fact>| {
            let timeline = sample::timeline(api, facts);
            expectations.iter().map(|claim| claim.property.check(&timeline)).collect::<Vec<_>>()
        };
        assert_eq!(check(history(api, so)), [Check::Held]);
        for other in ["", "Failed"] {
            let found = check(history(api, other));
            assert!(matches!(found.as_slice(), [Check::Broken(_)]), "{other}: {found:?}");
        }
        assert!(!check(Vec::new()).contains(&Check::Held), "of a Job that never was nothing holds");
    }

    /// A Job that ends so, for this reason, with these indexes completed.
    fn ended(with: &str, reason: &str, completed: &str) -> Fact {
        let conditions = json!([{"type": with, "status": "True", "reason": reason}]);
        sample::job(JobApi::Batch, &json!({"conditions": conditions, "completedIndexes": completed}), false)
    }

    #[rstest]
    #[case::as_without_faults("builtin", "1.37.1", ended("Complete", "CompletionsReached", "0"), &[], Verdict::Pass)]
    #[case::as_is_known("builtin", "1.37.1", ended("Failed", "Known", "0"), &[SAYS], Verdict::Deviates)]
    #[case::of_another_controller("reference", "1.37.1", ended("Failed", "Known", "0"), &[SAYS], Verdict::Fail)]
    #[case::in_a_version_that_is_not_known("builtin", "1.36.4", ended("Failed", "Known", "0"), &[SAYS], Verdict::Fail)]
    #[case::for_another_reason("builtin", "1.37.1", ended("Failed", "New", "0"), &[OR, SAYS], Verdict::Fail)]
    #[case::though_nothing_was_done("builtin", "1.37.1", ended("Failed", "Known", ""), &[OR, SAYS], Verdict::Fail)]
    #[case::it_does_not_end("builtin", "1.37.1", ended("Suspended", "Known", "0"), &[OR, SAYS], Verdict::Fail)]
    fn another_end_is_excused_where_it_is_the_one_that_is_known(
        #[case] subject: &str,
        #[case] version: &str,
        #[case] fact: Fact,
        #[case] broken: &[&str],
        #[case] verdict: Verdict,
    ) {
        let ends = BTreeMap::from([("job".to_owned(), End::With(ConditionKind::Complete))]);
        let point = Point::new(sample::WITH_A_KNOWN_END, 1, Fate::Refused, ends, sample::KNOWN_ENDS);
        let expectations = Case::expects(point);
        let mut timeline = sample::timeline(JobApi::Batch, vec![fact]);
        (timeline.setting.subject, timeline.setting.kubernetes) = (subject.to_owned(), version.parse().unwrap());
        let is_broken = |claim: &&Expectation| matches!(claim.property.check(&timeline), Check::Broken(_));
        let found: Vec<&str> = expectations.iter().filter(is_broken).map(|claim| claim.says.as_str()).collect();
        assert_eq!(found, broken);
        let known = expectations.deviations().filter(|known| known.applies_to(&timeline.setting));
        let known: Vec<&str> = known.flat_map(|known| known.breaks).copied().collect();
        // The rule of the judge, which has its own tests; this history is too short for its invariants.
        let is_excused = !found.is_empty() && found.iter().all(|says| known.contains(says));
        assert_eq!(is_excused, verdict == Verdict::Deviates);
        assert!(expectations.due(&timeline.setting).is_none(), "most points do not come to it: that is no news");
    }

    #[test]
    fn no_deletion_is_answered_with_a_conflict() {
        let fates = |write| Fate::ALL.into_iter().filter(|fate| fate.can_meet(write)).count();
        assert_eq!(["create pods", "delete pods", "deletecollection pods"].map(fates), [5, 4, 4]);
    }
}
