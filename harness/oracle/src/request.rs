//! A request of the controller under test, as it was seen on its way to the API server.
//!
//! Watches show what was stored; this shows what was asked: refused writes, the version a write was computed from, what a deletion
//! insisted on, and what answer the controller got. Where nothing stands on that way it is read from the API server's audit log, which
//! tells less: never what came of a write, unless its policy says so.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// A request and what became of it. What does not apply is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// As whom it came: the name of the user.
    pub by: String,
    /// As in audit logs: `create`, `update`, `patch`, `delete`, `deletecollection`, `get`, `list`.
    pub verb: String,
    /// Resource and subresource, for example `jobs/status`.
    pub on: String,
    /// Name of the object, where the path has one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// When it came, in microseconds since the timeline's start.
    pub sent_us: u64,
    /// How long it took until the controller had its answer, or was left without one, in microseconds.
    pub took_us: u64,
    /// HTTP status of the answer that the controller got; absent where none reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// HTTP status of the API server's own answer, where the controller got another or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<u16>,
    /// What the case did to it, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// `message` of the Status object of a refusal.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
    /// Seconds of the answer's `Retry-After`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
    /// The resourceVersion that it carried: of the object in it, or as a precondition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// The UID that it insisted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// The resourceVersion of the object in the API server's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<u64>,
    /// What a patch says, where it is JSON and short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Arc<Value>>,
    /// How much of it there was to read, where it comes from the API server's audit log. Its times are then those of the API server: when
    /// the request was received, and how long it was worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audited: Option<AuditLevel>,
    /// Which instance of the controller it came from, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// Whom a Lease is given to, where that is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<Tenure>,
}

/// What a Lease of `coordination.k8s.io` says: who holds it, and for how long after a renewal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tenure {
    /// `holderIdentity`; empty where it is given back.
    pub holder: String,
    /// `leaseDurationSeconds`.
    pub seconds: u32,
}

/// How much a line of an audit log has of a request: the levels of `audit.k8s.io/v1`, by what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditLevel {
    /// Who, what, when, and the status of the answer.
    Metadata,
    /// What was sent, too.
    Request,
    /// What was answered, too.
    RequestResponse,
}

impl Request {
    /// Whether it was to change something.
    #[must_use]
    pub fn writes(&self) -> bool {
        !matches!(self.verb.as_str(), "get" | "list" | "watch")
    }

    /// Whether it is about who leads: an instance asks for that all the time, whatever there is to do, and though it be the only one.
    #[must_use]
    pub fn is_of_an_election(&self) -> bool {
        self.on == "leases"
    }

    /// When it came, since the timeline's start.
    #[must_use]
    pub const fn sent(&self) -> Duration {
        Duration::from_micros(self.sent_us)
    }

    /// What the API server made of it: its status, if it got there.
    #[must_use]
    pub fn applied(&self) -> Option<u16> {
        self.stored.or(self.code.filter(|_| self.fault.is_none()))
    }

    /// Whether the API server took it.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.applied().is_some_and(|code| (200..300).contains(&code))
    }

    /// Whether the API server itself, and nobody's doing, said no to it; with the status.
    #[must_use]
    pub fn refusal(&self) -> Option<u16> {
        self.applied().filter(|code| *code >= 400)
    }

    /// Whether what it carried is known: where it is not, the absence of a version or a UID says nothing.
    #[must_use]
    pub fn shows_its_body(&self) -> bool {
        self.audited != Some(AuditLevel::Metadata)
    }

    /// The earliest time at which the controller may have had the answer. When an audited request was done with is known by a clock of
    /// the API server that may have been read late.
    #[must_use]
    pub fn answered_at_the_earliest(&self) -> Duration {
        match self.audited {
            Some(_) => self.sent(),
            None => self.sent() + Duration::from_micros(self.took_us),
        }
    }

    /// Whether people want to see it beside what was stored: it came to nothing, or something was done to it.
    #[must_use]
    pub fn went_wrong(&self) -> bool {
        self.fault.is_some() || self.code.is_none_or(|code| code >= 400)
    }

    /// Verb, resource and name, for people.
    #[must_use]
    pub fn words(&self) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!(" {}", self.name) };
        let from = self.instance.as_ref().map(|instance| format!(" by the {instance} instance")).unwrap_or_default();
        format!("{} {}{name}{from}", self.verb, self.on)
    }
}
