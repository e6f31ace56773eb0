//! *Leases*: two instances, one of which works when it should not, or begins with what it should not know any more.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Method;
use jobsworth_api::Resource;
use jobsworth_controller::args::Args;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::call::{Answer, Call};
use crate::decorator::{Fate, Next};
use crate::{Decorator, Notes};

/// So many renewals in a row may fail: as many as fit into the time of a lease.
const FAILED_AT_MOST: u32 = 7;
/// No clock says before that a lease is lost: longer than anybody sleeps.
const BY_THE_CLOCK: Duration = Duration::from_secs(300);
/// Who is said to have a lease when nobody can say who has it.
const SOMEBODY: &str = "somebody-else";

fn reads_a_lease(call: &Call) -> bool {
    call.is_about_a_lease() && call.method == Method::GET
}

fn holder(lease: &Value) -> &str {
    lease["spec"]["holderIdentity"].as_str().unwrap_or_default()
}

/// The lease as it was written when this instance last got or renewed it; another method than GET was answered with success.
fn written(call: &Call, answer: &Answer) -> Option<Value> {
    let is_written = call.is_about_a_lease() && call.method != Method::GET && answer.code < 300;
    is_written.then(|| answer.json())
}

/// A lease is lost when several renewals in a row have failed, however much time that took, and whyever they did: a look that finds
/// another holder is one of them. Who has slept has missed no renewal, and so goes on where it was.
#[derive(Debug, Default)]
pub struct RenewalsThatFailed {
    held: Notes<Held>,
}

#[derive(Debug, Default)]
struct Held {
    lease: Option<Value>,
    /// Renewals that were begun since the last one that went through.
    begun: u32,
}

impl Decorator for RenewalsThatFailed {
    fn flags(&self, args: &mut Args) {
        let deadline = &mut args.election.leader_elect_renew_deadline;
        *deadline = BY_THE_CLOCK.max(*deadline);
    }

    fn ask(&self, call: &mut Call) -> Fate {
        let mut held = self.held.open();
        let Some(mut lease) = held.lease.clone().filter(|_| reads_a_lease(call)) else { return Fate::Send };
        held.begun += 1;
        if held.begun <= FAILED_AT_MOST + 1 {
            return Fate::Send;
        }
        lease["spec"]["holderIdentity"] = json!(SOMEBODY);
        Fate::Answered(Answer::ok(&lease))
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        let mut held = self.held.open();
        if let Some(lease) = written(call, answer) {
            *held = Held { lease: Some(lease), begun: 0 };
        } else if let Some(lease) = &held.lease
            && reads_a_lease(call)
            && answer.code == 200
            && held.begun <= FAILED_AT_MOST
            && holder(&answer.json()) != holder(lease)
        {
            // With this version the renewal is refused, and that is one more that failed.
            *answer = Answer::ok(lease);
        }
        Next::Take
    }
}

/// A standby lists once, when it begins to wait, so that it can start at once. It does, with that list: what the other one did in the
/// meantime comes with the watches, one after the other.
#[derive(Debug, Default)]
pub struct ListsOfTheStandby {
    waits: Notes<bool>,
    lists: Notes<BTreeMap<String, Answer>>,
}

impl Decorator for ListsOfTheStandby {
    fn beside(&self, call: &Call) -> Vec<Call> {
        let begins = reads_a_lease(call) && !std::mem::replace(&mut *self.waits.open(), true);
        if begins { vec![Call::list(&Resource::JOBS), Call::list(&Resource::PODS)] } else { Vec::new() }
    }

    fn overhear(&self, call: &Call, answer: &Answer) {
        if answer.code == 200 {
            self.lists.open().insert(call.path.clone(), answer.clone());
        }
    }

    fn ask(&self, call: &mut Call) -> Fate {
        // Only the first list; what is listed later is listed anew.
        let list = if call.begins_a_list() { self.lists.open().remove(&call.path) } else { None };
        list.map_or(Fate::Send, Fate::Answered)
    }
}

/// How long another's lease is good is read from the own flags, and from the wrong one: as long as a holder may go on after its last
/// renewal, whatever the lease says.
#[derive(Debug, Default)]
pub struct DurationsOfOthers {
    patience: Notes<Option<Duration>>,
}

impl Decorator for DurationsOfOthers {
    fn flags(&self, args: &mut Args) {
        *self.patience.open() = Some(args.election.leader_elect_renew_deadline);
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        if let Some(patience) = self.patience.open().filter(|_| reads_a_lease(call) && answer.code == 200) {
            let mut lease = answer.json();
            lease["spec"]["leaseDurationSeconds"] = json!(patience.as_secs());
            answer.body = lease.to_string().into();
        }
        Next::Take
    }
}

