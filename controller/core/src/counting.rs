//! Accounting of ended pods: recorded in the status first, released second, counted third (FIN-002).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_api::IndexSet;

use crate::census::{Census, Member};
use crate::failure_policy::FailureAction;
use crate::pod::Phase;
use crate::{Action, Gates, JobView, Status, Uid, Why};

/// Pods that the status lists as ended but not counted.
pub(crate) struct Recorded<'a> {
    pub succeeded: BTreeSet<&'a Uid>,
    pub failed: BTreeSet<&'a Uid>,
}

impl<'a> Recorded<'a> {
    pub fn of(status: &'a Status) -> Self {
        Self {
            succeeded: status.uncounted.succeeded.iter().collect(),
            failed: status.uncounted.failed.iter().collect(),
        }
    }

    pub fn contains(&self, uid: &Uid) -> bool {
        self.succeeded.contains(uid) || self.failed.contains(uid)
    }
}

/// Pods that ended and are in no list yet.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub succeeded: u64,
    /// Failures that count.
    pub failed: u64,
    pub success_times: Vec<Timestamp>,
    /// Ignored failures included (BKO-007, PFP-009).
    pub failure_times: Vec<Timestamp>,
    /// The message of a `FailJob` rule; of the pod with the least name, should there be several.
    pub fail_job: Option<String>,
}

impl Tally {
    /// Counts every countable pod: tracked, not listed, with a valid index (PFP-007, PFP-009, PFP-010, BKO-003, FIN-009,
    /// FIN-018, PRP-012).
    pub fn of(job: &JobView, census: &Census<'_>, recorded: &Recorded<'_>, gates: &Gates) -> Self {
        let mut tally = Self::default();
        let mut fail_job: Option<(&str, String)> = None;
        let countable = census
            .members
            .iter()
            .filter(|member| member.tracked && !recorded.contains(&member.pod.uid) && member.has_place(&job.spec));
        for member in countable {
            if member.pod.phase == Phase::Succeeded {
                tally.succeeded = tally.succeeded.saturating_add(1);
                tally.success_times.push(member.pod.finished);
            } else if census.has_failed(member) {
                tally.failure_times.push(member.pod.finished);
                let ruling = member.ruling(job, gates);
                let counts = ruling.as_ref().is_none_or(|ruling| ruling.action != FailureAction::Ignore);
                tally.failed = tally.failed.saturating_add(u64::from(counts));
                if let Some(ruling) = ruling.filter(|ruling| ruling.action == FailureAction::FailJob) {
                    let name = &*member.pod.name;
                    if fail_job.as_ref().is_none_or(|(least, _)| name < *least) {
                        fail_job = Some((name, ruling.message));
                    }
                }
            }
        }
        tally.fail_job = fail_job.map(|(_, message)| message);
        tally
    }
}

/// A pod that has the finalizer, and might lose it in this sync.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub uid: Uid,
    pub name: Arc<str>,
    pub index: Option<u32>,
    /// Whether it may be counted as far as its index goes (IDX-013, IDX-025).
    pub has_place: bool,
    pub end: End,
}

/// How a candidate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Succeeded,
    Failed {
        /// The action of the rule that matched.
        action: Option<FailureAction>,
        /// Whether it waits for the replacement of its index (BLI-010).
        held: bool,
    },
    Unfinished {
        active: bool,
        /// The action of the rule that would match.
        action: Option<FailureAction>,
    },
}

impl Candidate {
    pub fn of(job: &JobView, census: &Census<'_>, member: &Member<'_>, held: bool, gates: &Gates) -> Self {
        let action = || member.ruling(job, gates).map(|ruling| ruling.action);
        let end = match member.pod.phase {
            Phase::Succeeded => End::Succeeded,
            _ if census.has_failed(member) => End::Failed { action: action(), held },
            _ => End::Unfinished { active: member.is_active(), action: action() },
        };
        Self {
            uid: member.pod.uid.clone(),
            name: member.pod.name.clone(),
            index: member.valid_index(&job.spec),
            has_place: member.has_place(&job.spec),
            end,
        }
    }
}

/// The circumstances of accounting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub indexed: bool,
    pub deleting: bool,
    /// Whether the Job is going to end, and then whether well.
    pub succeeds: Option<bool>,
    /// How many pods may be accounted (FIN-005).
    pub at_most: usize,
}

