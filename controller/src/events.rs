//! Kubernetes Events about Jobs: what the core wants to have told, as the runtime sends it.

use jobsworth_controller_runtime::events::{Allotment, Event, EventRecorder, EventType, Regarding};
use jobsworth_core::{JobView, Notice};

/// Who says so.
pub const REPORTING_CONTROLLER: &str = "job-controller";

/// Where syncs leave their notices.
#[derive(Clone, Debug)]
pub struct JobEvents(pub EventRecorder);

impl JobEvents {
    /// Leaves a notice about a Job; drops it when too many wait or the Job had too many. How a Job ended is always told.
    /// (EVT-001 to EVT-008)
    pub fn record(&self, job: &JobView, notice: Notice) {
        let Notice { warning, reason, message } = notice;
        let ends = reason == "Completed" || (warning && !is_about_a_pod(&reason));
        let regarding = Regarding {
            api_version: "batch/v1",
            kind: "Job",
            namespace: job.namespace.to_string(),
            name: job.name.to_string(),
            uid: job.uid.to_string(),
            revision: job.revision,
        };
        let event_type = if warning { EventType::Warning } else { EventType::Normal };
        let allotment = if ends { Allotment::Exempt } else { Allotment::Counted };
        self.0.record(regarding, Event { event_type, reason, note: message, allotment });
    }
}

fn is_about_a_pod(reason: &str) -> bool {
    matches!(reason, "FailedCreate" | "FailedDelete" | "SuccessfulCreate" | "SuccessfulDelete")
}
