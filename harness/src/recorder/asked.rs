//! The controller's requests in the book: as a proxy passes them on, or as an audit log has them afterwards.

use super::{Book, Cut, Recorder};
use crate::wire::Passed;
use jiff::Timestamp;
use jobsworth_oracle::{Fact, Request};
use std::time::Duration;
use tokio::{sync::mpsc::UnboundedReceiver, time::Instant};

/// More than that the clock of this machine does not leave the monotonic one behind within a case, unless somebody sets it.
const DRIFT: Duration = Duration::from_millis(50);

impl Recorder {
    /// Writes down the subject's requests, too, as they come in here.
    pub fn hear(&mut self, mut requests: UnboundedReceiver<Passed>) {
        let book = self.book();
        let asked = async move {
            while let Some(passed) = requests.recv().await {
                book.asked(passed);
            }
        };
        self.asked = Some(tokio::spawn(asked));
    }

    /// When the recording began, by the clock of this machine; nothing if that has been set since, and other times that it told cannot be
    /// compared with this one.
    pub(crate) fn began(&self) -> Option<Timestamp> {
        let passed = Timestamp::now().duration_since(self.began);
        let elapsed = jiff::SignedDuration::try_from(self.book.elapsed()).ok()?;
        ((passed - elapsed).unsigned_abs() <= DRIFT).then_some(self.began)
    }

    /// Writes down requests that were read from the API server's audit log, in the order in which they were over: each with what was
    /// known then, as if it had been told at once.
    pub(crate) fn enter_audited(&self, requests: Vec<Request>) {
        requests.into_iter().for_each(|request| self.book.audited(request));
    }
}

impl Book {
    /// Writes down a request of the subject. What it made is seen by a watch, too, sooner or later.
    pub(super) fn asked(&self, Passed { mut request, came }: Passed) {
        if !self.is_before_the_end(&request, came) {
            return;
        }
        let sent = came.saturating_duration_since(self.started.into_std());
        request.sent_us = u64::try_from(sent.as_micros()).unwrap_or(u64::MAX);
        let known = self.pages().world.revision;
        self.enter(request.made.unwrap_or(0).max(known), Fact::Request(request.into()));
    }

    /// Writes down a request whose times are known.
    pub(super) fn audited(&self, request: Request) {
        if !self.is_before_the_end(&request, self.started.into_std() + request.sent()) {
            return;
        }
        let over = request.sent() + Duration::from_micros(request.took_us);
        let known = self.pages().known_at(over);
        self.enter_at(request.made.unwrap_or(0).max(known), over, Fact::Request(request.into()));
    }

    /// Whether a request belongs to the recording, which from now on does not end before what it made.
    fn is_before_the_end(&self, request: &Request, came: std::time::Instant) -> bool {
        // One of which the answer comes after the end may have made what was seen before it.
        let is_later = |cut: Cut| request.made.map_or(came > Instant::into_std(cut.at), |made| made > cut.revision);
        let mut pages = self.pages();
        if pages.cut.is_some_and(is_later) {
            return false;
        }
        // Events may be kept in another store. What a read answers with is not of its making.
        if let Some(made) = request.made
            && request.writes()
            && !request.on.starts_with("events")
        {
            // Under the same lock: the recording does not end between a request and what it made.
            pages.seen.raise(made);
        }
        true
    }
}
