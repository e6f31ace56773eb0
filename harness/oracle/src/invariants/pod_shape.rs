//! S21: pods come from the template with what tracking needs (PAR-014, PAR-015, FIN-001, IDX-001 to IDX-006,
//! BLI-001).
//!
//! Of the template's metadata labels, annotations and finalizers are compared, and of its spec everything that it sets, but for what
//! [`pod_template`](super::pod_template) lists. Where others share the cluster their webhooks may fill in and change what they like, and
//! where the control plane changes meanwhile it may drop fields that it kept before: there only the restart policy, container
//! names, images and commands are. Variables that the template does not have are looked for where nobody else shares the cluster.

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    pod_template::{Compared, Flaw},
    reading,
};
use crate::{
    fact::Fact,
    history::{Version, controller},
    property::Check,
    regimes::Regimes,
    timeline::Timeline,
    vocabulary::pods::{completion_index, is_tracked},
};
use jobsworth_api::well_known;
use k8s_openapi::api::{
    batch::v1::Job,
    core::v1::{Container, Pod},
};
use std::collections::BTreeMap;

/// A name is as long at most before its random characters; the API server sees to that for `generateName` (IDX-006).
const LONGEST_PREFIX: usize = 58;
const RANDOM_CHARACTERS: usize = 5;

pub(super) struct PodShape;

impl Invariant for PodShape {
    fn id(&self) -> &'static str {
        "S21"
    }

    fn says(&self) -> &'static str {
        "a created pod has the template's content, the Job as controller, its labels, its index and the finalizer"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["PAR-014", "PAR-015", "FIN-001", "IDX-001", "IDX-005", "IDX-006"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        // The first version known may then not be the one that was created, nor the template that which was used.
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let whole = !timeline.setting.shared && !is_changed(timeline);
        for history in JobHistories::resting_on(timeline, &[]).own {
            for pod in &history.pods {
                let birth = pod.first();
                // The first version known may not be the one that was created.
                if history.job.first().revision > birth.revision {
                    continue;
                }
                findings.occasion();
                for (expected, observed) in flaws(timeline, &history, birth, whole) {
                    findings.breach(birth, expected, format!("pod {}: {observed}", pod.name));
                }
            }
        }
        findings.conclude(timeline, "no pod was created for a Job of the subject")
    }
}

fn flaws(timeline: &Timeline, history: &JobHistory, birth: &Version<Pod>, whole: bool) -> Vec<Flaw> {
    let pod = &*birth.object;
    let job = &*history.job.first().object;
    let mut flaws = owner(history, pod);
    if !is_tracked(pod) {
        flaws.push(("the tracking finalizer".to_owned(), "created without it".to_owned()));
    }
    if job.spec.as_ref().is_none_or(|spec| spec.manual_selector != Some(true)) {
        flaws.extend(labels(history, pod));
    }
    let indexed = reading::is_indexed(job);
    flaws.extend(if indexed { index(timeline.regimes(), history, birth) } else { name(history, pod) });
    let of_template = |version: &Version<Job>| {
        let mut flaws = metadata(&version.object, pod);
        let compared = Compared::of(&version.object, whole);
        flaws.extend(compared.flaws(&version.object.raw, &birth.object.raw));
        if !timeline.setting.shared {
            flaws.extend(environment(&version.object, pod));
        }
        flaws
    };
    let mut best: Option<Vec<Flaw>> = None;
    for version in history.in_sight(birth.revision, birth.at) {
        let found = of_template(version);
        if best.as_ref().is_none_or(|best| found.len() < best.len()) {
            best = Some(found);
        }
        if best.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
    }
    flaws.extend(best.unwrap_or_default());
    flaws
}

/// Whether the control plane becomes another one meanwhile.
fn is_changed(timeline: &Timeline) -> bool {
    timeline.entries().iter().any(|entry| matches!(entry.fact, Fact::Regime(_)))
}

fn owner(history: &JobHistory, pod: &Pod) -> Vec<Flaw> {
    let owner = pod.metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true));
    let Some(owner) = owner else { return vec![] };
    let is_right = controller(&pod.metadata) == Some(history.job.uid.as_str())
        && owner.block_owner_deletion == Some(true)
        && (owner.api_version.as_str(), owner.kind.as_str(), owner.name.as_str())
            == ("batch/v1", "Job", history.name());
    let observed = format!(
        "{} {} {}, blockOwnerDeletion {:?}",
        owner.api_version, owner.kind, owner.name, owner.block_owner_deletion
    );
    let expected = format!("controller reference to batch/v1 Job {} with blockOwnerDeletion", history.name());
    if is_right { vec![] } else { vec![(expected, observed)] }
}

fn labels(history: &JobHistory, pod: &Pod) -> Vec<Flaw> {
    let wanted = [
        (well_known::JOB_NAME, history.name()),
        (well_known::LEGACY_JOB_NAME, history.name()),
        (well_known::CONTROLLER_UID, history.job.uid.as_str()),
        (well_known::LEGACY_CONTROLLER_UID, history.job.uid.as_str()),
    ];
    let differs = |(key, value): &(&str, &str)| reading::label(&pod.metadata, key) != Some(*value);
    let flaw = |(key, value): (&str, &str)| {
        (format!("label {key}={value}"), reading::shown(reading::label(&pod.metadata, key)))
    };
    wanted.into_iter().filter(differs).map(flaw).collect()
}

