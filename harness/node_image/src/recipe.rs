//! What a node image is made of, and the digest that tells two recipes apart.

use jobsworth_api::KubeVersion;
use sha2::{Digest, Sha256};

use super::archive::architecture;
use jobsworth_binaries::{self as binaries, Tool};

/// The release of Debian below the nodes: systemd 252 runs on both versions of cgroups, later ones refuse the first.
pub(super) const SUITE: &str = "bookworm";

/// The packages that kind's own base image installs (its `images/base/Dockerfile`), without those for network
/// storage and for rootless nodes, and with runc, which is no Go program alone.
pub(super) const PACKAGES: [&str; 18] = [
    "systemd",
    "conntrack",
    "iptables",
    "nftables",
    "iproute2",
    "ethtool",
    "util-linux",
    "mount",
    "kmod",
    "libseccomp2",
    "pigz",
    "e2fsprogs",
    "bash",
    "ca-certificates",
    "curl",
    "jq",
    "procps",
    "runc",
];

/// Raise it when what is made of the same parts changes.
const BASE_REVISION: u32 = 1;
/// The same for the layers above Debian.
const NODE_REVISION: u32 = 1;

/// The digest of the base layer's recipe. Which versions of packages the mirror has is not part of it.
pub(super) fn base() -> String {
    digest(&[&BASE_REVISION.to_string(), architecture(), SUITE, &PACKAGES.join(",")])
}

/// The digest of a whole image's recipe. The version must be a known one.
pub(super) fn image(version: KubeVersion) -> String {
    let pins = Tool::NODE.iter().chain([&Tool::Kind]).map(|&tool| format!("{tool} {}", binaries::pin(tool, version)));
    let pins: Vec<String> = pins.collect();
    digest(&[&NODE_REVISION.to_string(), &base(), &pins.join("\n")])
}

fn digest(parts: &[&str]) -> String {
    let mut sum = Sha256::new();
    for part in parts {
        sum.update((part.len() as u64).to_le_bytes());
        sum.update(part);
    }
    super::hexadecimal(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_binaries::KNOWN_VERSIONS;
    use std::collections::BTreeSet;

    #[test]
    fn every_version_has_a_recipe_of_its_own_that_stays() {
        let recipes: BTreeSet<String> = KNOWN_VERSIONS.into_iter().map(image).collect();
        assert_eq!(recipes.len(), KNOWN_VERSIONS.len());
        assert_eq!(recipes, KNOWN_VERSIONS.into_iter().map(image).collect());
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_eq!(digest(&["ab", "c"]).len(), 64);
    }
}
