//! Recordings that are not whole: a watch that lost history, a file that ends before its recording.

use super::choice::Choices;
use jobsworth_oracle::{Ending, Entry, Fact};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use std::{collections::BTreeMap, time::Duration};

/// Most recordings stay as they are.
pub fn make(chance: &mut Choices, entries: Vec<Entry>) -> (Vec<Entry>, Ending) {
    let pick = chance.below(100);
    match pick {
        90..=93 => (gap(chance, entries, "jobs", |fact| fact.version::<Job>().is_some()), Ending::Complete),
        94..=95 => (gap(chance, entries, "pods", |fact| fact.version::<Pod>().is_some()), Ending::Complete),
        96..=97 => {
            let waited_for = "something".to_owned();
            (entries, Ending::Stalled { waited_for, limit: Duration::from_secs(30) })
        }
        98..=99 => (truncated(chance, entries), Ending::Truncated),
        _ => (entries, Ending::Complete),
    }
}

/// What a watch lost between two revisions; what is there in the end is listed again.
fn gap(chance: &mut Choices, entries: Vec<Entry>, resource: &str, is_of: impl Fn(&Fact) -> bool) -> Vec<Entry> {
    let revisions: Vec<u64> = entries.iter().filter(|entry| is_of(&entry.fact)).map(|entry| entry.revision).collect();
    let count = u32::try_from(revisions.len()).unwrap_or(0);
    if count == 0 {
        return entries;
    }
    let from = revisions[chance.below(count) as usize];
    let to = revisions[chance.below(count) as usize].max(from);
    let (mut kept, mut lost) = (Vec::new(), BTreeMap::new());
    let mut latest = Duration::ZERO;
    for entry in entries {
        if !is_of(&entry.fact) || !(from..=to).contains(&entry.revision) {
            kept.push(entry);
            continue;
        }
        latest = latest.max(entry.at);
        let uid = entry.fact.sighting().map(|sighting| sighting.uid().to_owned());
        lost.insert(uid, entry);
    }
    let listed = lost.into_values().filter(|entry| matches!(entry.fact, Fact::Object(_)));
    kept.extend(listed.map(|entry| Entry { at: latest, ..entry }));
    kept.push(Entry { revision: to, at: latest, fact: Fact::Gap(resource.to_owned()) });
    kept.sort_by_key(|entry| entry.at);
    kept
}

/// A file that ends before its recording, in the order in which it was written.
fn truncated(chance: &mut Choices, mut entries: Vec<Entry>) -> Vec<Entry> {
    let count = u32::try_from(entries.len()).unwrap_or(0);
    entries.truncate(1 + chance.below(count) as usize);
    entries
}
