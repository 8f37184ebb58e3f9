//! The textures of a model's meshes, as DarkPlaces finds them: by skins, shader scripts and image files.

use super::scripts::Scripts;
use super::{Finder, Model};
use meshwright_core::text::latin1;
use meshwright_core::{Budget, SortedMap};
use meshwright_files::{FilesError, TreePath};
use meshwright_quake::{BlendFactor, ColourSource, Shader, Skin, Stage};
use meshwright_scene::Scene;
use std::collections::BTreeMap;

/// Longest name of a texture that DarkPlaces keeps.
const LONGEST: usize = 127;
/// Least work that is charged for a candidate.
const ATTEMPT: u64 = 256;

/// The treatment of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SurfaceStatus {
    /// The search found the texture.
    Found,
    /// The texture was not found.
    Missing,
    /// It is not drawn.
    NotDrawn,
    /// It has no texture.
    Untextured,
    /// It is the sky.
    Sky,
    /// The texture is built into the engine.
    Builtin,
}

/// A mesh with its material, by the rules of the engine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Surface {
    /// The mesh, by the name that a skin knows it by.
    pub mesh: String,
    /// The name of its texture or shader, without an extension; empty if the skin does not name the mesh.
    pub name: String,
    /// The treatment of the surface.
    pub status: SurfaceStatus,
    /// The shader with this name, and its script.
    pub shader: Option<(Shader, TreePath)>,
    /// The stage of the shader whose texture is the base colour.
    pub stage: Option<usize>,
    /// The texture.
    pub image: Option<TreePath>,
    /// The frames of an animation; `None` for a missing one.
    pub frames: Vec<Option<TreePath>>,
    /// Further textures by purpose: `norm`, `bump`, `glow`, `gloss`, `pants`, `shirt`, `reflect`, `alpha`.
    pub companions: BTreeMap<&'static str, TreePath>,
    /// The names that were searched for, in order, if the texture is missing.
    pub looked_for: Vec<String>,
}

/// The surfaces of a model in one of its skins.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Surfaces {
    /// The file of the skin; `None` if the model has none.
    pub skin: Option<TreePath>,
    /// One for each mesh of the model's scene.
    pub surfaces: Vec<Surface>,
    /// Meshes that the skin names but the model lacks.
    pub unused: Vec<String>,
}

/// Returns a name of a scene as the bytes of the file.
fn bytes(name: &str) -> Vec<u8> {
    let narrow: Option<Vec<u8>> = name.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    narrow.unwrap_or_else(|| name.as_bytes().to_vec())
}

/// Returns a name without an extension that the engine strips. It strips only lower-case extensions.
fn stripped(name: &[u8]) -> &[u8] {
    const KNOWN: [&[u8]; 6] = [b".tga", b".pcx", b".lmp", b".png", b".jpg", b".wal"];
    let bare = KNOWN.iter().find_map(|e| name.strip_suffix(*e)).unwrap_or(name);
    bare.get(..LONGEST).unwrap_or(bare)
}

/// Returns the candidate files for a texture name, in the engine's order.
fn candidates(name: &[u8]) -> Vec<Vec<u8>> {
    let clean: Vec<u8> = name
        .iter()
        .map(|b| match b {
            b'*' => b'#',
            b'\\' => b'/',
            b => *b,
        })
        .collect();
    let with = |folder: &[u8], extensions: &[&str]| -> Vec<Vec<u8>> {
        extensions.iter().map(|e| [folder, &clean, b".", e.as_bytes()].concat()).collect()
    };
    let Some(slash) = clean.iter().position(|b| *b == b'/') else {
        let plain = ["tga", "png", "jpg"];
        let whole = with(b"", &["tga", "png", "jpg", "pcx"]);
        return [with(b"override/", &plain), with(b"textures/", &plain), whole].concat();
    };
    let first = clean.get(..slash).unwrap_or_default().to_ascii_lowercase();
    match &*first {
        b"textures" => with(b"", &["tga", "png", "jpg", "pcx", "wal"]),
        _ => with(b"", &["tga", "png", "jpg", "pcx", "lmp"]),
    }
}

