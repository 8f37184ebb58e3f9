//! Converts a scene to the files of a character.

use super::character::Records;
use super::files::{Files, extension};
use super::mesh::{all_bones, draw, skin_and_texture};
use super::options::{MeshForm, TsoSceneOptions};
use super::vertices::Gatherer;
use super::{anim, skel};
use crate::anim::Anim;
use crate::bnd::{Bnd, ResourceId};
use crate::mesh::{Geometry, Mesh};
use crate::name::Name;
use crate::scene::extras;
use crate::skel::Skel;
use crate::ts1::{Bmf, Skn};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::SortedSet;
use meshwright_scene::{
    Budget, ConvertError, Converted, Drawable, Drawables, Extra, FromSceneOptions, Image, Local, Loss,
    OutputFiles, Scene, SkeletonId, Unsupported,
};

/// Converts a scene to the files of a character: a mesh for each drawn mesh (the first has the name `stem`), then a
/// skeleton, then an animation for each clip.
///
/// If the names of a mesh's file and of its material hold the game's file numbers, as in scenes of unpacked files, or
/// the [options](TsoSceneOptions::id) give numbers, a `.bnd` is written next to the mesh, and the texture as a file
/// with its number. No skeleton is written if the options have one, or if the scene's skeleton has no poses.
///
/// # Errors
/// If the scene breaks its own rules or has no part of a character, if a name is not possible and must not be
/// changed, or if the result would take more memory than allowed.
pub fn write_scene(
    scene: &Scene,
    stem: &str,
    options: &FromSceneOptions<TsoSceneOptions>,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let (budget, mut losses) = (options.budget(), Vec::new());
    scene.validate()?;
    let twins = twins(scene, &budget)?;
    let scene = Scene::with_one_skeleton(Cow::Borrowed(scene), twins.others(), &budget, &mut losses)?;
    let mut files = Files::new(stem, &budget);
    let made = Made::new(&scene, stem, &twins, options, (&mut files, &mut losses))?;
    let mut pictures = SortedSet::new();
    for mesh in made.meshes {
        mesh.write(options.format.meshes, &mut files, &mut |material| pictures.insert(material))?;
    }
    let mut character = made.character;
    for skeleton in made.skeletons {
        match &mut character {
            Some(records) => records.skeleton(&skeleton.skel),
            None => files.push(&skeleton.stem, extension::<Skel>(), &skeleton.skel)?,
        }
    }
    for clip in made.clips {
        match &mut character {
            Some(records) => records.skill(&clip.anim, &clip.stem, &mut files)?,
            None => files.push(&clip.stem, extension::<Anim>(), &clip.anim)?,
        }
    }
    character.map_or(Ok(()), |records| records.finish(&mut files))?;
    let mut files = files.finish();
    if let Some(form) = options.format.character {
        files = main_first(files, &format!("{stem}.{}", form.extension()));
    }
    if files.is_empty() {
        return Err(ConvertError::unsupported("meshes", "the scene has no mesh, skeleton or clip"));
    }
    Ok(Converted::new(files, losses))
}

/// The records of a character, each with the name of its file.
pub(crate) struct Made<'s> {
    /// The names of all joints of all skeletons as bones.
    pub(crate) names: Vec<Vec<Name>>,
    pub(crate) meshes: Vec<MadeMesh<'s>>,
    pub(crate) skeletons: Vec<MadeSkeleton>,
    pub(crate) clips: Vec<MadeClip>,
    /// The suits, if skeletons and clips become records of one file.
    pub(crate) character: Option<Records<'s>>,
}

/// A mesh of a character.
pub(crate) struct MadeMesh<'s> {
    pub(crate) stem: String,
    pub(crate) geometry: Geometry,
    /// The names of skin and texture, if the form has them.
    pub(crate) names: Option<[Name; 2]>,
    pub(crate) binding: Option<Bnd>,
    /// The number of the material, the number of its texture's file, and the texture.
    pub(crate) picture: Option<(usize, ResourceId, &'s Image)>,
    /// The mesh of the scene, which a merge needs.
    #[cfg_attr(not(feature = "recover"), expect(dead_code, reason = "only merges read it"))]
    pub(crate) mesh: Option<usize>,
}

