//! Textures of materials.

use super::model_files::IMAGES;
use super::picture::{self, Refused, Room};
use super::{Finder, Model, Opener, Part, PartRole, PartState};
use meshwright_core::text::counted;
use meshwright_core::{Budget, FieldPath, Limits, Report, SortedMap, SortedSet};
use meshwright_files::{FilesError, Match, TreePath};
use meshwright_scene::{ConvertError, Converted, Engine, Image, Loss, Scene, SceneOptions};

impl Finder {
    /// Finds the textures of an asset's materials. [`Model::scene`] then adds them to the materials, and reports
    /// those that are missing or unusable. [`Opener`] calls it if the options say so; for a character it is
    /// called after its parts are joined.
    ///
    /// The search uses the whole name in the material: first from the root of the tree, then from the model's folder.
    /// Only then it uses the last part of the name, next to the model, and a note reports this. A file that several
    /// materials name is read, charged and decoded once. The limit of the options is for all files together.
    ///
    /// # Errors
    /// If the materials are unknown, because the model cannot be converted to a scene.
    pub(super) fn find_textures(&self, asset: &mut Model, options: &Opener) -> Result<(), ConvertError> {
        let scene_options = SceneOptions::default().with_memory(options.settings.read.limits.memory);
        let scene = asset.model.to_scene("", &asset.companions, &scene_options)?.value;
        let found = self.pictures(asset, &scene, options);
        asset.companions.images.extend(found.images);
        #[cfg(feature = "dpm")]
        {
            asset.companions.dressings.extend(found.dressings);
            asset.companions.variations.extend(found.variations);
        }
        asset.losses.extend(found.losses);
        asset.parts.extend(found.parts);
        Ok(())
    }

    /// Returns the image files of all materials that have no image yet.
    fn pictures(&self, asset: &Model, scene: &Scene, options: &Opener) -> Found {
        let limits = options.settings.read.limits;
        let mut search = Search {
            finder: self,
            folder: asset.path.parent(),
            room: Room::new(Budget::new(limits)),
            by_name: SortedMap::new(),
            by_path: SortedMap::new(),
            looked_for: Vec::new(),
            has_engine: matches!(asset.format().id(), "dpm" | "zym"),
            elsewhere: SortedSet::new(),
            #[cfg(feature = "dpm")]
            derived: SortedMap::new(),
            #[cfg(feature = "dpm")]
            colors: options.colors.map(|colors| {
                let palette = self.tree().read("gfx/colormap_palette.lmp", &Budget::new(limits)).ok();
                colors.rgb(palette.as_deref())
            }),
            found: Found::default(),
        };
        #[cfg(feature = "dpm")]
        let settled = if asset.format().traits().has_skins {
            search.engine(asset, scene, options.skin)
        } else {
            SortedMap::new()
        };
        for (i, material) in scene.materials.iter().enumerate().filter(|(_, m)| m.image.is_none()) {
            #[cfg(feature = "dpm")]
            let other = match settled.get(&i) {
                // Nothing to search for, or already found.
                Some(None) => continue,
                Some(Some((other, looked_for))) => {
                    search.looked_for.clone_from(looked_for);
                    other.clone()
                }
                None => {
                    search.looked_for.clear();
                    None
                }
            };
            #[cfg(not(feature = "dpm"))]
            let other = None;
            let known = || asset.companions.pictures.get(&material.name).cloned();
            let texture = other.or_else(known).or_else(|| asset.model.texture(i, &material.name));
            let Some(texture) = texture else { continue };
            if let Err(e) = search.material(i, &texture, asset.model.texture_folder()) {
                let message = format!("the search for textures stopped: {e}");
                search.lose("texture-not-found", i, message);
                break;
            }
        }
        search.found
    }
}

impl Model {
    /// Finds the textures of the materials of a scene of this model, and reports those that are missing or unusable.
    /// Their files become parts of the model.
    pub fn add_textures(&mut self, scene: &mut Converted<Scene>) {
        let parts = self.find_scene_textures(scene);
        self.parts.extend(parts);
    }

