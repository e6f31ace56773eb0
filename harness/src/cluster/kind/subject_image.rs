//! How the image of a controller in pods gets into a cluster's nodes, and how its pods reach the API server.

use std::fs;
use std::path::{Path, PathBuf};

use k8s_openapi::api::core::v1::Node as NodeObject;
use kube::Api;

use super::error::KindError;
use super::node::Node;
use super::program::Program;
use super::program_image::{self, ProgramImage};
use crate::cluster::contract::ClusterError;
use crate::cluster::contract::subject_kind::ControllerImage;
use crate::cluster::machine::deployed::ApiServer;

/// What an image is called that is made of a program; no registry has it.
const MADE: &str = "jobsworth.invalid/controller";
/// The port of the API server on its node, as kubeadm sets it.
const API_SERVER_PORT: u16 = 6443;

/// Fails when an image is not in the container runtime: before a cluster is made for it.
pub(super) async fn is_there(image: &ControllerImage, program: &Program) -> Result<(), KindError> {
    let ControllerImage::Name(name) = image else { return Ok(()) };
    let runtime = program.runtime();
    match runtime.image(program.launcher(), name).await? {
        Some(_) => Ok(()),
        None => Err(KindError::NoSubjectImage { image: name.clone(), runtime: runtime.program() }),
    }
}

/// The image as an archive; one that has to be written is written into `folder`.
pub(super) async fn archive(
    image: &ControllerImage,
    program: &Program,
    folder: &Path,
) -> Result<PathBuf, ClusterError> {
    let written = folder.join("controller-image.tar");
    match image {
        ControllerImage::Archive(archive) => return Ok(archive.clone()),
        ControllerImage::Name(name) => {
            let into = written.display().to_string();
            // Every run anew: the name may stand for another image by now, and runtimes do not write over a file.
            let _ = fs::remove_file(&written);
            let errand = program.runtime().errand(
                program.launcher(),
                format!("save the image {name}"),
                &["save", "--output", &into, name],
            );
            errand.output().await?;
        }
        ControllerImage::Program(file) => {
            let failed = |what, path: &Path| {
                let path = path.to_owned();
                move |source| ClusterError::File { what, path, source }
            };
            let content = fs::read(file).map_err(failed("read", file))?;
            let name = format!("{MADE}:{}", &program_image::sum(&content)[..12]);
            let image = ProgramImage { name: &name, program: "controller", content: &content, more: &[] };
            let made = fs::File::create(&written).and_then(|file| program_image::write(file, &image));
            made.map_err(failed("write", &written))?;
        }
    }
    Ok(written)
}

/// The name of the image in an archive.
pub(super) fn name_in(archive: &Path) -> Result<String, KindError> {
    program_image::name_in(archive).map_err(|error| KindError::Unreadable {
        what: format!("the image archive {}", archive.display()),
        why: error.to_string(),
    })
}

/// Where the API server is for pods of every node: at the address of its own.
pub(super) async fn api_server(client: &kube::Client, control_plane: &Node) -> Result<ApiServer, ClusterError> {
    let name = control_plane.name();
    let what = || format!("read the node {name}");
    let found = Api::<NodeObject>::all(client.clone()).get(name).await;
    let node = found.map_err(|source| ClusterError::Request { what: what(), source: Box::new(source) })?;
    let addresses = node.status.iter().flat_map(|status| status.addresses.iter().flatten());
    let mut internal = addresses.filter(|address| address.type_ == "InternalIP");
    let none = || ClusterError::Unreadable { what: what(), why: "it has no address".to_owned() };
    let host = internal.next().map(|address| address.address.clone()).ok_or_else(none)?;
    Ok(ApiServer { host, port: API_SERVER_PORT })
}
