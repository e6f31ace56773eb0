//! How a described controller says that it works: what is wrong with that.

use super::Checker;
use crate::{
    cluster::{
        deployed::mistake_in,
        subject_kind::{ReadyInCluster, ReadyWhen},
    },
    plan::controller::ReadyText,
};
use serde_yaml::{Location, Spanned};

impl Checker<'_> {
    /// Of a program; nothing where the words are not for programs.
    pub(super) fn ready(&mut self, written: &Spanned<ReadyText>, manager: Option<&str>) -> Option<ReadyWhen> {
        let at = &written.referenced;
        match &written.value {
            ReadyText::Answers(url) => {
                self.placeholders(url, at, manager);
                self.address(url, at);
                Some(ReadyWhen::Answers(url.clone()))
            }
            ReadyText::LeaseIsHeld(lease) => {
                self.placeholders(lease, at, manager);
                self.place(lease, at, "lease");
                Some(ReadyWhen::LeaseIsHeld(lease.clone()))
            }
            ReadyText::Prints(text) => {
                self.placeholders(text, at, manager);
                if text.is_empty() {
                    let help = "write a part of a line, or use `started`";
                    self.add(at, "it prints nothing before it prints something", Some(help));
                }
                Some(ReadyWhen::Prints(text.clone()))
            }
            ReadyText::Started => Some(ReadyWhen::Started),
            ReadyText::IsAvailable(_) => {
                let help = "give it an `image` instead of a `command`, or say what it `answers` or `prints`";
                self.add(at, "a program on this machine is no Deployment", Some(help));
                None
            }
        }
    }

    /// Of an image; nothing where the words are not for images.
    pub(super) fn ready_in_cluster(
        &mut self,
        written: &Spanned<ReadyText>,
        manager: Option<&str>,
    ) -> Option<ReadyInCluster> {
        let at = &written.referenced;
        let (text, ready) = match &written.value {
            ReadyText::Answers(path) => {
                if !path.starts_with('/') {
                    let help = "pods are reached through the API server, for example \
                                /api/v1/namespaces/{namespace}/services/mine:health/proxy/readyz";
                    self.add(at, format!("`{path}` is no path of the API server"), Some(help));
                }
                (path, ReadyInCluster::Answers(path.clone()))
            }
            ReadyText::LeaseIsHeld(lease) => {
                self.place(lease, at, "lease");
                (lease, ReadyInCluster::LeaseIsHeld(lease.clone()))
            }
            ReadyText::IsAvailable(deployment) => {
                self.place(deployment, at, "Deployment");
                (deployment, ReadyInCluster::IsAvailable(deployment.clone()))
            }
            ReadyText::Prints(_) | ReadyText::Started => {
                let help = "without `ready` every Deployment of its manifests has to be available";
                self.add(at, "of a controller in pods this is not known", Some(help));
                return None;
            }
        };
        if let Some(says) = mistake_in(text, manager) {
            self.add(at, says, None);
        }
        Some(ready)
    }

    /// What is named with its namespace.
    fn place(&mut self, text: &str, at: &Location, what: &str) {
        if text.split('/').filter(|part| !part.is_empty()).count() != 2 || text.matches('/').count() != 1 {
            self.add(at, format!("`{text}` names no {what}"), Some("write NAMESPACE/NAME"));
        }
    }

    /// Only this machine is asked.
    pub(super) fn address(&mut self, url: &str, at: &Location) {
        let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
        let host = rest.map(|rest| rest.split(['/', ':']).next().unwrap_or_default());
        if !matches!(host, Some("127.0.0.1" | "localhost")) {
            let help =
                "it begins with http:// or https:// and 127.0.0.1, for example http://127.0.0.1:{health-port}/readyz";
            self.add(at, format!("`{url}` is no address that could be asked"), Some(help));
        }
    }
}
