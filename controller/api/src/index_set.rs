//! Completion indexes as a set of ranges, and the text form that the API uses for them.

use std::{fmt, str::FromStr};

/// A set of completion indexes.
///
/// The cost of every operation depends on the number of ranges, never on the
/// size of the indexes: a Job with 2^31-1 completions costs nothing extra.
///
/// *Source*: KEP-2214, IDX-014 to IDX-016.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct IndexSet {
    /// Ascending, disjoint, not adjacent; both ends inclusive.
    ranges: Vec<(u32, u32)>,
}

/// Why a text is not a set of indexes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexSetError {
    /// A part between commas is neither a number nor `first-last`.
    #[error("`{0}` is neither an index nor a range of indexes")]
    Malformed(String),
    /// A range whose end is not above its start.
    #[error("`{0}` does not ascend")]
    NotAscending(String),
    /// A part that starts at or below the end of the part before it.
    #[error("`{0}` is not above the indexes before it")]
    NotIncreasing(String),
}

impl IndexSet {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self { ranges: Vec::new() }
    }

    /// The indexes `0..count`.
    #[must_use]
    pub fn below(count: u32) -> Self {
        match count {
            0 => Self::new(),
            n => Self { ranges: vec![(0, n - 1)] },
        }
    }

    /// How many indexes are in the set.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.ranges.iter().map(|(first, last)| u64::from(last - first) + 1).sum()
    }

    /// Whether there is no index in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether `index` is in the set.
    #[must_use]
    pub fn contains(&self, index: u32) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= index);
        after > 0 && self.ranges[after - 1].1 >= index
    }

    /// The highest index.
    #[must_use]
    pub fn last(&self) -> Option<u32> {
        self.ranges.last().map(|(_, last)| *last)
    }

    /// The ranges, ascending, both ends inclusive.
    pub fn ranges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.ranges.iter().copied()
    }

    /// Every index, ascending. As long as the set is large: for small sets.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// Adds one index; false when it was there already.
    pub fn insert(&mut self, index: u32) -> bool {
        if self.contains(index) {
            return false;
        }
        let at = self.ranges.partition_point(|(first, _)| *first < index);
        let joins_before = at > 0 && self.ranges[at - 1].1 + 1 == index;
        let joins_after = self.ranges.get(at).is_some_and(|(first, _)| *first - 1 == index);
        match (joins_before, joins_after) {
            (true, true) => {
                self.ranges[at - 1].1 = self.ranges[at].1;
                self.ranges.remove(at);
            }
            (true, false) => self.ranges[at - 1].1 = index,
            (false, true) => self.ranges[at].0 = index,
            (false, false) => self.ranges.insert(at, (index, index)),
        }
        true
    }

    /// The indexes in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut ranges = [self.ranges.as_slice(), other.ranges.as_slice()].concat();
        // The stable sort finds the two runs and merges them in one pass.
        ranges.sort();
        Self { ranges: joined(ranges) }
    }

    /// The indexes in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (mut left, mut right) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        let mut ranges = Vec::new();
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let (first, last) = (a.0.max(b.0), a.1.min(b.1));
            if first <= last {
                ranges.push((first, last));
            }
            if a.1 < b.1 {
                left.next()
            } else {
                right.next()
            };
        }
        Self { ranges: joined(ranges) }
    }

    /// The indexes of this set that `other` does not have.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let mut gone = other.ranges.as_slice();
        for (first, last) in self.ranges() {
            let mut from = first;
            while let Some((gone_first, gone_last)) = gone.first().copied().filter(|range| range.0 <= last) {
                if gone_first > from {
                    ranges.push((from, gone_first - 1));
                }
                from = from.max(gone_last.saturating_add(1));
                if gone_last >= last {
                    break;
                }
                gone = &gone[1..];
            }
            let covered = gone.first().is_some_and(|range| range.0 <= last && range.1 >= last);
            if !covered && from <= last {
                ranges.push((from, last));
            }
        }
        Self { ranges }
    }

    /// Whether every index of this set is in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        let mut others = other.ranges.iter().peekable();
        self.ranges.iter().all(|(first, last)| {
            while others.next_if(|range| range.1 < *first).is_some() {}
            others.peek().is_some_and(|range| range.0 <= *first && *last <= range.1)
        })
    }

    /// How many indexes are in both sets.
    #[must_use]
    pub fn shared(&self, other: &Self) -> u64 {
        let (mut left, mut right) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        let mut count = 0;
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let (first, last) = (a.0.max(b.0), a.1.min(b.1));
            if first <= last {
                count += u64::from(last - first) + 1;
            }
            if a.1 < b.1 {
                left.next()
            } else {
                right.next()
            };
        }
        count
    }

    /// The indexes of this set that are below `limit`.
    #[must_use]
    pub fn clipped(&self, limit: u32) -> Self {
        self.intersection(&Self::below(limit))
    }

    /// Reads a status text the way the built-in controller does (IDX-015):
    /// broken parts are left out, reading stops at the first part that starts
    /// at or above `completions`, ends are clipped to `completions - 1`.
    #[must_use]
    pub fn parse_lenient(text: &str, completions: u32) -> Self {
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let Ok((first, last)) = parse_range(part) else { continue };
            if first >= completions {
                break;
            }
            ranges.push((first, last.min(completions - 1)));
        }
        ranges.sort_unstable();
        Self { ranges: joined(ranges) }
    }
}

/// Joins neighbours and overlaps of ranges that are sorted by their start.
fn joined(sorted: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::with_capacity(sorted.len());
    for (first, last) in sorted {
        match ranges.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => ranges.push((first, last)),
        }
    }
    ranges
}

fn parse_range(part: &str) -> Result<(u32, u32), IndexSetError> {
    let malformed = || IndexSetError::Malformed(part.to_owned());
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse::<u32>().ok()).flatten().ok_or_else(malformed)
    };
    match part.split_once('-') {
        None => number(part).map(|index| (index, index)),
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            if first < last { Ok((first, last)) } else { Err(IndexSetError::NotAscending(part.to_owned())) }
        }
    }
}

impl FromStr for IndexSet {
    type Err = IndexSetError;

    /// Reads the format that specs and statuses are validated against (VAL-019, VST-204).
    /// The empty text is the empty set.
    fn from_str(text: &str) -> Result<Self, IndexSetError> {
        if text.is_empty() {
            return Ok(Self::new());
        }
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for part in text.split(',') {
            let range = parse_range(part)?;
            if ranges.last().is_some_and(|before| range.0 <= before.1) {
                return Err(IndexSetError::NotIncreasing(part.to_owned()));
            }
            ranges.push(range);
        }
        Ok(Self { ranges: joined(ranges) })
    }
}

impl fmt::Display for IndexSet {
    /// `1,3-5,7,8`: two neighbours are listed, three or more become a range (IDX-014).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (first, last)) in self.ranges().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            match last - first {
                0 => write!(f, "{comma}{first}")?,
                1 => write!(f, "{comma}{first},{last}")?,
                _ => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

impl FromIterator<u32> for IndexSet {
    fn from_iter<I: IntoIterator<Item = u32>>(indexes: I) -> Self {
        let mut ranges: Vec<_> = indexes.into_iter().map(|index| (index, index)).collect();
        ranges.sort_unstable();
        Self { ranges: joined(ranges) }
    }
}

#[cfg(test)]
mod tests;
