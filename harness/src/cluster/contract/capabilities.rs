//! What the clusters of a provider can do.

/// What a provider's clusters can do; plans are fitted against this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The subject can be crashed, restarted and paused.
    pub restarts: Ability,
    /// Feature gates can be chosen.
    pub gates: Ability,
    /// Another version can be emulated.
    pub emulation: Ability,
    /// Gates and versions can be changed while it runs.
    pub changes: Ability,
    /// Pods really run.
    pub kubelets: Ability,
    /// Nodes are ours: scripts may drain them, and they bear the label by which cases choose nodes.
    pub own_nodes: Ability,
    /// The other controllers, with the garbage collector, run on while the built-in subject is away.
    pub others_apart: Ability,
    /// Jobs and pods live in one etcd, so their resource versions can be compared.
    pub one_store: Ability,
    /// Scripts may install admission policies, which are objects of the whole cluster.
    pub policies: Ability,
    /// The API server reaches an admission webhook that is a process of ours on this machine.
    pub webhooks: Ability,
    /// Whose requests can pass a proxy of ours, where they are seen and interfered with.
    pub proxied: Proxied,
    /// The subject can run as two processes that elect a leader.
    pub second_instance: Ability,
    /// How many nodes there may be.
    pub nodes_max: u32,
}

/// Whether a provider can do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// It can.
    Has,
    /// It cannot.
    Lacks,
}

/// Which subjects can be led to a proxy of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxied {
    /// Every one: all are programs that we start.
    All,
    /// Those that are programs that we start; others run where our proxy is not reached.
    Programs,
    /// None.
    Nobody,
}

/// Who runs a cluster's pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pods {
    /// Nobody; a pod driver plays the kubelet.
    Played,
    /// Kubelets, on nodes that a scheduler chooses.
    Real,
}
