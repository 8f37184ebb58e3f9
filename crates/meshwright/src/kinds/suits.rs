//! Edited scenes written into the files of The Sims that they came from, file by file.

use super::companions::{keys, keys_file};
use super::merging::{drawn, refused};
use super::renames::{Renames, animation, events_renamed, rename, renamed, renames};
use super::reread::{Files, stem};
use super::{AnyModel, CompanionFile, Kind, Merging, Registered, SourceFile, WriteOptions};
use crate::merge::FILE_LEFT;
use meshwright_core::{Role, WriteError};
use meshwright_edit::three_way::{Match, new_losses, pick};
use meshwright_scene::{Budget, ConvertError, Converted, Loss, OutputFile, OutputFiles, Scene};
use meshwright_tso::{
    Anim, Bnd, Cfp, Character, CharacterSkeleton, Geometry, Name, Skel, Skill, SkinPart, Suit,
};
use std::sync::Arc;

/// The geometry of a mesh of any of the games' kinds.
fn geometry(model: &AnyModel) -> Option<&Geometry> {
    match model {
        AnyModel::TsoMesh(m) => Some(&m.geometry),
        AnyModel::Bmf(m) => Some(&m.geometry),
        AnyModel::Skn(m) => Some(&m.geometry),
        _ => None,
    }
}

/// The names of skin and texture, where the kind has such.
fn names(model: &AnyModel) -> Option<[&Name; 2]> {
    match model {
        AnyModel::Bmf(m) => Some([&m.skin, &m.texture]),
        AnyModel::Skn(m) => Some([&m.skin, &m.texture]),
        _ => None,
    }
}

/// What writes a scene as the files of a figure.
type WriteScene = fn(&Scene, &str, &WriteOptions) -> Result<Converted<OutputFiles>, ConvertError>;

/// A mesh with what was edited of it.
fn mesh(
    native: &AnyModel,
    before: &AnyModel,
    after: &AnyModel,
    renames: &Renames,
    budget: &Budget,
) -> Result<AnyModel, ConvertError> {
    let (Some(n), Some(b), Some(a)) = (geometry(native), geometry(before), geometry(after)) else {
        return Err(ConvertError::invalid("meshes", "a file is no mesh"));
    };
    let merged = if renames.is_empty() {
        n.merge(b, a, budget)?
    } else {
        renamed(n, renames).merge(&renamed(b, renames), a, budget)?
    };
    let named = names(native).map(|own| {
        let (was, is) = (names(before).unwrap_or(own), names(after).unwrap_or(own));
        let [[a, x], [b, y], [c, z]] = [own, was, is];
        (pick(a.clone(), b, c.clone()), pick(x.clone(), y, z.clone()))
    });
    let mut made = native.clone();
    match (&mut made, named) {
        (AnyModel::TsoMesh(m), _) => m.geometry = merged,
        (AnyModel::Bmf(m), Some(named)) => (m.geometry, (m.skin, m.texture)) = (merged, named),
        (AnyModel::Skn(m), Some(named)) => (m.geometry, (m.skin, m.texture)) = (merged, named),
        _ => {}
    }
    Ok(made)
}

/// The file of a mesh that is gone: without vertices.
fn emptied(mesh: &AnyModel) -> AnyModel {
    let mut made = mesh.clone();
    let geometry = match &mut made {
        AnyModel::TsoMesh(m) => &mut m.geometry,
        AnyModel::Bmf(m) => &mut m.geometry,
        AnyModel::Skn(m) => &mut m.geometry,
        _ => return made,
    };
    let Geometry { faces, bindings, real, blends, .. } = geometry;
    (*faces, *bindings, *real, *blends) = Default::default();
    made
}

/// What goes together in a merge.
struct Work<'m> {
    merging: &'m Merging<'m>,
    before: Files,
    after: Files,
    budget: Budget,
    /// Companions that were edited, and what is new.
    files: OutputFiles,
    /// Files of which records were edited.
    sources: Vec<(Arc<SourceFile>, AnyModel)>,
    losses: Vec<Loss>,
    renames: Renames,
}

