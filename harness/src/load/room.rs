//! Whether this machine can hold what a workload makes, estimated before anything is started.
//!
//! The figures are upper bounds of what was measured with pods of 4.5 KiB; an estimate that is wrong by half still tells 10,000
//! pods from 1,000,000.

use std::fs;
use std::path::Path;

use super::workload::{InitialState, PodsBy, Workload};

/// Bytes of a finished pod as the API server sends it, its template left out.
const POD: u64 = 4_500;
/// Bytes of a Job the same way, its template left out.
const JOB: u64 = 2_500;
/// Bytes of an Event.
const EVENT: u64 = 1_000;
/// How many times its size an object takes as a decoded one in Go.
const DECODED: u64 = 7;
/// How many versions of an object etcd keeps until it is compacted.
const VERSIONS: u64 = 5;
/// Events of one Job that pass the filter of the client library.
const MOST_EVENTS: u64 = 25;
/// What a control plane takes when nothing is in it.
const BASE_MEMORY: u64 = 700 << 20;
/// What kwok and the scheduler take besides.
const KWOK_MEMORY: u64 = 200 << 20;
/// What it writes when nothing is in it.
const BASE_DISK: u64 = 200 << 20;
/// The largest database of etcd, as it is by default.
const LARGEST_DATABASE: u64 = 2 << 30;
/// Bytes of a line of the audit log.
const AUDIT_LINE: u64 = 1_100;
/// What the program of tenants takes, and the pod driver and the observer of theirs.
const TENANTS_MEMORY: u64 = 150 << 20;
/// One of so many tenants has large Jobs.
const TENANTS_WITH_ONE_LARGE: u32 = 20;
/// Pods of a large Job of tenants; there is one each minute.
const LARGE_JOB: u64 = 400;
/// For so many minutes etcd keeps what is gone.
const KEPT_MINUTES: u64 = 5;
/// Jobs of one pod that a tenant makes meanwhile.
const SMALL_JOBS: u64 = 100;
/// Requests that a tenant makes meanwhile, its share of what the controller and the driver do for it included.
const TENANT_REQUESTS: u64 = 3_000;

/// What a trial takes at most, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// Resident memory of everything together.
    pub memory: u64,
    /// etcd's database.
    pub database: u64,
    /// Everything that is written.
    pub disk: u64,
}

/// What there is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Memory that can be had without swapping.
    pub memory: u64,
    /// Free space where clusters are.
    pub disk: u64,
}

impl Room {
    /// What this machine has now; `folder` is where clusters are, or will be. What it does not tell is taken as enough.
    #[must_use]
    pub fn of_machine(folder: &Path) -> Self {
        let memory = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available(&text));
        let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder);
        let disk = nix::sys::statvfs::statvfs(there).ok().map(|stat| stat.blocks_available() * stat.fragment_size());
        Self { memory: memory.unwrap_or(u64::MAX), disk: disk.unwrap_or(u64::MAX) }
    }
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

