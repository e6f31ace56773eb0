//! Histories that differ from a recorded one in one way.

use jobsworth_oracle::{
    Entry, Fact, Recorded, Seen, Sighting, Timeline,
    fact::Notice,
    recorded::{self, volcano},
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

/// Pods that get a twin; more of them would tell nothing new.
const FEW: usize = 3;
/// A request that is sent so many times is a storm, whatever a Job needs.
const OFTEN: usize = 100;
/// A history of more entries is not changed in each place ...
const LONG: usize = 600;
/// ... but near what is told of Jobs, and in so many places from all over.
const SPREAD: usize = 12;

/// Every history that one change makes of `timeline`, one of each kind after the other: what one kind of change alone can break is not
/// looked for in all that the others make first.
pub fn falsified(timeline: &Timeline) -> impl Iterator<Item = Timeline> + '_ {
    let entries = timeline.entries();
    let mut kinds: VecDeque<Box<dyn Iterator<Item = Vec<Entry>> + '_>> = VecDeque::from([
        boxed(retold(entries)),
        boxed(cut(entries)),
        boxed(moved_marks(entries)),
        boxed(stretched(entries)),
        boxed(dropped(entries)),
        boxed(podless(entries)),
        boxed(insisted(entries)),
        boxed(edited(entries)),
        boxed(inserted(entries)),
        boxed(swapped(entries)),
    ]);
    let in_turn = std::iter::from_fn(move || {
        while let Some(mut kind) = kinds.pop_front() {
            if let Some(changed) = kind.next() {
                kinds.push_back(kind);
                return Some(changed);
            }
        }
        None
    });
    in_turn.map(|entries| Timeline::seal(timeline.setting.clone(), entries, timeline.ending.clone()))
}

fn boxed<'e>(changed: impl Iterator<Item = Vec<Entry>> + 'e) -> Box<dyn Iterator<Item = Vec<Entry>> + 'e> {
    Box::new(changed)
}

/// Where a history is changed, its end first, then all over it at once: most expectations break at many places, or where a certain part of
/// the script was played. Most entries of a long one are hundreds of pods that do the same.
fn places(entries: &[Entry]) -> impl Iterator<Item = usize> + '_ {
    let count = entries.len();
    let is_told = |entry: &Entry| {
        is::<Job>(&entry.fact) || is::<volcano::Job>(&entry.fact) || matches!(entry.fact, Fact::Mark(_))
    };
    let is_near = move |place: usize| entries.iter().skip(place.saturating_sub(1)).take(3).any(is_told);
    let is_spread = move |place: usize| place * SPREAD / count != (place + 1) * SPREAD / count;
    let mut all_over: Vec<usize> = (0..count).rev().collect();
    // Steps of the golden ratio: each new place is in one of the widest gaps between those before it.
    all_over.sort_by_cached_key(|place| (count - 1 - place) * 618_034 % 1_000_000);
    all_over.into_iter().filter(move |place| count <= LONG || is_near(*place) || is_spread(*place))
}

/// The history ends early.
fn cut(entries: &[Entry]) -> impl Iterator<Item = Vec<Entry>> + '_ {
    places(entries).map(|end| entries[..end].to_vec())
}

fn dropped(entries: &[Entry]) -> impl Iterator<Item = Vec<Entry>> + '_ {
    places(entries).map(|place| {
        let mut entries = entries.to_vec();
        entries.remove(place);
        entries
    })
}

/// There never were pods.
fn podless(entries: &[Entry]) -> impl Iterator<Item = Vec<Entry>> + '_ {
    let is_pod = |entry: &&Entry| is::<Pod>(&entry.fact);
    std::iter::once(entries.iter().filter(move |entry| !is_pod(entry)).cloned().collect())
}

