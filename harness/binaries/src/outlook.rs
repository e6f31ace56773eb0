//! What has to be built before a first run can begin, and about how long that takes here.

use super::{Source, Tool, missing, module};
use jobsworth_api::KubeVersion;
use std::{collections::BTreeMap, fmt, time::Duration};

/// What one core takes for a package of Go: the 3,004 of etcd and Kubernetes 1.36.3 took two cores six minutes.
const PACKAGE: Duration = Duration::from_millis(240);

/// A guess at what lies ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// What is built, for example `etcd 3.6.16`.
    pub what: Vec<&'static str>,
    /// About how long it takes.
    pub time: Duration,
    /// On how many cores.
    pub cores: usize,
}

/// What is missing of these programs and will be built; `None` if nothing is. The versions must be known ones.
#[must_use]
pub fn outlook(
    source: &Source,
    wanted: impl IntoIterator<Item = (KubeVersion, Tool)>,
    cores: usize,
) -> Option<Outlook> {
    // Nothing is built for a folder of ready programs.
    let Source::Cache(_) = source else { return None };
    let lacking = wanted.into_iter().filter(|(version, tool)| !missing(source, *version, &[*tool]).is_empty());
    // Programs of one module are built together.
    let modules: BTreeMap<&str, usize> = lacking
        .map(|(version, tool)| module::of(tool, version))
        .map(|module| (module.title, module.packages))
        .collect();
    let packages = u32::try_from(modules.values().sum::<usize>()).unwrap_or(u32::MAX);
    let time = PACKAGE * packages / u32::try_from(cores.max(1)).unwrap_or(u32::MAX);
    (!modules.is_empty()).then(|| Outlook { what: modules.into_keys().collect(), time, cores })
}

impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last} are", first.join(", ")),
            only => format!("{} is", only.concat()),
        };
        let minutes = ((self.time.as_secs() + 30) / 60).max(1);
        let cores = if self.cores == 1 { "1 core".to_owned() } else { format!("{} cores", self.cores) };
        write!(f, "{what} built from source first: about {minutes} min on {cores}, needed once")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEFAULT_VERSION;
    use rstest::rstest;

    const BEFORE: KubeVersion = KubeVersion::new(1, 35, 4);

    #[rstest]
    #[case::a_first_run(&[DEFAULT_VERSION], 2,
        "Kubernetes 1.37.1 and etcd 3.6.16 are built from source first: about 6 min on 2 cores, needed once")]
    #[case::on_more_cores(&[DEFAULT_VERSION], 12,
        "Kubernetes 1.37.1 and etcd 3.6.16 are built from source first: about 1 min on 12 cores, needed once")]
    #[case::two_versions(&[DEFAULT_VERSION, BEFORE], 1,
        "Kubernetes 1.35.4, Kubernetes 1.37.1 and etcd 3.6.16 are built from source first: about 22 min on 1 core, needed once")]
    fn an_empty_cache_is_told(#[case] versions: &[KubeVersion], #[case] cores: usize, #[case] expected: &str) {
        let cache = tempfile::tempdir().unwrap();
        let wanted = versions.iter().flat_map(|version| Tool::CORE.map(|tool| (*version, tool)));
        let found = outlook(&Source::Cache(cache.path().to_owned()), wanted, cores).unwrap();
        assert_eq!(found.to_string(), expected);
    }

    #[test]
    fn what_is_there_is_not_told() {
        let cache = tempfile::tempdir().unwrap();
        let home = cache.path().join("binaries/etcd-3.6.16");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("etcd"), b"half").unwrap();
        let manifest = r#"{"version":"3.6.16","sha256":"00","bytes":4,"linker_flags":"-s -w"}"#;
        std::fs::write(home.join("manifest.json"), manifest).unwrap();
        let source = Source::Cache(cache.path().to_owned());
        assert_eq!(outlook(&source, [(DEFAULT_VERSION, Tool::Etcd)], 2), None);
        let left = outlook(&source, [(DEFAULT_VERSION, Tool::Etcd), (DEFAULT_VERSION, Tool::Scheduler)], 2).unwrap();
        let expected = "Kubernetes 1.37.1 is built from source first: about 5 min on 2 cores, needed once";
        assert_eq!(left.to_string(), expected);
    }

    #[test]
    fn nothing_is_built_for_a_folder_of_ready_programs() {
        let source = Source::Folder("/nowhere".into());
        assert_eq!(outlook(&source, [(DEFAULT_VERSION, Tool::Etcd)], 2), None);
    }
}
