//! Whether records are slices of one load: asked for the same, by the same program, on the same cluster.

use super::{JoinError, Part};
use crate::report::escape::terminal;

/// Holds every slice against the first.
///
/// # Errors
/// The first record that does not belong to those before it, and why.
pub(super) fn check(parts: &[Part]) -> Result<(), JoinError> {
    let Some((first, others)) = parts.split_first() else { return Ok(()) };
    for (position, part) in others.iter().enumerate() {
        let twin = parts[..=position].iter().find(|before| before.partition == part.partition);
        let why = twin
            .map(|twin| format!("it is {} again, as {}", part.partition, shown(twin)))
            .or_else(|| difference(first, part))
            .or_else(|| judged_otherwise(&parts[..=position], part));
        if let Some(why) = why {
            return Err(JoinError::Foreign { file: part.file.clone(), why });
        }
    }
    Ok(())
}

fn shown(part: &Part) -> String {
    terminal(&part.file.display().to_string())
}

/// What makes two slices no slices of one load, if anything does.
fn difference(first: &Part, part: &Part) -> Option<String> {
    if !part.partition.is_beside(first.partition) {
        return Some(format!("it is {}, and {} is {}", part.partition, shown(first), first.partition));
    }
    // Profiles are told by their names first: only of the same ones are texts and seeds beside each other.
    let (here, there) = (asked(part), asked(first));
    let differs = here.into_iter().zip(there).find(|(here, there)| here.1 != there.1);
    differs.map(|((what, here), (_, there))| {
        let [what, here, there] = [what, here, there].map(|text| terminal(&text));
        format!("{what} is {here}, that of {} is {there}", shown(first))
    })
}

/// Whether histories of one slice were judged and those of another were not: what is told of all would be about some.
fn judged_otherwise(before: &[Part], part: &Part) -> Option<String> {
    let here = is_judged(part)?;
    let other = before.iter().find(|one| is_judged(one).is_some_and(|there| there != here))?;
    let [here, there] = if here { ["were", "were not"] } else { ["were not", "were"] };
    Some(format!("its histories {here} judged, those of {} {there}", shown(other)))
}

/// Whether its histories were judged, where a trial tells: one that is void may have ended before that.
fn is_judged(part: &Part) -> Option<bool> {
    part.record.trials.iter().find(|trial| trial.void.is_none()).map(|trial| trial.judged.is_some())
}

/// What a load is, in words.
fn asked(part: &Part) -> Vec<(String, String)> {
    let record = &part.record;
    let arms: Vec<&str> = record.arms.values().map(String::as_str).collect();
    let profiles: Vec<&str> = record.profiles.iter().map(|done| done.name.as_str()).collect();
    let whole = [
        ("its program", record.program.clone()),
        ("its cluster", part.cluster.clone()),
        ("its Kubernetes", record.kubernetes.clone()),
        ("its controller", arms.join(", ")),
        ("its size in percent", record.scale_percent.to_string()),
        ("how many trials it was to do", part.trials.to_string()),
        ("who played its pods", record.pods.to_string()),
        ("how late it might be in milliseconds", record.lag_limit_ms.to_string()),
        ("what it did", format!("[{}]", profiles.join(", "))),
    ];
    let each = record.profiles.iter().flat_map(|done| {
        let facts = [
            ("the SHA-256", done.digest.clone()),
            ("the seed", done.seed.to_string()),
            ("the number of Jobs", done.jobs.to_string()),
            ("the size of a pod template", done.template_bytes.to_string()),
        ];
        facts.map(|(what, value)| (format!("{what} of its profile {}", done.name), value))
    });
    whole.into_iter().map(|(what, value)| (what.to_owned(), value)).chain(each).collect()
}
