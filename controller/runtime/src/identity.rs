//! The name of this process, for leases and events.

use rand::Rng;

/// The name of the pod or machine it runs on, and 16 random hexadecimal digits that no other process has. As
/// kube-controller-manager's, which takes a UUID.
#[must_use]
pub fn identity() -> String {
    let host = std::env::var("HOSTNAME").ok().filter(|name| !name.is_empty());
    let host = host.or_else(|| std::fs::read_to_string("/proc/sys/kernel/hostname").ok());
    let host = host.as_deref().map_or("jobsworth", str::trim).to_owned();
    format!("{host}_{:016x}", rand::rng().random::<u64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_processes_of_one_machine_have_two_names() {
        assert_ne!(identity(), identity());
    }
}
