//! Plugins: what a job wants made beside its pods, and what it wants in them (VJ-276 to VJ-293).

use std::collections::BTreeMap;

use jobsworth_volcano_api::{Job, TaskSpec};
use k8s_openapi::api::core::v1::{ConfigMap, Container, ContainerPort, EnvVar, Pod, Service};
use k8s_openapi::api::networking::v1::NetworkPolicy;

pub mod arguments;
mod env;
mod hcclrank;
mod mpi;
mod pytorch;
mod ray;
pub mod ssh;
mod svc;
mod tensorflow;

use arguments::Arguments;

/// A job names a plugin that there is not; every pass fails (VJ-276).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed to get plugin {0}")]
pub struct UnknownPlugin(pub String);

/// An object that a plugin wants, owned by the job.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// A Service. One that is there is left as it is (VJ-278).
    Service(Box<Service>),
    /// A `ConfigMap`. One that is there gets this data (VJ-284).
    ConfigMap(ConfigMap),
    /// A `NetworkPolicy`. One that is there is left as it is.
    NetworkPolicy(NetworkPolicy),
    /// A Secret with a pair of keys. One that is there is left as it is; else the caller makes a pair, unless the job
    /// brings one, and asks [`ssh::secret`] (VJ-285).
    Keys(ssh::Keys),
}

impl Object {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Service(_) => "Service",
            Self::ConfigMap(_) => "ConfigMap",
            Self::NetworkPolicy(_) => "NetworkPolicy",
            Self::Keys(_) => "Secret",
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        let meta = match self {
            Self::Service(service) => &service.metadata,
            Self::ConfigMap(map) => &map.metadata,
            Self::NetworkPolicy(policy) => &policy.metadata,
            Self::Keys(keys) => return &keys.name,
        };
        meta.name.as_deref().unwrap_or_default()
    }
}

/// One plugin.
#[derive(Clone, Copy)]
pub struct Plugin {
    /// The name that jobs give.
    pub name: &'static str,
    /// What it wants made.
    objects: fn(&Job, &Arguments) -> Vec<Object>,
    /// What it does to a pod of a task.
    decorate: fn(&Scene<'_>, &mut Pod),
}

/// The pod that is being built.
pub(crate) struct Scene<'a> {
    pub job: &'a Job,
    pub task: &'a TaskSpec,
    pub index: i32,
    pub arguments: Arguments,
}

/// The list, in the order in which plugins run: ranks come after those that give them (VJ-293).
pub const PLUGINS: [Plugin; 8] = [
    Plugin { name: "env", objects: nothing, decorate: env::decorate },
    Plugin { name: "svc", objects: svc::objects, decorate: svc::decorate },
    Plugin { name: "ssh", objects: ssh::objects, decorate: ssh::decorate },
    Plugin { name: "mpi", objects: nothing, decorate: mpi::decorate },
    Plugin { name: "pytorch", objects: nothing, decorate: pytorch::decorate },
    Plugin { name: "tensorflow", objects: nothing, decorate: tensorflow::decorate },
    Plugin { name: "ray", objects: ray::objects, decorate: ray::decorate },
    Plugin { name: "hcclrank", objects: nothing, decorate: hcclrank::decorate },
];

fn nothing(_: &Job, _: &Arguments) -> Vec<Object> {
    Vec::new()
}

/// The plugins of a job with their arguments, in the order in which they run.
///
/// # Errors
/// The first name, by the alphabet, that is no plugin's (VJ-276).
pub fn of(job: &Job) -> Result<Vec<(Plugin, Arguments)>, UnknownPlugin> {
    let unknown = job.spec.plugins.keys().find(|name| !PLUGINS.iter().any(|plugin| plugin.name == **name));
    if let Some(name) = unknown {
        return Err(UnknownPlugin(name.clone()));
    }
    Ok(known(job).collect())
}

fn known(job: &Job) -> impl Iterator<Item = (Plugin, Arguments)> {
    let arguments = |plugin: &Plugin| Some((*plugin, Arguments::parse(job.spec.plugins.get(plugin.name)?)));
    PLUGINS.iter().filter_map(arguments)
}

/// What a plugin of the job wants made; names that are no plugin's want nothing.
#[must_use]
pub fn objects(job: &Job) -> Vec<(&'static str, Vec<Object>)> {
    known(job).map(|(plugin, arguments)| (plugin.name, (plugin.objects)(job, &arguments))).collect()
}

/// The key of a plugin in `controlledResources` (VJ-111).
#[must_use]
pub fn resource_key(name: &str) -> String {
    format!("plugin-{name}")
}

/// Puts on record that plugins are about to make objects: a controller that dies meanwhile leaves a trace of them. The
/// value follows once they are there (VJ-111).
pub(crate) fn announce(job: &Job, resources: &mut BTreeMap<String, String>) {
    for (name, _) in objects(job).into_iter().filter(|(_, objects)| !objects.is_empty()) {
        resources.entry(resource_key(name)).or_default();
    }
}

/// Lets the job's plugins do their part on a pod.
///
/// # Errors
/// The job names a plugin that there is not.
pub fn decorate(job: &Job, task: &TaskSpec, index: i32, pod: &mut Pod) -> Result<(), UnknownPlugin> {
    for (plugin, arguments) in of(job)? {
        (plugin.decorate)(&Scene { job, task, index, arguments }, pod);
    }
    Ok(())
}

impl Scene<'_> {
    /// A task of the job, with its place in the list.
    pub fn task_named(&self, name: &str) -> Option<&TaskSpec> {
        self.job.spec.tasks.iter().find(|task| task.name == name)
    }
}

/// All containers of a pod, init containers first.
pub(crate) fn containers(pod: &mut Pod) -> impl Iterator<Item = &mut Container> {
    let spec = pod.spec.get_or_insert_default();
    spec.init_containers.iter_mut().flatten().chain(&mut spec.containers)
}

/// The containers that do the work.
pub(crate) fn regular_containers(pod: &mut Pod) -> impl Iterator<Item = &mut Container> {
    pod.spec.get_or_insert_default().containers.iter_mut()
}

/// Adds a variable with a value.
pub(crate) fn set(container: &mut Container, name: &str, value: impl Into<String>) {
    let variable = EnvVar { name: name.to_owned(), value: Some(value.into()), value_from: None };
    container.env.get_or_insert_default().push(variable);
}

/// Opens a port, unless the container has it open.
pub(crate) fn open(container: &mut Container, name: &str, port: i32) {
    let ports = container.ports.get_or_insert_default();
    if !ports.iter().any(|known| known.container_port == port) {
        ports.push(ContainerPort { name: Some(name.to_owned()), container_port: port, ..ContainerPort::default() });
    }
}
