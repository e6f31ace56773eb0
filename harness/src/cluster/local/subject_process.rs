//! The processes of a controller under test as descriptions: pure, from what it says of itself, spec and layout.

use std::time::Duration;

use crate::binaries::BinarySet;
use crate::cluster::access::Access;
use crate::cluster::contract::subject_kind::{
    ControllerProgram, Described, Placeholder, ReadyWhen, SHORT_ELECTION, SubjectKind, Values,
};
use crate::cluster::layout::Layout;
use crate::cluster::machine::readiness::{Readiness, Sign};
use crate::cluster::machine::service_account;
use crate::cluster::process_spec::{ProcessSpec, controller_manager, gate_list};
use crate::cluster::{ClusterError, ClusterSpec, Component, Route};

/// Where a controller may keep its lease.
const NAMESPACE: &str = "kube-system";
/// Whose Jobs nobody has where it is not installed.
const VOLCANO: &str = "Volcano";
/// How long it may take until it says that it is ready.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// The subject's process.
///
/// # Errors
/// When the subject is none that could be started.
pub(crate) fn process(
    kind: &SubjectKind,
    spec: &ClusterSpec,
    binaries: &BinarySet,
    site: &Layout,
) -> Result<ProcessSpec, ClusterError> {
    match kind {
        SubjectKind::BuiltIn => Ok(controller_manager::subject(spec, binaries, site)),
        SubjectKind::Program(program) => Ok(outside(program, spec, site)),
        SubjectKind::Deployed(_) => Err(ClusterError::NoKubelets),
        // A cluster that was just made has nobody in it who serves this manager's Jobs.
        SubjectKind::Installed { manager } => Err(ClusterError::NothingInstalled(manager.clone())),
        SubjectKind::InstalledVolcano => Err(ClusterError::NothingInstalled(VOLCANO.to_owned())),
    }
}

/// The process of one of several instances, which elect a leader soon; `site` is the cluster as that instance finds it.
///
/// # Errors
/// As [`process`].
pub(super) fn electing(
    kind: &SubjectKind,
    spec: &ClusterSpec,
    binaries: &BinarySet,
    site: &Layout,
) -> Result<ProcessSpec, ClusterError> {
    let mut process = process(kind, spec, binaries, site)?;
    process.arguments.retain(|argument| argument != "--leader-elect=false");
    match kind {
        SubjectKind::Program(program) => {
            let values = values(program, &program.controller(), spec, site);
            process.arguments.extend(program.election.iter().filter_map(|argument| values.fill(argument)));
        }
        _ => process.arguments.extend(SHORT_ELECTION.map(str::to_owned)),
    }
    Ok(process)
}

/// A controller that is not Kubernetes' own.
pub(crate) fn outside(program: &ControllerProgram, spec: &ClusterSpec, site: &Layout) -> ProcessSpec {
    started(program, &program.controller(), spec, site)
}

/// The webhook of a controller, if that has one.
pub(super) fn webhook(program: &ControllerProgram, spec: &ClusterSpec, site: &Layout) -> Option<ProcessSpec> {
    Some(started(program, &program.webhook()?, spec, site))
}

fn started(program: &ControllerProgram, described: &Described<'_>, spec: &ClusterSpec, site: &Layout) -> ProcessSpec {
    let values = values(program, described, spec, site);
    let readiness = Readiness { sign: sign(described.ready, &values), within: READY_WITHIN };
    let environment = described.environment.iter();
    ProcessSpec {
        component: described.component,
        program: described.program.to_owned(),
        arguments: described.arguments.iter().filter_map(|argument| values.fill(argument)).collect(),
        environment: environment.filter_map(|(name, text)| Some((name.clone(), values.fill(text)?))).collect(),
        readiness,
    }
}

