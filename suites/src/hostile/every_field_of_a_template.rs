//! Templates with metadata that the API server keeps and nobody can use.

use crate::{
    siege::{Row, besiege, row, withstood},
    words::*,
};

/// Pods take labels, annotations and finalizers from the template, and nothing else.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "pod template",
                says: "metadata of the template that cannot be a new pod's does not keep pods from being made",
            },
            requirements: &["PAR-014", "FIN-007", "SYN-031"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        besiege(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        let done = job_named("template-finalizers").is_finished();
        let kept = word("holding the finalizer of its template, and not the Job's", |pod| {
            let finalizers = pod.metadata.finalizers.as_deref().unwrap_or_default();
            *finalizers == [FINALIZER]
        });
        let keeps = pods().of("template-finalizers").any(kept);
        withstood(&rows()).and("an ended pod keeps the finalizer of its template", after(&done, always(keeps)))
    }
}

/// Any that a pod may have; that of a foreground deletion means something for the pod's own deletion only.
const FINALIZER: &str = "foregroundDeletion";

const DONE: &str = "SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), succeeded 1, 1 ended, *Completed, *SuccessfulCreate";

/// The rows of the table.
#[must_use]
pub fn rows() -> Vec<Row> {
    let owner = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "nobody", "uid": "none", "controller": true}]);
    let managed = json!([{"manager": "nobody", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1"}]);
    let fields = [
        ("name", json!("named")),
        ("generate-name", json!("generated-")),
        ("namespace", json!("kube-system")),
        ("uid", json!("a-uid")),
        ("resource-version", json!("1")),
        ("generation", json!(i64::MAX)),
        ("creation-timestamp", json!("2001-01-01T00:00:00Z")),
        ("deletion-timestamp", json!("2001-01-01T00:00:00Z")),
        ("deletion-grace-period-seconds", json!(i64::MAX)),
        ("owner-references", owner),
        ("managed-fields", managed),
        ("self-link", json!("/nowhere")),
        ("finalizers", json!([FINALIZER])),
    ];
    let mut all = counted(1, 1);
    let mut rows = Vec::new();
    for (name, value) in fields {
        let field = camel(name);
        rows.push(
            row(&format!("template-{name}"), counted(1, 1).pod_metadata(&field, value.clone()))
                .pod_ends(0)
                .becomes(DONE),
        );
        all = all.pod_metadata(&field, value);
    }
    rows.push(row("template-everything", all).pod_ends(0).becomes(DONE));
    rows
}

fn camel(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| all + &word[..1].to_uppercase() + &word[1..])
}
