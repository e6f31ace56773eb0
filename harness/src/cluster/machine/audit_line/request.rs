//! From a line of the audit log to a request on a timeline, as the proxy would have written it down, as far as the line goes.

use jiff::Timestamp;
use jobsworth_api::RequestPath;
use jobsworth_oracle::{AuditLevel, Request};
use serde_json::Value;

use super::AuditLine;
use crate::wire::Content;

/// A line with this annotation has lost its bodies: it was too long for the log.
const TRUNCATED: &str = "audit.k8s.io/truncated";

impl AuditLine {
    /// The request of a line as it goes onto a timeline that began at `started`, and the namespace that it is about. Nothing for a watch,
    /// which ends when its client does; nor for what is about no namespace, is not over, or came before.
    #[must_use]
    pub fn asked(&self, started: Timestamp) -> Option<(String, Request)> {
        let path = RequestPath::parse(self.request_uri.split('?').next()?)?;
        let namespace = path.namespace.as_deref()?.to_owned();
        if self.verb == "watch" || self.stage != "ResponseComplete" {
            return None;
        }
        let micros = |since: Timestamp, to: Timestamp| u64::try_from(to.as_microsecond() - since.as_microsecond()).ok();
        let sent_us = micros(started, self.request_received_timestamp)?;
        let took_us = self.stage_timestamp.and_then(|over| micros(self.request_received_timestamp, over));
        let (sent, answered) = (self.sent(), self.answered());
        let answer = answered.clone().unwrap_or_default();
        let audited = match (&sent, &answered) {
            (_, Some(_)) => AuditLevel::RequestResponse,
            (Some(_), None) => AuditLevel::Request,
            (None, None) => AuditLevel::Metadata,
        };
        let body = sent.unwrap_or_default();
        let status = self.response_status.as_ref();
        let request = Request {
            by: self.user().to_owned(),
            verb: self.verb.clone(),
            on: path.words(),
            name: self.name_of(&path),
            sent_us,
            took_us: took_us.unwrap_or_default(),
            code: Some(self.code()).filter(|code| *code != 0),
            says: status.map(|status| status.message.clone()).unwrap_or_default(),
            retry_after: status.and_then(|status| status.details.as_ref()?.retry_after_seconds),
            from: body.revision,
            uid: body.uid,
            made: answer.revision,
            patch: body.patch.filter(|_| path.plural != "secrets"),
            audited: Some(audited),
            ..Request::default()
        };
        Some((namespace, request))
    }

    /// The name in the path. A new Event has none there, and what it is about is told by its own, which the log has.
    fn name_of(&self, path: &RequestPath<'_>) -> String {
        let named = path.name.as_deref();
        let of_event =
            || self.object_ref.as_ref().filter(|_| path.plural == "events").map(|object| object.name.as_str());
        named.or_else(of_event).unwrap_or_default().to_owned()
    }

    /// What was sent, where the line has that. A deletion without a body looks as if it had not been written down.
    fn sent(&self) -> Option<Content> {
        let kind = if self.verb == "patch" { "application/merge-patch+json" } else { "application/json" };
        self.content(self.request_object.as_ref()?, kind)
    }

    fn answered(&self) -> Option<Content> {
        self.content(self.response_object.as_ref()?, "application/json")
    }

    fn content(&self, body: &Value, kind: &str) -> Option<Content> {
        let is_whole = !self.annotations.contains_key(TRUNCATED);
        is_whole.then(|| serde_json::to_vec(body).ok()).flatten().map(|body| Content::read(kind, &body))
    }
}

#[cfg(test)]
mod tests;
