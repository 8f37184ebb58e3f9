//! Reads the parts of a The Sims character that `tso` finds in the tree of a model.

use super::game_tree::GameTree;
use super::opening::Opening;
use super::{Model, NamedFile, Part, PartRole, PartState};
use crate::error::Error;
use crate::formats::{AnyModel, CompanionFile, Companions, Format, Origin, SourceFile, character};
use meshwright_core::{Budget, Limits, ReadOptions, Role};
use meshwright_files::TreePath;
use meshwright_scene::Loss;
use meshwright_tso::{Anim, Character, CharacterSearch, Geometry, OutfitPart, OutfitRecord};
use std::sync::Arc;

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Model {
    /// Returns the animations of a file: that of an `.anim`, or the skills of The Sims 1 whose keys are in the tree.
    /// They are files of The Sims Online that can be [named](crate::Opener::named) for a model, which stores the files that they
    /// were read from.
    pub fn into_motions(self) -> Vec<NamedFile> {
        #[cfg(feature = "iqm")]
        if let AnyModel::Iqm(model) = &self.model {
            // A file of clips has no meshes.
            let clips = model.meshes.is_empty() && model.frame_count > 0;
            let name = String::from_utf8_lossy(self.path.name()).into_owned();
            let file = clips.then(|| NamedFile::new(Role::Animation, name, self.bytes));
            return file.into_iter().collect();
        }
        let source = self.source();
        let own = self.companions.files;
        let named = |anim: &Anim, bytes: Vec<u8>, origin| {
            let file = NamedFile::new(Role::Animation, anim.name.text(), bytes);
            NamedFile { origin: Some(origin), ..file }
        };
        if let AnyModel::TsoAnimation(anim) = &self.model {
            let origin = Origin { source: Arc::new(source), record: None, keys: None };
            return vec![named(anim, self.bytes, origin)];
        }
        let source = Arc::new(source.with_model(self.model));
        let Some(character) = source.model.as_ref().and_then(AnyModel::character) else {
            return Vec::new();
        };
        let file = |(number, anim): (usize, Anim)| {
            let keys = crate::formats::sims_keys_file(&own, &character.skills.get(number)?.keys).cloned();
            let origin = Origin { source: Arc::clone(&source), record: Some(number), keys };
            let bytes = anim.to_bytes_with(meshwright_core::Strictness::Lenient).ok()?;
            Some(named(&anim, bytes, origin))
        };
        character::skills(character, &own).into_iter().filter_map(file).collect()
    }
}

impl From<OutfitRecord> for AnyModel {
    fn from(record: OutfitRecord) -> Self {
        match record {
            OutfitRecord::Outfit(m) => m.into(),
            OutfitRecord::Appearance(m) => m.into(),
            OutfitRecord::Hands(m) => m.into(),
            OutfitRecord::Binding(m) => m.into(),
        }
    }
}

type Search<'g> = CharacterSearch<'g, GameTree<'g>>;

