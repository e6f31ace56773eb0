//! `svc`: pods find each other by name (VJ-278 to VJ-284).

use std::collections::BTreeMap;

use jobsworth_volcano_api::Job;
use jobsworth_volcano_api::well_known::{JOB_NAME, JOB_NAMESPACE};
use k8s_openapi::api::core::v1::{
    ConfigMap, ConfigMapKeySelector, ConfigMapVolumeSource, EnvVar, EnvVarSource, Pod, Service, ServiceSpec, Volume,
};
use k8s_openapi::api::networking::v1::{NetworkPolicy, NetworkPolicyIngressRule, NetworkPolicyPeer, NetworkPolicySpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::{Arguments, Object, Scene, containers};
use crate::volumes::add_mount;
use crate::{hosts, names};

/// Where containers find the hosts (VJ-280).
const PATH: &str = "/etc/volcano";

pub fn objects(job: &Job, arguments: &Arguments) -> Vec<Object> {
    let map = ConfigMap {
        metadata: names::owned(job, config_map(job)),
        data: Some(hosts::data(job)),
        ..ConfigMap::default()
    };
    let service = Service {
        metadata: names::owned(job, names::of(job).to_owned()),
        spec: Some(ServiceSpec {
            cluster_ip: Some("None".to_owned()),
            selector: Some(labels(job)),
            publish_not_ready_addresses: Some(arguments.switch("publish-not-ready-addresses", false)),
            ..ServiceSpec::default()
        }),
        status: None,
    };
    let mut objects = vec![Object::ConfigMap(map), Object::Service(Box::new(service))];
    if !arguments.switch("disable-network-policy", false) {
        objects.push(Object::NetworkPolicy(network_policy(job)));
    }
    objects
}

pub fn decorate(scene: &Scene<'_>, pod: &mut Pod) {
    let map = config_map(scene.job);
    let (hostname, subdomain) = names::host(scene.job, scene.task, scene.index);
    let spec = pod.spec.get_or_insert_default();
    (spec.hostname, spec.subdomain) = (Some(hostname), Some(subdomain));
    let source = ConfigMapVolumeSource { name: map.clone(), ..ConfigMapVolumeSource::default() };
    let volume = Volume { name: map.clone(), config_map: Some(source), ..Volume::default() };
    spec.volumes.get_or_insert_default().push(volume);
    let tasks = &scene.job.spec.tasks;
    let keys = tasks.iter().flat_map(|task| [hosts::hosts_variable(task), hosts::number_variable(task)]);
    let variables: Vec<EnvVar> = match scene.arguments.switch("inject-hosts-env", true) {
        true => keys.map(|key| variable(&map, key)).collect(),
        false => Vec::new(),
    };
    for container in containers(pod) {
        add_mount(container, &map, PATH, None);
        if !variables.is_empty() {
            container.env.get_or_insert_default().extend(variables.iter().cloned());
        }
    }
}

/// A variable that takes its value from the `ConfigMap` (VJ-281).
fn variable(map: &str, key: String) -> EnvVar {
    let selector = ConfigMapKeySelector { name: map.to_owned(), key: key.clone(), optional: None };
    let source = EnvVarSource { config_map_key_ref: Some(selector), ..EnvVarSource::default() };
    EnvVar { name: key, value: None, value_from: Some(source) }
}

/// Nobody but pods of the job gets in (VJ-283).
fn network_policy(job: &Job) -> NetworkPolicy {
    let selector = LabelSelector { match_labels: Some(labels(job)), match_expressions: None };
    let peer = NetworkPolicyPeer { pod_selector: Some(selector.clone()), ..NetworkPolicyPeer::default() };
    NetworkPolicy {
        metadata: names::owned(job, names::of(job).to_owned()),
        spec: Some(NetworkPolicySpec {
            pod_selector: Some(selector),
            ingress: Some(vec![NetworkPolicyIngressRule { from: Some(vec![peer]), ports: None }]),
            policy_types: Some(vec!["Ingress".to_owned()]),
            egress: None,
        }),
    }
}

fn labels(job: &Job) -> BTreeMap<String, String> {
    let namespace = job.metadata.namespace.clone().unwrap_or_default();
    [(JOB_NAME.to_owned(), names::of(job).to_owned()), (JOB_NAMESPACE.to_owned(), namespace)].into()
}

fn config_map(job: &Job) -> String {
    format!("{}-svc", names::of(job))
}