fn sign(ready: &ReadyWhen, values: &Values) -> Sign {
    let filled = |text: &String| values.fill(text).unwrap_or_else(|| text.clone());
    match ready {
        ReadyWhen::Answers(url) => Sign::Answers(filled(url)),
        ReadyWhen::LeaseIsHeld(lease) => Sign::LeaseIsHeld(filled(lease)),
        ReadyWhen::Prints(text) => Sign::Prints(filled(text)),
        ReadyWhen::Started => Sign::Started,
    }
}

/// What placeholders stand for in this cluster, for this process.
fn values(program: &ControllerProgram, described: &Described<'_>, spec: &ClusterSpec, site: &Layout) -> Values {
    // What a webhook asks for is not the controller's doing.
    let route = if described.component == Component::Subject { spec.route } else { Route::Direct };
    let kubeconfig = match described.service_account {
        Some(account) => service_account::kubeconfig(site, account, route),
        None => site.subject_kubeconfig("job-controller", route),
    };
    let ports = site.ports();
    let values = Values::default()
        .with(Placeholder::Kubeconfig, kubeconfig.display())
        .with(Placeholder::TtlKubeconfig, site.subject_kubeconfig("ttl-controller", route).display())
        .with(Placeholder::MetricsPort, site.port(Component::Subject))
        .with(Placeholder::HealthPort, ports.subject_health)
        .with(Placeholder::WebhookPort, ports.webhook)
        .with(Placeholder::WebhookHealthPort, ports.webhook_health)
        .with(Placeholder::Qps, spec.rate.qps)
        .with(Placeholder::Burst, spec.rate.burst)
        .with(Placeholder::Namespace, NAMESPACE)
        .with(Placeholder::Minor, spec.defaults_of())
        .with(Placeholder::ClientCa, site.authority_certificate().display())
        .with(Placeholder::TlsCert, site.certificate("subject-server").display())
        .with(Placeholder::TlsKey, site.key("subject-server").display());
    let values = match &program.manager {
        Some(manager) => values.with(Placeholder::Manager, manager),
        None => values,
    };
    match spec.gates.is_empty() {
        true => values,
        false => values.with(Placeholder::Gates, gate_list(&spec.gates)),
    }
}

