//! Writes a patch into the files of the original character: meshes, a skeleton, animations.

mod anim;
mod bones;
mod geometry;
mod skel;
mod static_root;

use super::assembly::Assembly;
use super::extras::rename_event_bones;
use super::from_scene::{Files, Made, MadeClip, MadeMesh, TsoSceneOptions, extension, twins};
use super::space::TO_GLTF;
use crate::anim::Anim;
use crate::bnd::Bnd;
use crate::mesh::Geometry;
use crate::name::Name;
use crate::skel::Skel;
use crate::ts1::{Cfp, Character, CharacterSkeleton, Skill, SkinPart, Suit};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use bones::{Bones, joint_names};
use meshwright_edit::{MaterialPatch, Patch};
use meshwright_scene::{Budget, ConvertError, Converted, FromSceneOptions, OutputFiles, Scene};
use static_root::bind_loose_vertices;

/// The files of a character after an edit. Unedited ones are equal to the original's.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EditedCharacter {
    /// The meshes of the original with the names of skin and texture; `None` for a deleted one.
    pub meshes: Vec<Option<(Geometry, Option<[Name; 2]>)>>,
    /// The skeleton.
    pub skeleton: Option<Skel>,
    /// The animations of the original; nothing for one that is gone.
    pub animations: Vec<Option<Anim>>,
    /// The binding.
    pub binding: Option<Bnd>,
    /// Bones with other names: the old and the new one.
    pub renamed_bones: Vec<(Name, Name)>,
    /// Files of new meshes, animations and textures, and of a new skeleton.
    pub new_files: OutputFiles,
    /// The number of new meshes.
    pub new_meshes: usize,
    /// The records of new meshes, if the options ask for a character file.
    pub skins: Vec<SkinPart>,
    /// The records of new animations, if the options ask for a character file.
    pub skills: Vec<Skill>,
}

impl Assembly<'_> {
    /// Writes a patch of `native`, the scene of these files, into the files. Everything outside the patch stays
    /// unchanged. Files of new parts are named as [`write_scene`](crate::write_scene) calls them.
    ///
    /// # Errors
    /// As [`write_scene`](crate::write_scene) for the edited scene, and if the character has not the meshes and clips of `native`.
    pub fn merge(
        &self,
        native: &Scene,
        patch: &Patch,
        stem: &str,
        options: &FromSceneOptions<TsoSceneOptions>,
    ) -> Result<Converted<EditedCharacter>, ConvertError> {
        let mut options = options.clone();
        options.format.keeps_root = self.skeleton.is_some();
        let options = &options;
        let (budget, mut losses) = (options.budget(), Vec::new());
        let twins = twins(&patch.scene, &budget)?;
        let mut patch = patch.with_one_skeleton(twins.others(), &budget, &mut losses)?;
        let drawn = |scene: &Scene| scene.nodes.iter().flat_map(|n| n.meshes.iter().map(|m| m.0)).collect();
        let drawn: Vec<usize> = drawn(native);
        if drawn.len() != self.parts.len() || native.clips.len() != self.animations.len() {
            let message = "the scene has other meshes or clips than there are files";
            return Err(ConvertError::unsupported("meshes", message));
        }
        let mut files = Files::new(stem, &budget);
        let names = joint_names(native, &budget)?;
        rename_events(&mut patch, &names, &budget)?;
        if self.skeleton.is_some() {
            bind_loose_vertices(&mut patch, &budget, &mut losses)?;
        }
        let made = Made::new(&patch.scene, stem, &twins, options, (&mut files, &mut losses))?;
        let bones = Bones::new(&names, &patch, &made.names);
        let merge = Merge { own: self, native, patch: &patch, bones: &bones, options, budget: &budget };
        let mut result = EditedCharacter { renamed_bones: bones.renames(), ..EditedCharacter::default() };
        let skeleton = made.skeletons.first();
        result.skeleton = match (self.skeleton, skeleton) {
            (Some(old), Some(new)) => Some(skel::merge(old, new, (native, &patch), &bones, &budget)?),
            (Some(old), None) => Some(old.clone()),
            (None, _) => None,
        };
        if self.skeleton.is_none() && made.character.is_none() {
            for new in &made.skeletons {
                files.push(&new.stem, extension::<Skel>(), &new.skel)?;
            }
        }
        merge.clips(made.clips, skeleton.map(|made| &made.skel), &mut files, &mut result)?;
        let suits = made.character.map(|records| records.into_character().suits).unwrap_or_default();
        merge.meshes(made.meshes, (&drawn, &suits), &mut files, &mut result)?;
        result.new_files = files.finish();
        let losses = patch.losses_of_edits(losses);
        Ok(Converted::new(result, losses))
    }
}

