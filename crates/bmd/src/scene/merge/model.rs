//! A model with an edited scene in it.

use super::bones::MergedBones;
use super::meshes::{MergedMeshes, Meshes};
use super::work::Work;
use crate::model::{Bmd, Lod};
use crate::packed::VertexKind;
use crate::scene::from_scene::Traced;
use crate::scene::options::{BmdSceneOptions, VertexForm};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use meshwright_core::{FileFormat, Findings};
use meshwright_edit::three_way::{self as merge, Match, Trios, new_losses, pick};
use meshwright_scene::{Clip, ConvertError, Converted, FromSceneOptions, Joint, Loss, Motion, Scene};

impl Bmd {
    /// The model with what is other in `recovered` than in `native`, the scene that the model gives. All else keeps its
    /// bits: reserved words, flags, quads, shared lists, pseudo-bones, steps of streams, and the places of the file
    /// where nothing changed in size.
    ///
    /// Kept apart are bones (transform, name, parent), meshes (material), of vertices place, texture coordinates, normal,
    /// colour and bone, triangles, levels, clips (name, rate, frames), and the keys of each channel of each bone. Vertices
    /// are encoded as most of the model's are.
    ///
    /// # Errors
    /// As [`Bmd::from_scene`] for either scene; and where the model's bones, levels or lists have no place for the edited
    /// scene.
    pub fn merge(
        &self,
        native: &Scene,
        recovered: &Scene,
        options: &FromSceneOptions<BmdSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        let mut options = options.clone();
        options.format.vertices = self.form();
        let budget = options.budget();
        let clips = merge::clips(native, recovered, &budget)?;
        let [old, new] = still(native, recovered, &clips);
        let before = Traced::convert(native, &options, Some(&old))?;
        let after = Traced::convert(recovered, &options, Some(&new))?;
        let mut losses = new_losses(&before.losses, after.losses);
        let work = Work {
            native: self,
            before: &before.value,
            after: &after.value,
            scenes: [native, recovered],
            joints: merge::joints(&before.value.skeleton, &after.value.skeleton, &budget)?,
            meshes: merge::meshes(native, recovered, &budget)?,
            clips,
            budget: &budget,
        };
        let model = work.merge(&mut losses)?;
        Ok(Converted::new(model, losses))
    }

    /// How most of the vertices are stored. Of the smallest kind normals follow from places: what is new has its own.
    fn form(&self) -> VertexForm {
        let all = self.meshes.iter().flat_map(|m| m.vertices.iter());
        let wide = all.clone().filter(|v| v.kind() == VertexKind::Bits128).count();
        let half = all.count() / 2;
        if wide > half { VertexForm::Widest } else { VertexForm::Engine }
    }
}

/// The clips of both scenes of which no key can have been edited: choosing keys takes long.
fn still(native: &Scene, recovered: &Scene, found: &[Option<usize>]) -> [Vec<usize>; 2] {
    let mut still = [Vec::new(), Vec::new()];
    let placed = |scene: &Scene| -> Vec<Joint> {
        let joints = scene.skeletons.iter().flat_map(|s| &s.joints);
        joints.map(|j| Joint { name: String::new(), solid: None, extras: None, ..j.clone() }).collect()
    };
    if placed(native) != placed(recovered) {
        return still;
    }
    let [old, new] = &mut still;
    let pairs = recovered.clips.iter().enumerate().zip(found);
    for ((e, clip), pair) in pairs.filter_map(|(own, n)| Some((own, (*n)?))) {
        let same = |n: &Clip| {
            let key = |c: &Clip| (c.skeleton, c.frames, c.looping, c.rate.to_bits(), c.interpolation);
            // Poses are told by the numbers that their sets have.
            key(n) == key(clip) && n.motion == clip.motion && matches!(n.motion, Motion::Tracks(_))
        };
        if native.clips.get(pair).is_some_and(same) {
            old.push(pair);
            new.push(e);
        }
    }
    still
}

