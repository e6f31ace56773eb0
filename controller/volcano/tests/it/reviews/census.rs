//! How many reviews there were of each class, and what became of them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::ask::ABOUT;
use super::judge::Outcome;
use super::review::Class;

/// From so many on every class has its share, and every huge one has been.
const ENOUGH: u64 = 250 * super::huge::KINDS;

/// One review and what became of it.
pub struct Entry {
    pub class: Class,
    pub path: &'static str,
    pub outcome: Outcome,
    pub took: Duration,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    Allowed,
    Refused,
    Unreadable,
}

const COLUMNS: [Column; 3] = [Column::Allowed, Column::Refused, Column::Unreadable];

#[derive(Default)]
pub struct Census {
    classes: BTreeMap<(Class, Column), u64>,
    paths: BTreeMap<(&'static str, Column), u64>,
    slowest: Duration,
}

impl Census {
    pub fn take(&mut self, entry: &Entry) {
        let column = match entry.outcome {
            Outcome::Allowed(_) => Column::Allowed,
            Outcome::Refused => Column::Refused,
            Outcome::Unreadable => Column::Unreadable,
        };
        *self.classes.entry((entry.class, column)).or_default() += 1;
        *self.paths.entry((entry.path, column)).or_default() += 1;
        self.slowest = self.slowest.max(entry.took);
    }

    fn of(&self, class: Class, column: Column) -> u64 {
        self.classes.get(&(class, column)).copied().unwrap_or_default()
    }

    fn all(&self, class: Class) -> u64 {
        COLUMNS.iter().map(|column| self.of(class, *column)).sum()
    }

    /// The table, for whoever wants to quote it.
    pub fn table(&self, seed: u64, took: Duration) -> String {
        let total: u64 = self.classes.values().sum();
        let mut text = format!("{total} reviews of seed {seed} in {took:.1?}, the slowest in {:.1?}\n", self.slowest);
        text += &format!("{:<12} {:>8} {:>8} {:>8} {:>10}\n", "", "made", "allowed", "refused", "unreadable");
        for class in Class::ALL {
            let [allowed, refused, unreadable] = COLUMNS.map(|column| self.of(class, column));
            let name = format!("{class:?}").to_lowercase();
            text += &format!("{name:<12} {:>8} {allowed:>8} {refused:>8} {unreadable:>10}\n", self.all(class));
        }
        text
    }

    /// That there was something to judge: every class, every answer, at every path. Too few reviews, as when one of them is repeated,
    /// need not have it all.
    pub fn assert_enough(&self) {
        let total: u64 = self.classes.values().sum();
        if total < ENOUGH {
            return;
        }
        for class in Class::ALL {
            assert!(self.all(class) * 300 >= total, "{class:?} has too small a share");
        }
        for column in COLUMNS {
            for class in [Class::Mutated, Class::Huge] {
                assert!(self.of(class, column) > 0, "no {class:?} review is {column:?}");
            }
        }
        assert_eq!(self.of(Class::Valid, Column::Allowed), self.all(Class::Valid));
        assert_eq!(self.of(Class::Truncated, Column::Unreadable), self.all(Class::Truncated));
        for (path, _) in ABOUT {
            for column in COLUMNS {
                assert!(self.paths.contains_key(&(path, column)), "nothing at {path} is {column:?}");
            }
        }
    }
}
