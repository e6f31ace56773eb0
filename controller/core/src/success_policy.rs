//! Success policy: which completed indexes are enough for the Job to succeed.

use jobsworth_api::IndexSet;
use k8s_openapi::api::batch::v1 as api;

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
    /// Reads the rules. Nothing in them keeps the Job from being served: broken parts of an index list are left out, as the
    /// built-in controller does (SUC-022, VAL-036).
    #[must_use]
    pub fn parse(policy: &api::SuccessPolicy) -> Self {
        Self { rules: policy.rules.iter().map(SuccessRule::parse).collect() }
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
    fn parse(rule: &api::SuccessPolicyRule) -> Self {
        let read = |text: &str| text.parse().unwrap_or_else(|_| IndexSet::parse_lenient(text, u32::MAX));
        Self {
            indexes: rule.succeeded_indexes.as_deref().map(read),
            count: rule.succeeded_count.map(|count| u64::try_from(count).unwrap_or(0)),
        }
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
