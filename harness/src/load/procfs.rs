//! What a process has used so far, as the kernel counts it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use nix::unistd::{SysconfVar, sysconf};

/// CPU seconds of a process, user and system, threads that ended included; in steps of a clock tick.
#[must_use]
pub fn cpu_seconds(pid: u32) -> Option<f64> {
    let ticks = ticks(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
    let per_second = sysconf(SysconfVar::CLK_TCK).ok().flatten()?;
    #[expect(clippy::cast_precision_loss, reason = "ticks of a process that lives for hours are far below 2^53")]
    Some(ticks as f64 / per_second as f64)
}

/// The largest resident memory that a process ever had, in MiB.
#[must_use]
pub fn peak_mib(pid: u32) -> Option<f64> {
    mib(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmHWM:")
}

/// The resident memory of a process as it is now, in MiB.
#[must_use]
pub fn resident_mib(pid: u32) -> Option<f64> {
    mib(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmRSS:")
}

/// How many threads a process has.
#[must_use]
pub fn threads(pid: u32) -> Option<u32> {
    field(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "Threads:")?.parse().ok()
}

/// How many files, sockets and the like a process has open.
#[must_use]
pub fn open_files(pid: u32) -> Option<u32> {
    u32::try_from(fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count()).ok()
}

/// Share of the last ten seconds in which something waited for a processor, in percent; where the kernel tells.
#[must_use]
pub fn cpu_pressure() -> Option<f64> {
    pressure(&fs::read_to_string("/proc/pressure/cpu").ok()?)
}

/// What the processors of the machine did since it was started, in clock ticks of all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Processors {
    /// Everything, idle time too.
    pub all: u64,
    /// What a hypervisor gave to others.
    pub steal: u64,
    /// What processes used; interrupts are nobody's.
    pub processes: u64,
}

/// The same as it is now.
#[must_use]
pub fn processors() -> Option<Processors> {
    processors_of(&fs::read_to_string("/proc/stat").ok()?)
}

/// The clock ticks that a process used, everybody that it started, and these with theirs; of those that ended what who waited for
/// them knows.
#[must_use]
pub fn family_ticks(root: u32, others: &BTreeSet<u32>) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = processes.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let kin = kin(&fs::read_to_string(entry.path().join("stat")).ok()?)?;
        Some((pid, kin))
    });
    of_family(&processes.collect(), root, others)
}

/// A process's parent, and the ticks that it and those used that it waited for.
fn kin(stat: &str) -> Option<(u32, u64)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let used: Option<u64> = fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok()).sum();
    Some((fields.get(1)?.parse().ok()?, used?))
}

fn of_family(processes: &BTreeMap<u32, (u32, u64)>, root: u32, others: &BTreeSet<u32>) -> u64 {
    let is_ours = |pid: u32| {
        let mut at = pid;
        // Parents that come and go while all are read could make a circle.
        for _ in 0..processes.len() {
            if at == root || others.contains(&at) {
                return true;
            }
            match processes.get(&at) {
                Some((parent, _)) => at = *parent,
                None => return false,
            }
        }
        false
    };
    processes.iter().filter(|(pid, _)| is_ours(**pid)).map(|(_, (_, used))| used).sum()
}

fn processors_of(stat: &str) -> Option<Processors> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let fields: Vec<u64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    // user, nice, system, idle, iowait, irq, softirq, steal; guests, which come after these, are part of user and nice.
    let [user, nice, system, .., steal] = *fields.get(..8)? else { return None };
    Some(Processors { all: fields.iter().take(8).sum(), steal, processes: user + nice + system })
}

fn ticks(stat: &str) -> Option<u64> {
    // The second field is the program's name in parentheses and may hold anything, spaces too.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

fn field<'s>(status: &'s str, name: &str) -> Option<&'s str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

fn mib(status: &str, name: &str) -> Option<f64> {
    field(status, name)?.strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kib| kib / 1024.0)
}

fn pressure(text: &str) -> Option<f64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    some.split_whitespace().find_map(|field| field.strip_prefix("avg10="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_memory_and_pressure_are_read_from_what_the_kernel_tells() {
        let stat = "12 (a) b) S 1 12 12 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 1 0 100 0";
        assert_eq!(ticks(stat), Some(300));
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t9\n";
        assert_eq!((mib(status, "VmHWM:"), mib(status, "VmRSS:")), (Some(2.0), Some(1.0)));
        assert_eq!((field(status, "Threads:"), field(status, "VmSwap:")), (Some("9"), None));
        assert_eq!(pressure("some avg10=1.50 avg60=0.10 avg300=0.00 total=1\n"), Some(1.5));
    }

    #[test]
    fn processors_are_read_without_counting_guests_twice() {
        let stat = "cpu  100 20 30 800 10 5 6 29 40 0\ncpu0 1 1 1 1 1 1 1 1 1 1\nintr 5\n";
        assert_eq!(processors_of(stat), Some(Processors { all: 1000, steal: 29, processes: 150 }));
        assert_eq!((processors_of("cpu  1 2 3\n"), processors_of("")), (None, None));
        assert!(processors().is_some_and(|now| now.all > now.processes));
    }

    #[test]
    fn a_family_is_everybody_who_was_started_by_it() {
        let stat = "12 (a) b) S 7 12 12 0 -1 4194560 100 0 0 0 250 50 30 20 20 0 1 0 100 0";
        assert_eq!(kin(stat), Some((7, 350)));
        // 10 is the root, 11 its child, 12 a child of that; 20 is named, 21 its child; 99 is somebody else.
        let all = BTreeMap::from([
            (1, (0, 1)),
            (10, (1, 2)),
            (11, (10, 4)),
            (12, (11, 8)),
            (20, (1, 16)),
            (21, (20, 32)),
            (99, (1, 64)),
        ]);
        assert_eq!(of_family(&all, 10, &BTreeSet::from([20])), 2 + 4 + 8 + 16 + 32);
        assert_eq!(of_family(&BTreeMap::from([(5, (6, 1)), (6, (5, 1))]), 10, &BTreeSet::new()), 0, "a circle");
        let own = std::process::id();
        assert!(family_ticks(own, &BTreeSet::new()) <= family_ticks(1, &BTreeSet::from([own])));
    }

    #[test]
    fn our_own_process_has_memory_and_a_missing_one_has_nothing() {
        assert!(peak_mib(std::process::id()).is_some_and(|mib| mib > 0.0));
        assert!(cpu_seconds(std::process::id()).is_some());
        let own = std::process::id();
        assert!(resident_mib(own) > Some(0.0));
        assert!(threads(own) >= Some(1) && open_files(own) >= Some(3));
        assert_eq!(cpu_seconds(u32::MAX), None);
    }
}
