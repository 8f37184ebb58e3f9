//! Merges the model, its meshes and levels of detail.

use super::BmdMerge;
use super::bones::MergedBones;
use super::meshes::{Meshes, restate};
use crate::model::{Bmd, Lod};
use crate::packed::VertexKind;
use crate::scene::axes::AXES;
use crate::scene::from_scene::{Traced, drawn_meshes, fewest_bones, skeletons_of, used_skeletons};
use crate::scene::options::{BmdSceneOptions, VertexForm};
use alloc::string::ToString;
use alloc::vec::Vec;
use meshwright_core::{FileFormat, Findings, SortedMap};
use meshwright_edit::apply::{Origin, Records};
use meshwright_edit::{JointPatch, Patch, Poses};
use meshwright_scene::{Clip, ConvertError, Converted, FromSceneOptions, Loss, Mesh, Scene};

impl Bmd {
    /// Applies a patch of `native`, the scene that the model converts to, whose meshes may be missing. Everything
    /// that the patch does not name keeps its bits: reserved words, flags, quads, shared lists, pseudo-bones and
    /// steps of streams.
    /// Sections whose size does not change keep their offsets. Vertices are encoded in the form that most of
    /// the model's vertices have.
    ///
    /// # Errors
    /// As [`Bmd::from_scene`] for the edited scene, or if the model's bones, levels or lists have no room
    /// for the edits.
    pub fn merge(
        &self,
        native: &Scene,
        patch: &Patch,
        options: &FromSceneOptions<BmdSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        let mut options = options.clone();
        options.format.vertices = self.form();
        let (budget, mut losses) = (options.budget(), Vec::new());
        let used = used_skeletons(&patch.scene);
        let patch = &*patch.with_one_skeleton(|id| used.contains(&id), &budget, &mut losses)?;
        let home = used.first().copied();
        let patch = &*match home {
            Some(id) => {
                let limit = fewest_bones(&patch.scene, id);
                patch.with_fewer_joints(id, limit, |_| false, &budget, &mut losses)?
            }
            None => alloc::borrow::Cow::Borrowed(patch),
        };
        let joints = home.and_then(|id| patch.joints.get(id.0)).map_or(&[][..], Vec::as_slice);
        let scaled = |scene: &Scene| {
            let joints = home.and_then(|id| scene.skeletons.get(id.0)).map_or(&[][..], |s| &s.joints);
            joints.iter().any(|j| j.rest.to_trs64().scale.iter().any(|s| (s - 1.0).abs() > 1e-5))
        };
        let scaled = scaled(&patch.scene);
        let stays = |(j, own): (usize, &JointPatch)| own.original == Some(j) && !own.rest && !own.parent;
        let count = native.skeletons.iter().map(|s| s.joints.len()).max().unwrap_or(0);
        let all_stay = joints.len() == count && joints.iter().enumerate().all(stays);
        let needs_keys = |clip: usize, joint: usize| {
            let Some(own) = joints.get(joint) else { return true };
            let is_bone = own.original.is_some_and(|bone| bone > 0 && bone < self.normal_bones());
            // The joint of a pseudo-bone becomes a bone if it no longer moves with those that it follows.
            let alone = !is_bone && (!all_stay || is_edited(native, patch, clip, None));
            scaled || own.rest || alone || is_edited(native, patch, clip, Some(joint))
        };
        let made = Traced::convert(&patch.scene, &options, Some(&needs_keys))?;
        losses.extend(made.losses);
        let mut losses = patch.losses_of_edits(losses);
        let skins = patch.original_meshes.iter().filter_map(|m| m.skeleton);
        let work = BmdMerge {
            original: self,
            made: &made.value,
            native,
            home: skeletons_of(native, skins).first().copied(),
            patch,
            joints,
            scaled,
            needs_keys: &needs_keys,
            axes: options.axes(&patch.scene, &AXES),
            budget: &budget,
        };
        let drawn = drawn_meshes(&outline(native, patch), work.home, &options, &budget)?;
        let model = work.merge(&drawn, &mut losses)?;
        Ok(Converted::new(model, losses))
    }

