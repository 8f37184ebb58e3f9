//! Writes edited scenes into the files of The Sims that they came from, file by file.

use super::character::{figure, shape, skills};
use super::companions::keys_file;
use super::merging::FILE_LEFT;
use super::write::invalid_file;
use super::{AnyModel, CompanionFile, FilesResult, Merging, Registered, SourceFile};
use meshwright_core::Role;
use meshwright_scene::{ConvertError, Converted, Loss, OutputFiles};
use meshwright_tso::{
    Anim, Assembly, Bnd, Cfp, Character, CharacterSkeleton, EditedCharacter, Geometry, Name, Skel,
    TsoSceneOptions,
};
use std::sync::Arc;

/// Replaces the geometry of a mesh file, and optionally the names of skin and texture.
fn with_mesh(mut model: AnyModel, other: Geometry, names: Option<[Name; 2]>) -> AnyModel {
    match &mut model {
        AnyModel::TsoMesh(m) => m.geometry = other,
        AnyModel::Bmf(m) => {
            m.geometry = other;
            names.into_iter().for_each(|names| [m.skin, m.texture] = names);
        }
        AnyModel::Skn(m) => {
            m.geometry = other;
            names.into_iter().for_each(|names| [m.skin, m.texture] = names);
        }
        _ => {}
    }
    model
}

/// Returns the records of a file of skeletons, suits and skills, for changes.
fn character_mut(model: &mut AnyModel) -> Option<&mut Character> {
    match model {
        AnyModel::Bcf(bcf) => Some(&mut bcf.character),
        AnyModel::Cmx(cmx) => Some(&mut cmx.character),
        _ => None,
    }
}

/// The files of a merge.
struct SimsMerge<'m> {
    merging: &'m Merging<'m>,
    edited: EditedCharacter,
    /// Edited companion files.
    files: OutputFiles,
    /// Files with edited records.
    sources: Vec<(Arc<SourceFile>, AnyModel)>,
    losses: Vec<Loss>,
}

impl<'m> SimsMerge<'m> {
    /// Merges the edits of a character.
    fn new(
        merging: &'m Merging<'m>,
        figure: &Assembly<'_>,
        options: TsoSceneOptions,
    ) -> Result<Self, ConvertError> {
        let stem = merging.stem();
        let made = figure.merge(merging.native, merging.patch, stem, &merging.options.for_format(options))?;
        let (files, sources) = (OutputFiles::default(), Vec::new());
        Ok(Self { merging, edited: made.value, files, sources, losses: made.losses })
    }

    /// Returns the further meshes of the character.
    fn parts(&self) -> impl Iterator<Item = &'m CompanionFile> + use<'m> {
        let files = self.merging.companions.files.iter();
        files.filter(|file| file.role == Role::Part && shape(&file.model).is_some())
    }

    /// Adds a changed companion file.
    fn push(&mut self, was: &CompanionFile, now: AnyModel) -> Result<(), ConvertError> {
        if let (Some(source), Some(number)) = (&was.source, was.record) {
            return if was.model == now { Ok(()) } else { self.replace_record(source, number, now) };
        }
        let (old, now) = (was.model.to_bytes(), now.to_bytes().map_err(invalid_file)?);
        if old.as_ref() != Ok(&now) {
            self.files.push(was.file_name(), now);
        }
        Ok(())
    }

    /// Replaces a record of a file.
    fn replace_record(
        &mut self,
        source: &Arc<SourceFile>,
        number: usize,
        now: AnyModel,
    ) -> Result<(), ConvertError> {
        let Some(model) = &source.model else { return Ok(()) };
        let known = self.sources.iter().position(|(file, _)| Arc::ptr_eq(file, source));
        if known.is_none() {
            self.sources.push((Arc::clone(source), model.clone()));
        }
        let place = known.unwrap_or(self.sources.len().saturating_sub(1));
        let character = self.sources.get_mut(place).and_then(|(_, model)| character_mut(model));
        let Some(character) = character else { return Ok(()) };
        match now {
            AnyModel::TsoSkeleton(skel) => {
                if let Some(slot) = character.skeletons.get_mut(number) {
                    *slot = CharacterSkeleton::from(&*skel);
                }
                Ok(())
            }
            AnyModel::TsoAnimation(anim) => {
                let keys = character.set_skill(number, &anim);
                let Merging { companions, .. } = *self.merging;
                keys.map_or(Ok(()), |(name, cfp)| self.put_keys(&companions.aside, &name, cfp))
            }
            _ => Ok(()),
        }
    }