/// A merge into the files of a character.
struct Merge<'m> {
    own: &'m Assembly<'m>,
    native: &'m Scene,
    patch: &'m Patch,
    bones: &'m Bones<'m>,
    options: &'m FromSceneOptions<TsoSceneOptions>,
    budget: &'m Budget,
}

impl Merge<'_> {
    /// Merges clips into the animations, and writes new ones. `skeleton` is the new one if the character has none.
    fn clips(
        &self,
        made: Vec<MadeClip>,
        skeleton: Option<&Skel>,
        files: &mut Files<'_, '_>,
        result: &mut EditedCharacter,
    ) -> Result<(), ConvertError> {
        let rest = result.skeleton.as_ref().or(skeleton);
        let known = self.own.skeleton.map_or(0, |skel| skel.bones.len());
        result.animations.resize(self.own.animations.len(), None);
        for new in made {
            let own = self.patch.clips.get(new.clip).and_then(|own| Some((own, own.original?)));
            let Some((own, c)) = own.filter(|(_, c)| result.animations[*c].is_none()) else {
                if self.options.format.character.is_some() {
                    let (skill, keys) = Skill::from_anim(&new.anim, Name::from_text(&new.stem).0);
                    files.push(&new.stem, extension::<Cfp>(), &keys)?;
                    result.skills.push(skill);
                } else {
                    files.push(&new.stem, extension::<Anim>(), &new.anim)?;
                }
                continue;
            };
            let clips = [&self.native.clips[c], &self.patch.scene.clips[new.clip]];
            let edited = anim::Edited { patch: own, clips, bones: self.bones, known, rest };
            result.animations[c] = Some(edited.merge(self.own.animations[c], &new.anim, self.budget)?);
        }
        Ok(())
    }

    /// Merges meshes into the parts, and writes new ones. `drawn` are the meshes of the original scene in the order of the
    /// parts, `suits` the records of all meshes.
    fn meshes(
        &self,
        made: Vec<MadeMesh<'_>>,
        (drawn, suits): (&[usize], &[Suit]),
        files: &mut Files<'_, '_>,
        result: &mut EditedCharacter,
    ) -> Result<(), ConvertError> {
        result.meshes.resize(self.own.parts.len(), None);
        let binding_of = |own: &Bnd| Bnd { bone: self.bones.renamed(&own.bone), ..own.clone() };
        result.binding = self.own.binding.map(binding_of);
        let axes = self.options.axes(&self.patch.scene, &TO_GLTF);
        let mut is_other = |material: usize| {
            let kept = |m: &MaterialPatch| m.original.is_some() && !m.renamed && !m.picture;
            !self.patch.materials.get(material).is_some_and(kept)
        };
        for new in made {
            let of = |m: usize| {
                let original = self.patch.meshes.get(m)?.original?;
                Some((m, drawn.iter().position(|d| *d == original)?))
            };
            let own = new.mesh.and_then(of).filter(|(_, place)| result.meshes[*place].is_none());
            let Some((number, place)) = own else {
                result.new_meshes += 1;
                let called = Name::from_text(&new.stem).0;
                for suit in suits {
                    result.skins.extend(suit.skins.iter().filter(|skin| skin.skin.matches(&called)).cloned());
                }
                new.write(self.options.format.meshes, files, &mut is_other)?;
                continue;
            };
            let original = &self.own.parts[place];
            let mesh = (self.patch, number);
            let geometry =
                geometry::merge(original.geometry, &new.geometry, mesh, &axes, self.bones, self.budget)?;
            let names = original.names.map(|old| merged_names(old, new.names.as_ref(), mesh));
            result.meshes[place] = Some((geometry, names));
            if place == 0 {
                result.binding = result.binding.take().map(|old| binding(old, &new, mesh, self.bones));
            }
            if let Some((_, id, image)) = new.picture.filter(|(material, ..)| is_other(*material)) {
                files.picture(&id, image)?;
            }
        }
        Ok(())
    }
}

