//! The list of known requirement numbers, and which case covers which.

use crate::case::{About, Catalogue};
use jobsworth_oracle::{Invariant, invariants};

/// Number and phrase of each requirement, in the order of the list.
pub fn numbered(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(char::is_whitespace).map_or((line, ""), |(number, phrase)| (number, phrase.trim())))
}

/// A requirement and the cases that check it.
#[derive(Clone, Debug)]
pub struct Coverage<'a> {
    /// The number.
    pub number: &'a str,
    /// What it says, in short.
    pub phrase: &'a str,
    /// Ids of the cases, in the order of the catalogue.
    pub cases: Vec<&'static str>,
    /// Numbers of the invariants that judge it in every case of their API.
    pub invariants: Vec<&'static str>,
}

impl Coverage<'_> {
    /// Whether an invariant judges it in every case.
    #[must_use]
    pub fn is_in_every_case(&self) -> bool {
        !self.invariants.is_empty()
    }

    /// Whether it is the number of an invariant.
    #[must_use]
    pub fn is_an_invariant(&self) -> bool {
        self.invariants.contains(&self.number)
    }

    /// Whether anything checks it.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        self.is_in_every_case() || !self.cases.is_empty()
    }
}

/// Every known requirement with its cases.
#[must_use]
pub fn coverage(catalogue: &Catalogue) -> Vec<Coverage<'static>> {
    let abouts: Vec<About> = catalogue.cases.iter().map(|case| case.about()).collect();
    numbered(catalogue.requirements)
        .map(|(number, phrase)| {
            let cases = abouts.iter().filter(|about| about.requirements.contains(&number)).map(|about| about.id);
            let judging = invariants::every()
                .filter(|invariant| invariant.id() == number || invariant.judges().contains(&number))
                .map(Invariant::id);
            Coverage { number, phrase, cases: cases.collect(), invariants: judging.collect() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_no_requirements() {
        let text = "# head\n\nSUC-001 first rule wins\n  SUC-002\tmore\nBARE\n";
        let read: Vec<_> = numbered(text).collect();
        assert_eq!(read, [("SUC-001", "first rule wins"), ("SUC-002", "more"), ("BARE", "")]);
    }
}
