//! When an object was last written, by the API server's own clock.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// When a subresource of this object was last changed, or the object itself where none is named, in whole seconds: what
/// `metadata.managedFields` has of it. However late the writer or a watch was, this is when it was stored.
#[must_use]
pub fn last_write(metadata: &ObjectMeta, subresource: Option<&str>) -> Option<Timestamp> {
    let writes = metadata.managed_fields.iter().flatten();
    let meant = writes.filter(|write| write.subresource.as_deref() == subresource);
    meant.filter_map(|write| write.time.as_ref()).map(|time| time.0).max()
}

#[cfg(test)]
mod tests {
    use super::last_write;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case::of_the_object(None, Some("2026-01-01T00:00:02Z"))]
    #[case::the_latest_of_several(Some("status"), Some("2026-01-01T00:00:09Z"))]
    #[case::never(Some("scale"), None)]
    fn each_part_has_a_last_write(#[case] part: Option<&str>, #[case] at: Option<&str>) {
        let entry = |part: Option<&str>, time: &str| json!({"manager": "m", "subresource": part, "time": time});
        let metadata: ObjectMeta = serde_json::from_value(json!({"managedFields": [
            entry(None, "2026-01-01T00:00:02Z"),
            entry(Some("status"), "2026-01-01T00:00:09Z"),
            entry(Some("status"), "2026-01-01T00:00:05Z"),
        ]}))
        .unwrap();
        assert_eq!(last_write(&metadata, part), at.map(|at| at.parse().unwrap()));
    }
}