    /// Like [`add_textures`](Self::add_textures), but returns the files.
    pub(crate) fn find_scene_textures(&self, scene: &mut Converted<Scene>) -> Vec<Part> {
        let found = self.finder.pictures(self, &scene.value, &self.opener);
        for (material, image) in found.images {
            if let Some(material) = scene.value.materials.get_mut(material) {
                material.image = Some(image);
            }
        }
        #[cfg(feature = "dpm")]
        crate::formats::engine_materials::dress_all(&mut scene.value, &found.dressings, &found.variations);
        scene.losses.extend(found.losses);
        found.parts
    }

    /// Checks a model for an engine: values that its loader rejects (errors) or reads differently (warnings), and
    /// textures that the engine would not find.
    #[cfg(feature = "dpm")]
    pub fn check_for(&mut self, engine: Engine) -> Report {
        let mut report = self.model.validate_for(engine);
        if engine == Engine::DarkPlaces
            && let Ok(mut scene) = self.scene()
        {
            self.add_textures(&mut scene);
            let unfound = self.parts.iter().filter(|part| part.state == PartState::Elsewhere);
            for part in unfound {
                let message = || format!("{} is not where the engine looks", part.name);
                report.broken(
                    crate::formats::ENGINE_TEXTURE,
                    &FieldPath::ROOT.field("materials"),
                    None,
                    message,
                );
            }
        }
        report
    }
}

/// The textures found for a scene.
#[derive(Default)]
pub(super) struct Found {
    /// Textures by material.
    images: SortedMap<usize, Image>,
    /// The materials by the rules of the engine.
    #[cfg(feature = "dpm")]
    pub(super) dressings: Vec<crate::formats::engine_materials::Dressing>,
    #[cfg(feature = "dpm")]
    pub(super) variations: Vec<crate::formats::engine_materials::Variation>,
    pub(super) losses: Vec<Loss>,
    pub(super) parts: Vec<Part>,
}

/// The search for the textures of one scene.
pub(super) struct Search<'f> {
    pub(super) finder: &'f Finder,
    /// The folder of the model.
    folder: TreePath,
    pub(super) room: Room,
    /// The paths for the names of materials.
    by_name: SortedMap<String, Option<TreePath>>,
    /// The image files that were read; for unreadable ones, the index of the loss.
    by_path: SortedMap<TreePath, Result<Image, usize>>,
    /// The names that the engine searches for a missing texture.
    looked_for: Vec<String>,
    /// The search rules of the format's engine are known, so that the game does not find textures in other places.
    has_engine: bool,
    /// Files that are used although the engine does not find them.
    elsewhere: SortedSet<TreePath>,
    /// Images that are computed from others, by the path of the source; `None` if this is impossible.
    #[cfg(feature = "dpm")]
    pub(super) derived: SortedMap<TreePath, Option<Image>>,
    /// The colours of the shirt and pants of a player.
    #[cfg(feature = "dpm")]
    pub(super) colors: Option<[[u8; 3]; 2]>,
    pub(super) found: Found,
}

