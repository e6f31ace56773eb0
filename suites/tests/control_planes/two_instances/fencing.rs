//! Whether every write came from the instance that held the lease: judged from what passed the two gates.

use jobsworth_harness::faults::{Kind, Passage};
use std::time::{Duration, Instant};

/// A successful write of the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Renewal {
    by: usize,
    asked: Instant,
    answered: Instant,
}

/// The writes that came from an instance that did not hold the lease, in words. A lease lasts `lease` from when its holder
/// asked for it.
pub fn breaches(instances: [&[Passage]; 2], lease: Duration) -> Vec<String> {
    let renewals = renewals(instances);
    let mut breaches = Vec::new();
    for (by, passages) in instances.into_iter().enumerate() {
        for write in passages.iter().filter(|passage| passage.kind != Kind::Election) {
            let Some(last) = renewals.iter().rfind(|renewal| renewal.answered <= write.arrived) else {
                breaches.push(format!("{} came from instance {by} before anybody held the lease", write.what));
                continue;
            };
            let since = write.arrived.duration_since(last.asked);
            if last.by != by {
                breaches
                    .push(format!("{} came from instance {by} {since:?} after the other had taken over", write.what));
            } else if since > lease {
                breaches.push(format!("{} came {since:?} after the last renewal of a lease of {lease:?}", write.what));
            }
        }
    }
    breaches
}

/// How often the lease changed hands.
pub fn takeovers(instances: [&[Passage]; 2]) -> usize {
    let renewals = renewals(instances);
    renewals.windows(2).filter(|pair| pair[0].by != pair[1].by).count()
}

/// Whether this instance has written the lease after `since`.
pub fn holds_after(passages: &[Passage], since: Instant) -> bool {
    passages.iter().filter_map(|passage| renewal(0, passage)).any(|renewal| renewal.answered > since)
}

/// Of both, in order.
fn renewals(instances: [&[Passage]; 2]) -> Vec<Renewal> {
    let of = |(by, passages): (usize, &'_ [Passage])| -> Vec<Renewal> {
        passages.iter().filter_map(|passage| renewal(by, passage)).collect()
    };
    let mut renewals: Vec<Renewal> = instances.into_iter().enumerate().flat_map(of).collect();
    renewals.sort_by_key(|renewal| renewal.answered);
    renewals
}

fn renewal(by: usize, passage: &Passage) -> Option<Renewal> {
    let (answered, code) = passage.answered.filter(|_| passage.kind == Kind::Election)?;
    (200..300).contains(&code).then_some(Renewal { by, asked: passage.arrived, answered })
}

#[test]
fn a_write_after_the_other_took_over_is_a_breach() {
    let begun = tokio::time::Instant::now().into_std();
    let at = |seconds: u64| begun + Duration::from_secs(seconds);
    let passage = |kind, seconds, code| Passage {
        number: 0,
        kind,
        what: "PUT".to_owned(),
        arrived: at(seconds),
        answered: Some((at(seconds), code)),
        fault: None,
    };
    let lease = Duration::from_secs(4);
    let holder = [passage(Kind::Election, 0, 201), passage(Kind::Write, 1, 200)];
    let heir = [passage(Kind::Election, 2, 409), passage(Kind::Election, 5, 200), passage(Kind::Write, 6, 200)];
    assert_eq!(breaches([&holder, &heir], lease), Vec::<String>::new());
    assert_eq!(takeovers([&holder, &heir]), 1);
    let late = [holder.as_slice(), &[passage(Kind::Write, 7, 200)]].concat();
    assert_eq!(breaches([&late, &heir], lease).len(), 1);
    let unrenewed = [holder.as_slice(), &[passage(Kind::Write, 5, 200)]].concat();
    assert_eq!(breaches([&unrenewed, &[]], lease).len(), 1, "nobody took over, and still it may not");
}
