//! Settings for loading models.

use crate::error::ModelError;
use bevy_gltf::GltfLoaderSettings;
use meshwright::{Format, Limits, Opener};
use serde::{Deserialize, Serialize};

/// Settings for loading a model; also in `.meta` files.
#[derive(Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// Bytes that the file, what belongs to it, its scene, and the document that goes to Bevy may take in memory each: 256
    /// MiB.
    pub max_memory: u64,
    /// Broken rules that leave the rest readable are passed over, and among the [findings](crate::Model::findings).
    pub lenient: bool,
    /// Search for companion files of the model.
    pub companions: bool,
    /// Pictures of materials are looked for.
    pub textures: bool,
    /// The skin whose pictures are taken, of models that have several.
    pub skin: Option<u32>,
    /// The factor of all lengths: 0.0254 converts Quake's units to metres.
    pub scale: Option<f64>,
    /// The kind of file, as in `dpm`, whatever content and name say.
    pub format: Option<String>,
    /// The folder of the source from which the names of image files lead. By default it is the parent of the nearest
    /// `models` folder, otherwise the file's own folder.
    pub root: Option<String>,
    /// The treatment of meshes, materials and clips: as for a glTF file.
    pub gltf: GltfLoaderSettings,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            max_memory: Limits::default().memory,
            lenient: false,
            companions: true,
            textures: true,
            skin: None,
            scale: None,
            format: None,
            root: None,
            gltf: GltfLoaderSettings::default(),
        }
    }
}

impl ModelSettings {
    /// Returns the options with which the facade opens the file; image files are loaded later.
    pub(crate) fn opening(&self) -> Result<Opener, ModelError> {
        let unknown = |name| ModelError::Settings(format!("there is no format {name:?}"));
        let format = self.format.as_ref().map(|name| name.parse::<Format>().map_err(|_| unknown(name)));
        Ok(Opener::new()
            .companions(self.companions)
            .limits(Limits::default().with_memory(self.max_memory))
            .lenient(self.lenient)
            .skin(self.skin)
            .format(format.transpose()?))
    }
}
