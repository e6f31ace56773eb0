//! An object as it was received, with the typed view that was made of it.

use super::{Kind, Line, Recorded};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    any::{Any, TypeId},
    fmt,
    ops::Deref,
    sync::Arc,
};

/// An object as it was received, and a typed view of it.
///
/// The raw JSON is the evidence: a field that the typed view does not know is still there.
#[derive(Debug)]
pub struct Seen<T> {
    /// The JSON as received.
    pub raw: Arc<Value>,
    typed: Arc<T>,
}

impl<T: DeserializeOwned> Seen<T> {
    /// Makes the typed view of `raw`.
    ///
    /// # Errors
    /// When `raw` does not have the shape of a `T`.
    pub fn new(raw: Value) -> Result<Self, serde_json::Error> {
        let typed = T::deserialize(&raw)?;
        Ok(Self { raw: Arc::new(raw), typed: Arc::new(typed) })
    }
}

/// Both parts are shared, whatever `T` is.
impl<T> Clone for Seen<T> {
    fn clone(&self) -> Self {
        Self { raw: self.raw.clone(), typed: self.typed.clone() }
    }
}

impl<T> Deref for Seen<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.typed
    }
}

/// An object of a kind that this program does not know: a timeline of another version may have such.
#[derive(Clone, Debug, Deserialize)]
pub struct Object {
    /// For example `PodGroup`.
    pub kind: String,
    /// Name, UID, owners.
    pub metadata: ObjectMeta,
}

/// An object of whatever kind that is recorded.
#[derive(Clone, Debug)]
pub struct Sighting(Arc<dyn Viewed>);

/// What is known of an object whatever its kind.
trait Viewed: Any + fmt::Debug + Send + Sync {
    fn raw(&self) -> &Arc<Value>;
    fn metadata(&self) -> &ObjectMeta;
    fn kind(&self) -> &str;
    fn line(&self) -> Line;
}

impl<K: Recorded> Viewed for Seen<K> {
    fn raw(&self) -> &Arc<Value> {
        &self.raw
    }

    fn metadata(&self) -> &ObjectMeta {
        self.typed.metadata()
    }

    fn kind(&self) -> &str {
        const { &K::RESOURCE }.kind.as_ref()
    }

    fn line(&self) -> Line {
        K::LINE
    }
}

impl Viewed for Seen<Object> {
    fn raw(&self) -> &Arc<Value> {
        &self.raw
    }

    fn metadata(&self) -> &ObjectMeta {
        &self.typed.metadata
    }

    fn kind(&self) -> &str {
        &self.typed.kind
    }

    fn line(&self) -> Line {
        Line::Object
    }
}

impl<K: Recorded> From<Seen<K>> for Sighting {
    fn from(seen: Seen<K>) -> Self {
        Self(Arc::new(seen))
    }
}

impl Sighting {
    /// The object that says itself what it is.
    ///
    /// # Errors
    /// When it does not have the shape of its kind, or of any object.
    pub fn of_any_kind(object: Value) -> Result<Self, serde_json::Error> {
        match Kind::told_by(&object) {
            Some(kind) => kind.view(object),
            None => Ok(Self(Arc::new(Seen::<Object>::new(object)?))),
        }
    }

    /// It as a `K`, if it is one.
    #[must_use]
    pub fn of<K: Recorded>(&self) -> Option<&Seen<K>> {
        let any: &dyn Any = &*self.0;
        any.downcast_ref()
    }

    /// The JSON as received.
    #[must_use]
    pub fn raw(&self) -> &Arc<Value> {
        self.0.raw()
    }

    /// Name, UID, owners.
    #[must_use]
    pub fn metadata(&self) -> &ObjectMeta {
        self.0.metadata()
    }

    /// For people, for example `PodGroup`.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.kind()
    }

    /// Its name; empty where it has none yet.
    #[must_use]
    pub fn name(&self) -> &str {
        self.metadata().name.as_deref().unwrap_or_default()
    }

    /// Its UID; empty where it has none yet.
    #[must_use]
    pub fn uid(&self) -> &str {
        self.metadata().uid.as_deref().unwrap_or_default()
    }

    pub(crate) fn line(&self) -> Line {
        self.0.line()
    }

    /// What tells kinds apart.
    pub(crate) fn view(&self) -> TypeId {
        let any: &dyn Any = &*self.0;
        any.type_id()
    }

    pub(crate) fn view_of<K: Recorded>() -> TypeId {
        TypeId::of::<Seen<K>>()
    }
}