/// A holder whose lease is deleted goes on for as long as nobody could have taken it otherwise, and does not look meanwhile.
#[derive(Debug, Default)]
pub struct DeletedLeases {
    own: Notes<Option<Own>>,
}

#[derive(Debug)]
struct Own {
    lease: Value,
    renewed: Instant,
    /// Until when it is taken for held without a look.
    unlooked: Option<Instant>,
}

impl Own {
    fn runs_out(&self) -> Option<Instant> {
        let seconds = self.lease["spec"]["leaseDurationSeconds"].as_u64()?;
        self.renewed.checked_add(Duration::from_secs(seconds))
    }
}

impl Decorator for DeletedLeases {
    fn ask(&self, call: &mut Call) -> Fate {
        let own = self.own.open();
        let own = own.as_ref().filter(|own| own.unlooked.is_some_and(|until| Instant::now() < until));
        match own.filter(|_| call.is_about_a_lease()) {
            Some(own) => Fate::Answered(Answer::ok(&own.lease)),
            None => Fate::Send,
        }
    }

    fn told(&self, call: &Call, answer: &mut Answer) -> Next {
        let mut own = self.own.open();
        if let Some(lease) = written(call, answer) {
            *own = Some(Own { lease, renewed: Instant::now(), unlooked: None });
        } else if let Some(own) = own.as_mut()
            && reads_a_lease(call)
            && answer.code == 404
        {
            own.unlooked = own.runs_out();
            *answer = Answer::ok(&own.lease);
        }
        Next::Take
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn call(method: Method) -> Call {
        let path = format!("{}/jobsworth-controller", Resource::LEASES.list_path("kube-system"));
        Call { method, path, ..Call::list(&Resource::LEASES) }
    }

    fn lease(holder: &str) -> Answer {
        Answer::ok(&json!({"spec": {"holderIdentity": holder, "leaseDurationSeconds": 600}}))
    }

    fn renewed(bug: impl Decorator) -> impl Decorator {
        bug.told(&call(Method::PUT), &mut lease("we"));
        bug
    }

    /// What an instance learns that looks at the lease, when the API server says this.
    fn look(bug: &impl Decorator, mut says: Answer) -> Value {
        let mut call = call(Method::GET);
        if let Fate::Answered(answer) = bug.ask(&mut call) {
            return answer.json();
        }
        bug.told(&call, &mut says);
        says.json()
    }

    #[test]
    fn the_eighth_look_that_finds_another_holder_is_believed() {
        let bug = renewed(RenewalsThatFailed::default());
        let names: Vec<String> = (0..8).map(|_| holder(&look(&bug, lease("they"))).to_owned()).collect();
        assert_eq!(names, ["we", "we", "we", "we", "we", "we", "we", "they"]);
    }

    #[test]
    fn a_lease_that_nobody_can_read_is_lost_too() {
        let bug = renewed(RenewalsThatFailed::default());
        let asked = (0..20).take_while(|_| matches!(bug.ask(&mut call(Method::GET)), Fate::Send)).count();
        assert_eq!(asked, 8);
    }

    #[test]
    fn a_standby_lists_once_and_begins_with_that() {
        let bug = ListsOfTheStandby::default();
        let lists = bug.beside(&call(Method::GET));
        assert_eq!(lists.iter().map(|list| &*list.path).collect::<Vec<_>>(), ["/apis/batch/v1/jobs", "/api/v1/pods"]);
        assert!(bug.beside(&call(Method::GET)).is_empty());
        lists.iter().for_each(|list| bug.overhear(list, &Answer::ok(&json!({"items": []}))));
        let mut list = Call::list(&Resource::PODS);
        assert!(matches!((bug.ask(&mut list), bug.ask(&mut list)), (Fate::Answered(_), Fate::Send)));
    }

    #[test]
    fn anothers_lease_is_good_for_ten_seconds() {
        let bug = DurationsOfOthers::default();
        bug.flags(&mut Args::parse_from(["controller"]));
        assert_eq!(look(&bug, lease("they"))["spec"]["leaseDurationSeconds"], 10);
    }

    #[test]
    fn a_lease_that_is_gone_is_held_without_a_look() {
        let bug = renewed(DeletedLeases::default());
        assert_eq!(holder(&look(&bug, lease("they"))), "they");
        assert_eq!(holder(&look(&bug, Answer::refusal(404, "NotFound"))), "we");
        assert_eq!(holder(&look(&bug, lease("they"))), "we");
        assert!(matches!(bug.ask(&mut call(Method::PUT)), Fate::Answered(_)));
    }
}
