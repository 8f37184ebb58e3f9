//! The operations of the facade on FSOMODEL files and their metadata.

use super::write::invalid_file;
use super::{Companions, FilesResult, Kind, Merging, ReadSettings, SceneResult, Summary, WriteOptions};
use meshwright_core::{FileFormat, Finding, Role, WriteError};
use meshwright_fsomodel::{Dialect, FsoModel, FsoOptions, FsoSceneOptions, Metadata, write_scene};
use meshwright_scene::{Converted, Extra, Material, Scene, SceneOptions};

impl Kind for FsoModel<'static> {
    const MENDED: &'static [(&'static str, &'static str)] = &[
        ("mesh-range", "the mesh ends with the last index that there is"),
        ("index-range", "the corner gets the index of another corner, so that its triangle is not drawn"),
        ("loose-min-max", "the lowest and the highest index are computed"),
        ("min-max-after-base", "the lowest and the highest index are computed"),
        ("wrong-min-max", "the lowest and the highest index are computed"),
    ];

    fn options(settings: &ReadSettings) -> FsoOptions {
        let mut options = FsoOptions::from(settings.read);
        options.dialect = settings.dialect.and_then(super::Dialect::of_format);
        options
    }

    fn takes(part: &str, field: &str, _: &Extra) -> bool {
        (part, field) == ("materials", "diffuse_texture")
    }

    fn mend(&mut self, finding: &Finding) -> bool {
        match finding.rule.code {
            "mesh-range" => self.clip_meshes() > 0,
            "index-range" => self.fold_triangles() > 0,
            // Fields of a companion are not in this file.
            "loose-min-max" | "min-max-after-base" | "wrong-min-max" if self.dialect == Dialect::Seed44 => {
                self.fix_extents() > 0
            }
            _ => false,
        }
    }

    fn to_scene(&self, _: &str, _: &Companions, options: &SceneOptions) -> SceneResult {
        self.to_scene(options)
    }

    fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        let own = options.dialect().map_or_else(FsoSceneOptions::default, FsoSceneOptions::with_dialect);
        write_scene(scene, stem, &options.for_format(own))
    }

    #[cfg(feature = "gltf")]
    fn merge(&self, merging: &Merging<'_>) -> FilesResult {
        let own = FsoSceneOptions::with_dialect(self.dialect);
        let Converted { value: merged, losses, .. } =
            self.merge(merging.native, merging.patch, &merging.options.for_format(own))?;
        let text = merged.metadata.as_ref().map(Metadata::to_bytes).transpose().map_err(invalid_file)?;
        let mut made = merging.single(Converted::new(merged, losses))?;
        let beside =
            Self::COMPANIONS.iter().find(|c| c.role == Role::Metadata).and_then(|c| c.beside.first());
        if let (Some(text), Some(beside)) = (text, beside) {
            made.value.push(String::from_utf8_lossy(&beside.name(merging.name.as_bytes())), text);
        }
        Ok(made)
    }

    fn summary(&self) -> Summary {
        Summary {
            meshes: self.ranges().len(),
            vertices: self.vertices().iter().len(),
            // The drawn triangles: meshes may share indices or leave some out.
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
        // The folder in the game's packs.
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

    super::strategies!(each Dialect: meshwright_fsomodel::strategy::model);
}

impl Kind for Metadata {
    fn summary(&self) -> Summary {
        Summary { meshes: self.meshes.len(), ..Summary::default() }
    }

    super::strategies!(meshwright_fsomodel::strategy::metadata());
}
