//! Tenants beside a trial: a program of its own that uses the API server as its users do, with a namespace, an identity and a pod
//! driver of its own.
//!
//! The controller under test takes care of their Jobs too, so they are part of its bill. They are in no figure that the observer of
//! the trial sees: their namespace is another one.

mod rights;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval};

use super::Trouble;
use super::driver::Driver;
use super::observer::Observer;
use super::pace;
use super::tenant_figures::{FILE, TenantFigures, name_beside};
use super::workload::{Pods, Scenario, Success, Workload};
use crate::cluster::layout::write_private;
use crate::cluster::{Cluster, Component, namespace};
use crate::launcher::{self, Launcher};
use crate::subject;

/// How the pods of tenants behave.
const PODS: Pods = Pods::Succeed(Success { run_time: Duration::from_millis(500), per_second: None, below_index: None });
/// How long it may take until the first of them has made a Job.
const COME: Duration = Duration::from_secs(30);
/// How long it may take until they are gone: their last requests, their Jobs, and the reports.
const LEAVE: Duration = Duration::from_secs(90);
/// How much longer than the work they may stay, unless they are told to go before: Jobs without a pace take their time to come, too.
const LONGER: Duration = Duration::from_secs(120);
/// The longest that their program takes.
const LONGEST: Duration = Duration::from_secs(3600);
/// More requests a second than a tenant can make, who thinks after each few: they do not end before the work for that.
const REQUESTS_PER_SECOND: u64 = 50;
/// As many requests as their program takes for a number.
const MOST_REQUESTS: u64 = 10_000_000;
/// How often they are looked at.
const LOOK: Duration = Duration::from_millis(50);
/// What the program says, in the folder of its reports.
const OUTPUT: &str = "output.log";
/// Everything that there is in a folder of its reports.
const REPORTS: [&str; 4] = [FILE, "goose.html", "goose.json", OUTPUT];

/// Who comes beside trials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenants {
    users: u32,
    program: PathBuf,
    reports: PathBuf,
}

/// A trial to come beside.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// The name of its workload.
    pub workload: &'a str,
    /// The number of the trial, which no other of the cluster has.
    pub number: u32,
    /// The namespaces of the trial, which dashboards look at.
    pub looked_at: &'a [String],
    /// To whom Jobs are given, if not to the built-in controller or the one in its place.
    pub manager: Option<&'a str>,
    /// How long the work may take, from its beginning.
    pub longest: Duration,
}

impl Tenants {
    /// So many, whose program lies beside ours; its reports go beside this record.
    #[must_use]
    pub fn of(users: u32, record: &Path) -> Self {
        let stem = record.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let reports = record.with_file_name(format!("{stem}-tenants"));
        Self { users, program: subject::tenants_program(), reports }
    }

    /// How many there are.
    #[must_use]
    pub fn users(&self) -> u32 {
        self.users
    }

