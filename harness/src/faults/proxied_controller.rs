//! A controller of its own behind a proxy of its own, for one namespace.

use super::{fault_proxy::FaultProxy, instance::Instance};
use crate::{
    cluster::{
        ClusterError, Component, ControllerProgram, SubjectKind, access::Access, kubeconfig, layout::Layout,
        process_spec::ProcessSpec, readiness::Readiness, service_account,
    },
    launcher::Launcher,
    subject::Subject,
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

/// What stands before the flags.
fn subcommand(program: &ControllerProgram) -> Vec<String> {
    program.arguments.iter().take_while(|argument| !argument.starts_with('-')).cloned().collect()
}

/// Writes files by which the program comes to `server` as who it is, each where `settings` says, and gives the flags that name them.
async fn identified(
    site: &Layout,
    program: &ControllerProgram,
    server: &str,
    settings: &(dyn Fn(&str) -> PathBuf + Sync),
) -> Result<Vec<String>, ClusterError> {
    if let Some(account) = &program.service_account {
        let (client, path) = (Access::administrator(site).client()?, settings(&account.name));
        service_account::admit(&client, site, account, (server, &path)).await?;
        return Ok(vec![format!("--kubeconfig={}", path.display())]);
    }
    let mut flags = Vec::new();
    for (flag, identity) in [("kubeconfig", "job-controller"), ("ttl-kubeconfig", "ttl-controller")] {
        let path = settings(identity);
        kubeconfig::write_for(site, identity, server, &path)?;
        flags.push(format!("--{flag}={}", path.display()));
    }
    Ok(flags)
}

/// How the program of a controller is started.
#[derive(Clone, Debug)]
pub struct Started {
    /// Jobsworth's own controller for either API: a program, called by its own flags. One with a service account comes as that, and
    /// its roles must be there.
    pub subject: Subject,
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
        let SubjectKind::Program(program) = &started.subject.kind else {
            return Err(ClusterError::NoSuchComponent(Component::Subject));
        };
        let proxy = FaultProxy::open(site, namespace).await?;
        let mut arguments = subcommand(program);
        arguments.extend(
            identified(site, program, &proxy.url(), &|who| folder.join(format!("{name}-{who}.kubeconfig"))).await?,
        );
        // Many controllers run side by side, and nobody asks for their metrics.
        arguments.push("--metrics-address=127.0.0.1:0".to_owned());
        arguments.extend(started.flags.iter().cloned());
        let spec = ProcessSpec {
            component: Component::Subject,
            program: program.program.clone(),
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
