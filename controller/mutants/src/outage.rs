//! Faults of the network and the API server that every controller has to bear: delay, loss, refusal, a watch that ends.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::ValueEnum;
use jobsworth_api::Resource;
use serde_json::Value;
use tokio::time::Instant;

use crate::Notes;
use crate::call::{Answer, Call};
use crate::decorator::{Decorator, Fate, Line, Next};

/// How far the watch of pods is behind.
const PODS_LAG: Duration = Duration::from_secs(3);
/// How far the watch of Jobs is behind: shorter than the times to live of the suite.
const JOBS_LAG: Duration = Duration::from_secs(5);
/// How far it is very late: longer than those.
const JOBS_LONG_LAG: Duration = Duration::from_secs(8);
/// For how long releases are refused, from the first one on.
const RELEASES_REFUSED: Duration = Duration::from_secs(6);
/// For how long statuses are refused, from the first ledger on.
const LEDGER_REFUSED: Duration = Duration::from_secs(3);
/// Answers that are lost.
const ANSWERS_LOST: u32 = 2;
/// Creations that are put off.
const PUT_OFF: u32 = 3;
/// And by how much, in seconds.
const LEFT_ALONE: &str = "4";
/// How long the first watch lasts.
const FIRST_WATCH: Duration = Duration::from_secs(2);

/// What is wrong with the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Outage {
    /// Nothing.
    #[default]
    Fair,
    /// Watches of pods are seconds behind.
    PodsLate,
    /// Watches of Jobs are seconds behind, fewer than a time to live.
    JobsLate,
    /// Watches of Jobs are further behind than a time to live.
    JobsVeryLate,
    /// For a while finalizers cannot be taken off.
    ReleasesRefused,
    /// For a while, from the first ledger on, a status cannot be written.
    LedgerRefused,
    /// The first creations are carried out, but answered with 504.
    AnswersLost,
    /// The first creations are answered with 429 and a time.
    TooManyRequests,
    /// The watch of pods ends soon, and its version is no longer kept: 410 until there is a new list.
    HistoryLost,
    /// The first creation gets no answer, ever.
    BlackHole,
    /// The first write of a status is answered with 409, as if somebody else had been faster.
    Contested,
    /// The watch of pods ends when the first pod that it has seen come goes, before it says so; its version is no longer kept: 410
    /// until there is a new list.
    GoingUnseen,
}

/// An outage, and how far it has come.
#[derive(Debug, Default)]
pub struct FaultInjector {
    outage: Outage,
    seen: Notes<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    creations: u32,
    first_release: Option<Instant>,
    first_ledger: Option<Instant>,
    contested: bool,
    watches: u32,
    lists: u32,
    /// Pods that a watch has seen come. Those that were there before may be of somebody who cleans up.
    came: BTreeSet<String>,
    /// One of them went unseen.
    went: bool,
    /// And there was no list since.
    unlisted: bool,
}

impl FaultInjector {
    /// This outage, from its beginning.
    #[must_use]
    pub fn of(outage: Outage) -> Self {
        Self { outage, seen: Notes::default() }
    }

    /// The watch of pods has ended, and there was no list since.
    fn history_is_lost(&self, call: &Call) -> bool {
        if !call.reads_all(&Resource::PODS) {
            return false;
        }
        let mut seen = self.seen.open();
        if self.outage == Outage::GoingUnseen {
            seen.unlisted &= !call.begins_a_list();
            return call.is_watch() && seen.unlisted;
        }
        if self.outage != Outage::HistoryLost {
            return false;
        }
        if call.is_watch() {
            seen.watches += 1;
            return seen.watches > 1 && seen.lists < 2;
        }
        seen.lists += u32::from(!call.is_a_glance());
        false
    }
}

/// Whether a status lists pods that are not counted yet.
fn has_a_ledger(call: &Call) -> bool {
    let lists = call.body.pointer("/status/uncountedTerminatedPods").and_then(Value::as_object);
    lists.is_some_and(|lists| lists.values().any(|list| list.as_array().is_some_and(|uids| !uids.is_empty())))
}

