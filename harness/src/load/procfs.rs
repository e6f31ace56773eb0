//! What a process has used so far, as the kernel counts it.

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
    fn our_own_process_has_memory_and_a_missing_one_has_nothing() {
        assert!(peak_mib(std::process::id()).is_some_and(|mib| mib > 0.0));
        assert!(cpu_seconds(std::process::id()).is_some());
        let own = std::process::id();
        assert!(resident_mib(own) > Some(0.0));
        assert!(threads(own) >= Some(1) && open_files(own) >= Some(3));
        assert_eq!(cpu_seconds(u32::MAX), None);
    }
}
