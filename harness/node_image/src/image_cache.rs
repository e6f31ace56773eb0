//! The images on this machine: a folder of the cache for each, complete or not there at all.
//!
//! What is being made lies in a workshop beside and is renamed when done. `manifest.json` is written last.

use std::fs;
use std::path::{Path, PathBuf};

use jobsworth_api::KubeVersion;
use serde::{Deserialize, Serialize};

use super::layer::Layer;
use super::{Image, NodeImageError, recipe};

const MANIFEST: &str = "manifest.json";
const ARCHIVE: &str = "image.tar";
const BASE_LAYER: &str = "layer.tar.gz";
const WORKSHOP: &str = ".making-";
/// The first part of every image's name: nobody pulls from it, so a runtime never asks a registry for ours.
const REPOSITORY: &str = "localhost/jobsworth/node";

/// What is written beside an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub kubernetes: String,
    pub recipe: String,
    pub name: String,
    pub id: String,
    pub bytes: u64,
    /// Name, version and SHA-256 of every program in it.
    pub programs: Vec<(String, String, String)>,
}

/// The images of one cache.
#[derive(Clone, Debug)]
pub(super) struct ImageCache {
    folder: PathBuf,
}

impl ImageCache {
    pub fn of(cache: &Path) -> Self {
        Self { folder: cache.join("node-images") }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn lock(&self) -> PathBuf {
        self.folder.join("build.lock")
    }

    /// The image of a version, made by today's recipe.
    pub fn find(&self, version: KubeVersion) -> Option<Image> {
        self.image_in(&self.home(version))
    }

    /// Every image that is whole, those of older recipes too.
    pub fn list(&self) -> Vec<Image> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut images: Vec<Image> = entries.filter_map(|entry| self.image_in(&entry.path())).collect();
        images.sort_by(|one, other| other.kubernetes.cmp(&one.kubernetes).then_with(|| one.name.cmp(&other.name)));
        images
    }

    fn image_in(&self, home: &Path) -> Option<Image> {
        let manifest: Manifest = serde_json::from_slice(&fs::read(home.join(MANIFEST)).ok()?).ok()?;
        let archive = home.join(ARCHIVE);
        if fs::metadata(&archive).ok()?.len() != manifest.bytes {
            return None;
        }
        let kubernetes: KubeVersion = manifest.kubernetes.parse().ok()?;
        let current = *home == self.home(kubernetes);
        Some(Image { kubernetes, name: manifest.name, id: manifest.id, archive, bytes: manifest.bytes, current })
    }

    fn home(&self, version: KubeVersion) -> PathBuf {
        let known = jobsworth_binaries::KNOWN_VERSIONS.contains(&version);
        let recipe = if known { short(&recipe::image(version)) } else { "unknown".to_owned() };
        self.folder.join(format!("v{version}-{recipe}"))
    }

    /// The layer with Debian, if it is whole.
    pub fn base(&self) -> Option<Layer> {
        let home = self.base_home();
        let mut layer: Layer = serde_json::from_slice(&fs::read(home.join(MANIFEST)).ok()?).ok()?;
        layer.path = home.join(BASE_LAYER);
        (fs::metadata(&layer.path).ok()?.len() == layer.bytes).then_some(layer)
    }

    /// Where the layer with Debian is written while it is made.
    pub fn base_draft(shop: &Path) -> Result<PathBuf, NodeImageError> {
        let draft = shop.join("base");
        fs::create_dir(&draft).map_err(NodeImageError::file("create", &draft))?;
        Ok(draft.join(BASE_LAYER))
    }

    /// Keeps the layer with Debian.
    pub fn keep_base(&self, mut layer: Layer, shop: &Path) -> Result<Layer, NodeImageError> {
        let home = self.base_home();
        publish(&shop.join("base"), &home, &layer)?;
        layer.path = home.join(BASE_LAYER);
        Ok(layer)
    }

    fn base_home(&self) -> PathBuf {
        self.folder.join(format!("base-{}", short(&recipe::base())))
    }

    /// Where an archive is written while it is made.
    pub fn draft(shop: &Path) -> Result<PathBuf, NodeImageError> {
        let draft = shop.join("image");
        fs::create_dir(&draft).map_err(NodeImageError::file("create", &draft))?;
        Ok(draft.join(ARCHIVE))
    }

    /// Keeps an archive.
    pub fn keep(&self, version: KubeVersion, manifest: &Manifest, shop: &Path) -> Result<Image, NodeImageError> {
        let home = self.home(version);
        publish(&shop.join("image"), &home, manifest)?;
        self.image_in(&home).ok_or(NodeImageError::Vanished { home })
    }

    /// A place to work in; gone when it is dropped.
    pub fn workshop(&self) -> Result<tempfile::TempDir, NodeImageError> {
        tempfile::Builder::new()
            .prefix(WORKSHOP)
            .tempdir_in(&self.folder)
            .map_err(NodeImageError::file("create a folder in", &self.folder))
    }

