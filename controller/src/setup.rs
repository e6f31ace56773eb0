//! What the program has when its parts start to work.

use std::sync::Arc;

use http::HeaderValue;
use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::liveness::Liveness;
use kube::Client;

use crate::args::Args;
use crate::metrics::Metrics;
use crate::parts::Parts;

/// As what the program introduces itself to the API server.
const USER_AGENT: &str = concat!("jobsworth-controller/", env!("CARGO_PKG_VERSION"));

/// What the program was started with.
pub(crate) struct Setup {
    pub args: Args,
    pub parts: Parts,
    pub fence: Arc<Fence>,
    pub liveness: Arc<Liveness>,
    pub metrics: Arc<Metrics>,
    pub jobs_client: Client,
    pub ttl_client: Client,
}

impl Setup {
    /// The API server behind `client`, for work.
    pub(crate) fn api(&self, client: &Client) -> Api {
        api(client, &self.fence, &self.metrics).within(self.parts.deadlines)
    }
}

/// The API server behind `client`, as this program asks it, and counts what it asks.
pub(crate) fn api(client: &Client, fence: &Arc<Fence>, metrics: &Metrics) -> Api {
    let api = Api::new(client.clone(), Arc::clone(fence)).as_agent(HeaderValue::from_static(USER_AGENT));
    api.counted(Arc::clone(metrics.runtime()))
}
