//! Mutations of what the subject asks for: what no watch shows.

use super::{
    asked::{answered_us, refused},
    history::{History, text},
    operator::Operator,
};
use jobsworth_oracle::Request;
use std::time::Duration;

pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "have a status refused as invalid",
        spares: "control planes that change meanwhile: an API server may begin to refuse what it took before",
        mutants: |history| {
            let writes = if history.is_rebuilt() { Vec::new() } else { history.status_writes() };
            let invalid = |place: &usize| {
                history.edit_request(*place, |request| (request.code, request.made) = (Some(422), None))
            };
            writes.iter().map(invalid).collect()
        },
    },
    Operator {
        name: "write a status without saying from which version",
        spares: "nothing",
        mutants: |history| {
            let writes = history.status_writes();
            writes.iter().map(|place| history.edit_request(*place, |request| request.from = None)).collect()
        },
    },
    Operator {
        name: "write a status again that is stored already",
        spares: "statuses that become another within the second, and histories that the case disturbed: who was killed or \
                 did not see may ask for what is so already",
        mutants: |history| {
            let rests = |place: &usize| !history.is_disturbed() && next_write(history, *place) > Duration::from_secs(1);
            again(history, rests, |request| {
                let sent_us = answered_us(request) + 200_000;
                vec![Request { sent_us, from: request.made, ..request.clone() }]
            })
        },
    },
    Operator {
        name: "write against errors fifteen times in a second",
        spares: "nothing",
        mutants: |history| again(history, |_| true, |request| burst(request, 500, 15)),
    },
    Operator {
        name: "write against conflicts thirty times in a second",
        spares: "nothing",
        mutants: |history| again(history, |_| true, |request| burst(request, 409, 30)),
    },
    Operator {
        name: "come back before a full server wants to be asked",
        spares: "histories that the case disturbed: a controller that begins anew does not know what the old one was told",
        mutants: |history| {
            again(
                history,
                |_| !history.is_disturbed(),
                |request| {
                    let full = |after: u64| Request {
                        retry_after: Some(30),
                        ..refused(request, 429, answered_us(request) + after)
                    };
                    vec![full(1000), full(500_000)]
                },
            )
        },
    },
    Operator {
        name: "write one status after the other without a pause",
        spares: "nothing",
        mutants: |history| {
            again(
                history,
                |_| true,
                |request| {
                    let next = |count: u64| Request {
                        sent_us: answered_us(request) + count * 20_000,
                        took_us: 1000,
                        from: request.made.map(|made| made + count - 1),
                        made: request.made.map(|made| made + count),
                        ..request.clone()
                    };
                    (1..=40).map(next).collect()
                },
            )
        },
    },
    Operator {
        name: "delete a Job by its name alone",
        spares: "nothing",
        mutants: |history| {
            let deletions = history.asked(|request| request.verb == "delete" && request.on == "jobs");
            deletions.iter().map(|place| history.edit_request(*place, |request| request.uid = None)).collect()
        },
    },
    Operator {
        name: "look at a Job while nothing happens",
        spares: "pauses of less than eight seconds, Jobs with a time to live, and histories that the case disturbed",
        mutants: |history| {
            let writes = history.status_writes();
            let lives = |versions: &Vec<usize>| {
                versions.iter().any(|place| history.raw(*place)["spec"].get("ttlSecondsAfterFinished").is_some())
            };
            let Some(like) = writes.first().filter(|_| !history.is_disturbed()) else { return Vec::new() };
            if history.jobs().iter().any(lives) {
                return Vec::new();
            }
            let mut mutants = Vec::new();
            let mut latest = Duration::ZERO;
            for place in 1..history.length() {
                latest = latest.max(history.at(place - 1));
                if history.at(place).saturating_sub(latest) >= Duration::from_secs(8) {
                    mutants.push(history.asking(place - 1, looks(history, latest, *like)));
                }
            }
            mutants
        },
    },
    Operator {
        name: "ask for refused pods thirty times in a second",
        spares: "Jobs that may run more than eight pods, whose requests come in larger batches; histories with several Jobs",
        mutants: |history| {
            let is_small = |versions: &Vec<usize>| {
                versions.iter().all(|place| history.raw(*place)["spec"]["parallelism"].as_i64() <= Some(8))
            };
            if !history.has_one_job() || !history.jobs().iter().all(is_small) {
                return Vec::new();
            }
            let first = history.asked(|request| request.verb == "create" && request.on == "pods").into_iter().next();
            let hammered = |place: usize| {
                let request = history.request(place).expect("it was found there");
                history.asking(place, burst(request, 403, 30))
            };
            first.map(hammered).into_iter().collect()
        },
    },
];

/// A mutant for each status write that is such a one, with what is asked for after it.
fn again(
    history: &History,
    is_place: impl Fn(&usize) -> bool,
    further: impl Fn(&Request) -> Vec<Request>,
) -> Vec<History> {
    let writes = history.status_writes().into_iter().filter(is_place);
    writes.map(|place| history.asking(place, further(history.request(place).expect("it was found there")))).collect()
}

/// So many refusals of the same, within 900 milliseconds.
fn burst(request: &Request, code: u16, count: u64) -> Vec<Request> {
    let from = request.made.filter(|_| !request.name.is_empty()).or(request.from);
    let one = |number: u64| Request {
        from,
        ..refused(request, code, answered_us(request) + 1000 + number * 900_000 / count)
    };
    (0..count).map(one).collect()
}

/// How long a Job stays as this write made it; for ever, if nothing changes it again.
fn next_write(history: &History, place: usize) -> Duration {
    let Some(request) = history.request(place) else { return Duration::ZERO };
    let is_same =
        |versions: &&Vec<usize>| Some(&text(history.raw(versions[0]), "/metadata/uid")) == request.uid.as_ref();
    let jobs = history.jobs();
    let versions = jobs.iter().find(is_same).into_iter().flatten();
    let later = versions.copied().find(|version| Some(history.revision(*version)) > request.made);
    later.map_or(Duration::MAX, |later| history.at(later).saturating_sub(history.at(place)))
}

/// Two reads of the Job, more than five seconds after the latest that was recorded.
fn looks(history: &History, latest: Duration, like: usize) -> Vec<Request> {
    let begin_us = u64::try_from(latest.as_micros()).expect("a recording lasts minutes") + 5_000_000;
    let request = history.request(like).expect("it was found there");
    let look = |sent_us: u64| Request {
        by: request.by.clone(),
        verb: "get".to_owned(),
        on: "jobs".to_owned(),
        name: request.name.clone(),
        sent_us,
        took_us: 1000,
        code: Some(200),
        ..Request::default()
    };
    vec![look(begin_us), look(begin_us + 500_000)]
}
