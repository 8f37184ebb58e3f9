//! Matches materials of an edited scene to the native ones.

use crate::comparison::Comparison;
use crate::correspond::mesh_search::{Edited, Found};
use crate::correspond::meshes::Finds;
use crate::patch::model::MaterialPatch;
use crate::tools::gltf_transform::is_palette;
use crate::tools::names::{is_filler, is_unnamed};
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_scene::color::srgb;
use meshwright_scene::{Material, MaterialId, Scene};

/// The materials of the edited scene in the result.
pub(crate) struct Materials {
    known: SortedMap<usize, MaterialId>,
    pub(crate) patches: Vec<MaterialPatch>,
}

impl Materials {
    pub(crate) fn new(work: &Comparison<'_, '_>, scene: &mut Scene) -> Self {
        let patch = |m| MaterialPatch { original: Some(m), ..MaterialPatch::default() };
        let patches = (0..work.native.materials.len()).map(patch).collect();
        let mut own = Self { known: SortedMap::new(), patches };
        for (e, material) in work.edited.materials.iter().enumerate() {
            let named = |n: &Material| n.name == material.name && !n.name.is_empty();
            let marked = work.materials.get(&e).copied();
            let Some(native) = marked.or_else(|| work.exported.materials.iter().position(named)) else {
                continue;
            };
            own.known.insert(e, MaterialId(native));
            let (Some(patch), Some(to), Some(was)) = (
                own.patches.get_mut(native),
                scene.materials.get_mut(native),
                work.exported.materials.get(native),
            ) else {
                continue;
            };
            let filled = was.name.is_empty() && is_filler(&material.name);
            if marked.is_some() && was.name != material.name && !filled && !is_unnamed(&material.name) {
                patch.renamed = true;
                to.name.clone_from(&material.name);
            }
            if work.options.pictures.get(e) == Some(&true) && material.image.is_some() {
                patch.picture = true;
                to.image.clone_from(&material.image);
            }
            // A hidden surface is exported as a transparent one.
            let tolerance = work.tolerance.color;
            if !material.is_hidden() && !is_near_color(was.base_color, material.base_color, tolerance) {
                patch.color = true;
                to.base_color = material.base_color;
            }
        }
        own
    }

    /// Sets the colours of plain materials that a tool replaced with pixels of one texture, by the meshes that use
    /// them.
    pub(crate) fn flat(&mut self, work: &Comparison<'_, '_>, finds: &Finds<'_>, scene: &mut Scene) {
        let mut colors: SortedMap<usize, Vec<[f32; 4]>> = SortedMap::new();
        for own in &finds.native {
            if let Some((Some(id), _, color)) = painted(work, &finds.edited, own) {
                colors.entry(id.0).or_default().push(color);
            }
        }
        for (native, colors) in colors {
            let (Some(color), Some(to)) = (colors.first(), scene.materials.get_mut(native)) else { continue };
            let was = work.exported.materials.get(native).map_or(*color, |m| m.base_color);
            let one = colors.iter().all(|other| one_pixel(*other, *color));
            if one && !one_pixel(*color, was) {
                to.base_color = *color;
                self.patches.get_mut(native).into_iter().for_each(|patch| patch.color = true);
            }
        }
    }

    /// Returns the edited material of each native one.
    pub(crate) fn originals(&self, work: &Comparison<'_, '_>) -> Vec<Option<usize>> {
        let of = |m| self.known.iter().find(|(_, id)| id.0 == m).map(|(e, _)| *e);
        (0..work.native.materials.len()).map(of).collect()
    }

    /// Returns the material of the result for a material of the edited scene.
    pub(crate) fn get(
        &mut self,
        work: &Comparison<'_, '_>,
        e: usize,
        scene: &mut Scene,
    ) -> Option<MaterialId> {
        if let Some(id) = self.known.get(&e) {
            return Some(*id);
        }
        let material = work.edited.materials.get(e)?;
        let id = MaterialId(scene.materials.len());
        scene.materials.push(material.clone());
        self.patches.push(MaterialPatch::default());
        self.known.insert(e, id);
        Some(id)
    }
}

fn is_near_color(a: [f32; 4], b: [f32; 4], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| f64::from((a - b).abs()) <= tolerance)
}

/// Returns true if two colours are equal except for the rounding of 8-bit pixels.
pub(crate) fn one_pixel(a: [f32; 4], b: [f32; 4]) -> bool {
    let channels = |c: [f32; 4]| {
        let [r, g, b, a] = c;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let alpha = (a * 255.0 + 0.5) as u8;
        [srgb(r), srgb(g), srgb(b), alpha]
    };
    channels(a).iter().zip(channels(b)).all(|(a, b)| a.abs_diff(b) <= 1)
}

/// Returns the native material of a mesh, its current material and colour, if a tool replaced the native one with a
/// pixel of a texture.
pub(crate) fn painted(
    work: &Comparison<'_, '_>,
    edited: &[Edited<'_>],
    own: &Found<'_>,
) -> Option<(Option<MaterialId>, usize, [f32; 4])> {
    let [e] = own.sources[..] else { return None };
    let is = edited.get(e)?.moved.mesh.material?.0;
    let material = work.edited.materials.get(is).filter(|m| is_palette(&m.name) && m.image.is_none())?;
    Some((own.exported.mesh.material, is, material.base_color))
}