impl EditedCharacter {
    /// Writes the edits into the records of a file of The Sims 1, whose `skills` by number are the first animations.
    /// Returns the records, and the keys of edited skills by the names in the skills.
    pub fn edit_records(
        &mut self,
        records: &Character,
        skills: &[(usize, Anim)],
        stem: &str,
    ) -> (Character, Vec<(Name, Cfp)>) {
        let (mut made, mut keys) = (records.clone(), Vec::new());
        if let (Some(merged), Some(slot)) = (&self.skeleton, made.skeletons.first_mut())
            && *merged != slot.to_skel()
        {
            *slot = CharacterSkeleton::from(merged);
        }
        for skin in made.suits.iter_mut().flat_map(|suit| &mut suit.skins) {
            if let Some((_, new)) = self.renamed_bones.iter().find(|(old, _)| old.matches(&skin.bone)) {
                skin.bone.clone_from(new);
            }
        }
        // New meshes are added to the last suit.
        if made.suits.is_empty() && !self.skins.is_empty() {
            made.suits.push(Suit { name: Name::from_text(stem).0, ..Suit::default() });
        }
        if let Some(suit) = made.suits.last_mut() {
            suit.skins.append(&mut self.skins);
        }
        for ((number, native), edited) in skills.iter().zip(&self.animations) {
            if let Some(anim) = edited.as_ref().filter(|anim| *anim != native) {
                keys.extend(made.set_skill(*number, anim));
            }
        }
        let is_gone = |n: usize| {
            skills.iter().zip(&self.animations).any(|((number, _), edited)| *number == n && edited.is_none())
        };
        let mut numbers = 0..;
        made.skills.retain(|_| !numbers.next().is_some_and(is_gone));
        made.skills.append(&mut self.skills);
        (made, keys)
    }
}

impl Character {
    /// Replaces a skill. Returns its keys, and the name that it gives them.
    pub fn set_skill(&mut self, number: usize, anim: &Anim) -> Option<(Name, Cfp)> {
        let slot = self.skills.get_mut(number)?;
        let (skill, keys) = Skill::from_anim(anim, slot.keys.clone());
        *slot = skill;
        Some((slot.keys.clone(), keys))
    }
}

/// Updates the names of renamed bones in events.
fn rename_events(patch: &mut Cow<'_, Patch>, names: &[Name], budget: &Budget) -> Result<(), ConvertError> {
    let joints = patch.joints.iter().zip(&patch.scene.skeletons).find(|(list, _)| !list.is_empty());
    let Some((own, skeleton)) = joints else { return Ok(()) };
    let mut renames: Vec<(Name, Name)> = Vec::new();
    for (own, new) in own.iter().zip(&skeleton.joints).filter(|(own, _)| own.renamed) {
        let old = own.original.and_then(|n| names.get(n));
        renames.extend(old.map(|old| (old.clone(), Name::from_text(&new.name).0)));
    }
    if renames.is_empty() || patch.scene.clips.iter().all(|clip| clip.extras.is_none()) {
        return Ok(());
    }
    if let Cow::Borrowed(own) = patch {
        *patch = Cow::Owned(own.copied(budget)?);
    }
    patch.to_mut().scene.clips.iter_mut().for_each(|clip| rename_event_bones(clip, &renames));
    Ok(())
}

/// Returns the names of skin and texture: those of the mesh and of the material, if these were edited.
fn merged_names(
    [skin, texture]: [&Name; 2],
    made: Option<&[Name; 2]>,
    (patch, mesh): (&Patch, usize),
) -> [Name; 2] {
    let renamed = patch.meshes.get(mesh).is_some_and(|own| own.renamed);
    let [new_skin, new_texture] = made.map_or([skin, texture], |[skin, texture]| [skin, texture]);
    let surface =
        patch.is_surface_renamed(mesh) && patch.scene.meshes.get(mesh).is_some_and(|m| m.material.is_some());
    [if renamed { new_skin } else { skin }.clone(), if surface { new_texture } else { texture }.clone()]
}

/// Returns the binding of the first mesh.
fn binding(old: Bnd, new: &MadeMesh<'_>, (patch, mesh): (&Patch, usize), bones: &Bones<'_>) -> Bnd {
    let Some(made) = &new.binding else { return old };
    let renamed = patch.meshes.get(mesh).is_some_and(|own| own.renamed);
    let gone = bones.is_gone(&old.bone);
    Bnd {
        bone: if gone { made.bone.clone() } else { old.bone },
        mesh: if renamed { made.mesh } else { old.mesh },
        texture: if patch.is_surface_renamed(mesh) { made.texture } else { old.texture },
        trailing: old.trailing,
    }
}
