//! Searches the whole tree for the parts of a The Sims character: skeletons by name, keys and meshes by the names in
//! records, parts of outfits by number, textures by the game's naming.

use super::opening::{Opening, Worn};
use super::unfit::{FITS, KNOWN, unfit};
use super::{Finder, Model, NamedFile, Part, PartRole, PartState};
use crate::error::Error;
use crate::formats::{
    AnyModel, CompanionFile, Companions, Doubled, Origin, ReadSettings, SourceFile, character,
};
use meshwright_core::{Budget, Limits, Role};
use meshwright_files::TreePath;
use meshwright_scene::Loss;
use meshwright_tso::{
    Anim, Apr, Bcf, Bnd, Character, Cmx, FileRef, Geometry, Hag, Name, Oft, Po, Region, Side, Skel, Wear,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The maximum number of files that are searched for a skeleton.
const MOST_SKELETONS: usize = 64;
/// The maximum number of unfit skeletons next to a mesh that are reported.
const MOST_UNFIT: usize = 4;
/// The memory for a record or a skeleton.
const RECORD: u64 = 4 << 20;

/// Returns the texture names to try for a skin of The Sims 1 whose file names none, by its suit.
fn pictures_of(suit: &str, tone: &str) -> Vec<String> {
    let code = suit.split('_').next().unwrap_or_default().to_ascii_lowercase();
    let letters: Vec<char> = code.chars().collect();
    if let ['h', sex @ ('u' | 'm' | 'f'), 'l' | 'r', gesture @ ('o' | 'p' | 'c')] = letters.as_slice() {
        return vec![format!("h{sex}a{gesture}{tone}"), format!("{suit}{tone}")];
    }
    let mut names = vec![format!("{code}{tone}_")];
    let ages = code.get(4..6).unwrap_or_default();
    // Children of both sexes share clothes.
    let others: &[&str] = match ages {
        "fc" | "mc" => &["uc"],
        "uc" => &["fc", "mc"],
        _ => &[],
    };
    if let (Some(before), Some(behind)) = (code.get(..4), code.get(6..)) {
        names.extend(others.iter().map(|age| format!("{before}{age}{behind}{tone}_")));
    }
    names
}

/// Returns the suit in the name of a skin: `xskin-<suit>-<bone>-<part>`.
fn suit_of(skin: &str) -> Option<&str> {
    let rest = skin.get(6..).filter(|_| skin.get(..6).is_some_and(|p| p.eq_ignore_ascii_case("xskin-")))?;
    rest.split('-').next()
}

/// Returns the name of a texture in another skin tone, or `None` for a name without a tone.
fn in_tone(texture: &str, tone: &str) -> Option<String> {
    let lower = texture.to_ascii_lowercase();
    let at = ["lgt", "med", "drk"].iter().find_map(|tone| lower.find(tone))?;
    let (before, after) = (texture.get(..at)?, texture.get(at.checked_add(3)?..)?);
    Some(format!("{before}{tone}{after}"))
}

impl Worn {
    /// Returns the texture for a skin, and records whether it exists.
    fn put_on(&mut self, wear: &[Wear], skin: &str, is_there: impl Fn(&str) -> bool) -> Option<String> {
        let suit = suit_of(skin).unwrap_or_default();
        let mut given = None;
        for (number, worn) in wear.iter().enumerate().filter(|(_, worn)| worn.suit.eq_ignore_ascii_case(suit))
        {
            self.suits.insert(number);
            let Some(texture) = worn.texture(skin) else { continue };
            let place = worn.textures.iter().position(|(_, known)| std::ptr::eq(known.as_str(), texture));
            let found = is_there(texture);
            self.textures.insert((number, place.unwrap_or(0)), found);
            given = given.or_else(|| found.then(|| texture.to_owned()));
        }
        given
    }

    /// Returns losses for options that had no effect.
    fn unused(&self, wear: &[Wear]) -> Vec<Loss> {
        let mut losses = Vec::new();
        let mut lose = |message: String| losses.push(Loss::new("wear-unused", "wear", message));
        for (number, worn) in wear.iter().enumerate() {
            if !self.suits.contains(&number) {
                lose(format!("the model has no suit {}", worn.suit));
                continue;
            }
            for (place, (skin, texture)) in worn.textures.iter().enumerate() {
                match self.textures.get(&(number, place)) {
                    None => lose(format!("the suit {} has no skin {skin}", worn.suit)),
                    Some(false) => lose(format!("texture {texture} not found")),
                    Some(true) => {}
                }
            }
        }
        losses
    }
}

/// Returns a skin tone as it is in names of The Sims 1.
const fn tone(tone: meshwright_tso::Tone) -> &'static str {
    match tone {
        meshwright_tso::Tone::Light => "lgt",
        meshwright_tso::Tone::Medium => "med",
        meshwright_tso::Tone::Dark => "drk",
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the settings for keys with these numbers of translations and rotations.
pub(super) fn with_counts(settings: ReadSettings, (translations, rotations): (u32, u32)) -> ReadSettings {
    settings.with_setting("counts", format!("{translations},{rotations}"))
}

impl Finder {
    /// Returns the numbers of translations and rotations that a skill of the tree states for the keys of a name.
    fn key_counts(&self, stem: &[u8]) -> Option<(u32, u32)> {
        let known = self.skills(|| {
            let mut known = BTreeMap::new();
            for path in &self.sims_index().records {
                let budget = Budget::new(Limits::default().with_memory(RECORD));
                let bytes = self.tree().read(path, &budget).unwrap_or_default();
                let model = records(path, &bytes);
                for skill in model.iter().filter_map(AnyModel::character).flat_map(|c| &c.skills) {
                    let name = skill.keys.text().to_lowercase();
                    known.entry(name).or_insert((skill.translations, skill.rotations));
                }
            }
            known
        });
        known.get(&text_of(stem).to_lowercase()).copied()
    }
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

impl Opening<'_> {
    fn record(&self, path: &TreePath) -> Option<Vec<u8>> {
        let budget = Budget::new(Limits::default().with_memory(RECORD));
        self.finder.tree().read(path, &budget).ok().map(std::borrow::Cow::into_owned)
    }

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
        if let Some(character) = model.character() {
            self.keys(companions, character)?;
            self.suits(companions, character);
        }
        match model {
            AnyModel::Oft(outfit) => self.outfit(companions, outfit),
            AnyModel::Apr(look) => self.look(companions, "part", look),
            AnyModel::Po(sold) => self.sold(companions, sold),
            AnyModel::Skn(m) => self.suited(companions, &m.texture.text()),
            AnyModel::Bmf(m) => self.suited(companions, &m.texture.text()),
            AnyModel::Cfp(_) if self.key_counts().is_none() => {
                let name = text_of(self.path.stem());
                companions.missing.push((Role::Animation, format!("a .cmx or .bcf that names {name}")));
            }
            _ => {}
        }
        self.skeleton(companions, model);
        let has_skins = matches!(model, AnyModel::Skn(_) | AnyModel::Bmf(_))
            || model.character().is_some_and(|character| !character.suits.is_empty());
        if has_skins {
            self.losses.extend(self.worn.unused(&self.options.wear));
        }
        Ok(())
    }

    /// Returns the numbers of translations and rotations in the skill of a file of keys; `None` if no skill of the tree names
    /// the file.
    pub(super) fn key_counts(&self) -> Option<(u32, u32)> {
        self.finder.key_counts(self.path.stem())
    }

    /// Finds the keys of skills, by the names in the skills.
    fn keys(&mut self, companions: &mut Companions, character: &Character) -> Result<(), Error> {
        for skill in &character.skills {
            let name = skill.keys.text();
            if crate::formats::sims_keys(&companions.files, &skill.keys).is_some() {
                continue;
            }
            match self.beside_or_anywhere(&name, &["cfp"]) {
                Some(path) => {
                    self.doubled(companions, &path, None);
                    self.skill_keys(companions, &path, (skill.translations, skill.rotations))?;
                }
                None => companions.missing.push((Role::Keys, format!("{name}.cfp"))),
            }
        }
        Ok(())
    }

    /// Reads the keys of a skill, which states their number: without it, a truncated file of keys looks complete.
    fn skill_keys(
        &mut self,
        companions: &mut Companions,
        path: &TreePath,
        counts: (u32, u32),
    ) -> Result<(), Error> {
        let unreadable = |error| Error::from(error).of_file(path.to_string());
        let bytes = self.finder.read(path, self.options).map_err(unreadable)?;
        let settings = with_counts(self.options.settings.clone(), counts);
        let added = companions.add(self.format, Role::Keys, path.to_string(), &bytes, &settings);
        added.map_err(|e| Error::from(e).of_file(path.to_string()))?;
        self.parts.push(Part::new(PartRole::Companion(Role::Keys), path, PartState::Found));
        Ok(())
    }

    /// Finds the meshes of suits.
    fn suits(&mut self, companions: &mut Companions, character: &Character) {
        for suit in &character.suits {
            for skin in &suit.skins {
                let name = skin.skin.text();
                // Only the game draws censor boxes.
                let Some(path) = self.beside_or_anywhere(&name, &["bmf", "skn"]) else {
                    companions.missing.push((Role::Part, format!("{name}.skn")));
                    continue;
                };
                self.doubled(companions, &path, None);
                let before = companions.files.len();
                self.add(companions, Role::Part, &path);
                let own = companions.files.get(before).and_then(|file| character::texture_of(&file.model));
                let texture = own.and_then(|own| self.picture(companions, &name, &own));
                for file in companions.files.iter_mut().skip(before) {
                    file.name.clone_from(&name);
                    file.texture.clone_from(&texture);
                }
            }
        }
    }

    /// Records another file with the same number or name but different content.
    fn doubled(&self, companions: &mut Companions, taken: &TreePath, number: Option<(u32, u32)>) {
        let census = self.finder.sims_index();
        let other = match number {
            Some(number) => census.of_same_number(number, taken),
            None => census.of_same_name(taken),
        };
        let Some(other) = other else { return };
        let sizes = [taken, other].map(|path| self.finder.tree().size(path));
        let alike = sizes[0] == sizes[1] && self.record(taken).is_some_and(|a| Some(a) == self.record(other));
        let found = Doubled::new(taken.to_string(), other.to_string(), number.is_some());
        if !alike && !companions.doubled.contains(&found) {
            companions.doubled.push(found);
        }
    }

    /// Finds a file by name: first in the model's folder, then anywhere in the tree.
    fn beside_or_anywhere(&self, stem: &str, extensions: &[&str]) -> Option<TreePath> {
        let folder = self.path.parent();
        let names = extensions.iter().map(|e| format!("{stem}.{e}"));
        let mut beside =
            names.filter_map(|name| self.finder.tree().find(folder.join(name.as_bytes()).ok()?).ok()?);
        beside.next().or_else(|| self.finder.sims_index().file(stem, extensions).cloned())
    }

    /// Returns the texture name of a skin of The Sims 1: the one that the person wears, the one that its mesh names, in
    /// the chosen tone, or the first of its suit. It records where the texture was found; for a missing one, it records
    /// the names that were tried.
    fn picture(&mut self, companions: &mut Companions, skin: &str, own: &str) -> Option<String> {
        const EXTENSIONS: [&str; 2] = ["bmp", "tga"];
        let left = own.is_empty() || own.eq_ignore_ascii_case(character::CHOSEN_BY_SUIT);
        let tried = suit_of(skin).map(|suit| pictures_of(suit, tone(self.options.tone))).unwrap_or_default();
        let mut worn = std::mem::take(&mut self.worn);
        let is_there = |texture: &str| self.beside_or_anywhere(texture, &EXTENSIONS).is_some();
        let given = worn.put_on(&self.options.wear, skin, is_there);
        self.worn = worn;
        let named = |name: &str| Some((name.to_owned(), self.beside_or_anywhere(name, &EXTENSIONS)?));
        let of_suit = || {
            let path = tried.iter().find_map(|name| self.finder.sims_index().picture(name).cloned())?;
            Some((text_of(path.stem()), path))
        };
        let own = (!left).then_some(own);
        // Light is the default.
        let toned = own.filter(|_| self.options.tone != meshwright_tso::Tone::Light);
        let found = given
            .and_then(|name| named(&name))
            .or_else(|| named(&in_tone(toned?, tone(self.options.tone))?))
            .or_else(|| toned.and_then(|_| of_suit()))
            .or_else(|| named(own?))
            .or_else(of_suit);
        let Some((name, path)) = found else {
            if left && !tried.is_empty() {
                let tried = tried.iter().map(|name| format!("{name}*.bmp")).collect::<Vec<_>>();
                companions.missing.push((Role::Part, format!("the image of {skin}, {}", tried.join(" or "))));
            }
            return None;
        };
        self.doubled(companions, &path, None);
        companions.pictures.insert(name.clone(), path.to_string());
        Some(name)
    }

    /// Finds the texture of a mesh of The Sims 1.
    fn suited(&mut self, companions: &mut Companions, own: &str) {
        if companions.texture.is_none() {
            companions.texture = self.picture(companions, &text_of(self.path.stem()), own);
        }
    }

    /// Returns the path of a file by its number; a missing one is reported.
    fn numbered(&self, companions: &mut Companions, what: &str, file: u32, kind: u32) -> Option<TreePath> {
        let found = self.finder.sims_index().numbered.get(&(file, kind)).cloned();
        match &found {
            Some(path) => self.doubled(companions, path, Some((file, kind))),
            None => companions.missing.push((Role::Part, format!("{what} {file:08x}{kind:08x}"))),
        }
        found
    }

    /// Adds a record between the model and its meshes. It is embedded with the model, and has no new information.
    fn data(&mut self, companions: &mut Companions, path: &TreePath, record: impl Into<AnyModel>) {
        let is = |part: &Part| part.role == PartRole::Data && part.path.as_ref() == Some(path);
        if !self.parts.iter().any(is) {
            let file = CompanionFile::new(Role::Binding, text_of(path.stem()), record);
            companions.aside.push(file.with_source(SourceFile::new(&path.text())));
        }
        self.parts.push(Part::new(PartRole::Data, path, PartState::Found));
    }

    fn outfit(&mut self, companions: &mut Companions, outfit: &Oft) {
        let role = if outfit.region == Region::BODY { "body" } else { "head" };
        let look = outfit.appearances.get(self.options.tone as usize).copied().unwrap_or_default();
        self.appearance(companions, role, look);
        if outfit.region != Region::BODY || outfit.hands == 0 {
            return;
        }
        let Some(path) = self.numbered(companions, "hands", outfit.hands, 18) else { return };
        let Some(hands) = self.record(&path).and_then(|bytes| Hag::parse(&bytes).ok()) else {
            companions.missing.push((Role::Part, format!("{path} is not a group of hands")));
            return;
        };
        self.data(companions, &path, hands.clone());
        for (side, role) in [(Side::Right, "right hand"), (Side::Left, "left hand")] {
            let [of_right, of_left] = self.options.gestures;
            let gesture = if side == Side::Left { of_left } else { of_right };
            self.appearance(companions, role, hands.get(self.options.tone, side, gesture));
        }
    }

    fn sold(&mut self, companions: &mut Companions, sold: &Po) {
        let Some(id) = sold.outfit else { return };
        let Some(path) = self.numbered(companions, "outfit", id.file, id.kind) else { return };
        let outfit = self.record(&path).and_then(|bytes| Oft::parse(&bytes).ok());
        match outfit {
            Some(outfit) => {
                self.data(companions, &path, outfit.clone());
                self.outfit(companions, &outfit);
            }
            None => companions.missing.push((Role::Part, format!("{path} is not an outfit"))),
        }
    }

    fn appearance(&mut self, companions: &mut Companions, role: &str, look: FileRef) {
        let Some(id) = look.id() else { return };
        let Some(path) = self.numbered(companions, &format!("{role} appearance"), id.file, 12) else {
            return;
        };
        match self.record(&path).and_then(|bytes| Apr::parse(&bytes).ok()) {
            Some(look) => {
                self.data(companions, &path, look.clone());
                self.look(companions, role, &look);
            }
            None => companions.missing.push((Role::Part, format!("{path} is not an appearance"))),
        }
    }

    /// Finds every mesh of an appearance with its texture.
    fn look(&mut self, companions: &mut Companions, role: &str, look: &Apr) {
        for binding in &look.bindings {
            let what = format!("{role} binding");
            let Some(path) = self.numbered(companions, &what, binding.file, 11) else { continue };
            let bound = self.record(&path).and_then(|bytes| Bnd::parse(&bytes).ok());
            let Some((bound, mesh)) = bound.and_then(|bound| Some((bound.mesh?, bound))).map(|(m, b)| (b, m))
            else {
                companions.missing.push((Role::Part, format!("the mesh of {path}")));
                continue;
            };
            self.data(companions, &path, bound.clone());
            let what = format!("{role} mesh");
            let Some(mesh) = self.numbered(companions, &what, mesh.file, mesh.kind) else { continue };
            let texture = bound.texture.map(|id| {
                let found = self.numbered(companions, &format!("{role} texture"), id.file, id.kind);
                found.map_or_else(|| id.tag(), |path| self.spelled(&path))
            });
            let before = companions.files.len();
            self.add(companions, Role::Part, &mesh);
            for file in companions.files.iter_mut().skip(before) {
                file.name = text_of(mesh.stem());
                file.texture.clone_from(&texture);
            }
        }
    }

    /// Finds the game's skeleton that the meshes were made for, if none was named.
    fn skeleton(&mut self, companions: &mut Companions, model: &AnyModel) {
        let takes = self.format.companions().iter().any(|c| c.role == Role::Skeleton && c.kind == "skel");
        let own = model.character().is_some_and(|c| !c.skeletons.is_empty());
        if !takes || own || companions.has(Role::Skeleton) || matches!(model, AnyModel::TsoSkeleton(_)) {
            return;
        }
        let shapes: Vec<&Geometry> = character::geometries(model, companions).collect();
        let skills = model.character().is_some_and(|c| !c.skills.is_empty());
        let moves = skills || matches!(model, AnyModel::TsoAnimation(_));
        if shapes.is_empty() && !moves {
            return;
        }
        let child = character::is_child(&text_of(self.path.stem()));
        if let Some((path, number, skel)) = self.fitting(&shapes, child) {
            self.parts.push(Part::new(PartRole::Companion(Role::Skeleton), &path, PartState::Found));
            let file = CompanionFile::new(Role::Skeleton, skel.name.text(), skel);
            let source = SourceFile::new(&path.text());
            companions.files.push(match self.record(&path).and_then(|bytes| records(&path, &bytes)) {
                Some(model) => file.with_record(&Arc::new(source.with_model(model)), number),
                None => file.with_source(source),
            });
        } else {
            companions.unfit = self.unfit_skeletons(&shapes, child);
        }
    }

    /// Returns the skeletons next to a mesh of several bones that are not used for it, with the reasons.
    fn unfit_skeletons(&self, shapes: &[&Geometry], child: bool) -> Vec<(String, String)> {
        let bones = shapes.iter().flat_map(|shape| shape.bones.iter().map(Name::text));
        if bones.collect::<BTreeSet<_>>().len() < 2 {
            return Vec::new();
        }
        let all = self.finder.sims_index().skeletons.iter().take(MOST_SKELETONS);
        let beside = all.filter(|path| path.parent() == self.path.parent()).take(MOST_UNFIT);
        let reason = |path: &TreePath| {
            let found = self.record(path).map(|bytes| skeletons(path, &bytes)).unwrap_or_default();
            let why = match found.first() {
                Some(skel) => unfit(shapes, skel, skeleton_for(child)),
                None => "it holds no readable skeleton".to_owned(),
            };
            (text_of(path.name()), why)
        };
        beside.map(reason).collect()
    }

    /// Returns the skeleton whose rest pose fits the blend vertices of the meshes best, with its index in its file.
    /// Without blend vertices, it is the one of an adult or a child, by the file's name, if it has all bones.
    fn fitting(&self, shapes: &[&Geometry], child: bool) -> Option<(TreePath, usize, Skel)> {
        let wanted = skeleton_for(child);
        let mut best: Option<(f64, (TreePath, usize, Skel))> = None;
        for path in self.finder.sims_index().skeletons.iter().take(MOST_SKELETONS) {
            let Some(bytes) = self.record(path) else { continue };
            for (number, skel) in skeletons(path, &bytes).into_iter().enumerate() {
                let name = skel.name.text().to_ascii_lowercase();
                let misfit = shapes.iter().filter_map(|g| g.misfit(&skel)).reduce(f64::max);
                let complete = || shapes.iter().all(|g| skel.find_all(&g.bones).iter().all(Option::is_some));
                let fit = match misfit {
                    Some(misfit) if misfit <= FITS => misfit,
                    None if name == wanted && complete() => 0.0,
                    _ => continue,
                };
                if KNOWN.contains(&name.as_str()) && best.as_ref().is_none_or(|(least, ..)| fit < *least) {
                    best = Some((fit, (path.clone(), number, skel)));
                }
            }
        }
        best.map(|(_, found)| found)
    }
}

/// Returns the skeleton that a person's mesh takes.
const fn skeleton_for(child: bool) -> &'static str {
    if child { "child" } else { "adult" }
}

