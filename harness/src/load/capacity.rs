//! How many writes an API server does each second, measured before a comparison: a budget that it cannot serve compares servers.

use std::time::Duration;

use futures::future;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::Instant;

use super::Trouble;
use crate::cluster::Rate;

/// How long each number of connections is tried.
const LONG: Duration = Duration::from_secs(2);
/// Connections side by side; the best of them counts.
const CONNECTIONS: [usize; 2] = [8, 24];
/// How much of it a budget may take.
const SHARE: f64 = 0.5;

/// What an API server can do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capacity {
    /// Writes of pods each second: creations, changes and deletions in turns.
    pub writes_per_second: f64,
    /// With how many connections side by side.
    pub connections: usize,
}

impl Capacity {
    /// Measures it in this namespace, in a few seconds; `client` makes no request twice.
    ///
    /// # Errors
    /// When the API server refuses something.
    pub async fn measure(client: &kube::Client, namespace: &str) -> Result<Self, Trouble> {
        let mut best = Self { writes_per_second: 0.0, connections: 0 };
        for connections in CONNECTIONS {
            let until = Instant::now() + LONG;
            let hands = (0..connections).map(|hand| busy(client, namespace, connections, hand, until));
            let writes: u32 = future::try_join_all(hands).await?.into_iter().sum();
            // The last round of each ends after its time.
            let took = LONG + Instant::now().saturating_duration_since(until);
            let writes_per_second = f64::from(writes) / took.as_secs_f64();
            if writes_per_second > best.writes_per_second {
                best = Self { writes_per_second, connections };
            }
        }
        Ok(best)
    }

    /// Why a budget is too large for this server, if it is.
    #[must_use]
    pub fn refusal(&self, rate: Rate) -> Option<String> {
        let most = (self.writes_per_second * SHARE).floor();
        (!rate.is_off() && f64::from(rate.qps) > most).then(|| {
            format!(
                "the budget of {} requests a second (--qps) is more than half of the {:.0} writes that this API server did each \
                 second, so figures would say more about the server than about controllers: take --qps {:.0}, or a machine that \
                 has less to do",
                rate.qps,
                self.writes_per_second,
                most.max(1.0)
            )
        })
    }
}

/// Makes, changes and deletes one pod after the other; how many writes that were.
async fn busy(
    client: &kube::Client,
    namespace: &str,
    group: usize,
    hand: usize,
    until: Instant,
) -> Result<u32, Trouble> {
    let pods = format!("/api/v1/namespaces/{namespace}/pods");
    let name = format!("capacity-{group}-{hand}");
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        // No scheduler is called like this, and nobody plays a pod without a node.
        "spec": {"schedulerName": "nobody", "containers": [{"name": "main", "image": "nobody-runs-it"}]},
    });
    let round = [
        (http::Method::POST, pods.clone(), "application/json", pod),
        (
            http::Method::PATCH,
            format!("{pods}/{name}"),
            "application/merge-patch+json",
            json!({"metadata": {"labels": {"a": "b"}}}),
        ),
        (http::Method::DELETE, format!("{pods}/{name}"), "application/json", json!({"gracePeriodSeconds": 0})),
    ];
    let mut writes = 0;
    while Instant::now() < until {
        for (method, path, content, body) in &round {
            let request =
                http::Request::builder().method(method).uri(path).header(http::header::CONTENT_TYPE, *content);
            let request = request.body(body.to_string().into_bytes());
            let request = request.map_err(|error| Trouble::of("make a request", &error))?;
            let answer = client.request_text(request).await;
            answer.map_err(|error| Trouble::of("measure what the API server can do", &error))?;
            writes += 1;
        }
    }
    Ok(writes)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::half_is_allowed(100, None)]
    #[case::more_is_not(101, Some("take --qps 100,"))]
    fn a_budget_may_take_half(#[case] qps: u32, #[case] says: Option<&str>) {
        let capacity = Capacity { writes_per_second: 200.9, connections: 8 };
        let refusal = capacity.refusal(Rate { qps, burst: 1 });
        assert_eq!(refusal.is_some(), says.is_some(), "{refusal:?}");
        assert!(refusal.zip(says).is_none_or(|(refusal, says)| refusal.contains(says)));
    }

    #[test]
    fn who_has_no_budget_is_not_told_to_take_a_smaller_one() {
        let capacity = Capacity { writes_per_second: 200.9, connections: 8 };
        assert_eq!(capacity.refusal(Rate::OFF), None);
    }

    #[test]
    fn what_is_offered_is_never_nothing() {
        let capacity = Capacity { writes_per_second: 0.0, connections: 0 };
        assert!(capacity.refusal(Rate::default()).is_some_and(|says| says.contains("take --qps 1,")));
    }
}
