//! The control planes of a timeline in order, and which of them held when.

use crate::{
    fact::{Entry, Fact},
    regime::{Phase, Regime, RegimeMark},
    setting::Setting,
};
use std::time::Duration;

/// The regimes of a timeline in order.
#[derive(Clone, Debug)]
pub struct Regimes {
    first: Regime,
    changes: Vec<Change>,
}

/// One change of regime.
#[derive(Clone, Debug)]
struct Change {
    begun: (u64, Duration),
    /// Never, if the recording ends before.
    attested: Option<(u64, Duration)>,
    to: Regime,
}

impl Regimes {
    /// The regimes that these entries, sorted by revision, tell of.
    #[must_use]
    pub fn of(setting: &Setting, entries: &[Entry]) -> Self {
        let mut regimes = Self { first: setting.into(), changes: Vec::new() };
        for entry in entries {
            if let Fact::Regime(mark) = &entry.fact {
                regimes.take(mark, (entry.revision, entry.at));
            }
        }
        regimes
    }

    fn take(&mut self, mark: &RegimeMark, place: (u64, Duration)) {
        let open = self.changes.last_mut().filter(|change| change.attested.is_none());
        match (mark.phase, open) {
            (Phase::Begun, _) => {
                self.changes.push(Change { begun: place, attested: None, to: mark.regime.clone() });
            }
            (Phase::Attested, Some(change)) => {
                change.attested = Some(place);
                change.to = mark.regime.clone();
            }
            // Its beginning was not recorded: it may have been changing from the start.
            (Phase::Attested, None) => {
                let begun = (0, Duration::ZERO);
                self.changes.push(Change { begun, attested: Some(place), to: mark.regime.clone() });
            }
        }
    }

    /// Whether a gate is on at this revision; `None` while it is being switched, when some components may
    /// have it on and others off.
    #[must_use]
    pub fn gate(&self, name: &str, revision: u64) -> Option<bool> {
        let mut state = Some(self.first.gate(name));
        let mut settled = self.first.gate(name);
        for change in self.changes.iter().filter(|change| change.begun.0 <= revision) {
            let to = change.to.gate(name);
            let is_over = change.attested.is_some_and(|(attested, _)| attested <= revision);
            state = if is_over || to == settled { Some(to) } else { None };
            settled = to;
        }
        state
    }

    /// Whether a gate was on for the whole recording, or off for the whole of it; `None` if it was switched.
    #[must_use]
    pub fn throughout(&self, name: &str) -> Option<bool> {
        let first = self.first.gate(name);
        self.changes.iter().all(|change| change.to.gate(name) == first).then_some(first)
    }

    /// Whether nothing is changed in this timeline.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether a change was under way at any time between these revisions, both included.
    #[must_use]
    pub fn changes_between(&self, from: u64, to: u64) -> bool {
        self.changes.iter().any(|change| {
            let end = change.attested.map_or(u64::MAX, |(revision, _)| revision);
            change.begun.0 <= to && end >= from
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::Ownership;
    use jobsworth_api::{KubeVersion, Minor, Resource};
    use rstest::rstest;

    fn regime(on: bool) -> Regime {
        Regime {
            kubernetes: KubeVersion::new(1, 35, 4),
            emulated: Some(Minor::new(1, 32)),
            gates: [("JobSuccessPolicy".to_owned(), on)].into(),
        }
    }

    fn regimes(marks: &[(u64, Phase, bool)]) -> Regimes {
        let setting = Setting {
            case: "some/case".into(),
            namespace: "space".into(),
            started: jiff::Timestamp::UNIX_EPOCH,
            kubernetes: KubeVersion::new(1, 35, 4),
            emulated: Some(Minor::new(1, 32)),
            gates: regime(true).gates,
            subject: "builtin".into(),
            judged: Resource::JOBS,
            ownership: Ownership::BuiltIn,
            shared: false,
        };
        let entry = |(revision, phase, on): &(u64, Phase, bool)| Entry {
            revision: *revision,
            at: Duration::from_millis(*revision),
            fact: Fact::Regime(RegimeMark { mark: String::new(), phase: *phase, regime: regime(*on) }),
        };
        Regimes::of(&setting, &marks.iter().map(entry).collect::<Vec<_>>())
    }

    #[rstest]
    #[case::before_it_begins(5, Some(true))]
    #[case::while_it_is_switched(10, None)]
    #[case::until_it_is_attested(19, None)]
    #[case::from_the_attestation_on(20, Some(false))]
    #[case::while_it_is_switched_back(35, None)]
    #[case::in_the_end(99, Some(true))]
    fn a_gate_that_was_switched_off_and_on(#[case] revision: u64, #[case] state: Option<bool>) {
        let there_and_back = [
            (10, Phase::Begun, false),
            (20, Phase::Attested, false),
            (30, Phase::Begun, true),
            (40, Phase::Attested, true),
        ];
        assert_eq!(regimes(&there_and_back).gate("JobSuccessPolicy", revision), state);
    }

    #[test]
    fn a_change_that_leaves_a_gate_alone_leaves_no_doubt_about_it() {
        let kept = regimes(&[(10, Phase::Begun, true), (20, Phase::Attested, true)]);
        assert_eq!(kept.gate("JobSuccessPolicy", 15), Some(true));
        assert_eq!(kept.throughout("JobSuccessPolicy"), Some(true));
        assert!(kept.changes_between(12, 13) && !kept.changes_between(1, 9) && !kept.changes_between(21, 30));
    }

    #[test]
    fn a_change_that_was_never_attested_stays_open() {
        let open = regimes(&[(10, Phase::Begun, false)]);
        assert_eq!(open.gate("JobSuccessPolicy", 99), None);
        assert_eq!(open.throughout("JobSuccessPolicy"), None);
    }

    #[test]
    fn without_a_change_the_setting_holds() {
        let constant = regimes(&[]);
        assert!(constant.is_constant());
        assert_eq!(constant.gate("JobSuccessPolicy", 7), Some(true));
        assert_eq!(constant.gate("SomethingElse", 7), Some(true));
    }
}