    /// Their program.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Removes the reports of an earlier run: every folder in which there is what their program says, and nothing but its reports.
    ///
    /// # Errors
    /// When one of them cannot be removed.
    pub fn forget_earlier(&self) -> Result<(), Trouble> {
        let failed = |error: std::io::Error| {
            Trouble::of(&format!("remove reports of earlier tenants in {}", self.reports.display()), &error)
        };
        if !self.reports.is_dir() {
            return Ok(());
        }
        for entry in fs::read_dir(&self.reports).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let is_folder = entry.file_type().map_err(failed)?.is_dir();
            if is_folder && has_only_reports(&entry.path()).map_err(failed)? {
                fs::remove_dir_all(entry.path()).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Whether they may come beside this work. Where the controller must be silent in the middle of it, they keep it busy; where Jobs
    /// expire, they would come while deadlines run already.
    #[must_use]
    pub fn may_be_beside(workload: &Workload) -> bool {
        workload.scenario == Scenario::Work
    }

    /// Whether they would have to go before this work has ended.
    #[must_use]
    pub fn must_go_before(workload: &Workload) -> bool {
        pace::longest(workload).saturating_add(LONGER) > LONGEST
    }

    /// The same work under the name that it has beside tenants.
    #[must_use]
    pub fn workload(of: &Workload) -> Workload {
        Workload { name: name_beside(&of.name), ..of.clone() }
    }

    /// Lets them come; returns when they have begun. Where they do not, their namespace goes again.
    ///
    /// # Errors
    /// When they cannot, or have not begun in time.
    pub async fn come(&self, cluster: &dyn Cluster, visit: Visit<'_>) -> Result<Beside, Trouble> {
        let client = client(cluster, "jobsworth-load")?;
        let name = format!("load-tenants-{}", visit.number);
        let made = namespace::create(&client, &name, None).await;
        let uid = match made {
            Ok(uid) => uid,
            Err(error) => {
                // It may be there all the same, without what belongs in it.
                let _ = namespace::clear(&client, &name).await;
                return Err(Trouble::of("make the namespace of the tenants", &error));
            }
        };
        let settled = self.settle(cluster, visit, &client, &name, &uid).await;
        if settled.is_err() {
            namespace::sweep(&client, &name, &uid).await;
        }
        settled
    }

    /// Gives them an identity and a pod driver in this namespace, and starts their program.
    async fn settle(
        &self,
        cluster: &dyn Cluster,
        visit: Visit<'_>,
        client: &kube::Client,
        name: &str,
        uid: &str,
    ) -> Result<Beside, Trouble> {
        let token = rights::grant(client, name, visit.looked_at).await?;
        let token_file = cluster.site().setting(&format!("{name}.token"));
        write_private(&token_file, token.as_bytes()).map_err(|error| Trouble::of("keep the token", &error))?;
        let (reports, pods) = mpsc::unbounded_channel();
        let watching = self::client(cluster, "jobsworth-tenants-observer")?;
        let observer = Observer::start(&watching, &[name.to_owned()], reports, None).await?;
        let driver = Driver::start(self::client(cluster, "jobsworth-tenants-pod-driver")?, PODS, pods);
        let folder = self.reports.join(format!("{}-{}", visit.number, visit.workload));
        let child = self.spawn(cluster, &visit, name, &token_file, &folder)?;
        let (client, namespace, uid) = (client.clone(), name.to_owned(), uid.to_owned());
        let mut beside = Beside { child, folder, client, namespace, uid, observer, driver };
        beside.begun().await?;
        Ok(beside)
    }

    fn spawn(
        &self,
        cluster: &dyn Cluster,
        visit: &Visit<'_>,
        namespace: &str,
        token_file: &Path,
        folder: &Path,
    ) -> Result<Child, Trouble> {
        let failed = |error: std::io::Error| Trouble::of("start the tenants", &error);
        fs::create_dir_all(folder).map_err(failed)?;
        let output = File::create(folder.join(OUTPUT)).map_err(failed)?;
        let errors = output.try_clone().map_err(failed)?;
        let authority = cluster.site().authority_certificate();
        let mut command = Launcher::default().command(&self.program);
        command
            .arg(format!("--server={}", cluster.site().url(Component::ApiServer)))
            .arg(format!("--ca={}", authority.display()))
            .arg(format!("--token-file={}", token_file.display()))
            .arg(format!("--report={}", folder.display()))
            .args(self.flags(visit, namespace))
            .env_clear()
            // Whatever else of it makes a client trusts nobody else either, and needs no authorities of the machine.
            .env("SSL_CERT_FILE", &authority)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors);
        launcher::spawn(command).map_err(failed)
    }

    /// What their program is told of the trial.
    fn flags(&self, visit: &Visit<'_>, namespace: &str) -> Vec<String> {
        let stay = visit.longest.saturating_add(LONGER).min(LONGEST);
        let requests = u64::from(self.users) * stay.as_secs() * REQUESTS_PER_SECOND;
        let mut flags = vec![
            format!("--namespace={namespace}"),
            format!("--users={}", self.users),
            format!("--run-time={}s", stay.as_secs()),
            format!("--requests={}", requests.clamp(1, MOST_REQUESTS)),
            format!("--seed={}", visit.number),
        ];
        flags.extend(visit.looked_at.iter().map(|other| format!("--look-at={other}")));
        flags.extend(visit.manager.map(|manager| format!("--managed-by={manager}")));
        flags
    }
}

/// Tenants who are there.
pub struct Beside {
    child: Child,
    folder: PathBuf,
    client: kube::Client,
    namespace: String,
    uid: String,
    observer: Observer,
    driver: Driver,
}

impl Beside {
    /// Where their Jobs are.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Tells them to go, and has their namespace deleted without waiting for its end; what they got.
    ///
    /// # Errors
    /// When they had gone before, do not go, or leave something behind.
    pub async fn leave(&mut self) -> Result<TenantFigures, Trouble> {
        let told = self.told().await;
        // Those who did not go are in the way of their namespace.
        self.end();
        namespace::sweep(&self.client, &self.namespace, &self.uid).await;
        let figures = told?;
        match self.driver.trouble().or_else(|| self.observer.seen().broken) {
            Some(trouble) => Err(Trouble::new(format!("of the tenants' pods: {trouble}"))),
            None => Ok(figures),
        }
    }

