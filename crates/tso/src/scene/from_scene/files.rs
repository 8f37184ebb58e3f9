//! Collects the files of a character: their names and bytes.

use crate::anim::Anim;
use crate::bnd::{Bnd, ResourceId};
use crate::mesh::Mesh;
use crate::outfit::{Apr, Hag, Oft};
use crate::skel::Skel;
use crate::ts1::{Bmf, Cfp, Skn};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{FileFormat, WriteError};
use meshwright_scene::names::{Encoding, NameRules, Names};
use meshwright_scene::{Budget, ConvertError, Image, Naming, OutputFiles};

/// The maximum length of the part of a file's name after the stem.
const LONGEST: usize = 64;

/// The maximum length of the name of a file that a record of a character names.
const LONGEST_IN_RECORD: usize = 200;

/// Collects files whose names begin with a stem.
#[derive(Debug)]
pub(crate) struct Files<'s, 'b> {
    stem: &'s str,
    names: Names<'b>,
    in_records: Names<'b>,
    budget: &'b Budget,
    files: OutputFiles,
}

impl<'s, 'b> Files<'s, 'b> {
    pub(crate) fn new(stem: &'s str, budget: &'b Budget) -> Self {
        let plain =
            |c: char| u8::try_from(c).ok().filter(|b| b.is_ascii_alphanumeric() || b"-_. ".contains(b));
        let names = |longest| {
            let rules = NameRules::new(Encoding::Bytes(plain), longest).with_stand_in(b'_');
            Names::new(rules.unique().ignoring_case(), Naming::Fit, budget)
        };
        let (names, in_records) = (names(LONGEST), names(LONGEST_IN_RECORD));
        Self { stem, names, in_records, budget, files: OutputFiles::default() }
    }

    /// Returns a unique name for a file that a record of a character names: the record has it byte by byte.
    pub(crate) fn name_in_record(&mut self, wanted: &str) -> Result<String, ConvertError> {
        let name = self.in_records.fit(wanted, "", &mut Vec::new())?;
        Ok(String::from_utf8_lossy(&name).into_owned())
    }

    /// Returns a unique name for a file: the stem, and an ending.
    pub(crate) fn name(&mut self, own: &str) -> Result<String, ConvertError> {
        let own = self.names.fit(own, "", &mut Vec::new())?;
        Ok(format!("{}-{}", self.stem, String::from_utf8_lossy(&own).trim_end_matches(['.', ' '])))
    }

    /// Writes a file.
    pub(crate) fn push(&mut self, stem: &str, extension: &str, file: &dyn File) -> Result<(), ConvertError> {
        let name = format!("{stem}.{extension}");
        let size = file.size();
        self.budget.charge("files", size)?;
        let bytes = file.bytes().map_err(|e| ConvertError::unsupported(&*name, format!("{e}")))?;
        // Texts may be longer than was thought.
        self.budget.charge("files", (bytes.len() as u64).saturating_sub(size))?;
        self.files.push(name, bytes);
        Ok(())
    }

    /// Writes a texture under its number.
    pub(crate) fn picture(&mut self, id: &ResourceId, image: &Image) -> Result<(), ConvertError> {
        let extension = if image.mime == "image/jpeg" { "jpg" } else { "png" };
        let name = format!("{}.{}.{extension}", self.stem, id.tag());
        if self.files.get(&name).is_none() {
            self.budget.charge("pictures", image.bytes.len() as u64)?;
            self.files.push(name, image.bytes.to_vec());
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> OutputFiles {
        self.files
    }
}

/// A file that can be written.
pub(crate) trait File {
    /// Estimates its size in bytes.
    fn size(&self) -> u64;
    /// Returns all of them.
    fn bytes(&self) -> Result<Vec<u8>, WriteError>;
}

macro_rules! files {
    ($($ty:ident: |$file:ident| $size:expr;)+) => {$(
        impl File for $ty {
            fn size(&self) -> u64 {
                let $file = self;
                $size
            }

            fn bytes(&self) -> Result<Vec<u8>, WriteError> {
                self.to_bytes()
            }
        }
    )+};
}

files! {
    Mesh: |mesh| mesh.geometry.size();
    Bmf: |bmf| bmf.geometry.size().saturating_add(512);
    // Numbers seldom have more than 19 digits.
    Skn: |skn| skn.geometry.size().saturating_mul(5).saturating_add(512);
    Skel: |skel| skel.size();
    Anim: |anim| anim.size();
    Bnd: |bnd| bnd.end();
    Cfp: |cfp| (cfp.values.len() as u64).saturating_mul(5);
    Apr: |apr| (apr.bindings.len() as u64).saturating_mul(8).saturating_add(16);
    Oft: |_oft| 40;
    Hag: |_hag| 148;
}

/// Returns the extension of files of this kind.
pub(crate) fn extension<T: FileFormat>() -> &'static str {
    T::EXTENSIONS.first().copied().unwrap_or_default()
}
