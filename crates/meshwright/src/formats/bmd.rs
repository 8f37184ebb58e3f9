//! The operations of the facade on BGBTech BMD files.

use super::write::single;
use super::{
    Companions, FilesResult, FormatTraits, Kind, Merging, Optimizer, SceneResult, Summary, WriteOptions,
};
use meshwright_bmd::{Bmd, flat_color};
use meshwright_scene::{Extra, Loss, Material, Scene, SceneOptions};

impl Kind for Bmd {
    const TRAITS: FormatTraits = FormatTraits { optimizer: Some(Optimizer::Bmd), ..FormatTraits::NONE };
    const UP: usize = 2;
    const METRES: Option<f64> = Some(1.0 / 40.0);
    const MENDED: &'static [(&'static str, &'static str)] = super::bmd_mending::MENDED;

    fn takes(part: &str, field: &str, _: &Extra) -> bool {
        (part, field) == ("meshes", "flags")
    }

    fn mend(&mut self, finding: &meshwright_core::Finding) -> bool {
        super::bmd_mending::mend(self, finding)
    }

    fn to_scene(&self, _: &str, _: &Companions, options: &SceneOptions) -> SceneResult {
        self.to_scene(options)
    }

    fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        let mut made = Self::from_scene(scene, &options.for_format(Default::default()))?;
        if made.value.bones.is_empty() && !scene.skeletons.is_empty() && made.losses.is_empty() {
            let message = "a skeleton that moves nothing is left out";
            let loss = Loss::new("skeleton-dropped", "skeletons", message);
            made.losses.push(loss.with_count(scene.skeletons.len(), "skeleton", "skeletons"));
        }
        single(stem, made)
    }

    #[cfg(feature = "gltf")]
    fn merge(&self, merging: &Merging<'_>) -> FilesResult {
        let Merging { native, patch, options, .. } = *merging;
        merging.single(self.merge(native, patch, &options.for_format(Default::default()))?)
    }

    fn summary(&self) -> Summary {
        Summary {
            meshes: self.meshes.len(),
            vertices: self.meshes.iter().map(|m| m.vertices.len()).sum(),
            triangles: self.meshes.iter().map(|m| m.triangles().count()).sum(),
            bones: self.bones.len(),
            clips: self.clips.len(),
            notes: vec![levels(self)],
            ..Summary::default()
        }
    }

    fn level_at(&self, metres: f64) -> Option<usize> {
        self.lod_at(metres)
    }

    fn texture(&self, _: usize, name: &str) -> Option<String> {
        flat_color(name.as_bytes()).is_none().then(|| name.to_owned())
    }

    fn picture(material: &Material) -> Option<&str> {
        flat_color(material.name.as_bytes()).is_none().then_some(&material.name)
    }

    fn texture_folder(&self) -> &'static str {
        "resource"
    }

    super::strategies!(meshwright_bmd::strategy::model());
}

/// Returns the levels of detail as text, with their distances.
fn levels(model: &Bmd) -> String {
    /// Most levels in a line.
    const SHOWN: usize = 8;
    let count = model.lods.len();
    let reach = |l: &meshwright_bmd::Lod| match l.max_distance() {
        Some(metres) => format!("to {metres:.1} m"),
        None => "without limit".into(),
    };
    let mut shown: Vec<String> = model.lods.iter().take(SHOWN).map(reach).collect();
    if count > SHOWN {
        shown.push("...".into());
    }
    let counted = format!("{count} {}", if count == 1 { "level of detail" } else { "levels of detail" });
    if shown.is_empty() { counted } else { format!("{counted} ({})", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use crate::formats::AnyModel;
    use meshwright_bmd::{Bmd, Lod};

    /// 1 / (distance + 1): 0x60 is 1/2, 0x01 is 17/2048.
    #[test]
    fn levels_are_told_and_chosen_by_distance() {
        let mut model = Bmd::default();
        for code in [0x60_u8, 0x01, 0x00] {
            model.lods.push(Lod { scale: meshwright_core::num::F8A::from_bits(code), ..Lod::default() });
        }
        let model = AnyModel::from(model);
        assert_eq!(model.summary().notes, ["3 levels of detail (to 1.0 m, to 119.5 m, without limit)"]);
        for (metres, level) in [(0.5, 0), (1.0, 0), (1.1, 1), (119.47, 1), (119.48, 2)] {
            assert_eq!(model.level_at(metres), Some(level), "{metres}");
        }
        assert_eq!(AnyModel::from(Bmd::default()).level_at(1.0), None);
    }
}
