//! Writes the skins of an original with the edits of its looks.

use super::Original;
use crate::convert::Target;
use crate::formats::WriteOptions;
#[cfg(feature = "dpm")]
use crate::formats::mesh_in_skin;
use meshwright_edit::{MaterialChange, Part, Patch, Recovery, State};
use meshwright_scene::{Converted, Image, Loss, Marks, OutputFiles, Scene};

/// The loss of looks that are not in the output.
const VARIANTS_DROPPED: &str = "variants-dropped";

/// The edits of the looks of an original.
#[derive(Clone, Debug, Default)]
pub(super) struct EditedLooks {
    /// True if nothing else was edited.
    pub(super) alone: bool,
    /// The names of looks that the original does not have.
    new: Vec<String>,
    /// Edited textures of other looks than that of the native scene.
    images: Vec<Image>,
    /// Old and new names by which skins know meshes.
    renames: Vec<[Vec<u8>; 2]>,
}

impl EditedLooks {
    pub(super) fn find(
        original: &Original,
        (edited, marks): (&Scene, &Marks),
        (native, patch): (&Scene, &Patch),
        images: Vec<Image>,
    ) -> Self {
        let mut looks = Self {
            alone: patch.is_empty(),
            new: original.pictures.new_looks(edited, marks),
            images,
            renames: Vec::new(),
        };
        #[cfg(feature = "dpm")]
        for (own, is) in patch.meshes.iter().zip(&patch.scene.meshes) {
            let Some(was) = own.original.and_then(|was| patch.original_meshes.get(was)) else { continue };
            let format = original.asset().format();
            let was = mesh_in_skin(format, &was.name, was.material, native);
            let names = was.zip(mesh_in_skin(format, &is.name, is.material, &patch.scene));
            looks.renames.extend(names.filter(|(was, is)| was != is).map(|(was, is)| [was, is]));
        }
        #[cfg(not(feature = "dpm"))]
        let _ = (native, patch);
        looks
    }

    /// Adds the edits to a report.
    pub(super) fn report(&self, report: &mut Recovery) {
        let mut picture = MaterialChange::default();
        picture.picture = true;
        let image = |image: &Image| (image.name.clone(), picture.clone());
        let look = |name: &String| (name.clone(), MaterialChange::default());
        let all = self.images.iter().map(image).chain(self.new.iter().map(look));
        report.materials.extend(all.map(|(name, change)| Part { name, state: State::Edited, change }));
    }
}

impl Original {
    /// Adds the skins of the original to an edited model, with the new names of its meshes, and edited textures of its
    /// looks.
    pub(super) fn add_looks(
        &self,
        looks: &EditedLooks,
        target: Target,
        options: &WriteOptions,
        made: &mut Converted<OutputFiles>,
    ) {
        let skins = self.asset().skins(made.value.main().map_or("", |main| &main.name));
        if !looks.new.is_empty() {
            let message = match skins.as_slice() {
                [] => "the original has no skins: only its own look was written",
                _ => "the skins of the original are written",
            };
            let loss = Loss::new(VARIANTS_DROPPED, "variants", message);
            made.losses.push(loss.with_count(looks.new.len(), "edited look", "edited looks"));
        }
        if !target.has_skins() {
            if !skins.is_empty() {
                let message = "the format has one look; the first is written";
                let loss = Loss::new(VARIANTS_DROPPED, "variants", message);
                made.losses.push(loss.with_count(skins.len(), "skin", "skins"));
            }
            return;
        }
        for skin in skins {
            if made.value.iter().all(|file| file.name != skin.name) {
                #[cfg(feature = "dpm")]
                let skin = crate::formats::renamed_skin(skin, &looks.renames);
                made.value.push(skin.name, skin.bytes);
            }
        }
        let images = looks.images.iter().filter(|_| options.writes_pictures());
        for image in images {
            crate::formats::push_picture(image, made);
        }
    }
}