impl<'m> Work<'m> {
    fn of<K: Kind>(merging: &'m Merging<'m>) -> Result<Self, ConvertError> {
        Self::with(merging, K::write_scene)
    }

    /// The same with what writes scenes.
    fn with(merging: &'m Merging<'m>, write: WriteScene) -> Result<Self, ConvertError> {
        let own = stem(merging.name);
        let budget = merging.options.shared.budget();
        let renames = renames(merging.native, merging.patch, &budget)?;
        let before = write(merging.native, own, merging.options)?;
        let after = write(&*events_renamed(merging, &renames, &budget)?, own, merging.options)?;
        let losses = new_losses(&before.losses, after.losses);
        let (before, after) = (Files::of(before.value)?, Files::of(after.value)?);
        let (files, sources) = (OutputFiles::default(), Vec::new());
        Ok(Self { merging, before, after, budget, files, sources, losses, renames })
    }

    /// A companion that became another.
    fn push(&mut self, was: &CompanionFile, now: impl Into<AnyModel>) -> Result<(), ConvertError> {
        let now = now.into();
        if let (Some(source), Some(number)) = (&was.source, was.record) {
            let same = match (&was.model, &now) {
                (AnyModel::TsoSkeleton(old), AnyModel::TsoSkeleton(new)) => old == new,
                (AnyModel::TsoAnimation(old), AnyModel::TsoAnimation(new)) => old == new,
                _ => false,
            };
            return if same { Ok(()) } else { self.put(source, number, now) };
        }
        let (old, now) = (was.model.to_bytes(), now.to_bytes().map_err(refused)?);
        if old.as_ref() != Ok(&now) {
            self.files.push(was.file_name(), now);
        }
        Ok(())
    }

    /// A record of a file that became another.
    fn put(&mut self, source: &Arc<SourceFile>, number: usize, now: AnyModel) -> Result<(), ConvertError> {
        let known = self.sources.iter().position(|(file, _)| Arc::ptr_eq(file, source));
        let place = match (known, &source.model) {
            (Some(place), _) => place,
            (None, Some(model)) => {
                self.sources.push((Arc::clone(source), model.clone()));
                self.sources.len().saturating_sub(1)
            }
            (None, None) => return Ok(()),
        };
        let character = match self.sources.get_mut(place) {
            Some((_, AnyModel::Bcf(bcf))) => &mut bcf.character,
            Some((_, AnyModel::Cmx(cmx))) => &mut cmx.character,
            _ => return Ok(()),
        };
        match now {
            AnyModel::TsoSkeleton(skel) => {
                if let Some(slot) = character.skeletons.get_mut(number) {
                    *slot = CharacterSkeleton::from(&*skel);
                }
                Ok(())
            }
            AnyModel::TsoAnimation(anim) => {
                let Some(slot) = character.skills.get_mut(number) else { return Ok(()) };
                let (skill, cfp) = Skill::from_anim(&anim, slot.keys.clone());
                let name = skill.keys.clone();
                *slot = skill;
                let Merging { companions, .. } = *self.merging;
                self.put_keys(&companions.aside, &name, cfp)
            }
            _ => Ok(()),
        }
    }

    /// The keys of a skill that became others, in the file that holds them.
    fn put_keys(&mut self, files: &[CompanionFile], name: &Name, keys: Cfp) -> Result<(), ConvertError> {
        match keys_file(files, name) {
            Some(file) => self.push(file, keys),
            None => {
                self.files.push(format!("{}.cfp", name.text()), keys.to_bytes().map_err(refused)?);
                Ok(())
            }
        }
    }

