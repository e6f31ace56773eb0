//! Three witnesses of how many requests a controller made: the API server's audit log, its flow control, and the controller itself.
//!
//! None of them counts the same. The audit log writes a watch down when it ends, flow control and client-go when it is opened: in a
//! time in which the controller runs on, every watch that ends is opened anew, so these are equal. The reference counts
//! as client-go does. Its older versions count only what they decide to do with pods and statuses; of those releases are left out of both
//! sides, for one goes with some deletions and is not counted apart. Leases are not in the audit log; nobody under test takes one. Probes
//! of health are answered by a controller and asked by nobody. A flow schema of their own keeps requests of other service accounts out of
//! flow control's count.

use serde::{Deserialize, Serialize};

use super::audit::Requests;
use super::flow_schema;
use super::scraped::sum;
use crate::cluster::{Cluster, Component};

/// How far apart two witnesses may be, in percent of the larger one.
const ALLOWED: f64 = 1.0;
/// So few are no disagreement: a controller asks whether we may read its metrics, and renews its own tokens and watches.
const FEW: u64 = 5;

/// What a controller's own count is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Every request of its client library (`rest_client_requests_total`).
    Everything,
    /// Creations and deletions of pods, and writes of Jobs' status (`jobsworth_requests_total`): of references that do not count all.
    PodsAndStatuses,
}

/// How many requests each witness saw in a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Witnesses {
    /// The audit log: all but watches, events too.
    pub audit: u64,
    /// Watches that ended, by the audit log; as many were opened.
    pub watches: u64,
    /// The controller itself, where it counts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client: Option<u64>,
    /// What that is a count of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_counts: Option<Scope>,
    /// What the audit log has of that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub audit_of_client: Option<u64>,
    /// Flow control of the API server, watches too.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub server: Option<u64>,
    /// How far the two are apart that are furthest apart, in percent of the larger one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub disagreement_percent: Option<f64>,
    /// Whether two are further apart than one in a hundred, and than a handful.
    pub disagree: bool,
}

/// What both components said at one moment; nothing where one could not be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// Of the controller: requests of its client library, and its own count.
    client: Option<[Option<f64>; 2]>,
    server: Option<f64>,
}

impl Look {
    /// Asks both.
    pub async fn at(cluster: &dyn Cluster) -> Self {
        let client = cluster.metrics(Component::Subject).await.ok();
        let server = cluster.metrics(Component::ApiServer).await.ok();
        Self::of(client.as_deref(), server.as_deref())
    }

    /// Reads what they said. A counter that is not there yet has counted nothing, on the server's side; a controller may not have it.
    fn of(client: Option<&str>, server: Option<&str>) -> Self {
        let is_counted =
            |verb: Option<&str>, outcome: Option<&str>| verb != Some("patch") && outcome != Some("skipped");
        let of_client = |text: &str| {
            let decided =
                sum(text, "jobsworth_requests_total", |labels| is_counted(labels.get("verb"), labels.get("outcome")));
            [sum(text, "rest_client_requests_total", |_| true), decided]
        };
        let is_ours = |labels: &prometheus_parse::Labels| labels.get("flow_schema") == Some(flow_schema::NAME);
        let of_server =
            |text: &str| sum(text, "apiserver_flowcontrol_dispatched_requests_total", is_ours).unwrap_or_default();
        Self { client: client.map(of_client), server: server.map(of_server) }
    }
}

impl Witnesses {
    /// Of what the audit log has, and of what both components said before and after.
    #[must_use]
    pub fn of(requests: &Requests, watches: u64, before: &Look, after: &Look) -> Self {
        let audit = requests.without_events + requests.events;
        let client = before.client.zip(after.client).and_then(|(before, after)| own(before, after));
        let server = before.server.zip(after.server).map(|(before, after)| risen(before, after));
        let audit_of_client = client.map(|(scope, _)| match scope {
            Scope::Everything => audit + watches,
            Scope::PodsAndStatuses => pods_and_statuses(requests),
        });
        let pairs = [client.map(|(_, count)| count).zip(audit_of_client), server.map(|count| (count, audit + watches))];
        let apart = || pairs.iter().flatten().map(|&(one, other)| (one.abs_diff(other), percent(one, other)));
        Self {
            audit,
            watches,
            client: client.map(|(_, count)| count),
            client_counts: client.map(|(scope, _)| scope),
            audit_of_client,
            server,
            disagreement_percent: apart().map(|(_, percent)| percent).reduce(f64::max),
            disagree: apart().any(|(apart, percent)| apart > FEW && percent > ALLOWED),
        }
    }

    /// Why that spoils a trial, if it does: of requests that cannot be counted nobody knows whether the budget was kept.
    #[must_use]
    pub fn complaint(&self) -> Option<String> {
        self.disagree.then(|| format!("witnesses of how many requests there were {}", self.says()))
    }

    /// For people, for example `disagree by 2.3 %: audit log 1003, client 1027 of 1003, flow control 1003 of 1003`.
    #[must_use]
    pub fn says(&self) -> String {
        let word = if self.disagree { "disagree" } else { "agree" };
        let apart = self.disagreement_percent.map_or_else(String::new, |percent| format!(" by {percent:.1} %"));
        let pair = |name: &str, count: Option<u64>, of: Option<u64>| {
            count.zip(of).map(|(count, of)| format!(", {name} {count} of {of}")).unwrap_or_default()
        };
        let (client, server) = (
            pair("client", self.client, self.audit_of_client),
            pair("flow control", self.server, Some(self.audit + self.watches)),
        );
        format!("{word}{apart}: audit log {}{client}{server}", self.audit)
    }
}