/// Returns a file of records.
fn records(path: &TreePath, bytes: &[u8]) -> Option<AnyModel> {
    match &*path.extension().to_ascii_lowercase() {
        b"cmx" => Cmx::parse(bytes).ok().map(AnyModel::from),
        b"bcf" => Bcf::parse(bytes).ok().map(AnyModel::from),
        _ => None,
    }
}

/// Returns the skeletons of a file.
fn skeletons(path: &TreePath, bytes: &[u8]) -> Vec<Skel> {
    let of = |c: Character| c.skeletons.iter().map(meshwright_tso::CharacterSkeleton::to_skel).collect();
    match &*path.extension().to_ascii_lowercase() {
        b"cmx" => Cmx::parse(bytes).map(|m| of(m.character)).unwrap_or_default(),
        b"bcf" => Bcf::parse(bytes).map(|m| of(m.character)).unwrap_or_default(),
        _ => Skel::parse(bytes).map(|m| vec![m]).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_are_called_by_the_suit() {
        let first = |suit: &str| pictures_of(suit, "lgt");
        assert_eq!(first("b001fafit_01"), ["b001fafitlgt_"]);
        assert_eq!(first("b002fcchd_01"), ["b002fcchdlgt_", "b002ucchdlgt_"]);
        assert_eq!(first("B002UCChd_01"), ["b002ucchdlgt_", "b002fcchdlgt_", "b002mcchdlgt_"]);
        assert_eq!(first("hulc"), ["huaclgt", "hulclgt"]);
        assert_eq!(suit_of("xskin-b001fafit_01-PELVIS-BODY"), Some("b001fafit_01"));
        assert_eq!(suit_of("flag"), None);
        assert_eq!(in_tone("B001FAFitlgt_Shannon01", "drk").unwrap(), "B001FAFitdrk_Shannon01");
        assert_eq!(in_tone("nerdspecs", "drk"), None);
    }

    #[test]
    fn wear_without_effect_is_reported() {
        let wear: Vec<Wear> = ["b001,BODY=there,HEAD=gone,FOOT=there", "other,BODY=there"]
            .iter()
            .flat_map(|text| Wear::parse(text))
            .collect();
        let mut worn = Worn::default();
        let given = ["xskin-b001-PELVIS-BODY", "xskin-b001-HEAD-HEAD"]
            .map(|skin| worn.put_on(&wear, skin, |texture| texture == "there"));
        assert_eq!(given, [Some("there".to_owned()), None]);
        let losses: Vec<_> = worn.unused(&wear).into_iter().map(|loss| loss.message).collect();
        assert_eq!(
            losses,
            ["texture gone not found", "the suit b001 has no skin FOOT", "the model has no suit other"]
        );
    }
}
