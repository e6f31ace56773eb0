//! Folders of runs for tests: real recordings, judged by what judges them, written as a run writes them.

use super::{
    rejudge::OBSERVED,
    schema::{
        Attested, CaseRecord, Run,
        sample::{case, empty},
        verdicts::{JudgedCase, Verdicts},
    },
    store,
};
use crate::{bundle::manifest, case::Catalogue};
use flate2::read::GzDecoder;
use jobsworth_oracle::{Expectations, Setting, Timeline, judge, wire};
use std::{
    fs,
    io::BufReader,
    path::{Path, PathBuf},
    sync::LazyLock,
};

/// No case: what is observed is judged by the invariants alone.
pub(crate) const NONE: Catalogue = Catalogue {
    cases: &[],
    requirements: "",
    plans: &[],
    keps: &[],
    loads: &[],
    known_ends: &[],
    races: Vec::new,
    objectives: "",
};

/// A recording that a judge passes.
static RECORDED: LazyLock<Timeline> = LazyLock::new(|| {
    let name = "oracle/tests/timelines/recorded/success-policy-leader-index-decides.ndjson.gz";
    let file = fs::File::open(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    let read = wire::read(BufReader::new(GzDecoder::new(file))).unwrap();
    let setting = Setting { case: OBSERVED.to_owned(), ..read.setting.clone() };
    Timeline::seal(setting, read.entries().to_vec(), read.ending.clone())
});

/// The text of its file.
pub(crate) fn recording() -> String {
    let mut lines = vec![wire::head(&RECORDED.setting)];
    lines.extend(RECORDED.entries().iter().map(wire::entry));
    lines.push(wire::end(&RECORDED.ending, RECORDED.entries().len()));
    lines.join("\n") + "\n"
}

/// Writes the folder of a run of so many turns, all of them passed.
pub(crate) fn write(folder: &Path, turns: u32) -> Run {
    fs::create_dir_all(folder.join("cells/c/cluster")).unwrap();
    let judgement = judge(&RECORDED, &Expectations::new());
    let (mut run, mut judged) = (empty(), Vec::new());
    run.cells[0].attested = Some(Attested { holds: true, rows: Vec::new() });
    let text = recording();
    for attempt in 1..=turns {
        let path = format!("cells/c/observe-manifest-{attempt}.timeline.ndjson");
        fs::write(folder.join(&path), &text).unwrap();
        let one = JudgedCase::of(&run.cells[0].id, OBSERVED, attempt, &judgement);
        let turn = case("x", one.verdict);
        run.cases.push(CaseRecord { case: OBSERVED.to_owned(), attempt, timeline: Some(path), ..turn });
        judged.push(one);
    }
    run.outcome = crate::report::tally::of(&run);
    fs::write(folder.join("cells/c/cluster/etcd.log"), "ready to serve client requests\n").unwrap();
    write_run(folder, &run);
    fs::write(folder.join("verdicts.json"), store::json(&Verdicts::new(run.id.clone(), judged))).unwrap();
    run
}

/// Writes `run.json` and the sums that go with it.
pub(crate) fn write_run(folder: &Path, run: &Run) {
    fs::write(folder.join("run.json"), store::json(run)).unwrap();
    let manifest = manifest::of_run(run, folder).unwrap();
    fs::write(folder.join(manifest::NAME), store::json(&manifest)).unwrap();
}