    /// A file that is left with nothing to say; a file of records has others.
    fn gone(&mut self, what: &'static str, file: &CompanionFile) {
        let (code, message) = match file.record {
            None => (FILE_LEFT, format!("{what} of the file are no longer used: it is not written")),
            Some(_) => {
                ("record-left", format!("{what} of a record are no longer used: it stays in its file"))
            }
        };
        self.losses.push(Loss::note(code, file.file_name(), message));
    }

    /// For each mesh of after its place among those of before: they are in the order in which the scenes draw them.
    fn meshes(&self) -> Result<Match, ConvertError> {
        let Merging { native, recovered, .. } = *self.merging;
        let (old, new) = (drawn(native), drawn(recovered));
        if old.len() != self.before.meshes.len() || new.len() != self.after.meshes.len() {
            let message = "the scene draws other meshes than there are files";
            return Err(ConvertError::unsupported("meshes", message));
        }
        Ok(self.merging.drawn())
    }

    /// Merges the meshes of a figure, of which the `lead` is the file itself; returns it, and the stems of new meshes.
    fn merge_meshes(
        &mut self,
        lead: Option<&AnyModel>,
    ) -> Result<(Option<AnyModel>, Vec<String>), ConvertError> {
        let parts: Vec<&CompanionFile> = self
            .merging
            .companions
            .files
            .iter()
            .filter(|f| f.role == Role::Part && geometry(&f.model).is_some())
            .collect();
        let first = usize::from(lead.is_some());
        if self.before.meshes.len() != parts.len().saturating_add(first) {
            let message = "the scene draws other meshes than there are files";
            return Err(ConvertError::unsupported("meshes", message));
        }
        let found = self.meshes()?;
        let (mut main, mut new) = (None, Vec::new());
        let after = std::mem::take(&mut self.after.meshes);
        for ((name, model), found) in after.iter().zip(&found) {
            let Some((place, (_, before))) = found.and_then(|b| Some((b, self.before.meshes.get(b)?))) else {
                self.files.push(name.clone(), model.to_bytes().map_err(refused)?);
                new.push(stem(name).to_owned());
                continue;
            };
            let companion = place.checked_sub(first).and_then(|p| parts.get(p));
            match (companion, lead) {
                (Some(file), _) => {
                    let made = mesh(&file.model, before, model, &self.renames, &self.budget)?;
                    self.push(file, made)?;
                }
                (None, Some(lead)) => main = Some(mesh(lead, before, model, &self.renames, &self.budget)?),
                (None, None) => {}
            }
        }
        for (place, file) in parts.iter().enumerate() {
            if !found.contains(&Some(place.saturating_add(first))) {
                self.gone("meshes", file);
            }
        }
        if let (Some(lead), None) = (lead, &main) {
            if !new.is_empty() {
                return Err(ConvertError::unsupported(
                    "meshes",
                    "the mesh of the file itself is another one",
                ));
            }
            let message = "the mesh of the file itself is gone: the file stays without vertices";
            self.losses.push(Loss::note("mesh-gone", "meshes", message));
            main = Some(emptied(lead));
        }
        self.bindings(&new)?;
        Ok((main, new))
    }

    /// The binding of the first mesh, and those of new ones.
    fn bindings(&mut self, new: &[String]) -> Result<(), ConvertError> {
        let own = stem(self.merging.name).to_owned();
        let of =
            |files: &Files| files.bindings.iter().find(|(name, _)| stem(name) == own).map(|b| b.1.clone());
        let file = self.merging.companions.files.iter().rev().find(|f| Bnd::of(&f.model).is_some());
        if let (Some(before), Some(after)) = (of(&self.before), of(&self.after))
            && let Some((file, native)) = file.and_then(|f| Some((f, Bnd::of(&f.model)?)))
        {
            let (mut bone, mut was) = (native.bone.clone(), before.bone.clone());
            rename(&mut bone, &self.renames);
            rename(&mut was, &self.renames);
            let made = Bnd {
                bone: pick(bone, &was, after.bone),
                mesh: pick(native.mesh, &before.mesh, after.mesh),
                texture: pick(native.texture, &before.texture, after.texture),
                trailing: native.trailing.clone(),
            };
            self.push(file, made)?;
        }
        for (name, bnd) in &self.after.bindings {
            if new.iter().any(|n| *n == stem(name)) {
                self.files.push(name.clone(), bnd.to_bytes().map_err(refused)?);
            }
        }
        Ok(())
    }

