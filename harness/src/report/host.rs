//! What the machine is, so that times of two runs are compared only when they may be.

use super::schema::Host;
use std::fs;

/// Asks the system; what it does not tell is left empty.
#[must_use]
pub fn fingerprint() -> Host {
    Host {
        cores: std::thread::available_parallelism().map_or(0, usize::from),
        memory_bytes: fs::read_to_string("/proc/meminfo").ok().and_then(|text| memory(&text)).unwrap_or(0),
        kernel: fs::read_to_string("/proc/sys/kernel/osrelease").map(|text| text.trim().to_owned()).unwrap_or_default(),
        cpu: fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| cpu(&text)).unwrap_or_default(),
    }
}

fn memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

fn cpu(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, model)| model.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_processor_are_read_from_what_the_kernel_tells() {
        assert_eq!(memory("MemTotal:       16384 kB\nMemFree: 1 kB\n"), Some(16384 * 1024));
        assert_eq!(cpu("processor\t: 0\nmodel name\t: A CPU @ 2.0GHz\n"), Some("A CPU @ 2.0GHz".to_owned()));
    }
}
