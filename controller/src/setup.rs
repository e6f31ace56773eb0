//! What the program has when its parts start to work.

use std::sync::Arc;

use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::liveness::Liveness;
use jobsworth_controller_runtime::metrics::Metrics;
use kube::Client;
use rand::Rng;

use crate::args::Args;
use crate::parts::Parts;

/// What the program was started with.
pub(crate) struct Setup {
    pub args: Args,
    pub parts: Parts,
    pub fence: Arc<Fence>,
    pub liveness: Arc<Liveness>,
    pub metrics: Arc<Metrics>,
    pub lease_client: Client,
    pub jobs_client: Client,
    pub ttl_client: Client,
}

/// The name of this process: of the pod or machine it runs on, and something that no other process has.
pub(crate) fn identity() -> String {
    let host = std::env::var("HOSTNAME").ok().filter(|name| !name.is_empty());
    let host = host.or_else(|| std::fs::read_to_string("/proc/sys/kernel/hostname").ok());
    let host = host.as_deref().map_or("jobsworth", str::trim).to_owned();
    format!("{host}_{:016x}", rand::rng().random::<u64>())
}
