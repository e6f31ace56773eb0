//! Volcano's own programs as the subject: where they are, of which release, and how they are started.
//!
//! They cannot be had as a Go module, so they come from a folder of whoever has built them.

use std::{
    collections::BTreeMap,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use super::{account, words};
use crate::cluster::{
    ClusterError, Component, ControllerProgram,
    attest::Mark,
    marks,
    subject_kind::{JobApi, Manifest, ReadyWhen, VOLCANO_RELEASE, WebhookProgram, is_of_known_release},
};

/// Job, queue, TTL and group controllers.
const CONTROLLER: &str = "vc-controller-manager";
/// Admission.
const WEBHOOK: &str = "vc-webhook-manager";
/// How long a program may take to say its version.
const SAYS_WITHIN: Duration = Duration::from_secs(20);

/// Why Volcano's own programs cannot be put to the test.
#[derive(Debug, thiserror::Error)]
pub enum NotVolcano {
    /// There is no such program.
    #[error("failed to find {}", .0.display())]
    Missing(PathBuf),
    /// It cannot be started.
    #[error("failed to start {} --version", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        #[source]
        /// What the system said.
        source: io::Error,
    },
    /// It does not say its version.
    #[error("{} --version took more than {} s", .program.display(), .within.as_secs())]
    Silent {
        /// The program.
        program: PathBuf,
        /// How long it was waited for.
        within: Duration,
    },
    /// It says something else.
    #[error("{} --version says no version, but: {said}", .program.display())]
    Unversioned {
        /// The program.
        program: PathBuf,
        /// The beginning of what it said.
        said: String,
    },
    /// It is of another release.
    #[error("{} is of release {found}, and what is known of Volcano is known of {VOLCANO_RELEASE}", .program.display())]
    OtherRelease {
        /// The program.
        program: PathBuf,
        /// Its version.
        found: String,
    },
    /// The two programs are of two releases.
    #[error("{CONTROLLER} is {controller} and {WEBHOOK} is {webhook}: both must be of one release")]
    TwoReleases {
        /// The one's version.
        controller: String,
        /// The other's.
        webhook: String,
    },
    /// Its file cannot be read, and so nobody could say later that it was this one.
    #[error("failed to take the sum of a program")]
    Unreadable(#[from] ClusterError),
}

/// What is known of Volcano's programs in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Volcano {
    /// The folder.
    folder: PathBuf,
    /// The version that both say, for example `v1.15.1`.
    pub version: String,
    /// What tells the two from others.
    marks: Vec<Mark>,
}

