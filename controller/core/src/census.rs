//! The pods of a Job as they stand now: what the cache shows, corrected by what we know to have done.

use crate::pod::Phase;
use crate::ruling::Ruling;
use crate::{Gates, JobSpec, JobView, Memory, PodView, Snapshot};

/// A pod of the Job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    pub pod: &'a PodView,
    /// Told to stop, by anybody.
    pub deleting: bool,
    /// Still has the finalizer, and nobody has asked to remove it (FIN-009).
    pub tracked: bool,
}

/// The pods of a Job, counted.
#[derive(Debug)]
pub(crate) struct Census<'a> {
    pub members: Vec<Member<'a>>,
    /// Active pods, those among them included that were created and not seen yet (PAR-021, PAR-022).
    pub active: u32,
    pub ready: u32,
    pub terminating: u32,
    /// Only a pod in phase Failed is failed, and only then replaced.
    pub only_failed: bool,
}

/// Whether pods are replaced only once they failed (PFP-014, PRP-002, PRP-009, PRP-011).
pub(crate) fn replaces_only_failed(spec: &JobSpec, gates: &Gates) -> bool {
    let by_policy = gates.pod_replacement_policy && spec.replaces_only_failed;
    by_policy || (gates.pod_failure_policy && spec.failure_policy.is_some())
}

impl<'a> Census<'a> {
    /// Looks at every pod once (SYN-013, STA-014, PRP-003).
    pub fn take(seen: &Snapshot<'a>, memory: &Memory, gates: &Gates) -> Self {
        let waits = !(memory.deleted.is_empty() && memory.released.is_empty());
        let mut census = Self {
            members: Vec::with_capacity(seen.pods.len()),
            active: number(memory.created.len()),
            ready: 0,
            terminating: 0,
            only_failed: replaces_only_failed(&seen.job.spec, gates),
        };
        for pod in seen.pods.iter().copied().filter(|pod| pod.belongs_to(seen.job)) {
            let deleting = pod.deleting || (waits && memory.deleted.contains(&pod.uid));
            let tracked = pod.tracked && !(waits && memory.released.contains(&pod.uid));
            let member = Member { pod, deleting, tracked };
            census.members.push(member);
        }
        let count = |is_so: fn(&Member<'_>) -> bool| number(census.members.iter().filter(|one| is_so(one)).count());
        census.active = count(|member| member.is_active()).saturating_add(census.active);
        census.ready = count(|member| member.is_active() && member.pod.ready);
        census.terminating = count(|member| member.is_terminating());
        census
    }

    pub fn active(&self) -> impl Iterator<Item = &Member<'a>> {
        self.members.iter().filter(|member| member.is_active())
    }

    /// Whether the pod is a failed one (PFP-001, PRP-001, PRP-006, BKO-013).
    pub fn has_failed(&self, member: &Member<'_>) -> bool {
        match member.pod.phase {
            Phase::Failed => true,
            Phase::Succeeded => false,
            _ => !self.only_failed && member.pod.deleting,
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Member<'_> {
    pub fn is_active(&self) -> bool {
        !self.pod.is_terminal() && !self.deleting
    }

    pub fn is_terminating(&self) -> bool {
        !self.pod.is_terminal() && self.deleting
    }

    /// The index, when the Job has indexes and this one is in range.
    pub fn valid_index(&self, spec: &JobSpec) -> Option<u32> {
        let below = spec.indexes_below()?;
        self.pod.index.filter(|index| *index < below)
    }

    /// Whether the pod may be counted as far as its index goes (IDX-013, IDX-025).
    pub fn has_place(&self, spec: &JobSpec) -> bool {
        !spec.is_indexed() || self.valid_index(spec).is_some()
    }

    /// What the failure policy says about a pod that counts as failed: one in phase Failed, or one that has not ended when
    /// its Job fails (PFP-001, PFP-016, PFP-019, BKO-005).
    pub fn ruling(&self, job: &JobView, gates: &Gates) -> Option<Ruling> {
        let policy = job.spec.failure_policy.as_ref().filter(|_| gates.pod_failure_policy)?;
        policy.ruling(job, self.pod, gates)
    }
}
