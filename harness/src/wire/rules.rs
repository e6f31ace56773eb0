//! What is to happen to which request of which namespace, and how often it has.

use super::{mishap::Mishap, request_matcher::RequestMatcher, target::Target};
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::watch;

/// The rules of every namespace.
#[derive(Debug, Default)]
pub(super) struct Rules(BTreeMap<String, Vec<Rule>>);

#[derive(Debug)]
struct Rule {
    /// Whose requests are meant; everybody's without.
    by: Option<String>,
    matcher: RequestMatcher,
    mishap: Mishap,
    /// How many requests of the kind have come.
    came: u32,
    state: Arc<State>,
}

/// What a rule and those who look at it share.
#[derive(Debug, Default)]
struct State {
    struck: watch::Sender<u32>,
    released: watch::Sender<bool>,
}

impl Rules {
    /// What is to happen to the requests that are meant of one instance, or of whoever it is.
    pub fn add(&mut self, namespace: &str, by: Option<&str>, matcher: RequestMatcher, mishap: Mishap) -> Met {
        let state = Arc::new(State::default());
        let words = match by {
            Some(instance) => format!("{matcher} by the {instance} instance: {mishap}"),
            None => format!("{matcher}: {mishap}"),
        };
        self.0.entry(namespace.to_owned()).or_default().push(Rule {
            by: by.map(str::to_owned),
            matcher,
            mishap,
            came: 0,
            state: Arc::clone(&state),
        });
        Met { words, state }
    }

    pub fn forget(&mut self, namespace: &str) {
        for rule in self.0.remove(namespace).into_iter().flatten() {
            rule.state.released.send_replace(true);
        }
    }

    /// Every rule counts what is of its kind; of those that mean this one the first has it.
    pub fn arrives(&mut self, by: Option<&str>, target: &Target, body: &[u8]) -> Option<Order> {
        let mut order = None;
        for rule in self.0.get_mut(target.namespace.as_deref()?)? {
            let is_meant = rule.by.is_none() || rule.by.as_deref() == by;
            if !is_meant || !rule.matcher.is_about(target, body) {
                continue;
            }
            rule.came += 1;
            if order.is_none() && rule.matcher.has_number(rule.came) && !rule.matcher.spares(target) {
                order = Some(Order { mishap: rule.mishap, state: Arc::clone(&rule.state) });
            }
        }
        order
    }
}

/// What is to be done to one request.
#[derive(Debug)]
pub struct Order {
    /// What.
    pub mishap: Mishap,
    state: Arc<State>,
}

impl Order {
    /// It has been done, or the request is held.
    pub fn struck(&self) {
        self.state.struck.send_modify(|times| *times += 1);
    }

    /// Returns when what is held may go on.
    pub async fn released(&self) {
        // The state lives as long as this does, and its sender with it.
        let _ = self.state.released.subscribe().wait_for(|released| *released).await;
    }
}

/// What somebody sees of a rule of his.
#[derive(Clone, Debug)]
pub struct Met {
    words: String,
    state: Arc<State>,
}

impl Met {
    /// What was to happen, in words.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// How often it happened.
    #[must_use]
    pub fn times(&self) -> u32 {
        *self.state.struck.borrow()
    }

    /// Returns once it has happened so often.
    pub async fn has_struck(&self, times: u32) {
        // As above.
        let _ = self.state.struck.subscribe().wait_for(|struck| *struck >= times).await;
    }

    /// Returns once nothing is held by it any more: it was let go, or the namespace was left.
    pub async fn is_over(&self) {
        // As above.
        let _ = self.state.released.subscribe().wait_for(|released| *released).await;
    }

    /// Lets go what is held, and what would be.
    pub fn release(&self) {
        self.state.released.send_replace(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{any_write, change_of, creation_of};
    use http::Method;

    fn creation(namespace: &str) -> Target {
        Target::of(&Method::POST, &format!("/api/v1/namespaces/{namespace}/pods").parse().unwrap())
    }

    #[test]
    fn only_the_meant_request_of_the_namespace_is_struck() {
        let mut rules = Rules::default();
        rules.add("n", None, change_of("pods"), Mishap::AnswerLost);
        rules.add("n", None, creation_of("pods").from_number(2), Mishap::RequestLost);
        let mut mishap = |namespace| rules.arrives(None, &creation(namespace), b"").map(|order| order.mishap);
        let met = [mishap("n"), mishap("other"), mishap("n"), mishap("n")];
        assert_eq!(met, [None, None, Some(Mishap::RequestLost), None]);
    }

    #[test]
    fn two_rules_of_one_kind_count_the_same_requests() {
        let mut rules = Rules::default();
        rules.add("n", None, creation_of("pods"), Mishap::refused(500));
        rules.add("n", None, creation_of("pods").times(3), Mishap::refused(503));
        let met: Vec<_> = (0..4).map(|_| rules.arrives(None, &creation("n"), b"").map(|order| order.mishap)).collect();
        let late = Some(Mishap::refused(503));
        assert_eq!(met, [Some(Mishap::refused(500)), late, late, None]);
    }

    #[test]
    fn of_two_instances_only_the_meant_one_is_struck() {
        let mut rules = Rules::default();
        let met = rules.add("n", Some("first"), creation_of("pods"), Mishap::refused(503));
        let mut is_struck = |by| rules.arrives(Some(by), &creation("n"), b"").is_some();
        assert_eq!(["second", "first", "first"].map(&mut is_struck), [false, true, false]);
        assert_eq!(met.words(), "creation of pods by the first instance: refused with 503");
    }

    #[test]
    fn a_deletion_that_is_spared_has_its_number() {
        let delete = Target::of(&Method::DELETE, &"/api/v1/namespaces/n/pods/p".parse().unwrap());
        let mut rules = Rules::default();
        rules.add("n", None, any_write().from_number(2).times(2).sparing_deletions(), Mishap::conflict());
        let mut is_struck = |target: &Target| rules.arrives(None, target, b"").is_some();
        let struck = [creation("n"), delete, creation("n"), creation("n")].map(|target| is_struck(&target));
        assert_eq!(struck, [false, false, true, false]);
    }

    #[tokio::test]
    async fn what_is_held_goes_on_when_the_namespace_is_left() {
        let mut rules = Rules::default();
        let met = rules.add("n", None, creation_of("pods"), Mishap::HeldBefore);
        let order = rules.arrives(None, &creation("n"), b"").unwrap();
        order.struck();
        met.has_struck(1).await;
        rules.forget("n");
        order.released().await;
        assert!(rules.arrives(None, &creation("n"), b"").is_none());
    }
}
