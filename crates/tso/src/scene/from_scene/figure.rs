//! All that a scene holds as the files of a figure.

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
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_scene::{
    Budget, ConvertError, Converted, Drawable, Drawables, Extra, FromSceneOptions, Local, Loss, OutputFiles,
    Scene, SkeletonId, Unsupported,
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
    let mut files = Files::new(stem, &budget);
    scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
    // A figure has one skeleton. What has the bones of the first has them of it.
    let twins = twins(scene, &budget)?;
    let own = |id: SkeletonId| !twins.get(id.0).copied().unwrap_or_default();
    let scene = &*Scene::with_one_skeleton(Cow::Borrowed(scene), own, &budget, &mut losses)?;
    let names = all_bones(scene, options.format.meshes, options, &budget, &mut losses)?;
    let mut drawables = Drawables::new(scene, &draw(scene, options), &budget)?;
    let mut gatherer = Gatherer::new(scene, &names, options, &budget)?;
    let (mut unbound, mut parts) = (0_usize, 0_u32);
    let mut pictures = BTreeSet::new();
    let mut records = options.format.character.map(|form| Records::new(form, stem, scene));
    for drawable in drawables.by_ref() {
        let drawable = drawable?;
        gatherer.add(&drawable)?;
        gatherer.report(&drawable.path(), &mut losses);
        let mut geometry = gatherer.arrange()?;
        geometry.total = extras::total_in(said(scene, &drawable));
        let stem = match &mut records {
            Some(records) => {
                records.skin(drawable.name, said(scene, &drawable), &geometry, &mut files, &budget)?
            }
            None if parts == 0 => String::from(stem),
            None => files.name(drawable.name)?,
        };
        let part = Part { drawable: &drawable, geometry, stem, number: parts };
        parts = parts.saturating_add(1);
        let bound = part.write(scene, options, &mut files, &mut pictures, &budget, &mut losses)?;
        unbound += usize::from(!bound && drawable.material().is_some());
    }
    losses.extend(drawables.take_losses());
    if unbound > 0 {
        let message = "no .bnd is written, which would name mesh and texture by numbers: neither names nor options have such";
        losses.push(Loss::note("no-binding", "materials", message).with_count(unbound, "mesh", "meshes"));
    }
    motion(scene, stem, &names, &twins, options, &mut files, records.as_mut(), &budget, &mut losses)?;
    records.map_or(Ok(()), |records| records.finish(&mut files))?;
    let lacks = [
        Unsupported::Images,
        Unsupported::Surfaces,
        Unsupported::Colors,
        Unsupported::Tangents,
        Unsupported::Follows,
    ];
    Unsupported::report(&lacks, scene, &mut losses);
    settle(&mut losses, pictures.len());
    let mut files = files.finish();
    if let Some(form) = options.format.character {
        files = main_first(files, &format!("{stem}.{}", form.extension()));
    }
    if files.is_empty() {
        return Err(ConvertError::unsupported("meshes", "there is neither a mesh nor a skeleton nor a clip"));
    }
    Ok(Converted::new(files, losses))
}

/// The fields of the mesh in addition to its vertices.
fn said<'s>(scene: &'s Scene, drawable: &Drawable<'_>) -> Option<&'s Extra> {
    scene.meshes.get(drawable.id()?.0)?.extras.as_ref()
}

/// Textures that were written are not lost.
fn settle(losses: &mut Vec<Loss>, written: usize) {
    for loss in losses.iter_mut().filter(|loss| loss.code == Unsupported::Images.code()) {
        loss.count = loss.count.saturating_sub(written as u64);
    }
    losses.retain(|loss| loss.code != Unsupported::Images.code() || loss.count > 0);
}

/// The files with the main one in front.
fn main_first(files: OutputFiles, main: &str) -> OutputFiles {
    let (first, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| file.name == main);
    let mut all = OutputFiles::default();
    first.into_iter().chain(others).for_each(|file| all.push(file.name, file.bytes));
    all
}

/// A mesh on its way into a file.
struct Part<'a> {
    drawable: &'a Drawable<'a>,
    geometry: Geometry,
    stem: String,
    /// The number of files before it.
    number: u32,
}