impl Opening<'_> {
    /// Returns the name of an image: its path if it is not next to the model.
    pub(super) fn spelled(&self, path: &TreePath) -> String {
        if path.parent() == self.path.parent() { text_of(path.name()) } else { path.to_string() }
    }

    /// Finds all companion files that the model's kind can have, except those that the caller named.
    ///
    /// # Errors
    /// If the keys of a skill exist but differ from those that it states.
    pub(super) fn figure(&mut self, companions: &mut Companions, model: &AnyModel) -> Result<(), Error> {
        self.sims(companions);
        if !self.options.companions {
            return Ok(());
        }
        let files = GameTree(self.finder.tree());
        let mut search =
            CharacterSearch::new(&files, self.finder.sims_index(), self.path, &self.options.style);
        if let Some(character) = model.character() {
            self.keys(companions, character, &mut search)?;
            self.suits(companions, character, &mut search);
        }
        let parts = match model {
            AnyModel::Oft(outfit) => search.outfit_parts(outfit),
            AnyModel::Apr(look) => search.appearance_parts(look),
            AnyModel::Po(item) => search.item_parts(item),
            _ => Vec::new(),
        };
        self.outfit(companions, parts);
        let own = character::shape(model).and_then(|shape| shape.names);
        if let Some([_, texture]) = own.filter(|_| companions.texture.is_none()) {
            companions.texture = search.skin_texture(&text_of(self.path.stem()), &texture.text());
        }
        if self.format.traits().owner.is_some() && self.key_counts().is_none() {
            let name = text_of(self.path.stem());
            companions.missing.push((Role::Animation, format!("a .cmx or .bcf that names {name}")));
        }
        self.skeleton(companions, model, &search);
        if own.is_some() || model.character().is_some_and(|character| !character.suits.is_empty()) {
            let unused = search.unused_wear().into_iter();
            self.losses.extend(unused.map(|message| Loss::new("wear-unused", "wear", message)));
        }
        companions.missing.append(&mut search.missing);
        let textures = search.textures.into_iter();
        companions.pictures.extend(textures.map(|(name, path)| (name, path.to_string())));
        companions.duplicates.append(&mut search.duplicates);
        Ok(())
    }

    /// Returns the numbers of translations and rotations in the skill of a file of keys; `None` if no skill of the tree names
    /// the file.
    pub(super) fn key_counts(&self) -> Option<(u32, u32)> {
        let index = self.finder.sims_index();
        let known = self.finder.skills(|| index.key_counts(&GameTree(self.finder.tree())));
        known.get(&text_of(self.path.stem()).to_lowercase()).copied()
    }

    /// Reads the keys of skills, which state their number: without it, a truncated file of keys looks complete.
    fn keys(
        &mut self,
        companions: &mut Companions,
        character: &Character,
        search: &mut Search<'_>,
    ) -> Result<(), Error> {
        for skill in &character.skills {
            if crate::formats::sims_keys(&companions.files, &skill.keys).is_some() {
                continue;
            }
            let Some(path) = search.skill_keys(&skill.keys.text()) else { continue };
            let bytes = self.finder.read(&path, self.options);
            let bytes = bytes.map_err(|e| Error::from(e).of_file(path.to_string()))?;
            let mut settings = self.options.settings.clone();
            settings.key_counts = Some((skill.translations, skill.rotations));
            let added = companions.add(self.format, Role::Keys, path.to_string(), &bytes, &settings);
            added.map_err(|e| Error::from(e).of_file(path.to_string()))?;
            self.parts.push(Part::new(PartRole::Companion(Role::Keys), &path, PartState::Found));
        }
        Ok(())
    }

    /// Reads the meshes of suits.
    fn suits(&mut self, companions: &mut Companions, character: &Character, search: &mut Search<'_>) {
        for skin in character.suits.iter().flat_map(|suit| &suit.skins) {
            let name = skin.skin.text();
            // Only the game draws censor boxes.
            let Some(path) = search.skin_mesh(&name) else { continue };
            let before = companions.files.len();
            self.add(companions, Role::Part, &path);
            for file in companions.files.iter_mut().skip(before) {
                let names = character::shape(&file.model).and_then(|shape| shape.names);
                file.texture = names.and_then(|[_, own]| search.skin_texture(&name, &own.text()));
                file.name.clone_from(&name);
            }
        }
    }

    /// Reads the parts of an outfit.
    fn outfit(&mut self, companions: &mut Companions, parts: Vec<OutfitPart<TreePath>>) {
        for part in parts {
            match part {
                // It is embedded with the model, and has no new information.
                OutfitPart::Record { path, record } => {
                    let is = |part: &Part| part.role == PartRole::Data && part.path.as_ref() == Some(&path);
                    if !self.parts.iter().any(is) {
                        let file = CompanionFile::new(Role::Binding, text_of(path.stem()), record);
                        companions.aside.push(file.with_source(SourceFile::new(&path.text())));
                    }
                    self.parts.push(Part::new(PartRole::Data, &path, PartState::Found));
                }
                OutfitPart::Mesh { path, texture } => {
                    let spelled = |path: TreePath| self.spelled(&path);
                    let texture = texture.map(|(id, found)| found.map_or_else(|| id.tag(), spelled));
                    let before = companions.files.len();
                    self.add(companions, Role::Part, &path);
                    for file in companions.files.iter_mut().skip(before) {
                        file.name = text_of(path.stem());
                        file.texture.clone_from(&texture);
                    }
                }
            }
        }
    }

    /// Finds the game's skeleton that the meshes were made for, if none was named.
    fn skeleton(&mut self, companions: &mut Companions, model: &AnyModel, search: &Search<'_>) {
        let takes = self.format.companions().iter().any(|c| c.role == Role::Skeleton && c.kind == "skel");
        let own = model.character().is_some_and(|c| !c.skeletons.is_empty());
        if !takes || own || companions.has(Role::Skeleton) || matches!(model, AnyModel::TsoSkeleton(_)) {
            return;
        }
        let shapes: Vec<&Geometry> = character::geometries(model, companions).collect();
        let skills = model.character().is_some_and(|c| !c.skills.is_empty());
        if shapes.is_empty() && !skills && !self.format.traits().is_clip {
            return;
        }
        let Some(found) = search.fitting_skeleton(&shapes) else {
            companions.unfit = search.unfit_skeletons(&shapes);
            return;
        };
        self.parts.push(Part::new(PartRole::Companion(Role::Skeleton), &found.path, PartState::Found));
        let file = CompanionFile::new(Role::Skeleton, found.skel.name.text(), found.skel);
        let source = SourceFile::new(&found.path.text());
        let of_records = || {
            let format = Format::from_name(&source.name)?;
            let bytes = self.finder.tree().read(&found.path, &Budget::new(Limits::default())).ok()?;
            let parsed = AnyModel::parse(&bytes, format, &ReadOptions::default()).ok()?;
            Some(parsed).filter(|parsed| parsed.model.character().is_some())
        };
        companions.files.push(match of_records() {
            Some(model) => file.with_record(&Arc::new(source.with_model(model.model)), found.number),
            None => file.with_source(source),
        });
    }
}
