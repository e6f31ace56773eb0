//! Filter expressions: which cases of the catalogue are meant.
//!
//! `suite(success-policy) and not restarts()`, `kep(3998) | requirement(TTL)`. The words are in
//! [`Question`]; how they are read is in [`parse`].

mod check;
mod parse;

use crate::case::{About, Needs, Source};

pub use check::check;
pub use parse::{WORDS, parse};

/// A filter that was read.
#[derive(Clone, Debug)]
pub struct Filter {
    /// As it was written.
    pub text: String,
    root: Node,
}

#[derive(Clone, Debug)]
enum Node {
    Ask { question: Question, column: usize },
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
}

/// One question about a case.
#[derive(Clone, Debug)]
enum Question {
    /// `all()`
    All,
    /// `none()`
    None,
    /// `case(text)`: its id contains the text.
    Contains(String),
    /// `case(/regex/)`: its id matches, anywhere.
    Matches(regex::Regex),
    /// `suite(name)`
    Suite(String),
    /// `kep(3998)`: it checks a claim of this KEP.
    Kep(u16),
    /// `requirement(SUC-002)`, or the beginning of a number.
    Requirement(String),
    /// `gate(Name)`: it needs the gate on, or off.
    Gate(String),
    /// `restarts()`: its script restarts the subject.
    Restarts,
}

impl Filter {
    /// The filter that every case passes.
    #[must_use]
    pub fn all() -> Self {
        Self { text: "all()".to_owned(), root: Node::Ask { question: Question::All, column: 1 } }
    }

    /// Whether it is the filter that every case passes, and nothing is asked for.
    #[must_use]
    pub fn is_all(&self) -> bool {
        matches!(self.root, Node::Ask { question: Question::All, .. })
    }

    /// Whether a case is meant.
    #[must_use]
    pub fn matches(&self, case: &About) -> bool {
        self.root.matches(case)
    }
}

impl Node {
    fn matches(&self, case: &About) -> bool {
        match self {
            Self::Ask { question, .. } => question.matches(case),
            Self::Not(inner) => !inner.matches(case),
            Self::And(left, right) => left.matches(case) && right.matches(case),
            Self::Or(left, right) => left.matches(case) || right.matches(case),
        }
    }

    /// Every question with its column, from left to right.
    fn questions(&self) -> Vec<(&Question, usize)> {
        match self {
            Self::Ask { question, column } => vec![(question, *column)],
            Self::Not(inner) => inner.questions(),
            Self::And(left, right) | Self::Or(left, right) => {
                let mut all = left.questions();
                all.extend(right.questions());
                all
            }
        }
    }
}

impl Question {
    fn matches(&self, case: &About) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Contains(text) => case.id.contains(text.as_str()),
            Self::Matches(regex) => regex.is_match(case.id),
            Self::Suite(name) => case.suite() == name,
            Self::Kep(number) => case.claim.source == Source::Kep(*number),
            Self::Requirement(number) => case.requirements.iter().any(|known| begins(known, number)),
            Self::Gate(name) => {
                let Needs { gates, gates_off, one_gate_of, .. } = case.needs;
                gates.iter().chain(gates_off).chain(one_gate_of).any(|gate| gate == name)
            }
            Self::Restarts => case.needs.restarts_subject,
        }
    }
}

/// Whether `prefix` is `number` or its letters: `SUC-002` and `SUC` begin `SUC-002`, `SUC-0` does too.
fn begins(number: &str, prefix: &str) -> bool {
    number.starts_with(prefix)
}

/// A mistake in a filter expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed to read the filter at column {column}: {says}")]
pub struct FilterError {
    /// The expression.
    pub text: String,
    /// Where the mistake is: the character's number, from 1.
    pub column: usize,
    /// What is wrong.
    pub says: String,
    /// What would be right.
    pub help: Option<String>,
}

#[cfg(test)]
mod tests;
