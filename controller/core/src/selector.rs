//! Label selectors, parsed once.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::Unparsable;

/// Labels, sorted by key.
pub type Labels = Box<[(Box<str>, Box<str>)]>;

/// A label selector. The empty one matches nothing here: no Job without a selector owns anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    ///
    /// When an operator is not known.
    pub fn parse(selector: Option<&LabelSelector>) -> Result<Self, Unparsable> {
        let Some(selector) = selector else { return Ok(Self::default()) };
        let labels = selector.match_labels.iter().flatten();
        let mut requirements: Vec<Requirement> =
            labels.map(|(key, value)| Requirement { key: key.clone(), test: Test::In(vec![value.clone()]) }).collect();
        for expression in selector.match_expressions.iter().flatten() {
            let values = expression.values.clone().unwrap_or_default();
            let test = match expression.operator.as_str() {
                "In" => Test::In(values),
                "NotIn" => Test::NotIn(values),
                "Exists" => Test::Exists,
                "DoesNotExist" => Test::Absent,
                other => {
                    let problem = format!("operator `{other}` is not known");
                    return Err(Unparsable::Invalid { field: "spec.selector", problem });
                }
            };
            requirements.push(Requirement { key: expression.key.clone(), test });
        }
        Ok(Self { requirements })
    }

    /// Whether these labels, sorted by key, are selected.
    #[must_use]
    pub fn matches(&self, labels: &Labels) -> bool {
        !self.requirements.is_empty() && self.requirements.iter().all(|requirement| requirement.matches(labels))
    }
}

impl Requirement {
    fn matches(&self, labels: &Labels) -> bool {
        let at = labels.binary_search_by(|(key, _)| (**key).cmp(self.key.as_str()));
        let value = at.ok().map(|at| &*labels[at].1);
        match (&self.test, value) {
            (Test::In(values), Some(value)) => values.iter().any(|wanted| wanted == value),
            (Test::NotIn(values), Some(value)) => values.iter().all(|unwanted| unwanted != value),
            (Test::Exists, value) => value.is_some(),
            (Test::Absent, value) => value.is_none(),
            (Test::In(_), None) => false,
            (Test::NotIn(_), None) => true,
        }
    }
}