/// What accounting found.
#[derive(Debug, Default)]
pub(crate) struct Accounted {
    /// Pods that lose the finalizer: [`Action::ReleasePod`], or [`Action::StripAndDelete`] for active ones that must never be counted.
    pub releases: Vec<Action>,
    /// Active pods that are deleted with their finalizer: those that are recorded, and those for which there is no room yet.
    pub deletions: Vec<Action>,
    /// Newly completed indexes.
    pub completed: IndexSet,
    /// Whether pods are left for another sync (FIN-005).
    pub capped: bool,
    /// Failures by the action of the failure policy (MET-008).
    pub handled: BTreeMap<&'static str, u64>,
}

/// Records ended pods in the status and says which may be released. Candidates come in the order of their indexes
/// (FIN-002 to FIN-005, FIN-019, IDX-017, IDX-018, IDX-025, IDX-026, BKO-005, SUC-008, PFP-009, PFP-011, SYN-023).
pub(crate) fn record(status: &mut Status, candidates: &[Candidate], rules: Rules) -> Accounted {
    let before = status.uncounted.clone();
    let succeeded: BTreeSet<&Uid> = before.succeeded.iter().collect();
    let failed: BTreeSet<&Uid> = before.failed.iter().collect();
    let mut accounted = Accounted::default();
    let mut completed = Vec::new();
    for candidate in candidates.iter().filter(|candidate| rules.may_release(candidate.end)) {
        let (uid, name) = (candidate.uid.clone(), candidate.name.clone());
        let active = matches!(candidate.end, End::Unfinished { active: true, .. });
        if accounted.releases.len() >= rules.at_most && !(active && rules.succeeds == Some(true)) {
            accounted.capped = true;
            if active && rules.succeeds.is_some() {
                accounted.deletions.push(Action::DeletePod { uid, name });
            }
            continue;
        }
        match candidate.end {
            End::Succeeded if !failed.contains(&uid) => match candidate.index {
                Some(index) => completed.push(index),
                None if !rules.indexed && !succeeded.contains(&uid) => status.uncounted.succeeded.push(uid.clone()),
                None => {}
            },
            End::Failed { action, .. } | End::Unfinished { action, .. }
                if rules.counts_as_failed(candidate) && !failed.contains(&uid) && !succeeded.contains(&uid) =>
            {
                if let Some(action) = action {
                    let handled = accounted.handled.entry(action.as_str()).or_default();
                    *handled = handled.saturating_add(1);
                }
                if action != Some(FailureAction::Ignore) {
                    status.uncounted.failed.push(uid.clone());
                }
            }
            _ => {}
        }
        accounted.releases.push(match rules.succeeds.filter(|_| active) {
            // A pod that was left behind is no failure, though it fails when it is stopped: whoever comes next must not find it tracked.
            Some(true) => Action::StripAndDelete { uid, name, tracked: true, why: Why::Decided },
            // Recorded as a failure already. So all are stopped before the first is released: none runs on while others are tidied up.
            Some(false) => {
                accounted.deletions.push(Action::DeletePod { uid: uid.clone(), name: name.clone() });
                Action::ReleasePod { uid, name }
            }
            None => Action::ReleasePod { uid, name },
        });
    }
    accounted.completed = completed.into_iter().collect();
    accounted
}

impl Rules {
    /// Step 9 of a sync: the Job is being deleted or decided, or the pod ended and is not held back.
    fn may_release(self, end: End) -> bool {
        let ended = match end {
            End::Succeeded => true,
            End::Failed { held, .. } => !held,
            End::Unfinished { .. } => false,
        };
        ended || self.deleting || self.succeeds.is_some()
    }

    /// Failed pods; and when the Job fails, every pod that has not ended yet (BKO-005).
    fn counts_as_failed(self, candidate: &Candidate) -> bool {
        let ended = matches!(candidate.end, End::Failed { .. });
        candidate.has_place && (ended || self.succeeds == Some(false))
    }
}

/// Moves listed pods that satisfy `released` into the counters (FIN-002, FIN-006, STA-012).
pub(crate) fn count(status: &mut Status, released: impl Fn(&Uid) -> bool) {
    let before = (status.uncounted.succeeded.len(), status.uncounted.failed.len());
    status.uncounted.succeeded.retain(|uid| !released(uid));
    status.uncounted.failed.retain(|uid| !released(uid));
    let moved = |before: usize, after: usize| u32::try_from(before.saturating_sub(after)).unwrap_or(u32::MAX);
    status.succeeded = status.succeeded.saturating_add(moved(before.0, status.uncounted.succeeded.len()));
    status.failed = status.failed.saturating_add(moved(before.1, status.uncounted.failed.len()));
}
