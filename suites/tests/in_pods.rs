//! The worked example as pods: put into a real cluster by kind, and into one that is there already, judged, and removed.
//! `cargo xtask check` runs this in its step `kind`, where a machine can have such clusters.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Namespace, Node, Pod},
    rbac::v1::{ClusterRole, ClusterRoleBinding},
};
use kube::{
    Api, ResourceExt as _,
    api::{DeleteParams, ListParams},
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jobsworth");
/// Needs a controller that serves the Job to its end; the example does that.
const CASE: &str = "ttl/zero-removes-at-once";

/// A load for one node: its pods are containers that end by themselves.
const TINY: &str = "\
schema: jobsworth/load-profile/v1
name: tiny
says: two Jobs of 3, pods run for half a second
mix: [{name: small, jobs: 2, completions: 3}]
pods: {run-time: 500ms}
";

/// Variables that say where things are on this machine. All others say what a run does, and are taken away.
const PLACES: [&str; 4] = ["JOBSWORTH_BINARIES", "JOBSWORTH_CACHE", "JOBSWORTH_KIND", "JOBSWORTH_NODE_IMAGE"];

/// A kind cluster of this test's, which goes with it.
struct Kept {
    name: String,
    /// Where it was made: whoever takes it down looks for it in the same places.
    folder: PathBuf,
    kubeconfig: PathBuf,
}

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = command(&self.folder, &["cluster", "down", &self.name]).status();
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(folder);
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| name.starts_with("JOBSWORTH_") && !PLACES.contains(&name.as_str())) {
        command.env_remove(name);
    }
    command
}