    /// Returns the form of new vertices: the widest form if most vertices have it, otherwise the form of the engine.
    fn form(&self) -> VertexForm {
        let all = self.meshes.iter().flat_map(|m| m.vertices.iter());
        let wide = all.clone().filter(|v| v.kind() == VertexKind::Bits128).count();
        let half = all.count() / 2;
        if wide > half { VertexForm::Widest } else { VertexForm::Engine }
    }
}

/// Returns what decides which meshes of the original are drawn: its scene without clips, and with one vertex and at most
/// one triangle for each mesh. The meshes themselves may be missing.
fn outline(native: &Scene, patch: &Patch) -> Scene {
    let mut scene = Scene::new("").in_space(native.space);
    for mesh in &patch.original_meshes {
        let triangles = if mesh.triangles > 0 { alloc::vec![[0; 3]] } else { Vec::new() };
        scene.meshes.push(Mesh::new("", alloc::vec![[0.0; 3]], triangles));
    }
    scene.nodes.clone_from(&native.nodes);
    scene.levels.clone_from(&native.levels);
    scene.skeletons.clone_from(&native.skeletons);
    scene
}

/// Returns true if a clip of the edited scene has other frames than its original, or other poses: of one joint, or of
/// any.
fn is_edited(native: &Scene, patch: &Patch, clip: usize, joint: Option<usize>) -> bool {
    let (Some(own), Some(is)) = (patch.clips.get(clip), patch.scene.clips.get(clip)) else { return true };
    let key = |c: &Clip| (c.skeleton, c.frames, c.looping, c.rate.to_bits(), c.interpolation);
    let was = own.original.and_then(|n| native.clips.get(n));
    was.is_none_or(|was| key(was) != key(is))
        || match joint {
            Some(joint) => (0..is.frames).any(|f| own.poses.is_changed(f, joint)),
            None => own.poses != Poses::Unchanged,
        }
}

