//! What podman has to be told on a machine that is smaller than it expects, without touching the machine's settings.
//!
//! Podman reads one file more if `CONTAINERS_CONF` names it. Where somebody has set podman up already, nothing is
//! added: theirs counts.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::machine::Machine;
use crate::binaries;

const VARIABLE: &str = "CONTAINERS_CONF";
/// podman gives privileged containers this many processes; it asks for more than some kernels can have.
const MOST_PROCESSES: u64 = 30_000;
/// What podman gives its containers if nobody says otherwise.
const OPEN_FILES: u64 = 1_048_576;

/// What podman must be told here, as the text of a `containers.conf`; none where its defaults will do.
#[must_use]
pub fn podman_settings(machine: &Machine) -> Option<String> {
    let mut text = String::new();
    if !machine.can_raise_limits() {
        let (files, processes) = (machine.open_files.min(OPEN_FILES), machine.processes.min(MOST_PROCESSES));
        // Without CAP_SYS_RESOURCE, no container could have the limits that podman gives it.
        let _ = writeln!(
            text,
            "[containers]\ndefault_ulimits = [\"nofile={files}:{files}\", \"nproc={processes}:{processes}\"]"
        );
    }
    let mut engine = String::new();
    if !machine.crun && machine.runc {
        engine += "runtime = \"runc\"\n";
    }
    if !machine.systemd {
        engine += "cgroup_manager = \"cgroupfs\"\nevents_logger = \"file\"\n";
    }
    if !engine.is_empty() {
        let _ = write!(text, "[engine]\n{engine}");
    }
    (!text.is_empty()).then_some(text)
}

/// The variable that makes podman read them, with the file written; nothing where they are not needed, or where
/// somebody has set podman up, or where there is no place to write.
pub(super) fn environment(machine: &Machine) -> Vec<(&'static str, OsString)> {
    let set_up = machine.containers_conf || std::env::var_os(VARIABLE).is_some();
    let Some(text) = podman_settings(machine).filter(|_| !set_up) else { return Vec::new() };
    write(&text).map(|path| (VARIABLE, path.into_os_string())).into_iter().collect()
}

fn write(text: &str) -> Option<PathBuf> {
    let folder = binaries::cache_folder().ok()?.join("podman");
    let path = folder.join("containers.conf");
    if std::fs::read_to_string(&path).is_ok_and(|there| there == text) {
        return Some(path);
    }
    std::fs::create_dir_all(&folder).ok()?;
    // Renamed into place: another process may read it just now.
    let draft = tempfile::NamedTempFile::new_in(&folder).ok()?;
    std::fs::write(draft.path(), text).ok()?;
    draft.persist(&path).ok()?;
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::super::machine::Cgroup;
    use super::*;

    /// A machine on which podman needs to be told nothing.
    fn usual() -> Machine {
        Machine {
            root: true,
            capabilities: u64::MAX,
            open_files: 1_048_576,
            processes: 60_000,
            tasks: 4_194_304,
            cgroup: Cgroup::V2,
            systemd: true,
            overlay: true,
            modules_folder: true,
            inotify_instances: 8192,
            inotify_watches: 524_288,
            containers_conf: false,
            crun: true,
            runc: false,
        }
    }

    #[test]
    fn a_usual_machine_needs_no_settings() {
        assert_eq!(podman_settings(&usual()), None);
    }

    #[test]
    fn a_small_machine_without_systemd_gets_limits_it_can_have() {
        let machine = Machine {
            capabilities: 0x01ff_feff_ffff,
            open_files: 20_000,
            systemd: false,
            crun: false,
            runc: true,
            ..usual()
        };
        insta::assert_snapshot!(podman_settings(&machine).unwrap(), @r#"
        [containers]
        default_ulimits = ["nofile=20000:20000", "nproc=30000:30000"]
        [engine]
        runtime = "runc"
        cgroup_manager = "cgroupfs"
        events_logger = "file"
        "#);
    }

    #[test]
    fn where_somebody_has_set_podman_up_nothing_is_added() {
        assert_eq!(environment(&Machine { containers_conf: true, systemd: false, ..usual() }), []);
    }
}