/// A skeleton of a character.
pub(crate) struct MadeSkeleton {
    pub(crate) stem: String,
    pub(crate) skel: Skel,
    /// The joint of each bone; `None` for one that the conversion adds.
    #[cfg_attr(not(feature = "recover"), expect(dead_code, reason = "merges need it"))]
    pub(crate) joints: Vec<Option<usize>>,
}

/// A clip of a character.
pub(crate) struct MadeClip {
    pub(crate) stem: String,
    pub(crate) anim: Anim,
    /// The clip of the scene.
    #[cfg_attr(not(feature = "recover"), expect(dead_code, reason = "merges need it"))]
    pub(crate) clip: usize,
}

impl<'s> Made<'s> {
    /// Converts a scene with one skeleton in addition to its `twins`.
    pub(crate) fn new(
        scene: &'s Scene,
        stem: &'s str,
        twins: &Twins,
        options: &FromSceneOptions<TsoSceneOptions>,
        (files, losses): (&mut Files<'_, '_>, &mut Vec<Loss>),
    ) -> Result<Self, ConvertError> {
        let budget = &options.budget();
        let names = all_bones(scene, options.format.meshes, options, budget, losses)?;
        let mut drawables = Drawables::new(scene, &draw(scene, options), budget)?;
        let mut gatherer = Gatherer::new(scene, &names, options, budget)?;
        let mut unbound = 0_usize;
        let name = options.format.name.clone();
        let mut character = options.format.character.map(|form| Records::new(form, stem, name, scene));
        let mut meshes: Vec<MadeMesh<'s>> = Vec::new();
        for drawable in drawables.by_ref() {
            let mut drawable = drawable?;
            gatherer.add(&drawable)?;
            // Its vertices are in the gatherer now.
            let mut rest = meshwright_scene::Mesh::default();
            rest.material = drawable.mesh.material;
            drawable.mesh = Cow::Owned(rest);
            gatherer.report(&drawable.path(), losses);
            let mut geometry = gatherer.arrange()?;
            geometry.total = extras::total_in(extras_of(scene, &drawable));
            let stem = match &mut character {
                Some(records) => {
                    records.skin(drawable.name, extras_of(scene, &drawable), &geometry, files, budget)?
                }
                None if meshes.is_empty() => String::from(stem),
                None => files.name(drawable.name)?,
            };
            let number = u32::try_from(meshes.len()).unwrap_or(u32::MAX);
            let source = MeshSource { geometry, stem, number };
            let mesh = MadeMesh::new(scene, &drawable, source, options, budget, losses)?;
            let bound = mesh.names.is_some() || mesh.binding.is_some();
            unbound += usize::from(!bound && drawable.material().is_some());
            meshes.push(mesh);
        }
        losses.extend(drawables.take_losses());
        if unbound > 0 {
            let message = "no .bnd was written: it needs numbers for mesh and texture, and neither names nor \
                           options give them";
            losses.push(Loss::note("no-binding", "materials", message).with_count(unbound, "mesh", "meshes"));
        }
        let mut made = Self { names, meshes, skeletons: Vec::new(), clips: Vec::new(), character };
        made.motion(scene, stem, twins, options, (files, losses))?;
        let lacks = [
            Unsupported::Images,
            Unsupported::Surfaces,
            Unsupported::Colors,
            Unsupported::Tangents,
            Unsupported::Follows,
        ];
        Unsupported::report(&lacks, scene, losses);
        let pictures = made.meshes.iter().filter_map(|mesh| Some(mesh.picture.as_ref()?.0));
        settle(losses, pictures.collect::<SortedSet<_>>().len());
        Ok(made)
    }

