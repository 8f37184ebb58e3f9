//! The search for the parts of one character, and what it notes.

use super::game_files::{GameFiles, RECORD, split_name};
use super::index::GameIndex;
use super::skin_textures::{SKIN_IMAGES, WornSuits, in_tone, suit_of, texture_names};
use crate::bnd::ResourceId;
use crate::outfit::{Gesture, Tone};
use crate::ts1::{CHOSEN_BY_SUIT, Wear};
use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::Role;

/// The choices for a character that its files leave open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CharacterStyle {
    /// The tone of the skin.
    pub tone: Tone,
    /// The gestures of the right and the left hand.
    pub gestures: [Gesture; 2],
    /// Textures of a person of The Sims 1, which precede those that meshes name.
    pub wear: Vec<Wear>,
}

/// Two files with the same number or name and different contents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateFile<P> {
    /// The file that is used.
    pub taken: P,
    /// The other one.
    pub other: P,
    /// They have the same file and type numbers. Otherwise they have the same name.
    pub by_number: bool,
}

/// Finds the parts of the character that a file names: by names in The Sims 1, by numbers in The Sims Online. A file
/// in the folder of that file precedes others.
#[derive(Debug)]
pub struct CharacterSearch<'g, F: GameFiles> {
    pub(super) files: &'g F,
    pub(super) index: &'g GameIndex<F::Path>,
    pub(super) of: &'g F::Path,
    pub(super) style: &'g CharacterStyle,
    /// Files that were not found, with descriptions.
    pub missing: Vec<(Role, String)>,
    /// Used files with duplicates.
    pub duplicates: Vec<DuplicateFile<F::Path>>,
    /// The files of textures, by the names that [`skin_texture`](Self::skin_texture) returned.
    pub textures: Vec<(String, F::Path)>,
    worn: WornSuits,
}

impl<'g, F: GameFiles> CharacterSearch<'g, F> {
    /// Makes a search for the parts of the file `of`.
    pub fn new(
        files: &'g F,
        index: &'g GameIndex<F::Path>,
        of: &'g F::Path,
        style: &'g CharacterStyle,
    ) -> Self {
        let (missing, duplicates, textures) = (Vec::new(), Vec::new(), Vec::new());
        Self { files, index, of, style, missing, duplicates, textures, worn: WornSuits::default() }
    }

    /// Notes that a file was not found.
    pub(super) fn miss(&mut self, role: Role, what: String) {
        self.missing.push((role, what));
    }

    /// Finds the mesh of a skin.
    pub fn skin_mesh(&mut self, skin: &str) -> Option<F::Path> {
        self.file_of(Role::Part, skin, &["bmf", "skn"], "skn")
    }

    /// Finds the keys of a skill.
    pub fn skill_keys(&mut self, keys: &str) -> Option<F::Path> {
        self.file_of(Role::Keys, keys, &["cfp"], "cfp")
    }

    fn file_of(&mut self, role: Role, stem: &str, extensions: &[&str], usual: &str) -> Option<F::Path> {
        let found = self.beside_or_anywhere(stem, extensions);
        match &found {
            Some(path) => self.note_duplicate(path, None),
            None => self.miss(role, format!("{stem}.{usual}")),
        }
        found
    }

    /// Finds a file by name: first in the folder of the model, then anywhere.
    fn beside_or_anywhere(&self, stem: &str, extensions: &[&str]) -> Option<F::Path> {
        let names = extensions.iter().map(|e| format!("{stem}.{e}"));
        let mut beside = names.filter_map(|name| self.files.find_beside(self.of, &name));
        beside.next().or_else(|| self.index.named(stem, extensions).cloned())
    }

    /// Notes another file with the same number or name but different content.
    pub(super) fn note_duplicate(&mut self, taken: &F::Path, number: Option<&ResourceId>) {
        let other = match number {
            Some(id) => self.index.of_same_number(id, taken),
            None => self.index.of_same_name(self.files.name(taken), taken),
        };
        let Some(other) = other else { return };
        let read = |path| self.files.read(path, RECORD);
        let same_size = self.files.size(taken) == self.files.size(other);
        if same_size && read(taken).is_some_and(|bytes| Some(bytes) == read(other)) {
            return;
        }
        let found = DuplicateFile { taken: taken.clone(), other: other.clone(), by_number: number.is_some() };
        if !self.duplicates.contains(&found) {
            self.duplicates.push(found);
        }
    }

    /// Finds the texture of a skin of The Sims 1, whose mesh names the texture `own`: the one that the person wears,
    /// the named one in the chosen tone, the named one, or the first of its suit. Returns its name.
    pub fn skin_texture(&mut self, skin: &str, own: &str) -> Option<String> {
        let (tone, is_left) = (self.style.tone, own.is_empty() || own.eq_ignore_ascii_case(CHOSEN_BY_SUIT));
        let tried = suit_of(skin).map(|suit| texture_names(suit, tone)).unwrap_or_default();
        let mut worn = core::mem::take(&mut self.worn);
        let is_there = |texture: &str| self.beside_or_anywhere(texture, &SKIN_IMAGES).is_some();
        let given = worn.put_on(&self.style.wear, skin, is_there);
        self.worn = worn;
        let named = |name: &str| Some((name.to_owned(), self.beside_or_anywhere(name, &SKIN_IMAGES)?));
        let of_suit = || {
            let path = tried.iter().find_map(|name| self.index.image(name).cloned())?;
            let name = self.files.name(&path);
            // The name as it is spelled, without the extension.
            let stem = name.get(..split_name(name).0.len()).unwrap_or(name);
            Some((String::from_utf8_lossy(stem).into_owned(), path))
        };
        let own = (!is_left).then_some(own);
        // Light is the default.
        let toned = own.filter(|_| tone != Tone::Light);
        let found = given
            .and_then(|name| named(&name))
            .or_else(|| named(&in_tone(toned?, tone)?))
            .or_else(|| toned.and_then(|_| of_suit()))
            .or_else(|| named(own?))
            .or_else(of_suit);
        let Some((name, path)) = found else {
            if is_left && !tried.is_empty() {
                let tried = tried.join("*.bmp or ");
                self.miss(Role::Part, format!("the image of {skin}, {tried}*.bmp"));
            }
            return None;
        };
        self.note_duplicate(&path, None);
        self.textures.push((name.clone(), path));
        Some(name)
    }

    /// Returns a message for each choice of [`CharacterStyle::wear`] that had no effect so far.
    pub fn unused_wear(&self) -> Vec<String> {
        self.worn.unused(&self.style.wear)
    }
}
