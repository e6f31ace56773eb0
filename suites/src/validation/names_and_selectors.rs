//! Names of Jobs and of their managers, and which pods a Job selects.

use crate::{
    table::{
        self,
        Fault::{Invalid, Required, TooLong},
        Row, row,
    },
    words::*,
};

/// Names must make valid host names, managers are paths in a domain, and a selector matches the Job's own template.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of metadata, managedBy and selector",
                says: "names that would make invalid pods and selectors that would miss them are refused",
            },
            requirements: &["VAL-005", "VAL-022", "VAL-023", "VAL-024", "MGB-005"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows())
    }
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [names(), managers(), generated_selectors(), manual_selectors()].concat()
}

fn names() -> Vec<Row> {
    let name = "metadata.name";
    let long = |letters: usize| "n".repeat(letters);
    let warning = "a DNS label is recommended";
    vec![
        row("VAL-005 a last host name of 63 letters is not too long", indexed(10)).named(&long(61)).accepted(),
        row("VAL-005 a last host name of 64 letters is too long", indexed(11)).named(&long(61)).refused_saying(
            Invalid,
            name,
            "invalid DNS label",
        ),
        row("VAL-005 a Job without indexes has no last host name", indexed(0)).named(&long(62)).accepted(),
        row("VAL-005 the name of an Indexed Job has no dots", indexed(1)).named("in.dexed").refused(Invalid, name),
        row("VAL-005 growth may not make the last host name too long", indexed(10))
            .named(&long(60))
            .then(json!({"spec": {"completions": 1001, "parallelism": 1001}}))
            .refused_saying(Invalid, name, "invalid DNS label"),
        row("VAL-024 a name that is a DNS label is not warned of", counted(1, 1)).named("plain").does_not_warn(),
        row("VAL-024 a name with dots is warned of", counted(1, 1)).named("dotted.name").warns(warning),
        row("VAL-024 a name with capitals is refused", counted(1, 1))
            .named("Capital")
            .refused_among_others(Invalid, name),
        // A subdomain of 253 letters is a valid name, but the name is also the value of a label.
        row("VAL-024 a name of 64 letters is too long for the label with it", counted(1, 1))
            .named(&long(64))
            .refused_among_others(Invalid, "spec.template.labels"),
    ]
}

fn managers() -> Vec<Row> {
    let manager = "spec.managedBy";
    let managed = |by: &str| counted(1, 1).suspended().managed_by(by);
    let long = |letters: usize| format!("example.com/{}", "p".repeat(letters - "example.com/".len()));
    vec![
        row("VAL-022 a manager is a path in a domain", managed("example.com/controller")).accepted(),
        row("VAL-022 the built-in controller's own name may be given", managed("kubernetes.io/job-controller"))
            .accepted(),
        row("VAL-022 a manager is not a word alone", managed("controller")).refused(Invalid, manager),
        row("VAL-022 a manager has a domain", managed("/controller")).refused(Invalid, manager),
        row("VAL-022 a manager has a path", managed("example.com/")).refused(Invalid, manager),
        row("VAL-022 a domain has no capitals", managed("Example.com/controller")).refused(Invalid, manager),
        row("VAL-022 a path has no blanks", managed("example.com/my controller")).refused(Invalid, manager),
        row("VAL-022 a manager is not the empty text", managed("")).refused(Required, manager),
        row("VAL-022 a manager of 63 letters is not too long", managed(&long(63))).accepted(),
        row("VAL-022 a manager of 64 letters is too long", managed(&long(64))).refused(TooLong, manager),
    ]
}

fn generated_selectors() -> Vec<Row> {
    let labelled = |label: &str| counted(1, 1).pod_metadata("labels", json!({label: "mine"}));
    let selects = |label: &str| counted(1, 1).spec("selector", json!({"matchLabels": {label: "mine"}}));
    vec![
        row("VAL-023 other labels of the template are welcome", labelled("app")).accepted(),
        row("VAL-023 the template may not claim another UID", labelled("batch.kubernetes.io/controller-uid"))
            .refused_among_others(Invalid, "spec.template.metadata.labels[batch.kubernetes.io/controller-uid]"),
        row("VAL-023 the template may not claim another Job's name", labelled("batch.kubernetes.io/job-name"))
            .refused(Invalid, "spec.template.metadata.labels[batch.kubernetes.io/job-name]"),
        row("VAL-023 the template may not claim another UID in the old way", labelled("controller-uid"))
            .refused(Invalid, "spec.template.metadata.labels[controller-uid]"),
        row("VAL-023 the template may not claim another Job's name in the old way", labelled("job-name"))
            .refused(Invalid, "spec.template.metadata.labels[job-name]"),
        row(
            "VAL-023 a selector of one's own must be declared",
            selects("app").pod_metadata("labels", json!({"app": "mine"})),
        )
        .refused_saying(Invalid, "spec.selector", "`selector` not auto-generated"),
        row("VAL-023 a selector may not ask for another UID", selects("batch.kubernetes.io/controller-uid"))
            .refused_among_others(Invalid, "spec.selector"),
    ]
}

fn manual_selectors() -> Vec<Row> {
    let manual = || counted(1, 1).spec("manualSelector", true);
    vec![
        row("VAL-023 a declared selector of one's own is accepted", counted(1, 1).selects_app("a")).accepted(),
        row("VAL-023 a declared selector must be there", manual()).refused_among_others(Required, "spec.selector"),
        row(
            "VAL-023 a declared selector must match the template",
            counted(1, 1).selects_app("a").pod_metadata("labels", json!({"app": "b"})),
        )
        .refused_saying(Invalid, "spec.template.metadata.labels", "does not match template"),
        row("VAL-023 a selector has valid labels", counted(1, 1).selects_app("not a value"))
            .refused_among_others(Invalid, "spec.selector.matchLabels"),
    ]
}
