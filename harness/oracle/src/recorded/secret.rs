//! Secrets, without what is secret in them.

use super::{Recorded, beside};
use crate::setting::Setting;
use jobsworth_api::Resource;
use k8s_openapi::{ByteString, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hasher as _},
};

/// Entries of a Volcano Job's Secret that everybody may read: the halves of a key pair that are handed out, and how it is used.
/// Under the same names others may keep what is theirs.
const PUBLIC: [&str; 3] = ["authorized_keys", "config", "id_rsa.pub"];

/// A Secret as it is kept: which entries it has, and whether they are still the same.
#[derive(Clone, Debug, Deserialize)]
pub struct Secret {
    /// Name, UID, owners.
    pub metadata: ObjectMeta,
    /// What it is for, for example `Opaque`.
    #[serde(rename = "type", default)]
    pub type_: Option<String>,
    /// Entries that everybody may read, as text.
    #[serde(default)]
    pub public: BTreeMap<String, String>,
    /// A mark of each other entry: equal where the content is, and nothing of it.
    #[serde(default)]
    pub withheld: BTreeMap<String, String>,
}

impl Recorded for Secret {
    const RESOURCE: Resource = Resource::SECRETS;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn served(setting: &Setting) -> Option<Resource> {
        beside::for_volcano(setting, Self::RESOURCE)
    }

    /// Timelines are handed on, so no key of anybody may stand in one.
    fn kept(mut object: Value) -> Value {
        let is_of_a_job = is_of_a_volcano_job(&object);
        let Some(fields) = object.as_object_mut() else { return object };
        let data = fields.remove("data").map(|data| ByteStrings::deserialize(data).unwrap_or_default());
        fields.remove("stringData");
        let (mut public, mut withheld) = (Map::new(), Map::new());
        for (key, ByteString(content)) in data.unwrap_or_default() {
            match is_of_a_job && PUBLIC.contains(&key.as_str()) {
                true => public.insert(key, String::from_utf8_lossy(&content).into()),
                false => withheld.insert(key, mark_of(&content).into()),
            };
        }
        fields.insert("public".to_owned(), public.into());
        fields.insert("withheld".to_owned(), withheld.into());
        // An applied manifest stands here a second time.
        if let Some(annotations) = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
        }
        object
    }
}

fn is_of_a_volcano_job(secret: &Value) -> bool {
    let owners = secret.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let version = Resource::VOLCANO_JOBS.api_version();
    owners.into_iter().flatten().any(|owner| owner["kind"] == "Job" && owner["apiVersion"] == version.as_str())
}

type ByteStrings = BTreeMap<String, ByteString>;

fn mark_of(content: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    format!("{} bytes, {:016x}", content.len(), hasher.finish())
}
