//! What a controller had seen of a Job when it made a pod: where requests are on the timeline, the status that it asks for next tells.

use super::{asked::is_of_status, job_history::JobHistory};
use crate::{deviation::SEEN_AS_IT_WAS, request::Request, timeline::Timeline};

/// Words for a pod that came to be at `made`, where it was made from the Job as it had been before `revision`; else none.
pub(super) fn told(timeline: &Timeline, history: &JobHistory, made: u64, revision: u64) -> String {
    let seen = last_seen(timeline, history, made).filter(|seen| *seen < revision);
    seen.map(|seen| format!("; {SEEN_AS_IT_WAS} {seen}")).unwrap_or_default()
}

/// The version of the Job from which the status was computed that was asked for next after this pod had been.
fn last_seen(timeline: &Timeline, history: &JobHistory, made: u64) -> Option<u64> {
    let requests = || timeline.requests().map(|(_, request)| request);
    let creation = requests().find(|request| request.verb == "create" && request.made == Some(made))?;
    let is_next = |request: &&Request| {
        is_of_status(request) && request.name == history.job.name && request.sent_us >= creation.sent_us
    };
    requests().filter(is_next).min_by_key(|request| request.sent_us)?.from
}
