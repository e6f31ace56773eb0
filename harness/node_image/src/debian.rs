//! The base layer: a small Debian, as kind's own base image is one, made by debootstrap from this machine's mirror.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::layer::{Layer, Packing};
use super::recipe::{PACKAGES, SUITE};
use super::tree::Tree;
use super::workbench::{Order, Workbench};
use super::{NodeImageError, Step, mirror};

/// Programs that note the day they ran note this one: the same packages make the same files.
const FIXED_DAY: &str = "1767225600";

/// Installs the packages into a folder of the workshop and packs them.
pub(super) fn make(
    bench: &Workbench<'_>,
    mirror: Option<&str>,
    shop: &Path,
    layer: &Path,
) -> Result<Layer, NodeImageError> {
    let mirror = mirror.map_or_else(mirror::of_machine, |named| Ok(named.to_owned()))?;
    let root = shop.join("debian");
    fs::create_dir(&root).map_err(NodeImageError::file("create", &root))?;
    let mut packages = Packages::default();
    bench.run(&debootstrap(&mirror, &root), &mut |_, line| {
        if let Some(news) = packages.hear(line) {
            bench.at(Step::Debian, news);
        }
    })?;
    bench.at(Step::Debian, format!("packing {} packages", packages.installed()));
    let tree = Tree::scan(&root, &belongs).map_err(NodeImageError::file("read", &root))?;
    let layer = Layer::write(&tree, layer, Packing::Gzip).map_err(NodeImageError::file("write", layer))?;
    // The tree is big, and the workshop stays until the image is done.
    fs::remove_dir_all(&root).map_err(NodeImageError::file("remove", &root))?;
    Ok(layer)
}

/// debootstrap in mounts and processes of its own: what it mounts below the folder and what it leaves running
/// is gone with it, however it ends.
fn debootstrap(mirror: &str, root: &Path) -> Order {
    let mut arguments: Vec<OsString> =
        ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "debootstrap", "--variant=minbase"]
            .map(OsString::from)
            .into();
    arguments.push(format!("--include={}", PACKAGES.join(",")).into());
    arguments.push(SUITE.into());
    arguments.push(root.into());
    arguments.push(mirror.into());
    let mut order = Order::new("unshare", arguments)
        .called("debootstrap")
        .env("LC_ALL", "C")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("SOURCE_DATE_EPOCH", FIXED_DAY);
    if std::env::var_os("http_proxy").is_none()
        && let Some(proxy) = mirror::proxy_of_machine()
    {
        order = order.env("http_proxy", proxy);
    }
    order
}

/// What debootstrap does to each package, in order.
const ACTIONS: [&str; 5] = ["Retrieving", "Validating", "Extracting", "Unpacking", "Configuring"];

/// How many packages debootstrap has done each of it to.
#[derive(Debug, Default)]
struct Packages {
    counts: [usize; ACTIONS.len()],
}

impl Packages {
    /// Reads one of its lines (`I: Retrieving libc6 2.36-9`); what the user may want to know of it.
    fn hear(&mut self, line: &str) -> Option<String> {
        let mut words = line.strip_prefix("I: ")?.split_whitespace();
        let (action, package) = (words.next()?, words.next()?.trim_end_matches("..."));
        // Release files and the like are retrieved the same way.
        let is_package = package.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        if !is_package || ["the", "required"].contains(&package) {
            return None;
        }
        let at = ACTIONS.iter().position(|one| *one == action)?;
        self.counts[at] += 1;
        Some(format!("{} {package}, package {}", action.to_lowercase(), self.counts[at]))
    }

