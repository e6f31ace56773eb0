//! What is kept of a version: all that any invariant reads, and little else.

use std::borrow::Cow;
use std::time::Duration;

use jobsworth_oracle::{Entry, Fact, Seen};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{Kind, SeenVersion};
use crate::load::sightings::Presence;

/// A version of an object in an open history.
#[derive(Debug)]
pub(super) struct Version {
    revision: u64,
    at: Duration,
    kind: Kind,
    presence: Presence,
    json: Box<str>,
}

/// The parts of an object's JSON. Two thirds of a pod say who wrote which field and what its containers are; neither changes.
#[derive(Deserialize, Serialize)]
struct Parts<'a> {
    #[serde(borrow)]
    metadata: Meta<'a>,
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    spec: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    status: Option<&'a RawValue>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Meta<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    namespace: Cow<'a, str>,
    #[serde(borrow)]
    uid: Cow<'a, str>,
    #[serde(borrow)]
    resource_version: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    generation: Option<i64>,
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    generate_name: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    creation_timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    deletion_timestamp: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    deletion_grace_period_seconds: Option<i64>,
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    labels: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    annotations: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    owner_references: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    finalizers: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none", default)]
    managed_fields: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Owner {
    uid: String,
    #[serde(default)]
    controller: bool,
}

/// Whose history a version belongs to.
pub(super) struct Identity {
    /// The object's UID.
    pub uid: String,
    /// The UID of its controller, if it has one.
    pub controller: Option<String>,
}

/// Which of an object's versions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nth {
    First,
    Later,
}

/// Who an object is; nothing for what is no object.
pub(super) fn identity(seen: &SeenVersion) -> Option<Identity> {
    let parts: Parts<'_> = serde_json::from_str(seen.object.get()).ok()?;
    let owners: Vec<Owner> = match parts.metadata.owner_references {
        Some(owners) => serde_json::from_str(owners.get()).ok()?,
        None => Vec::new(),
    };
    let controller = owners.into_iter().find(|owner| owner.controller).map(|owner| owner.uid);
    Some(Identity { uid: parts.metadata.uid.into_owned(), controller })
}

impl Version {
    /// Of what arrived. Only the first version of a pod says what it is made of, and by whom.
    pub(super) fn of(seen: &SeenVersion, nth: Nth) -> Option<Self> {
        let mut parts: Parts<'_> = serde_json::from_str(seen.object.get()).ok()?;
        let revision = parts.metadata.resource_version.parse().ok()?;
        if seen.kind == Kind::Pod && nth == Nth::Later {
            parts.spec = None;
            parts.metadata.managed_fields = None;
        }
        let json = serde_json::to_string(&parts).ok()?.into_boxed_str();
        Some(Self { revision, at: seen.at, kind: seen.kind, presence: seen.presence, json })
    }

    /// How many bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        self.json.len() + size_of::<Self>()
    }

    /// As a timeline has it.
    pub(super) fn entry(&self) -> Option<Entry> {
        let fact = match self.kind {
            Kind::Job => fact::<Job>(&self.json, self.presence)?,
            Kind::Pod => fact::<Pod>(&self.json, self.presence)?,
        };
        Some(Entry { revision: self.revision, at: self.at, fact })
    }
}

fn fact<K: jobsworth_oracle::Recorded + DeserializeOwned>(json: &str, presence: Presence) -> Option<Fact> {
    let seen = Seen::<K>::new(serde_json::from_str(json).ok()?).ok()?;
    Some(match presence {
        Presence::There => Fact::there(seen),
        Presence::Gone => Fact::gone(seen),
    })
}
