//! `{kubeconfig}` and its like, in command lines, environments and addresses of a controller.

use std::collections::BTreeMap;

/// Something that only a running cluster knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placeholder {
    /// Path of a kubeconfig with the rights of the process's service account; without one, of the built-in Job controller.
    Kubeconfig,
    /// Path of a kubeconfig with the rights of the built-in TTL controller.
    TtlKubeconfig,
    /// The value of `spec.managedBy` that makes a Job the controller's own; none for a drop-in.
    Manager,
    /// A free port on 127.0.0.1 for metrics.
    MetricsPort,
    /// A free port on 127.0.0.1 for health checks.
    HealthPort,
    /// The port on 127.0.0.1 to which the API server sends admission reviews.
    WebhookPort,
    /// A free port on 127.0.0.1 for health checks of the webhook.
    WebhookHealthPort,
    /// How many requests a second the built-in controller may send.
    Qps,
    /// How many it may send at once after a quiet time.
    Burst,
    /// A namespace in which it may keep a lease.
    Namespace,
    /// Feature gates of the cell as `A=true,B=false`; none where the cell names none.
    Gates,
    /// The minor version of Kubernetes whose defaults hold in the cell, as `1.35`.
    Minor,
    /// Path of the certificate of the authority that signs every client certificate here.
    ClientCa,
    /// Path of a server certificate for 127.0.0.1, signed by the same authority.
    TlsCert,
    /// Path of its key.
    TlsKey,
    /// The name of the image of a controller in pods.
    Image,
}

impl Placeholder {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Kubeconfig,
        Self::TtlKubeconfig,
        Self::Manager,
        Self::MetricsPort,
        Self::HealthPort,
        Self::WebhookPort,
        Self::WebhookHealthPort,
        Self::Qps,
        Self::Burst,
        Self::Namespace,
        Self::Gates,
        Self::Minor,
        Self::ClientCa,
        Self::TlsCert,
        Self::TlsKey,
        Self::Image,
    ];

    /// What stands between the braces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kubeconfig => "kubeconfig",
            Self::TtlKubeconfig => "ttl-kubeconfig",
            Self::Manager => "manager",
            Self::MetricsPort => "metrics-port",
            Self::HealthPort => "health-port",
            Self::WebhookPort => "webhook-port",
            Self::WebhookHealthPort => "webhook-health-port",
            Self::Qps => "qps",
            Self::Burst => "burst",
            Self::Namespace => "namespace",
            Self::Gates => "gates",
            Self::Minor => "minor",
            Self::ClientCa => "client-ca",
            Self::TlsCert => "tls-cert",
            Self::TlsKey => "tls-key",
            Self::Image => "image",
        }
    }
}

/// A part of a text.
enum Part<'t> {
    Plain(&'t str),
    /// What stands between two braces.
    Named(&'t str),
}

/// Cuts a text at its placeholders. Braces around anything that could not be a name, as in JSON, are plain text.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let after = &rest[open + 1..];
        let name = after.split_once('}').map(|(name, _)| name).filter(|name| could_be_a_name(name));
        let Some(name) = name else {
            parts.push(Part::Plain(&rest[..=open]));
            rest = after;
            continue;
        };
        parts.extend([Part::Plain(&rest[..open]), Part::Named(name)]);
        rest = &after[name.len() + 1..];
    }
    parts.push(Part::Plain(rest));
    parts
}

fn could_be_a_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// The names in a text that are no placeholder's.
#[must_use]
pub fn unknown(text: &str) -> Vec<&str> {
    let known = |name: &str| Placeholder::ALL.iter().any(|one| one.name() == name);
    named(text).filter(|name| !known(name)).collect()
}

/// Whether a text has this placeholder.
#[must_use]
pub fn has(text: &str, placeholder: Placeholder) -> bool {
    named(text).any(|name| name == placeholder.name())
}

