//! What is there of the programs that clusters on this machine run, before any is built or started.

use jobsworth_api::KubeVersion;

use crate::binaries::{self, Source, Tool};
use crate::cluster::provider::{NotReady, Wish};

/// What is there of the programs.
#[derive(Clone, Debug, PartialEq, Eq)]
enum AtHand {
    /// Every one, in this folder.
    Ready(String),
    /// They must be built, and this Go can do it.
    Buildable {
        /// Version of Go.
        go: String,
        /// What must be built.
        missing: String,
    },
    /// They are missing from the folder that the user named.
    NotInFolder {
        /// The folder.
        folder: String,
        /// What is missing.
        missing: String,
    },
    /// They must be built, and there is no Go that could.
    NoGo {
        /// What must be built.
        missing: String,
        /// What is wrong with Go here.
        why: String,
    },
}

/// Where the programs come from that `provider` runs, and what is there of them in words.
///
/// # Errors
/// When they cannot be had; names the ways out.
pub(crate) fn find(provider: &str, wish: &Wish) -> Result<(Source, String), NotReady> {
    let source = Source::choose(wish.binaries.as_deref()).map_err(|error| NotReady::new(error.to_string()))?;
    let says = in_words(&look(&source, &wish.versions), provider).map_err(NotReady::new)?;
    Ok((source, says))
}

fn look(source: &Source, versions: &[KubeVersion]) -> AtHand {
    let mut missing: Vec<String> = Vec::new();
    for version in versions {
        for tool in binaries::missing(source, *version, &Tool::CORE) {
            let name = if tool == Tool::Etcd { "etcd".to_owned() } else { format!("{tool} {version}") };
            if !missing.contains(&name) {
                missing.push(name);
            }
        }
    }
    let missing = missing.join(", ");
    match source {
        Source::Folder(folder) | Source::Cache(folder) if missing.is_empty() => {
            AtHand::Ready(folder.display().to_string())
        }
        Source::Folder(folder) => AtHand::NotInFolder { folder: folder.display().to_string(), missing },
        Source::Cache(_) => match binaries::installed_go() {
            Ok(go) => AtHand::Buildable { go, missing },
            Err(why) => AtHand::NoGo { missing, why },
        },
    }
}

/// Where the programs are that `provider` runs, or why they cannot be had.
fn in_words(at_hand: &AtHand, provider: &str) -> Result<String, String> {
    match at_hand {
        AtHand::Ready(folder) => Ok(format!("its programs are in {folder}")),
        AtHand::Buildable { go, missing } => Ok(format!("Go {go} can build {missing}")),
        AtHand::NotInFolder { folder, missing } => Err(format!(
            "`{provider}` needs {missing} in {folder}, or in a folder below it named as the version; put them there, or \
             leave --binaries and JOBSWORTH_BINARIES out to have them built"
        )),
        AtHand::NoGo { missing, why } => Err(format!(
            "`{provider}` needs {missing}, and they cannot be built: {why}; either install Go, or give ready programs \
             through --binaries or JOBSWORTH_BINARIES"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::ready_programs(AtHand::Ready("/opt/kube".to_owned()), Ok("its programs are in /opt/kube"))]
    #[case::a_go_that_builds(
        AtHand::Buildable { go: "1.26.8".to_owned(), missing: "etcd".to_owned() },
        Ok("Go 1.26.8 can build etcd")
    )]
    #[case::a_folder_without_them(
        AtHand::NotInFolder { folder: "/opt/kube".to_owned(), missing: "etcd".to_owned() },
        Err("`containers` needs etcd in /opt/kube, or in a folder below it")
    )]
    #[case::nothing_to_build_them_with(
        AtHand::NoGo { missing: "etcd".to_owned(), why: "there is no `go`".to_owned() },
        Err("`containers` needs etcd, and they cannot be built: there is no `go`; either install Go, or give ready programs")
    )]
    fn what_is_at_hand_is_told_with_the_ways_out(#[case] at_hand: AtHand, #[case] expected: Result<&str, &str>) {
        match (in_words(&at_hand, "containers"), expected) {
            (Ok(says), Ok(expected)) => assert_eq!(says, expected),
            (Err(says), Err(expected)) => assert!(says.starts_with(expected), "{says}"),
            (says, _) => panic!("{says:?}"),
        }
    }

    #[test]
    fn what_is_missing_from_a_folder_is_named_once_and_etcd_without_a_version() {
        let folder = tempfile::tempdir().unwrap();
        let versions = [KubeVersion::new(1, 36, 4), KubeVersion::new(1, 37, 1)];
        let AtHand::NotInFolder { missing, .. } = look(&Source::Folder(folder.path().to_owned()), &versions) else {
            panic!("there is nothing in it");
        };
        assert_eq!(missing.matches("etcd").count(), 1, "{missing}");
        assert!(missing.contains("kube-apiserver 1.36.4") && missing.contains("kube-apiserver 1.37.1"), "{missing}");
    }
}