    /// Replaces the keys of a skill in the file that contains them.
    fn put_keys(&mut self, files: &[CompanionFile], name: &Name, keys: Cfp) -> Result<(), ConvertError> {
        match keys_file(files, name) {
            Some(file) => self.push(file, keys.into()),
            None => {
                self.files.push(format!("{}.cfp", name.text()), keys.to_bytes().map_err(invalid_file)?);
                Ok(())
            }
        }
    }

    /// Reports a file without remaining content. A file of records has other records.
    fn gone(&mut self, what: &'static str, file: &CompanionFile) {
        let (code, message) = match file.record {
            None => (FILE_LEFT, format!("{what} of the file are no longer used: it is not written")),
            Some(_) => {
                ("record-left", format!("{what} of a record are no longer used: it stays in its file"))
            }
        };
        self.losses.push(Loss::note(code, file.file_name(), message));
    }

    /// Returns the mesh of the main file, without vertices if it was removed.
    fn lead(&mut self, lead: &AnyModel, geometry: &Geometry) -> Result<AnyModel, ConvertError> {
        if let Some((geometry, names)) = self.edited.meshes.remove(0) {
            return Ok(with_mesh(lead.clone(), geometry, names));
        }
        if self.edited.new_meshes > 0 {
            let message = "the mesh of the file itself is another one";
            return Err(ConvertError::unsupported("meshes", message));
        }
        let message = "the mesh of the file itself is gone: the file stays without vertices";
        self.losses.push(Loss::note("mesh-gone", "meshes", message));
        let empty = Geometry { bones: geometry.bones.clone(), total: geometry.total, ..Geometry::default() };
        Ok(with_mesh(lead.clone(), empty, None))
    }

    /// Merges the companions: further meshes, the binding, the skeleton and the animations. The first `own_animations`
    /// animations are in the main file.
    fn companions(&mut self, skeleton: Option<&Skel>, own_animations: usize) -> Result<(), ConvertError> {
        let Merging { companions, .. } = *self.merging;
        let meshes = std::mem::take(&mut self.edited.meshes);
        for (file, made) in self.parts().zip(meshes) {
            match made {
                Some((geometry, names)) => {
                    self.push(file, with_mesh(file.model.clone(), geometry, names))?;
                }
                None => self.gone("meshes", file),
            }
        }
        let binding = companions.files.iter().rev().find(|file| Bnd::from_any(&file.model).is_some());
        if let Some((file, made)) = binding.zip(self.edited.binding.take()) {
            self.push(file, made.into())?;
        }
        let is_own = |skel: &Skel| skeleton.is_some_and(|own| std::ptr::eq(own, skel));
        let file = companions.files.iter().find(|file| Skel::from_any(&file.model).is_some_and(is_own));
        if let Some((file, made)) = file.zip(self.edited.skeleton.clone()) {
            self.push(file, made.into())?;
        }
        let animations = std::mem::take(&mut self.edited.animations);
        let files = companions.files.iter().filter(|file| Anim::from_any(&file.model).is_some());
        for (file, made) in files.zip(animations.into_iter().skip(own_animations)) {
            match made {
                Some(made) => self.push(file, made.into())?,
                None => self.gone("clips", file),
            }
        }
        Ok(())
    }

