//! A run for the tests of writers: every verdict once, and a nasty text wherever a cluster could put one.

use super::{
    Breach, BreakdownRecord, CaseRecord, Cause, CellRecord, DeviationRecord, ExitRecord, Failure, Host, Lost,
    PlanRecord, Program, RUN, Run, Source, State, Tally, Verdict, Wanted, What,
};
use crate::{report::escape::NASTY, run::Flaky};
use std::collections::BTreeMap;

pub(crate) fn case(name: &str, verdict: Verdict) -> CaseRecord {
    CaseRecord {
        cell: "1.37.1-builtin".to_owned(),
        case: format!("success-policy/{name}"),
        attempt: u32::from(verdict != Verdict::Skip),
        verdict,
        claim: "the first rule that matches wins".to_owned(),
        source: "KEP-3998".to_owned(),
        requirements: vec!["SUC-002".to_owned()],
        because: None,
        namespace: None,
        started: None,
        took_ms: Some(1_204),
        timeline: Some(format!("cells/1.37.1-builtin/success-policy-{name}-1.timeline.ndjson")),
        failures: Vec::new(),
        doubts: Vec::new(),
        deviation: None,
        held: 7,
        again: format!("jobsworth run success-policy/{name} --kubernetes 1.37.1 --seed 7"),
    }
}

fn skipped(because: &str) -> CaseRecord {
    let case = case("gate-off", Verdict::Skip);
    CaseRecord { because: Some(because.to_owned()), took_ms: None, timeline: None, ..case }
}

/// A run that passed, but skipped a case for each of these reasons.
pub(crate) fn skipping(reasons: &[&str]) -> Run {
    let outcome = Tally { passed: 1, skipped: u32::try_from(reasons.len()).unwrap(), ..Tally::default() };
    let cases = reasons.iter().map(|because| skipped(because)).chain([case("all", Verdict::Pass)]).collect();
    Run { cases, outcome, exit: Some(ExitRecord { code: 0, causes: Vec::new() }), ..empty() }
}

pub(crate) fn nasty() -> Run {
    let mut failed = case("leader", Verdict::Fail);
    failed.failures.push(Failure {
        source: Source("S07".to_owned()),
        says: "Failed and SuccessCriteriaMet are never both true".to_owned(),
        breach: Breach {
            revision: 8123,
            at_us: 3_412_000,
            expected: "never: both".to_owned(),
            observed: format!("at 3.412s: Job {NASTY}"),
        },
        excerpt: format!("  3.4s 8119 Job active=1\n> 3.412s 8123 Job {NASTY}\n"),
    });
    let mut doubtful = case("doubtful", Verdict::Inconclusive);
    doubtful.doubts.push(format!("the watch of {NASTY} lost history"));
    let mut cut = case("cut-off", Verdict::Incomplete);
    cut.because = Some(format!("etcd ended: {NASTY}"));
    let skipped = skipped("needs a gate off: JobSuccessPolicy is on");
    let broken = BreakdownRecord {
        what: What::Died,
        status: Some("signal: 9 (SIGKILL), killed for lack of memory".to_owned()),
        last_lines: vec![NASTY.to_owned()],
        cases: vec!["success-policy/leader".to_owned(), "success-policy/all".to_owned()],
        blamed: Vec::new(),
    };
    let lost = Lost {
        because: format!("etcd ended: {NASTY}"),
        component: Some("etcd".to_owned()),
        status: Some("signal: 9".to_owned()),
        last_lines: vec![NASTY.to_owned()],
    };
    let mut deviating = case("deviating", Verdict::Deviates);
    deviating.failures = failed.failures.clone();
    deviating.deviation = Some(DeviationRecord { source: format!("a page {NASTY}"), shown: true });
    Run {
        cases: vec![case("all", Verdict::Pass), cut, deviating, doubtful, skipped, failed],
        cells: vec![CellRecord { breakdowns: vec![broken], ..cell(Some(lost)) }],
        outcome: Tally {
            passed: 1,
            failed: 1,
            flaky: 0,
            deviating: 1,
            inconclusive: 1,
            skipped: 1,
            incomplete: 1,
            lost_cells: 1,
        },
        exit: Some(ExitRecord {
            code: 1,
            causes: vec![
                Cause { code: 1, says: "1 case failed".to_owned() },
                Cause { code: 3, says: format!("cell 1.37.1-builtin was lost: {NASTY}") },
            ],
        }),
        warnings: vec![NASTY.to_owned()],
        ..empty()
    }
}

fn cell(lost: Option<Lost>) -> CellRecord {
    CellRecord {
        id: "1.37.1-builtin".to_owned(),
        provider: "local".to_owned(),
        subject: "builtin".to_owned(),
        wanted: Wanted {
            kubernetes: "1.37.1".to_owned(),
            other: None,
            emulated: None,
            gates: BTreeMap::new(),
            controller: Vec::new(),
            provider: Vec::new(),
        },
        attested: None,
        binaries: BTreeMap::from([("etcd".to_owned(), "00ff".to_owned())]),
        lost,
        breakdowns: Vec::new(),
        kept: None,
        objectives: Vec::new(),
        changes: Vec::new(),
        up_ms: Some(2_100),
    }
}

pub(crate) fn empty() -> Run {
    Run {
        schema: RUN.to_owned(),
        id: "20261120-100003-4k7qz".to_owned(),
        state: State::Finished,
        program: Program { name: "jobsworth".to_owned(), version: "0.1.0".to_owned() },
        argv: vec!["jobsworth".to_owned(), "run".to_owned()],
        started: "2026-11-20T10:00:03Z".parse().unwrap(),
        took_ms: Some(42_000),
        plan: PlanRecord {
            name: Some("smoke".to_owned()),
            names: Vec::new(),
            filter: "all()".to_owned(),
            jobs: 8,
            repeat: 1,
            flaky: Flaky::Fail,
            keep: "never".to_owned(),
            max_fail: None,
            partition: None,
            provider: "local: its programs are in /opt/kube".to_owned(),
            turns: 4,
        },
        seed: 7,
        host: Host { cores: 2, memory_bytes: 8 << 30, kernel: "6.1".to_owned(), cpu: "A CPU".to_owned() },
        cells: vec![cell(None)],
        cases: Vec::new(),
        outcome: Tally::default(),
        exit: None,
        warnings: Vec::new(),
    }
}
