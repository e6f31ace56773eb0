//! The flags of `load`, and how they become a plan.

mod line_up;
mod part;
mod place;
mod rate;

use super::beside::is_for_a_record;
use crate::{
    case::Catalogue,
    cli::{Failure, small_file::read_at_most},
    cluster::ClusterSpec,
    load::{
        arm::LineUp,
        bench::{Aim, Plan},
        laps,
        lateness::LagLimits,
        noise::OnNoise,
        profile::{self, Profile},
        room::{Need, Room},
        tenants::Tenants,
        trial::Judging,
        workload::PodsBy,
    },
    plan::{PlanError, request},
    slo::objective,
};
use clap::Args;
use jiff::SignedDuration;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

pub(in crate::cli) use place::shown;

#[derive(Args)]
pub(in crate::cli) struct Arguments {
    /// Which load profiles, by name, id, group (`scale`) or file; `list load` has them. The usual ones without any.
    #[arg(value_name = "PROFILE")]
    profiles: Vec<String>,
    /// How many pairs of trials for each profile; two of them run A B B A or B A A B, as the seed says. Without it as many as the profile says, else 4.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pairs: Option<u32>,
    /// The controller that is compared with; builtin without it.
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// The controller that is compared; the same name twice shows how large the noise is. The reference without it.
    #[arg(long, value_name = "NAME")]
    head: Option<String>,
    /// The same, described by a file: a controller of yours that takes the whole place of the built-in one.
    #[arg(long, value_name = "FILE", conflicts_with = "head")]
    head_file: Option<PathBuf>,
    /// One controller alone, with nothing to compare it with: a name as for `run`, or 'program: ...'.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["pairs", "base", "head", "head_file"], help_heading = "One controller alone")]
    controller: Option<String>,
    /// The same, described by a file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pairs", "base", "head", "head_file", "controller"],
        help_heading = "One controller alone")]
    controller_file: Option<PathBuf>,
    /// The value of spec.managedBy that makes a Job its own: of a program in --controller, or, without one, of a controller that is
    /// installed in the cluster of --provider existing.
    #[arg(long, value_name = "DOMAIN/NAME", conflicts_with_all = ["pairs", "base", "head", "head_file", "controller_file"],
        help_heading = "One controller alone")]
    manager: Option<String>,
    /// How many trials of each profile; without it as many as the profile says, else 4.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100), conflicts_with = "pairs",
        help_heading = "One controller alone")]
    trials: Option<u32>,
    /// Find the largest rate at which Jobs of this profile may come while no backlog grows: `load churn --find-rate`.
    #[arg(long, conflicts_with_all = ["pairs", "trials"], help_heading = "The largest rate")]
    find_rate: bool,
    /// Let the work of a soak go on for so long and see what grows: `load soak --for 1h`; from 30s to 23h, which two controllers share.
    #[arg(long = "for", value_name = "TIME", value_parser = soak_time,
        conflicts_with_all = ["pairs", "trials", "find_rate"], help_heading = "A soak")]
    lasting: Option<Duration>,
    /// Bring so many tenants beside a second trial of each round: users of the API server, each waiting for its answers (closed loop).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100),
        conflicts_with_all = ["find_rate", "lasting"])]
    tenants: Option<u32>,
    #[command(flatten)]
    place: place::Place,
    /// Submit only a part of each profile's Jobs, each at its time in the whole: `slice:m/n`. The other slices are other loads on the same
    /// cluster of yours at the same time; `merge` joins their records.
    #[arg(long, value_name = "PART", help_heading = "Where")]
    partition: Option<String>,
    /// Requests per second that each controller may make, or `off` for as many as it likes; without it what the profile says, else 100.
    #[arg(long, value_name = "RATE", value_parser = rate::qps)]
    qps: Option<rate::Qps>,
    /// Requests that each may make at once after a quiet time; without it what the profile says, else 100.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2000))]
    burst: Option<u32>,
    /// How many Jobs the built-in controller works on at the same time; its own default without it, which is 5.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=500))]
    workers: Option<u32>,
    /// Size of the workloads in percent, for a first look; goals are about 100.
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100))]
    scale: u32,
    /// Seed of everything random: of each profile instead of its own, and of which controller begins, instead of one that is drawn and told.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Who plays pods: `direct`, a driver of ours with nothing else in the way, or `kwok` behind the scheduler, on 20 nodes.
    #[arg(long, value_enum, value_name = "WHO", default_value = "direct")]
    pods: PodsBy,
    /// How late the pod driver, the submitter and the observer may be (p99, in milliseconds) before a trial is void; without it the driver
    /// 50, the submitter 500 and the observer 100.
    #[arg(long, value_name = "MS")]
    lag_limit: Option<u32>,
    /// What becomes of a trial during which others used more than 10 % of the machine's processor time, or a hypervisor took more than 2 %:
    /// it is void, or that is told in the record only. On local processes.
    #[arg(long, value_enum, value_name = "WHAT", default_value = "void")]
    noise: OnNoise,
    /// Which histories are judged by all invariants while the load flows; `nothing` shows what that costs.
    #[arg(long, value_enum, value_name = "WHICH", default_value = "everything")]
    judge: Judging,
    /// Version of Kubernetes.
    #[arg(long, value_name = "V", env = "JOBSWORTH_KUBERNETES")]
    kubernetes: Option<String>,
    /// A folder with ready programs.
    #[arg(long, value_name = "DIR", env = "JOBSWORTH_BINARIES")]
    pub(super) binaries: Option<PathBuf>,
    /// File for the record: every trial, every ratio. It is written anew after each trial.
    #[arg(short, long, value_name = "FILE", default_value = "load.json")]
    pub(super) out: PathBuf,
}

