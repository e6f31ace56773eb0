//! Cells that stay prepared while this process has cases for them: those that run alone, and those with a fault proxy.

use super::LabError;
use crate::run::prepared_cell::PreparedCell;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::OnceCell;

/// A cell that is being prepared, or is.
type Slot = Arc<OnceCell<Arc<PreparedCell>>>;

/// Cells by name.
#[derive(Default)]
pub(super) struct KeptCells {
    slots: Mutex<BTreeMap<String, Slot>>,
    /// Nobody begins on these any more.
    retired: Mutex<Vec<Arc<PreparedCell>>>,
}

impl KeptCells {
    /// The cell of that name; who comes first prepares it, the others wait for that.
    ///
    /// # Errors
    /// Those of `prepare`; who comes next tries again.
    pub async fn cell<P>(&self, name: &str, prepare: impl FnOnce() -> P) -> Result<Arc<PreparedCell>, LabError>
    where
        P: Future<Output = Result<PreparedCell, LabError>>,
    {
        let slot = Arc::clone(locked(&self.slots).entry(name.to_owned()).or_default());
        slot.get_or_try_init(async || prepare().await.map(Arc::new)).await.cloned()
    }

    /// A case that did not hold may leave anything behind: the next ones get another cluster.
    pub fn retire(&self, cell: &Arc<PreparedCell>) {
        let is_other = |slot: &Slot| slot.get().is_none_or(|prepared| !Arc::ptr_eq(prepared, cell));
        let mut slots = locked(&self.slots);
        let before = slots.len();
        slots.retain(|_, slot| is_other(slot));
        if slots.len() < before {
            locked(&self.retired).push(Arc::clone(cell));
        }
    }

    /// Takes all of them down.
    ///
    /// # Errors
    /// The first, after all were tried.
    pub async fn close(&self) -> Result<(), LabError> {
        let slots = std::mem::take(&mut *locked(&self.slots));
        let retired = std::mem::take(&mut *locked(&self.retired));
        let prepared = slots.into_values().filter_map(|slot| Arc::into_inner(slot)?.into_inner()).chain(retired);
        let mut ends = Vec::new();
        for cell in prepared.filter_map(Arc::into_inner) {
            ends.push(cell.cluster.destroy().await.map_err(|error| super::in_full(&error)));
        }
        ends.into_iter().collect()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
