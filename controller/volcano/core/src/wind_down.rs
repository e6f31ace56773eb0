//! Passes that kill: pods, and with the whole job what was made for them (VJ-148 to VJ-158).

use jobsworth_volcano_api::Action;

use crate::goals::Goals;
use crate::occasion::Findings;
use crate::plugin;
use crate::status::Draft;
use crate::sync::SyncContext;
use crate::transition::{self, Cell, Kill, Next};
use crate::{Call, Decision, Memory, Notice, Phase, PodView, Profile, Request, Tally, kill};

/// The reason of a job that fails because its runs are used up (VJ-186).
const OVER: &str = "MaxRetryReached";

impl SyncContext<'_> {
    /// An action that kills, or the upkeep of a phase in which nothing lives.
    pub fn kill(self, memory: Memory, mut findings: Findings, cell: Cell, kind: Kill, action: &Action) -> Decision {
        let profile = self.limits.profile;
        // Release 1.15 asks plugins before it takes anything down; a name that is none blocks even that (VJ-276).
        if let Some(unknown) = plugin::of(self.seen.job).err().filter(|_| profile.follows_requests()) {
            findings.notices.push(Notice::warning("PluginError", unknown.to_string()));
            return self.sync_state(memory, findings).refuse();
        }
        let request = findings.occasion.as_ref().map(|occasion| occasion.request.clone()).unwrap_or_default();
        let retries = self.status.retry_count.saturating_add(i32::from(cell.retry));
        let targets = kill::targets(&self.census, kind, action, &request, self.is_last(cell), profile);
        let whole = kind != Kill::Targeted;
        let mut spent = self.spent.clone();
        spent.forget(self.seen, kind, action, &request, self.is_last(cell));
        let tally = match profile.kills_forget_counters() {
            true => self.terminating_only(&targets, kind, action, &request),
            false => self.tally_without(&targets, &spent),
        };
        let mut draft = Draft { kill: true, retries, ..Draft::unchanged(self.seen.job, self.phase, tally) };
        spent.record(&mut draft.resources);
        if whole && raises_version(profile, cell) {
            draft.version = draft.version.saturating_add(1);
        }
        draft.phase = self.phase_after(cell, &self.goals, &draft, !targets.is_empty() || whole);
        draft.reason = self.reason(cell.next, kind, draft.phase, action, &request);
        let all = whole || profile.targeted_kill_tears_down();
        self.carry_out(memory, findings, draft, &targets, all)
    }

    /// The upkeep of Restarting: what an action began is brought to its end, whoever began it, together with what is to be
    /// restarted on top of it. Only then the phase's function is asked (VJ-174).
    pub fn wind_down(self, memory: Memory, findings: Findings, cell: Cell) -> Decision {
        let (kind, version) = (self.begun(), self.status.version);
        let over = self.status.retry_count >= self.goals.max_retry;
        let stale = |pod: &PodView| pod.version < version && !(pod.phase.has_ended() && (over || kind == Kill::Soft));
        let occasion = findings.occasion.as_ref();
        let profile = self.limits.profile;
        let meant =
            |pod: &PodView| occasion.is_some_and(|more| kill::is_meant(pod, &more.action, &more.request, profile));
        let goes =
            |pod: &&PodView| !pod.deleting && (pod.out_of_sync || meant(pod) || (kind != Kill::Targeted && stale(pod)));
        let targets: Vec<&PodView> = self.census.pods.iter().copied().filter(goes).collect();
        let whole = kind != Kill::Targeted;
        let left = whole && (self.own_group_is_there() || !self.teardown(&memory, version).is_empty());
        let mut spent = self.spent.clone();
        if let Some(more) = occasion {
            spent.forget(self.seen, Kill::Targeted, &more.action, &more.request, over);
        }
        let mut draft = Draft::unchanged(self.seen.job, self.phase, self.tally_without(&targets, &spent));
        spent.record(&mut draft.resources);
        draft.kill = true;
        if over || (targets.is_empty() && !left) {
            draft.phase = transition::next_phase(profile, self.phase, cell, &self.goals, &draft.tally, draft.retries);
        }
        draft.reason = self.reason(Next::Function, Kill::Targeted, draft.phase, &Action::SyncJob, &Request::default());
        self.carry_out(memory, findings, draft, &targets, whole)
    }

    fn carry_out(
        self,
        memory: Memory,
        findings: Findings,
        mut draft: Draft,
        targets: &[&PodView],
        all: bool,
    ) -> Decision {
        let teardown = if all { self.teardown(&memory, draft.version) } else { Vec::new() };
        let group = self.group_to_delete().filter(|_| all);
        if all && (teardown.is_empty() || self.limits.profile.writes_status_last()) {
            draft.resources.retain(|key, _| !key.starts_with("plugin-"));
        }
        if draft.phase == Phase::Pending && !self.limits.profile.follows_requests() {
            plugin::announce(self.seen.job, &mut draft.resources);
        }
        let version = draft.version;
        let mut state = self.sync_state(memory, findings);
        if all {
            state.tears_down(version);
        }
        state.kill(draft, targets.iter().map(|pod| kill::call(pod)).collect(), teardown, group)
    }

    /// Deletions of what plugins have made, unless they went through before for this version.
    fn teardown(&self, memory: &Memory, version: i32) -> Vec<Call> {
        if memory.torn_down == Some(version) {
            return Vec::new();
        }
        let known = |name: &str| self.status.controlled_resources.contains_key(&plugin::resource_key(name));
        let objects = plugin::objects(self.seen.job).into_iter().filter(|(name, _)| known(name));
        let own = !self.limits.profile.follows_requests();
        let delete =
            |object: plugin::Object| Call::DeleteObject { kind: object.kind(), name: object.name().to_owned(), own };
        objects.flat_map(|(_, objects)| objects).map(delete).collect()
    }

    /// Whether no run follows this kill (VJ-149).
    fn is_last(&self, cell: Cell) -> bool {
        let counted = i32::from(cell.retry || self.limits.profile.follows_requests());
        self.status.retry_count.saturating_add(counted) >= self.goals.max_retry
    }

    /// The phase after a kill. While restarting, a job goes on only once all is down, but for release 1.15.
    fn phase_after(&self, cell: Cell, goals: &Goals, draft: &Draft, busy: bool) -> Phase {
        let profile = self.limits.profile;
        let waits = cell.next == Next::Function && busy && !profile.follows_requests();
        match waits && draft.retries < goals.max_retry {
            true => self.phase,
            false => transition::next_phase(profile, self.phase, cell, goals, &draft.tally, draft.retries),
        }
    }

    /// Reason and message of a pass that kills; `None` when those of the phase, or of the pass before, will do. They are
    /// what [`Self::begun`] reads: a restart of the job stays one when less is restarted in the middle of it.
    fn reason(
        &self,
        next: Next,
        kind: Kill,
        phase: Phase,
        action: &Action,
        request: &Request,
    ) -> Option<(String, String)> {
        let state = &self.status.state;
        match next {
            Next::Function if phase == Phase::Failed => Some((OVER.to_owned(), state.message.clone())),
            Next::Function if kind == Kill::Hard => Some((Action::RestartJob.to_string(), message(request))),
            Next::To(_) => Some((action.to_string(), message(request))),
            // What began as an order ends as one.
            Next::WhenNoneAlive(_) => Some((state.reason.clone(), state.message.clone())),
            Next::Function | Next::Stay => None,
        }
    }

    /// What the job is being restarted for, as its status tells. A status that does not tell is of another controller.
    fn begun(&self) -> Kill {
        match Action::from(self.status.state.reason.as_str()) {
            Action::RestartTask | Action::RestartPod | Action::RestartPartition => Kill::Targeted,
            Action::ResumeJob => Kill::Soft,
            _ => Kill::Hard,
        }
    }

    /// Counters as release 1.15 leaves them: what terminates, of the target alone when there is one (VJ-115, VJ-327).
    fn terminating_only(&self, targets: &[&PodView], kind: Kill, action: &Action, request: &Request) -> Tally {
        let profile = self.limits.profile;
        let concerned = |pod: &&PodView| kind != Kill::Targeted || kill::is_meant(pod, action, request, profile);
        let mut tally = Tally::default();
        for pod in self.census.pods.iter().copied().filter(concerned) {
            if pod.deleting || targets.iter().any(|target| target.uid == pod.uid) {
                tally.enter(pod, true);
            }
        }
        tally
    }
}

/// VJ-108: with each kill of the whole job, not with the upkeep after it, but for release 1.15.
const fn raises_version(profile: Profile, cell: Cell) -> bool {
    profile.every_kill_raises_version() || matches!(cell.next, Next::To(_) | Next::Function)
}

/// What happened, in words.
fn message(request: &Request) -> String {
    let event = request.event.as_ref().map_or_else(String::new, ToString::to_string);
    match (&request.pod, &request.task) {
        (Some((pod, _)), _) => format!("{event} of pod {pod}"),
        (None, Some(task)) => format!("{event} of task {task}"),
        (None, None) => event,
    }
}
