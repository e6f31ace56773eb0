//! Keys that are due: tenants take turns, and the keys of a tenant come in the order in which they became due.
//!
//! Whoever makes ten thousand objects in a namespace waits for them; who makes one in another does not.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;

use tokio::time::Instant;

/// A key that belongs to somebody.
pub trait Tenancy: Ord + Clone + Send + 'static {
    /// Who takes turns with others.
    type Tenant: Ord + Clone + Debug + Send;

    /// To whom this key belongs.
    fn tenant(&self) -> Self::Tenant;
}

/// Due keys, each once.
#[derive(Debug)]
pub(super) struct Turns<K: Tenancy> {
    /// Never an empty one.
    lines: BTreeMap<K::Tenant, VecDeque<(Instant, K)>>,
    /// All tenants of `lines`, the one whose turn it is first.
    order: VecDeque<K::Tenant>,
    len: usize,
}

impl<K: Tenancy> Turns<K> {
    pub(super) fn new() -> Self {
        Self { lines: BTreeMap::new(), order: VecDeque::new(), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a key that is not there yet, and since when it is due.
    pub(super) fn push(&mut self, since: Instant, key: K) {
        let tenant = key.tenant();
        let line = self.lines.entry(tenant.clone()).or_default();
        if line.is_empty() {
            self.order.push_back(tenant);
        }
        line.push_back((since, key));
        self.len = self.len.saturating_add(1);
    }

    /// The key whose turn it is, of those that may be given out. Its tenant goes to the end.
    pub(super) fn pop(&mut self, may: impl Fn(&K) -> bool) -> Option<(Instant, K)> {
        let turn = |tenant: &K::Tenant| {
            let line = self.lines.get(tenant)?;
            line.iter().position(|(_, key)| may(key))
        };
        let (place, at) = self.order.iter().enumerate().find_map(|(place, tenant)| Some((place, turn(tenant)?)))?;
        let tenant = self.order.remove(place)?;
        let line = self.lines.get_mut(&tenant)?;
        let found = line.remove(at)?;
        if line.is_empty() {
            self.lines.remove(&tenant);
        } else {
            self.order.push_back(tenant);
        }
        self.len = self.len.saturating_sub(1);
        Some(found)
    }
}
