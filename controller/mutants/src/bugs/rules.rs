//! *Rules*: a rule of the failure policy or of the success policy says something else than it should.

use std::sync::Arc;

use jobsworth_api::condition::reason;
use jobsworth_api::{ConditionKind, Resource};
use jobsworth_core::pod::{FailureCounts, Phase};
use jobsworth_core::{Action, Decision};
use serde_json::Value;

use crate::call::Call;
use crate::observed::each_status;
use crate::{Decorator, Observed};

/// An exit code that no rule names.
const STANDS_FOR_ZERO: i32 = 1_000_000;
/// How the message about a success rule begins.
const MATCHED: &str = "Matched rules at index ";

/// That a pod has the condition of a pattern is enough, whether it holds or not (PFP-005).
pub fn status_of_conditions(observed: &mut Observed) {
    for pod in &mut observed.pods {
        let kinds: Vec<Arc<str>> = pod.conditions.iter().map(|(kind, _)| Arc::clone(kind)).collect();
        let any = ["True", "False", "Unknown"];
        pod.conditions.extend(kinds.iter().flat_map(|kind| any.map(|status| (Arc::clone(kind), status.into()))));
    }
}

/// Containers of a failed pod that ended well are looked at, too: 0 is not among the values of a `NotIn` (PFP-003).
#[derive(Debug, Default)]
pub struct ZeroExits;

impl ZeroExits {
    fn told_right(text: &str) -> String {
        text.replace(&format!("exit code {STANDS_FOR_ZERO} "), "exit code 0 ")
    }
}

impl Decorator for ZeroExits {
    fn shows(&self) -> bool {
        true
    }

    fn show(&self, call: &Call, object: &mut Value) {
        if call.reads_all(&Resource::PODS) && object["status"]["phase"] == "Failed" {
            let all = ends(object, &["containerStatuses", "initContainerStatuses"]).into_iter();
            all.filter(|end| end["exitCode"] == 0).for_each(|end| end["exitCode"] = STANDS_FOR_ZERO.into());
        }
    }

    fn say(&self, _: &Observed, decision: &mut Decision) {
        each_status(decision, |new| {
            for condition in &mut new.status.conditions {
                condition.message = Self::told_right(&condition.message).into();
            }
            for notice in &mut new.notices {
                notice.message = Self::told_right(&notice.message);
            }
        });
    }
}

/// How containers in these lists of a pod's status ended.
fn ends<'a>(pod: &'a mut Value, lists: &[&str]) -> Vec<&'a mut Value> {
    let Some(status) = pod.get_mut("status").and_then(Value::as_object_mut) else { return Vec::new() };
    let statuses = status.iter_mut().filter(|(name, _)| lists.contains(&name.as_str()));
    let containers = statuses.filter_map(|(_, list)| list.as_array_mut()).flatten();
    containers
        .filter_map(|container| container.pointer_mut("/state/terminated"))
        .filter(|end| end.is_object())
        .collect()
}

/// The name of the container in a rule about exit codes is not read (PFP-003).
pub fn container_names(observed: &mut Observed) {
    observed.policies(|spec| {
        let rules = spec.pod_failure_policy.iter_mut().flat_map(|policy| &mut policy.rules);
        rules.filter_map(|rule| rule.on_exit_codes.as_mut()).for_each(|codes| codes.container_name = None);
    });
}

/// Only `containerStatuses` is read: an init container that ended badly matches no rule (PFP-003).
pub fn init_containers(pod: &mut Value) {
    if pod["status"]["phase"] == "Failed" {
        ends(pod, &["initContainerStatuses"]).into_iter().for_each(|end| end["exitCode"] = 0.into());
    }
}

/// A pod fails by the first of its containers that ended badly, and by no other (PFP-004).
pub fn all_exits_but_the_first(observed: &mut Observed) {
    observed.pods.iter_mut().for_each(|pod| pod.exits.truncate(1));
}

/// A pod that was told to stop has failed, with a failure policy as without: the rules are asked before there is anything
/// to ask about (PFP-001, PFP-014).
pub fn stopping_pods(observed: &mut Observed) {
    if observed.job.spec.failure_policy.is_some() {
        let stopping = observed.pods.iter_mut().filter(|pod| pod.is_terminating());
        stopping.for_each(|pod| pod.phase = Phase::Failed);
    }
}

/// The pod after an ignored failure carries one counted failure more (BLI-001).
pub fn ignored_failures_of_an_index(_: &Observed, decision: &mut Decision) {
    for action in decision.batches.iter_mut().flat_map(|batch| &mut batch.actions) {
        if let Action::CreatePod(pod) = action {
            pod.failures = pod.failures.map(|before| FailureCounts { counted: before.total(), ignored: 0 });
        }
    }
}