    /// Waits for the first Job of a tenant.
    async fn begun(&mut self) -> Result<(), Trouble> {
        let mut look = interval(LOOK);
        let begun = Instant::now();
        while self.observer.seen().jobs.is_empty() {
            look.tick().await;
            if let Some(status) = self.ended()? {
                return Err(self.unasked(status));
            }
            if begun.elapsed() > COME {
                return Err(Trouble::new(format!("no tenant made a Job within {} s", COME.as_secs())));
            }
        }
        Ok(())
    }

    /// Tells them to go, and reads what they got.
    async fn told(&mut self) -> Result<TenantFigures, Trouble> {
        if let Some(status) = self.ended()? {
            return Err(self.unasked(status));
        }
        let pid = Pid::from_raw(self.child.id().cast_signed());
        // It was not waited for since the look above, so the number is still its own.
        kill(pid, Signal::SIGINT).map_err(|error| Trouble::of("tell the tenants to go", &error))?;
        let status = self.gone().await?;
        if !status.success() {
            return Err(Trouble::new(format!("the tenants ended with {status}: {}", self.last_words())));
        }
        let failed = |error: std::io::Error| Trouble::of("read the report of the tenants", &error);
        let text = fs::read_to_string(self.folder.join(FILE)).map_err(failed)?;
        TenantFigures::read(&text, &self.folder.display().to_string())
    }

    async fn gone(&mut self) -> Result<ExitStatus, Trouble> {
        let mut look = interval(LOOK);
        let begun = Instant::now();
        loop {
            look.tick().await;
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            if begun.elapsed() > LEAVE {
                return Err(Trouble::new(format!("the tenants are still there after {} s", LEAVE.as_secs())));
            }
        }
    }

    fn ended(&mut self) -> Result<Option<ExitStatus>, Trouble> {
        self.child.try_wait().map_err(|error| Trouble::of("look after the tenants", &error))
    }

    fn unasked(&self, status: ExitStatus) -> Trouble {
        Trouble::new(format!("the tenants ended before the work, with {status}: {}", self.last_words()))
    }

    fn end(&mut self) {
        // What has ended can neither be killed nor be waited for again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn last_words(&self) -> String {
        let said = fs::read_to_string(self.folder.join(OUTPUT)).unwrap_or_default();
        said.trim_end().lines().next_back().unwrap_or("they said nothing").to_owned()
    }
}

impl Drop for Beside {
    /// Nobody stays behind a trial that was given up.
    fn drop(&mut self) {
        self.end();
    }
}

/// Whether a folder is one that a trial beside tenants has left.
fn has_only_reports(folder: &Path) -> std::io::Result<bool> {
    let names = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name()));
    let names = names.collect::<std::io::Result<Vec<_>>>()?;
    let has_output = names.iter().any(|name| *name == *OUTPUT);
    Ok(has_output && names.iter().all(|name| REPORTS.iter().any(|report| *name == **report)))
}

