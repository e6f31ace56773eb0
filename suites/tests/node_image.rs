//! `cluster image` from outside, with stand-ins for Go, debootstrap and what they make: an image that can be told
//! from another, and what is left after a bad day. That a real one works, only a real kind cluster shows.
#![expect(clippy::unwrap_used, reason = "what a test cannot do is its failure")]

use rstest::rstest;
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// Builds what it is asked for by copying one script under each name.
const GO: &str = r#"case "$1" in
env) echo go1.26.8; exit 0 ;;
list) printf '{"Module": {"Dir": "%s"}}\n' "$FAKES/kind"; exit 0 ;;
esac
while [ $# -gt 0 ]; do
    case "$1" in
    -o) out=$2; shift ;;
    -*) ;;
    go.etcd.io/*) cp "$FAKES/program" "$out/server" ;;
    */*) cp "$FAKES/program" "$out/${1##*/}" ;;
    esac
    shift
done"#;

/// Every program of a node, as far as making an image runs it.
const PROGRAM: &str = r#"case "${0##*/}" in
kubeadm)
    for name in kube-apiserver kube-controller-manager kube-scheduler kube-proxy coredns/coredns pause etcd; do
        echo "example.org/$name:v1"
    done ;;
ctr) [ "$1" != oci ] || echo '{"process": {"rlimits": []}}' ;;
containerd)
    while [ $# -gt 0 ]; do [ "$1" != --root ] || root=$2; shift; done
    mkdir -p "$root/io.containerd.metadata.v1.bolt" "$root/tmpmounts"
    echo database > "$root/io.containerd.metadata.v1.bolt/meta.db"
    trap 'exit 0' TERM
    echo 'msg="containerd successfully booted in 0.1s"'
    sleep 600 & wait ;;
esac"#;

/// Stands in for debootstrap, which runs under it.
const UNSHARE: &str = r#"for word; do root=$last; last=$word; done
echo "I: Retrieving libc6 2.36-9"
case "$DEBIAN" in
full) echo "tar: write error: No space left on device" >&2; exit 1 ;;
fails) echo "E: Release signed by unknown key"; exit 1 ;;
hangs) echo $$ > "$FAKES/pid"; echo "I: Configuring libc6..."; exec sleep 600 ;;
esac
mkdir -p "$root/usr/bin" "$root/proc/1" "$root/etc"
echo shell > "$root/usr/bin/sh"
echo host > "$root/etc/hostname""#;

const APT: &str = "echo 'Debian|main|bookworm|http://mirror.example/debian/'";

/// A folder with the stand-ins and a cache.
struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().expect("there is a place for temporary folders") };
        for (name, script) in [
            ("bin/go", GO),
            ("bin/unshare", UNSHARE),
            ("bin/apt-get", APT),
            ("bin/apt-config", "true"),
            ("bin/debootstrap", "true"),
            ("program", PROGRAM),
        ] {
            write_script(&bench.path(name), script);
        }
        let files = bench.path("kind/images/base/files");
        for (name, text) in [
            ("usr/local/bin/entrypoint", "#!/bin/bash\n"),
            ("kind/bin/mount-product-files.sh", "#!/bin/bash\n"),
            ("etc/crictl.yaml", "runtime-endpoint: x\n"),
            (
                "etc/containerd/config.toml",
                "sandbox_image = \"example.org/pause:v2\"\nrestrict_oom_score_adj = false\n",
            ),
            ("etc/default/kubelet", "\n"),
            ("etc/sysctl.d/10-network.conf", "\n"),
            ("etc/systemd/system/kubelet.service", "[Unit]\n"),
            ("etc/systemd/system/kubelet.service.d/10-kubeadm.conf", "[Service]\n"),
        ] {
            let path = files.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str], debian: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jobsworth"));
        command.args(["cluster", "image"]).args(arguments).current_dir(self.folder.path()).env_clear();
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()));
        command.env("FAKES", self.folder.path()).env("DEBIAN", debian).env("JOBSWORTH_CACHE", self.path("cache"));
        command
    }

    fn run(&self, arguments: &[&str], debian: &str) -> Output {
        self.command(arguments, debian).output().expect("the program was built for this test")
    }

    /// Names of what lies beside the images.
    fn shelf(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("cache/node-images")).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Another process writes it: a test that forks while we had it open for writing would keep it open, and then it
