//! Benches as ratios: an operation in our way next to a frozen naive one in the same run, so that a figure says something
//! about the code and not about the machine. [`print`] measures and shows time, ratio and allocations in one table.

use std::hint::black_box;

mod held;
mod table;

pub use held::{Held, held, print_held};
pub use table::print;

/// One run of an operation.
pub type Work = Box<dyn FnMut()>;

/// Both ways of doing something.
pub struct Sides {
    /// Ours.
    pub ours: Work,
    /// `None` where upstream has nothing like it.
    pub naive: Option<Work>,
}

impl std::fmt::Debug for Sides {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sides").field("naive", &self.naive.is_some()).finish_non_exhaustive()
    }
}

/// A row in which both ways are there. What they return is not optimised away.
pub fn row<A: 'static, B: 'static>(
    name: &str,
    ours: impl FnMut() -> A + 'static,
    naive: impl FnMut() -> B + 'static,
) -> (String, Sides) {
    (name.to_owned(), Sides { ours: work(ours), naive: Some(work(naive)) })
}

/// A row of ours alone.
pub fn alone<A: 'static>(name: &str, ours: impl FnMut() -> A + 'static) -> (String, Sides) {
    (name.to_owned(), Sides { ours: work(ours), naive: None })
}

fn work<A: 'static>(mut work: impl FnMut() -> A + 'static) -> Work {
    Box::new(move || drop(black_box(work())))
}