fn client(cluster: &dyn Cluster, agent: &str) -> Result<kube::Client, Trouble> {
    cluster.measured_client(agent).map_err(|error| Trouble::of("make a client", &error))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::load::sample;

    fn tenants() -> Tenants {
        Tenants::of(3, Path::new("/records/mine.json"))
    }

    #[test]
    fn their_reports_are_beside_the_record_and_their_program_beside_ours() {
        let tenants = tenants();
        assert_eq!(tenants.reports, Path::new("/records/mine-tenants"));
        assert!(tenants.program().ends_with("jobsworth-tenants"));
    }

    #[test]
    fn only_reports_of_an_earlier_run_are_removed() {
        let folder = tempfile::tempdir().expect("there is a place for temporary folders");
        let tenants = Tenants::of(3, &folder.path().join("mine.json"));
        tenants.forget_earlier().expect("nothing is there yet");
        let place = |name: &str| tenants.reports.join(name);
        let earlier: [(&str, &[&str]); 3] =
            [("1-x-tenants", &["output.log", FILE]), ("2-y", &["output.log", "notes"]), ("3-z", &[FILE])];
        for (name, files) in earlier {
            fs::create_dir_all(place(name)).expect("it can be made");
            for file in files {
                fs::write(place(name).join(file), "text").expect("it can be written");
            }
        }
        fs::write(place("output.log"), "text").expect("it can be written");
        tenants.forget_earlier().expect("it can be removed");
        let is_there = ["1-x-tenants", "2-y", "3-z", "output.log"].map(|name| place(name).exists());
        assert_eq!(is_there, [false, true, true, true]);
    }

    #[rstest]
    #[case::as_long_as_the_work_and_some(300, ["--run-time=420s", "--requests=63000"])]
    #[case::an_hour_at_most(7200, ["--run-time=3600s", "--requests=540000"])]
    fn the_program_is_told_where_to_work_and_for_how_long(#[case] longest: u64, #[case] most: [&str; 2]) {
        let looked_at = ["load-x-0".to_owned(), "load-x-1".to_owned()];
        let longest = Duration::from_secs(longest);
        let visit =
            Visit { workload: "x-tenants", number: 7, looked_at: &looked_at, manager: Some("example.com/it"), longest };
        let [stay, requests] = most;
        let place = ["--namespace=load-tenants-7", "--users=3", stay, requests, "--seed=7"];
        let others = ["--look-at=load-x-0", "--look-at=load-x-1", "--managed-by=example.com/it"];
        let flags = tenants().flags(&visit, "load-tenants-7");
        assert_eq!(flags[..5], place.map(str::to_owned));
        assert_eq!(flags[5..], others.map(str::to_owned));
    }

    #[rstest]
    #[case::work("indexed-500", true)]
    #[case::expiry("ttl-1000", false)]
    #[case::silence_before_the_leader_succeeds("policy-499", false)]
    fn they_come_only_where_nobody_waits_for_silence_or_for_a_deadline(#[case] name: &str, #[case] may: bool) {
        assert_eq!(Tenants::may_be_beside(&sample::workload(name)), may);
    }

    #[rstest]
    #[case::minutes(300, false)]
    #[case::as_long_as_they_may_stay(3480, false)]
    #[case::longer(3481, true)]
    fn they_stay_for_an_hour_at_most(#[case] limit: u64, #[case] too_long: bool) {
        let workload = Workload { limit: Duration::from_secs(limit), ..sample::workload("indexed-500") };
        assert_eq!(Tenants::must_go_before(&workload), too_long);
    }

    #[test]
    fn work_beside_tenants_has_a_name_of_its_own() {
        let plain = sample::workload("indexed-500");
        let beside = Tenants::workload(&plain);
        assert_eq!(beside.name, "indexed-500-tenants");
        assert_eq!(Workload { name: plain.name.clone(), ..beside }, plain);
    }
}