/// The controller sends the last request of a kind again and again, taken or refused.
fn insisted(entries: &[Entry]) -> impl Iterator<Item = Vec<Entry>> + '_ {
    let requests = entries.iter().enumerate().filter_map(|(place, entry)| match &entry.fact {
        Fact::Request(request) => Some(((request.verb.as_str(), request.on.as_str()), place)),
        _ => None,
    });
    let last: BTreeMap<_, usize> = requests.collect();
    last.into_values().flat_map(|place| {
        [entries[place].clone(), refused(&entries[place])].map(|once_more| {
            let again = std::iter::repeat_n(&once_more, OFTEN);
            entries[..=place].iter().chain(again).chain(&entries[place + 1..]).cloned().collect()
        })
    })
}

fn refused(entry: &Entry) -> Entry {
    let mut entry = entry.clone();
    if let Fact::Request(request) = &mut entry.fact {
        let request = Arc::make_mut(request);
        (request.code, request.stored, request.made) = (Some(409), None, None);
    }
    entry
}

/// Two neighbours happen the other way round.
fn swapped(entries: &[Entry]) -> impl Iterator<Item = Vec<Entry>> + '_ {
    places(entries).filter(|place| *place > 0).map(|place| {
        let mut entries = entries.to_vec();
        let (left, right) = (entries[place - 1].revision, entries[place].revision);
        (entries[place - 1].revision, entries[place].revision) = (right, left);
        entries
    })
}

/// A point of the script is reached at another time.
fn moved_marks(entries: &[Entry]) -> impl Iterator<Item = Vec<Entry>> + '_ {
    let is_mark = |entry: &&Entry| matches!(entry.fact, Fact::Mark(_) | Fact::Regime(_));
    entries.iter().filter(is_mark).flat_map(move |mark| {
        places(entries).map(move |place| {
            let without = entries.iter().filter(|entry| !std::ptr::eq(*entry, mark));
            let mut moved: Vec<Entry> = without.cloned().collect();
            let place = place.min(moved.len());
            let neighbour = moved.get(place).or(moved.last()).cloned().unwrap_or_else(|| mark.clone());
            moved.insert(place, Entry { revision: neighbour.revision, at: neighbour.at, ..mark.clone() });
            moved
        })
    })
}

/// Everything takes longer, or no time at all.
fn stretched(entries: &[Entry]) -> impl Iterator<Item = Vec<Entry>> + '_ {
    [(100, 1), (1, 1000)].into_iter().map(|(up, down)| {
        let scaled = |at: Duration| at * up / down;
        entries.iter().map(|entry| Entry { at: scaled(entry.at), ..entry.clone() }).collect()
    })
}

/// One entry says something else.
fn edited(entries: &[Entry]) -> impl Iterator<Item = Vec<Entry>> + '_ {
    places(entries).flat_map(move |place| edited_at(entries, place))
}

/// The last that is told of an object is something else: of one for all that are named alike, which may be hundreds. Where an
/// expectation says what never is so, that breaks it, and it is found at once.
fn retold(entries: &[Entry]) -> impl Iterator<Item = Vec<Entry>> + '_ {
    let told = entries.iter().enumerate().filter_map(|(place, entry)| match &entry.fact {
        Fact::Object(seen) => Some((likeness(seen), place)),
        _ => None,
    });
    let last: BTreeMap<_, usize> = told.collect();
    last.into_values().flat_map(move |place| edited_at(entries, place))
}

/// What objects have in common that are made in numbers: their kind, who made them or their name without its number, and whether they
/// are being deleted.
fn likeness(seen: &Sighting) -> (String, String, bool) {
    let metadata = seen.metadata();
    let owner = metadata.owner_references.iter().flatten().next().map(|owner| owner.name.as_str());
    let named = owner.unwrap_or_else(|| seen.name()).trim_end_matches(|letter: char| letter.is_ascii_digit());
    let kind = seen.raw()["kind"].as_str().unwrap_or_default();
    (kind.to_owned(), named.to_owned(), metadata.deletion_timestamp.is_some())
}

fn edited_at(entries: &[Entry], place: usize) -> impl Iterator<Item = Vec<Entry>> + '_ {
    variants(&entries[place].fact).into_iter().map(move |fact| {
        let mut entries = entries.to_vec();
        entries[place].fact = fact;
        entries
    })
}