/// could not be run.
fn write_script(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
    assert!(Command::new("sh").args(["-c", write]).arg(path).arg(script).status().unwrap().success());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program writes text")
}

/// Only root makes images; anybody else is told so, at once.
fn refused_unless_root(bench: &Bench) -> bool {
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        return false;
    }
    let output = bench.run(&["--no-load"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("run the command with sudo"));
    assert_eq!(bench.shelf(), [""; 0]);
    true
}

#[test]
fn an_image_is_made_once_listed_and_a_second_one_from_nothing_has_the_same_bytes() {
    let bench = Bench::new();
    if refused_unless_root(&bench) {
        return;
    }
    let output = bench.run(&["--no-load"], "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.starts_with("localhost/jobsworth/node:v1.37.1-") && told.ends_with("not loaded\n"), "{told}");
    for step in ["[1/5] programs", "[2/5] Debian", "[3/5] node files", "[4/5] component images", "[5/5] archive"] {
        assert!(text(&output.stderr).contains(step), "{}", text(&output.stderr));
    }
    let rows: Value = serde_json::from_slice(&bench.run(&["--list", "--json"], "").stdout).unwrap();
    assert_eq!((rows[0]["kubernetes"].as_str(), rows[0]["current"].as_bool()), (Some("1.37.1"), Some(true)));
    let archive = PathBuf::from(rows[0]["archive"].as_str().unwrap());
    let first = fs::read(&archive).unwrap();
    let again = bench.run(&["--no-load"], "fails");
    assert_eq!((again.status.code(), text(&again.stdout)), (Some(0), told), "it was made anew");
    fs::remove_dir_all(bench.path("cache")).unwrap();
    assert_eq!(bench.run(&["--no-load"], "").status.code(), Some(0));
    assert!(first == fs::read(&archive).unwrap(), "the second archive differs");
}

#[test]
fn the_archive_holds_what_was_made_and_nothing_of_the_machine() {
    let bench = Bench::new();
    if refused_unless_root(&bench) {
        return;
    }
    assert_eq!(bench.run(&["--no-load"], "").status.code(), Some(0));
    let rows: Value = serde_json::from_slice(&bench.run(&["--list", "--json"], "").stdout).unwrap();
    let script = "set -e; cd \"$0\"; tar -xf \"$1\"; for layer in */layer.tar; do tar -tzf \"$layer\"; done";
    let place = tempfile::tempdir().unwrap();
    let archive = rows[0]["archive"].as_str().unwrap();
    let output = Command::new("sh").args(["-c", script]).arg(place.path()).arg(archive).output().unwrap();
    let members = text(&output.stdout);
    let has = |path: &str| members.lines().any(|member| member == path);
    for path in [
        "usr/bin/sh",
        "usr/bin/kubelet",
        "usr/local/bin/containerd",
        "opt/cni/bin/ptp",
        "kind/version",
        "etc/containerd/cri-base.json",
        "etc/systemd/system/multi-user.target.wants/kubelet.service",
        "var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db",
    ] {
        assert!(has(path), "{path} is not in\n{members}");
    }
    for path in ["etc/hostname", "proc/1/", "var/lib/containerd/tmpmounts/"] {
        assert!(!has(path), "{path} is in\n{members}");
    }
}

#[rstest]
#[case::a_bad_signature("fails", "E: Release signed by unknown key")]
#[case::a_full_disk("full", "no space left on the device")]
fn a_bad_day_is_told_and_nothing_half_is_left(#[case] debian: &str, #[case] says: &str) {
    let bench = Bench::new();
    if refused_unless_root(&bench) {
        return;
    }
    let output = bench.run(&["--no-load"], debian);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    assert_eq!(bench.shelf(), ["build.lock"]);
    assert_eq!(bench.run(&["--no-load"], "").status.code(), Some(0), "the next one is not in the way of it");
}

#[rstest]
#[case::by_the_user("INT", 130)]
#[case::by_the_system("TERM", 143)]
fn a_stop_ends_what_was_started_and_leaves_nothing(#[case] signal: &str, #[case] code: i32) {
    let bench = Bench::new();
    if refused_unless_root(&bench) {
        return;
    }
    let mut command = bench.command(&["--no-load", "-v"], "hangs");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("configuring libc6")), "it ended before it began");
    let pid = fs::read_to_string(bench.path("pid")).unwrap();
    let kill = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(code));
    assert_eq!(bench.shelf(), ["build.lock"]);
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "debootstrap goes on");
}
