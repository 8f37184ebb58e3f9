//! The operations of the facade on glTF files.

use super::{Companions, FilesResult, Kind, SceneResult, Summary, WriteOptions};
use meshwright_core::{LimitExceeded, ReadError, Report, SortedSet};
use meshwright_gltf::document::{Mode, Semantic};
use meshwright_gltf::{Gltf, GltfFile};
use meshwright_scene::{ConvertError, Converted, OutputFiles, Scene, SceneOptions};
use std::sync::Arc;

/// Returns a scene as glTF within the shared limits.
pub(crate) fn exported<'s>(
    scene: &'s Scene,
    options: &WriteOptions,
) -> Result<Converted<Gltf<'s>>, ConvertError> {
    let own = options.gltf.with_memory(options.shared.limits.memory);
    match &options.kept {
        Some(kept) => {
            let kept = crate::embedded_original::with_pictures(kept, scene, &options.shared.budget());
            meshwright_gltf::export_keeping(scene, &own, &kept)
        }
        None => meshwright_gltf::export(scene, &own),
    }
}

impl Kind for GltfFile {
    const METRES: Option<f64> = Some(1.0);

    fn to_scene(&self, name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
        let limits = options.limits;
        let invalid_file = |e: ReadError| match self.memory_needed() {
            Some(needs) if e.kind() == meshwright_core::Kind::Limit => {
                ConvertError::Limit(LimitExceeded::bytes("glTF scene", needs, limits.memory))
            }
            _ => ConvertError::invalid(e.path().to_string(), format!("{} [{}]", e.message(), e.code())),
        };
        let (made, _) = self.import_within(name, companions.scene.rate, limits).map_err(invalid_file)?;
        Ok(made.map(|import| import.scene.in_space(options.space)))
    }

    fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        exported(scene, options)
            .map(|made| made.map(|gltf| OutputFiles::single(format!("{stem}.glb"), gltf.into_glb())))
    }

    /// Reports everything that glTF forbids, including faults that do not prevent a conversion.
    fn validate_with(&self, _: &Companions) -> Report {
        self.conformance()
    }

    fn summary(&self) -> Summary {
        let Ok(document) = self.tables() else { return Summary::default() };
        let count = |accessor: Option<usize>| {
            accessor.and_then(|a| document.accessors().get(a)).map_or(0, |accessor| accessor.count)
        };
        let mut summary = Summary { clips: document.animations().len(), ..Summary::default() };
        for mesh in document.meshes() {
            summary.meshes = summary.meshes.saturating_add(mesh.primitives.len());
            for p in &mesh.primitives {
                let positions = p.get(&Semantic::Position);
                let corners = count(p.indices.or(positions));
                let triangles = match p.mode {
                    Mode::Triangles => corners / 3,
                    Mode::TriangleStrip | Mode::TriangleFan => corners.saturating_sub(2),
                    _ => 0,
                };
                summary.vertices = summary.vertices.saturating_add(count(positions));
                summary.triangles = summary.triangles.saturating_add(triangles);
            }
        }
        let mut joints = SortedSet::new();
        for skin in document.skins() {
            joints.extend(skin.joints.iter().copied());
        }
        summary.bones = joints.len();
        summary
    }

    /// Returns no texture name: textures are in the document, or missing.
    fn texture(&self, _material: usize, _name: &str) -> Option<String> {
        None
    }

    fn references(&self) -> &[String] {
        self.references()
    }

    fn supply(&mut self, name: &str, bytes: Arc<[u8]>) {
        self.supply(name, bytes);
    }

    fn complete(&mut self) -> Result<(), ReadError> {
        self.complete()
    }

    #[cfg(feature = "proptest")]
    fn strategies() -> Vec<super::Strategy<Self>> {
        use proptest::strategy::Strategy as _;
        let file = |scene: Scene| {
            let glb = meshwright_gltf::export(&scene, &meshwright_gltf::ExportOptions::default()).ok()?;
            Self::parse(&glb.value.to_glb()).ok()
        };
        vec![(None, meshwright_scene::strategy::clean_scene().prop_filter_map("no glTF", file).boxed())]
    }
}
