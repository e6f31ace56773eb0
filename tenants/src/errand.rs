//! What tenants do, from one request to the next.

use std::time::{Duration, Instant};

use goose::goose::GooseResponse;
use goose::prelude::{GooseMethod, GooseRequest, GooseUser, TransactionError, TransactionResult};
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use serde_json::{Value, json};

use crate::manifest::{self, Shape};
use crate::mix::Kind;
use crate::tally::Outcome;
use crate::world::{Place, World};

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";

/// How often a tenant asks whether its Job has ended.
const POLL_EVERY: Duration = Duration::from_secs(2);
/// How many times it asks before it gives up.
const POLLS: u32 = 30;
/// How often somebody with a large Job comes back.
const LARGE_EVERY: Duration = Duration::from_secs(60);
/// How long a resumed Job is left alone.
const LEFT_ALONE: Duration = Duration::from_secs(1);
/// How long a Job may be kept, in seconds, by who then changes that mind just before.
const KEPT_S: u64 = 2;
/// How long after that the mind is changed.
const JUST_BEFORE: Duration = Duration::from_millis(1900);
/// How long a tenant waits that was refused and not told for how long.
const UNTOLD: Duration = Duration::from_secs(1);
/// How long a tenant waits at most, whatever it is told.
const PATIENCE: Duration = Duration::from_secs(5);

/// A request, and the row that it is counted in.
struct Call<'a> {
    method: GooseMethod,
    /// Without the method; never with the name of a Job, which would have a row of its own.
    row: &'static str,
    path: String,
    /// The kind of the body, and the body.
    body: Option<(&'static str, Value)>,
    /// Answers of 400 and more that are no errors.
    expected: &'a [u16],
}

struct Answer {
    status: u16,
    text: String,
}

impl Answer {
    fn is_good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

/// A tenant on its way.
pub struct Errand<'a> {
    user: &'a mut GooseUser,
    world: &'a World,
}

impl<'a> Errand<'a> {
    /// Of this tenant.
    pub fn of(user: &'a mut GooseUser, world: &'a World) -> Self {
        Self { user, world }
    }

    /// Does what tenants of this kind do, once.
    ///
    /// # Errors
    /// When a request has no answer.
    pub async fn run(&mut self, kind: Kind) -> TransactionResult {
        if self.world.is_over() {
            return Ok(());
        }
        match kind {
            Kind::BatchUser => self.batch_user(kind).await,
            Kind::Dashboard => self.dashboard().await,
            Kind::QueueManager => self.queue_manager().await,
            Kind::Editor => self.editor(kind).await,
            Kind::LargeJob => self.large_job(kind).await,
        }
    }

    /// Removes every Job of the tenants of this seed.
    pub async fn clean_up(&mut self) {
        for namespace in self.world.namespaces() {
            let label = format!("{}={}", manifest::LABEL, self.world.seed());
            let path = format!("/apis/batch/v1/namespaces/{namespace}/jobs?labelSelector={label}");
            let call = Call { body: Some((JSON, background())), ..call(GooseMethod::Delete, "jobs of tenants", path) };
            match self.ask(call).await {
                Ok(answer) if answer.is_good() => {}
                Ok(answer) => self.world.tally().leave_behind(format!("the answer was {}", answer.status)),
                Err(error) => self.world.tally().leave_behind(error.to_string()),
            }
        }
    }

    async fn batch_user(&mut self, kind: Kind) -> TransactionResult {
        let place = self.world.place();
        if self.create(&place, "job", Shape::ONE_POD).await?.is_good() {
            self.wait_for(&place, kind).await?;
            self.delete(&place).await?;
        }
        Ok(())
    }

    async fn dashboard(&mut self) -> TransactionResult {
        let namespace = self.world.view().to_owned();
        let path = format!("/apis/batch/v1/namespaces/{namespace}/jobs?limit=500");
        let jobs = self.ask(call(GooseMethod::Get, "jobs", path)).await?;
        let selected = "labelSelector=batch.kubernetes.io/job-name&resourceVersion=0";
        let path = format!("/api/v1/namespaces/{namespace}/pods?{selected}");
        self.ask(call(GooseMethod::Get, "pods", path)).await?;
        if let Some(name) = manifest::last_name(&jobs.text) {
            let path = path_of(&Place { namespace, name });
            // It may be gone by now.
            self.ask(Call { expected: &[404], ..call(GooseMethod::Get, "job", path) }).await?;
        }
        Ok(())
    }

    async fn queue_manager(&mut self) -> TransactionResult {
        let place = self.world.place();
        let made = self.create(&place, "suspended job", Shape::SUSPENDED).await?;
        if !made.is_good() {
            return Ok(());
        }
        let mut resume = json!({"spec": {"suspend": false}});
        if let Some(version) = manifest::version(&made.json()) {
            // Of a version that the controller may have changed since.
            resume["metadata"] = json!({"resourceVersion": version});
        }
        let answer = self.patch(&place, "job: resume", resume, &[409]).await?;
        if answer.status == 409 {
            self.patch(&place, "job: resume", json!({"spec": {"suspend": false}}), &[]).await?;
        }
        self.world.pause(LEFT_ALONE).await;
        self.patch(&place, "job: suspend", json!({"spec": {"suspend": true}}), &[404]).await?;
        // Everybody tries that once.
        self.patch(&place, "job: change of what is fixed", json!({"spec": {"completions": 7}}), &[404, 422]).await?;
        self.delete(&place).await
    }

