//! What became of a case, from how its turns came out on both sides.

use super::wire::{Came, Kind, Standing};
use crate::{
    report::{Deviations, flakiness::Turns},
    run::Flaky,
    statistics::{self, Share},
};

/// What counts as worse, besides what always does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Cases that become flaky.
    pub flaky: Flaky,
    /// Cases that begin to deviate as is known of the controller.
    pub deviations: Deviations,
}

/// What was broken in HEAD, in the eyes of BASE's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// At least one claim that it made, too; or nobody knows.
    OldClaims,
    /// Nothing but claims that it did not make.
    NewClaimsOnly,
}

/// What became of a case that both have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decided {
    /// What became of it.
    pub kind: Kind,
    /// Whether that is worse.
    pub regression: bool,
    /// The chance of it, where that decided.
    pub chance: Option<f64>,
}

impl Standing {
    /// The standing of turns.
    #[must_use]
    pub fn of(turns: Turns) -> Self {
        match turns {
            turns if turns.are_flaky() => Self::Flaky,
            Turns { failed: 1.., .. } => Self::Failed,
            Turns { deviated: 1.., .. } => Self::Deviates,
            Turns { passed: 1.., .. } => Self::Passed,
            Turns { inconclusive: 1.., .. } => Self::Inconclusive,
            Turns { incomplete: 1.., .. } => Self::Incomplete,
            _ => Self::Skipped,
        }
    }

    /// Whether the turns say something about the subject.
    const fn is_judged(self) -> bool {
        matches!(self, Self::Passed | Self::Deviates | Self::Failed | Self::Flaky)
    }

    const fn holds(self) -> bool {
        matches!(self, Self::Passed | Self::Deviates)
    }
}

/// What became of a case; nothing where it came out alike.
#[must_use]
pub fn decide(base: &Came, head: &Came, broken: Broken, policy: Policy) -> Option<Decided> {
    use Standing::{Deviates, Failed, Flaky, Passed, Skipped};
    let told = |kind| Some(Decided { kind, regression: false, chance: None });
    let worse_if = |regression, kind| Some(Decided { kind, regression, chance: None });
    match (base.standing, head.standing) {
        (old, Failed | Flaky) if old.holds() && broken == Broken::NewClaimsOnly => told(Kind::FailsByNewClaims),
        (old, Failed) if old.holds() => worse_if(true, Kind::NewlyFailing),
        (old, Flaky) if old.holds() => worse_if(policy.flaky == crate::run::Flaky::Fail, Kind::NewlyFlaky),
        (Flaky, new @ (Flaky | Failed)) => Some(less_often(base.share(), head.share(), new)),
        (Failed, Failed) => told(Kind::StillFailing),
        (Failed, Flaky) => told(Kind::PartlyMended),
        (Failed, new) if new.holds() => told(Kind::Mended),
        (Flaky, new) if new.holds() => told(Kind::NoLongerFlaky),
        (Passed, Deviates) => worse_if(policy.deviations == crate::report::Deviations::Fail, Kind::NewlyDeviating),
        (Deviates, Passed) => told(Kind::NoLongerDeviating),
        (Skipped, Skipped) => None,
        (_, Skipped) => told(Kind::NewlySkipped),
        (Skipped, _) => told(Kind::NoLongerSkipped),
        (old, new) if old.is_judged() && !new.is_judged() => told(Kind::NoLongerJudged),
        (old, new) if !old.is_judged() && new.is_judged() => told(Kind::NowJudged),
        _ => None,
    }
}

