//! A controller under a load of two wide Jobs, judged while it flows.

use std::future;

use jobsworth_harness::binaries::DEFAULT_VERSION;
use jobsworth_harness::cluster::{ClusterSpec, Rate, SubjectKind};
use jobsworth_harness::load::arm::{Arm, LineUp};
use jobsworth_harness::load::bench::{Aim, Plan};
use jobsworth_harness::load::judge::Broken;
use jobsworth_harness::load::lateness::LagLimits;
use jobsworth_harness::load::means::Bringer;
use jobsworth_harness::load::noise::OnNoise;
use jobsworth_harness::load::profile;
use jobsworth_harness::load::trial::Judging;

use super::provider;

/// More pods than any case has, all of which succeed at once.
const CROWD: &str = "\
schema: jobsworth/load-profile/v1
name: crowd
says: an Indexed Job of 420 pods, then a NonIndexed one of 520
mix:
- {name: indexed, jobs: 1, completions: 420}
- {name: counted, jobs: 1, completions: 520, mode: NonIndexed, per-second: 1, begin: 12s}
limit: 2m
";

/// What this controller breaks.
pub async fn broken_by(kind: SubjectKind) -> Vec<Broken> {
    let line_up = LineUp::Alone(Arm { name: "crowd".to_owned(), kind });
    let spec = line_up.prepare(Plan::spec(ClusterSpec::of(DEFAULT_VERSION), Rate::default()));
    let plan = Plan {
        profiles: vec![profile::parse(CROWD, "crowd").expect("it is a profile")],
        line_up,
        rounds: Some(1),
        seed: 1,
        spec,
        // What is broken is broken however late the pod driver is, and however busy the machine.
        lag_limits: LagLimits::of_all(60_000),
        on_noise: OnNoise::Tell,
        objectives: Vec::new(),
        scale_percent: 100,
        judging: Judging::Everything,
        aim: Aim::Trials,
        installed: None,
        tenants: None,
        slice: None,
    };
    let mut record = plan.record();
    let done = plan.carry_out(Bringer::Local(&provider()), &mut record, &|_| (), &|_| (), future::pending()).await;
    done.expect("there is a control plane");
    assert_eq!(record.stopped, None);
    let judged: Vec<_> = record.trials.iter().filter_map(|trial| trial.judged.as_ref()).collect();
    assert!(judged.iter().any(|judged| judged.jobs >= 2), "{judged:?}");
    judged.iter().flat_map(|judged| &judged.broken).cloned().collect()
}