impl Decorator for FaultInjector {
    fn ask(&self, call: &mut Call) -> Fate {
        if self.history_is_lost(call) {
            return Fate::Answered(Answer::refusal(410, "Expired"));
        }
        let mut seen = self.seen.open();
        match self.outage {
            Outage::ReleasesRefused if call.releases_a_pod() => {
                let first = *seen.first_release.get_or_insert_with(Instant::now);
                if first.elapsed() < RELEASES_REFUSED {
                    return Fate::Answered(Answer::refusal(500, "InternalError"));
                }
            }
            Outage::LedgerRefused if call.writes_a_status() => {
                if has_a_ledger(call) {
                    seen.first_ledger.get_or_insert_with(Instant::now);
                }
                if seen.first_ledger.is_some_and(|first| first.elapsed() < LEDGER_REFUSED) {
                    return Fate::Answered(Answer::refusal(500, "InternalError"));
                }
            }
            Outage::Contested if call.writes_a_status() && !seen.contested => {
                seen.contested = true;
                return Fate::Answered(Answer::refusal(409, "Conflict"));
            }
            Outage::TooManyRequests | Outage::BlackHole | Outage::AnswersLost if call.creates_a_pod() => {
                seen.creations += 1;
                if self.outage == Outage::TooManyRequests && seen.creations <= PUT_OFF {
                    let retry_after = Some(LEFT_ALONE.to_owned());
                    return Fate::Answered(Answer { retry_after, ..Answer::refusal(429, "TooManyRequests") });
                }
                if self.outage == Outage::BlackHole && seen.creations == 1 {
                    return Fate::Swallowed;
                }
            }
            _ => {}
        }
        Fate::Send
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        let creations = self.seen.open().creations;
        if self.outage == Outage::AnswersLost && call.creates_a_pod() && creations <= ANSWERS_LOST {
            *answer = Answer::refusal(504, "Timeout");
        }
        Next::Take
    }

    fn shows(&self) -> bool {
        self.outage == Outage::GoingUnseen
    }

    fn line(&self, call: &Call, frame: &mut Value) -> Line {
        let mut seen = self.seen.open();
        let Some(uid) = frame["object"]["metadata"]["uid"].as_str().filter(|_| call.reads_all(&Resource::PODS)) else {
            return Line::Pass;
        };
        if frame["type"] == "ADDED" {
            seen.came.insert(uid.to_owned());
        }
        if seen.went || frame["type"] != "DELETED" || !seen.came.contains(uid) {
            return Line::Pass;
        }
        (seen.went, seen.unlisted) = (true, true);
        Line::End
    }

    fn lag(&self, call: &Call) -> Duration {
        match self.outage {
            Outage::PodsLate if call.reads_all(&Resource::PODS) => PODS_LAG,
            Outage::JobsLate if call.reads_all(&Resource::JOBS) => JOBS_LAG,
            Outage::JobsVeryLate if call.reads_all(&Resource::JOBS) => JOBS_LONG_LAG,
            _ => Duration::ZERO,
        }
    }

    fn cut(&self, call: &Call) -> Option<Duration> {
        let first =
            self.outage == Outage::HistoryLost && call.reads_all(&Resource::PODS) && self.seen.open().watches == 1;
        first.then_some(FIRST_WATCH)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pod_that_goes_unseen_is_gone_from_the_next_list() {
        let outage = FaultInjector::of(Outage::GoingUnseen);
        let mut list = Call::list(&Resource::PODS);
        let mut watch = Call { query: "watch=true".to_owned(), ..list.clone() };
        let says = |kind: &str, uid: &str| {
            outage.line(&watch.clone(), &mut json!({"type": kind, "object": {"metadata": {"uid": uid}}}))
        };
        assert_eq!(says("DELETED", "of-somebody-else"), Line::Pass);
        assert_eq!((says("ADDED", "pod"), says("DELETED", "pod")), (Line::Pass, Line::End));
        assert!(matches!(outage.ask(&mut watch), Fate::Answered(answer) if answer.code == 410));
        assert!(matches!(outage.ask(&mut list), Fate::Send));
        assert!(matches!(outage.ask(&mut watch), Fate::Send));
        assert_eq!(
            outage.line(&watch, &mut json!({"type": "DELETED", "object": {"metadata": {"uid": "pod"}}})),
            Line::Pass
        );
    }
}
