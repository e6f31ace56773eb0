//! How many failures a Job may have.

use crate::JobSpec;
use crate::census::Census;
use crate::pod::Phase;

/// Whether the Job has failed too often (BKO-001, BKO-002, BKO-003, BKO-009, BKO-014, BKO-016).
pub(crate) fn is_exceeded(spec: &JobSpec, failed: u64, census: &Census<'_>) -> bool {
    failed > u64::from(spec.backoff_limit) || (spec.restarts_containers && restarted_too_often(spec, census))
}

fn restarted_too_often(spec: &JobSpec, census: &Census<'_>) -> bool {
    let lasting = census
        .members
        .iter()
        .filter(|member| member.tracked && matches!(member.pod.phase, Phase::Pending | Phase::Running));
    let restarts: u64 = lasting.map(|member| u64::from(member.pod.restarts_with_init)).sum();
    restarts > 0 && restarts >= u64::from(spec.backoff_limit)
}