/// What could be the name of a placeholder in a text, known or not.
pub fn named(text: &str) -> impl Iterator<Item = &str> {
    parts(text).into_iter().filter_map(|part| match part {
        Part::Named(name) => Some(name),
        Part::Plain(_) => None,
    })
}

/// What the placeholders stand for in one cluster.
#[derive(Clone, Debug, Default)]
pub struct Values(BTreeMap<&'static str, String>);

impl Values {
    /// With this value, too.
    #[must_use]
    pub fn with(mut self, placeholder: Placeholder, value: impl ToString) -> Self {
        self.0.insert(placeholder.name(), value.to_string());
        self
    }

    /// The text with values in it; nothing if it has a placeholder that stands for nothing here.
    #[must_use]
    pub fn fill(&self, text: &str) -> Option<String> {
        parts(text)
            .into_iter()
            .map(|part| match part {
                Part::Plain(text) => Some(text),
                Part::Named(name) => self.0.get(name).map(String::as_str),
            })
            .collect()
    }

    /// The text with the values of these placeholders in it, whatever else stands in braces; nothing if one of them stands for
    /// nothing here.
    #[must_use]
    pub fn fill_only(&self, placeholders: &[Placeholder], text: &str) -> Option<String> {
        let is_meant = |name: &str| placeholders.iter().any(|one| one.name() == name);
        let filled = parts(text).into_iter().map(|part| match part {
            Part::Plain(text) => Some(text.to_owned()),
            Part::Named(name) if is_meant(name) => self.0.get(name).cloned(),
            Part::Named(name) => Some(format!("{{{name}}}")),
        });
        filled.collect()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::none("--leader-elect=false", Some("--leader-elect=false"))]
    #[case::one("--port={metrics-port}", Some("--port=8080"))]
    #[case::two("{kubeconfig}:{metrics-port}", Some("/k:8080"))]
    #[case::without_a_value("--feature-gates={gates}", None)]
    #[case::braces_of_something_else(r#"{"a": {}} {"#, Some(r#"{"a": {}} {"#))]
    #[case::a_brace_before_one("{{kubeconfig}}", Some("{/k}"))]
    #[case::letters_of_many_bytes("ä{qps}ö", Some("ä20ö"))]
    fn a_text_is_filled(#[case] text: &str, #[case] filled: Option<&str>) {
        let values = Values::default()
            .with(Placeholder::Kubeconfig, "/k")
            .with(Placeholder::MetricsPort, 8080)
            .with(Placeholder::Qps, 20);
        assert_eq!(values.fill(text).as_deref(), filled);
    }

    #[rstest]
    #[case::of_those("{qps} of {kubeconfig}", Some("20 of {kubeconfig}"))]
    #[case::words_in_braces("a {pod-name} and {\"qps\": 1}", Some("a {pod-name} and {\"qps\": 1}"))]
    #[case::without_a_value("{gates}", None)]
    fn only_some_placeholders_are_filled(#[case] text: &str, #[case] filled: Option<&str>) {
        let values = Values::default().with(Placeholder::Kubeconfig, "/k").with(Placeholder::Qps, 20);
        let found = values.fill_only(&[Placeholder::Qps, Placeholder::Gates], text);
        assert_eq!(found.as_deref(), filled);
    }

    #[rstest]
    #[case::all_are_known("{kubeconfig} {tls-key}", &[])]
    #[case::one_is_not("{kubeconfig} {kubekonfig}", &["kubekonfig"])]
    #[case::not_a_name(r#"{"a"} {A} {}"#, &[])]
    fn unknown_names_are_told(#[case] text: &str, #[case] names: &[&str]) {
        assert_eq!(unknown(text), names);
    }

    #[test]
    fn every_placeholder_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<&str> = Placeholder::ALL.iter().map(|one| one.name()).collect();
        assert_eq!(names.len(), Placeholder::ALL.len());
        assert!(names.iter().all(|name| could_be_a_name(name)));
    }
}