    /// The skeleton with what was edited of it; none where there was none.
    fn skeleton(&self, native: &Skel) -> Result<Option<Skel>, ConvertError> {
        let (Some(before), Some(after)) = (self.before.skeleton(), self.after.skeleton()) else {
            return Ok(None);
        };
        Ok(Some(native.merge(&before, &after, &self.budget)?))
    }

    /// The skeleton of a companion.
    fn companion_skeleton(&mut self, native: Option<&Skel>) -> Result<(), ConvertError> {
        let Some(native) = native else {
            for (name, skel) in &self.after.skeletons {
                self.files.push(name.clone(), skel.to_bytes().map_err(refused)?);
            }
            return Ok(());
        };
        let made = self.skeleton(native)?;
        let is = |f: &&CompanionFile| Skel::of(&f.model).is_some_and(|s| std::ptr::eq(s, native));
        if let (Some(file), Some(made)) = (self.merging.companions.files.iter().find(is), made) {
            self.push(file, made)?;
        }
        Ok(())
    }

    /// For each clip of after the animation that it becomes, and the native one that it was.
    fn animations(
        &self,
        native: &[&Anim],
        skeleton: Option<&Skel>,
    ) -> Result<Vec<(Option<usize>, Anim)>, ConvertError> {
        let Merging { native: old, recovered, .. } = *self.merging;
        let (before, after) = (self.before.clips(), self.after.clips());
        if before.len() != old.clips.len()
            || after.len() != recovered.clips.len()
            || native.len() != before.len()
        {
            let message = "the scene has other clips than there are files";
            return Err(ConvertError::unsupported("clips", message));
        }
        let found = self.merging.patch.clips.iter().map(|clip| clip.original);
        let rest = match skeleton {
            Some(native) => self.skeleton(native)?.or_else(|| Some(native.clone())),
            None => self.after.skeleton(),
        };
        let one = |(anim, found): (Anim, Option<usize>)| {
            let three = found.and_then(|c| Some((native.get(c)?, before.get(c)?)));
            Ok(match three {
                Some((native, before)) => {
                    let three = [*native, before, &anim];
                    (found, animation(three, rest.as_ref(), &self.renames, &self.budget)?)
                }
                None => (None, anim),
            })
        };
        after.into_iter().zip(found).map(one).collect()
    }

    /// Merges the animations of companions.
    fn companion_animations(
        &mut self,
        made: Vec<(Option<usize>, Anim)>,
        others: usize,
    ) -> Result<(), ConvertError> {
        let files: Vec<&CompanionFile> =
            self.merging.companions.files.iter().filter(|f| Anim::of(&f.model).is_some()).collect();
        let mut seen = vec![false; files.len()];
        for (at, (found, anim)) in made.into_iter().enumerate() {
            let Some(found) = found else {
                if let Some((name, _)) =
                    at.checked_sub(self.after.character.skills.len()).and_then(|i| self.after.anims.get(i))
                {
                    self.files.push(name.clone(), anim.to_bytes().map_err(refused)?);
                }
                continue;
            };
            let place = found.checked_sub(others);
            if let (Some(file), Some(seen)) =
                (place.and_then(|p| files.get(p)), place.and_then(|p| seen.get_mut(p)))
            {
                *seen = true;
                self.push(file, anim)?;
            }
        }
        for (file, seen) in files.into_iter().zip(seen) {
            if !seen {
                self.gone("clips", file);
            }
        }
        Ok(())
    }