impl Part<'_> {
    /// Writes the mesh; returns whether a file says which texture it has.
    fn write(
        self,
        scene: &Scene,
        options: &FromSceneOptions<TsoSceneOptions>,
        files: &mut Files<'_, '_>,
        pictures: &mut BTreeSet<usize>,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<bool, ConvertError> {
        let material = self.drawable.material().and_then(|id| scene.materials.get(id.0));
        let (form, texture) = (options.format.meshes, material.map_or("", |m| m.name.as_str()));
        if form == MeshForm::Mesh {
            let bone = self.geometry.bones.first().cloned();
            files.push(&self.stem, extension::<Mesh>(), &Mesh::from(self.geometry))?;
            let id = options.format.id;
            let given = |kind, number| {
                id.map(|first| ResourceId { group: 0, file: first.wrapping_add(number), kind })
            };
            let own = ResourceId::in_name(&self.stem).or_else(|| ResourceId::in_name(self.drawable.name));
            let own = own.or_else(|| given(ResourceId::MESH, self.number));
            let shown = self.drawable.material().map(|m| m.0);
            let image = material.and_then(|m| m.image.as_ref());
            let kind = if image.is_some_and(|i| i.mime == "image/jpeg") {
                ResourceId::JPEG
            } else {
                ResourceId::PNG
            };
            let number = shown.and_then(|m| u32::try_from(m).ok());
            let named = ResourceId::in_name(texture).or_else(|| number.and_then(|n| given(kind, n)));
            let Some(((mesh, texture), bone)) = own.zip(named).zip(bone) else { return Ok(false) };
            if let (Some(image), Some(material)) = (image, shown)
                && pictures.insert(material)
            {
                files.picture(&texture, image)?;
            }
            let bnd = Bnd { bone, mesh: Some(mesh), texture: Some(texture), ..Bnd::default() };
            files.push(&self.stem, extension::<Bnd>(), &bnd)?;
            return Ok(true);
        }
        let skin = if self.drawable.name.is_empty() { &self.stem } else { self.drawable.name };
        let (skin, texture) = skin_and_texture(skin, texture, form, options, budget, losses)?;
        let bmf = Bmf::new(skin, texture, self.geometry);
        match form {
            MeshForm::Skn => files.push(&self.stem, extension::<Skn>(), &Skn::from(bmf))?,
            MeshForm::Mesh | MeshForm::Bmf => files.push(&self.stem, extension::<Bmf>(), &bmf)?,
        }
        Ok(true)
    }
}

/// Writes the skeleton and the clips.
#[expect(clippy::too_many_arguments, reason = "a scene with everywhere that its motion goes")]
fn motion(
    scene: &Scene,
    stem: &str,
    names: &[Vec<Name>],
    twins: &[bool],
    options: &FromSceneOptions<TsoSceneOptions>,
    files: &mut Files<'_, '_>,
    mut records: Option<&mut Records<'_>>,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<(), ConvertError> {
    let of = |skeleton: usize| names.get(skeleton).map_or(&[][..], Vec::as_slice);
    let is_twin = |id: SkeletonId| twins.get(id.0).copied().unwrap_or_default();
    for (id, skeleton) in scene.skeletons.iter().enumerate() {
        if skeleton.joints.is_empty() || is_twin(SkeletonId(id)) {
            continue;
        }
        let moved = scene.clips.iter().any(|c| c.skeleton.0 == id);
        let placed = skeleton.joints.iter().any(|j| j.parent.is_some() || j.rest != Local::default());
        if options.format.made_for.is_some() || !(moved || placed) {
            continue;
        }
        let skel = skel::make(scene, id, of(id), options, budget, losses)?;
        if let Some(records) = &mut records {
            records.skeleton(&skel);
            continue;
        }
        let stem = if id == 0 { String::from(stem) } else { files.name(&format!("skeleton{id}"))? };
        files.push(&stem, extension::<Skel>(), &skel)?;
    }
    budget.charge("clips", (scene.clips.len() as u64).saturating_mul(size_of::<[&str; 3]>() as u64))?;
    let own = scene.clips.iter().filter(|c| !is_twin(c.skeleton)).map(|c| c.name.as_str());
    let own: BTreeSet<_> = own.collect();
    let mut again = 0_usize;
    for (id, clip) in scene.clips.iter().enumerate() {
        // The skeleton whose bones these are moves as well.
        if is_twin(clip.skeleton) && own.contains(clip.name.as_str()) {
            again += 1;
            continue;
        }
        let anim = anim::make(scene, id, of(clip.skeleton.0), options, budget, losses)?;
        let name = if clip.name.is_empty() { format!("clip{id}") } else { clip.name.clone() };
        if let Some(records) = &mut records {
            records.skill(&anim, &name, files)?;
            continue;
        }
        let stem = files.name(&name)?;
        files.push(&stem, extension::<Anim>(), &anim)?;
    }
    if again > 0 {
        let message = "the same bones are moved by a clip of the same name";
        losses.push(Loss::note("clips-merged", "clips", message).with_count(again, "clip", "clips"));
    }
    Ok(())
}

/// The skeletons that are not the first with joints, and whose joints all have names that the first has too: several skins
/// of one figure.
fn twins(scene: &Scene, budget: &Budget) -> Result<Vec<bool>, ConvertError> {
    let mut twins = budget.filled("skeletons", scene.skeletons.len(), false)?;
    let mut with_joints = scene.skeletons.iter().zip(&mut twins).filter(|(s, _)| !s.joints.is_empty());
    let Some((first, _)) = with_joints.next() else { return Ok(twins) };
    let mut names = BTreeSet::new();
    for joint in &first.joints {
        budget.charge("bones", (size_of::<[String; 2]>() + joint.name.len()) as u64)?;
        names.insert(joint.name.to_ascii_lowercase());
    }
    for (skeleton, twin) in with_joints {
        budget.work("bones", skeleton.joints.len() as u64)?;
        *twin = skeleton.joints.iter().all(|j| names.contains(&j.name.to_ascii_lowercase()));
    }
    Ok(twins)
}
