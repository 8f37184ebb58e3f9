//! Materials of an edited scene among the native ones.

use super::Work;
use super::found::{Edited, Found};
use super::joints::is_filler;
use super::marks::{UNNAMED, is_palette};
use super::meshes::Finds;
use super::report::{Part, State};
use crate::color::srgb;
use crate::ids::MaterialId;
use crate::model::{Material, Scene};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The materials of the edited scene in the result.
pub(super) struct Materials {
    known: BTreeMap<usize, MaterialId>,
    pub(super) report: Vec<Part<()>>,
}

impl Materials {
    pub(super) fn new(work: &Work<'_, '_>, scene: &mut Scene) -> Self {
        let part = |m: &Material| Part { name: m.name.clone(), ..Part::default() };
        let mut own =
            Self { known: BTreeMap::new(), report: work.native.materials.iter().map(part).collect() };
        for (e, material) in work.edited.materials.iter().enumerate() {
            let named = |n: &Material| n.name == material.name && !n.name.is_empty();
            let marked = work.materials.get(&e).copied();
            let Some(native) = marked.or_else(|| work.exported.materials.iter().position(named)) else {
                continue;
            };
            if marked.is_some()
                && let (Some(part), Some(to)) = (own.report.get_mut(native), scene.materials.get_mut(native))
                && work.exported.materials.get(native).is_some_and(|n| {
                    n.name != material.name && !(n.name.is_empty() && is_filler(&material.name))
                })
                && !UNNAMED.contains(&material.name.as_str())
            {
                part.state = State::Edited;
                to.name.clone_from(&material.name);
            }
            own.known.insert(e, MaterialId(native));
            let colors = work.exported.materials.get(native).map(|n| n.base_color);
            // A surface that the engine does not draw is written as one that nothing is seen of.
            if !material.is_hidden()
                && colors.is_some_and(|c| !near(c, material.base_color, work.tolerance.color))
                && let (Some(part), Some(to)) = (own.report.get_mut(native), scene.materials.get_mut(native))
            {
                part.state = State::Edited;
                to.base_color = material.base_color;
            }
        }
        own
    }

    /// Flat materials that became pixels of one picture have their colours by the meshes that they are of.
    pub(super) fn flat(&mut self, work: &Work<'_, '_>, finds: &Finds<'_>, scene: &mut Scene) {
        let mut colors: BTreeMap<usize, Vec<[f32; 4]>> = BTreeMap::new();
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
                self.report.get_mut(native).into_iter().for_each(|part| part.state = State::Edited);
            }
        }
    }

    /// The material of the result that one of the edited scene is.
    pub(super) fn get(&mut self, work: &Work<'_, '_>, e: usize, scene: &mut Scene) -> Option<MaterialId> {
        if let Some(id) = self.known.get(&e) {
            return Some(*id);
        }
        let material = work.edited.materials.get(e)?;
        let id = MaterialId(scene.materials.len());
        scene.materials.push(material.clone());
        self.report.push(Part { name: material.name.clone(), state: State::New, change: () });
        self.known.insert(e, id);
        Some(id)
    }
}

fn near(a: [f32; 4], b: [f32; 4], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| f64::from((a - b).abs()) <= tolerance)
}

/// Whether two colours are one but for what a pixel of eight bits cuts off.
pub(super) fn one_pixel(a: [f32; 4], b: [f32; 4]) -> bool {
    let channels = |c: [f32; 4]| {
        let [r, g, b, a] = c;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let alpha = (a * 255.0 + 0.5) as u8;
        [srgb(r), srgb(g), srgb(b), alpha]
    };
    channels(a).iter().zip(channels(b)).all(|(a, b)| a.abs_diff(b) <= 1)
}

/// The material that a native mesh has, with the one that it has now and its colour, where that was a pixel of a picture.
pub(super) fn painted(
    work: &Work<'_, '_>,
    edited: &[Edited<'_>],
    own: &Found<'_>,
) -> Option<(Option<MaterialId>, usize, [f32; 4])> {
    let [e] = own.sources[..] else { return None };
    let is = edited.get(e)?.moved.mesh.material?.0;
    let material = work.edited.materials.get(is).filter(|m| is_palette(&m.name) && m.image.is_none())?;
    Some((own.exported.material, is, material.base_color))
}