impl Work<'_> {
    fn merge(&self, losses: &mut Vec<Loss>) -> Result<Bmd, ConvertError> {
        let native = self.native;
        let bones = MergedBones::of(self)?;
        let trios = self.mesh_trios()?;
        let MergedMeshes { list, rewritten } = Meshes::of(self, &bones, &trios).merge()?;
        if rewritten > 0 {
            let message = "the scene counts other triangles than the model; these are written anew";
            losses
                .push(Loss::new("mesh-rewritten", "meshes", message).with_count(rewritten, "mesh", "meshes"));
        }
        let mut model = native.clone();
        model.meshes = list;
        model.lods = self.lods(&trios)?;
        model.clips = self.merged_clips(&bones)?;
        model.bones = bones.solids(native, &self.after.model, &trios);
        let mut findings = Findings::writing();
        let checked = crate::rules::check(&model, None, &mut findings);
        checked.map_err(|e| ConvertError::unsupported(e.path().to_string(), e.message()))?;
        let size = |n: usize| u8::try_from(n).is_ok();
        if !size(model.bones.len()) || model.meshes.len() > usize::from(u16::MAX) {
            let id = <Bmd as FileFormat>::ID;
            return Err(ConvertError::unsupported(
                "bones",
                alloc::format!("more than a {id} has numbers for"),
            ));
        }
        Ok(model)
    }

    /// Meshes of the three models: of a mesh that is drawn more than once the first is the native one.
    fn mesh_trios(&self) -> Result<Trios, ConvertError> {
        let (before, after) = (&self.before.meshes, &self.after.meshes);
        if self.before.joined || self.after.joined {
            let message = "several meshes of the scene became one";
            return Err(ConvertError::unsupported("meshes", message));
        }
        let count = self.native.meshes.len();
        let mut taken = self.budget.filled("meshes", count, false)?;
        let mut there: Match = self.budget.reserve("meshes", before.len())?;
        for source in before {
            let Some(source) = source else {
                there.push(None);
                continue;
            };
            let free = taken.get_mut(source.mesh).filter(|taken| !**taken && source.part == 0);
            there.push(free.map(|taken| {
                *taken = true;
                source.mesh
            }));
        }
        // The n-th of what a mesh became is the n-th of what it was.
        let joint =
            |traced: &Traced, solid: Option<u32>| solid.and_then(|j| traced.bones.get(j as usize)).copied();
        let mut free = self.budget.filled("meshes", before.len(), true)?;
        let mut found: Match = self.budget.reserve("meshes", after.len())?;
        for source in after {
            let Some(source) = source else {
                // What is made up for one scene is made up for the other.
                found.push(before.iter().position(Option::is_none));
                continue;
            };
            let native = self.meshes.get(source.mesh).copied().flatten();
            self.budget.work("meshes", before.len() as u64)?;
            let key = native.map(|n| (n, source.part, joint(self.after, source.solid).is_some()));
            let mut all = before.iter().zip(&mut free).enumerate();
            let place = all.find(|(_, (b, free))| {
                let own = b.map(|b| (b.mesh, b.part, joint(self.before, b.solid).is_some()));
                **free && own.is_some() && own == key
            });
            found.push(place.map(|(at, (_, free))| {
                *free = false;
                at
            }));
        }
        Ok(Trios::of(count, &there, &found, false, self.budget)?)
    }

    /// The levels, of which each has the meshes that it had, and those that are new there.
    fn lods(&self, trios: &Trios) -> Result<Vec<Lod>, ConvertError> {
        let native = &self.native.lods;
        let (before, after) = (&self.before.model.lods, &self.after.model.lods);
        let scales = native.len() == before.len() && before.len() == after.len();
        let scaled = |i: usize, lod: Lod| match before.get(i).zip(after.get(i)).filter(|_| scales) {
            Some((b, a)) => Lod { scale: pick(lod.scale, &b.scale, a.scale), ..lod },
            None => lod,
        };
        let whole = matches!(native.as_slice(), [] | [Lod { first: 0, count: 0, .. }]);
        if whole || trios.is_native() {
            return Ok(native.iter().enumerate().map(|(i, lod)| scaled(i, *lod)).collect());
        }
        let range =
            |lod: &Lod| usize::from(lod.first)..usize::from(lod.first).saturating_add(lod.count.into());
        let mut lods = Vec::with_capacity(native.len());
        for (i, lod) in native.iter().enumerate() {
            // Of levels without a drawn mesh the scene has none, so that their numbers are not those of the model.
            let new = after.get(i).filter(|_| scales || after.len() == 1).map(range).unwrap_or_default();
            let is_in = |t: &merge::Trio| match t.native {
                Some(n) => range(lod).contains(&n),
                None => t.after.is_some_and(|a| new.contains(&a)),
            };
            let mut own = trios.records.iter().enumerate().filter(|(_, t)| is_in(t)).map(|(place, _)| place);
            let first = own.next().unwrap_or(0);
            let count = own.clone().count().saturating_add(1);
            let end = own.next_back().unwrap_or(first).saturating_add(1);
            let apart = end.saturating_sub(first) != count;
            let (Ok(first), Ok(count), false) = (u8::try_from(first), u8::try_from(count), apart) else {
                let message = "the meshes of a level no longer follow each other";
                return Err(ConvertError::unsupported("levels", message));
            };
            let kept = trios.records.iter().any(is_in);
            if kept || lod.count == 0 {
                lods.push(scaled(i, Lod { first, count: if kept { count } else { 0 }, ..*lod }));
            }
        }
        Ok(lods)
    }
}
