//! `ray`: the head serves, workers join it (VJ-292).

use jobsworth_volcano_api::Job;
use jobsworth_volcano_api::well_known::{JOB_NAME, JOB_NAMESPACE, TASK_SPEC};
use k8s_openapi::api::core::v1::{Container, Pod, Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::{Arguments, Object, Scene, open, regular_containers};
use crate::names;

/// Ports of the head: name, flag, default.
const PORTS: [(&str, &str, i32); 3] =
    [("gcs", "port", 6379), ("dashboard", "dashboardPort", 8265), ("client-server", "clientPort", 10001)];

fn ports(arguments: &Arguments) -> [(&'static str, i32); 3] {
    PORTS.map(|(name, flag, default)| (name, arguments.number(flag, default)))
}

pub fn objects(job: &Job, arguments: &Arguments) -> Vec<Object> {
    let port = |(name, port): (&str, i32)| ServicePort {
        name: Some(name.to_owned()),
        port,
        target_port: Some(IntOrString::String(name.to_owned())),
        protocol: Some("TCP".to_owned()),
        ..ServicePort::default()
    };
    let selector = [
        (JOB_NAME, names::of(job)),
        (JOB_NAMESPACE, job.metadata.namespace.as_deref().unwrap_or_default()),
        (TASK_SPEC, arguments.text("head", "head")),
    ];
    let spec = ServiceSpec {
        selector: Some(selector.map(|(key, value)| (key.to_owned(), value.to_owned())).into()),
        ports: Some(ports(arguments).map(port).into()),
        ..ServiceSpec::default()
    };
    let metadata = names::owned(job, format!("{}-head-svc", names::of(job)));
    vec![Object::Service(Box::new(Service { metadata, spec: Some(spec), status: None }))]
}

/// Without a head nothing is done.
pub fn decorate(scene: &Scene<'_>, pod: &mut Pod) {
    let arguments = &scene.arguments;
    let (head, worker) = (arguments.text("head", "head"), arguments.text("worker", "worker"));
    let Some(task) = scene.task_named(head) else { return };
    let [(_, gcs), (_, dashboard), (_, client)] = ports(arguments);
    for container in regular_containers(pod) {
        if scene.task.name == head && container.name == arguments.text("headContainer", "head") {
            for (name, port) in ports(arguments) {
                open(container, name, port);
            }
            run(
                container,
                format!(
                    "ray start --head --block --dashboard-host=0.0.0.0 --port={gcs} --dashboard-port={dashboard} \
                     --ray-client-server-port={client}"
                ),
            );
        }
        if scene.task.name == worker && container.name == arguments.text("workerContainer", "worker") {
            let (host, domain) = names::host(scene.job, task, 0);
            run(container, format!("ray start --block --address={host}.{domain}:{gcs}"));
        }
    }
}

fn run(container: &mut Container, command: String) {
    container.command = Some(vec!["sh".to_owned(), "-c".to_owned(), command]);
}
