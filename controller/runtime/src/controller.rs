//! The work itself, from the first list to the end of the last round: who does it, and what happens when one of them ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::fence::Fence;
use crate::liveness::Liveness;
use crate::supervise::{PartExit, Supervisor};

/// How long rounds that are under way may take to end, once the program is told to stop.
const ROUNDS_END_WITHIN: Duration = Duration::from_secs(10);
/// How long events that wait may take to be sent after that.
const EVENTS_END_WITHIN: Duration = Duration::from_secs(3);

/// What has to be there for a controller to work.
pub trait Controller {
    /// Starts rate limiters and watches. The token is cancelled once there was a list of everything that is watched.
    fn start_watches(&self, background: &mut Supervisor) -> CancellationToken;

    /// Starts the workers, once the caches are filled, and the senders of their events.
    fn start_workers(&self) -> Staff;

    /// Closes every queue: a worker ends after the round that it is in.
    fn close_queues(&self);
}

/// Who works.
#[derive(Debug)]
pub struct Staff {
    /// Those who take keys from queues.
    pub workers: Supervisor,
    /// Those who send the workers' events. They end by themselves when the last worker is gone.
    pub senders: Supervisor,
}

/// How the work ended that was told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Every round came to its end: nothing that was sent is without an answer.
    Clean,
    /// Some rounds were cut off: what they sent may arrive yet.
    Cut,
}

/// Fills the caches, calls `filled`, then works until told to stop, then lets what is under way end: rounds within 10 s, events
/// within 3 s more.
///
/// # Errors
/// When a part ended although it was not told to; the fence is closed then, and nothing leaves any more.
pub async fn lead(
    controller: &impl Controller,
    fence: &Fence,
    liveness: &Arc<Liveness>,
    stop: &CancellationToken,
    filled: impl FnOnce(),
) -> Result<Shutdown, PartExit> {
    let fell = |exit| {
        fence.close();
        Err(exit)
    };
    let mut background = Supervisor::new(liveness);
    let listed = controller.start_watches(&mut background);
    tokio::select! {
        biased;
        exit = background.first_exit() => return fell(exit),
        () = stop.cancelled() => return Ok(Shutdown::Clean),
        () = listed.cancelled() => {}
    }
    filled();
    tracing::info!("the caches are filled");
    let Staff { mut workers, mut senders } = controller.start_workers();
    tokio::select! {
        biased;
        exit = background.first_exit() => return fell(exit),
        exit = workers.first_exit() => return fell(exit),
        exit = senders.first_exit() => return fell(exit),
        () = stop.cancelled() => {}
    }
    tracing::info!("stopping");
    liveness.stopping();
    controller.close_queues();
    let shutdown = match timeout(ROUNDS_END_WITHIN, workers.join()).await {
        Ok(Ok(())) => Shutdown::Clean,
        Ok(Err(exit)) => return fell(exit),
        Err(_) => {
            tracing::warn!("some syncs did not end in time; the next instance goes on from what is there");
            Shutdown::Cut
        }
    };
    // With the last worker the last one who could leave an event goes.
    drop(workers);
    match timeout(EVENTS_END_WITHIN, senders.join()).await {
        Ok(Err(exit)) => fell(exit),
        Ok(Ok(())) | Err(_) => Ok(shutdown),
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use futures::future::BoxFuture;
    use tokio::time::Instant;

    use super::*;
    use crate::supervise::How;

    type Work = fn(CancellationToken) -> BoxFuture<'static, ()>;

    /// A controller with one worker; its queue is a token that is cancelled when the queue is closed.
    struct One {
        liveness: Arc<Liveness>,
        closed: CancellationToken,
        work: Work,
    }

    impl Controller for One {
        fn start_watches(&self, background: &mut Supervisor) -> CancellationToken {
            background.spawn("watch", pending());
            let listed = CancellationToken::new();
            listed.cancel();
            listed
        }

        fn start_workers(&self) -> Staff {
            let (mut workers, mut senders) = (Supervisor::new(&self.liveness), Supervisor::new(&self.liveness));
            workers.spawn("workers", (self.work)(self.closed.clone()));
            senders.spawn("events", pending());
            Staff { workers, senders }
        }

        fn close_queues(&self) {
            self.closed.cancel();
        }
    }

    /// How it ends when it is told to stop after a minute, after how many seconds, and whether writes may leave then.
    async fn led(work: Work) -> (Result<Shutdown, PartExit>, u64, bool) {
        let (fence, closed, stop) = (Fence::open(), CancellationToken::new(), CancellationToken::new());
        let liveness = Arc::new(Liveness::new(Arc::clone(&fence)));
        let one = One { liveness: Arc::clone(&liveness), closed, work };
        let (begun, told) = (Instant::now(), stop.clone());
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(60)).await;
            told.cancel();
        });
        let ended = lead(&one, &fence, &liveness, &stop, || {}).await;
        (ended, begun.elapsed().as_secs(), fence.left().is_some())
    }

    #[tokio::test(start_paused = true)]
    async fn workers_end_their_rounds_and_events_have_three_seconds_more() {
        let (ended, seconds, open) = led(|closed| Box::pin(async move { closed.cancelled().await })).await;
        assert_eq!((ended, seconds, open), (Ok(Shutdown::Clean), 63, true));
    }

    #[tokio::test(start_paused = true)]
    async fn a_round_that_does_not_end_is_cut_off_and_that_is_told() {
        let (ended, seconds, _) = led(|_| Box::pin(pending())).await;
        assert_eq!((ended, seconds), (Ok(Shutdown::Cut), 73));
    }

    #[tokio::test(start_paused = true)]
    async fn when_a_worker_dies_nothing_leaves_any_more() {
        let (ended, seconds, open) = led(|_| Box::pin(async { panic!("no way") })).await;
        let exit = PartExit { part: "workers", how: How::Panicked("no way".to_owned()) };
        assert_eq!((ended, seconds, open), (Err(exit), 0, false));
    }
}
