//! Stand-ins for Volcano's two programs: they take Volcano's flags and no others, and do its work by jobsworth's own program.

use jobsworth_harness::subject::{Subject, checkout};
use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

pub const CONTROLLER: &str = "vc-controller-manager";
pub const WEBHOOK: &str = "vc-webhook-manager";
/// What both say of themselves.
pub const VERSION: &str = "if [ \"$1\" = --version ]; then echo 'Version: v1.15.1'; exit; fi";
/// What each of them knows (section 6.3 of Volcano's requirements).
const CONTROLLER_KNOWS: [&str; 12] = [
    "kubeconfig",
    "kube-api-qps",
    "kube-api-burst",
    "leader-elect",
    "scheduler-name",
    "controllers",
    "worker-threads",
    "max-requeue-num",
    "enable-healthz",
    "healthz-address",
    "enable-metrics",
    "listen-address",
];
const WEBHOOK_KNOWS: [&str; 11] = [
    "kubeconfig",
    "tls-cert-file",
    "tls-private-key-file",
    "ca-cert-file",
    "webhook-url",
    "listen-address",
    "port",
    "scheduler-name",
    "enabled-admission",
    "enable-healthz",
    "healthz-address",
];

/// A folder to run in, with the programs below it.
pub struct Place(tempfile::TempDir);

/// What is peculiar about stand-ins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Peculiar {
    /// More flags for our controller.
    pub controller: &'static str,
    /// The certificate of the site with which reviews are answered, if not the one that was given.
    pub certificate: Option<&'static str>,
}

impl Place {
    pub fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.programs()).unwrap();
        place
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    pub fn programs(&self) -> PathBuf {
        self.folder().join("programs")
    }

    /// A program of these lines of shell.
    pub fn program(&self, name: &str, text: &str) {
        let path = self.programs().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What a program was given, or wrote down.
    pub fn noted(&self, name: &str) -> String {
        fs::read_to_string(self.programs().join(name)).unwrap_or_default()
    }

    /// What a flag was given.
    pub fn given(&self, program: &str, flag: &str) -> String {
        let start = format!("--{flag}=");
        let flags = self.noted(&format!("{program}.flags"));
        flags.split_whitespace().find_map(|word| word.strip_prefix(&start)).unwrap_or_default().to_owned()
    }

    /// `jobsworth run` of these cases against the programs.
    pub fn command(&self, cases: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
        command.args(["run", "--controller", "volcano", "--volcano-binaries", "programs", "-o", "out"]);
        command.args(cases).current_dir(self.folder());
        command
    }

    pub fn run(&self, cases: &[&str]) -> Output {
        self.command(cases).output().unwrap()
    }

    /// A file of the run.
    pub fn record(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(self.folder().join("out").join(name)).unwrap()).unwrap()
    }

    /// Stand-ins like this.
    pub fn stand_in(&self, peculiar: Peculiar) {
        let ours = ours();
        let ours = ours.display();
        let controller = format!(
            "{ours} controller --kubeconfig=$kubeconfig --kube-api-qps=$kube_api_qps --kube-api-burst=$kube_api_burst \
             --leader-elect=$leader_elect --metrics-address=$healthz_address --metrics-secure=false {}",
            peculiar.controller
        );
        self.program(CONTROLLER, &self.shell(CONTROLLER, &CONTROLLER_KNOWS, &[&controller]));
        let serve = |port: &str, certificate: &str, key: &str| {
            format!(
                "{ours} webhook --kubeconfig=$kubeconfig --tls-cert-file={certificate} --tls-private-key-file={key} \
                 --listen-address=$listen_address --port={port}"
            )
        };
        let (certificate, key) = peculiar.certificate.map_or_else(
            || ("$tls_cert_file".to_owned(), "$tls_private_key_file".to_owned()),
            |name| ["crt", "key"].map(|end| format!("$(dirname $tls_cert_file)/{name}.{end}")).into(),
        );
        // Volcano's webhook manager tells its health on a port of its own.
        let health = serve("${healthz_address#*:}", "$tls_cert_file", "$tls_private_key_file");
        let text = self.shell(WEBHOOK, &WEBHOOK_KNOWS, &[&health, &serve("$port", &certificate, &key)]);
        self.program(WEBHOOK, &text);
    }

    /// Reads the flags, refuses others, and lives as long as what it starts, or until a file `die` is there. What it started goes with
    /// it however it goes.
    fn shell(&self, name: &str, knows: &[&str], starts: &[&str]) -> String {
        let folder = self.programs();
        let folder = folder.display();
        let known: Vec<String> = knows.iter().map(|flag| format!("--{flag}=*")).collect();
        let mut lines = vec![
            VERSION.to_owned(),
            format!("echo \"$@\" > {folder}/{name}.flags; echo {name} >> {folder}/order"),
            format!("for flag in \"$@\"; do case $flag in {}) ;;", known.join("|")),
            "*) echo \"unknown flag: ${flag%%=*}\" >&2; exit 2 ;; esac; done".to_owned(),
        ];
        lines.extend(knows.iter().map(|flag| {
            let variable = flag.replace('-', "_");
            format!("{variable}=$(printf '%s\\n' \"$@\" | sed -n 's/^--{flag}=//p')")
        }));
        for start in starts {
            lines.push(format!("{start} &\nchild=$!"));
            lines.push("(while kill -0 $$ 2>/dev/null; do sleep 0.2; done; kill $child) &".to_owned());
        }
        lines.push(format!("while kill -0 $child 2>/dev/null && ! [ -e {folder}/die-{name} ]; do sleep 0.1; done"));
        lines.push(format!("[ -e {folder}/die-{name} ] && {{ echo 'out of luck' >&2; exit 9; }}"));
        lines.push("wait $child".to_owned());
        lines.join("\n")
    }

    /// From now on this program dies as soon as it looks.
    pub fn dies(&self, name: &str) {
        fs::write(self.programs().join(format!("die-{name}")), "").unwrap();
    }
}

/// Jobsworth's own program, as its sources are now.
pub fn ours() -> PathBuf {
    let ours = Subject::volcano_reference().kind.program().unwrap().to_owned();
    checkout::make_ready(&ours, &|line| drop(writeln!(std::io::stderr(), "{line}"))).unwrap();
    ours
}

pub fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}