    /// Whoever holds the lock calls it: a workshop that is there belongs to a process that was killed.
    pub fn remove_leftovers(&self) -> Result<(), NodeImageError> {
        for entry in fs::read_dir(&self.folder).map_err(NodeImageError::file("read", &self.folder))?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(WORKSHOP) {
                fs::remove_dir_all(entry.path()).map_err(NodeImageError::file("remove", &entry.path()))?;
            }
        }
        Ok(())
    }

    /// Removes the archives of a version, or all; says which. The base layer goes when no image is left.
    pub fn remove(&self, version: Option<KubeVersion>) -> Result<Vec<Image>, NodeImageError> {
        let wanted = |image: &Image| version.is_none_or(|version| image.kubernetes == version);
        let (gone, left): (Vec<Image>, Vec<Image>) = self.list().into_iter().partition(wanted);
        let homes = gone.iter().filter_map(|image| image.archive.parent().map(Path::to_owned));
        let base = left.is_empty().then(|| self.base_home()).filter(|home| home.exists());
        for home in homes.chain(base) {
            fs::remove_dir_all(&home).map_err(NodeImageError::file("remove", &home))?;
        }
        Ok(gone)
    }
}

/// The name of a version's image: its recipe is part of it, so that a runtime never mistakes an old one for it.
pub(super) fn name(version: KubeVersion) -> String {
    format!("{REPOSITORY}:v{version}-{}", short(&recipe::image(version)))
}

fn short(digest: &str) -> String {
    digest.chars().take(12).collect()
}

/// Writes the manifest and moves the draft to its place, in whose way nothing may be left.
fn publish(draft: &Path, home: &Path, manifest: &impl Serialize) -> Result<(), NodeImageError> {
    let path = draft.join(MANIFEST);
    let text = serde_json::to_vec_pretty(manifest).expect("a struct of texts and numbers is JSON");
    fs::write(&path, text).map_err(NodeImageError::file("write", &path))?;
    if home.exists() {
        fs::remove_dir_all(home).map_err(NodeImageError::file("remove", home))?;
    }
    fs::rename(draft, home).map_err(NodeImageError::file("move", draft))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_binaries::DEFAULT_VERSION;

    fn manifest(version: KubeVersion, bytes: u64) -> Manifest {
        Manifest {
            kubernetes: version.to_string(),
            recipe: recipe::image(version),
            name: name(version),
            id: "0".repeat(64),
            bytes,
            programs: Vec::new(),
        }
    }

    /// A image_cache with one image of five bytes.
    fn image_cache(cache: &Path) -> (ImageCache, Image) {
        let image_cache = ImageCache::of(cache);
        fs::create_dir_all(image_cache.folder()).unwrap();
        let shop = image_cache.workshop().unwrap();
        fs::write(ImageCache::draft(shop.path()).unwrap(), "image").unwrap();
        let image = image_cache.keep(DEFAULT_VERSION, &manifest(DEFAULT_VERSION, 5), shop.path()).unwrap();
        (image_cache, image)
    }

    #[test]
    fn an_image_that_was_kept_is_found_and_its_name_has_version_and_recipe() {
        let cache = tempfile::tempdir().unwrap();
        let (image_cache, image) = image_cache(cache.path());
        assert_eq!(image_cache.find(DEFAULT_VERSION), Some(image.clone()));
        assert_eq!(image_cache.list(), std::slice::from_ref(&image));
        assert!(image.current);
        assert!(image.name.starts_with("localhost/jobsworth/node:v1.37.1-"), "{}", image.name);
        assert_eq!(image_cache.find(KubeVersion::new(1, 35, 4)), None);
        assert_eq!(image_cache.find(KubeVersion::new(1, 20, 0)), None);
    }

    #[test]
    fn half_an_image_does_not_count() {
        let cache = tempfile::tempdir().unwrap();
        let (image_cache, image) = image_cache(cache.path());
        fs::write(&image.archive, "imag").unwrap();
        assert_eq!(image_cache.find(DEFAULT_VERSION), None);
        fs::write(&image.archive, "image").unwrap();
        fs::remove_file(image.archive.with_file_name(MANIFEST)).unwrap();
        assert_eq!(image_cache.list(), []);
    }

    #[test]
    fn an_image_of_an_older_recipe_is_listed_but_not_found() {
        let cache = tempfile::tempdir().unwrap();
        let (image_cache, image) = image_cache(cache.path());
        let home = image.archive.parent().unwrap();
        fs::rename(home, home.with_file_name("v1.37.1-older")).unwrap();
        assert_eq!(image_cache.find(DEFAULT_VERSION), None);
        assert!(image_cache.list().iter().all(|image| !image.current) && image_cache.list().len() == 1);
    }

    #[test]
    fn removing_takes_what_was_asked_for_and_the_base_with_the_last() {
        let cache = tempfile::tempdir().unwrap();
        let (image_cache, image) = image_cache(cache.path());
        fs::create_dir(image_cache.base_home()).unwrap();
        assert_eq!(image_cache.remove(Some(KubeVersion::new(1, 35, 4))).unwrap(), []);
        assert!(image_cache.base_home().exists());
        assert_eq!(image_cache.remove(None).unwrap(), [image]);
        assert!(!image_cache.base_home().exists());
        assert_eq!(image_cache.list(), []);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_by_the_next() {
        let cache = tempfile::tempdir().unwrap();
        let (image_cache, _) = image_cache(cache.path());
        let left = image_cache.folder().join(format!("{WORKSHOP}dead/debian"));
        fs::create_dir_all(&left).unwrap();
        image_cache.remove_leftovers().unwrap();
        assert!(!left.exists());
        assert_eq!(image_cache.list().len(), 1);
    }
}
