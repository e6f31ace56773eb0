//! How objects become values. No object is dropped for one field: what can be read of it counts.

use jobsworth_controller_runtime::feed::Resource;
use jobsworth_core::{PodView, job, pod};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{CachedJob, CachedPod};

#[derive(Deserialize)]
struct Outline<'a> {
    #[serde(borrow)]
    spec: Option<Spec<'a>>,
}

#[derive(Deserialize)]
struct Spec<'a> {
    #[serde(borrow)]
    template: Option<&'a RawValue>,
}

impl Resource for CachedJob {
    const COLLECTION: &'static str = "/apis/batch/v1/jobs";
    const NAME: &'static str = "jobs";

    fn decode(json: &RawValue) -> Result<Self, String> {
        let job::Reading { mut object, view } = job::read(json.get()).map_err(|error| error.to_string())?;
        object.metadata.managed_fields = None;
        let outline = serde_json::from_str::<Outline<'_>>(json.get()).ok();
        let template = outline.and_then(|outline| outline.spec?.template);
        Ok(Self { object, view, template: template.unwrap_or(RawValue::NULL).to_owned() })
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