    /// Returns the result: the main file and its companion files.
    fn finish(mut self, main: Vec<u8>) -> FilesResult {
        let mut made = OutputFiles::single(self.merging.name, main);
        for (source, model) in std::mem::take(&mut self.sources) {
            self.files.push(source.name.clone(), model.to_bytes().map_err(invalid_file)?);
        }
        let files = self.files.into_iter().chain(self.edited.new_files);
        files.for_each(|file| made.push(file.name, file.bytes));
        Ok(Converted::new(made, self.losses))
    }
}

/// Merges the edits of a character into a mesh, a skeleton, or a record that names files, and into its companion files.
/// A record stays unchanged. Edited clips are written into their files; new clips and meshes become new files.
pub(super) fn merge_figure(main: AnyModel, merging: &Merging<'_>, options: TsoSceneOptions) -> FilesResult {
    let (mesh, native) = (shape(&main), Skel::from_any(&main));
    let mut figure = figure(merging.name, mesh, merging.companions);
    figure.skeleton = native.or(figure.skeleton);
    let mut work = SimsMerge::new(merging, &figure, options)?;
    let edited = match (mesh, native) {
        (Some(mesh), _) => work.lead(&main, mesh.geometry)?,
        (None, Some(native)) => work.edited.skeleton.clone().unwrap_or_else(|| native.clone()).into(),
        (None, None) => main.clone(),
    };
    work.companions(figure.skeleton, 0)?;
    work.finish(edited.to_bytes().map_err(invalid_file)?)
}

/// Merges the edits of a file of skeletons, suits and skills, whose records are `character`.
pub(super) fn merge_character(
    character: &Character,
    mut main: AnyModel,
    merging: &Merging<'_>,
    options: TsoSceneOptions,
) -> FilesResult {
    let files = &merging.companions.files;
    // Skills without their keys are not in the scene.
    let skills = skills(character, files);
    let own = character.skeletons.first().map(CharacterSkeleton::to_skel);
    let mut figure = figure(merging.name, None, merging.companions);
    figure.animations.splice(0..0, skills.iter().map(|(_, anim)| anim));
    let found = figure.skeleton.filter(|_| own.is_none());
    figure.skeleton = own.as_ref().or(found);
    let mut work = SimsMerge::new(merging, &figure, options)?;
    let (made, keys) = work.edited.edit_records(character, &skills, merging.stem());
    for (name, cfp) in keys {
        work.put_keys(files, &name, cfp)?;
    }
    work.companions(found, skills.len())?;
    if made != *character
        && let Some(records) = character_mut(&mut main)
    {
        *records = made;
    }
    work.finish(main.to_bytes().map_err(invalid_file)?)
}

/// Merges edits into an animation file.
pub(super) fn merge_animation(native: &Anim, merging: &Merging<'_>, options: TsoSceneOptions) -> FilesResult {
    let mut figure = figure(merging.name, None, merging.companions);
    figure.skeleton = merging.companions.one();
    figure.animations.insert(0, native);
    let mut work = SimsMerge::new(merging, &figure, options)?;
    let made = work.edited.animations.remove(0);
    let gone = || ConvertError::unsupported("clips", "the clip of the file itself is gone");
    let made = made.ok_or_else(gone)?;
    let edited = edited_joints(merging);
    if edited > 0 {
        let message = "the file moves bones and does not hold them: what was edited of joints is in no file";
        work.losses.push(
            Loss::new("joints-dropped", "skeletons[0].joints", message).with_count(edited, "joint", "joints"),
        );
    }
    merging.single(Converted::new(made, work.losses))
}

/// Returns the number of joints of the first skeleton that were added, removed, renamed, or got another rest pose or
/// parent.
fn edited_joints(merging: &Merging<'_>) -> usize {
    let (Some(native), Some(joints)) = (merging.native.skeletons.first(), merging.patch.joints.first())
    else {
        return 0;
    };
    let kept = joints.iter().filter(|j| j.original.is_some() && !(j.renamed || j.parent || j.rest)).count();
    native.joints.len().max(joints.len()).saturating_sub(kept)
}