    /// Converts the skeleton and the clips.
    fn motion(
        &mut self,
        scene: &Scene,
        stem: &str,
        twins: &Twins,
        options: &FromSceneOptions<TsoSceneOptions>,
        (files, losses): (&mut Files<'_, '_>, &mut Vec<Loss>),
    ) -> Result<(), ConvertError> {
        let budget = &options.budget();
        let of = |skeleton: usize| self.names.get(skeleton).map_or(&[][..], Vec::as_slice);
        for (id, skeleton) in scene.skeletons.iter().enumerate() {
            if skeleton.joints.is_empty() || twins.has(SkeletonId(id)) {
                continue;
            }
            let moved = scene.clips.iter().any(|c| c.skeleton.0 == id);
            let placed = skeleton.joints.iter().any(|j| j.parent.is_some() || j.rest != Local::default());
            if options.format.made_for.is_some() || !(moved || placed || options.format.keeps_root) {
                continue;
            }
            let (skel, joints) = skel::make(scene, id, of(id), options, budget, losses)?;
            let stem = match (id, &self.character) {
                (0, _) | (_, Some(_)) => String::from(stem),
                _ => files.name(&format!("skeleton{id}"))?,
            };
            self.skeletons.push(MadeSkeleton { stem, skel, joints });
        }
        budget.charge("clips", (scene.clips.len() as u64).saturating_mul(size_of::<[&str; 3]>() as u64))?;
        let own = scene.clips.iter().filter(|c| !twins.has(c.skeleton)).map(|c| c.name.as_str());
        let own: SortedSet<_> = own.collect();
        let mut again = 0_usize;
        for (id, clip) in scene.clips.iter().enumerate() {
            // The skeleton whose bones these are moves as well.
            if twins.has(clip.skeleton) && own.contains(clip.name.as_str()) {
                again += 1;
                continue;
            }
            let anim = anim::make(scene, id, of(clip.skeleton.0), options, budget, losses)?;
            let name = if clip.name.is_empty() { format!("clip{id}") } else { clip.name.clone() };
            let name = files.name(&name)?;
            let stem = match self.character {
                Some(_) => files.name_in_record(&format!("xskill-{name}"))?,
                None => name,
            };
            self.clips.push(MadeClip { stem, anim, clip: id });
        }
        if again > 0 {
            let message = "a clip of the same name moves the same bones";
            losses.push(Loss::note("clips-merged", "clips", message).with_count(again, "clip", "clips"));
        }
        Ok(())
    }
}

/// Returns the fields of the mesh in addition to its vertices.
fn extras_of<'s>(scene: &'s Scene, drawable: &Drawable<'_>) -> Option<&'s Extra> {
    scene.meshes.get(drawable.id()?.0)?.extras.as_ref()
}

/// Removes the textures that were written from the reported losses.
fn settle(losses: &mut Vec<Loss>, written: usize) {
    for loss in losses.iter_mut().filter(|loss| loss.code == Unsupported::Images.code()) {
        loss.count = loss.count.saturating_sub(written as u64);
    }
    losses.retain(|loss| loss.code != Unsupported::Images.code() || loss.count > 0);
}

/// Returns the files with the main one first.
pub(super) fn main_first(files: OutputFiles, main: &str) -> OutputFiles {
    let (mut all, mut others) = (OutputFiles::default(), Vec::new());
    for file in files {
        if file.name == main { all.push(file.name, file.bytes) } else { others.push(file) }
    }
    others.into_iter().for_each(|file| all.push(file.name, file.bytes));
    all
}

/// A converted geometry, and the data for its names.
struct MeshSource {
    geometry: Geometry,
    /// The name of its file without extension.
    stem: String,
    /// The number of meshes before it.
    number: u32,
}