fn variants(fact: &Fact) -> Vec<Fact> {
    match fact {
        Fact::Object(seen) if seen.of::<Job>().is_some() => {
            crate::jobs::edits(seen.raw()).into_iter().filter_map(job).collect()
        }
        Fact::Object(seen) if seen.of::<Pod>().is_some() => {
            crate::pods::edits(seen.raw()).into_iter().chain(of_gang(seen)).filter_map(pod).collect()
        }
        Fact::Object(seen) if seen.of::<volcano::Job>().is_some() => {
            crate::volcano::of_job(seen.raw()).into_iter().filter_map(object).collect()
        }
        Fact::Object(seen) if is_beside_a_gang(seen) => {
            crate::volcano::of_object(seen.raw()).into_iter().filter_map(object).collect()
        }
        Fact::Object(seen) => crate::objects::edits(seen.raw()).into_iter().filter_map(object).collect(),
        Fact::Answer(answer) => {
            let mut flipped = answer.clone();
            flipped.code = if answer.code < 300 { 422 } else { 201 };
            let mut unexplained = answer.clone();
            unexplained.causes.clear();
            let mut otherwise = answer.clone();
            otherwise.body = Arc::new(Value::Null);
            let mut unwarned = answer.clone();
            unwarned.warnings.clear();
            let mut full = answer.clone();
            full.body = Arc::new(crate::jobs::with_every_field(&answer.body));
            let mut code = answer.clone();
            code.code = 500;
            [flipped, unexplained, otherwise, unwarned, full, code].map(Fact::Answer).into()
        }
        _ => Vec::new(),
    }
}

/// Changes of a pod that only Volcano's Jobs know.
fn of_gang(pod: &Sighting) -> Vec<Value> {
    let is_of_gang =
        pod.metadata().owner_references.iter().flatten().any(|owner| owner.api_version.contains("volcano"));
    if is_of_gang { crate::volcano::of_pod(pod.raw()) } else { Vec::new() }
}

/// Whether it is something that is recorded for Volcano's Jobs alone.
fn is_beside_a_gang(seen: &Sighting) -> bool {
    seen.of::<recorded::PodGroup>().is_none() && seen.of::<recorded::Workload>().is_none()
}

/// Something more happened.
fn inserted(entries: &[Entry]) -> impl Iterator<Item = Vec<Entry>> + '_ {
    places(entries).flat_map(move |place| {
        let news = news(&entries[..=place]);
        news.into_iter().map(move |fact| {
            let mut entries = entries.to_vec();
            let Entry { revision, at, .. } = entries[place];
            entries.insert(place + 1, Entry { revision, at, fact });
            entries
        })
    })
}

