//! Completion indexes as a set of ranges, and the text form that the API uses for them.

mod text;

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
    /// How many indexes the ranges hold.
    count: u64,
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
        Self { ranges: Vec::new(), count: 0 }
    }

    /// The indexes `0..count`.
    #[must_use]
    pub fn below(count: u32) -> Self {
        match count {
            0 => Self::new(),
            n => Self { ranges: vec![(0, n.saturating_sub(1))], count: u64::from(n) },
        }
    }

    /// Ranges that are ascending, disjoint and not adjacent.
    fn of(ranges: Vec<(u32, u32)>) -> Self {
        let count = ranges.iter().copied().map(width).sum();
        Self { ranges, count }
    }

    /// How many indexes are in the set.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.count
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
        self.ranges[..after].last().is_some_and(|(_, last)| *last >= index)
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
        self.count = self.count.saturating_add(1);
        let at = self.ranges.partition_point(|(first, _)| *first < index);
        let (before, after) = self.ranges.split_at_mut(at);
        let before = before.last_mut().filter(|(_, last)| last.checked_add(1) == Some(index));
        let after = after.first_mut().filter(|(first, _)| first.checked_sub(1) == Some(index));
        match (before, after) {
            (Some(before), Some(after)) => {
                before.1 = after.1;
                self.ranges.remove(at);
            }
            (Some(before), None) => before.1 = index,
            (None, Some(after)) => after.0 = index,
            (None, None) => self.ranges.insert(at, (index, index)),
        }
        true
    }

    /// The indexes in either set. What lies between the ranges of the smaller set is copied as it is, so that a few new
    /// indexes cost little more than the copy.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (large, small) = if self.ranges.len() < other.ranges.len() { (other, self) } else { (self, other) };
        let mut ranges = Vec::with_capacity(large.ranges.len().saturating_add(small.ranges.len()));
        let mut rest = large.ranges.as_slice();
        for (first, last) in small.ranges() {
            let apart = leading(rest, |range| range.1 < first.saturating_sub(1));
            ranges.extend_from_slice(&rest[..apart]);
            let mut end = join(&mut ranges, (first, last));
            rest = &rest[apart..];
            while let Some((range, after)) = rest.split_first().filter(|(range, _)| range.0 <= end.saturating_add(1)) {
                end = join(&mut ranges, *range);
                rest = after;
            }
        }
        ranges.extend_from_slice(rest);
        Self::of(ranges)
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
        Self::of(joined(ranges))
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
                    ranges.push((from, gone_first.saturating_sub(1)));
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
        Self::of(ranges)
    }

    /// The lowest indexes below `below` that are not in the set, at most so many. What lies above them is not looked at.
    #[must_use]
    pub fn missing(&self, below: u32, count: usize) -> Vec<u32> {
        let mut missing = Vec::with_capacity(count.min(below as usize));
        let mut next = 0;
        let ends = self.ranges().chain(std::iter::once((below, below)));
        for (first, last) in ends {
            let free = next..first.min(below);
            missing.extend(free.take(count.saturating_sub(missing.len())));
            if missing.len() >= count || last >= below {
                break;
            }
            next = last.saturating_add(1);
        }
        missing
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
                count = width((first, last)).saturating_add(count);
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
        let below = self.ranges.partition_point(|(first, _)| *first < limit);
        let mut ranges = self.ranges[..below].to_vec();
        if let Some(last) = ranges.last_mut() {
            last.1 = last.1.min(limit.saturating_sub(1));
        }
        Self::of(ranges)
    }

    /// Reads a status text the way the built-in controller does (IDX-015):
    /// broken parts are left out, reading stops at the first part that starts
    /// at or above `completions`, ends are clipped to `completions - 1`.
    #[must_use]
    pub fn parse_lenient(text: &str, completions: u32) -> Self {
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let Ok((first, last)) = text::range(part) else { continue };
            if first >= completions {
                break;
            }
            ranges.push((first, last.min(completions.saturating_sub(1))));
        }
        ranges.sort_unstable();
        Self::of(joined(ranges))
    }
}

/// How many indexes a range holds.
fn width((first, last): (u32, u32)) -> u64 {
    u64::from(last.saturating_sub(first)).saturating_add(1)
}

/// How many of the first ranges are so, found in steps that double: what is near is found at once.
fn leading(ranges: &[(u32, u32)], is_so: impl Fn(&(u32, u32)) -> bool) -> usize {
    let mut reach = 1;
    while reach < ranges.len() && is_so(&ranges[reach]) {
        reach = reach.saturating_mul(2);
    }
    let from = reach / 2;
    let to = ranges.len().min(reach.saturating_add(1));
    ranges[from..to].partition_point(is_so).saturating_add(from)
}

/// Adds a range that touches the last one or lies above it; the end of the range that it became part of.
fn join(ranges: &mut Vec<(u32, u32)>, (first, last): (u32, u32)) -> u32 {
    match ranges.last_mut() {
        Some(before) if first <= before.1.saturating_add(1) => {
            *before = (before.0.min(first), before.1.max(last));
            before.1
        }
        _ => {
            ranges.push((first, last));
            last
        }
    }
}

/// Joins neighbours and overlaps of ranges that are sorted by their start.
fn joined(sorted: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::with_capacity(sorted.len());
    for range in sorted {
        join(&mut ranges, range);
    }
    ranges
}

impl FromIterator<u32> for IndexSet {
    fn from_iter<I: IntoIterator<Item = u32>>(indexes: I) -> Self {
        let mut ranges: Vec<_> = indexes.into_iter().map(|index| (index, index)).collect();
        ranges.sort_unstable();
        Self::of(joined(ranges))
    }
}

#[cfg(test)]
mod tests;