impl Search<'_> {
    fn lose(&mut self, code: &'static str, material: usize, message: String) {
        self.found.losses.push(Loss::new(code, format!("materials[{material}]"), message));
    }

    fn material(&mut self, i: usize, texture: &str, top: &str) -> Result<(), FilesError> {
        let path = match self.by_name.get(texture) {
            Some(known) => known.clone(),
            None => {
                let path = self.path(i, texture, top)?;
                self.by_name.insert(texture.to_owned(), path.clone());
                path
            }
        };
        let Some(path) = path else { return Ok(()) };
        if !self.by_path.contains_key(&path) {
            let image = self.image(i, &path);
            self.by_path.insert(path.clone(), image);
        }
        match self.by_path.get(&path) {
            Some(Ok(image)) => {
                self.found.images.insert(i, image.clone());
            }
            Some(Err(loss)) => {
                if let Some(loss) = self.found.losses.get_mut(*loss) {
                    loss.count = loss.count.saturating_add(1);
                }
            }
            None => {}
        }
        Ok(())
    }

    /// Resolves a name to a path; a missing file is reported once.
    fn path(&mut self, i: usize, texture: &str, top: &str) -> Result<Option<TreePath>, FilesError> {
        let (whole, last) = (texture.replace('\\', "/"), texture.rsplit(['/', '\\']).next());
        let other = match whole.strip_prefix(top).and_then(|rest| rest.strip_prefix('/')) {
            Some(rest) if !top.is_empty() => Some(rest.to_owned()),
            _ if top.is_empty() => None,
            _ => Some(format!("{top}/{whole}")),
        };
        let names: Vec<&[u8]> =
            [Some(&whole), other.as_ref()].into_iter().flatten().map(String::as_bytes).collect();
        let found = self.finder.tree().search(&names, &self.folder, &IMAGES, self.room.budget())?;
        let path = format!("materials[{i}]");
        match found {
            Some(Match { path: file, .. }) if self.has_engine && !self.looked_for.is_empty() => {
                let message = format!("the engine does not find {texture}; {file} is used here");
                self.found.losses.push(Loss::note("texture-guessed", path, message));
                self.elsewhere.insert(file.clone());
                Ok(Some(file))
            }
            Some(Match { path: file, by_last_part: true, .. }) if last != Some(texture) => {
                let message = format!("{texture} not found; using {file} next to the model");
                self.found.losses.push(Loss::note("texture-guessed", path, message));
                Ok(Some(file))
            }
            Some(Match { path: file, .. }) => Ok(Some(file)),
            None => {
                let (count, tried) = if self.looked_for.is_empty() {
                    let known: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
                    let tried = format!("{} (.{})", known.join(", "), IMAGES.join(", ."));
                    (names.len().saturating_mul(IMAGES.len()), tried)
                } else {
                    (self.looked_for.len(), self.looked_for.join(", "))
                };
                let count = counted(count as u64, "name", "names");
                let (details, places) = (Loss::DETAILS, self.places());
                let message =
                    format!("texture {texture} not found ({count} tried){details}{tried}; in {places}");
                self.found.losses.push(Loss::note("texture-not-found", path, message));
                Ok(None)
            }
        }
    }

    /// Returns the searched places, for a message: a data folder may have thousands of archives.
    fn places(&self) -> String {
        const NAMED: usize = 3;
        let mut places = self.finder.tree().places();
        let named: Vec<_> = places.by_ref().take(NAMED).map(|place| place.display().to_string()).collect();
        match (named.is_empty(), places.count()) {
            (true, _) => "the tree".into(),
            (false, 0) => named.join(", "),
            (false, more) => format!("{} and {more} more", named.join(", ")),
        }
    }

    /// Reads an image file. If this fails, returns the index of the loss.
    fn image(&mut self, i: usize, path: &TreePath) -> Result<Image, usize> {
        let (state, image) = match self.read(path) {
            Ok(image) if self.elsewhere.contains(path) => (PartState::Elsewhere, Ok(image)),
            Ok(image) => (PartState::Found, Ok(image)),
            Err(why) => {
                self.lose("texture-unreadable", i, format!("{path}: {why}"));
                if let Some(loss) = self.found.losses.last_mut() {
                    (loss.count, loss.items) = (0, ["material", "materials"]);
                }
                (PartState::Ignored(why), Err(self.found.losses.len().saturating_sub(1)))
            }
        };
        self.found.parts.push(Part::new(PartRole::Texture, path, state));
        image
    }

    fn read(&self, path: &TreePath) -> Result<Image, String> {
        // The memory of the file's bytes is released, unless they are kept.
        let passing = Budget::new(Limits::default().with_memory(self.room.remaining()));
        let bytes = self.finder.tree().read(path, &passing).map_err(|e| e.reason())?.into_owned();
        self.room.passing(bytes.len() as u64).map_err(|e| e.to_string())?;
        let name = String::from_utf8_lossy(path.stem()).into_owned();
        let image = picture::read(name, bytes, path.extension(), &self.room);
        let source = std::str::from_utf8(path.as_bytes()).ok().map(str::to_owned);
        image.map(|image| image.with_source(source)).map_err(|e: Refused| e.to_string())
    }
}
