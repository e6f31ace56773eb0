//! Pod failure policy: the rules, as they are written (PFP-004, PFP-006).

use std::sync::Arc;

use k8s_openapi::api::batch::v1 as api;

/// The rules of `spec.podFailurePolicy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailurePolicy {
    pub(crate) rules: Vec<FailureRule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailureRule {
    pub action: Option<FailureAction>,
    pub exit_codes: Option<ExitCodes>,
    pub conditions: Vec<(Arc<str>, Arc<str>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExitCodes {
    pub container: Option<Arc<str>>,
    pub operator: Operator,
    pub values: Vec<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    In,
    NotIn,
    Unknown,
}

/// What a rule asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureAction {
    /// The Job fails.
    FailJob,
    /// The index of the pod fails.
    FailIndex,
    /// The failure is not counted.
    Ignore,
    /// The failure is counted.
    Count,
}

impl FailureAction {
    /// The value of the metric's label `action` (MET-008).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FailJob => "FailJob",
            Self::FailIndex => "FailIndex",
            Self::Ignore => "Ignore",
            Self::Count => "Count",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::FailJob, Self::FailIndex, Self::Ignore, Self::Count].into_iter().find(|action| action.as_str() == text)
    }
}

impl FailurePolicy {
    /// Reads the rules; what is not known never matches (PFP-004, PFP-006).
    #[must_use]
    pub fn parse(policy: &api::PodFailurePolicy) -> Self {
        Self { rules: policy.rules.iter().map(FailureRule::parse).collect() }
    }
}

impl FailureRule {
    fn parse(rule: &api::PodFailurePolicyRule) -> Self {
        let conditions = rule.on_pod_conditions.iter().flatten();
        Self {
            action: FailureAction::parse(&rule.action),
            exit_codes: rule.on_exit_codes.as_ref().map(ExitCodes::parse),
            conditions: conditions
                .map(|pattern| (pattern.type_.as_str().into(), pattern.status.as_deref().unwrap_or("True").into()))
                .collect(),
        }
    }
}

impl ExitCodes {
    fn parse(codes: &api::PodFailurePolicyOnExitCodesRequirement) -> Self {
        Self {
            container: codes.container_name.as_deref().map(Into::into),
            operator: match codes.operator.as_str() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                _ => Operator::Unknown,
            },
            values: codes.values.clone(),
        }
    }
}
