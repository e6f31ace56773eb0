//! Success policy: which completed indexes are enough for the Job to succeed.

use jobsworth_api::IndexSet;
use k8s_openapi::api::batch::v1 as api;

use crate::Unparsable;

/// The rules of `spec.successPolicy`, index lists parsed once (SUC-022).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuccessPolicy {
    rules: Vec<SuccessRule>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SuccessRule {
    indexes: Option<IndexSet>,
    count: Option<u64>,
}

impl SuccessPolicy {
    /// Reads the rules.
    ///
    /// # Errors
    ///
    /// When an index list is malformed or a count is negative.
    pub fn parse(policy: &api::SuccessPolicy) -> Result<Self, Unparsable> {
        let rules = policy.rules.iter().map(SuccessRule::parse).collect::<Result<_, _>>()?;
        Ok(Self { rules })
    }

    /// The position of the first rule that these completed indexes satisfy
    /// (SUC-001 to SUC-005, SUC-014, SUC-022, SUC-024).
    #[must_use]
    pub fn satisfied_by(&self, completed: &IndexSet) -> Option<usize> {
        if completed.is_empty() {
            return None;
        }
        self.rules.iter().position(|rule| rule.satisfied_by(completed))
    }
}

impl SuccessRule {
    fn parse(rule: &api::SuccessPolicyRule) -> Result<Self, Unparsable> {
        let invalid = |field, problem: String| Unparsable::Invalid { field, problem };
        let indexes = match rule.succeeded_indexes.as_deref().map(str::parse::<IndexSet>).transpose() {
            Ok(indexes) => indexes,
            Err(error) => return Err(invalid("spec.successPolicy.rules.succeededIndexes", error.to_string())),
        };
        let count = match rule.succeeded_count.map(u64::try_from).transpose() {
            Ok(count) => count,
            Err(error) => return Err(invalid("spec.successPolicy.rules.succeededCount", error.to_string())),
        };
        Ok(Self { indexes, count })
    }

    fn satisfied_by(&self, completed: &IndexSet) -> bool {
        match (&self.indexes, self.count) {
            (Some(indexes), _) if indexes.is_empty() => false,
            (Some(indexes), Some(count)) => indexes.shared(completed) >= count,
            (Some(indexes), None) => indexes.is_subset(completed),
            (None, Some(count)) => completed.len() >= count,
            (None, None) => false,
        }
    }
}
