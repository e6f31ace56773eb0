//! Keys that are due: tenants take turns, and of a tenant's keys the smallest comes first ([`Order`]).
//!
//! Whoever makes ten thousand objects in a namespace waits for them; who makes one in another does not.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;

use tokio::time::Instant;

use crate::order::Order;

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
    lines: BTreeMap<K::Tenant, Order<(Instant, K)>>,
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

    /// Adds a key that is not there yet, with its size and since when it is due.
    pub(super) fn push(&mut self, since: Instant, key: K, size: u32) {
        let tenant = key.tenant();
        let line = self.lines.entry(tenant.clone()).or_default();
        if line.is_empty() {
            self.order.push_back(tenant);
        }
        line.push(size, (since, key));
        self.len = self.len.saturating_add(1);
    }

    /// The key whose turn it is, of those that are no larger than that: its size, since when it is due, and itself. Its tenant goes to
    /// the end.
    pub(super) fn pop(&mut self, at_most: u32) -> Option<(u32, Instant, K)> {
        let has = |tenant: &K::Tenant| self.lines.get(tenant).is_some_and(|line| line.has(at_most));
        let place = self.order.iter().position(has)?;
        let tenant = self.order.remove(place)?;
        let line = self.lines.get_mut(&tenant)?;
        let (size, (since, key)) = line.pop(at_most)?;
        if line.is_empty() {
            self.lines.remove(&tenant);
        } else {
            self.order.push_back(tenant);
        }
        self.len = self.len.saturating_sub(1);
        Some((size, since, key))
    }
}