    fn installed(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

/// Whether a path of a fresh Debian belongs into a node.
///
/// Left out is what the mirror and the machine left behind, what a package manager can fetch again, manuals,
/// and, as in kind's Dockerfile, the units that would start what a node in a container must not run.
fn belongs(path: &str) -> bool {
    const EMPTY: [&str; 9] =
        ["dev/", "proc/", "run/", "sys/", "tmp/", "var/tmp/", "var/log/", "var/cache/apt/", "var/lib/apt/lists/"];
    const GONE: [&str; 9] = [
        "etc/resolv.conf",
        "etc/hostname",
        "etc/machine-id",
        "etc/apt/sources.list",
        "var/lib/dbus/machine-id",
        "var/cache/ldconfig/aux-cache",
        "usr/share/man",
        "usr/share/locale",
        "usr/share/info",
    ];
    const UNITS: &str = "usr/lib/systemd/system/";
    if EMPTY.iter().any(|folder| path.starts_with(folder)) || GONE.contains(&path) {
        return false;
    }
    if let Some(page) = path.strip_prefix("usr/share/doc/") {
        // Licences stay with what they license.
        return page.split_once('/').is_none_or(|(_, file)| file == "copyright");
    }
    if path.starts_with("etc/systemd/system/") && path.contains(".wants/") {
        return false;
    }
    let Some((wants, unit)) = path.strip_prefix(UNITS).and_then(|unit| unit.split_once(".wants/")) else { return true };
    match wants {
        "multi-user.target" | "local-fs.target" | "basic.target" => false,
        "sockets.target" => !unit.contains("udev") && !unit.contains("initctl"),
        "sysinit.target" => unit != "systemd-tmpfiles-setup.service",
        _ => true,
    }
}

/// Whether a program of Debian is there to be run, for those who ask before they build.
///
/// # Errors
/// Names what is missing and the command that installs it.
pub(super) fn check() -> Result<(), NodeImageError> {
    for program in ["debootstrap", "unshare"] {
        if !jobsworth_binaries::is_on_path(program) {
            return Err(NodeImageError::NoProgram { program });
        }
    }
    if !nix::unistd::geteuid().is_root() {
        return Err(NodeImageError::NotRoot);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_program("usr/bin/runc", true)]
    #[case::an_empty_folder_itself("proc", true)]
    #[case::what_is_in_it("dev/null", false)]
    #[case::the_mirror("etc/apt/sources.list", false)]
    #[case::the_host("etc/resolv.conf", false)]
    #[case::a_licence("usr/share/doc/runc/copyright", true)]
    #[case::the_folder_of_a_licence("usr/share/doc/runc", true)]
    #[case::a_changelog("usr/share/doc/runc/changelog.Debian.gz", false)]
    #[case::a_manual("usr/share/man", false)]
    #[case::an_enabled_unit("etc/systemd/system/timers.target.wants/apt-daily.timer", false)]
    #[case::the_unit_itself("usr/lib/systemd/system/getty.target", true)]
    #[case::of_many_users("usr/lib/systemd/system/multi-user.target.wants/getty.target", false)]
    #[case::of_udev("usr/lib/systemd/system/sockets.target.wants/systemd-udevd-kernel.socket", false)]
    #[case::of_the_journal("usr/lib/systemd/system/sockets.target.wants/systemd-journald.socket", true)]
    #[case::tmpfiles("usr/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service", false)]
    #[case::tmpfiles_of_dev("usr/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup-dev.service", true)]
    fn paths(#[case] path: &str, #[case] stays: bool) {
        assert_eq!(belongs(path), stays);
    }

    #[test]
    fn what_debootstrap_says_is_counted() {
        let mut packages = Packages::default();
        assert_eq!(packages.hear("I: Retrieving InRelease"), None);
        assert_eq!(packages.hear("W: Cannot check Release signature"), None);
        assert_eq!(packages.hear("I: Retrieving libc6 2.36-9"), Some("retrieving libc6, package 1".to_owned()));
        assert_eq!(packages.hear("I: Validating libc6 2.36-9"), Some("validating libc6, package 1".to_owned()));
        assert_eq!(packages.hear("I: Retrieving zlib1g 1:1.2.13"), Some("retrieving zlib1g, package 2".to_owned()));
        assert_eq!(packages.installed(), 2);
        assert_eq!(
            packages.hear("I: Configuring libc6:amd64..."),
            Some("configuring libc6:amd64, package 1".to_owned())
        );
        assert_eq!(packages.hear("I: Configuring required packages..."), None);
        assert_eq!(packages.hear("I: Unpacking the base system..."), None);
    }
}