impl Arguments {
    /// What the flags ask for.
    ///
    /// # Errors
    /// Everything that is wrong with them; nothing has been started.
    pub fn plan(&self, catalogue: &Catalogue) -> Result<Plan, Failure> {
        is_for_a_record(&self.out)?;
        let owner = self.owner()?;
        let version = request::kubernetes(self.kubernetes.as_deref())?;
        let profiles = self.profiles(catalogue)?;
        let rate = self.rate(&profiles)?;
        let line_up = self.line_up(owner)?;
        if self.trials.is_some() && matches!(line_up, LineUp::Compared { .. }) {
            let help = "name it with --controller or --controller-file, or say --pairs";
            return Err(Failure::misuse_with("failed to plan the load: --trials is for one controller alone", help));
        }
        let aim = self.aim(&profiles, line_up.arms().len())?;
        self.suits_its_workers(owner, &line_up)?;
        rate::can_be_searched_for(rate, aim)?;
        owner.map_or(Ok(()), |owner| self.suits(owner, aim))?;
        self.can_be_played(&profiles)?;
        let cluster = ClusterSpec { workers: self.workers, ..ClusterSpec::of(version) };
        let spec = self.pods.prepare(line_up.prepare(Plan::spec(cluster, rate)));
        let seeded = profiles.into_iter().map(|mut profile| {
            profile.workload.seed = self.seed.unwrap_or(profile.workload.seed);
            profile.workload.pods_by = self.pods;
            if self.scale != 100 {
                profile.workload = profile.workload.scaled(self.scale);
                profile.rate_search = profile.rate_search.map(|search| search.scaled(self.scale));
            }
            profile
        });
        let mut profiles: Vec<Profile> = seeded.collect();
        if let Some(partition) = self.part(owner, &profiles)? {
            profiles.iter_mut().for_each(|profile| profile.workload = profile.workload.clone().slice(partition));
        }
        let tenants = self.tenants(&profiles)?;
        Ok(Plan {
            profiles,
            line_up,
            rounds: self.pairs.or(self.trials),
            // Short enough to be typed again.
            seed: self.seed.unwrap_or_else(|| rand::random::<u32>().into()),
            spec,
            objectives: objective::parse(catalogue.objectives, "slos").map_err(PlanError::from)?,
            lag_limits: self.lag_limit.map_or_else(LagLimits::default, LagLimits::of_all),
            on_noise: self.noise,
            scale_percent: self.scale,
            judging: self.judge,
            aim,
            installed: None,
            tenants,
            slice: None,
        })
    }

    /// Refuses pods that must be told when to end, where nobody tells them.
    fn can_be_played(&self, profiles: &[Profile]) -> Result<(), Failure> {
        for Profile { workload, .. } in profiles {
            if let Some(why) = self.pods.refusal(workload) {
                let says =
                    format!("failed to plan {}: --pods {} cannot play its pods: {why}", workload.name, self.pods);
                let help = "leave --pods out, or name profiles whose pods end by themselves, for example indexed-500";
                return Err(Failure::misuse_with(says, help));
            }
        }
        Ok(())
    }

    /// Who comes beside trials.
    fn tenants(&self, profiles: &[Profile]) -> Result<Option<Tenants>, Failure> {
        let Some(users) = self.tenants else { return Ok(None) };
        if self.pods != PodsBy::Direct {
            let says = format!(
                "failed to plan the load: --pods {} would play the tenants' pods beside their own driver",
                self.pods
            );
            return Err(Failure::misuse_with(says, "take --tenants without --pods"));
        }
        for Profile { workload, .. } in profiles {
            let name = &workload.name;
            if !Tenants::may_be_beside(workload) {
                let says = format!(
                    "failed to plan the load: {name} waits for a silent controller or for deadlines, and tenants keep it busy"
                );
                return Err(Failure::misuse_with(says, "take --tenants with profiles of the scenario `work`"));
            }
            if Tenants::must_go_before(workload) {
                let says = format!(
                    "failed to plan the load: {name} may take longer than an hour, and no tenant stays for so long"
                );
                return Err(Failure::misuse_with(says, "lower its `limit`, or let its Jobs come sooner"));
            }
        }
        Ok(Some(Tenants::of(users, &self.out)))
    }

