//! Controller files: good ones, wrong ones, and the same in one line.

use super::*;
use crate::cluster::{
    DeployedController,
    subject_kind::{ControllerImage, Manifest, ReadyInCluster},
};
use rstest::rstest;

const HEAD: &str = "schema: jobsworth/controller/v1\nname: mine\n";

fn program(subject: Subject) -> ControllerProgram {
    match subject.kind {
        SubjectKind::Program(program) => program,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_whole_file_is_read() {
    let text = format!(
        "{HEAD}command: [./bin/mine, '--kubeconfig={{kubeconfig}}', '--manager={{manager}}']\nenvironment: {{LEVEL: debug}}\n\
         ownership: {{managed-by: example.com/mine}}\nready: {{answers: 'http://127.0.0.1:{{health-port}}/readyz'}}\n\
         offers: {{ttl: false, metrics: 'http://127.0.0.1:{{metrics-port}}/metrics', election: ['--lease={{namespace}}/mine']}}\n\
         rights: [{{apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}}]\n"
    );
    let subject = parse(&text, "mine.yaml").unwrap();
    assert_eq!(
        (subject.name.as_str(), subject.ownership()),
        ("mine", jobsworth_oracle::Ownership::ManagedBy("example.com/mine".to_owned()))
    );
    let program = program(subject);
    assert_eq!(program.program, PathBuf::from("./bin/mine"));
    assert_eq!(program.arguments, ["--kubeconfig={kubeconfig}", "--manager={manager}"]);
    assert_eq!(program.environment, BTreeMap::from([("LEVEL".to_owned(), "debug".to_owned())]));
    assert_eq!(program.ready, ReadyWhen::Answers("http://127.0.0.1:{health-port}/readyz".to_owned()));
    assert_eq!(program.metrics.as_deref(), Some("http://127.0.0.1:{metrics-port}/metrics"));
    assert_eq!(program.rights[0].resources, ["leases"]);
    assert_eq!(program.election, ["--lease={namespace}/mine"]);
}

#[test]
fn a_controller_of_another_api_brings_its_objects_and_its_webhook() {
    let text = format!(
        "{HEAD}command: [./controller, '--kubeconfig={{kubeconfig}}']\napi: batch.volcano.sh/v1alpha1\nownership: drop-in\n\
         service-account: volcano-system/controller\nmanifests: [crds.yaml, roles.yaml]\n\
         webhook:\n  command: [./webhook, '--port={{webhook-port}}']\n  service-account: volcano-system/webhook\n  \
         ready: {{answers: 'https://127.0.0.1:{{webhook-port}}/readyz'}}\n"
    );
    let program = program(parse(&text, "mine.yaml").unwrap());
    assert_eq!((program.api, program.manifests.len()), (JobApi::Volcano, 2));
    let account = |account: Option<crate::cluster::subject_kind::ServiceAccount>| account.map(|account| account.name);
    assert_eq!(account(program.service_account).as_deref(), Some("controller"));
    let webhook = program.webhook.unwrap();
    assert_eq!(webhook.arguments, ["--port={webhook-port}"]);
    assert_eq!(account(webhook.service_account).as_deref(), Some("webhook"));
}

#[test]
fn a_drop_in_needs_a_command_and_an_ownership_only() {
    let program = program(parse(&format!("{HEAD}command: [mine]\nownership: drop-in\n"), "mine.yaml").unwrap());
    assert_eq!((program.manager, program.ready, program.offers_ttl), (None, ReadyWhen::Started, false));
}

#[test]
fn without_a_command_it_is_installed() {
    let subject = parse(&format!("{HEAD}ownership: {{managed-by: example.com/mine}}\n"), "mine.yaml").unwrap();
    assert_eq!(subject.kind, SubjectKind::Installed { manager: "example.com/mine".to_owned() });
}

const IMAGE: &str = "image: {name: 'example.com/mine:v1'}\nmanifests: [mine.yaml]\n";

#[test]
fn an_image_is_run_by_its_manifests() {
    let text = format!(
        "{HEAD}{IMAGE}ownership: {{managed-by: example.com/mine}}\nready: {{lease-is-held: '{{namespace}}/mine'}}\n"
    );
    let expected = DeployedController {
        image: ControllerImage::Name("example.com/mine:v1".to_owned()),
        manager: Some("example.com/mine".to_owned()),
        ready: ReadyInCluster::LeaseIsHeld("{namespace}/mine".to_owned()),
        offers_ttl: false,
        manifests: vec![Manifest::File(PathBuf::from("mine.yaml"))],
    };
    assert_eq!(parse(&text, "mine.yaml").unwrap().kind, SubjectKind::Deployed(expected));
}

#[rstest]
#[case::a_command("command: [mine]\n", "`command` is of a program on this machine, and this controller is an image")]
#[case::an_election("offers: {election: ['--elect']}\n", "`offers: election` is of a program")]
#[case::rights("rights: [{apiGroups: [''], resources: [pods], verbs: [get]}]\n", "`rights` is of a program")]
#[case::a_line("ready: {prints: started}\n", "of a controller in pods this is not known")]
#[case::an_address_of_this_machine(
    "ready: {answers: 'http://127.0.0.1:80/'}\n",
    "`http://127.0.0.1:80/` is no path of the API server"
)]
#[case::a_placeholder_of_a_program(
    "ready: {answers: '/{health-port}'}\n",
    "`{health-port}` is of a program on this machine"
)]
#[case::half_a_deployment("ready: {is-available: mine}\n", "`mine` names no Deployment")]
#[case::another_api("api: batch.volcano.sh/v1alpha1\n", "controllers of batch.volcano.sh/v1alpha1 are programs so far")]
fn what_is_not_for_an_image_is_told(#[case] rest: &str, #[case] says: &str) {
    let error = parse(&format!("{HEAD}{IMAGE}ownership: drop-in\n{rest}"), "mine.yaml").unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[rstest]
#[case::no_manifest("image: {name: mine}\n", "nothing runs the image")]
#[case::no_name("image: {name: ''}\nmanifests: [mine.yaml]\n", "this is no name of an image")]
#[case::two_sources("image: {name: a, archive: b}\nmanifests: [mine.yaml]\n", "line 3, column")]
#[case::an_image_for_a_program("command: [mine, '{image}']\n", "`{image}` is of a controller in pods")]
#[case::a_deployment_for_a_program(
    "command: [mine]\nready: {is-available: a/b}\n",
    "a program on this machine is no Deployment"
)]
fn an_image_and_a_program_are_told_apart(#[case] rest: &str, #[case] says: &str) {
    let error = parse(&format!("{HEAD}{rest}ownership: drop-in\n"), "mine.yaml").unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[rstest]
#[case::no_ownership("command: [mine]\n", "the key `ownership` is missing")]
#[case::an_unknown_key("command: [mine]\nownership: drop-in\nargs: []\n", "there is no key `args`")]
#[case::an_unknown_ownership("command: [mine]\nownership: mine\n", "line 4, column 12: ")]
#[case::a_drop_in_without_a_command(
    "ownership: drop-in\n",
    "line 3, column 12: a controller in the place of the built-in one needs"
)]
#[case::an_unknown_placeholder(
    "command: [mine, '{kubekonfig}']\nownership: drop-in\n",
    "line 3, column 17: there is no placeholder `{kubekonfig}`; did you mean `{kubeconfig}`?"
)]
#[case::an_unknown_placeholder_of_an_election(
    "command: [mine]\nownership: drop-in\noffers: {election: ['{leese}']}\n",
    "there is no placeholder `{leese}`"
)]
#[case::a_manager_of_a_drop_in(
    "command: [mine, '{manager}']\nownership: drop-in\n",
    "line 3, column 17: `{manager}` stands for nothing"
)]
#[case::a_manager_without_a_path(
    "command: [mine]\nownership: {managed-by: mine}\n",
    "no Job can name `mine` in spec.managedBy"
)]
#[case::the_reserved_manager(
    "command: [mine]\nownership: {managed-by: kubernetes.io/job-controller}\n",
    "`kubernetes.io/job-controller` is the built-in controller"
)]
#[case::an_address_elsewhere(
    "command: [mine]\nownership: drop-in\nready: {answers: 'http://example.com/'}\n",
    "`http://example.com/` is no address that could be asked"
)]
#[case::a_manager_where_jobs_name_none(
    "command: [mine]\napi: batch.volcano.sh/v1alpha1\nownership: {managed-by: example.com/mine}\n",
    "line 5, column 12: Jobs of batch.volcano.sh/v1alpha1 name no manager"
)]
#[case::an_unknown_api("command: [mine]\nownership: drop-in\napi: batch/v2\n", "line 5, column 6: ")]
#[case::no_service_account(
    "command: [mine]\nownership: drop-in\nservice-account: mine\n",
    "line 5, column 18: `mine` names no service account: write NAMESPACE/NAME"
)]
#[case::a_deaf_webhook(
    "command: [mine]\nownership: drop-in\nwebhook: {command: [hook]}\n",
    "the webhook is not told where it has to listen"
)]
#[case::a_webhook_without_a_program(
    "command: [mine]\nownership: drop-in\nwebhook: {command: [], environment: {P: '{webhook-port}'}}\n",
    "the webhook's command names no program"
)]
#[case::half_a_lease("command: [mine]\nownership: drop-in\nready: {lease-is-held: mine}\n", "`mine` names no lease")]
#[case::a_line_without_letters(
    "command: [mine]\nownership: drop-in\nready: {prints: ''}\n",
    "it prints nothing before"
)]
fn mistakes_are_told_with_their_place(#[case] rest: &str, #[case] says: &str) {
    let error = parse(&format!("{HEAD}{rest}"), "mine.yaml").unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[rstest]
#[case::a_name_of_ours("reference", "`reference` is a controller that comes along")]
#[case::capital_letters("Mine", "`Mine` cannot be the name of a controller")]
fn a_name_must_be_free(#[case] name: &str, #[case] says: &str) {
    let text = format!("schema: jobsworth/controller/v1\nname: {name}\ncommand: [mine]\nownership: drop-in\n");
    let error = parse(&text, "mine.yaml").unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[test]
fn a_line_is_cut_as_a_shell_does_it() {
    let subject = of_line("program: './my bin/My_Controller.sh' --kubeconfig {kubeconfig} \"a b\"", None).unwrap();
    assert_eq!(subject.name, "my-controller");
    let program = program(subject);
    assert_eq!(program.program, PathBuf::from("./my bin/My_Controller.sh"));
    assert_eq!(program.arguments, ["--kubeconfig", "{kubeconfig}", "a b"]);
}

#[rstest]
#[case::nothing("program: ", None, "it names no program")]
#[case::an_open_quotation("program: 'x", None, "a quotation in it does not end")]
#[case::a_placeholder("program: x {nonsense}", None, "there is no placeholder `{nonsense}`; there are {kubeconfig}, ")]
#[case::nobodys_manager("program: x {manager}", None, "`{manager}` stands for nothing")]
#[case::no_manager("program: x {manager}", Some("mine"), "no Job can name `mine`")]
fn a_wrong_line_is_told(#[case] line: &str, #[case] manager: Option<&str>, #[case] says: &str) {
    let error = of_line(line, manager).unwrap_err();
    assert!(error.starts_with(says), "{error}");
}

#[rstest]
#[case::what_follows_the_domain("example.com/Mine_2", "mine-2")]
#[case::a_name_of_ours("example.com/reference", "my-reference")]
#[case::digits("example.com/2", "my-2")]
fn an_installed_controller_has_a_name(#[case] manager: &str, #[case] name: &str) {
    assert_eq!(installed(manager).unwrap().name, name);
}