fn news(past: &[Entry]) -> Vec<Fact> {
    let mut news = Vec::new();
    let last_job = past.iter().rev().find_map(|entry| entry.fact.there_is::<Job>());
    news.extend(last_job.cloned().map(Fact::gone));
    let pods = past.iter().filter_map(|entry| entry.fact.there_is::<Pod>());
    news.extend(pods.clone().next_back().cloned().map(Fact::gone));
    let named = |seen: &Seen<Pod>| Some((seen.metadata.name.clone()?, seen.raw.clone()));
    let by_name: BTreeMap<String, Arc<Value>> = pods.filter_map(named).collect();
    let all_pods: Vec<&Arc<Value>> = by_name.values().take(FEW).collect();
    for pod in &all_pods {
        news.extend(crate::pods::twins(pod).into_iter().filter_map(self::pod));
    }
    let objects = past.iter().filter_map(|entry| match &entry.fact {
        Fact::Object(seen) if seen.of::<Job>().is_none() && seen.of::<Pod>().is_none() => Some(seen),
        _ => None,
    });
    for seen in objects.collect::<Vec<_>>().into_iter().rev().take(FEW) {
        news.push(Fact::ObjectGone(seen.clone()));
        news.extend(crate::objects::twins(seen.raw()).into_iter().filter_map(object));
    }
    let jobs = past.iter().filter_map(|entry| entry.fact.there_is::<Job>());
    let named = |seen: &Seen<Job>| Some((seen.metadata.name.clone()?, seen.raw.clone()));
    for job in jobs.filter_map(named).collect::<BTreeMap<_, _>>().values() {
        news.extend(crate::pods::newcomers(job).into_iter().filter_map(self::pod));
        news.extend(all_pods.iter().filter_map(|pod| self::pod(crate::pods::owned(pod, job))));
    }
    let gangs = past.iter().filter_map(|entry| entry.fact.there_is::<volcano::Job>());
    let named = |seen: &Seen<volcano::Job>| Some((seen.metadata.name.clone()?, seen.raw.clone()));
    let by_name: BTreeMap<String, Arc<Value>> = gangs.filter_map(named).collect();
    if let Some(gang) = by_name.values().next().filter(|_| !by_name.contains_key("job")) {
        let ghost = crate::volcano::named_job(gang);
        news.extend(crate::volcano::new_pods(&ghost).into_iter().filter_map(self::pod));
        news.extend(object(ghost));
    }
    for gang in by_name.values() {
        news.extend(crate::volcano::new_pods(gang).into_iter().filter_map(self::pod));
        news.extend(crate::volcano::newcomers(gang).into_iter().filter_map(object));
        news.extend(crate::volcano::of_job(gang).into_iter().take(10).filter_map(object));
    }
    news.extend(past.iter().rev().find_map(|entry| matches!(entry.fact, Fact::Request(_)).then(|| entry.fact.clone())));
    let told = past
        .iter()
        .filter_map(|entry| if let Fact::Notice(notice) = &entry.fact { Some(notice.clone()) } else { None });
    let mut told: Vec<Notice> = told.collect();
    told.dedup_by(|one, other| one.reason == other.reason);
    let unheard = crate::jobs::REASONS.iter().map(|reason| Notice {
        kind: "Normal".to_owned(),
        reason: (*reason).to_owned(),
        message: "out of the blue".to_owned(),
        about: "Job/job".to_owned(),
        count: 1,
    });
    let of_gangs = crate::volcano::REASONS.iter().map(|reason| Notice {
        kind: "Warning".to_owned(),
        reason: (*reason).to_owned(),
        message: "out of the blue".to_owned(),
        about: "Job.batch.volcano.sh/job".to_owned(),
        count: 30,
    });
    let all = told.into_iter().chain(unheard).chain(of_gangs);
    news.extend(all.map(|notice| Fact::Notice(Notice { count: notice.count + 5, ..notice })));
    news
}

fn is<K: Recorded>(fact: &Fact) -> bool {
    fact.version::<K>().is_some()
}

fn job(raw: Value) -> Option<Fact> {
    Seen::<Job>::new(raw).ok().map(Fact::there)
}

fn object(raw: Value) -> Option<Fact> {
    Sighting::of_any_kind(raw).ok().map(Fact::Object)
}

fn pod(raw: Value) -> Option<Fact> {
    Seen::<Pod>::new(raw).ok().map(Fact::there)
}

/// A copy of `object` with one change.
pub fn with(object: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut copy = object.clone();
    change(&mut copy);
    copy
}

/// A copy of `object` without what `pointer` leads to.
pub fn without(object: &Value, parent: &str, key: &str) -> Value {
    with(object, |copy| {
        if let Some(map) = copy.pointer_mut(parent).and_then(Value::as_object_mut) {
            map.remove(key);
        }
    })
}

/// A copy of `object` in which `parent` has `key` with this value; parents that are missing are made.
pub fn set(object: &Value, parent: &str, key: &str, value: Value) -> Value {
    with(object, |copy| {
        let path = parent.split('/').filter(|part| !part.is_empty());
        let place = path.fold(copy, |place, part| {
            if place.is_null() {
                *place = json!({});
            }
            &mut place[part]
        });
        if place.is_null() {
            *place = json!({});
        }
        place[key] = value;
    })
}