impl Need {
    /// What a trial of this workload takes.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        let template = workload.template_bytes as u64;
        let pods = *workload.pods().end() as u64;
        let pod_bytes = pods * (POD + template);
        let (mut jobs_bytes, mut events, mut requests) = (0, 0, 0);
        for cohort in &workload.cohorts {
            let (jobs, completions) = (u64::from(cohort.jobs), u64::from(cohort.completions));
            // Each index may stand by itself in `completedIndexes`, with a comma.
            let indexes = if completions > 1 { completions * 4 } else { 0 };
            let policy = cohort.policy.map_or(0, |policy| u64::from(policy.named()) * 6);
            jobs_bytes += jobs * (JOB + template + policy + indexes);
            if cohort.initial != InitialState::Finished {
                events += jobs * (completions + 1).min(MOST_EVENTS);
            }
            requests += jobs * 6;
        }
        // Creation, driver, finalizer, deletion.
        requests += pods * 5 + events;
        // Decoded in the cache of the API server and in that of the controller; kwok and the scheduler have one each, too.
        let (base, caches) = match workload.pods_by {
            PodsBy::Direct | PodsBy::Nodes => (BASE_MEMORY, 2),
            PodsBy::Kwok => (BASE_MEMORY + KWOK_MEMORY, 4),
        };
        let database = (pod_bytes + jobs_bytes) * VERSIONS + events * EVENT;
        Self {
            // etcd maps its database into memory.
            memory: base + (pod_bytes + jobs_bytes) * DECODED * caches + database,
            database,
            // The write-ahead log has everything once more.
            disk: BASE_DISK + 2 * database + requests * AUDIT_LINE,
        }
    }

    /// The same with so many tenants beside the work.
    #[must_use]
    pub fn beside_tenants(self, users: u32) -> Self {
        let (users, large) = (u64::from(users), u64::from(users.div_ceil(TENANTS_WITH_ONE_LARGE)));
        // A large Job may still be on its way out while the next one comes.
        let at_once = 2 * LARGE_JOB * large + users;
        let kept = KEPT_MINUTES * LARGE_JOB * large + SMALL_JOBS * users;
        let database = kept * (POD + JOB) * VERSIONS;
        Self {
            // Decoded in the cache of the API server and in that of the controller.
            memory: self.memory + TENANTS_MEMORY + at_once * (POD + JOB) * DECODED * 2 + database,
            database: self.database + database,
            disk: self.disk + 2 * database + (TENANT_REQUESTS * users + kept * 5) * AUDIT_LINE,
        }
    }

    /// What is missing, in a sentence, if something is.
    #[must_use]
    pub fn missing_in(&self, room: &Room) -> Option<String> {
        let mib = |bytes: u64| bytes >> 20;
        if self.database > LARGEST_DATABASE {
            let (need, most) = (mib(self.database), mib(LARGEST_DATABASE));
            return Some(format!("etcd would need a database of about {need} MiB; it has {most} at most"));
        }
        let kinds = [("memory", self.memory, room.memory), ("space on disk", self.disk, room.disk)];
        kinds.into_iter().find(|(_, need, there)| need > there).map(|(what, need, there)| {
            format!("it would take about {} MiB of {what}; this machine has {} MiB left", mib(need), mib(there))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::load::sample;
    use crate::load::workload::Cohort;

    const LARGE: Room = Room { memory: 24 << 30, disk: 50 << 30 };

    fn wide(pods: u32) -> Workload {
        Workload { cohorts: vec![sample::cohort("wide", 1, pods)], ..sample::workload("indexed-500") }
    }

    #[test]
    fn what_is_usual_fits_where_four_gigabytes_are_free() {
        let small = Room { memory: 4 << 30, disk: 4 << 30 };
        for workload in sample::workloads() {
            assert_eq!(Need::of(&workload).missing_in(&small), None, "{}", workload.name);
        }
    }

    #[test]
    fn kwok_and_the_scheduler_hold_every_pod_once_more() {
        let direct = wide(5_000);
        let kwok = Workload { pods_by: PodsBy::Kwok, ..direct.clone() };
        let (direct, kwok) = (Need::of(&direct), Need::of(&kwok));
        assert!(kwok.memory >= direct.memory + KWOK_MEMORY + 2 * DECODED * 5_000 * POD, "{kwok:?} {direct:?}");
        assert_eq!(kwok.database, direct.database);
    }

    #[test]
    fn tenants_take_room_for_their_program_and_for_every_large_job() {
        let alone = Need::of(&wide(500));
        let [few, many] = [3, 100].map(|users| alone.beside_tenants(users));
        assert!(few.memory >= alone.memory + TENANTS_MEMORY && few.disk > alone.disk, "{few:?} {alone:?}");
        let pods = 5 * 2 * LARGE_JOB * POD * DECODED * 2;
        assert!(many.memory >= alone.memory + pods && many.database > few.database, "{many:?} {few:?}");
        assert_eq!(many.missing_in(&LARGE), None);
    }

    #[test]
    fn five_thousand_pods_fit_and_a_million_do_not() {
        assert_eq!(Need::of(&wide(5_000)).missing_in(&LARGE), None);
        let missing = Need::of(&wide(1_000_000)).missing_in(&LARGE).expect("too many");
        assert!(missing.starts_with("etcd would need a database of about"), "{missing}");
    }

    #[test]
    fn what_is_missing_is_named_with_what_there_is() {
        let need = Need { memory: 2 << 30, database: 1 << 20, disk: 3 << 30 };
        let room = |memory: u64, disk: u64| Room { memory: memory << 30, disk: disk << 30 };
        assert_eq!(need.missing_in(&room(2, 3)), None);
        let memory = "it would take about 2048 MiB of memory; this machine has 1024 MiB left";
        assert_eq!(need.missing_in(&room(1, 3)).as_deref(), Some(memory));
        let disk = "it would take about 3072 MiB of space on disk; this machine has 2048 MiB left";
        assert_eq!(need.missing_in(&room(2, 2)).as_deref(), Some(disk));
    }

    #[test]
    fn free_memory_is_read_from_what_the_kernel_tells() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:   2048 kB\n"), Some(2 << 20));
        assert!(Room::of_machine(Path::new("/nowhere/at/all")).disk > 0);
    }

    proptest! {
        #[test]
        fn more_work_never_needs_less(jobs in 1_u32..500, pods in 1_u32..2000, bytes in 0_usize..20_000) {
            let need = |jobs, pods, bytes| {
                let cohorts: Vec<Cohort> = vec![sample::cohort("wide", jobs, pods)];
                Need::of(&Workload { cohorts, template_bytes: bytes, ..sample::workload("indexed-500") })
            };
            let (less, more) = (need(jobs, pods, bytes), need(jobs + 1, pods + 1, bytes + 1));
            prop_assert!(more.memory >= less.memory && more.database >= less.database && more.disk >= less.disk);
        }
    }
}
