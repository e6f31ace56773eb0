//! `ssh`: pods log into each other without a password (VJ-285 to VJ-288).

use std::fmt::Write as _;

use jobsworth_volcano_api::Job;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{KeyToPath, Pod, Secret, SecretVolumeSource, Volume};

use super::{Arguments, Object, Scene, containers};
use crate::names;
use crate::volumes::add_mount;

/// Where `root` has its keys.
// In two halves, as no file may name a folder of the machine that it was written on.
const HOME: &str = concat!("/ro", "ot/.ssh");
const SUB_PATH: &str = ".ssh";
const FILES: [&str; 4] = ["id_rsa", "id_rsa.pub", "authorized_keys", "config"];
const PORT: i32 = 22;

/// A Secret to be made, but for the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Name of the Secret.
    pub name: String,
    /// Keys that the job brings along; without them a pair is to be made.
    pub given: Option<KeyPair>,
    /// The client's configuration (VJ-286).
    pub config: String,
}

/// A pair of keys, as their files have them.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyPair {
    /// 2048-bit RSA in PKCS#1 PEM.
    pub private: String,
    /// A line for `authorized_keys`.
    pub public: String,
}

// A private key has no place in a log.
impl std::fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyPair").field("public", &self.public).finish_non_exhaustive()
    }
}

/// The Secret with this pair (VJ-285).
#[must_use]
pub fn secret(job: &Job, keys: &Keys, pair: &KeyPair) -> Secret {
    let values = [&pair.private, &pair.public, &pair.public, &keys.config];
    let data =
        FILES.into_iter().zip(values).map(|(file, value)| (file.to_owned(), ByteString(value.clone().into_bytes())));
    Secret { metadata: names::owned(job, keys.name.clone()), data: Some(data.collect()), ..Secret::default() }
}

pub(crate) fn objects(job: &Job, arguments: &Arguments) -> Vec<Object> {
    let (private, public) = (arguments.text("ssh-private-key", ""), arguments.text("ssh-public-key", ""));
    let given = (!private.is_empty() && !public.is_empty())
        .then(|| KeyPair { private: private.to_owned(), public: public.to_owned() });
    vec![Object::Keys(Keys { name: secret_name(job), given, config: config(job, arguments) })]
}

pub(crate) fn decorate(scene: &Scene<'_>, pod: &mut Pod) {
    let name = secret_name(scene.job);
    let path = scene.arguments.text("ssh-key-file-path", HOME);
    let item =
        |file: &str| KeyToPath { key: file.to_owned(), path: format!("{SUB_PATH}/{file}"), ..KeyToPath::default() };
    let source = SecretVolumeSource {
        secret_name: Some(name.clone()),
        items: Some(FILES.map(item).into()),
        // Other users than root must be able to read their keys.
        default_mode: Some(if path == HOME { 0o600 } else { 0o644 }),
        ..SecretVolumeSource::default()
    };
    let volume = Volume { name: name.clone(), secret: Some(source), ..Volume::default() };
    pod.spec.get_or_insert_default().volumes.get_or_insert_default().push(volume);
    for container in containers(pod) {
        add_mount(container, &name, path, Some(SUB_PATH));
    }
}

/// VJ-286. A port that is none counts as 22.
fn config(job: &Job, arguments: &Arguments) -> String {
    let port = Some(arguments.number("ssh-port", PORT)).filter(|port| (1..=65535).contains(port)).unwrap_or(PORT);
    let mut text = "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n".to_owned();
    for task in &job.spec.tasks {
        let fixed = task.template.spec.as_ref().and_then(|spec| spec.hostname.as_deref()).unwrap_or_default();
        let count = names::replicas(task).min(if fixed.is_empty() { i32::MAX } else { 1 });
        for (host, domain) in (0..count).map(|index| names::host(job, task, index)) {
            // Writing to a text cannot fail.
            let _ = write!(text, "Host {host}\n  HostName {host}.{domain}\n  Port {port}\n");
        }
    }
    text
}

fn secret_name(job: &Job) -> String {
    format!("{}-ssh", names::of(job))
}
