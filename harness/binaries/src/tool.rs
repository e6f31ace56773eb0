//! The programs that can be found or built, and what is known of each by name.

use std::fmt;

/// A program of a control plane, of a real node, or one that makes nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    /// The store.
    Etcd,
    /// The API server.
    ApiServer,
    /// The controllers.
    ControllerManager,
    /// The scheduler.
    Scheduler,
    /// The player of nodes and pods.
    Kwok,
    /// Makes clusters whose nodes are containers.
    Kind,
    /// Sets up a control plane on a real node.
    Kubeadm,
    /// Runs pods on a real node.
    Kubelet,
    /// The client that kind uses inside a node.
    Kubectl,
    /// Sends what is for a Service on its way.
    Proxy,
    /// Knows the names of Services and of the pods behind them.
    CoreDns,
    /// Runs containers on a real node.
    Containerd,
    /// What stays between containerd and a container.
    ContainerdShim,
    /// containerd's own client.
    Ctr,
    /// The client of the interface between kubelet and containerd.
    Crictl,
    /// Gives pods addresses.
    CniHostLocal,
    /// Brings up a pod's own loopback.
    CniLoopback,
    /// A cable between pod and node.
    CniPtp,
    /// Ports of the node that lead to a pod.
    CniPortmap,
    /// Holds a pod's namespaces and does nothing.
    Pause,
}

impl Tool {
    /// What every cluster needs.
    pub const CORE: [Self; 3] = [Self::Etcd, Self::ApiServer, Self::ControllerManager];

    /// What a node image is made of, besides Debian's packages.
    pub const NODE: [Self; 16] = [
        Self::Etcd,
        Self::ApiServer,
        Self::ControllerManager,
        Self::Scheduler,
        Self::Kubeadm,
        Self::Kubelet,
        Self::Kubectl,
        Self::Containerd,
        Self::ContainerdShim,
        Self::Ctr,
        Self::Crictl,
        Self::CniHostLocal,
        Self::CniLoopback,
        Self::CniPtp,
        Self::CniPortmap,
        Self::Pause,
    ];

    /// What Services and names need on a node that was made without.
    pub const NAMES: [Self; 2] = [Self::Proxy, Self::CoreDns];

    /// The program's file name.
    #[must_use]
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Etcd => "etcd",
            Self::ApiServer => "kube-apiserver",
            Self::ControllerManager => "kube-controller-manager",
            Self::Scheduler => "kube-scheduler",
            Self::Kwok => "kwok",
            Self::Kind => "kind",
            Self::Kubeadm => "kubeadm",
            Self::Kubelet => "kubelet",
            Self::Kubectl => "kubectl",
            Self::Proxy => "kube-proxy",
            Self::CoreDns => "coredns",
            Self::Containerd => "containerd",
            Self::ContainerdShim => "containerd-shim-runc-v2",
            Self::Ctr => "ctr",
            Self::Crictl => "crictl",
            Self::CniHostLocal => "host-local",
            Self::CniLoopback => "loopback",
            Self::CniPtp => "ptp",
            Self::CniPortmap => "portmap",
            Self::Pause => "pause",
        }
    }

    /// Whether its version is the one of Kubernetes.
    #[must_use]
    pub const fn follows_kubernetes(self) -> bool {
        matches!(
            self,
            Self::ApiServer
                | Self::ControllerManager
                | Self::Scheduler
                | Self::Kubeadm
                | Self::Kubelet
                | Self::Kubectl
                | Self::Proxy
        )
    }

    /// What makes it print its version.
    pub(super) const fn version_arguments(self) -> &'static [&'static str] {
        match self {
            Self::Kind | Self::Kubeadm => &["version"],
            Self::Kubectl => &["version", "--client"],
            Self::CoreDns => &["-version"],
            _ => &["--version"],
        }
    }

    /// The import path of its source.
    pub(super) const fn package(self) -> &'static str {
        match self {
            Self::Etcd => "go.etcd.io/etcd/server/v3",
            Self::ApiServer => "k8s.io/kubernetes/cmd/kube-apiserver",
            Self::ControllerManager => "k8s.io/kubernetes/cmd/kube-controller-manager",
            Self::Scheduler => "k8s.io/kubernetes/cmd/kube-scheduler",
            Self::Kwok => "sigs.k8s.io/kwok/cmd/kwok",
            Self::Kind => "sigs.k8s.io/kind",
            Self::Kubeadm => "k8s.io/kubernetes/cmd/kubeadm",
            Self::Kubelet => "k8s.io/kubernetes/cmd/kubelet",
            Self::Kubectl => "k8s.io/kubernetes/cmd/kubectl",
            Self::Proxy => "k8s.io/kubernetes/cmd/kube-proxy",
            Self::CoreDns => "jobsworth.dev/binaries/coredns",
            Self::Containerd => "github.com/containerd/containerd/v2/cmd/containerd",
            Self::ContainerdShim => "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
            Self::Ctr => "github.com/containerd/containerd/v2/cmd/ctr",
            Self::Crictl => "sigs.k8s.io/cri-tools/cmd/crictl",
            Self::CniHostLocal => "github.com/containernetworking/plugins/plugins/ipam/host-local",
            Self::CniLoopback => "github.com/containernetworking/plugins/plugins/main/loopback",
            Self::CniPtp => "github.com/containernetworking/plugins/plugins/main/ptp",
            Self::CniPortmap => "github.com/containernetworking/plugins/plugins/meta/portmap",
            Self::Pause => "jobsworth.dev/binaries/pause",
        }
    }

    /// The name that Go gives it: the last element of its package that is not a major version.
    pub(super) const fn built_name(self) -> &'static str {
        match self {
            Self::Etcd => "server",
            other => other.file_name(),
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.file_name())
    }
}
