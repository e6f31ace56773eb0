//! The APIs whose controllers can be judged.

use std::fmt;

use jobsworth_api::Resource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An API of Jobs: which objects a controller reconciles, and which cases are about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum JobApi {
    /// Kubernetes' own Jobs.
    #[default]
    #[serde(rename = "batch/v1")]
    Batch,
    /// Volcano's Jobs.
    #[serde(rename = "batch.volcano.sh/v1alpha1")]
    Volcano,
}

impl JobApi {
    /// Whether every cluster has it.
    #[must_use]
    pub const fn is_kubernetes_own(&self) -> bool {
        matches!(self, Self::Batch)
    }

    /// Its Jobs.
    #[must_use]
    pub const fn resource(self) -> Resource {
        match self {
            Self::Batch => Resource::JOBS,
            Self::Volcano => Resource::VOLCANO_JOBS,
        }
    }

    /// What acts in the namespace of a case of it, or is acted on; what makes others comes before what is made. All else there
    /// stands still or goes by the garbage collector.
    #[must_use]
    pub(crate) fn acting(self) -> &'static [Resource] {
        match self {
            Self::Batch => ACTING,
            Self::Volcano => ACTING_OF_VOLCANO,
        }
    }
}

const CRON_JOBS: Resource = Resource::new("batch", "v1", "cronjobs", "CronJob");
const ACTING: &[Resource] = &[CRON_JOBS, Resource::JOBS, Resource::PODS];
const ACTING_OF_VOLCANO: &[Resource] = &[
    Resource::VOLCANO_COMMANDS,
    CRON_JOBS,
    Resource::JOBS,
    Resource::VOLCANO_JOBS,
    Resource::VOLCANO_POD_GROUPS,
    Resource::PODS,
];

impl fmt::Display for JobApi {
    /// As `apiVersion` of its objects.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.resource().api_version())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_in_its_objects() {
        for api in [JobApi::Batch, JobApi::Volcano] {
            assert_eq!(serde_json::to_value(api).unwrap(), api.to_string());
        }
    }

    #[test]
    fn its_jobs_end_before_their_pods_which_would_be_made_anew() {
        for api in [JobApi::Batch, JobApi::Volcano] {
            let place = |kind: &Resource| api.acting().iter().position(|one| one == kind).unwrap();
            assert!(place(&CRON_JOBS) < place(&Resource::JOBS) && place(&Resource::JOBS) < place(&Resource::PODS));
            assert!(place(&api.resource()) < place(&Resource::PODS));
            assert_eq!(api.acting().last(), Some(&Resource::PODS));
        }
    }
}
