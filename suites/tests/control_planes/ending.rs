//! The end state of a history, and what is wrong with it.

use jobsworth_harness::run::{
    CaseReport,
    execute::{self, Incomplete},
};
use jobsworth_oracle::{
    Timeline, Verdict, World,
    vocabulary::pods::{completion_index, is_tracked, phase},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path};

/// How a history ended: what is left of Jobs and pods, without what differs from run to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndState {
    /// The status of each Job that is left.
    pub jobs: BTreeMap<String, Value>,
    /// Index, phase and number of each kind of pod that is left.
    pub pods: BTreeMap<String, u32>,
    /// Pods that were never let go.
    pub tracked: Vec<String>,
}

impl EndState {
    /// The end of a timeline.
    pub fn of(timeline: &Timeline) -> Self {
        let world = timeline.worlds().last().unwrap();
        let namespace = &timeline.setting.namespace;
        let status = |raw: &Value| {
            let mut status = raw.get("status").cloned().unwrap_or(Value::Null);
            plain(&mut status, &|text| without_names(text, namespace, &world));
            status
        };
        let jobs = world.jobs().map(|job| (job.metadata.name.clone().unwrap(), status(&job.raw))).collect();
        let mut pods = BTreeMap::new();
        for pod in world.pods() {
            let index = completion_index(pod).map_or_else(|| "-".to_owned(), |index| index.to_string());
            *pods.entry(format!("{index} {}", phase(pod))).or_default() += 1;
        }
        let tracked = world.pods().filter(|pod| is_tracked(pod)).map(|pod| pod.metadata.name.clone().unwrap());
        Self { jobs, pods, tracked: tracked.collect() }
    }
}

/// Takes times out of a status, and renames what is named.
fn plain(value: &mut Value, rename: &dyn Fn(&str) -> String) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, field| {
                !name.ends_with("Time") && *field != json!({}) && *field != json!(0) && !field.is_null()
            });
            fields.values_mut().for_each(|field| plain(field, rename));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| plain(item, rename)),
        Value::String(text) => *text = rename(text),
        _ => {}
    }
}

/// Messages name pods, and those have other names in each run.
fn without_names(text: &str, namespace: &str, world: &World) -> String {
    world.pods().filter_map(|pod| pod.metadata.name.as_deref()).fold(
        text.replace(namespace, "NAMESPACE"),
        |text, name| {
            let stem = name.rsplit_once('-').map_or(name, |(stem, _)| stem);
            text.replace(name, stem)
        },
    )
}

/// The end of a case, or what is wrong with it: it could not be played, its controller was in trouble, or it did not hold.
pub fn end_of(
    played: Result<CaseReport, Incomplete>,
    trouble: Option<String>,
    folder: &Path,
) -> Result<EndState, String> {
    let report = played.map_err(|incomplete| incomplete.because)?;
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    let path = folder.join(&report.timeline);
    let timeline = execute::read(&path)?;
    let end = EndState::of(&timeline);
    if report.judgement.verdict != Verdict::Pass {
        let broken: Vec<String> = report
            .judgement
            .broken()
            .map(|sentence| format!("{:?}: {} ({:?})", sentence.source, sentence.says, sentence.breach()))
            .collect();
        return Err(format!(
            "{:?}: {} {} in {}",
            report.judgement.verdict,
            broken.join("; "),
            report.judgement.doubts.join("; "),
            path.display()
        ));
    }
    if end.tracked.is_empty() {
        Ok(end)
    } else {
        Err(format!("finalizers are left: {:?} in {}", end.tracked, path.display()))
    }
}
