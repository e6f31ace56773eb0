//! The text form of a set of indexes: `1,3-5,7,8`.

use std::fmt;
use std::str::FromStr;

use super::{IndexSet, IndexSetError, joined, width};

/// One part between commas. A number may have a plus sign and leading zeros: the API server reads it so, and stores the
/// text as it came.
pub(super) fn range(part: &str) -> Result<(u32, u32), IndexSetError> {
    let malformed = || IndexSetError::Malformed(part.to_owned());
    let number = |text: &str| text.parse::<u32>().map_err(|_| malformed());
    match part.split_once('-') {
        None => number(part).map(|index| (index, index)),
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            if first < last { Ok((first, last)) } else { Err(IndexSetError::NotAscending(part.to_owned())) }
        }
    }
}

/// Every part in one pass over the bytes; `None` as soon as one is wrong or could be written with fewer characters.
fn well_formed(text: &str) -> Option<IndexSet> {
    let bytes = text.as_bytes();
    let parts = bytes.iter().filter(|byte| **byte == b',').count().saturating_add(1);
    let mut ranges: Vec<(u32, u32)> = Vec::with_capacity(parts);
    let mut count: u64 = 0;
    let mut at = 0;
    loop {
        let (first, after) = number(bytes, at)?;
        let (last, after) = match bytes.get(after) {
            Some(b'-') => number(bytes, after.saturating_add(1)).filter(|(last, _)| *last > first)?,
            _ => (first, after),
        };
        match ranges.last_mut() {
            Some(before) if first <= before.1 => return None,
            Some(before) if before.1.checked_add(1) == Some(first) => before.1 = last,
            _ => ranges.push((first, last)),
        }
        count = width((first, last)).saturating_add(count);
        match bytes.get(after) {
            None => return Some(IndexSet { ranges, count }),
            Some(b',') => at = after.saturating_add(1),
            Some(_) => return None,
        }
    }
}

/// The number that begins here, and the place after it.
fn number(bytes: &[u8], from: usize) -> Option<(u32, usize)> {
    let mut value: u32 = 0;
    let mut at = from;
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        if value == 0 && at > from {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u32::from(digit))?;
        at = at.saturating_add(1);
    }
    (at > from).then_some((value, at))
}

/// What is wrong with a text that is not well-formed.
fn explained(text: &str) -> Result<IndexSet, IndexSetError> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for part in text.split(',') {
        let range = range(part)?;
        if ranges.last().is_some_and(|before| range.0 <= before.1) {
            return Err(IndexSetError::NotIncreasing(part.to_owned()));
        }
        ranges.push(range);
    }
    Ok(IndexSet::of(joined(ranges)))
}

impl FromStr for IndexSet {
    type Err = IndexSetError;

    /// Reads the format that specs and statuses are validated against (VAL-019, VST-204).
    /// The empty text is the empty set.
    fn from_str(text: &str) -> Result<Self, IndexSetError> {
        if text.is_empty() {
            return Ok(Self::new());
        }
        well_formed(text).map_or_else(|| explained(text), Ok)
    }
}

impl IndexSet {
    /// Reads what [`IndexSet::to_text`] writes; `None` for texts that say the same in another way or are broken.
    /// A pair may be written as a range, and neighbouring parts need not be joined.
    #[must_use]
    pub fn parse_plain(text: &str) -> Option<Self> {
        if text.is_empty() { Some(Self::new()) } else { well_formed(text) }
    }

    /// The text form: two neighbours are listed, three or more become a range. One allocation, however long it gets
    /// (IDX-014, IDX-029).
    #[must_use]
    pub fn to_text(&self) -> String {
        let widest = self.last().map_or(1, |last| (last.checked_ilog10().unwrap_or(0) as usize).saturating_add(1));
        let mut text =
            String::with_capacity(self.ranges.len().saturating_mul(2).saturating_mul(widest.saturating_add(1)));
        let mut digits = itoa::Buffer::new();
        for (first, last) in self.ranges() {
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(digits.format(first));
            if last > first {
                text.push(if width((first, last)) == 2 { ',' } else { '-' });
                text.push_str(digits.format(last));
            }
        }
        text
    }
}

impl fmt::Display for IndexSet {
    /// `1,3-5,7,8` (IDX-014).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}
