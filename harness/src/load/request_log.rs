//! The requests of the controller under test, followed while a trial runs; where no audit log is at hand, only what comes of them.

use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, interval, timeout_at};

use super::Trouble;
use super::audit::{Count, Tail};
use crate::cluster::Rate;

/// A controller that changes nothing for so long is at its end: events and status changes are gathered for a second, kubelets look
/// at their pods as often, and how large its bucket is nobody knows.
const UNCHANGED: Duration = Duration::from_secs(3);

/// What the controller asked since this was opened or cleared.
#[derive(Debug)]
pub struct RequestLog {
    source: Source,
}

#[derive(Debug)]
enum Source {
    /// What the audit log says, and the controller's bucket.
    Audit { tail: Tail, count: Count, rate: Rate },
    /// Whether watches bring something new.
    News(watch::Receiver<()>),
}

impl RequestLog {
    /// From the end of this audit log on; `rate` is the controller's bucket.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn open(log: &Path, rate: Rate) -> Result<Self, Trouble> {
        let tail = Tail::at_end(log).map_err(|error| Trouble::of("read the audit log", &error))?;
        Ok(Self { source: Source::Audit { tail, count: Count::default(), rate } })
    }

    /// Without a log: `news` has something whenever a Job or a pod changes.
    #[must_use]
    pub fn unseen(news: watch::Receiver<()>) -> Self {
        Self { source: Source::News(news) }
    }

    /// What was counted, where requests can be seen.
    #[must_use]
    pub fn count(&self) -> Option<&Count> {
        match &self.source {
            Source::Audit { count, .. } => Some(count),
            Source::News(_) => None,
        }
    }

    /// Forgets what was counted.
    pub fn clear(&mut self) {
        if let Source::Audit { count, .. } = &mut self.source {
            *count = Count::default();
        }
    }

    /// Waits until the controller has made no request for so long that its bucket is full, or changed nothing for as long where its
    /// requests are not seen; when it did so last.
    ///
    /// # Errors
    /// When it is not silent within `limit`, or the log cannot be read.
    pub async fn silence(&mut self, limit: Duration) -> Result<Instant, Trouble> {
        match &mut self.source {
            Source::Audit { tail, count, rate } => silent(tail, count, *rate, limit).await,
            Source::News(news) => unchanged(news, limit).await,
        }
    }

    /// How many requests the controller makes in this time from now on, where they can be seen.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub async fn made_within(&mut self, time: Duration) -> Result<Option<u64>, Trouble> {
        let Source::Audit { tail, count, .. } = &mut self.source else { return Ok(None) };
        let mut read = || tail.read(count).map_err(|error| Trouble::of("read the audit log", &error));
        // What was written before is not of this time.
        read()?;
        tokio::time::sleep(time).await;
        read().map(Some)
    }
}

async fn silent(tail: &mut Tail, count: &mut Count, rate: Rate, limit: Duration) -> Result<Instant, Trouble> {
    let refill = Duration::from_secs_f64(f64::from(rate.burst) / f64::from(rate.qps));
    // Events and status changes are gathered for a second, by both arms.
    let long = refill.max(Duration::from_secs(1)) + Duration::from_millis(500);
    let begun = Instant::now();
    let mut last = begun;
    let mut look = interval(Duration::from_millis(50));
    while last.elapsed() < long {
        look.tick().await;
        if tail.read(count).map_err(|error| Trouble::of("read the audit log", &error))? > 0 {
            last = Instant::now();
        }
        if begun.elapsed() > limit {
            return Err(Trouble::new(format!("the controller still made requests after {} s", limit.as_secs())));
        }
    }
    Ok(last)
}

async fn unchanged(news: &mut watch::Receiver<()>, limit: Duration) -> Result<Instant, Trouble> {
    let begun = Instant::now();
    let mut last = begun;
    loop {
        match timeout_at(last + UNCHANGED, news.changed()).await {
            Err(_) => return Ok(last),
            Ok(Err(_)) => return Err(Trouble::new("nobody watches any more")),
            Ok(Ok(())) => last = Instant::now(),
        }
        if begun.elapsed() > limit {
            return Err(Trouble::new(format!("Jobs or pods still changed after {} s", limit.as_secs())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn where_requests_are_not_seen_silence_is_that_nothing_changes() {
        let sender = watch::Sender::new(());
        let mut log = RequestLog::unseen(sender.subscribe());
        assert!(log.count().is_none());
        let begun = Instant::now();
        let mut tick = interval(Duration::from_secs(2));
        let changes = async {
            for _ in 0..4 {
                tick.tick().await;
                sender.send_replace(());
            }
            std::future::pending::<()>().await;
        };
        let last = tokio::select! {
            last = log.silence(Duration::from_secs(60)) => last.expect("it falls silent"),
            () = changes => unreachable!("it never ends"),
        };
        assert_eq!((last - begun).as_secs(), 6);
        assert_eq!(begun.elapsed().as_secs(), 9);
    }

    #[tokio::test(start_paused = true)]
    async fn who_never_stops_is_told_of() {
        let sender = watch::Sender::new(());
        let mut log = RequestLog::unseen(sender.subscribe());
        let mut tick = interval(Duration::from_secs(1));
        let restless = async {
            for _ in 0..100 {
                tick.tick().await;
                sender.send_replace(());
            }
        };
        let said = tokio::select! {
            said = log.silence(Duration::from_secs(10)) => said.expect_err("it never falls silent").to_string(),
            () = restless => unreachable!("it outlasts the limit"),
        };
        assert_eq!(said, "Jobs or pods still changed after 10 s");
    }
}
