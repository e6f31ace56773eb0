//! How a process ended, in words, and whether the kernel ended it for lack of memory.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use nix::sys::signal::Signal;

/// Where the kernel counts the processes that it killed for lack of memory.
const COUNTERS: &str = "/proc/vmstat";

/// How many processes of this machine the kernel has killed for lack of memory; 0 where it does not say.
pub(super) fn memory_kills() -> u64 {
    kills_in(&std::fs::read_to_string(COUNTERS).unwrap_or_default())
}

fn kills_in(counters: &str) -> u64 {
    let count = counters.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// An exit status in words. `kills` is how many processes the kernel has killed for lack of memory meanwhile: it does not
/// say which, but nobody else kills with -9 what nobody has asked to end.
pub(super) fn in_words(status: ExitStatus, kills: u64) -> String {
    let was_killed = status.signal() == Some(Signal::SIGKILL as i32);
    if was_killed && kills > 0 { format!("{status}, killed for lack of memory") } else { status.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn the_kernels_count_is_found_among_its_counters() {
        assert_eq!(kills_in("pgfault 7\noom_kill 3\nthp_fault_alloc 1\n"), 3);
        assert_eq!(kills_in("pgfault 7\n"), 0);
    }

    #[rstest]
    #[case::an_exit(0x100, 1, "exit status: 1")]
    #[case::an_abort(6, 1, "signal: 6 (SIGABRT)")]
    #[case::killed_by_somebody(9, 0, "signal: 9 (SIGKILL)")]
    #[case::killed_by_the_kernel(9, 1, "signal: 9 (SIGKILL), killed for lack of memory")]
    fn an_end_for_lack_of_memory_is_said(#[case] status: i32, #[case] kills: u64, #[case] says: &str) {
        assert_eq!(in_words(ExitStatus::from_raw(status), kills), says);
    }
}