    /// The result: the main file, and what goes with it.
    fn finish(mut self, main: Vec<u8>) -> Result<Converted<OutputFiles>, ConvertError> {
        let known = |files: &Files, file: &OutputFile| files.others.contains(file);
        let mut made = OutputFiles::single(self.merging.name, main);
        for (source, model) in std::mem::take(&mut self.sources) {
            self.files.push(source.name.clone(), model.to_bytes().map_err(refused)?);
        }
        std::mem::take(&mut self.files).into_iter().for_each(|file| made.push(file.name, file.bytes));
        for picture in &self.after.others {
            if !known(&self.before, picture) {
                made.push(picture.name.clone(), picture.bytes.clone());
            }
        }
        Ok(Converted::new(made, self.losses))
    }
}

/// A mesh with its figure.
pub(super) fn merge_mesh<K: Kind + Clone>(
    model: &K,
    skeleton: Option<&Skel>,
    merging: &Merging<'_>,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let mut work = Work::of::<K>(merging)?;
    let (main, _) = work.merge_meshes(Some(&model.clone().into()))?;
    work.companion_skeleton(skeleton)?;
    let native: Vec<&Anim> = merging.companions.all().collect();
    let made = work.animations(&native, skeleton)?;
    work.companion_animations(made, 0)?;
    let bytes = main.map_or_else(|| model.to_bytes(), |main| main.to_bytes()).map_err(refused)?;
    work.finish(bytes)
}

/// A file of skeletons, suits and skills; `make` gives its bytes, with other content where there is such.
pub(super) fn merge_character<K: Kind>(
    character: &Character,
    skeleton: Option<&Skel>,
    merging: &Merging<'_>,
    make: impl FnOnce(Option<Character>) -> Result<Vec<u8>, WriteError>,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let mut work = Work::of::<K>(merging)?;
    let mut made = character.clone();
    let parts = |work: &Work<'_>| work.before.meshes.len();
    let new = if parts(&work) > 0 || !work.after.meshes.is_empty() {
        work.merge_meshes(None)?.1
    } else {
        Vec::new()
    };
    suits(&mut made, &work, &new);
    for skin in made.suits.iter_mut().flat_map(|suit| &mut suit.skins) {
        rename(&mut skin.bone, &work.renames);
    }
    let rest = character.skeletons.first().map(CharacterSkeleton::to_skel);
    match &rest {
        Some(native) => {
            let merged = work.skeleton(native)?.filter(|merged| merged != native);
            if let (Some(merged), Some(slot)) = (merged, made.skeletons.first_mut()) {
                *slot = CharacterSkeleton::from(&merged);
            }
        }
        None => work.companion_skeleton(skeleton)?,
    }
    let own = |skill: &Skill| skill.to_anim(keys(&merging.companions.files, &skill.keys)?);
    let skills: Vec<(usize, Anim)> =
        character.skills.iter().enumerate().filter_map(|(i, s)| Some((i, own(s)?))).collect();
    let native: Vec<&Anim> = skills.iter().map(|(_, anim)| anim).chain(merging.companions.all()).collect();
    let clips = work.animations(&native, rest.as_ref().or(skeleton))?;
    let mut kept = vec![false; character.skills.len()];
    let mut others = Vec::new();
    for (at, (found, anim)) in clips.into_iter().enumerate() {
        let old = found.and_then(|c| skills.get(c));
        match old {
            Some((s, native)) => {
                if let Some(kept) = kept.get_mut(*s) {
                    *kept = true;
                }
                if anim != *native
                    && let Some(slot) = made.skills.get_mut(*s)
                {
                    let (skill, cfp) = Skill::from_anim(&anim, slot.keys.clone());
                    *slot = skill;
                    work.put_keys(&merging.companions.files, &slot.keys, cfp)?;
                }
            }
            None if found.is_none() && at < work.after.character.skills.len() => {
                if let Some(skill) = work.after.character.skills.get(at) {
                    let file = format!("{}.cfp", skill.keys.text());
                    let (skill, cfp) = Skill::from_anim(&anim, skill.keys.clone());
                    work.files.push(file, cfp.to_bytes().map_err(refused)?);
                    made.skills.push(skill);
                }
            }
            None => others.push((found, anim)),
        }
    }
    work.companion_animations(others, skills.len())?;
    // Skills whose keys are not there are in no scene.
    let in_scene = |i: usize| skills.iter().any(|(s, _)| *s == i);
    let mut number = 0..;
    let count = character.skills.len();
    made.skills.retain(|_| {
        let i = number.next().unwrap_or(count);
        i >= count || !in_scene(i) || kept.get(i) == Some(&true)
    });
    let bytes = make(Some(made).filter(|made| made != character)).map_err(refused)?;
    work.finish(bytes)
}

