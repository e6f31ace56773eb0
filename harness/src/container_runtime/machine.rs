//! What containers of kind need of a machine, as far as the kernel tells.

use std::fs;
use std::path::Path;

use crate::binaries::is_on_path;

/// The bit of a capability in the kernel's masks (capability.h).
const SYS_ADMIN: u32 = 21;
const NET_ADMIN: u32 = 12;
const SYS_RESOURCE: u32 = 24;
const MKNOD: u32 = 27;
const SYS_CHROOT: u32 = 18;

/// What limits the processes of all containers together; the last two are there if we are in a container ourselves.
const TASKS: [&str; 4] = [
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/threads-max",
    "/sys/fs/cgroup/pids.max",
    "/sys/fs/cgroup/pids/pids.max",
];

/// A machine, described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Whether we are root.
    pub root: bool,
    /// The capabilities that a process here can have at most.
    pub capabilities: u64,
    /// How many files a process may open, whatever it asks for.
    pub open_files: u64,
    /// How many processes a user may have, whatever it asks for.
    pub processes: u64,
    /// How many processes there can be at a time, as the kernel and the control group above us say.
    pub tasks: u64,
    /// Which control groups there are.
    pub cgroup: Cgroup,
    /// Whether systemd runs the machine.
    pub systemd: bool,
    /// Whether the kernel has overlay file systems.
    pub overlay: bool,
    /// Whether there is a folder of kernel modules, which kind mounts into its nodes.
    pub modules_folder: bool,
    /// How many inotify instances a user may have.
    pub inotify_instances: u64,
    /// The same for watches.
    pub inotify_watches: u64,
    /// Whether someone has set up podman for this machine.
    pub containers_conf: bool,
    /// Programs that start a container: the one that podman prefers, and the one that docker uses.
    pub crun: bool,
    /// See above.
    pub runc: bool,
}

/// Which control groups a machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cgroup {
    /// One tree for all.
    V2,
    /// A tree for each controller; the kubelet must be told to bear it.
    V1,
    /// None that can be seen.
    Absent,
}

impl Machine {
    /// Looks at this one. What cannot be read counts as unlimited or absent.
    #[must_use]
    pub fn look() -> Self {
        let status = read("/proc/self/status");
        let limits = read("/proc/self/limits");
        let number = |path: &str| read(path).trim().parse().unwrap_or(u64::MAX);
        Self {
            root: nix::unistd::geteuid().is_root(),
            capabilities: bounding_set(&status),
            open_files: hard_limit(&limits, "Max open files"),
            processes: hard_limit(&limits, "Max processes"),
            tasks: TASKS.into_iter().map(number).min().unwrap_or(u64::MAX),
            cgroup: cgroup(),
            systemd: Path::new("/run/systemd/system").is_dir(),
            overlay: read("/proc/filesystems").lines().any(|line| line.ends_with("\toverlay")),
            modules_folder: Path::new("/lib/modules").is_dir(),
            inotify_instances: number("/proc/sys/fs/inotify/max_user_instances"),
            inotify_watches: number("/proc/sys/fs/inotify/max_user_watches"),
            containers_conf: Path::new("/etc/containers/containers.conf").is_file(),
            crun: is_on_path("crun"),
            runc: is_on_path("runc"),
        }
    }

    /// Names of capabilities that privileged nodes need and nobody here can have.
    #[must_use]
    pub fn lacking(&self) -> Vec<&'static str> {
        [
            (SYS_ADMIN, "CAP_SYS_ADMIN"),
            (NET_ADMIN, "CAP_NET_ADMIN"),
            (MKNOD, "CAP_MKNOD"),
            (SYS_CHROOT, "CAP_SYS_CHROOT"),
        ]
        .into_iter()
        .filter(|(bit, _)| !self.can(*bit))
        .map(|(_, name)| name)
        .collect()
    }

    /// Whether limits can be raised, and processes made less likely to be killed.
    #[must_use]
    pub const fn can_raise_limits(&self) -> bool {
        self.can(SYS_RESOURCE)
    }

    const fn can(&self, bit: u32) -> bool {
        self.capabilities >> bit & 1 == 1
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn bounding_set(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("CapBnd:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(u64::MAX)
}

/// The second number behind the name.
fn hard_limit(limits: &str, name: &str) -> u64 {
    let line = limits.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok()).unwrap_or(u64::MAX)
}

fn cgroup() -> Cgroup {
    let root = Path::new("/sys/fs/cgroup");
    if root.join("cgroup.controllers").is_file() {
        Cgroup::V2
    } else if root.join("memory").is_dir() {
        Cgroup::V1
    } else {
        Cgroup::Absent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_capabilities_are_read_from_what_the_kernel_tells() {
        assert_eq!(bounding_set("Name:\tsh\nCapBnd:\t000001fffeffffff\n"), 0x01ff_feff_ffff);
        let limits = "Max processes             96365                96365                processes\n\
                      Max open files            1024                 20000                files\n";
        assert_eq!(hard_limit(limits, "Max open files"), 20000);
        assert_eq!(hard_limit(limits, "Max processes"), 96365);
        assert_eq!(hard_limit("Max open files   unlimited unlimited files", "Max open files"), u64::MAX);
    }

    #[test]
    fn a_capability_that_is_missing_has_a_name() {
        let machine = Machine { capabilities: 0x01ff_feff_ffff, ..Machine::look() };
        assert!(!machine.can_raise_limits());
        assert_eq!(machine.lacking(), [""; 0]);
        let machine = Machine { capabilities: !(1 << NET_ADMIN), ..machine };
        assert_eq!(machine.lacking(), ["CAP_NET_ADMIN"]);
    }
}