impl Volcano {
    /// Asks the programs in a folder who they are.
    ///
    /// # Errors
    /// When one of them is missing, does not say its version, or is of another release.
    pub fn of(folder: &Path) -> Result<Self, NotVolcano> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let [controller_file, webhook_file] = [CONTROLLER, WEBHOOK].map(|name| folder.join(name));
        let (controller, webhook) =
            (version_of(&controller_file, SAYS_WITHIN)?, version_of(&webhook_file, SAYS_WITHIN)?);
        if controller != webhook {
            return Err(NotVolcano::TwoReleases { controller, webhook });
        }
        if !is_of_known_release(&controller) {
            return Err(NotVolcano::OtherRelease { program: controller_file, found: controller });
        }
        let marks = vec![
            marks::of_program(Component::Subject, &controller, &controller_file)?,
            marks::of_program(Component::Webhook, &controller, &webhook_file)?,
        ];
        Ok(Self { folder, version: controller, marks })
    }

    /// How they are started: the webhook first, which writes its authority into the configurations, then the controller.
    pub(in crate::subject) fn program(&self) -> ControllerProgram {
        let controller = [
            "--kubeconfig={kubeconfig}",
            // Everybody's QPS and burst; Volcano's own make cases beside each other wait for each other.
            "--kube-api-qps={qps}",
            "--kube-api-burst={burst}",
            // A crashed holder's lease would keep its successor waiting.
            "--leader-elect=false",
            "--scheduler-name=volcano",
            // A controller whose kinds are missing would wait for them for ever.
            "--controllers=+job-controller,+queue-controller,+gc-controller,+pg-controller",
            "--enable-healthz=true",
            "--healthz-address=127.0.0.1:{health-port}",
            "--enable-metrics=true",
            "--listen-address=127.0.0.1:{metrics-port}",
        ];
        let webhook = [
            "--kubeconfig={kubeconfig}",
            "--tls-cert-file={tls-cert}",
            "--tls-private-key-file={tls-key}",
            "--ca-cert-file={client-ca}",
            // It looks up configurations by name and does not change where they point to; any value will do.
            "--webhook-url=https://127.0.0.1:{webhook-port}",
            "--listen-address=127.0.0.1",
            "--port={webhook-port}",
            "--scheduler-name=volcano",
            "--enabled-admission=/jobs/mutate,/jobs/validate,/podgroups/mutate",
            "--enable-healthz=true",
            "--healthz-address=127.0.0.1:{webhook-health-port}",
        ];
        ControllerProgram {
            program: self.folder.join(CONTROLLER),
            arguments: words(&[&controller]),
            environment: BTreeMap::new(),
            manager: None,
            ready: ReadyWhen::Answers("http://127.0.0.1:{health-port}/healthz".to_owned()),
            offers_ttl: true,
            metrics: Some("http://127.0.0.1:{metrics-port}/metrics".to_owned()),
            rights: Vec::new(),
            api: JobApi::Volcano,
            service_account: Some(account("volcano-controllers")),
            webhook: Some(WebhookProgram {
                program: self.folder.join(WEBHOOK),
                arguments: words(&[&webhook]),
                environment: BTreeMap::new(),
                // Its health is told under the certificate that it serves with.
                ready: ReadyWhen::Answers("https://127.0.0.1:{webhook-health-port}/healthz".to_owned()),
                service_account: Some(account("volcano-admission")),
            }),
            manifests: [
                ("crds.yaml", include_str!("../../../../controller/deploy/volcano/crds.yaml")),
                ("upstream-roles.yaml", include_str!("upstream-roles.yaml")),
                ("queues.yaml", include_str!("../queues.yaml")),
                ("upstream-webhooks.yaml", include_str!("upstream-webhooks.yaml")),
            ]
            .map(|(name, text)| Manifest::Embedded { name: name.to_owned(), text: text.to_owned() })
            .to_vec(),
            election: Vec::new(),
            marks: self.marks.clone(),
        }
    }
}

/// What the program says of its version. It is ended if it says nothing for long.
fn version_of(program: &Path, within: Duration) -> Result<String, NotVolcano> {
    if !program.is_file() {
        return Err(NotVolcano::Missing(program.to_owned()));
    }
    let started = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = started.map_err(|source| NotVolcano::Start { program: program.to_owned(), source })?;
    let (told, said) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            // What cannot be read was not said.
            let _ = stdout.take(64 * 1024).read_to_end(&mut text);
            let _ = told.send(String::from_utf8_lossy(&text).into_owned());
        });
    }
    let said = said.recv_timeout(within);
    // It may have ended by itself, and whether it could be ended is for the system to say.
    let _ = child.kill();
    let _ = child.wait();
    let said = said.map_err(|_| NotVolcano::Silent { program: program.to_owned(), within })?;
    version_in(&said).ok_or_else(|| NotVolcano::Unversioned {
        program: program.to_owned(),
        said: said.trim().chars().take(200).collect(),
    })
}

