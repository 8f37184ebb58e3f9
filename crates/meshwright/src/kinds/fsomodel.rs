//! FSOMODEL and its metadata in the facade.

use super::{Companions, Kind, Summary, WriteOptions};
use meshwright_core::{Role, WriteError};
use meshwright_fsomodel::{FsoModel, FsoSceneOptions, Metadata, write_scene};
use meshwright_scene::{ConvertError, Converted, Extra, Material, OutputFiles, Scene, SceneOptions};

impl Kind for FsoModel<'static> {
    fn to_scene(
        &self,
        _: &str,
        _: &Companions,
        options: &SceneOptions,
    ) -> Result<Converted<Scene>, ConvertError> {
        self.to_scene(options)
    }

    fn write_scene(
        scene: &Scene,
        stem: &str,
        options: &WriteOptions,
    ) -> Result<Converted<OutputFiles>, ConvertError> {
        let own = options.setting("dialect").map_or_else(FsoSceneOptions::default, FsoSceneOptions::of);
        write_scene(scene, stem, &options.of(own))
    }

    fn summary(&self) -> Summary {
        Summary {
            meshes: self.ranges().len(),
            vertices: self.vertices().iter().len(),
            // What is drawn: meshes may share indices or leave some out.
            triangles: self
                .ranges()
                .map(|r| usize::try_from(r.count / 3).unwrap_or(usize::MAX))
                .fold(0, usize::saturating_add),
            notes: vec![format!("dialect {}", self.dialect)],
            ..Summary::default()
        }
    }

    fn attached(&self, role: Role) -> Option<Result<Vec<u8>, WriteError>> {
        self.metadata.as_ref().filter(|_| role == Role::Metadata).map(Metadata::to_bytes)
    }

    fn texture(&self, material: usize, name: &str) -> Option<String> {
        let own = self.metadata.as_ref().and_then(|m| m.materials.get(material)?.diffuse_texture.clone());
        Some(own.unwrap_or_else(|| name.to_owned()))
    }

    fn texture_folder(&self) -> &'static str {
        // Where the game's packs have them.
        "data/maps"
    }

    fn picture(material: &Material) -> Option<&str> {
        let own = match &material.extras {
            Some(Extra::Map(map)) => map.iter().find(|(key, _)| key == "diffuse_texture"),
            _ => None,
        };
        match own {
            Some((_, Extra::Text(texture))) => Some(texture),
            _ => Some(&material.name),
        }
    }

    #[cfg(feature = "proptest")]
    fn strategies() -> Vec<super::Strategy<Self>> {
        use proptest::strategy::Strategy as _;
        let all = meshwright_fsomodel::Dialect::ALL.into_iter();
        all.map(|d| (Some(("dialect", d.name())), meshwright_fsomodel::strategy::model(d).boxed())).collect()
    }
}

impl Kind for Metadata {
    fn summary(&self) -> Summary {
        Summary { meshes: self.meshes.len(), ..Summary::default() }
    }

    #[cfg(feature = "proptest")]
    fn strategies() -> Vec<super::Strategy<Self>> {
        use proptest::strategy::Strategy as _;
        vec![(None, meshwright_fsomodel::strategy::metadata().boxed())]
    }
}
