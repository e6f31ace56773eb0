//! Names of jobs, tasks and their pods (VJ-052, VJ-077, VJ-084).

use jobsworth_volcano_api::Job;

use super::Findings;

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an \
                     alphanumeric character";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and \
                         end with an alphanumeric character";
const QUALIFIED: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
                         character";

/// As much of `generateName` as the API server takes.
const LONGEST_START: usize = 58;

/// The name of a job. One that is still to be made is as long as it will be.
pub(super) fn of(job: &Job) -> String {
    match (job.metadata.name.as_deref(), job.metadata.generate_name.as_deref()) {
        (None | Some(""), Some(start)) if !start.is_empty() => {
            start.chars().take(LONGEST_START).chain("xxxxx".chars()).collect()
        }
        (name, _) => name.unwrap_or_default().to_owned(),
    }
}

/// What is checked of the name of a job.
pub(super) fn check_job(name: &str, findings: &mut Findings) {
    let wrong = against_qualified(name);
    if !wrong.is_empty() {
        findings.add(format!("create job with name {name} validate failed [{}];", wrong.join(" ")));
    }
}

/// What is checked of the name of a pod; it is made with the task's index, not the pod's, as Volcano does.
pub(super) fn check_pod(name: &str, findings: &mut Findings) {
    let wrong = against_qualified(name);
    if !wrong.is_empty() {
        findings.add(format!("create pod with name {name} validate failed [{}];", wrong.join(" ")));
    }
}

/// What is checked of the name of a task, for servers whose schema does not.
pub(super) fn check_task(name: &str, findings: &mut Findings) {
    if name.len() > 63 {
        findings.add("[must be no more than 63 bytes];");
    }
    if !is_label(name) {
        findings.add(format!("[{LABEL}];"));
    }
}

/// What is wrong with the name of a claim; empty if nothing is.
pub(super) fn against_subdomain(name: &str) -> Vec<&'static str> {
    let mut wrong = Vec::new();
    if name.len() > 253 {
        wrong.push("must be no more than 253 bytes");
    }
    if !name.split('.').all(is_label) {
        wrong.push(SUBDOMAIN);
    }
    wrong
}

fn against_qualified(name: &str) -> Vec<&'static str> {
    if name.is_empty() {
        return vec!["name part must be non-empty", QUALIFIED];
    }
    let mut wrong = Vec::new();
    if name.len() > 63 {
        wrong.push("name part must be no more than 63 bytes");
    }
    let inner = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let ends = |c: char| c.is_ascii_alphanumeric();
    if !name.chars().all(inner) || !name.starts_with(ends) || !name.ends_with(ends) {
        wrong.push(QUALIFIED);
    }
    wrong
}

fn is_label(text: &str) -> bool {
    let end = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.chars().all(|c| end(c) || c == '-') && text.starts_with(end) && text.ends_with(end)
}
