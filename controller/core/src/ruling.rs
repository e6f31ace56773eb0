//! What the rules of a pod failure policy say about one pod (PFP-002 to PFP-011).

use std::sync::Arc;

use crate::failure_policy::{ExitCodes, FailureAction, FailurePolicy, FailureRule, Operator};
use crate::{Gates, JobView, PodView};

/// What the policy says about one failed pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The action of the first rule that matches.
    pub action: FailureAction,
    /// The message of a `FailJob` (PFP-008), empty otherwise.
    pub message: String,
}

impl FailurePolicy {
    /// What the first matching rule says about a pod in phase Failed; `None` when no rule matches, which counts the
    /// failure without a trace in the metrics (PFP-002, PFP-003, PFP-006, PFP-010, PFP-017, MET-008).
    #[must_use]
    pub fn ruling(&self, job: &JobView, pod: &PodView, gates: &Gates) -> Option<Ruling> {
        let known = self.rules.iter().enumerate().filter_map(|(at, rule)| Some((at, rule, rule.action?)));
        let usable = known.filter(|(_, _, action)| {
            *action != FailureAction::FailIndex
                || (gates.backoff_limit_per_index && job.spec.backoff_limit_per_index.is_some())
        });
        for (at, rule, action) in usable {
            if let Some(cause) = rule.matches(pod) {
                let message = match action {
                    FailureAction::FailJob => cause.message(&job.namespace, &pod.name, at),
                    _ => String::new(),
                };
                return Some(Ruling { action, message });
            }
        }
        None
    }
}

/// What made a rule match.
enum Cause<'a> {
    Exit { container: &'a str, code: i32 },
    Condition(&'a str),
}

impl Cause<'_> {
    /// The words of a FailJob (PFP-008).
    fn message(&self, namespace: &str, pod: &str, rule: usize) -> String {
        match self {
            Self::Exit { container, code } => format!(
                "Container {container} for pod {namespace}/{pod} failed with exit code {code} matching FailJob rule at index {rule}"
            ),
            Self::Condition(kind) => {
                format!("Pod {namespace}/{pod} has condition {kind} matching FailJob rule at index {rule}")
            }
        }
    }
}

impl FailureRule {
    /// Exit codes are asked first, conditions only by rules without exit codes (PFP-003, PFP-005, PFP-018).
    fn matches<'a>(&self, pod: &'a PodView) -> Option<Cause<'a>> {
        if let Some(codes) = &self.exit_codes {
            return codes.matches(pod);
        }
        let wanted =
            |(kind, status): &&(Arc<str>, Arc<str>)| self.conditions.iter().any(|(k, s)| k == kind && s == status);
        pod.conditions.iter().find(wanted).map(|(kind, _)| Cause::Condition(kind))
    }
}

impl ExitCodes {
    /// The first container, regular ones before init ones, whose exit code is asked for (PFP-003, PFP-004).
    fn matches<'a>(&self, pod: &'a PodView) -> Option<Cause<'a>> {
        let considered =
            pod.exits.iter().filter(|exit| self.container.as_ref().is_none_or(|name| *name == exit.container));
        let asked = |code: i32| match self.operator {
            Operator::In => self.values.contains(&code),
            Operator::NotIn => !self.values.contains(&code),
            Operator::Unknown => false,
        };
        considered
            .filter(|exit| exit.code != 0)
            .find(|exit| asked(exit.code))
            .map(|exit| Cause::Exit { container: &exit.container, code: exit.code })
    }
}
