//! Where Debian's packages come from: this machine's own apt says it, the project names no host.

use std::process::Command;

use super::NodeImageError;

/// What apt is asked for about each of its sources.
const FORMAT: &str = "$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)";

/// The mirror of Debian's main archive that apt uses here.
///
/// # Errors
/// When there is no apt, or it has no such source.
pub fn of_machine() -> Result<String, NodeImageError> {
    let output = Command::new("apt-get")
        .args(["indextargets", "--format", FORMAT, "Created-By: Packages"])
        .output()
        .map_err(|error| NodeImageError::NoMirror { why: format!("`apt-get` cannot be run ({error})") })?;
    let said = String::from_utf8_lossy(&output.stdout);
    choose(&said)
        .ok_or_else(|| NodeImageError::NoMirror { why: "apt has no source of Debian's main archive".to_owned() })
}

/// The proxy that apt goes through, which debootstrap does not know of.
pub(super) fn proxy_of_machine() -> Option<String> {
    let output = Command::new("apt-config").args(["shell", "PROXY", "Acquire::http::Proxy"]).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let proxy = said.trim().strip_prefix("PROXY=")?.trim_matches('\'');
    (!proxy.is_empty() && proxy != "DIRECT").then(|| proxy.to_owned())
}

/// The first source of packages that is Debian's main archive itself: not the one of updates or of security,
/// and by a way that debootstrap knows.
fn choose(targets: &str) -> Option<String> {
    targets.lines().find_map(|line| {
        let [origin, component, codename, address] = line.splitn(4, '|').collect::<Vec<_>>().try_into().ok()?;
        let whole = !codename.contains('-');
        let known = ["http://", "https://", "file:"].iter().any(|way| address.starts_with(way));
        (origin == "Debian" && component == "main" && whole && known).then(|| address.trim_end_matches('/').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::the_main_archive(
        "Debian|main|bookworm|http://mirror.example/debian/",
        Some("http://mirror.example/debian")
    )]
    #[case::security_comes_first(
        "Debian|main|bookworm-security|http://a.example/s/\nDebian|main|bookworm|https://b.example/d/",
        Some("https://b.example/d")
    )]
    #[case::only_updates("Debian|main|bookworm-updates|http://a.example/d/", None)]
    #[case::another_distribution("Ubuntu|main|noble|http://a.example/ubuntu/", None)]
    #[case::a_disc("Debian|main|bookworm|cdrom://disc/", None)]
    #[case::another_component("Debian|contrib|bookworm|http://a.example/debian/", None)]
    #[case::nothing("", None)]
    fn mirrors(#[case] targets: &str, #[case] mirror: Option<&str>) {
        assert_eq!(choose(targets).as_deref(), mirror);
    }
}
