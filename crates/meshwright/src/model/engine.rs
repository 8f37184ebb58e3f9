//! Materials of a model's surfaces, by the rules of its engine.

use super::picture;
use super::surfaces::{Surface, SurfaceSearch, SurfaceStatus, Surfaces, is_palette_picture, unsaid};
use super::textures::Search;
use super::{Model, Part, PartRole, PartState};
use crate::formats::engine_materials::{Dressing, Look, Variation};
use meshwright_core::SortedMap;
use meshwright_core::text::latin1;
use meshwright_files::{FilesError, TreePath};
use meshwright_scene::{AlphaMode, Image, LayerKind, Loss, Scene, TextureLayer};

/// The decoded images; `None` for an image without colours of its own.
type Pictures = SortedMap<TreePath, Result<Option<Image>, String>>;

/// The texture of a material that the engine does not find, if it differs from the material's own, and the names that
/// it searched for.
type Unfound = Option<(Option<String>, Vec<String>)>;

/// Meshes that look alike, by material, texture name, and whether they are drawn.
type Groups<'s> = SortedMap<(usize, &'s str, bool), (Vec<usize>, &'s Surface)>;

fn surfaces_of<'s>(scene: &Scene, surfaces: &'s Surfaces) -> Groups<'s> {
    let mut groups = Groups::new();
    for (i, (mesh, surface)) in scene.meshes.iter().zip(&surfaces.surfaces).enumerate() {
        let Some(material) = mesh.material else { continue };
        let hidden = surface.status == SurfaceStatus::NotDrawn;
        groups.entry((material.0, &surface.name, hidden)).or_insert((Vec::new(), surface)).0.push(i);
    }
    groups
}