/// Where the metrics of a subject are, if it has some.
///
/// # Errors
/// When what it says of them is no address.
pub(super) fn metrics(
    kind: &SubjectKind,
    spec: &ClusterSpec,
    site: &Layout,
) -> Result<Option<(Access, String)>, ClusterError> {
    match kind {
        SubjectKind::BuiltIn => Ok(Some((Access::component(site, Component::Subject), "/metrics".to_owned()))),
        SubjectKind::Program(program) => {
            let values = values(program, &program.controller(), spec, site);
            let url = program.metrics.as_ref().and_then(|url| values.fill(url));
            url.map(|url| Access::address(site, &url)).transpose()
        }
        SubjectKind::Deployed(_) | SubjectKind::Installed { .. } | SubjectKind::InstalledVolcano => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use jobsworth_api::KubeVersion;
    use rstest::rstest;

    use super::*;
    use crate::cluster::layout::Ports;
    use crate::cluster::subject_kind::WebhookProgram;

    fn started(kind: &SubjectKind, gates: &[(&str, bool)]) -> ProcessSpec {
        let mut spec = ClusterSpec::of(KubeVersion::new(1, 37, 1));
        spec.gates = gates.iter().map(|(gate, on)| ((*gate).to_owned(), *on)).collect();
        let ports = Ports { subject: 5, subject_health: 8, ..Ports::free().unwrap() };
        let SubjectKind::Program(program) = kind else { panic!("{kind:?}") };
        outside(program, &spec, &Layout::new("/cluster", ports))
    }

    #[test]
    fn the_reference_controller_is_told_where_it_works() {
        let process = started(&SubjectKind::drop_in("/bin/controller"), &[]);
        assert_eq!(process.program, PathBuf::from("/bin/controller"));
        assert_eq!(
            process.arguments,
            [
                "--kubeconfig=/cluster/settings/job-controller.kubeconfig",
                "--metrics-address=127.0.0.1:5",
                "--tls-cert-file=/cluster/pki/subject-server.crt",
                "--tls-private-key-file=/cluster/pki/subject-server.key",
            ]
        );
        assert_eq!(process.readiness.sign, Sign::Answers("https://127.0.0.1:5/readyz".to_owned()));
        assert_eq!(process.environment["JOBSWORTH_KUBE_API_QPS"], "100");
    }

    #[test]
    fn a_webhook_is_a_process_with_an_identity_and_a_port_of_its_own() {
        let SubjectKind::Program(program) = SubjectKind::drop_in("/bin/controller") else { unreachable!() };
        let webhook = WebhookProgram {
            program: "/bin/webhook".into(),
            arguments: ["--kubeconfig={kubeconfig}", "--port={webhook-port}"].map(str::to_owned).to_vec(),
            environment: BTreeMap::new(),
            ready: ReadyWhen::Answers("https://127.0.0.1:{webhook-port}/readyz".to_owned()),
            service_account: Some("ns/it".to_owned().try_into().unwrap()),
        };
        let program = ControllerProgram { webhook: Some(webhook), ..program };
        let ports = Ports { webhook: 6, ..Ports::free().unwrap() };
        let process = super::webhook(&program, &ClusterSpec::of(KubeVersion::new(1, 37, 1)), &Layout::new("/c", ports));
        let process = process.unwrap();
        assert_eq!(process.component, Component::Webhook);
        assert_eq!(process.arguments, ["--kubeconfig=/c/settings/ns.it.kubeconfig", "--port=6"]);
        assert_eq!(process.readiness.sign, Sign::Answers("https://127.0.0.1:6/readyz".to_owned()));
    }

    #[test]
    fn gates_and_a_manager_are_named_where_there_are_some() {
        let process = started(&SubjectKind::beside("/bin/controller", "example.com/it"), &[("JobManagedBy", true)]);
        assert_eq!(process.arguments[4..], ["--feature-gates=JobManagedBy=true", "--managed-by=example.com/it"]);
    }

    #[test]
    fn the_second_instance_has_ports_and_a_way_to_the_api_server_of_its_own() {
        let ports = Ports { subject: 5, webhook: 6, ..Ports::free().unwrap() };
        let (site, mut spec) = (Layout::new("/c", ports), ClusterSpec::of(KubeVersion::new(1, 37, 1)));
        spec.route = Route::Proxied;
        let SubjectKind::Program(program) = SubjectKind::drop_in("/bin/controller") else { unreachable!() };
        let [first, second] = [site.clone(), site.of_second()].map(|site| outside(&program, &spec, &site).arguments);
        assert_eq!(
            first[..2],
            ["--kubeconfig=/c/settings/job-controller.proxied.kubeconfig", "--metrics-address=127.0.0.1:5"]
        );
        assert_eq!(
            second[..2],
            ["--kubeconfig=/c/settings/job-controller.second.kubeconfig", "--metrics-address=127.0.0.1:6"]
        );
    }

    #[rstest]
    #[case::the_binaries("1.35.4", None, None, "1.35")]
    #[case::what_they_emulate("1.37.1", None, Some("1.34"), "1.34")]
    #[case::the_managers_where_the_api_server_is_ahead("1.37.1", Some("1.36.4"), None, "1.36")]
    fn a_controller_has_the_defaults_of_the_version_of(
        #[case] version: &str,
        #[case] managers: Option<&str>,
        #[case] emulated: Option<&str>,
        #[case] told: &str,
    ) {
        let SubjectKind::Program(program) = SubjectKind::drop_in("/bin/controller") else { unreachable!() };
        let spec = ClusterSpec {
            managers: managers.map(|version| version.parse().unwrap()),
            emulated: emulated.map(|minor| minor.parse().unwrap()),
            ..ClusterSpec::of(version.parse().unwrap())
        };
        let process = outside(&program, &spec, &Layout::new("/cluster", Ports::fixed()));
        assert_eq!(process.environment["JOBSWORTH_EMULATED_VERSION"], told);
    }
}
