//! What all tenants share: where they are, how their Jobs are called, and when it is over.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::access::Access;
use crate::args::Args;
use crate::tally::Tally;

/// Whoever waits looks so often whether it is over.
const STEP: Duration = Duration::from_millis(100);
/// How long it takes until all tenants are there.
pub const ARRIVAL: Duration = Duration::from_secs(1);

/// Where tenants are.
pub struct World {
    access: Access,
    namespaces: Vec<String>,
    looked_at: Vec<String>,
    manager: Option<String>,
    seed: u64,
    ends: Instant,
    most_requests: u64,
    requests: AtomicU64,
    jobs: AtomicU64,
    looks: AtomicU64,
    tally: Tally,
}

/// Where a Job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl World {
    /// As the command line has it, from now on.
    #[must_use]
    pub fn of(args: &Args, access: Access) -> Self {
        Self {
            access,
            looked_at: args.namespaces.iter().chain(&args.looked_at).cloned().collect(),
            namespaces: args.namespaces.clone(),
            manager: args.managed_by.clone(),
            seed: args.seed,
            ends: Instant::now() + ARRIVAL + args.run_time,
            most_requests: args.requests,
            requests: AtomicU64::new(0),
            jobs: AtomicU64::new(0),
            looks: AtomicU64::new(0),
            tally: Tally::default(),
        }
    }

    /// As whom tenants come.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Where Jobs are made.
    #[must_use]
    pub fn namespaces(&self) -> &[String] {
        &self.namespaces
    }

    /// To whom Jobs are given, if not to the built-in controller or the one in its place.
    #[must_use]
    pub fn manager(&self) -> Option<&str> {
        self.manager.as_deref()
    }

    /// The number in all names and labels.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// What goose does not count.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Where the next Job is to be.
    #[must_use]
    pub fn place(&self) -> Place {
        let number = self.jobs.fetch_add(1, Ordering::Relaxed);
        let namespace = turn(&self.namespaces, number).to_owned();
        Place { namespace, name: format!("tenant-{}-{number}", self.seed) }
    }

    /// The namespace that is looked at next.
    #[must_use]
    pub fn view(&self) -> &str {
        turn(&self.looked_at, self.looks.fetch_add(1, Ordering::Relaxed))
    }

    /// One more request was made; after too many it is over.
    pub fn count_request(&self) {
        if self.requests.fetch_add(1, Ordering::Relaxed) + 1 == self.most_requests {
            goose::trigger_killswitch("there were as many requests as allowed");
        }
    }

    /// Whether tenants should tidy up and go: the time is over, or they were told to.
    #[must_use]
    pub fn is_over(&self) -> bool {
        goose::is_killswitch_triggered() || Instant::now() >= self.ends
    }

    /// What ended it, once it is over.
    #[must_use]
    pub fn why_over(&self) -> String {
        if self.requests.load(Ordering::Relaxed) >= self.most_requests {
            format!("after {} requests, as many as --requests allows", self.most_requests)
        } else if goose::is_killswitch_triggered() {
            "because they were told to".to_owned()
        } else {
            "because --run-time was over".to_owned()
        }
    }

    /// Waits for so long, or until it is over.
    pub async fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        while !self.is_over() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(STEP)).await;
        }
    }
}

/// Whose turn it is.
fn turn(all: &[String], number: u64) -> &str {
    let at = usize::try_from(number).unwrap_or_default() % all.len().max(1);
    all.get(at).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_take_turns() {
        let all = ["a", "b"].map(str::to_owned);
        let turns: Vec<&str> = (0..3).map(|number| turn(&all, number)).collect();
        assert_eq!(turns, ["a", "b", "a"]);
        assert_eq!(turn(&[], 5), "");
    }
}
