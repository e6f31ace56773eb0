//! `shard write --load`: a load in slices.

use super::{Cut, Place, nowhere, shown, unnamed};
use crate::{
    case::Catalogue,
    cli::{
        Command, Failure, Program, Stdout,
        diagnose::whole,
        existing::{Way, may_begin},
        load::{self, is_file},
        selection::{Selection, SlicedLoad},
        small_file::read_at_most,
    },
    cluster::{namespace::policy, provider::Standing, subject_kind::JobApi},
    load::{bench::Plan, trial::Judging},
    shard::{inside::PLAN_FOLDER, manifests::Work, slice},
};
use clap::{Args, Parser as _, ValueEnum as _};
use std::{collections::BTreeMap, path::Path};

/// What is loaded, and how much of it.
#[derive(Args)]
pub(super) struct Sizes {
    /// Cut a load into slices, and not a run: these load profiles, by name, id, group or file.
    #[arg(long, value_name = "PROFILE[,PROFILE]", value_delimiter = ',', help_heading = "Load")]
    load: Vec<String>,
    /// How many trials of each profile; without it as many as the profile says, else 4.
    #[arg(long, value_name = "N", requires = "load", help_heading = "Load")]
    trials: Option<u32>,
    /// Size of the workloads in percent.
    #[arg(long, value_name = "PERCENT", requires = "load", help_heading = "Load")]
    scale: Option<u32>,
    /// How late the submitter may be (p99, in milliseconds) before a trial is void.
    #[arg(long, value_name = "MS", requires = "load", help_heading = "Load")]
    lag_limit: Option<u32>,
    /// Which histories are judged by all invariants while the load flows.
    #[arg(long, value_enum, value_name = "WHICH", requires = "load", help_heading = "Load")]
    judge: Option<Judging>,
    /// How many pods of a profile there may be at the same time, those of all slices together; 500 without it.
    #[arg(long, value_name = "N", requires = "load", help_heading = "Load")]
    max_pods: Option<u32>,
}

impl Sizes {
    /// Whether slices are of a load.
    pub(super) fn is_asked_for(&self) -> bool {
        !self.load.is_empty()
    }

    /// The load, cut into slices: `load` is asked what it would make of the first of them, and refuses what it would refuse.
    ///
    /// # Errors
    /// When it does, or the cluster is not the one that is meant.
    pub(super) fn cut(
        &self,
        place: &Place,
        selection: Selection,
        catalogue: &Catalogue,
        stdout: &mut Stdout,
    ) -> Result<(Cut, Standing), Failure> {
        let SlicedLoad { way, arguments } = selection.sliced_load(&place.name)?;
        let flags: Vec<String> = self.flags().into_iter().chain(arguments).collect();
        let first = slice(1, place.slices)?;
        let (plan, standing) = planned(&words(&first.to_string(), &way, &flags, &self.load), catalogue)?;
        // The user is asked about what all slices do, and not the first alone.
        let plan = whole_of(plan);
        let together = format!("slices    {} share it, each with a namespace of its own\n", place.slices);
        may_begin(&standing, || stdout.write(&(load::shown(&standing, &plan) + &together)))?;
        // Consent is given by the uid, and nobody is asked without a context.
        let (context, uid) = way.named().ok_or_else(unnamed)?;
        let (names, files) = self.elsewhere()?;
        let cut = Cut {
            context: context.to_owned(),
            uid: uid.to_owned(),
            kubeconfig: shown(way.kubeconfig()),
            word: policy::label(way.sharing().unwrap_or(&place.name)),
            api: JobApi::Batch,
            work: Work::Load,
            files,
            arguments: flags.into_iter().chain(names).collect(),
            found: found(&plan),
        };
        Ok((cut, standing))
    }

