//! What passed a proxy, in order, and what is to be done to what comes next.

use super::request_target::{Kind, RequestTarget};
use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use tokio::sync::watch;

/// What is done at one write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The controller is killed and started again; the write never reaches the API server (F18).
    CrashBefore,
    /// The write is applied, then the controller is killed and started again (F18).
    CrashAfter,
    /// The write is applied; the connection is closed instead of an answer (F11).
    AnswerLost,
    /// The write is applied; the answer is 504 (F04).
    AppliedThen504,
    /// The write never reaches the API server; the answer is this status (F01, F02, F04, F05).
    Answer(u16),
    /// The controller is stopped in its tracks while the write is applied; it goes on when told to (F20).
    Pause,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CrashBefore => f.pad("crash before"),
            Self::CrashAfter => f.pad("crash after"),
            Self::AnswerLost => f.pad("answer lost"),
            Self::AppliedThen504 => f.pad("applied, 504"),
            Self::Answer(code) => f.pad(&code.to_string()),
            Self::Pause => f.pad("pause"),
        }
    }
}

/// What happens to every request, for as long as it lasts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkFault {
    /// Nothing.
    #[default]
    Fair,
    /// Everything is answered with this status, and nothing gets through.
    Refusing(u16),
    /// Watches are answered with this status; everything else gets through (F15).
    RefusingWatches(u16),
}

/// One request that changes something, and what became of it.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Its number among the writes to Jobs and pods, from 1; 0 for leases and events.
    pub number: u32,
    /// Which kind.
    pub kind: Kind,
    /// Method, resource and subresource.
    pub what: String,
    /// When it came.
    pub arrived: Instant,
    /// When the API server answered, and with which status; nothing if it never got there.
    pub answered: Option<(Instant, u16)>,
    /// What was done to it.
    pub fault: Option<Fault>,
}

/// The requests of one proxy.
#[derive(Debug)]
pub struct RequestLog {
    page: Mutex<Page>,
    cut: watch::Sender<u64>,
    struck: watch::Sender<Option<Fault>>,
}

#[derive(Debug, Default)]
struct Page {
    armed: Option<(u32, Fault)>,
    counted: u32,
    network_fault: NetworkFault,
    refusals: u32,
    passages: Vec<Passage>,
}

/// What is to be done with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Its place in the log, if it has one.
    pub place: Option<usize>,
    /// What is done.
    pub fault: Option<Fault>,
}

impl Default for RequestLog {
    fn default() -> Self {
        Self { page: Mutex::default(), cut: watch::Sender::new(0), struck: watch::Sender::new(None) }
    }
}

impl RequestLog {
    /// At write `number`, do `fault`. There is one at a time.
    pub fn arm(&self, number: u32, fault: Fault) {
        self.page().armed = Some((number, fault));
    }

    /// At the next write, do `fault`.
    pub fn arm_next(&self, fault: Fault) {
        let mut page = self.page();
        page.armed = Some((page.counted + 1, fault));
    }

    /// Does nothing to what comes, after all.
    pub fn disarm(&self) {
        self.page().armed = None;
    }

    /// From now on this is wrong with the network.
    pub fn set_network_fault(&self, network_fault: NetworkFault) {
        self.page().network_fault = network_fault;
    }

    /// How many requests were refused by what is wrong with the network.
    #[must_use]
    pub fn refusals(&self) -> u32 {
        self.page().refusals
    }

    /// How many writes to Jobs and pods came so far.
    #[must_use]
    pub fn writes(&self) -> u32 {
        self.page().counted
    }

    /// Everything that changed something, or tried to, in order of arrival.
    #[must_use]
    pub fn passages(&self) -> Vec<Passage> {
        self.page().passages.clone()
    }

    /// Cuts every watch that is open now, in the middle of whatever it says (F13).
    pub fn cut_watches(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }

    /// The fault that was armed, once it has been done.
    pub fn struck(&self) -> watch::Receiver<Option<Fault>> {
        self.struck.subscribe()
    }

    pub(super) fn cuts(&self) -> watch::Receiver<u64> {
        self.cut.subscribe()
    }

    /// A request comes: it is written down if it changes something, and the order for it is given.
    pub(super) fn arrives(&self, target: &RequestTarget) -> Order {
        let mut page = self.page();
        let refused = match page.network_fault {
            NetworkFault::Refusing(code) => Some(code),
            NetworkFault::RefusingWatches(code) if target.kind == Kind::Watch => Some(code),
            NetworkFault::RefusingWatches(_) | NetworkFault::Fair => None,
        };
        page.refusals += u32::from(refused.is_some());
        if !target.kind.changes() {
            return Order { place: None, fault: refused.map(Fault::Answer) };
        }
        let number = if target.kind == Kind::Write {
            page.counted += 1;
            page.counted
        } else {
            0
        };
        let meant = page.armed.take_if(|(at, _)| number != 0 && *at == number).map(|(_, fault)| fault);
        let fault = meant.or(refused.map(Fault::Answer));
        page.passages.push(Passage {
            number,
            kind: target.kind,
            what: target.what.clone(),
            arrived: Instant::now(),
            answered: None,
            fault,
        });
        Order { place: Some(page.passages.len() - 1), fault }
    }

    /// The API server has answered the request at `place`.
    pub(super) fn answered(&self, place: Option<usize>, code: u16) {
        let mut page = self.page();
        if let Some(passage) = place.and_then(|place| page.passages.get_mut(place)) {
            passage.answered = Some((Instant::now(), code));
        }
    }

    /// The armed fault has been done.
    pub(super) fn done(&self, fault: Fault) {
        self.struck.send_replace(Some(fault));
    }

    fn page(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(kind: Kind) -> RequestTarget {
        RequestTarget { kind, what: "POST pods".to_owned() }
    }

    #[test]
    fn only_writes_to_jobs_and_pods_are_numbered() {
        let requests = RequestLog::default();
        requests.arm(2, Fault::AnswerLost);
        let faults: Vec<_> = [Kind::Write, Kind::Notice, Kind::Election, Kind::Read, Kind::Write, Kind::Write]
            .map(|kind| requests.arrives(&target(kind)).fault)
            .to_vec();
        assert_eq!(faults, [None, None, None, None, Some(Fault::AnswerLost), None]);
        assert_eq!(requests.writes(), 3);
        assert_eq!(requests.passages().len(), 5);
    }

    #[test]
    fn weather_is_for_everyone_until_it_changes() {
        let requests = RequestLog::default();
        requests.set_network_fault(NetworkFault::RefusingWatches(410));
        assert_eq!(requests.arrives(&target(Kind::Watch)).fault, Some(Fault::Answer(410)));
        assert_eq!(requests.arrives(&target(Kind::Read)).fault, None);
        requests.set_network_fault(NetworkFault::Refusing(503));
        assert_eq!(requests.arrives(&target(Kind::Read)).fault, Some(Fault::Answer(503)));
        requests.set_network_fault(NetworkFault::Fair);
        assert_eq!(requests.arrives(&target(Kind::Watch)).fault, None);
        assert_eq!(requests.refusals(), 2);
    }
}
