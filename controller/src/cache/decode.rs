//! How objects become values. No object is dropped for one field: what can be read of it counts.

use std::ops::Range;

use jobsworth_controller_runtime::feed::Resource;
use jobsworth_core::{PodView, job, pod};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{CachedJob, CachedPod};

#[derive(Deserialize)]
struct Outline<'a> {
    #[serde(borrow)]
    spec: Option<&'a RawValue>,
}

/// What is kept of a Job, as an object again.
#[derive(Serialize)]
struct Kept<'a> {
    metadata: &'a ObjectMeta,
    spec: &'a RawValue,
}

#[derive(Deserialize)]
struct Spec<'a> {
    #[serde(borrow)]
    template: &'a RawValue,
}

/// Where the template is in the text of a spec; nowhere if there is none.
fn template_in(spec: &RawValue) -> Range<usize> {
    let text = spec.get();
    let Ok(Spec { template }) = serde_json::from_str(text) else { return 0..0 };
    // It is a part of this very text.
    let begin = template.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
    begin..begin.saturating_add(template.get().len())
}

impl CachedJob {
    /// `spec.template` as it came: pods get what we do not know of it too.
    #[must_use]
    pub fn template(&self) -> Value {
        let text = self.spec.get().get(self.template.clone());
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The Job as an object of the API, as far as it can be read.
    #[must_use]
    pub fn object(&self) -> Job {
        let kept = serde_json::to_string(&Kept { metadata: &self.metadata, spec: &self.spec }).ok();
        let spec = kept.and_then(|kept| job::read(&kept).ok()?.object.spec);
        Job { metadata: self.metadata.clone(), spec, status: Some(self.view.status.to_api()) }
    }
}

impl Resource for CachedJob {
    const COLLECTION: &'static str = "/apis/batch/v1/jobs";
    const NAME: &'static str = "jobs";

    fn decode(json: &RawValue) -> Result<Self, String> {
        let job::Reading { object, view } = job::read(json.get()).map_err(|error| error.to_string())?;
        let outline = serde_json::from_str::<Outline<'_>>(json.get()).ok();
        let spec = outline.and_then(|outline| outline.spec).unwrap_or(RawValue::NULL);
        let metadata = ObjectMeta { managed_fields: None, ..object.metadata };
        Ok(Self { metadata, view, template: template_in(spec), spec: spec.to_owned() })
    }
}

impl Resource for CachedPod {
    const COLLECTION: &'static str = "/api/v1/pods";
    const NAME: &'static str = "pods";

    fn decode(json: &RawValue) -> Result<Self, String> {
        let (object, complaint) = match pod::skim(json.get()) {
            Ok(object) => (object, None),
            Err(error) => {
                let object = pod::skim_what_can_be_read(json.get()).map_err(|error| error.to_string())?;
                (object, Some(error.to_string()))
            }
        };
        let namespace = object.metadata.namespace.as_deref().unwrap_or_default().into();
        let view = PodView::parse(&object).map_err(|error| error.to_string())?;
        Ok(Self { namespace, view, complaint })
    }
}
