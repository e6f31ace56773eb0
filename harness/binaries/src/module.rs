//! The pinned Go modules, embedded, and what is known about building them.

use jobsworth_api::KubeVersion;

use super::{BinariesError, Tool};

/// The version a cluster has if nobody asks for another.
pub const DEFAULT_VERSION: KubeVersion = KubeVersion::new(1, 37, 1);

/// The versions that can be built, newest first.
pub const KNOWN_VERSIONS: [KubeVersion; 6] = [
    DEFAULT_VERSION,
    KubeVersion::new(1, 36, 4),
    KubeVersion::new(1, 35, 4),
    KubeVersion::new(1, 34, 4),
    KubeVersion::new(1, 33, 13),
    KubeVersion::new(1, 32, 2),
];

/// A wrapper module: its `tool` lines name the programs, its sums pin every byte of source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Module {
    /// For messages, for example `Kubernetes 1.37.1`.
    pub title: &'static str,
    /// The version of its programs.
    pub version: &'static str,
    /// Every file of it by name; go.mod first, then go.sum.
    pub files: &'static [(&'static str, &'static str)],
    /// How many packages a build from nothing compiles (`go list -deps`, by hand per version).
    pub packages: usize,
    /// The build tags, with commas.
    pub tags: &'static str,
    /// The variable that its programs read their version from, if the linker has to set it.
    pub stamp: Option<&'static str>,
}

macro_rules! module {
    ($folder:literal, $title:literal, $version:literal, $packages:literal $(, $more:literal)*) => {
        Module {
            title: $title,
            version: $version,
            files: &[
                ("go.mod", include_str!(concat!("../", $folder, "/go.mod"))),
                ("go.sum", include_str!(concat!("../", $folder, "/go.sum"))),
                $(($more, include_str!(concat!("../", $folder, "/", $more))),)*
            ],
            packages: $packages,
            tags: "",
            stamp: None,
        }
    };
}

const KUBERNETES: [Module; 6] = [
    module!("kubernetes-1.37.1", "Kubernetes 1.37.1", "1.37.1", 2454),
    module!("kubernetes-1.36.4", "Kubernetes 1.36.4", "1.36.4", 2426),
    module!("kubernetes-1.35.4", "Kubernetes 1.35.4", "1.35.4", 2379),
    module!("kubernetes-1.34.4", "Kubernetes 1.34.4", "1.34.4", 2334),
    module!("kubernetes-1.33.13", "Kubernetes 1.33.13", "1.33.13", 2317),
    module!("kubernetes-1.32.2", "Kubernetes 1.32.2", "1.32.2", 2270),
];
const ETCD: Module = module!("etcd-3.6.16", "etcd 3.6.16", "3.6.16", 581);
const KWOK: Module = module!("kwok-0.8.0", "kwok 0.8.0", "0.8.0", 974);
const KIND: Module = module!("kind-0.33.0", "kind 0.33.0", "0.33.0", 292);
/// Without the snapshotters that kind never selects, as in kind's own base image.
const CONTAINERD: Module = Module {
    tags: "no_aufs,no_zfs,no_btrfs,no_devmapper,static_build",
    stamp: Some("github.com/containerd/containerd/v2/version.Version"),
    ..module!("containerd-2.3.4", "containerd 2.3.4", "2.3.4", 996)
};
const CRICTL: Module = Module {
    stamp: Some("sigs.k8s.io/cri-tools/pkg/version.Version"),
    ..module!("crictl-1.36.0", "crictl 1.36.0", "1.36.0", 638)
};
const CNI: Module = Module {
    stamp: Some("github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion"),
    ..module!("cni-plugins-1.9.1", "CNI plugins 1.9.1", "1.9.1", 155)
};
const COREDNS: Module = module!("coredns-1.14.2", "CoreDNS 1.14.2", "1.14.2", 749, "main.go");
const PAUSE: Module = module!("pause", "pause", "1", 58, "main.go");

/// Fails for a version that has no module.
pub(super) fn known(version: KubeVersion) -> Result<(), BinariesError> {
    if KNOWN_VERSIONS.contains(&version) {
        return Ok(());
    }
    let known = KNOWN_VERSIONS.map(|version| version.to_string()).join(", ");
    Err(BinariesError::UnknownVersion { version, known })
}

/// The module that a program is built from. The version must be a known one.
pub(super) fn of(tool: Tool, version: KubeVersion) -> Module {
    match tool {
        Tool::Etcd => ETCD,
        Tool::Kwok => KWOK,
        Tool::Kind => KIND,
        Tool::Containerd | Tool::ContainerdShim | Tool::Ctr => CONTAINERD,
        Tool::Crictl => CRICTL,
        Tool::CniHostLocal | Tool::CniLoopback | Tool::CniPtp | Tool::CniPortmap => CNI,
        Tool::Pause => PAUSE,
        Tool::CoreDns => COREDNS,
        Tool::ApiServer
        | Tool::ControllerManager
        | Tool::Scheduler
        | Tool::Kubeadm
        | Tool::Kubelet
        | Tool::Kubectl
        | Tool::Proxy => KUBERNETES
            .into_iter()
            .find(|module| module.version == version.to_string())
            .expect("the caller has checked that the version is known"),
    }
}

impl Module {
    /// The module's own definition.
    pub fn go_mod(&self) -> &'static str {
        self.files.first().map_or("", |(_, text)| text)
    }

    /// The oldest Go that the module says it needs.
    pub fn go_version(&self) -> &'static str {
        self.go_mod().lines().find_map(|line| line.strip_prefix("go ")).map_or("1.26", str::trim)
    }

    /// How many modules Go may have to fetch.
    pub fn modules(&self) -> usize {
        self.go_mod().lines().filter(|line| line.starts_with('\t') && line.contains(" v")).count()
    }

    /// The linker's flags. Kubernetes reads its own version from these variables; without them the
    /// logic behind `--emulated-version` takes itself for a development build. Commit and date are
    /// fixed so that the same sources make the same bytes.
    pub fn linker_flags(&self, tool: Tool) -> String {
        if !tool.follows_kubernetes() {
            let stamp = self.stamp.map(|variable| format!(" -X {variable}=v{}", self.version));
            return format!("-s -w{}", stamp.unwrap_or_default());
        }
        let mut numbers = self.version.split('.');
        let (major, minor) = (numbers.next().unwrap_or("1"), numbers.next().unwrap_or("0"));
        let stamps = [
            ("gitVersion", format!("v{}", self.version)),
            ("gitMajor", major.to_owned()),
            ("gitMinor", minor.to_owned()),
            ("gitCommit", "0".repeat(40)),
            ("gitTreeState", "clean".to_owned()),
            ("buildDate", "1970-01-01T00:00:00Z".to_owned()),
        ];
        stamps.iter().fold("-s -w".to_owned(), |flags, (name, value)| {
            format!("{flags} -X k8s.io/component-base/version.{name}={value}")
        })
    }
}
