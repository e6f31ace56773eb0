//! What is refused, and in which words (sections 1.5 and 1.6, VJ-060 to VJ-097).
//!
//! All findings come in one message. What only an API server can tell comes in as a value: [`create::Surroundings`].

pub mod create;
mod graph;
mod names;
mod policies;
pub mod queue;
mod task;
pub mod texts;
mod topology;
pub mod update;
mod volumes;

/// Why an object is refused: everything that was found, in the order of the checks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .findings.join(" "))]
pub struct Refusal {
    findings: Vec<String>,
}

impl Refusal {
    /// A refusal for one reason.
    #[must_use]
    pub fn new(finding: impl Into<String>) -> Self {
        Self { findings: vec![finding.into()] }
    }

    /// What was found, a sentence each.
    #[must_use]
    pub fn findings(&self) -> &[String] {
        &self.findings
    }
}

/// Collects what is found.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<String>);

impl Findings {
    pub(crate) fn add(&mut self, finding: impl Into<String>) {
        self.0.push(finding.into());
    }

    pub(crate) fn verdict(self) -> Result<(), Refusal> {
        if self.0.is_empty() { Ok(()) } else { Err(Refusal { findings: self.0 }) }
    }
}