/// The version in lines like `Version: v1.15.1`.
fn version_in(said: &str) -> Option<String> {
    let version = said.lines().find_map(|line| line.trim().strip_prefix("Version:"))?.trim();
    (!version.is_empty()).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use std::{fs, os::unix::fs::PermissionsExt as _};

    /// A folder with two programs of which each runs one line of shell.
    fn folder(controller: &str, webhook: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, line) in [(CONTROLLER, controller), (WEBHOOK, webhook)] {
            if line.is_empty() {
                continue;
            }
            let path = folder.path().join(name);
            fs::write(&path, format!("#!/bin/sh\n{line}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    const V1_15: &str = "printf 'API Version: v1alpha1\\nVersion: v1.15.1\\nGit SHA: abc\\n'";

    #[test]
    fn programs_of_the_known_release_are_taken() {
        let folder = folder(V1_15, V1_15);
        let found = Volcano::of(folder.path()).unwrap();
        assert_eq!(found.version, "v1.15.1");
        let program = found.program();
        assert!(program.program.ends_with(CONTROLLER) && program.api == JobApi::Volcano);
        assert!(program.webhook.is_some_and(|webhook| webhook.program.ends_with(WEBHOOK)));
    }

    #[rstest]
    #[case::without_a_controller("", V1_15, "failed to find")]
    #[case::without_a_webhook(V1_15, "", WEBHOOK)]
    #[case::one_that_ends_silently("exit 1", V1_15, "says no version")]
    #[case::one_that_says_something_else("echo hello", V1_15, "hello")]
    #[case::of_an_earlier_release("echo Version: v1.14.4", "echo Version: v1.14.4", "is of release v1.14.4")]
    #[case::of_two_releases(V1_15, "echo Version: v1.15.0", "both must be of one release")]
    #[case::of_no_release("echo Version: latest", "echo Version: latest", "is of release latest")]
    fn others_are_refused_with_what_is_wrong(#[case] controller: &str, #[case] webhook: &str, #[case] part: &str) {
        let folder = folder(controller, webhook);
        let error = Volcano::of(folder.path()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }

    #[rstest]
    #[case::a_controller("sleep 60 & wait", V1_15, CONTROLLER)]
    #[case::a_webhook(V1_15, "sleep 60 & wait", WEBHOOK)]
    fn one_that_never_says_its_version_is_ended(#[case] controller: &str, #[case] webhook: &str, #[case] name: &str) {
        let folder = folder(controller, webhook);
        let within = Duration::from_millis(500);
        let said = [CONTROLLER, WEBHOOK].map(|name| version_of(&folder.path().join(name), within));
        let silent: Vec<String> = said.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
        assert!(
            silent.len() == 1 && silent[0].contains(name) && silent[0].contains("took more than 0 s"),
            "{silent:?}"
        );
    }

    #[test]
    fn what_tells_the_programs_from_others_is_kept() {
        let folder = folder(V1_15, V1_15);
        let marks = Volcano::of(folder.path()).unwrap().program().marks;
        assert_eq!(
            marks.iter().map(|mark| mark.component).collect::<Vec<_>>(),
            [Component::Subject, Component::Webhook]
        );
        assert!(marks.iter().all(|mark| mark.says.starts_with("v1.15.1 sha256:")), "{marks:?}");
    }

    /// The manager looks each path up under a name made of it, and waits for minutes where there is none.
    #[test]
    fn every_path_that_is_admitted_by_the_webhook_has_its_configuration() {
        let folder = folder(V1_15, V1_15);
        let webhook = Volcano::of(folder.path()).unwrap().program().webhook.unwrap();
        let mut paths = webhook.arguments.iter().filter_map(|argument| argument.strip_prefix("--enabled-admission="));
        let limits = crate::yaml::Limits { what: "manifest", largest: 1 << 20, documents: 9, depth: 50, nodes: 10_000 };
        let text = include_str!("upstream-webhooks.yaml");
        let configurations: Vec<serde_json::Value> = crate::yaml::several(text, "it", &limits).unwrap();
        let mut count = 0;
        for path in paths.next().unwrap().split(',') {
            let name = format!("volcano-admission-service{}", path.replace('/', "-"));
            let found = configurations.iter().find(|it| it["metadata"]["name"] == *name).expect("it has one");
            let mutates = found["kind"] == "MutatingWebhookConfiguration";
            assert_eq!(mutates, path.ends_with("/mutate"), "{name}");
            let hook = &found["webhooks"][0];
            assert_eq!(hook["clientConfig"]["service"]["path"], path);
            let operations =
                if mutates { serde_json::json!(["CREATE"]) } else { serde_json::json!(["CREATE", "UPDATE"]) };
            assert_eq!(hook["rules"][0]["operations"], operations, "{name}");
            let rest = [&hook["failurePolicy"], &hook["sideEffects"], &hook["timeoutSeconds"]];
            assert_eq!(
                rest,
                [&serde_json::json!("Fail"), &serde_json::json!("NoneOnDryRun"), &serde_json::json!(10)],
                "{name}"
            );
            count += 1;
        }
        assert_eq!(configurations.len(), count, "none is there that nobody answers for");
    }

    #[test]
    fn every_argument_names_what_it_can_be_filled_with() {
        let folder = folder(V1_15, V1_15);
        let program = Volcano::of(folder.path()).unwrap().program();
        let webhook = program.webhook.unwrap();
        for argument in program.arguments.iter().chain(&webhook.arguments) {
            assert_eq!(crate::cluster::subject_kind::unknown(argument), [""; 0], "{argument}");
        }
    }
}
