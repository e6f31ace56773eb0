//! What a controller has used: read from the kernel and from the audit log.

use jobsworth_harness::{
    cluster::{Cluster as _, Component, SubjectKind, audit_line, local::LocalCluster},
    load::procfs,
};
use serde_json::Value;
use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    time::Duration,
};

use tokio::time::Instant;

/// What was used for one piece of work.
#[derive(Clone, Copy, Debug)]
pub struct Bill {
    cpu_s: f64,
    peak_mib: f64,
    requests: f64,
    took_s: f64,
}

impl Bill {
    /// Each figure with what it is elsewhere.
    pub fn against(&self, other: &Self) -> [(&'static str, f64, f64); 4] {
        [
            ("CPU, s", self.cpu_s, other.cpu_s),
            ("peak memory, MiB", self.peak_mib, other.peak_mib),
            ("requests", self.requests, other.requests),
            ("time, s", self.took_s, other.took_s),
        ]
    }
}

/// Reads of a piece of work that is under way.
pub struct Meter {
    pid: u32,
    users: Vec<String>,
    cpu_s: f64,
    requests: f64,
    begun: Instant,
}

impl Meter {
    pub fn begin(cluster: &LocalCluster, kind: &SubjectKind) -> Self {
        let pid = cluster.pids()[&Component::Subject];
        let SubjectKind::Program(program) = kind else { panic!("{kind:?}") };
        let users = program
            .service_account
            .as_ref()
            .map_or_else(|| audit_line::SUBJECTS.map(str::to_owned).to_vec(), |account| vec![account.user()]);
        let requests = requests(cluster, &users);
        Self { pid, cpu_s: procfs::cpu_seconds(pid).unwrap(), requests, users, begun: Instant::now() }
    }

    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// The work took so long.
    pub fn bill(&self, cluster: &LocalCluster, took: Duration) -> Bill {
        assert_eq!(cluster.pids()[&Component::Subject], self.pid, "it is the same process");
        Bill {
            cpu_s: procfs::cpu_seconds(self.pid).unwrap() - self.cpu_s,
            peak_mib: procfs::peak_mib(self.pid).unwrap(),
            requests: requests(cluster, &self.users) - self.requests,
            took_s: took.as_secs_f64(),
        }
    }
}

/// So many requests of these users were answered, without watches, Events and Leases.
#[expect(clippy::cast_precision_loss, reason = "thousands of requests")]
fn requests(cluster: &LocalCluster, users: &[String]) -> f64 {
    let log = BufReader::new(File::open(cluster.site().audit_log()).unwrap());
    let counts = |line: &Value| {
        line["stage"] == "ResponseComplete"
            && users.iter().any(|user| line["user"]["username"] == user.as_str())
            && line["verb"] != "watch"
            && !["events", "leases"].iter().any(|aside| line["objectRef"]["resource"] == *aside)
    };
    // The last line may be half a line: it is counted the next time.
    let lines = log.lines().map_while(Result::ok).filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    lines.filter(counts).count() as f64
}
