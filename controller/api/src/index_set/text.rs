//! The text form of a set of indexes: `1,3-5,7,8`.

use std::fmt;
use std::str::FromStr;

use super::{IndexSet, IndexSetError, joined};

/// One part between commas.
pub(super) fn range(part: &str) -> Result<(u32, u32), IndexSetError> {
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

/// Every part in one pass over the bytes; `None` as soon as something is wrong with one.
fn well_formed(text: &str) -> Option<IndexSet> {
    let bytes = text.as_bytes();
    let parts = bytes.iter().filter(|byte| **byte == b',').count() + 1;
    let mut ranges: Vec<(u32, u32)> = Vec::with_capacity(parts);
    let mut count = 0;
    let mut at = 0;
    loop {
        let (first, after) = number(bytes, at)?;
        let (last, after) = match bytes.get(after) {
            Some(b'-') => number(bytes, after + 1).filter(|(last, _)| *last > first)?,
            _ => (first, after),
        };
        match ranges.last_mut() {
            Some(before) if first <= before.1 => return None,
            Some(before) if first == before.1 + 1 => before.1 = last,
            _ => ranges.push((first, last)),
        }
        count += u64::from(last - first) + 1;
        match bytes.get(after) {
            None => return Some(IndexSet { ranges, count }),
            Some(b',') => at = after + 1,
            Some(_) => return None,
        }
    }
}

/// The number that begins here, and the place after it.
fn number(bytes: &[u8], from: usize) -> Option<(u32, usize)> {
    let mut value: u64 = 0;
    let mut at = from;
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value * 10 + u64::from(digit);
        if value > u64::from(u32::MAX) {
            return None;
        }
        at += 1;
    }
    if at == from { None } else { u32::try_from(value).ok().map(|value| (value, at)) }
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
    /// The text form: two neighbours are listed, three or more become a range. One allocation, however long it gets
    /// (IDX-014, IDX-029).
    #[must_use]
    pub fn to_text(&self) -> String {
        let widest = self.last().map_or(1, |last| last.checked_ilog10().unwrap_or(0) as usize + 1);
        let mut text = String::with_capacity(self.ranges.len() * 2 * (widest + 1));
        let mut digits = itoa::Buffer::new();
        for (first, last) in self.ranges() {
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(digits.format(first));
            if last > first {
                text.push(if last - first == 1 { ',' } else { '-' });
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