/// More indexes than the count of a success rule are wanted, not as many (SUC-003, SUC-004).
pub fn enough_indexes(observed: &mut Observed) {
    observed.policies(|spec| {
        let rules = spec.success_policy.iter_mut().flat_map(|policy| &mut policy.rules);
        rules.filter_map(|rule| rule.succeeded_count.as_mut()).for_each(|count| *count = count.saturating_add(1));
    });
}

/// If the first rule is not satisfied, the others are not asked (SUC-001, SUC-024).
pub fn all_success_rules_but_the_first(observed: &mut Observed) {
    observed.policies(|spec| spec.success_policy.iter_mut().for_each(|policy| policy.rules.truncate(1)));
}

/// A success rule with a list wants all of the list, whatever its count says (SUC-004).
pub fn count_beside_a_list(observed: &mut Observed) {
    observed.policies(|spec| {
        let rules = spec.success_policy.iter_mut().flat_map(|policy| &mut policy.rules);
        rules.filter(|rule| rule.succeeded_indexes.is_some()).for_each(|rule| rule.succeeded_count = None);
    });
}

/// The first rule of the success policy is told of as number 1 (SUC-001).
pub fn rules_from_one(observed: &Observed, decision: &mut Decision) {
    // What was written before is right as this counts.
    if observed.job.status.holds(ConditionKind::SuccessCriteriaMet) {
        return;
    }
    each_status(decision, |new| {
        for condition in new.status.conditions.iter_mut().filter(|it| &*it.reason == reason::SUCCESS_POLICY) {
            let number = condition.message.strip_prefix(MATCHED).and_then(|text| text.parse::<u32>().ok());
            if let Some(number) = number {
                condition.message = format!("{MATCHED}{}", number.saturating_add(1)).into();
            }
        }
    });
}

/// Reads the lists of indexes in success rules otherwise.
fn each_list_of_indexes(observed: &mut Observed, read: impl Fn(&str) -> String) {
    observed.policies(|spec| {
        let rules = spec.success_policy.iter_mut().flat_map(|policy| &mut policy.rules);
        rules.filter_map(|rule| rule.succeeded_indexes.as_mut()).for_each(|text| *text = read(text));
    });
}

/// An interval of a success rule ends before its last index (SUC-002).
pub fn last_of_an_interval(observed: &mut Observed) {
    let shorter = |part: &str| {
        let (first, last) = part.split_once('-')?;
        let last = last.parse::<u32>().ok()?.checked_sub(1)?;
        Some(if first.parse::<u32>() == Ok(last) { first.to_owned() } else { format!("{first}-{last}") })
    };
    each_list_of_indexes(observed, |text| {
        let parts: Vec<String> = text.split(',').map(|part| shorter(part).unwrap_or_else(|| part.to_owned())).collect();
        parts.join(",")
    });
}

/// An index with a sign or a leading zero is none, and is left out of a success rule (SUC-002).
pub fn indexes_in_another_form(observed: &mut Observed) {
    let is_plain = |index: &str| index == "0" || !index.starts_with(['+', '0']);
    each_list_of_indexes(observed, |text| {
        let parts: Vec<&str> = text.split(',').filter(|part| part.split('-').all(is_plain)).collect();
        parts.join(",")
    });
}

/// All success rules are asked, and the last one that is met is told of (SUC-001).
pub fn all_but_the_last_rule_that_is_met(observed: &Observed, decision: &mut Decision) {
    // What was written before is right as this counts.
    if observed.job.status.holds(ConditionKind::SuccessCriteriaMet) {
        return;
    }
    let (mut backwards, mut rules) = (observed.clone(), 0_usize);
    backwards.policies(|spec| {
        spec.success_policy.iter_mut().for_each(|policy| {
            policy.rules.reverse();
            rules = policy.rules.len();
        });
    });
    let policy = backwards.job.spec.success_policy.as_ref();
    each_status(decision, |new| {
        let from_behind = policy.and_then(|policy| policy.satisfied_by(&new.status.completed));
        let last = from_behind.and_then(|place| rules.checked_sub(place.saturating_add(1)));
        if let Some(last) = last {
            let conditions = new.status.conditions.iter_mut().filter(|it| &*it.reason == reason::SUCCESS_POLICY);
            conditions.for_each(|condition| condition.message = format!("{MATCHED}{last}").into());
        }
    });
}

/// An exit code is a byte with a sign: 137 is -119, and no rule names it (PFP-003, PFP-004).
pub fn exit_codes_above_127(pod: &mut Value) {
    for end in ends(pod, &["containerStatuses", "initContainerStatuses"]) {
        if let Some(code) = end["exitCode"].as_i64().filter(|code| (128..256).contains(code)) {
            end["exitCode"] = (code - 256).into();
        }
    }
}
