//! The operations of the shell that are measured, each in our way and in the naive one.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::limiter::{Flow, Limiter};
use jobsworth_controller_runtime::metrics::Exposition;
use jobsworth_controller_runtime::queue::{Outcome, WorkQueue};
use jobsworth_figures::{Sides, row};

use crate::naive::{Bucket, DelayingQueue};

/// Longer than any bench.
const MUCH_LATER: Duration = Duration::from_secs(3600);

/// Every row, in the order in which it is shown.
pub fn all() -> Vec<(String, Sides)> {
    vec![fair_pick("10", 10), fair_pick("1e4", 10_000), delay("1e4", 10_000), delay("1e5", 100_000)]
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// One request of each of so many Jobs waits, and all are served: divide by the number of Jobs.
fn fair_pick(name: &str, jobs: u32) -> (String, Sides) {
    let uid = |job| format!("5f0c7a52-0000-4000-8000-{job:012}").into();
    let flow = |job| Flow::Owner { namespace: "ns".into(), uid: uid(job), size: job % 1_000 };
    let flows: Vec<Flow> = (0..jobs).map(flow).collect();
    let ours = move || {
        // A bucket that is never empty: the pick is measured, not the wait.
        let limiter = Limiter::new(1e9, u32::MAX);
        let mut waiting: Vec<_> = flows.iter().map(|flow| Box::pin(limiter.acquire(flow.clone()))).collect();
        waiting.iter_mut().for_each(|request| assert!(poll(request.as_mut()).is_pending()));
        assert!(poll(pin!(limiter.run())).is_pending(), "it runs for ever");
        waiting.iter_mut().for_each(|request| assert!(poll(request.as_mut()).is_ready()));
    };
    let naive = move || {
        let bucket = Bucket::default();
        let mut waiting: Vec<_> = (0..jobs).map(|_| Box::pin(bucket.enqueue())).collect();
        waiting.iter_mut().for_each(|request| assert!(poll(request.as_mut()).is_pending()));
        bucket.serve();
        waiting.iter_mut().for_each(|request| assert!(poll(request.as_mut()).is_ready()));
    };
    row(&format!("limiter/fair_pick/{name} jobs, all served"), ours, naive)
}

/// A key comes and goes while so many others wait for their time.
fn delay(name: &str, timers: u32) -> (String, Sides) {
    let key = |number: u32| -> Arc<str> { format!("namespace/job-{number:06}").into() };
    let ours = |number: u32| Key { namespace: "namespace".into(), name: format!("job-{number:06}").into() };
    let queue = WorkQueue::new("ttl_jobs_to_delete", 1, Exposition::default().runtime());
    let mut other = DelayingQueue::default();
    for number in 0..timers {
        // Times in an order that has nothing to do with that of the names.
        let due = MUCH_LATER + Duration::from_millis(u64::from(number.wrapping_mul(2_654_435_761) % timers));
        queue.add(ours(number), due);
        other.add(key(number), due);
    }
    let (own, same) = (ours(timers), key(timers));
    let ours = move || {
        queue.add(own.clone(), Duration::ZERO);
        let Poll::Ready(Some(taken)) = poll(pin!(queue.take())) else { panic!("it is due") };
        queue.finish(taken, Outcome::Done(None));
    };
    let naive = move || {
        other.add(Arc::clone(&same), Duration::ZERO);
        let taken = other.take().expect("it is due");
        other.finish(&taken);
    };
    row(&format!("queue/delay/{name}"), ours, naive)
}
