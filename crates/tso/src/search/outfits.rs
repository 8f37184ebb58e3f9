//! Follows the numbers of The Sims Online from an outfit to meshes and textures.

use super::game_files::{GameFiles, RECORD};
use super::state::CharacterSearch;
use crate::bnd::{Bnd, ResourceId};
use crate::outfit::model::kinds;
use crate::outfit::{Apr, FileRef, Hag, Oft, Po, Region, Side};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::Role;

/// A file that an outfit leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum OutfitPart<P> {
    /// A record between the outfit and its meshes.
    Record {
        /// Its file.
        path: P,
        /// Its content.
        record: OutfitRecord,
    },
    /// A mesh.
    Mesh {
        /// Its file.
        path: P,
        /// The number of its texture, and the file if it was found.
        texture: Option<(ResourceId, Option<P>)>,
    },
}

/// A record between an outfit and its meshes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutfitRecord {
    /// The outfit of an item for sale.
    Outfit(Oft),
    /// The appearance of a tone.
    Appearance(Apr),
    /// The hands of a body.
    Hands(Hag),
    /// The mesh and texture of an appearance.
    Binding(Bnd),
}

impl<F: GameFiles> CharacterSearch<'_, F> {
    /// Returns the parts of an outfit, in the order in which it names them.
    pub fn outfit_parts(&mut self, outfit: &Oft) -> Vec<OutfitPart<F::Path>> {
        let mut parts = Vec::new();
        self.outfit(outfit, &mut parts);
        parts
    }

    /// Returns the parts of an item for sale.
    pub fn item_parts(&mut self, item: &Po) -> Vec<OutfitPart<F::Path>> {
        let mut parts = Vec::new();
        if let Some(id) = item.outfit
            && let Some((path, outfit)) =
                self.record("outfit", &id, "an outfit", |bytes| Oft::parse(bytes).ok())
        {
            parts.push(OutfitPart::Record { path, record: OutfitRecord::Outfit(outfit.clone()) });
            self.outfit(&outfit, &mut parts);
        }
        parts
    }

    /// Returns the parts of an appearance.
    pub fn appearance_parts(&mut self, look: &Apr) -> Vec<OutfitPart<F::Path>> {
        let mut parts = Vec::new();
        self.bindings("part", look, &mut parts);
        parts
    }

    /// Finds a file by its number.
    fn numbered(&mut self, what: &str, id: &ResourceId) -> Option<F::Path> {
        let found = self.index.numbered(id).cloned();
        match &found {
            Some(path) => self.note_duplicate(path, Some(id)),
            None => self.miss(Role::Part, format!("{what} {}", id.tag())),
        }
        found
    }

    /// Finds a record by its number, and reads it.
    fn record<T>(
        &mut self,
        what: &str,
        id: &ResourceId,
        kind: &str,
        parse: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Option<(F::Path, T)> {
        let path = self.numbered(what, id)?;
        let record = self.files.read(&path, RECORD).and_then(|bytes| parse(&bytes));
        if record.is_none() {
            self.miss(Role::Part, format!("{path} is not {kind}"));
        }
        Some((path, record?))
    }

    fn outfit(&mut self, outfit: &Oft, parts: &mut Vec<OutfitPart<F::Path>>) {
        let (tone, is_body) = (self.style.tone, outfit.region == Region::BODY);
        let look = outfit.appearances.get(tone as usize).copied().unwrap_or_default();
        self.appearance(if is_body { "body" } else { "head" }, look, parts);
        if !is_body || outfit.hands == 0 {
            return;
        }
        let id = ResourceId { group: 0, file: outfit.hands, kind: kinds::HANDS };
        let parse = |bytes: &[u8]| Hag::parse(bytes).ok();
        let Some((path, hands)) = self.record("hands", &id, "a group of hands", parse) else { return };
        parts.push(OutfitPart::Record { path, record: OutfitRecord::Hands(hands.clone()) });
        let [of_right, of_left] = self.style.gestures;
        for (side, gesture, role) in
            [(Side::Right, of_right, "right hand"), (Side::Left, of_left, "left hand")]
        {
            self.appearance(role, hands.get(tone, side, gesture), parts);
        }
    }

    fn appearance(&mut self, role: &str, look: FileRef, parts: &mut Vec<OutfitPart<F::Path>>) {
        let Some(id) = look.id().map(|id| ResourceId { kind: kinds::APPEARANCE, ..id }) else { return };
        let parse = |bytes: &[u8]| Apr::parse(bytes).ok();
        let Some((path, look)) = self.record(&format!("{role} appearance"), &id, "an appearance", parse)
        else {
            return;
        };
        parts.push(OutfitPart::Record { path, record: OutfitRecord::Appearance(look.clone()) });
        self.bindings(role, &look, parts);
    }

    /// Finds every mesh of an appearance with its texture.
    fn bindings(&mut self, role: &str, look: &Apr, parts: &mut Vec<OutfitPart<F::Path>>) {
        for binding in &look.bindings {
            let id = ResourceId { group: 0, file: binding.file, kind: kinds::BINDING };
            let Some(path) = self.numbered(&format!("{role} binding"), &id) else { continue };
            let bound = self.files.read(&path, RECORD).and_then(|bytes| Bnd::parse(&bytes).ok());
            let Some((mesh, bound)) = bound.and_then(|bound| Some((bound.mesh?, bound))) else {
                self.miss(Role::Part, format!("the mesh of {path}"));
                continue;
            };
            let texture = bound.texture;
            parts.push(OutfitPart::Record { path, record: OutfitRecord::Binding(bound) });
            let Some(path) = self.numbered(&format!("{role} mesh"), &mesh) else { continue };
            let texture = texture.map(|id| (id, self.numbered(&format!("{role} texture"), &id)));
            parts.push(OutfitPart::Mesh { path, texture });
        }
    }
}