    fn flags(&self) -> Vec<String> {
        let judge = self.judge.and_then(|judge| judge.to_possible_value());
        let named = [
            ("--trials", self.trials.map(|number| number.to_string())),
            ("--scale", self.scale.map(|number| number.to_string())),
            ("--lag-limit", self.lag_limit.map(|number| number.to_string())),
            ("--judge", judge.map(|value| value.get_name().to_owned())),
            ("--max-pods", self.max_pods.map(|number| number.to_string())),
        ];
        named.into_iter().filter_map(|(flag, value)| Some(format!("{flag}={}", value?))).collect()
    }

    /// The profiles as pods name them, and the texts of those that are files, by the names that these have there.
    fn elsewhere(&self) -> Result<(Vec<String>, BTreeMap<String, String>), Failure> {
        let mut files = BTreeMap::new();
        let mut names = Vec::new();
        for name in &self.load {
            if is_file(name) {
                let file = format!("profile-{}.yaml", files.len() + 1);
                names.push(format!("{PLAN_FOLDER}/{file}"));
                files.insert(file, read_at_most(Path::new(name), "load profile")?);
            } else {
                names.push(name.clone());
            }
        }
        Ok((names, files))
    }
}

/// The command line of a slice, as it would be here.
fn words(slice: &str, way: &Way, flags: &[String], profiles: &[String]) -> Vec<String> {
    let own = ["jobsworth", "load", "--provider", "existing", "--partition", slice].map(str::to_owned);
    own.into_iter().chain(way.flags_there()).chain(flags.iter().cloned()).chain(profiles.iter().cloned()).collect()
}

/// What `load` would do with this command line, on the cluster that is there.
fn planned(words: &[String], catalogue: &Catalogue) -> Result<(Plan, Standing), Failure> {
    let program = Program::try_parse_from(words).map_err(|error| Failure::misuse(whole(&error)))?;
    let Command::Load(arguments) = program.command else {
        return Err(Failure::misuse("failed to cut the load: its words are those of another command"));
    };
    let mut plan = arguments.plan(catalogue)?;
    let ready = arguments.look(&mut plan)?;
    let standing = ready.and_then(|ready| ready.standing).ok_or_else(nowhere)?;
    Ok((plan, standing))
}

/// The load of which a plan is a slice.
fn whole_of(mut plan: Plan) -> Plan {
    plan.profiles.iter_mut().for_each(|profile| profile.workload = profile.workload.whole());
    Plan { slice: None, ..plan }
}

fn found(plan: &Plan) -> String {
    let jobs: usize = plan.profiles.iter().map(|profile| profile.workload.jobs()).sum();
    let names: Vec<&str> = plan.profiles.iter().map(|profile| profile.workload.name.as_str()).collect();
    format!("a load of {jobs} Jobs ({})", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(load: &[&str]) -> Sizes {
        Sizes {
            load: load.iter().map(|name| (*name).to_owned()).collect(),
            trials: Some(1),
            scale: None,
            lag_limit: None,
            judge: Some(Judging::Nothing),
            max_pods: Some(60),
        }
    }

    #[test]
    fn sizes_are_told_as_load_takes_them() {
        let flags = sizes(&["smoke"]).flags();
        assert_eq!(flags, ["--trials=1", "--judge=nothing", "--max-pods=60"]);
        let words = words("slice:1/3", &Way::default(), &flags, &["smoke".to_owned()]);
        let told =
            "jobsworth load --provider existing --partition slice:1/3 --trials=1 --judge=nothing --max-pods=60 smoke";
        assert_eq!(words.join(" "), told);
        assert!(matches!(Program::try_parse_from(&words).map(|program| program.command), Ok(Command::Load(_))));
    }

    #[test]
    fn profiles_that_are_files_go_along_and_others_are_known_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.yaml");
        std::fs::write(&file, "the profile").unwrap();
        let asked = sizes(&["W1", file.to_str().unwrap()]);
        let (names, files) = asked.elsewhere().unwrap_or_else(|_| panic!("refused"));
        assert_eq!(names, ["W1", "/run/jobsworth-plan/profile-1.yaml"]);
        assert_eq!(files, [("profile-1.yaml".to_owned(), "the profile".to_owned())].into());
        assert!(sizes(&["missing.yaml"]).elsewhere().is_err());
    }
}
