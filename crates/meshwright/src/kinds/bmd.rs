//! BGBTech BMD in the facade.

use super::write::single;
use super::{Companions, Kind, Summary, WriteOptions};
use meshwright_bmd::{Bmd, flat_color};
use meshwright_scene::{ConvertError, Converted, OutputFiles, Scene, SceneOptions};

impl Kind for Bmd {
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
        single(stem, Self::from_scene(scene, &options.of(Default::default()))?)
    }

    fn summary(&self) -> Summary {
        Summary {
            meshes: self.meshes.len(),
            vertices: self.meshes.iter().map(|m| m.vertices.len()).sum(),
            triangles: self.meshes.iter().map(|m| m.triangles().count()).sum(),
            bones: self.bones.len(),
            clips: self.clips.len(),
            notes: vec![format!("{} LODs", self.lods.len())],
            ..Summary::default()
        }
    }

    fn texture(&self, _: usize, name: &str) -> Option<String> {
        flat_color(name.as_bytes()).is_none().then(|| name.to_owned())
    }

    fn texture_folder(&self) -> &'static str {
        "resource"
    }

    #[cfg(feature = "proptest")]
    fn strategies() -> Vec<super::Strategy<Self>> {
        use proptest::strategy::Strategy as _;
        vec![(None, meshwright_bmd::strategy::model().boxed())]
    }
}
