//! What a container runtime is asked about the nodes of a cluster and their image.

use super::error::KindError;
use super::program::{Errand, Said};
use crate::container_runtime::Engine;
use crate::launcher::Launcher;

/// kind's label on its containers.
const LABEL: &str = "io.x-k8s.kind.cluster";

impl Engine {
    /// A command of the runtime.
    pub(super) fn errand(self, launcher: &Launcher, what: impl Into<String>, arguments: &[&str]) -> Errand {
        Errand::new(launcher, self.program().as_ref(), what).args(arguments)
    }

    /// The id of an image that is here; `None` when it is not.
    pub(super) async fn image(self, launcher: &Launcher, image: &str) -> Result<Option<String>, KindError> {
        let said: Said = self
            .errand(
                launcher,
                format!("look for the image {image}"),
                &["image", "inspect", "--format", "{{.Id}}", image],
            )
            .said()
            .await?;
        Ok(said.succeeded().then(|| said.out.trim().trim_start_matches("sha256:").to_owned()))
    }

    /// Names of the containers of a kind cluster, running or not.
    pub(super) async fn nodes(self, launcher: &Launcher, cluster: &str) -> Result<Vec<String>, KindError> {
        let label = format!("label={LABEL}={cluster}");
        let arguments = ["ps", "-a", "--filter", &label, "--format", "{{.Names}}"];
        let text = self.errand(launcher, format!("list the nodes of {cluster}"), &arguments).output().await?;
        Ok(text.split_whitespace().map(str::to_owned).collect())
    }
}