    async fn editor(&mut self, kind: Kind) -> TransactionResult {
        let place = self.world.place();
        if !self.create(&place, "job", Shape::IN_TURNS).await?.is_good() {
            return Ok(());
        }
        self.patch(&place, "job: parallelism", json!({"spec": {"parallelism": 3}}), &[]).await?;
        self.wait_for(&place, kind).await?;
        let keep = |seconds: u64| json!({"spec": {"ttlSecondsAfterFinished": seconds}});
        self.patch(&place, "job: ttl", keep(KEPT_S), &[]).await?;
        self.world.pause(JUST_BEFORE).await;
        self.patch(&place, "job: longer ttl", keep(3600), &[404]).await?;
        self.delete(&place).await
    }

    async fn large_job(&mut self, kind: Kind) -> TransactionResult {
        let begun = Instant::now();
        let place = self.world.place();
        if self.create(&place, "large job", Shape::LARGE).await?.is_good() {
            self.wait_for(&place, kind).await?;
            self.delete(&place).await?;
        }
        self.world.pause(LARGE_EVERY.saturating_sub(begun.elapsed())).await;
        Ok(())
    }

    async fn create(
        &mut self,
        place: &Place,
        row: &'static str,
        shape: Shape,
    ) -> Result<Answer, Box<TransactionError>> {
        let job = manifest::job(&place.name, shape, self.world.seed(), self.world.manager());
        let path = format!("/apis/batch/v1/namespaces/{}/jobs", place.namespace);
        self.ask(Call { body: Some((JSON, job)), ..call(GooseMethod::Post, row, path) }).await
    }

    /// Waits for the end of a Job as long as tenants do, and notes what became of it.
    async fn wait_for(&mut self, place: &Place, kind: Kind) -> TransactionResult {
        let begun = Instant::now();
        let looked = self.until_ended(place).await;
        // Without an answer nobody knows: it was not seen to end.
        let outcome = looked.as_ref().copied().unwrap_or(Outcome::GivenUp);
        self.world.tally().waited(kind, outcome, begun.elapsed());
        looked?;
        Ok(())
    }

    /// Asks again and again until the Job has ended, is gone, or it is over.
    async fn until_ended(&mut self, place: &Place) -> Result<Outcome, Box<TransactionError>> {
        for _ in 0..POLLS {
            self.world.pause(POLL_EVERY).await;
            // It may have ended since the last look, so there is one more when it is over.
            let is_over = self.world.is_over();
            let answer =
                self.ask(Call { expected: &[404], ..call(GooseMethod::Get, "job: poll", path_of(place)) }).await?;
            if answer.status == 404 || manifest::has_ended(&answer.json()) {
                return Ok(Outcome::Ended);
            }
            if is_over {
                return Ok(Outcome::Open);
            }
        }
        Ok(Outcome::GivenUp)
    }

    async fn patch(
        &mut self,
        place: &Place,
        row: &'static str,
        patch: Value,
        expected: &[u16],
    ) -> Result<Answer, Box<TransactionError>> {
        self.ask(Call { body: Some((MERGE, patch)), expected, ..call(GooseMethod::Patch, row, path_of(place)) }).await
    }

    async fn delete(&mut self, place: &Place) -> TransactionResult {
        let call = Call {
            body: Some((JSON, background())),
            expected: &[404],
            ..call(GooseMethod::Delete, "job", path_of(place))
        };
        self.ask(call).await.map(drop)
    }

    async fn ask(&mut self, call: Call<'_>) -> Result<Answer, Box<TransactionError>> {
        let mut request = self.user.get_request_builder(&call.method, &call.path)?;
        if let Some((kind, body)) = &call.body {
            request = request.header(CONTENT_TYPE, *kind).body(body.to_string());
        }
        let request = GooseRequest::builder()
            .method(call.method)
            .path(call.path.as_str())
            .name(call.row)
            .set_request_builder(request)
            .build();
        let GooseResponse { mut request, response } = self.user.request(request).await?;
        self.world.count_request();
        let response = response?;
        let (status, wait) = (response.status().as_u16(), retry_after(response.headers()));
        // Whatever it says: an answer that is not read costs its connection.
        let text = response.text().await?;
        let key = format!("{} {}", call.method, call.row);
        if call.expected.contains(&status) {
            self.world.tally().expected(&key, status);
            request.error.clear();
            self.user.set_success(&mut request)?;
        }
        if wait.is_some() {
            self.world.tally().told_to_wait(&key);
        }
        if status == 429 {
            self.world.pause(wait.unwrap_or(UNTOLD).min(PATIENCE)).await;
        }
        Ok(Answer { status, text })
    }
}

/// A request without a body of which nothing but a good answer is expected.
fn call(method: GooseMethod, row: &'static str, path: String) -> Call<'static> {
    Call { method, row, path, body: None, expected: &[] }
}

fn background() -> Value {
    json!({"propagationPolicy": "Background"})
}

fn path_of(place: &Place) -> String {
    format!("/apis/batch/v1/namespaces/{}/jobs/{}", place.namespace, place.name)
}

/// How long the server asks to wait.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::seconds(Some("3"), Some(3))]
    #[case::a_date_is_nothing_that_api_servers_send(Some("Wed, 21 Oct 2026 07:28:00 GMT"), None)]
    #[case::not_told(None, None)]
    fn servers_say_for_how_many_seconds_to_wait(#[case] told: Option<&'static str>, #[case] seconds: Option<u64>) {
        let told = told.map(|text| (RETRY_AFTER, HeaderValue::from_static(text)));
        assert_eq!(retry_after(&told.into_iter().collect()), seconds.map(Duration::from_secs));
    }
}