impl Search<'_> {
    /// Assigns materials to the meshes of a model as the engine does. Returns the resolved materials; those without a
    /// found texture have the names that were searched for.
    pub(super) fn engine(
        &mut self,
        asset: &Model,
        scene: &Scene,
        skin: Option<u32>,
    ) -> SortedMap<usize, Unfound> {
        let mut pictures = Pictures::new();
        let surfaces = match self.surfaces(asset, scene, skin.unwrap_or(0), &mut pictures) {
            Ok(surfaces) => surfaces,
            Err(e) => {
                let message = format!("the search for textures stopped: {e}");
                self.found.losses.push(Loss::new("texture-not-found", "materials", message));
                return SortedMap::new();
            }
        };
        self.skins(asset, &surfaces, skin);
        let mut settled = SortedMap::new();
        for ((material, ..), (_, surface)) in surfaces_of(scene, &surfaces) {
            let unfound = (surface.status == SurfaceStatus::Missing).then(|| {
                let stage =
                    surface.shader.as_ref().zip(surface.stage).and_then(|((s, _), at)| s.stages.get(at));
                let name = stage.map(|stage| latin1(stage.map()));
                let name = name.or_else(|| surfaces.skin.is_some().then(|| surface.name.clone()));
                (name, surface.looked_for.clone())
            });
            settled.insert(material, unfound);
        }
        self.found.dressings = self.dressings(scene, &surfaces, &mut pictures);
        let all = asset.skin_files().len();
        if skin.is_none() && all > 1 {
            let said = self.found.losses.len();
            for n in 0..u32::try_from(all).unwrap_or(0) {
                // If a skin exceeds a limit, only the first skin is used.
                let Ok(surfaces) = self.surfaces(asset, scene, n, &mut pictures) else { break };
                let dressings = self.dressings(scene, &surfaces, &mut pictures);
                self.found.variations.push(Variation { name: format!("skin {n}"), dressings });
            }
            // Losses are reported only for the shown skin.
            self.found.losses.truncate(said);
        }
        settled
    }

    fn surfaces(
        &self,
        asset: &Model,
        scene: &Scene,
        skin: u32,
        pictures: &mut Pictures,
    ) -> Result<Surfaces, FilesError> {
        let mut decodes =
            |path: &TreePath| pictures.entry(path.clone()).or_insert_with(|| self.looked_at(path)).is_ok();
        let mut search =
            SurfaceSearch { finder: self.finder, budget: self.room.budget(), decodes: &mut decodes };
        search.surfaces(asset, scene, skin)
    }

    fn dressings(&mut self, scene: &Scene, surfaces: &Surfaces, pictures: &mut Pictures) -> Vec<Dressing> {
        let groups = surfaces_of(scene, surfaces).into_iter();
        groups
            .map(|((material, ..), (meshes, surface))| {
                let look = self.look(material, surface, pictures);
                Dressing { meshes, material, look }
            })
            .collect()
    }

    /// Reads a file as a picture.
    fn looked_at(&self, path: &TreePath) -> Result<Option<Image>, String> {
        let read = || -> Result<Vec<u8>, FilesError> {
            let left = meshwright_core::Limits::default().with_memory(self.room.remaining());
            Ok(self.finder.tree().read(path, &meshwright_core::Budget::new(left))?.into_owned())
        };
        let bytes = read().map_err(|e| e.reason())?;
        self.room.passing(bytes.len() as u64).map_err(|e| e.to_string())?;
        if is_palette_picture(path.extension(), &bytes) {
            return Ok(None);
        }
        let name = String::from_utf8_lossy(path.stem()).into_owned();
        let image = picture::read(name, bytes, path.extension(), &self.room).map_err(|e| e.to_string())?;
        let source = std::str::from_utf8(path.as_bytes()).ok().map(str::to_owned);
        Ok(Some(image.with_source(source)))
    }

    /// Reports which skin is used, and the names in it that match nothing.
    fn skins(&mut self, asset: &Model, surfaces: &Surfaces, skin: Option<u32>) {
        let all = asset.skin_files().len();
        match &surfaces.skin {
            Some(path) => {
                self.found.parts.push(Part::new(PartRole::Skin, path, PartState::Found));
                if all > 1 {
                    let message = format!("the model has {all} skins; {path} is shown");
                    self.found.losses.push(Loss::note("skins", "materials", message));
                }
            }
            None if skin.is_some_and(|skin| skin > 0) => {
                let message =
                    format!("the model has no skin {}; its own texture names are used", skin.unwrap_or(0));
                self.found.losses.push(Loss::new("skin-not-found", "materials", message));
            }
            None => {}
        }
        if !surfaces.unused.is_empty() {
            let message = format!("the skin names missing meshes: {}", surfaces.unused.join(", "));
            self.found.losses.push(Loss::note("skin-unused", "materials", message));
        }
    }

    fn look(&mut self, material: usize, surface: &Surface, pictures: &mut Pictures) -> Look {
        let path = format!("materials[{material}]");
        let shader = surface.shader.as_ref().map(|(shader, _)| shader);
        let mut look = Look { double_sided: shader.is_some_and(|s| s.two_sided), ..Look::default() };
        match surface.status {
            SurfaceStatus::NotDrawn => {
                let Surface { mesh, name, .. } = surface;
                let why = if name.is_empty() { "no line of the skin names it" } else { name.as_str() };
                look.hidden = Some(why.into());
                let message =
                    format!("the engine does not draw {mesh} ({why}): it is kept, fully transparent");
                self.found.losses.push(Loss::note("not-drawn", path, message));
            }
            SurfaceStatus::Sky | SurfaceStatus::Builtin => {
                let message = format!("{} is the sky, or an image that the engine makes", surface.name);
                self.found.losses.push(Loss::new("texture-not-found", path, message));
            }
            SurfaceStatus::Missing | SurfaceStatus::Untextured => {}
            SurfaceStatus::Found => self.textures(&path, surface, &mut look, pictures),
        }
        look
    }

    /// Finds the textures of a surface, and its treatment of alpha.
    fn textures(&mut self, path: &str, surface: &Surface, look: &mut Look, pictures: &mut Pictures) {
        let shader = surface.shader.as_ref().map(|(shader, _)| shader);
        let further = |kind| surface.companions.get(kind);
        let alpha = match shader.and_then(|shader| shader.stages.first()) {
            Some(first) if first.alpha_test => AlphaMode::Mask(0.5),
            Some(first) if !first.is_blended() => AlphaMode::Opaque,
            _ => AlphaMode::Blend,
        };
        look.alpha = Some(alpha);
        look.image = surface.image.as_ref().and_then(|image| self.take_image(path, image, pictures));
        if alpha != AlphaMode::Opaque
            && let (Some(image), Some(mask)) = (&look.image, further("alpha"))
        {
            look.image = self.masked(path, image.clone(), mask, pictures);
        }
        self.colored(path, surface, look, pictures);
        look.normal = match (further("norm"), further("bump")) {
            (Some(image), _) => self.take_image(path, image, pictures),
            (None, Some(heights)) => self.directions(path, heights, pictures),
            (None, None) => None,
        };
        look.emissive = further("glow").and_then(|image| self.take_image(path, image, pictures));
        for kind in [LayerKind::Gloss, LayerKind::Pants, LayerKind::Shirt, LayerKind::Reflect] {
            if let Some(file) = further(kind.name()) {
                look.further.push((kind.name(), file.to_string()));
                let image = self.take_image(path, file, pictures);
                look.layers.extend(image.map(|image| TextureLayer { kind, image }));
            }
        }
        let stage = shader.zip(surface.stage).and_then(|(shader, at)| Some((shader, shader.stages.get(at)?)));
        look.clamped = stage.is_some_and(|(_, stage)| stage.clamp);
        for what in stage.map(|(shader, stage)| unsaid(shader, stage)).unwrap_or_default() {
            let message = format!("{} {what}", surface.name);
            self.found.losses.push(Loss::new("shader-left-out", path, message));
        }
    }

    /// Adds the player's colours to the texture, where its layers allow it.
    fn colored(&mut self, path: &str, surface: &Surface, look: &mut Look, pictures: &mut Pictures) {
        let (Some([shirt, pants]), Some(image)) = (self.colors, look.image.clone()) else { return };
        let mut layers = Vec::new();
        for (kind, color) in [("pants", pants), ("shirt", shirt)] {
            let file = surface.companions.get(kind);
            layers.extend(file.and_then(|file| self.take_image(path, file, pictures)).map(|l| (l, color)));
        }
        let (Some(file), false) = (&surface.image, layers.is_empty()) else { return };
        let made = match self.derived.get(file) {
            Some(made) => made.clone(),
            None => picture::derived::colored(&image, &layers, &self.room).ok().flatten(),
        };
        self.derived.insert(file.clone(), made.clone());
        match made {
            Some(made) => {
                let kind = LayerKind::Base;
                look.further.push((kind.name(), file.to_string()));
                look.layers.push(TextureLayer { kind, image });
                look.image = Some(made);
            }
            None => {
                let message = format!("the layers of {file} were dropped: they have another size");
                self.found.losses.push(Loss::new("texture-left-out", path, message));
            }
        }
    }

    /// Adds an image file that the model uses.
    fn take_image(&mut self, material: &str, path: &TreePath, pictures: &mut Pictures) -> Option<Image> {
        let image = pictures.entry(path.clone()).or_insert_with(|| self.looked_at(path)).as_ref();
        let known = self.found.parts.iter().any(|part| part.path.as_ref() == Some(path));
        let (why, image) = match image {
            Ok(Some(image)) => (None, Some(image.clone())),
            Ok(None) => (Some("has no colours of its own: the game's palette gives them"), None),
            Err(why) => (Some(why.as_str()), None),
        };
        if let Some(why) = why {
            self.found.losses.push(Loss::new("texture-unreadable", material, format!("{path}: {why}")));
        }
        if !known {
            let state = why.map_or(PartState::Found, |why| PartState::Ignored(why.into()));
            self.found.parts.push(Part::new(PartRole::Texture, path, state));
        }
        image
    }

    /// Returns an image with the alpha of a separate image file.
    fn masked(
        &mut self,
        material: &str,
        image: Image,
        mask: &TreePath,
        pictures: &mut Pictures,
    ) -> Option<Image> {
        let Some(alpha) = self.take_image(material, mask, pictures) else { return Some(image) };
        let made = self.derived.get(mask).cloned().unwrap_or_else(|| {
            let made = picture::derived::with_alpha(&image, &alpha, &self.room).ok().flatten();
            self.derived.insert(mask.clone(), made.clone());
            made
        });
        if made.is_none() {
            let message = format!("{mask} was dropped: it has another size than the image");
            self.found.losses.push(Loss::new("texture-left-out", material, message));
        }
        Some(made.unwrap_or(image))
    }

    /// Computes the normal map that the engine derives from a height map.
    fn directions(&mut self, material: &str, heights: &TreePath, pictures: &mut Pictures) -> Option<Image> {
        let image = self.take_image(material, heights, pictures)?;
        let made = self.derived.get(heights).cloned().unwrap_or_else(|| {
            let made = picture::derived::normals(&image, &self.room).ok();
            self.derived.insert(heights.clone(), made.clone());
            made
        });
        self.found.losses.push(match made {
            Some(_) => {
                let message =
                    format!("{heights} is a height map; its normal map was computed as in the engine");
                Loss::note("normals-of-heights", material, message)
            }
            None => {
                let message = format!("{heights} needs more memory than the limit leaves");
                Loss::new("texture-left-out", material, message)
            }
        });
        made
    }
}