    /// What trials of so many controllers are done for.
    fn aim(&self, profiles: &[Profile], controllers: usize) -> Result<Aim, Failure> {
        if let Some(asked) = self.lasting {
            let limit = profiles.iter().map(|profile| profile.workload.limit).max().unwrap_or_default();
            laps::within_its_cluster(asked, controllers, limit).map_err(|trouble| {
                Failure::misuse_with(format!("failed to plan the load: {trouble}"), "soak one alone with --controller")
            })?;
            return match profiles {
                [Profile { memory_growth: Some(_), .. }] => Ok(Aim::Soak(asked)),
                _ => {
                    let says = "failed to plan the load: --for takes one profile that is a soak";
                    Err(Failure::misuse_with(says, "say `load soak --for 1h`, or give your profile `soak`"))
                }
            };
        }
        if !self.find_rate {
            return Ok(Aim::Trials);
        }
        match profiles {
            [Profile { rate_search: Some(_), .. }] => Ok(Aim::LargestRate),
            _ => {
                let says = "failed to plan the load: --find-rate takes one profile that says how to search";
                Err(Failure::misuse_with(says, "say `load churn --find-rate`, or give your profile `find-rate`"))
            }
        }
    }

    fn profiles(&self, catalogue: &Catalogue) -> Result<Vec<Profile>, Failure> {
        let all = all(catalogue)?;
        if self.profiles.is_empty() {
            return Ok(all.into_iter().filter(|profile| profile.usual).collect());
        }
        let (files, names): (Vec<&String>, Vec<&String>) = self.profiles.iter().partition(|name| is_file(name));
        if let Some(name) = names.iter().find(|name| !all.iter().any(|profile| profile.is_called(name))) {
            let known = all
                .iter()
                .flat_map(|profile| [Some(&profile.workload.name), profile.id.as_ref(), profile.group.as_ref()]);
            let known = known.flatten();
            return Err(PlanError::unknown("load profile", name, known.map(String::as_str)).into());
        }
        let mut chosen: Vec<Profile> =
            all.into_iter().filter(|profile| names.iter().any(|name| profile.is_called(name))).collect();
        for file in files {
            let text = read_at_most(Path::new(file), "load profile")?;
            let read = profile::parse(&text, file).map_err(PlanError::from)?;
            if let Some(other) = chosen.iter().find(|other| other.is_called(&read.workload.name)) {
                let says = format!("failed to plan the load: there are two profiles `{}`", other.workload.name);
                return Err(Failure::misuse_with(
                    says,
                    format!("change the `name` in {file}, or leave one of them out"),
                ));
            }
            chosen.push(read);
        }
        Ok(chosen)
    }
}

/// Whether a profile that is named like this is a file.
pub(in crate::cli) fn is_file(name: &str) -> bool {
    name.contains('/') || name.ends_with(".yaml") || name.ends_with(".yml")
}

/// How long a soak lasts, for example `90m` or `12h`.
fn soak_time(text: &str) -> Result<Duration, String> {
    let time = text.parse::<SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok());
    let [shortest, longest] = laps::LASTS;
    time.filter(|time| (shortest..=longest).contains(time))
        .ok_or_else(|| "write a time from 30s to 23h, for example `30s`, `90m` or `12h`".to_owned())
}

/// All profiles that come with the program.
///
/// # Errors
/// When one has mistakes.
pub(in crate::cli) fn all(catalogue: &Catalogue) -> Result<Vec<Profile>, PlanError> {
    catalogue.loads.iter().map(|(name, text)| profile::parse(text, name).map_err(PlanError::from)).collect()
}

/// Refuses what this machine cannot hold, unless others hold it; `folder` is where clusters are.
///
/// # Errors
/// With the profile, what is missing, and what would fit.
pub(super) fn must_fit(plan: &Plan, folder: &Path) -> Result<(), Failure> {
    if plan.is_on_the_users() {
        // What it can hold is not ours to guess, and how many pods there may be is said with --max-pods.
        return Ok(());
    }
    let room = Room::of_machine(folder);
    for profile in &plan.profiles {
        let missing = match plan.aim {
            Aim::Soak(asked) => laps::missing_in(&room, &profile.workload, asked),
            Aim::Trials | Aim::LargestRate => None,
        };
        let alone = Need::of(&profile.workload);
        let need = plan.tenants.as_ref().map_or(alone, |tenants| alone.beside_tenants(tenants.users()));
        if let Some(missing) = need.missing_in(&room).or(missing) {
            let name = &profile.workload.name;
            let says = format!("failed to plan {name}: its `mix` is more than this machine can hold: {missing}");
            return Err(Failure::misuse_with(
                says,
                "take a part of it with --scale, fewer Jobs, pods or tenants, or a larger machine",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::the_shortest("30s", Some(30))]
    #[case::minutes("90m", Some(5_400))]
    #[case::hours_and_minutes("1h30m", Some(5_400))]
    #[case::the_longest("23h", Some(82_800))]
    #[case::too_short("29s", None)]
    #[case::too_long("24h", None)]
    #[case::below_zero("-1h", None)]
    #[case::more_than_there_are("99999999999999999999h", None)]
    #[case::no_time("soon", None)]
    fn a_soak_lasts_from_half_a_minute_to_most_of_a_day(#[case] text: &str, #[case] seconds: Option<u64>) {
        assert_eq!(soak_time(text).ok(), seconds.map(Duration::from_secs));
    }
}
