//! Panics: what they say, and how one that concerns one object is survived.

use std::any::Any;
use std::fmt::Display;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;

use crate::metrics::{Metrics, PartLabels};

/// What a panic said.
#[must_use]
pub fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a word".to_owned())
}

/// Goes through with `work`.
///
/// # Errors
/// What it said when it panicked.
pub async fn caught<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|payload| words(&*payload))
}

/// Goes through with `work` on one object; `None` when it panicked, which is told and counted: a bug that one object brings
/// out must not take the others' worker with it.
pub async fn survived<T>(
    part: &'static str,
    object: &impl Display,
    metrics: &Metrics,
    work: impl Future<Output = T>,
) -> Option<T> {
    match caught(work).await {
        Ok(done) => Some(done),
        Err(panic) => {
            metrics.panics_survived.get_or_create(&PartLabels { part }).inc();
            tracing::error!(part, %object, panic, "panicked; this object is tried again, the others are served");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Exposition;

    #[tokio::test]
    async fn a_panic_is_counted_and_the_work_of_others_goes_on() {
        let exposition = Exposition::default();
        let work = |number: u32| async move { if number == 2 { panic!("{number} is too much") } else { number } };
        let mut done = Vec::new();
        for number in 1..4 {
            done.push(survived("sync", &"ns/object", exposition.runtime(), work(number)).await);
        }
        assert_eq!(done, [Some(1), None, Some(3)]);
        let text = exposition.text();
        assert!(text.contains("jobsworth_panics_survived_total{part=\"sync\"} 1\n"), "{text}");
    }

    #[tokio::test]
    async fn whatever_a_panic_carries_becomes_words() {
        assert_eq!(caught(async { panic!("plain") }).await, Err::<(), _>("plain".to_owned()));
        assert_eq!(caught(async { panic!("{} of it", 2) }).await, Err::<(), _>("2 of it".to_owned()));
        let other = caught(async { std::panic::panic_any(7) }).await;
        assert_eq!(other, Err::<(), _>("without a word".to_owned()));
    }
}