/// New meshes go into the last suit.
fn suits(made: &mut Character, work: &Work<'_>, new: &[String]) {
    let all = work.after.character.suits.iter().flat_map(|s| &s.skins);
    let added: Vec<SkinPart> =
        all.filter(|skin| new.iter().any(|n| n.eq_ignore_ascii_case(&skin.skin.text()))).cloned().collect();
    if added.is_empty() {
        return;
    }
    if made.suits.is_empty() {
        let name = Name::from_text(stem(work.merging.name)).0;
        made.suits.push(Suit { name, ..Suit::default() });
    }
    if let Some(suit) = made.suits.last_mut() {
        suit.skins.extend(added);
    }
}

/// An animation alone.
pub(super) fn merge_animation(
    native: &Anim,
    [before, after]: [Converted<Anim>; 2],
    rest: Option<&Skel>,
    merging: &Merging<'_>,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let mut losses = new_losses(&before.losses, after.losses);
    let budget = merging.options.shared.budget();
    let edited = edited_joints(merging);
    if edited > 0 {
        let message = "the file moves bones and does not hold them: what was edited of joints is in no file";
        losses.push(
            Loss::new("joints-dropped", "skeletons[0].joints", message).with_count(edited, "joint", "joints"),
        );
    }
    let renames = renames(merging.native, merging.patch, &budget)?;
    let made = animation([native, &before.value, &after.value], rest, &renames, &budget)?;
    merging.single(Converted::new(made, losses))
}

/// How many joints of the first skeleton rest elsewhere, are called otherwise, hang from others, are new, or are gone.
fn edited_joints(merging: &Merging<'_>) -> usize {
    let (Some(native), Some(joints)) = (merging.native.skeletons.first(), merging.patch.joints.first())
    else {
        return 0;
    };
    let kept = joints.iter().filter(|j| j.original.is_some() && !(j.renamed || j.parent || j.rest)).count();
    native.joints.len().max(joints.len()).saturating_sub(kept)
}

/// What a record leads to, each part in its file; the record stays as it is.
pub(super) fn merge_worn<K: Kind>(
    record: &K,
    skeleton: Option<&Skel>,
    merging: &Merging<'_>,
    write: WriteScene,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let mut work = Work::with(merging, write)?;
    work.merge_meshes(None)?;
    work.companion_skeleton(skeleton)?;
    let clips: Vec<&Anim> = merging.companions.all().collect();
    let made = work.animations(&clips, skeleton)?;
    work.companion_animations(made, 0)?;
    work.finish(record.to_bytes().map_err(refused)?)
}

/// A skeleton with what moves it: clips that were edited are written into their files, and new clips and meshes are files of
/// their own, which `write` makes.
pub(super) fn merge_skeleton(
    native: &Skel,
    merging: &Merging<'_>,
    write: WriteScene,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let mut work = Work::with(merging, write)?;
    work.merge_meshes(None)?;
    let merged = work.skeleton(native)?;
    let merged = merged.ok_or_else(|| ConvertError::unsupported("skeletons", "there is none"))?;
    let clips: Vec<&Anim> = merging.companions.all().collect();
    let made = work.animations(&clips, Some(native))?;
    work.companion_animations(made, 0)?;
    work.finish(merged.to_bytes().map_err(refused)?)
}