impl BmdMerge<'_> {
    fn merge(&self, drawn: &[(usize, bool)], losses: &mut Vec<Loss>) -> Result<Bmd, ConvertError> {
        let original = self.original;
        let bones = MergedBones::new(self)?;
        let records = self.mesh_records(drawn)?;
        let (meshes, rewritten) = Meshes::new(self, &bones, &records).merge()?;
        if rewritten > 0 {
            let message = "the scene has other triangles than the model; they are encoded again";
            losses
                .push(Loss::new("mesh-rewritten", "meshes", message).with_count(rewritten, "mesh", "meshes"));
        }
        let mut model = original.clone();
        model.meshes = meshes;
        // Coordinates of one form may look as those of the other, now that they are edited.
        let (written, read) = (original.st_form(), model.st_form());
        if written != read {
            restate(&mut model.meshes, written, read);
        }
        model.lods = self.lods(&records)?;
        model.clips = self.merged_clips(&bones)?;
        model.bones = bones.solids(original, &self.made.model, &records);
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

    /// Returns the meshes of the result. `drawn` lists the meshes that the original's scene draws, and those
    /// that bound joints. If a mesh occurs more than once, only the first occurrence is kept, as the
    /// original's mesh.
    fn mesh_records(&self, drawn: &[(usize, bool)]) -> Result<Records, ConvertError> {
        if self.made.joined {
            let message = "several meshes of the scene became one";
            return Err(ConvertError::unsupported("meshes", message));
        }
        let count = self.original.meshes.len();
        self.budget.charge_items("meshes", drawn.len() as u64, 2 * size_of::<[usize; 8]>())?;
        let mut places: SortedMap<(usize, bool), Vec<bool>> = SortedMap::new();
        let mut shown = self.budget.filled("meshes", count, false)?;
        for (mesh, solid) in drawn {
            let first = shown.get_mut(*mesh).is_some_and(|shown| !core::mem::replace(shown, true));
            places.entry((*mesh, *solid)).or_default().push(first);
        }
        places.values_mut().for_each(|list| list.reverse());
        let split = |mesh: usize| self.made.meshes.iter().flatten().any(|s| s.mesh == mesh && s.part > 0);
        let mut found = self.budget.reserve("meshes", self.made.meshes.len())?;
        let mut again = self.budget.reserve("meshes", self.made.meshes.len())?;
        for source in &self.made.meshes {
            // A mesh that the conversion invented has no source. It is only needed if the original has no
            // meshes.
            let Some(source) = source else {
                found.push(None);
                again.push(count > 0);
                continue;
            };
            let original = self.patch.meshes.get(source.mesh).and_then(|m| m.original);
            let own = original.filter(|_| !split(source.mesh));
            let first = own.and_then(|n| places.get_mut(&(n, source.solid.is_some()))?.pop());
            found.push(own.filter(|_| first == Some(true)));
            again.push(first == Some(false));
        }
        // The conversion has the meshes in the order of levels. New meshes stay after the mesh that they
        // follow there.
        let mut last = None;
        let last = |found: &Option<usize>| {
            last = found.or(last);
            (last, found.is_none())
        };
        let places: Vec<_> = found.iter().map(last).collect();
        let shows = |n| shown.get(n) == Some(&true);
        let all = Records::ordered(count, shows, &found, |m| places.get(m).copied(), self.budget)?;
        Ok(all.filtered(|o| o.original.is_some() || o.made.is_none_or(|m| again.get(m) != Some(&true))))
    }

    /// Returns the levels of detail with their old meshes and the new ones.
    fn lods(&self, records: &Records) -> Result<Vec<Lod>, ConvertError> {
        let (old, new) = (&self.original.lods, &self.made.model.lods);
        let scales = old.len() == new.len();
        let scaled = |i: usize, lod: Lod| {
            let (was, is) = (self.native.levels.get(i), self.patch.scene.levels.get(i));
            let other = scales && was.map(|l| l.max_distance) != is.map(|l| l.max_distance);
            new.get(i).filter(|_| other).map_or(lod, |made| Lod { scale: made.scale, ..lod })
        };
        let whole = matches!(old.as_slice(), [] | [Lod { first: 0, count: 0, .. }]);
        if whole || records.is_original() {
            return Ok(old.iter().enumerate().map(|(i, lod)| scaled(i, *lod)).collect());
        }
        let range =
            |lod: &Lod| usize::from(lod.first)..usize::from(lod.first).saturating_add(lod.count.into());
        let mut lods = Vec::with_capacity(old.len());
        for (i, lod) in old.iter().enumerate() {
            // A scene has no levels without a drawn mesh, so that its level numbers may differ from the model's.
            let new = new.get(i).filter(|_| scales || new.len() == 1).map(range).unwrap_or_default();
            let is_in = |o: &Origin| match o.original {
                Some(n) => range(lod).contains(&n),
                None => o.made.is_some_and(|m| new.contains(&m)),
            };
            let mut own = records.list.iter().enumerate().filter(|(_, o)| is_in(o)).map(|(place, _)| place);
            let first = own.next().unwrap_or(0);
            let count = own.clone().count().saturating_add(1);
            let end = own.next_back().unwrap_or(first).saturating_add(1);
            let apart = end.saturating_sub(first) != count;
            let (Ok(first), Ok(count), false) = (u8::try_from(first), u8::try_from(count), apart) else {
                let message = "the meshes of a level no longer follow each other";
                return Err(ConvertError::unsupported("levels", message));
            };
            let kept = records.list.iter().any(is_in);
            if kept || lod.count == 0 {
                lods.push(scaled(i, Lod { first, count: if kept { count } else { 0 }, ..*lod }));
            }
        }
        Ok(lods)
    }
}
