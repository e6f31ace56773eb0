//! Objects that a controller needs before it starts: definitions of its resources, its roles, configurations of its webhook.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One file of objects, documents of YAML or JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Manifest {
    /// A file of the user's.
    File(PathBuf),
    /// One that comes with the program.
    Embedded {
        /// What it is called in messages.
        name: String,
        /// The documents.
        text: String,
    },
}

impl std::fmt::Display for Manifest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Embedded { name, .. } => f.pad(name),
        }
    }
}

/// As whom a process comes to the API server: `NAMESPACE/NAME` of a service account, whose rights are what its manifests say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ServiceAccount {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl ServiceAccount {
    /// Its name as a user: in audit logs and in role bindings.
    #[must_use]
    pub fn user(&self) -> String {
        format!("system:serviceaccount:{}:{}", self.namespace, self.name)
    }
}

impl TryFrom<String> for ServiceAccount {
    type Error = String;

    /// Of `NAMESPACE/NAME`.
    fn try_from(text: String) -> Result<Self, String> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let is_label = |label: &str| {
            label.chars().all(|c| is_plain(c) || c == '-') && label.starts_with(is_plain) && label.ends_with(is_plain)
        };
        match text.split_once('/') {
            Some((namespace, name)) if is_label(namespace) && name.split('.').all(is_label) => {
                Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
            }
            _ => Err(format!("`{text}` names no service account: write NAMESPACE/NAME")),
        }
    }
}

impl From<ServiceAccount> for String {
    fn from(account: ServiceAccount) -> Self {
        format!("{}/{}", account.namespace, account.name)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::both_parts("volcano-system/controller", Some("system:serviceaccount:volcano-system:controller"))]
    #[case::a_name_with_dots("kube-system/a.b", Some("system:serviceaccount:kube-system:a.b"))]
    #[case::no_namespace("controller", None)]
    #[case::an_empty_name("volcano-system/", None)]
    #[case::a_path_that_leads_out("../etc", None)]
    #[case::three_parts("a/b/c", None)]
    fn a_service_account_is_named_with_its_namespace(#[case] text: &str, #[case] user: Option<&str>) {
        let read = ServiceAccount::try_from(text.to_owned());
        assert_eq!(read.ok().map(|account| account.user()).as_deref(), user);
    }
}
