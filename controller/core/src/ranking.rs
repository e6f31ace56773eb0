//! Which of two pods is more dispensable (PAR-010).

use std::cmp::Reverse;

use jiff::Timestamp;

use crate::pod::Phase;
use crate::{PodView, Uid};

/// The sort key of a pod: the most dispensable pod has the least. The UID decides between equals, so that the order of
/// a list never does.
type Key<'a> = (bool, Phase, bool, bool, Reverse<Option<Timestamp>>, Reverse<u32>, Reverse<Timestamp>, &'a Uid);

/// The rank of an active pod: unassigned before assigned; Pending, Unknown, Running; not ready before ready; ready for
/// a short time before ready for long; many restarts before few; young before old (PAR-010).
pub(crate) fn rank(pod: &PodView) -> Key<'_> {
    let since = pod.ready_since.filter(|_| pod.ready);
    (
        pod.assigned,
        pod.phase,
        pod.ready,
        since.is_some(),
        Reverse(since),
        Reverse(pod.restarts),
        Reverse(pod.created),
        &pod.uid,
    )
}