fn index(regimes: &Regimes, history: &JobHistory, birth: &Version<Pod>) -> Vec<Flaw> {
    let pod = &*birth.object;
    let is_on = |gate: &str| regimes.gate(gate, birth.revision) == Some(true);
    let key = well_known::COMPLETION_INDEX;
    let Some(index) = completion_index(pod) else {
        return vec![(format!("annotation {key}"), reading::shown(reading::annotation(&pod.metadata, key)))];
    };
    let mut flaws = Vec::new();
    let most = history.largest(birth.revision, birth.at, |job| reading::completions(job).unwrap_or(0));
    if i64::from(index) >= i64::from(most) {
        flaws.push((format!("an index below {most}"), index.to_string()));
    }
    let label = reading::label(&pod.metadata, key);
    if is_on("PodIndexLabel") && label != Some(index.to_string().as_str()) {
        flaws.push((format!("label {key}={index}"), reading::shown(label)));
    }
    let (name, prefix) = (history.name(), pod.metadata.generate_name.as_deref().unwrap_or(""));
    let tail = format!("-{index}-");
    // The Job's name is cut, so that the index stays whole.
    let wanted = cut(name, LONGEST_PREFIX.saturating_sub(tail.len())) + &tail;
    if prefix != wanted {
        flaws.push((format!("generateName {wanted}"), prefix.to_owned()));
    }
    flaws.extend(random_end(pod, &wanted));
    let spec = pod.spec.as_ref();
    let hostname = spec.and_then(|spec| spec.hostname.as_deref()).unwrap_or("");
    if hostname != format!("{name}-{index}") {
        flaws.push((format!("hostname {name}-{index}"), hostname.to_owned()));
    }
    for container in containers(pod) {
        if !container.env.iter().flatten().any(|variable| variable.name == well_known::COMPLETION_INDEX_ENV) {
            let expected = format!("container {} has {}", container.name, well_known::COMPLETION_INDEX_ENV);
            flaws.push((expected, "not there".to_owned()));
        }
    }
    let job = &history.job.first().object;
    let per_index = job.spec.as_ref().and_then(|spec| spec.backoff_limit_per_index).is_some();
    let count = reading::annotation(&pod.metadata, well_known::INDEX_FAILURE_COUNT);
    if per_index && is_on("JobBackoffLimitPerIndex") && count.is_none_or(|text| text.parse::<u32>().is_err()) {
        flaws.push((format!("annotation {} with a number", well_known::INDEX_FAILURE_COUNT), reading::shown(count)));
    }
    flaws
}

fn name(history: &JobHistory, pod: &Pod) -> Vec<Flaw> {
    let (wanted, found) = (format!("{}-", history.name()), pod.metadata.generate_name.as_deref().unwrap_or(""));
    // Long names are cut to leave room for the random end.
    let is_right = found == wanted || (wanted.len() > LONGEST_PREFIX && wanted.starts_with(found) && !found.is_empty());
    let flaw = (!is_right).then(|| (format!("generateName {wanted}"), found.to_owned()));
    flaw.into_iter().chain(random_end(pod, &cut(found, LONGEST_PREFIX))).collect()
}

/// A name that is not `prefix` with random characters behind it.
fn random_end(pod: &Pod, prefix: &str) -> Option<Flaw> {
    let name = pod.metadata.name.as_deref().unwrap_or("");
    let is_right = name.strip_prefix(prefix).is_some_and(|end| end.chars().count() == RANDOM_CHARACTERS);
    (!is_right).then(|| (format!("name {prefix} and {RANDOM_CHARACTERS} characters"), name.to_owned()))
}

fn cut(name: &str, room: usize) -> String {
    name.chars().take(room).collect()
}

fn containers(pod: &Pod) -> impl Iterator<Item = &Container> {
    pod.spec.iter().flat_map(|spec| spec.containers.iter().chain(spec.init_containers.iter().flatten()))
}

fn metadata(job: &Job, pod: &Pod) -> Vec<Flaw> {
    let Some(template) = job.spec.as_ref().map(|spec| &spec.template) else { return vec![] };
    let mut flaws = Vec::new();
    if let Some(metadata) = &template.metadata {
        let no = BTreeMap::new();
        for (kind, wanted, found) in [
            ("label", &metadata.labels, &pod.metadata.labels),
            ("annotation", &metadata.annotations, &pod.metadata.annotations),
        ] {
            let found = found.as_ref().unwrap_or(&no);
            for (key, value) in wanted.iter().flatten().filter(|(key, value)| found.get(*key) != Some(*value)) {
                flaws.push((format!("{kind} {key}={value} of the template"), reading::shown(found.get(key))));
            }
        }
        let found: Vec<&String> = pod.metadata.finalizers.iter().flatten().collect();
        for lost in metadata.finalizers.iter().flatten().filter(|wanted| !found.contains(wanted)) {
            flaws.push((format!("finalizer {lost} of the template"), "created without it".to_owned()));
        }
    }
    flaws
}

/// Variables of containers that neither the template nor the index explains.
fn environment(job: &Job, pod: &Pod) -> Vec<Flaw> {
    let of_template = job.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    let explained = |container: &Container, name: &str| {
        let same =
            of_template.iter().flat_map(|spec| spec.containers.iter().chain(spec.init_containers.iter().flatten()));
        let mut same = same.filter(|other| other.name == container.name);
        name == well_known::COMPLETION_INDEX_ENV
            || same.any(|other| other.env.iter().flatten().any(|variable| variable.name == name))
    };
    let strange = containers(pod).flat_map(|container| {
        let names = container.env.iter().flatten().map(|variable| variable.name.as_str());
        names.filter(|name| !explained(container, name)).map(|name| (container.name.as_str(), name)).collect::<Vec<_>>()
    });
    strange.map(|(container, name)| (format!("no variable of its own in {container}"), name.to_owned())).collect()
}
