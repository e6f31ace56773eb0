//! A described controller that runs in pods: what of a description is for it, and what is not.

use super::Checker;
use crate::{
    cluster::{
        DeployedController, SubjectKind,
        subject_kind::{ControllerImage, JobApi, Manifest, ReadyInCluster},
    },
    plan::controller::ControllerText,
    subject::Subject,
};
use serde_yaml::Spanned;
use std::path::PathBuf;

impl Checker<'_> {
    /// The controller of this image.
    pub(super) fn deployed(
        &mut self,
        written: &ControllerText,
        image: &Spanned<ControllerImage>,
        manager: Option<String>,
    ) -> Subject {
        let at = &image.referenced;
        let is_of_program = [
            ("command", !written.command.is_empty()),
            ("environment", !written.environment.is_empty()),
            ("rights", !written.rights.is_empty()),
            ("service-account", written.service_account.is_some()),
            ("webhook", written.webhook.is_some()),
            ("offers: metrics", written.offers.metrics.is_some()),
            ("offers: election", !written.offers.election.is_empty()),
        ];
        for (key, _) in is_of_program.iter().filter(|(_, is_there)| *is_there) {
            let says = format!("`{key}` is of a program on this machine, and this controller is an image");
            self.add(at, says, Some("what an image runs with stands in its `manifests`"));
        }
        if written.manifests.is_empty() {
            let help = "name the files with its Deployment, account and roles in `manifests`";
            self.add(at, "nothing runs the image", Some(help));
        }
        if written.api != JobApi::Batch {
            let says = format!("controllers of {} are programs so far, with a `command`", written.api);
            self.add(at, says, None);
        }
        if matches!(&image.value, ControllerImage::Name(name) if name.is_empty() || name.contains(char::is_whitespace))
        {
            self.add(at, "this is no name of an image", Some("for example `image: {name: example.com/mine:v1}`"));
        }
        let ready = written.ready.as_ref().and_then(|ready| self.ready_in_cluster(ready, manager.as_deref()));
        let controller = DeployedController {
            image: image.value.clone(),
            manager,
            ready: ready.unwrap_or(ReadyInCluster::AllAvailable),
            offers_ttl: written.offers.ttl,
            manifests: written.manifests.iter().map(|file| Manifest::File(PathBuf::from(&file.value))).collect(),
        };
        Subject::of(&written.name.value, SubjectKind::Deployed(controller))
    }
}
