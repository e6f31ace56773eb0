//! Kubernetes Events about jobs: what the core wants to have told, as the runtime sends it.

use jobsworth_controller_runtime::events::{Allotment, Event, EventRecorder, EventType, Regarding};
use jobsworth_volcano_api::well_known::BATCH_API_VERSION;
use jobsworth_volcano_core::Notice;

use super::cache::CachedJob;

/// Who says so (VJ-193).
pub const REPORTING_CONTROLLER: &str = "vc-controller-manager";

/// Where syncs leave their notices.
#[derive(Clone, Debug)]
pub struct JobEvents(pub EventRecorder);

impl JobEvents {
    /// Leaves a notice about a job; drops it when too many wait or the job had too many. That a Command is carried out is
    /// always told: nothing else is left of it (VJ-303).
    pub fn record(&self, job: &CachedJob, notice: Notice) {
        let regarding = Regarding {
            api_version: BATCH_API_VERSION,
            kind: "Job",
            namespace: job.key.namespace.to_string(),
            name: job.key.name.to_string(),
            uid: job.uid.to_string(),
            revision: job.revision,
        };
        let Notice { warning, reason, message } = notice;
        let event_type = if warning { EventType::Warning } else { EventType::Normal };
        let allotment = if reason == "CommandIssued" { Allotment::Exempt } else { Allotment::Counted };
        self.0.record(regarding, Event { event_type, reason: reason.to_owned(), note: message, allotment });
    }
}