fn jobsworth(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[track_caller]
fn ended(output: &Output, code: i32) -> String {
    let told = told(output);
    assert_eq!(output.status.code(), Some(code), "{told}");
    told
}

/// The example's files in a folder, with the program that a C library is not needed for.
fn example(folder: &Path) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/own-controller");
    let into = folder.join("examples/own-controller");
    fs::create_dir_all(&into).unwrap();
    for file in ["in-pods.yaml", "deployment.yaml"] {
        fs::copy(sources.join(file), into.join(file)).unwrap();
    }
    let mut build = Command::new("go");
    build.args(["build", "-o"]).arg(into.join("controller")).arg(".").current_dir(&sources).env("CGO_ENABLED", "0");
    let built = build.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// Runs the example by kind, and keeps the cluster with the controller in it.
fn by_kind(folder: &Path) -> Kept {
    let run = ["run", "--provider", "kind", "--keep", "always", "-o", "by-kind", CASE];
    let ran =
        jobsworth(folder, &[run.as_slice(), &["--controller-file", "examples/own-controller/in-pods.yaml"]].concat());
    let words = told(&ran);
    let Some((_, name)) = words.lines().find_map(|line| line.split_once("jobsworth cluster kubeconfig ")) else {
        panic!("no cluster was kept:\n{words}");
    };
    // From here on the cluster goes, whatever else is wrong.
    let mut kept = Kept { name: name.trim().to_owned(), folder: folder.to_owned(), kubeconfig: PathBuf::new() };
    assert!(ended(&ran, 0).contains("cases     1 passed"), "{words}");
    let said = jobsworth(folder, &["cluster", "kubeconfig", &kept.name]);
    ended(&said, 0);
    kept.kubeconfig = String::from_utf8(said.stdout).unwrap().trim().into();
    kept
}

impl Kept {
    async fn client(&self) -> kube::Client {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let file = Kubeconfig::read_from(&self.kubeconfig).unwrap();
        let config = kube::Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
        kube::Client::try_from(config).unwrap()
    }

    /// A command on it as on any cluster that is there already.
    async fn on_it(&self, folder: &Path, command: &[&str], more: &[&str]) -> Output {
        let system = Api::<Namespace>::all(self.client().await).get("kube-system").await.unwrap();
        let uid = system.uid().unwrap();
        let file = self.kubeconfig.display().to_string();
        let way =
            ["--provider", "existing", "--kubeconfig", &file, "--context", "jobsworth", "--yes-cluster", &uid[..8]];
        jobsworth(folder, &[command, way.as_slice(), more].concat())
    }

    async fn run(&self, folder: &Path, out: &str, more: &[&str]) -> Output {
        self.on_it(folder, &["run", "-o", out], more).await
    }
}

/// Whatever a controller could leave behind, by kind and name.
async fn there(client: &kube::Client) -> BTreeSet<String> {
    async fn names<K>(client: &kube::Client) -> Vec<String>
    where
        K: kube::Resource<DynamicType = ()> + Clone + std::fmt::Debug + serde::de::DeserializeOwned,
    {
        let all = Api::<K>::all(client.clone()).list(&ListParams::default()).await.unwrap();
        all.items.iter().map(|object| format!("{} {}", K::kind(&()), object.name_any())).collect()
    }
    let (a, b, c, d) = tokio::join!(
        names::<Namespace>(client),
        names::<ClusterRole>(client),
        names::<ClusterRoleBinding>(client),
        names::<Deployment>(client)
    );
    [a, b, c, d].concat().into_iter().collect()
}

/// The image that was loaded into the nodes, as the pod of the controller names it.
async fn image(client: &kube::Client) -> (String, String) {
    let pods = Api::<Pod>::all(client.clone()).list(&ListParams::default().labels("app=small")).await.unwrap();
    let pod = pods.items.first().unwrap();
    (pod.spec.as_ref().unwrap().containers[0].image.clone().unwrap(), pod.namespace().unwrap())
}

/// A manifest that says itself where the API server is: a node that was made without kube-proxy sends nothing to Services.
async fn reaching_the_api_server(client: &kube::Client, manifest: &str) -> String {
    let nodes = Api::<Node>::all(client.clone()).list(&ListParams::default()).await.unwrap();
    let addresses = nodes.items[0].status.as_ref().unwrap().addresses.as_ref().unwrap();
    let address = &addresses.iter().find(|address| address.type_ == "InternalIP").unwrap().address;
    let variable = |name: &str, value: &str| format!("{{name: KUBERNETES_SERVICE_{name}, value: '{value}'}}");
    let variables = format!("env: [{}, {}]", variable("HOST", address), variable("PORT", "6443"));
    let text = manifest.replace("        args: [", &format!("        {variables}\n        args: ["));
    assert_ne!(text, manifest);
    text
}

/// A description of the same controller under another manager's name, with this manifest.
fn described(folder: &Path, name: &str, image: &str, manifest: &str) -> String {
    fs::write(folder.join(format!("{name}.manifest.yaml")), manifest).unwrap();
    let text = format!(
        "schema: jobsworth/controller/v1\nname: {name}\nimage: {{name: '{image}'}}\nmanifests: [{name}.manifest.yaml]\n\
         ownership: {{managed-by: example.com/{name}}}\n"
    );
    fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
    format!("{name}.yaml")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_in_pods_is_judged_and_on_a_cluster_of_a_user_nothing_of_it_stays() {
    let folder = tempfile::tempdir().unwrap();
    example(folder.path());
    let kept = by_kind(folder.path());
    let client = kept.client().await;
    let (image, namespace) = image(&client).await;

    // It stays in the cluster that was kept, where it is one that is installed already.
    let installed = kept.run(folder.path(), "installed", &["--manager", "example.com/small", CASE]).await;
    assert!(ended(&installed, 0).contains("cases     1 passed"));

    // Everything of it goes with its namespace.
    Api::<Namespace>::all(client.clone()).delete(&namespace, &DeleteParams::default()).await.unwrap();
    let mut look = tokio::time::interval(Duration::from_millis(300));
    let gone = async {
        while there(&client).await.iter().any(|name| name.ends_with(&namespace)) {
            look.tick().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), gone).await.unwrap();

    let before = there(&client).await;
    let manifest = fs::read_to_string(folder.path().join("examples/own-controller/deployment.yaml")).unwrap();
    let manifest = reaching_the_api_server(&client, &manifest).await;
    let deployed = described(folder.path(), "deployed", &image, &manifest);
    let ran = kept.run(folder.path(), "deployed", &["--controller-file", &deployed, CASE]).await;
    assert!(ended(&ran, 0).contains("cases     1 passed"));
    assert_eq!(there(&client).await, before);

    fs::write(folder.path().join("tiny.yaml"), TINY).unwrap();
    let loaded = kept.on_it(folder.path(), &["load", "./tiny.yaml"], &["--trials", "1"]).await;
    let told = ended(&loaded, 0);
    let record: Value = serde_json::from_slice(&fs::read(folder.path().join("load.json")).unwrap()).unwrap();
    let trial = &record["trials"][0];
    assert_eq!((&trial["judged"]["jobs"], &trial["judged"]["brokenJobs"]), (&2.into(), &0.into()), "{told}");
    assert!(trial["figures"]["makespan"].as_f64() > Some(500.0), "its pods ran for their time: {trial}");
    assert_eq!(there(&client).await, before);

    let broken = described(folder.path(), "broken", &image, &manifest.replace("--health-host", "--no-such-flag"));
    let ran = kept.run(folder.path(), "broken", &["--controller-file", &broken, CASE]).await;
    let told = ended(&ran, 3);
    for words in ["CrashLoopBackOff", "exit code 2", "flag provided but not defined: -no-such-flag"] {
        assert!(told.contains(words), "`{words}` is not in:\n{told}");
    }
    let record: Value = serde_json::from_slice(&fs::read(folder.path().join("broken/run.json")).unwrap()).unwrap();
    let again = record["cases"][0]["again"].as_str().unwrap();
    let way = format!("--provider existing --kubeconfig {} --context jobsworth", kept.kubeconfig.display());
    assert!(again.contains(&way) && again.contains("--controller-file broken.yaml"), "{again}");
    assert_eq!(there(&client).await, before);
}
