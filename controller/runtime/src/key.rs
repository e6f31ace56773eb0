//! What objects with a namespace are known by.

use std::sync::Arc;

use crate::queue::Tenancy;

/// A `metadata.uid`. It never comes back, other than a name.
pub type Uid = Arc<str>;

/// Namespace and name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// `metadata.namespace`.
    pub namespace: Arc<str>,
    /// `metadata.name`.
    pub name: Arc<str>,
}

/// Namespaces take turns.
impl Tenancy for Key {
    type Tenant = Arc<str>;

    fn tenant(&self) -> Arc<str> {
        Arc::clone(&self.namespace)
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}
