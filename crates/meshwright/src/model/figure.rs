//! Joins several files to one character.

use super::{Model, Part, PartRole, PartState};
use crate::error::{Error, ErrorKind};
use crate::formats::{CompanionFile, Format, SourceFile};
use meshwright_core::{Companion, Role};
#[cfg(feature = "tso")]
use std::sync::Arc;

fn no_file() -> Error {
    Error::new(ErrorKind::NotFound, "usage", "a character needs at least one file")
}

fn declared(lead: Format, other: Format) -> Option<&'static Companion> {
    lead.companions().iter().find(|c| c.kind == other.id() && !c.part_of_reading)
}

/// Returns the index of the main file: the first that accepts parts, otherwise the first of the format that is
/// registered first.
fn lead(formats: &[Format]) -> Option<usize> {
    let order = |f: Format| if f.takes(Role::Part) { None } else { Some(f) };
    (0..formats.len()).min_by_key(|&i| formats.get(i).map(|&f| order(f)))
}

impl Model {
    /// Returns the index of the file that gives a [figure](Self::figure) its name, because the others belong to it. It
    /// is `None` for an empty list.
    pub fn figure_lead(assets: &[Self]) -> Option<usize> {
        lead(&assets.iter().map(Self::format).collect::<Vec<_>>())
    }

    /// Joins several files to one character: meshes, and their skeleton and animations. It gets the name of the first
    /// mesh, otherwise of the skeleton or of the first animation.
    ///
    /// # Errors
    /// If the files do not fit each other.
    pub fn figure(assets: Vec<Self>) -> Result<Self, Error> {
        let lead_index = Self::figure_lead(&assets).ok_or_else(no_file)?;
        let (mut lead, mut others) = (None, Vec::new());
        for (i, asset) in assets.into_iter().enumerate() {
            if i == lead_index { lead = Some(asset) } else { others.push((i, asset)) }
        }
        let mut figure = lead.ok_or_else(no_file)?;
        // Textures of the parts are found with their scene.
        figure.opener.textures &= others.is_empty();
        figure.joined |= !others.is_empty();
        // Meshes come in the order in which they were named.
        for (index, asset) in others {
            figure.take(index, asset)?;
        }
        Ok(figure)
    }

    fn take(&mut self, index: usize, mut other: Self) -> Result<(), Error> {
        let (lead, format) = (self.format(), other.format());
        let Some(companion) = declared(lead, format) else {
            let why = format!("a file of kind {format} cannot belong to this character");
            return Err(Error::new(ErrorKind::Unsupported, "usage", why).of_input(index));
        };
        let role = companion.role;
        self.companions.pictures.append(&mut other.companions.pictures);
        #[cfg(feature = "tso")]
        let other = match self.take_sims(other, role) {
            Some(other) => other,
            None => return Ok(()),
        };
        if !companion.many && self.companions.has(role) {
            let why = format!("a character has only one {}", role.name());
            return Err(Error::new(ErrorKind::Invalid, "usage", why).of_input(index));
        }
        let source = other.source();
        // A file that was already found, such as a skin of a suit, may be named too: it is used once.
        let found = |part: &&mut Part| {
            let own = part.name.rsplit(['/', '\\']).next();
            part.role == PartRole::Companion(role)
                && part.state == PartState::Found
                && own == Some(&source.name)
        };
        let known = |file: &CompanionFile| {
            let own = file.source.as_deref().is_some_and(|own| own.name == source.name);
            own && file.role == role && file.model.to_bytes() == other.model.to_bytes()
        };
        if let Some(part) = self.parts.iter_mut().find(found)
            && self.companions.files.iter().any(known)
        {
            part.state = PartState::Named;
            return Ok(());
        }
        let stem = source.name.split('.').next().unwrap_or_default().to_owned();
        let texture = other.figure_texture();
        self.parts.push(Part::new(PartRole::Companion(role), &other.path, PartState::Named));
        self.take_parts(other.parts);
        // The companions that it names are known now.
        let own = other.companions.files.into_iter().filter(|file| file.role == Role::Binding);
        self.companions.aside.extend(own);
        let file = CompanionFile::new(role, stem, other.model).with_texture(texture);
        self.companions.files.push(file.with_source(source));
        Ok(())
    }

    /// Adds the files of another file of a character. The skeleton that the search found for it is not used.
    fn take_parts(&mut self, parts: Vec<Part>) {
        for part in parts {
            let is_used = !matches!(part.role, PartRole::Model | PartRole::Companion(Role::Skeleton));
            if is_used && part.path.is_some() {
                self.parts.push(part);
            }
        }
    }

    /// Returns the model's file, for companions that come from it.
    pub(super) fn source(&self) -> SourceFile {
        let name = String::from_utf8_lossy(self.path.name());
        SourceFile::new(&name).read(&self.bytes, &self.forgiven)
    }

    /// Adds the companions of another file of a The Sims character: the parts of an outfit, the skeletons and skills
    /// of a file of records. A named skeleton replaces one that was found. Returns the file itself if it is a part.
    #[cfg(feature = "tso")]
    fn take_sims(&mut self, mut other: Self, role: Role) -> Option<Self> {
        use crate::formats::{AnyModel, character};
        let brings = |model: &AnyModel| match model.character() {
            Some(character) => !character.skeletons.is_empty(),
            None => true,
        };
        if role == Role::Skeleton && brings(&other.model) {
            self.companions.unfit.clear();
            let found = |part: &Part| {
                part.role == PartRole::Companion(Role::Skeleton) && part.state == PartState::Found
            };
            if self.parts.iter().any(found) {
                self.parts.retain(|part| !found(part));
                self.companions.files.retain(|file| file.role != Role::Skeleton);
            }
        }
        let worn = other.format().traits().is_outfit;
        if !worn && other.model.character().is_none() {
            return Some(other);
        }
        let mut records = Vec::new();
        if let Some(character) = other.model.character() {
            records.extend(crate::formats::sims_skeletons(character).into_iter().enumerate());
            for (n, anim) in character::skills(character, &other.companions.files) {
                records.push((n, CompanionFile::new(Role::Animation, anim.name.text(), anim)));
            }
        }
        let source = other.source();
        let files = std::mem::take(&mut other.companions.files);
        for file in files {
            match file.role {
                Role::Part => self.companions.files.push(file),
                Role::Keys => self.companions.aside.push(file),
                _ => {}
            }
        }
        self.companions.aside.append(&mut other.companions.aside);
        if records.is_empty() {
            let file = CompanionFile::new(role, other.path.text(), other.model);
            self.companions.aside.push(file.with_source(source));
        } else {
            let source = Arc::new(source.with_model(other.model));
            for (n, file) in records {
                self.companions.files.push(file.with_record(&source, n));
            }
        }
        self.companions.missing.append(&mut other.companions.missing);
        self.companions.duplicates.append(&mut other.companions.duplicates);
        self.parts.push(Part::new(PartRole::Companion(role), &other.path, PartState::Named));
        self.take_parts(other.parts);
        None
    }

    /// Returns the name of the texture of a mesh that becomes part of a character.
    fn figure_texture(&self) -> Option<String> {
        #[cfg(feature = "tso")]
        {
            let bound = self.companions.one::<meshwright_tso::Bnd>().and_then(|bound| bound.texture.as_ref());
            self.companions.texture.clone().or_else(|| bound.map(meshwright_tso::ResourceId::tag))
        }
        #[cfg(not(feature = "tso"))]
        None
    }
}
