//! A great many reviews at random, as the webhook gets them from its connections: good ones, bad ones, torn ones, huge ones. None may
//! bring it down or hold it up, and none may get a yes that the requirements forbid.
//!
//! `JOBSWORTH_REVIEWS` says how many, `JOBSWORTH_REVIEWS_SEED` which; `JOBSWORTH_REVIEWS_FIRST` begins with another than the first, to
//! repeat one that failed.

mod ask;
mod census;
mod cluster;
mod defaults;
mod huge;
mod jobs;
mod judge;
mod mutate;
mod review;
mod rules;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use jobsworth_volcano::webhook::server::Site;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::json;
use tokio::time::timeout;

use census::{Census, Entry};
use cluster::AtOnce;
use judge::{Asked, Outcome, Reply, judge, question, shortened};
use review::{Must, Review};

/// The API server waits no longer for an answer (VJ-091).
const WITHIN: Duration = Duration::from_secs(10);
/// When nothing has come from any worker for so long, one of them hangs.
const SILENCE: Duration = Duration::from_secs(120);

/// Which reviews are made.
#[derive(Clone, Copy, Debug)]
struct Plan {
    seed: u64,
    first: u64,
    count: u64,
}

impl Plan {
    fn from_environment() -> Self {
        let setting = |name: &str, otherwise: u64| match std::env::var(name) {
            Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text:?}")),
            Err(_) => otherwise,
        };
        Self {
            seed: setting("JOBSWORTH_REVIEWS_SEED", 15),
            first: setting("JOBSWORTH_REVIEWS_FIRST", 0),
            count: setting("JOBSWORTH_REVIEWS", 3_000),
        }
    }

    fn review(&self, number: u64) -> Review {
        // Neighbours of one seed must not be those of the next.
        let own = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number);
        Review::make(number, &mut StdRng::seed_from_u64(own))
    }

    fn how_to_repeat(&self, number: u64) -> String {
        format!("JOBSWORTH_REVIEWS_SEED={} JOBSWORTH_REVIEWS_FIRST={number} JOBSWORTH_REVIEWS=1", self.seed)
    }
}

#[test]
fn no_review_brings_the_webhook_down_or_gets_a_wrong_yes() {
    let plan = Plan::from_environment();
    let start = Instant::now();
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let under_way: Arc<Vec<AtomicU64>> = Arc::new((0..workers).map(AtomicU64::new).collect());
    let (tell, told) = channel();
    for worker in 0..workers {
        let (tell, under_way) = (tell.clone(), Arc::clone(&under_way));
        std::thread::spawn(move || {
            let numbers = (plan.first + worker..plan.first + plan.count).step_by(workers as usize);
            work(plan, numbers, &under_way[worker as usize], &tell);
        });
    }
    drop(tell);
    let mut census = Census::default();
    for _ in 0..plan.count {
        match told.recv_timeout(SILENCE) {
            Ok(Ok(entry)) => census.take(&entry),
            Ok(Err(failure)) => panic!("{failure}"),
            Err(RecvTimeoutError::Timeout) => panic!("one of the reviews {under_way:?} has no answer: {plan:?}"),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("a worker fell over one of the reviews {under_way:?}: {plan:?}")
            }
        }
    }
    println!("{}", census.table(plan.seed, start.elapsed()));
    census.assert_enough();
}

fn work(plan: Plan, numbers: impl Iterator<Item = u64>, under_way: &AtomicU64, tell: &Sender<Result<Entry, String>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let site = cluster::site();
    for number in numbers {
        under_way.store(number, Ordering::Relaxed);
        let review = plan.review(number);
        let examined = runtime.block_on(examine(&site, &review)).map_err(|why| {
            let Review { class, method, path, ref body, .. } = review;
            let body = shortened(&String::from_utf8_lossy(body));
            format!("{class:?} review {number} ({}): {why}\n{method} {path}\n{body}", plan.how_to_repeat(number))
        });
        // Nobody listens any more when another review has failed.
        if tell.send(examined).is_err() {
            return;
        }
    }
}

async fn examine(site: &Site<AtOnce>, review: &Review) -> Result<Entry, String> {
    let reply = put(site, review).await?;
    let outcome = judge(review, &reply)?;
    if let Outcome::Allowed(patch) = &outcome
        && review.path.ends_with("/mutate")
    {
        let asked = question(&review.body).ok_or("what is no question has an answer")?;
        follow(site, review, &asked, patch).await?;
    }
    Ok(Entry { class: review.class, path: review.path, outcome, took: reply.took })
}

/// Puts a question.
async fn put(site: &Site<AtOnce>, review: &Review) -> Result<Reply, String> {
    let request = Request::builder().method(review.method).uri(review.path).header("content-type", review.content);
    let request = request.body(Full::new(Bytes::from(review.body.clone()))).unwrap();
    let start = Instant::now();
    let answered = timeout(WITHIN, site.respond(request)).await;
    let took = start.elapsed();
    let answer = answered.ok().filter(|_| took < WITHIN).ok_or_else(|| format!("no answer within {WITHIN:?}"))?;
    let status = answer.status();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    Ok(Reply { status, body, took })
}

/// What becomes of an object with its patch: it is right, a second time changes nothing (VJ-044), and one with nothing wrong with it
/// passes validation.
async fn follow(site: &Site<AtOnce>, review: &Review, asked: &Asked, patch: &json_patch::Patch) -> Result<(), String> {
    let mut patched = asked.object.clone();
    json_patch::patch(&mut patched, patch).map_err(|error| format!("the patch does not fit: {error}: {patch:?}"))?;
    defaults::check(review.path, asked, &patched)?;
    let request = json!({"uid": "again", "operation": "CREATE", "resource": asked.resource, "name": asked.name.as_str().unwrap_or_default(),
        "namespace": asked.namespace.as_str().unwrap_or_default(), "object": patched});
    let again = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
    let again = Review::new(review.class, review.path, again.to_string().into_bytes(), Must::Allow);
    match judge(&again, &put(site, &again).await?).map_err(|why| format!("with its patch: {why}"))? {
        Outcome::Allowed(more) if more.0.is_empty() => {}
        other => return Err(format!("a second time it is {other:?}")),
    }
    if review.must == Must::Allow && review.path == "/jobs/mutate" {
        let validated = Review { path: "/jobs/validate", ..again };
        judge(&validated, &put(site, &validated).await?).map_err(|why| format!("defaulted and validated: {why}"))?;
    }
    Ok(())
}
