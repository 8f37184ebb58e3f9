//! Says what to load instead of a `Handle<Gltf>` of a game's model.

use crate::error::ModelError;
use crate::loader::extensions;
use bevy_asset::io::Reader;
use bevy_asset::{AssetLoader, LoadContext};
use bevy_gltf::{Gltf, GltfLoader, GltfLoaderSettings};
use bevy_reflect::TypePath;

/// Bevy gives a game's model to the loader of glTF files if the handle is of a [`Gltf`]. This loader answers for files that
/// are not glTF.
#[derive(TypePath)]
pub(crate) struct MisplacedLoader {
    gltf: GltfLoader,
    extensions: Vec<&'static str>,
}

impl MisplacedLoader {
    pub(crate) fn new(gltf: GltfLoader) -> Self {
        Self { gltf, extensions: extensions() }
    }
}

impl AssetLoader for MisplacedLoader {
    type Asset = Gltf;
    type Settings = GltfLoaderSettings;
    type Error = ModelError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &GltfLoaderSettings,
        context: &mut LoadContext<'_>,
    ) -> Result<Gltf, ModelError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let path = context.path().to_string();
        let extension = path.rsplit('.').next().unwrap_or_default();
        // A glTF file without an extension comes here too.
        if !self.extensions.iter().any(|own| own.eq_ignore_ascii_case(extension)) {
            return Ok(GltfLoader::load_gltf(&self.gltf, &bytes, context, settings).await?);
        }
        Err(ModelError::Settings(format!(
            "{path} is not a glTF file: load it as a Handle<meshwright_bevy::Model>, whose field `gltf` is the Gltf"
        )))
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}