/// What the controller itself counted: its client library if it has that one, else what it decided.
fn own(before: [Option<f64>; 2], after: [Option<f64>; 2]) -> Option<(Scope, u64)> {
    let scopes = [Scope::Everything, Scope::PodsAndStatuses];
    let mut both = before.into_iter().zip(after).zip(scopes);
    both.find_map(|((before, after), scope)| Some((scope, risen(before.unwrap_or_default(), after?))))
}

/// Nothing that was counted is less than nothing, and all are whole.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count that was written as a number")]
fn risen(before: f64, after: f64) -> u64 {
    (after - before).max(0.0).round() as u64
}

fn pods_and_statuses(requests: &Requests) -> u64 {
    let kinds = ["create pods", "delete pods", "update jobs/status", "patch jobs/status"];
    kinds.iter().filter_map(|kind| requests.by_kind.get(*kind)).sum()
}

#[expect(clippy::cast_precision_loss, reason = "thousands of requests")]
fn percent(one: u64, other: u64) -> f64 {
    one.abs_diff(other) as f64 / one.max(other).max(1) as f64 * 100.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use std::collections::BTreeMap;

    fn look(client: &str, server: u32) -> Look {
        let flow = "apiserver_flowcontrol_dispatched_requests_total";
        let server = format!(
            "{flow}{{flow_schema=\"jobsworth-subjects\",priority_level=\"workload-high\"}} {server}\n\
             {flow}{{flow_schema=\"service-accounts\",priority_level=\"workload-low\"}} 9999\n"
        );
        Look::of(Some(client), Some(&server))
    }

    fn requests() -> Requests {
        let by_kind = [("create pods", 400), ("patch pods", 400), ("update jobs/status", 190), ("delete jobs", 10)];
        let by_kind = by_kind.map(|(kind, number)| (kind.to_owned(), number)).into();
        Requests { without_events: 1000, events: 20, by_kind, ..Requests::default() }
    }

    #[rstest]
    #[case::all_the_same(1100, 1522, false, 0.0)]
    #[case::a_handful_apart(1105, 1522, false, 0.49)]
    #[case::one_in_a_hundred_is_allowed(1110, 1522, false, 0.97)]
    #[case::a_client_that_counted_more(1120, 1522, true, 1.92)]
    #[case::a_server_that_counted_less(1100, 1500, true, 2.15)]
    fn client_go_and_flow_control_are_held_against_the_audit_log(
        #[case] client: u32,
        #[case] server: u32,
        #[case] disagree: bool,
        #[case] percent: f64,
    ) {
        let said = |count: u32| {
            format!("rest_client_requests_total{{code=\"200\",host=\"a\",method=\"GET\"}} {count}\nother_total 7\n")
        };
        let found = Witnesses::of(&requests(), 2, &look(&said(78), 500), &look(&said(client), server));
        assert_eq!((found.audit, found.client_counts), (1020, Some(Scope::Everything)));
        assert_eq!((found.disagree, found.complaint().is_some()), (disagree, disagree), "{found:?}");
        assert!((found.disagreement_percent.expect("there are two") - percent).abs() < 0.01, "{found:?}");
        assert!(found.says().starts_with(if disagree { "disagree by " } else { "agree by " }), "{}", found.says());
    }

    #[test]
    fn a_reference_that_counts_part_of_its_requests_is_held_against_that_part() {
        let said = |created: u32, skipped: u32| {
            format!(
                "jobsworth_requests_total{{verb=\"create\",outcome=\"done\"}} {created}\n\
                 jobsworth_requests_total{{verb=\"update\",outcome=\"done\"}} 190\n\
                 jobsworth_requests_total{{verb=\"patch\",outcome=\"done\"}} {created}\n\
                 jobsworth_requests_total{{verb=\"create\",outcome=\"skipped\"}} {skipped}\n"
            )
        };
        let nothing = Look::of(Some(""), Some(""));
        let found = Witnesses::of(&requests(), 0, &nothing, &look(&said(400, 77), 1020));
        assert_eq!((found.client, found.audit_of_client, found.server), (Some(590), Some(590), Some(1020)));
        assert_eq!(found.says(), "agree by 0.0 %: audit log 1020, client 590 of 590, flow control 1020 of 1020");
    }

    #[test]
    fn who_cannot_be_asked_is_no_witness() {
        let found = Witnesses::of(&requests(), 0, &Look::default(), &look("rest_client_requests_total 5\n", 7));
        assert_eq!((found.client, found.server, found.disagreement_percent, found.disagree), (None, None, None, false));
        assert_eq!(found.says(), "agree: audit log 1020");
    }

    proptest! {
        #[test]
        fn to_disagree_takes_more_than_a_handful_and_more_than_one_in_a_hundred(
            audit in 0_u64..5_000, server in 0_u32..5_000,
        ) {
            let requests = Requests { without_events: audit, by_kind: BTreeMap::new(), ..Requests::default() };
            let found = Witnesses::of(&requests, 0, &look("", 0), &look("", server));
            let apart = audit.abs_diff(u64::from(server));
            let wanted = apart > 5 && apart * 100 > audit.max(u64::from(server));
            prop_assert_eq!(found.disagree, wanted);
        }
    }
}