/// It was flaky before: is it worse, or only other turns?
fn less_often(base: Share, head: Share, standing: Standing) -> Decided {
    let chance = statistics::p_of_fewer(base, head);
    match chance {
        Some(small) if small <= statistics::LEVEL => Decided { kind: Kind::FailsMoreOften, regression: true, chance },
        _ if standing == Standing::Failed => Decided { kind: Kind::StillFailing, regression: false, chance },
        _ => Decided { kind: Kind::StillFlaky, regression: false, chance },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::Verdict;
    use proptest::prelude::*;
    use rstest::rstest;

    /// `p` pass, `d` deviates, `f` fail, `?` inconclusive, `x` incomplete, `s` skip.
    fn came(turns: &str) -> Came {
        let mut counted = Turns::default();
        for turn in turns.chars() {
            counted.count(match turn {
                'p' => Verdict::Pass,
                'd' => Verdict::Deviates,
                'f' => Verdict::Fail,
                '?' => Verdict::Inconclusive,
                'x' => Verdict::Incomplete,
                _ => Verdict::Skip,
            });
        }
        Came::of(counted)
    }

    fn decided(base: &str, head: &str, broken: Broken, policy: Policy) -> Option<(Kind, bool)> {
        decide(&came(base), &came(head), broken, policy).map(|decided| (decided.kind, decided.regression))
    }

    #[rstest]
    #[case::alike("ppp", "p", None)]
    #[case::fails_every_time("pp", "ff", Some((Kind::NewlyFailing, true)))]
    #[case::a_known_deviation_turns_into_a_failure("d", "f", Some((Kind::NewlyFailing, true)))]
    #[case::becomes_flaky("p", "pf", Some((Kind::NewlyFlaky, true)))]
    #[case::is_mended("f", "pp", Some((Kind::Mended, false)))]
    #[case::is_mended_but_for_what_is_known("f", "d", Some((Kind::Mended, false)))]
    #[case::is_mended_now_and_then("ff", "pf", Some((Kind::PartlyMended, false)))]
    #[case::fails_as_before("f", "ff", Some((Kind::StillFailing, false)))]
    #[case::is_as_flaky_as_before("pppf", "ppff", Some((Kind::StillFlaky, false)))]
    #[case::one_failure_after_flakes_says_nothing("ppf", "f", Some((Kind::StillFailing, false)))]
    #[case::fails_far_more_often_than_before("pppppppppf", "ffffffffff", Some((Kind::FailsMoreOften, true)))]
    #[case::is_flaky_far_more_often("pppppppppppppppppppf", "pfffffffffffffffffff", Some((Kind::FailsMoreOften, true)))]
    #[case::was_flaky("pf", "pp", Some((Kind::NoLongerFlaky, false)))]
    #[case::does_not_apply_any_more("p", "s", Some((Kind::NewlySkipped, false)))]
    #[case::a_failure_does_not_apply_any_more("f", "s", Some((Kind::NewlySkipped, false)))]
    #[case::applies_now_and_fails("s", "f", Some((Kind::NoLongerSkipped, false)))]
    #[case::is_not_judged_any_more("p", "?", Some((Kind::NoLongerJudged, false)))]
    #[case::was_cut_off("p", "x", Some((Kind::NoLongerJudged, false)))]
    #[case::is_judged_now("x", "p", Some((Kind::NowJudged, false)))]
    #[case::is_judged_now_and_fails("?", "f", Some((Kind::NowJudged, false)))]
    #[case::neither_says_anything("?", "x", None)]
    #[case::begins_to_deviate("p", "d", Some((Kind::NewlyDeviating, false)))]
    #[case::deviates_no_more("d", "p", Some((Kind::NoLongerDeviating, false)))]
    #[case::deviates_as_before("dp", "d", None)]
    #[case::one_turn_without_an_answer_is_no_change("pp", "p?", None)]
    fn what_became_of_a_case(#[case] base: &str, #[case] head: &str, #[case] expected: Option<(Kind, bool)>) {
        assert_eq!(decided(base, head, Broken::OldClaims, Policy::default()), expected);
    }

    #[rstest]
    #[case::newly_failing("p", "f")]
    #[case::newly_flaky("p", "pf")]
    fn a_claim_that_base_did_not_make_is_no_regression(#[case] base: &str, #[case] head: &str) {
        let found = decided(base, head, Broken::NewClaimsOnly, Policy::default());
        assert_eq!(found, Some((Kind::FailsByNewClaims, false)));
    }

    #[test]
    fn the_policy_says_what_flaky_and_deviating_cases_come_to() {
        let lenient = Policy { flaky: Flaky::Tell, ..Policy::default() };
        assert_eq!(decided("p", "pf", Broken::OldClaims, lenient), Some((Kind::NewlyFlaky, false)));
        assert_eq!(decided("p", "f", Broken::OldClaims, lenient), Some((Kind::NewlyFailing, true)));
        let strict = Policy { deviations: Deviations::Fail, ..Policy::default() };
        assert_eq!(decided("p", "d", Broken::OldClaims, strict), Some((Kind::NewlyDeviating, true)));
    }

    proptest! {
        #[test]
        fn a_case_compared_with_itself_is_no_regression(turns in "[pdf?xs]{1,20}") {
            let found = decided(&turns, &turns, Broken::OldClaims, Policy::default());
            prop_assert!(found.is_none_or(|(_, regression)| !regression), "{found:?}");
        }

        #[test]
        fn nothing_is_worse_both_ways(base in "[pdf?xs]{1,12}", head in "[pdf?xs]{1,12}") {
            let worse = |one: &str, other: &str| {
                decided(one, other, Broken::OldClaims, Policy::default()).is_some_and(|(_, regression)| regression)
            };
            prop_assert!(!(worse(&base, &head) && worse(&head, &base)));
        }

        #[test]
        fn the_order_of_turns_says_nothing(turns in "[pdf?xs]{1,12}", head in "[pdf?xs]{1,12}") {
            let turned: String = turns.chars().rev().collect();
            let with = |base: &str| decided(base, &head, Broken::OldClaims, Policy::default());
            prop_assert_eq!(with(&turns), with(&turned));
        }

        #[test]
        fn a_head_without_a_failure_is_never_a_regression(base in "[pdf?xs]{1,12}", head in "[pd?xs]{1,12}") {
            let found = decided(&base, &head, Broken::OldClaims, Policy::default());
            prop_assert!(found.is_none_or(|(_, regression)| !regression));
        }
    }
}