/// Returns true if an image of the Quake games, which needs a palette, has as many pixels as its header states.
pub(super) fn is_palette_picture(extension: &[u8], bytes: &[u8]) -> bool {
    let word = |at: usize| {
        let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
        word.map(|word| u64::from(u32::from_le_bytes(*word)))
    };
    let holds = |size: Option<(u64, u64)>, start: u64| {
        size.is_some_and(|(w, h)| {
            w > 0 && h > 0 && w.saturating_mul(h).saturating_add(start) <= bytes.len() as u64
        })
    };
    match extension.to_ascii_lowercase().as_slice() {
        b"lmp" => holds(word(0).zip(word(4)), 8),
        b"wal" => word(40).is_some_and(|start| holds(word(32).zip(word(36)), start)),
        _ => false,
    }
}

/// Looks for the pictures of surfaces.
pub(super) struct SurfaceSearch<'f> {
    pub(super) finder: &'f Finder,
    pub(super) budget: &'f Budget,
    /// Returns true if a file is an image: other files are skipped.
    pub(super) decodes: &'f mut dyn FnMut(&TreePath) -> bool,
}

impl SurfaceSearch<'_> {
    /// Returns the surfaces of a model in one of its skins, or without a skin.
    pub(super) fn surfaces(
        &mut self,
        asset: &Model,
        scene: &Scene,
        skin: u32,
    ) -> Result<Surfaces, FilesError> {
        let mut surfaces =
            Surfaces { skin: asset.skin_files().into_iter().nth(skin as usize), ..Surfaces::default() };
        let text = match &surfaces.skin {
            Some(path) => {
                let text = self.finder.tree().read(path, self.budget)?;
                Some(Skin::parse(&text, self.budget)?)
            }
            None => None,
        };
        let scripts = self.finder.scripts();
        let mut names = Vec::new();
        for mesh in &scene.meshes {
            let material = mesh.material.and_then(|m| scene.materials.get(m.0)).map_or("", |m| &m.name);
            // A mesh of a DPM has the name of its shader.
            let key = if asset.format().id() == "iqm" { &mesh.name } else { material };
            let (mesh_name, material) = (bytes(key), bytes(material));
            let mut surface = Surface {
                mesh: key.to_owned(),
                name: String::new(),
                status: SurfaceStatus::NotDrawn,
                shader: None,
                stage: None,
                image: None,
                frames: Vec::new(),
                companions: BTreeMap::new(),
                looked_for: Vec::new(),
            };
            let name = match &text {
                Some(skin) => skin.texture(&mesh_name),
                None => Some(&*material),
            };
            if let Some(name) = name {
                self.named(&mut surface, stripped(name), &scripts)?;
            }
            surfaces.surfaces.push(surface);
            names.push(mesh_name);
        }
        let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
        surfaces.unused = text.iter().flat_map(|skin| skin.unused(&names)).map(latin1).collect();
        Ok(surfaces)
    }

    /// Resolves the name of a texture or a shader.
    fn named(&mut self, surface: &mut Surface, name: &[u8], scripts: &Scripts) -> Result<(), FilesError> {
        surface.name = latin1(name);
        if let Some((shader, file)) = scripts.get(name) {
            surface.shader = Some((shader.clone(), file.clone()));
            surface.stage = shader.material_stage();
            surface.status = match surface.stage.and_then(|at| shader.stages.get(at)) {
                _ if shader.sky => SurfaceStatus::Sky,
                None => SurfaceStatus::NotDrawn,
                Some(stage) => return self.staged(surface, stage),
            };
            return Ok(());
        }
        match name {
            b"" | b"noshader" => surface.status = SurfaceStatus::Untextured,
            b"common/nodraw" | b"textures/common/nodraw" => {}
            name => self.pictured(surface, name)?,
        }
        Ok(())
    }

    fn staged(&mut self, surface: &mut Surface, stage: &Stage) -> Result<(), FilesError> {
        match stage.map() {
            b"" => surface.status = SurfaceStatus::Untextured,
            [b'$', ..] => surface.status = SurfaceStatus::Builtin,
            map => {
                self.pictured(surface, stripped(map))?;
                if stage.fps.is_some() {
                    for map in &stage.maps {
                        let frame = self.picture(stripped(map))?;
                        surface.frames.push(frame);
                    }
                }
            }
        }
        Ok(())
    }

    /// Finds the texture of a name, and its normal map and other companions.
    fn pictured(&mut self, surface: &mut Surface, name: &[u8]) -> Result<(), FilesError> {
        surface.image = self.picture(name)?;
        surface.status = if surface.image.is_some() { SurfaceStatus::Found } else { SurfaceStatus::Missing };
        if surface.image.is_none() {
            surface.looked_for = candidates(name).iter().map(|name| latin1(name)).collect();
            return Ok(());
        }
        const FURTHER: [(&str, &[&str]); 6] = [
            ("glow", &["_glow", ".blend", "_blend", "_luma"]),
            ("gloss", &["_gloss"]),
            ("pants", &["_pants"]),
            ("shirt", &["_shirt"]),
            ("reflect", &["_reflect"]),
            ("norm", &["_norm"]),
        ];
        for (kind, suffixes) in FURTHER {
            for suffix in suffixes {
                if let Some(path) = self.picture(&[name, suffix.as_bytes()].concat())? {
                    surface.companions.insert(kind, path);
                    break;
                }
            }
        }
        if !surface.companions.contains_key("norm")
            && let Some(path) = self.picture(&[name, b"_bump"].concat())?
        {
            surface.companions.insert("bump", path);
        }
        if let Some(image) = &surface.image
            && image.extension().eq_ignore_ascii_case(b"jpg")
        {
            let alpha = image.beside([image.stem(), b"_alpha.jpg"].concat())?;
            if let Some(path) = self.finder.tree().find(&alpha)? {
                surface.companions.insert("alpha", path);
            }
        }
        Ok(())
    }

    /// Returns the first candidate of a name that is a readable image.
    fn picture(&mut self, name: &[u8]) -> Result<Option<TreePath>, FilesError> {
        for candidate in candidates(name) {
            self.budget.work("search", ATTEMPT.saturating_add(candidate.len() as u64))?;
            let Ok(path) = TreePath::new(&candidate) else { continue };
            if let Some(path) = self.finder.tree().find(&path)?
                && (self.decodes)(&path)
            {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}

impl Model {
    /// Returns the skins of a model, as the engine finds them: `x.dpm_0.skin` and on, up to the first that is missing.
    pub fn skin_files(&self) -> Vec<TreePath> {
        if !self.format().traits().has_skins {
            return Vec::new();
        }
        super::skins::beside(self.finder.tree(), &self.path)
    }

    /// Computes the materials of a model's meshes in a skin by the engine's rules, for formats of the Quake family:
    /// the drawn meshes and their image files. Skin 0 is that of a model without skins.
    ///
    /// # Errors
    /// If the model cannot be converted to a scene, a skin cannot be read, or the search costs more than the limit
    /// allows.
    pub fn surfaces(&self, skin: u32) -> Result<Surfaces, crate::error::Error> {
        let limits = self.limits();
        let scene_options = meshwright_scene::SceneOptions::default().with_memory(limits.memory);
        let scene = self.model.to_scene("", &self.companions, &scene_options)?.value;
        let (budget, mut known) = (Budget::new(limits), SortedMap::new());
        let room = super::picture::Room::new(Budget::new(limits));
        let mut decodes = |path: &TreePath| {
            if let Some(known) = known.get(path) {
                return *known;
            }
            let read = || {
                let bytes = self.finder.tree().read(path, &Budget::new(limits)).ok()?.into_owned();
                if is_palette_picture(path.extension(), &bytes) {
                    return Some(());
                }
                super::picture::read(String::new(), bytes, path.extension(), &room).ok().map(drop)
            };
            let decodes = read().is_some();
            known.insert(path.clone(), decodes);
            decodes
        };
        let mut search = SurfaceSearch { finder: &self.finder, budget: &budget, decodes: &mut decodes };
        Ok(search.surfaces(self, &scene, skin)?)
    }
}

/// Returns the effects of a shader that a material cannot express.
pub(super) fn unsaid(shader: &Shader, stage: &Stage) -> Vec<&'static str> {
    let mut unsaid = Vec::new();
    let blend = shader.stages.first().map_or(stage.blend, |first| first.blend);
    if !matches!(
        blend,
        [BlendFactor::One, BlendFactor::Zero] | [BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha]
    ) {
        unsaid.push("is added to, or multiplied with, the background");
    }
    if stage.moves {
        unsaid.push("has texture coordinates that move or are computed");
    }
    if shader.deforms {
        unsaid.push("has vertices that move");
    }
    if stage.colour == ColourSource::Other {
        unsaid.push("is in a colour of its shader");
    }
    if stage.fps.is_some() {
        unsaid.push("is animated: its first image is shown");
    }
    unsaid
}
