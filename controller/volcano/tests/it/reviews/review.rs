//! A question as bytes, and what is known of its answer beforehand.

use http::StatusCode;
use jobsworth_volcano::webhook::server::LARGEST_BODY;
use rand::Rng;
use rand::rngs::StdRng;

use super::ask::{self, Ask};
use super::huge;
use super::jobs::one_of;
use super::mutate::mutate;

/// What was done to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nothing: it has nothing wrong with it.
    Valid,
    /// It is JSON with other things in it.
    Mutated,
    /// Its end is missing.
    Truncated,
    /// Some of its bytes are others, or it is no JSON at all.
    Corrupted,
    /// Its path, method or content type is wrong.
    Misdirected,
    /// It is near the largest body, or beyond, or has a great many of something.
    Huge,
}

impl Class {
    pub const ALL: [Self; 6] =
        [Self::Valid, Self::Mutated, Self::Truncated, Self::Corrupted, Self::Misdirected, Self::Huge];

    /// Which class the n-th review is of: 4 of 1,000 are huge, and every class has its share of any 250.
    pub fn of(number: u64) -> Self {
        match number % 250 {
            0 => Self::Huge,
            1..=80 => Self::Valid,
            81..=180 => Self::Mutated,
            181..=215 => Self::Truncated,
            216..=237 => Self::Corrupted,
            _ => Self::Misdirected,
        }
    }
}

/// What is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Must {
    /// The answer is yes.
    Allow,
    /// There is an answer, and it is no, or none of a review can be read.
    NotAllow,
    /// The status of HTTP is this one.
    Status(StatusCode),
    /// Nothing: what is in it decides.
    Judge,
}

/// A request to the webhook.
pub struct Review {
    pub class: Class,
    pub method: &'static str,
    pub path: &'static str,
    pub content: &'static str,
    pub body: Vec<u8>,
    pub must: Must,
}

impl Review {
    pub fn new(class: Class, path: &'static str, body: Vec<u8>, must: Must) -> Self {
        Self { class, method: "POST", path, content: "application/json", body, must }
    }

    fn of(class: Class, ask: &Ask, must: Must) -> Self {
        Self::new(class, ask.path, ask.review.to_string().into_bytes(), must)
    }

    /// The n-th review, made with its own random numbers.
    pub fn make(number: u64, rng: &mut StdRng) -> Self {
        let class = Class::of(number);
        if class == Class::Huge {
            return huge::review(number / 250, rng);
        }
        let mut ask = ask::any(rng);
        match class {
            Class::Valid => Self::of(class, &ask, Must::Allow),
            Class::Mutated => {
                mutate(rng, &mut ask);
                Self::of(class, &ask, Must::Judge)
            }
            Class::Truncated => {
                let mut review = Self::of(class, &ask, Must::Status(StatusCode::BAD_REQUEST));
                // What remains of an object is never one.
                let end = rng.random_range(0..review.body.len());
                review.body.truncate(end);
                review
            }
            Class::Corrupted => corrupted(rng, Self::of(class, &ask, Must::Judge)),
            Class::Misdirected => misdirected(rng, Self::of(class, &ask, Must::Judge)),
            Class::Huge => unreachable!("made above"),
        }
    }
}

/// One run of bytes becomes another, or all do. One run only: the same change at two places could make two objects differ in what no
/// type knows, and whoever compares them would have to know that.
fn corrupted(rng: &mut StdRng, mut review: Review) -> Review {
    let unreadable = Must::Status(StatusCode::BAD_REQUEST);
    let kind = rng.random_range(0..10);
    let at = rng.random_range(0..review.body.len());
    let end = (at + rng.random_range(1..5)).min(review.body.len());
    match kind {
        0 => {
            let texts =
                ["", " ", "null", "[]", "{}", "nonsense", "\u{feff}{}", "{\"request\":", "<xml/>", "\0", "1e999"];
            review.body = one_of(rng, &texts).as_bytes().to_vec();
            review.must = unreadable;
        }
        1 => {
            review.body = (0..rng.random_range(1..2_000)).map(|_| rng.random::<u8>()).collect();
            review.must = unreadable;
        }
        // Something behind the end.
        2 => {
            review.body.extend_from_slice(one_of(rng, &["}", "{}", "x", "\0", ","]).as_bytes());
            review.must = unreadable;
        }
        // A byte that is in no text.
        3 => review.body.insert(at, 0xff),
        4 => drop(review.body.drain(at..end)),
        _ => review.body[at..end].iter_mut().for_each(|byte| *byte ^= rng.random_range(1..=255)),
    }
    review
}

fn misdirected(rng: &mut StdRng, mut review: Review) -> Review {
    match rng.random_range(0..4) {
        0 => {
            let paths =
                ["/", "/jobs", "/jobs/mutate/", "/pods/mutate", "/JOBS/VALIDATE", "/jobs/validate/../mutate", "/%00"];
            review.path = one_of(rng, &paths);
            review.must = Must::Status(StatusCode::NOT_FOUND);
        }
        1 => {
            review.method = one_of(rng, &["GET", "PUT", "DELETE", "PATCH", "DANCE"]);
            review.must = Must::Status(StatusCode::METHOD_NOT_ALLOWED);
        }
        2 => {
            review.content = one_of(rng, &["", "text/plain", "application/yaml", "application/jsonx", ";"]);
            review.must = Must::Status(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        }
        // The path of something else, which jobs have two of.
        _ => {
            let is_about_jobs = review.path.starts_with("/jobs");
            let others: &[&'static str] = if is_about_jobs {
                &["/queues/validate", "/podgroups/mutate"]
            } else {
                &["/jobs/mutate", "/jobs/validate"]
            };
            review.path = one_of(rng, others);
            review.must = Must::NotAllow;
        }
    }
    debug_assert!(review.body.len() <= LARGEST_BODY, "only huge ones are larger");
    review
}
