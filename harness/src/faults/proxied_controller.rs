//! A controller of its own behind a proxy of its own, for one namespace.

use super::{fault_proxy::FaultProxy, instance::Instance};
use crate::{
    cluster::{ClusterError, Component, kubeconfig, layout::Layout, process_spec::ProcessSpec, readiness::Readiness},
    launcher::Launcher,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// One controller, its proxy and its namespace.
#[derive(Debug)]
pub struct ProxiedController {
    /// What it talks through.
    pub proxy: FaultProxy,
    /// Its process.
    pub instance: Arc<Instance>,
}

/// How the program of a controller is started.
#[derive(Clone, Debug)]
pub struct Started {
    /// The program; it is called like the drop-in of a cluster.
    pub program: PathBuf,
    /// Flags besides those that say where the API server is.
    pub flags: Vec<String>,
    /// What starts it.
    pub launcher: Launcher,
}

impl ProxiedController {
    /// Opens a proxy and makes the process ready to start. Its settings and its log go to `folder`, which must be there, and
    /// are named after `name`.
    ///
    /// # Errors
    /// When the proxy cannot be opened, or a file not be written.
    pub async fn open(
        site: &Layout,
        namespace: &str,
        started: &Started,
        folder: &Path,
        name: &str,
    ) -> Result<Self, ClusterError> {
        let proxy = FaultProxy::open(site, namespace).await?;
        let settings = |identity: &str| folder.join(format!("{name}-{identity}.kubeconfig"));
        for identity in ["job-controller", "ttl-controller"] {
            kubeconfig::write_for(site, identity, &proxy.url(), &settings(identity))?;
        }
        let mut arguments = vec![
            format!("--kubeconfig={}", settings("job-controller").display()),
            format!("--ttl-kubeconfig={}", settings("ttl-controller").display()),
            // Many controllers run side by side, and nobody asks for their metrics.
            "--metrics-address=127.0.0.1:0".to_owned(),
        ];
        arguments.extend(started.flags.iter().cloned());
        let spec = ProcessSpec {
            component: Component::Subject,
            program: started.program.clone(),
            arguments,
            environment: BTreeMap::new(),
            readiness: Readiness::says("/readyz", "", Duration::from_secs(30)),
        };
        let log = folder.join(format!("{name}.log"));
        let instance = Arc::new(Instance::new(spec, started.launcher.clone(), log));
        proxy.guard(Arc::clone(&instance));
        Ok(Self { proxy, instance })
    }
}
