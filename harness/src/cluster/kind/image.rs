//! Which node image a cluster is made from: named by the user, made here, or published.

use jobsworth_api::KubeVersion;
use serde::Deserialize;
use std::collections::BTreeMap;

use super::config::Variant;
use super::error::KindError;
use super::program::Program;
use crate::binaries;
use crate::cluster::contract::{Progress, Step};
use crate::node_image;
use crate::yaml::{self, Limits};

/// Which published image stands for which version.
const LOCK: &str = include_str!("../../../../kind-config/images.lock.yaml");
const LIMITS: Limits = Limits { what: "list of images", largest: 64 * 1024, documents: 1, depth: 8, nodes: 1_000 };
/// The repository of images that `cluster image` makes.
const OURS: &str = "jobsworth/node";
/// Where podman keeps images that come from nowhere.
const LOCAL: &str = "localhost/";
/// On images that `cluster image` makes: the version of their nodes. They hold a control plane and nothing else.
const LABEL: &str = "dev.jobsworth.kubernetes";

/// An image that is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeImage {
    /// Its name.
    pub reference: String,
    /// Its id: the SHA-256 of its configuration.
    pub id: String,
    /// What is in it.
    pub variant: Variant,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lock {
    #[serde(rename = "kind")]
    _kind: String,
    images: BTreeMap<String, String>,
}

/// The published image of a version.
#[must_use]
pub fn published(version: KubeVersion) -> String {
    let lock: Result<Lock, _> = yaml::one(LOCK, "images.lock.yaml", &LIMITS);
    let listed = lock.ok().and_then(|lock| lock.images.get(&version.to_string()).cloned());
    listed.unwrap_or_else(|| format!("kindest/node:v{version}"))
}

/// The image for a cluster of this version, pulled if it is a published one that is not here.
///
/// # Errors
/// When it is neither here nor to be had.
pub(super) async fn choose(
    program: &Program,
    named: Option<&str>,
    version: KubeVersion,
    progress: Progress<'_>,
) -> Result<NodeImage, KindError> {
    if let Some(named) = named {
        return here_or_pulled(program, named, version, progress).await;
    }
    if let Some(made) = made_here(program, version, progress).await? {
        return Ok(made);
    }
    here_or_pulled(program, &published(version), version, progress).await
}

/// The image that `cluster image` makes for this version by today's recipe, which is part of its name; loaded if it lies in the
/// cache as an archive. One of an older recipe is another image.
async fn made_here(
    program: &Program,
    version: KubeVersion,
    progress: Progress<'_>,
) -> Result<Option<NodeImage>, KindError> {
    let Some(name) = node_image::name(version) else { return Ok(None) };
    if let Some(image) = here(program, &name).await? {
        return Ok(Some(image));
    }
    let Some(image) = binaries::cache_folder().ok().and_then(|cache| node_image::find(&cache, version)) else {
        return Ok(None);
    };
    progress(Step::Doing(format!("loading {} into {}", image.archive.display(), program.runtime())));
    let archive = image.archive.display().to_string();
    let what = format!("load {archive}");
    program.runtime().errand(program.launcher(), what, &["load", "--input", &archive]).output().await?;
    here(program, &image.name).await
}

/// podman keeps images without a registry under `localhost/`; kind would look for them at Docker's.
async fn here(program: &Program, reference: &str) -> Result<Option<NodeImage>, KindError> {
    for reference in [format!("{LOCAL}{reference}"), reference.to_owned()] {
        if let Some(id) = program.runtime().image(program.launcher(), &reference).await? {
            let variant = variant(program, &reference).await?;
            return Ok(Some(NodeImage { reference, id, variant }));
        }
    }
    Ok(None)
}

async fn here_or_pulled(
    program: &Program,
    reference: &str,
    version: KubeVersion,
    progress: Progress<'_>,
) -> Result<NodeImage, KindError> {
    if let Some(image) = here(program, reference).await? {
        return Ok(image);
    }
    progress(Step::Doing(format!("pulling {reference}")));
    let errand = program.runtime().errand(program.launcher(), format!("pull {reference}"), &["pull", reference]);
    let said = errand.said().await?;
    let none = |said: &str| KindError::NoImage {
        image: reference.to_owned(),
        version: version.to_string(),
        said: said.trim().lines().last().unwrap_or("it is not here").to_owned(),
    };
    if !said.succeeded() {
        return Err(none(&said.all));
    }
    here(program, reference).await?.ok_or_else(|| none("it was pulled and is not here"))
}

/// Our own images say what they are; others are as kind makes them.
async fn variant(program: &Program, reference: &str) -> Result<Variant, KindError> {
    let format = format!("{{{{index .Config.Labels \"{LABEL}\"}}}}");
    let arguments = ["image", "inspect", "--format", &format, reference];
    let errand = program.runtime().errand(program.launcher(), format!("read the labels of {reference}"), &arguments);
    let said = errand.said().await?;
    let ours = reference.trim_start_matches(LOCAL).starts_with(OURS);
    let labelled = said.out.trim().parse::<KubeVersion>().is_ok();
    Ok(if ours || labelled { Variant::Bare } else { Variant::Stock })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binaries::KNOWN_VERSIONS;

    #[test]
    fn every_known_version_has_a_published_image_in_the_list() {
        let lock: Lock = yaml::one(LOCK, "images.lock.yaml", &LIMITS).unwrap();
        for version in KNOWN_VERSIONS {
            assert!(lock.images.contains_key(&version.to_string()), "{version}");
            assert!(published(version).starts_with("kindest/node:v"));
        }
    }
}
