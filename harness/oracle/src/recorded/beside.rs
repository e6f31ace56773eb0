//! What a controller may keep beside its pods: recorded where Volcano's Jobs are judged, whose plugins make such.

use super::Recorded;
use crate::setting::Setting;
use jobsworth_api::Resource;
use k8s_openapi::{
    api::{
        core::v1::{ConfigMap, PersistentVolumeClaim, Service},
        networking::v1::NetworkPolicy,
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};

/// Where it is served, where it is of interest: to Volcano's Jobs.
pub(super) fn for_volcano(setting: &Setting, resource: Resource) -> Option<Resource> {
    setting.is_about(&Resource::VOLCANO_JOBS).then_some(resource)
}

/// A kind of the cluster's own, recorded for Volcano's Jobs.
macro_rules! beside_pods {
    ($($kind:ty = $resource:ident),+ $(,)?) => {
        $(impl Recorded for $kind {
            const RESOURCE: Resource = Resource::$resource;

            fn metadata(&self) -> &ObjectMeta {
                &self.metadata
            }

            fn served(setting: &Setting) -> Option<Resource> {
                for_volcano(setting, Self::RESOURCE)
            }
        })+
    };
}

beside_pods! {
    Service = SERVICES,
    ConfigMap = CONFIG_MAPS,
    PersistentVolumeClaim = CLAIMS,
    NetworkPolicy = NETWORK_POLICIES,
}