impl<'s> MadeMesh<'s> {
    /// Makes a mesh with its names, its binding and its texture.
    fn new(
        scene: &'s Scene,
        drawable: &Drawable<'_>,
        MeshSource { geometry, stem, number }: MeshSource,
        options: &FromSceneOptions<TsoSceneOptions>,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Self, ConvertError> {
        let material = drawable.material().and_then(|id| scene.materials.get(id.0));
        let (form, texture) = (options.format.meshes, material.map_or("", |m| m.name.as_str()));
        let mesh = drawable.id().map(|id| id.0);
        let mut made = Self { stem, geometry, names: None, binding: None, picture: None, mesh };
        if form != MeshForm::Mesh {
            let is_own = drawable.name.is_empty() || options.format.name.is_some();
            let skin = if is_own { &made.stem } else { drawable.name };
            made.names = Some(skin_and_texture(skin, texture, form, options, budget, losses)?);
            return Ok(made);
        }
        let id = options.format.id;
        let given =
            |kind, number| id.map(|first| ResourceId { group: 0, file: first.wrapping_add(number), kind });
        // A new name is one of new files.
        let is_new = options.format.name.is_some();
        let in_name = |name| ResourceId::in_name(name).filter(|_| !is_new);
        let own = in_name(&made.stem).or_else(|| in_name(drawable.name));
        let own = own.or_else(|| given(ResourceId::MESH, number));
        let shown = drawable.material().map(|m| m.0);
        let image = material.and_then(|m| m.image.as_ref());
        let jpeg = image.is_some_and(|i| i.mime == "image/jpeg");
        let kind = if jpeg { ResourceId::JPEG } else { ResourceId::PNG };
        let number = shown.and_then(|m| u32::try_from(m).ok());
        let texture = in_name(texture).or_else(|| number.and_then(|n| given(kind, n)));
        let bone = made.geometry.bones.first().cloned();
        if let Some((mesh, bone)) = own.zip(bone).filter(|_| texture.is_some() || is_new) {
            made.picture = shown.zip(texture).zip(image).map(|((material, id), image)| (material, id, image));
            made.binding = Some(Bnd { bone, mesh: Some(mesh), texture, ..Bnd::default() });
        }
        Ok(made)
    }

    /// Writes the mesh, its binding, and its texture if that of the material is `wanted`.
    pub(crate) fn write(
        self,
        form: MeshForm,
        files: &mut Files<'_, '_>,
        wanted: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), ConvertError> {
        let [skin, texture] = self.names.unwrap_or_default();
        let bmf = || Bmf::new(skin, texture, self.geometry);
        match form {
            MeshForm::Mesh => files.push(&self.stem, extension::<Mesh>(), &Mesh::from(bmf().geometry))?,
            MeshForm::Bmf => files.push(&self.stem, extension::<Bmf>(), &bmf())?,
            MeshForm::Skn => files.push(&self.stem, extension::<Skn>(), &Skn::from(bmf()))?,
        }
        if let Some((material, id, image)) = &self.picture
            && wanted(*material)
        {
            files.picture(id, image)?;
        }
        self.binding.map_or(Ok(()), |binding| files.push(&self.stem, extension::<Bnd>(), &binding))
    }
}

/// Skeletons of a scene whose joint names all occur in the first skeleton with joints: several skins of one character.
pub(crate) struct Twins(Vec<bool>);

impl Twins {
    fn has(&self, id: SkeletonId) -> bool {
        self.0.get(id.0).copied().unwrap_or_default()
    }

    /// Returns true for the skeletons that are not twins. A character has one skeleton; twins have its bones.
    pub(crate) fn others(&self) -> impl Fn(SkeletonId) -> bool {
        |id| !self.has(id)
    }
}

/// Finds the [`Twins`].
pub(crate) fn twins(scene: &Scene, budget: &Budget) -> Result<Twins, ConvertError> {
    let mut twins = budget.filled("skeletons", scene.skeletons.len(), false)?;
    let mut with_joints = scene.skeletons.iter().zip(&mut twins).filter(|(s, _)| !s.joints.is_empty());
    let Some((first, _)) = with_joints.next() else { return Ok(Twins(twins)) };
    let mut names = SortedSet::new();
    for joint in &first.joints {
        budget.charge("bones", (size_of::<[String; 2]>() + joint.name.len()) as u64)?;
        names.insert(joint.name.to_ascii_lowercase());
    }
    for (skeleton, twin) in with_joints {
        budget.work("bones", skeleton.joints.len() as u64)?;
        *twin = skeleton.joints.iter().all(|j| names.contains(&j.name.to_ascii_lowercase()));
    }
    Ok(Twins(twins))
}
