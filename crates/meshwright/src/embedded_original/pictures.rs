//! Fingerprints of exported textures, to detect edited ones.

use super::fields::{Fields, Value, hash, text_of_hash};
use crate::formats::further_textures;
use meshwright_core::SortedSet;
use meshwright_edit::is_palette;
use meshwright_scene::{Budget, Extra, Image, LimitExceeded, Marks, Material, Scene, Variant};

/// The field of a record that stores the fingerprints, and its fields.
const PICTURES: &str = "pictures";
const FILE: &str = "sha256";
const PIXELS: &str = "pixels";
/// The field of a fingerprint with those of the further textures, by the suffix of their files.
const FURTHER: &str = "further";
const SUFFIX: &str = "suffix";

/// The field of a record that holds the looks of the export, and its fields.
const LOOKS: &str = "looks";
const NAME: &str = "name";
const MATERIALS: &str = "materials";

/// The known facts about the textures and looks of an original, as its record stores them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pictures {
    /// The hashes of the textures of each material; `None` if it is unknown whether it has some.
    prints: Vec<Option<Extra>>,
    /// The name of each look, and the numbers of its materials in the export.
    looks: Vec<Extra>,
}

/// Returns a hash of the size and the pixels of an image, or `None` if this build cannot decode it.
fn pixels(image: &Image, budget: &Budget) -> Option<String> {
    #[cfg(feature = "textures")]
    {
        use crate::pixels::{Allowance, Kind, decode};
        use sha2::{Digest as _, Sha256};
        let charge = |_: u32, _: u32, bytes: u64| budget.charge("pictures", bytes);
        let allowance = Allowance { memory: budget.remaining(), charge: &charge };
        let picture = decode(&image.bytes, Kind::of_mime(image.mime), &allowance).ok()?;
        let mut hash = Sha256::new();
        [picture.width, picture.height].iter().for_each(|side| hash.update(side.to_le_bytes()));
        hash.update(picture.to_rgba().as_flattened());
        Some(text_of_hash(hash.finalize()))
    }
    #[cfg(not(feature = "textures"))]
    {
        let _ = (image, budget);
        None
    }
}

/// Returns the hashes of an image: of its file, and of its pixels if this build can decode it.
fn print(image: &Image, budget: &Budget) -> Fields {
    let mut hashes = vec![(FILE.into(), hash(&image.bytes).into())];
    hashes.extend(pixels(image, budget).map(|pixels| (PIXELS.into(), pixels.into())));
    hashes
}

/// Returns the hashes of the texture of a material, and those of its further textures.
fn prints(material: &Material, budget: &Budget) -> Extra {
    let mut further = Vec::new();
    for (image, suffix) in further_textures(material) {
        let mut fields = vec![(SUFFIX.into(), suffix.into()), (NAME.into(), image.name.as_str().into())];
        fields.extend(print(image, budget));
        further.push(Extra::Map(fields));
    }
    let mut all = material.image.as_ref().map(|image| print(image, budget)).unwrap_or_default();
    if !further.is_empty() {
        all.push((FURTHER.into(), Extra::List(further)));
    }
    Extra::Map(all)
}

/// Returns true if an image differs from the one with these hashes. An undecodable image counts as equal.
fn differs(print: Value<'_>, image: &Image, budget: &Budget) -> bool {
    let Some(file) = print.get(FILE).text() else { return true };
    let other = || print.get(PIXELS).text().zip(pixels(image, budget));
    file != hash(&image.bytes) && other().is_some_and(|(was, is)| was != is)
}

/// Returns true if a texture has the colours of a player mixed in.
fn is_colored(prints: Value<'_>) -> bool {
    prints.get(FURTHER).items().any(|item| item.get(SUFFIX).text() == Some(""))
}

/// Returns the edited further textures of a material, under the names of their files. Without a mark, the material may
/// be that of another look with the same name, so that the images need their names.
fn changed_further(prints: Value<'_>, edited: &Material, is_marked: bool, budget: &Budget) -> Vec<Image> {
    let changed = |(image, suffix): (&Image, &str)| {
        let print = prints.get(FURTHER).items().find(|item| item.get(SUFFIX).text() == Some(suffix))?;
        let name = print.get(NAME).text()?;
        let is_it = is_marked || image.name == *name;
        (is_it && differs(print, image, budget)).then(|| {
            let mut image = image.clone();
            name.clone_into(&mut image.name);
            image
        })
    };
    further_textures(edited).into_iter().filter_map(changed).collect()
}

/// Returns the look of a variant; `number` gives the number of a material in the export.
fn look(variant: &Variant, number: impl Fn(usize) -> Option<usize>) -> Extra {
    let materials = variant.materials.iter().filter_map(|(_, material)| number(material.0));
    let materials: SortedSet<i64> = materials.filter_map(|n| i64::try_from(n).ok()).collect();
    let name = (NAME.to_owned(), variant.name.as_str().into());
    let materials = Extra::List(materials.into_iter().map(Extra::Int).collect());
    Extra::Map(vec![name, (MATERIALS.to_owned(), materials)])
}

/// Returns the size of a value in bytes.
fn size(value: &Extra) -> usize {
    let own = match value {
        Extra::Text(text) => text.len(),
        Extra::List(items) => items.iter().map(size).fold(0, usize::saturating_add),
        Extra::Map(fields) => {
            let field = |(name, value): &(String, Extra)| name.len().saturating_add(size(value));
            fields.iter().map(field).fold(0, usize::saturating_add)
        }
        _ => 0,
    };
    own.saturating_add(size_of::<(String, Extra)>())
}

/// Returns the number that a material of an edited scene had in the export.
fn number(marks: &Marks, edited: usize) -> Option<usize> {
    marks.materials.get(edited).and_then(Option::as_ref).map(|mark| mark.index)
}

impl Pictures {
    /// Computes the fingerprints of the textures that were found for an original. Other textures are unknown.
    pub(super) fn from_scene(scene: &Scene, budget: &Budget) -> Self {
        let print = |m: &Material| m.image.as_ref().map(|_| prints(m, budget));
        let looks = scene.variants.iter().map(|variant| look(variant, Some)).collect();
        Self { prints: scene.materials.iter().map(print).collect(), looks }
    }

    /// Reads the fingerprints from a record.
    pub(super) fn read(record: Value<'_>, budget: &Budget) -> Result<Self, LimitExceeded> {
        let list = |field: &str| -> Result<Vec<Extra>, LimitExceeded> {
            let Some(list) = record.get(field).0 else { return Ok(Vec::new()) };
            budget.charge_items("pictures", size(list) as u64, 2)?;
            Ok(list.items().to_vec())
        };
        Ok(Self { prints: list(PICTURES)?.into_iter().map(Some).collect(), looks: list(LOOKS)? })
    }

    /// Returns the names of the looks of an edited scene that differ from those of the export. A scene without looks was
    /// not edited: many editors drop all of them.
    pub(super) fn new_looks(&self, edited: &Scene, marks: &Marks) -> Vec<String> {
        let is_known = |variant: &&Variant| {
            let look = look(variant, |e| number(marks, e));
            // Tools may drop the numbers of materials.
            let is_bare = look.get(MATERIALS).is_none_or(|list| list.items().is_empty());
            let same = |field: &str, known: &Extra| known.get(field) == look.get(field);
            self.looks.iter().any(|known| same(NAME, known) && (is_bare || same(MATERIALS, known)))
        };
        let new = edited.variants.iter().filter(|variant| !is_known(variant));
        new.map(|variant| variant.name.clone()).collect()
    }

    /// Returns the facts about the textures of a material of an edited scene, and its number in the export.
    fn prints(&self, e: usize, own: &Material, marks: &Marks, native: &Scene) -> Option<(usize, Value<'_>)> {
        let named = || native.materials.iter().position(|n| n.name == own.name && !n.name.is_empty());
        let number = number(marks, e).or_else(named)?;
        Some((number, Value(Some(self.prints.get(number)?.as_ref()?))))
    }

    /// Compares the textures of an edited scene with the original's. Returns, for each material, whether its texture
    /// differs, and the other edited images: those of materials of other looks only, further textures, and textures with
    /// the colours of a player.
    pub(super) fn edits(
        &self,
        edited: &Scene,
        marks: &Marks,
        native: &Scene,
        budget: &Budget,
    ) -> (Vec<bool>, Vec<Image>) {
        let mut changed = vec![false; edited.materials.len()];
        let mut images: Vec<Image> = Vec::new();
        for ((e, own), changed) in edited.materials.iter().enumerate().zip(&mut changed) {
            let known = self.prints(e, own, marks, native).filter(|_| !is_palette(&own.name));
            let Some((number, prints)) = known else { continue };
            // The material of another look has its name from a native one, and its texture from elsewhere.
            let is_other = number >= native.materials.len() || is_colored(prints);
            let image = own.image.as_ref().filter(|image| differs(prints, image, budget));
            *changed = image.is_some() && !is_other;
            let image = image.filter(|_| is_other).cloned();
            let is_marked = self::number(marks, e).is_some();
            for image in image.into_iter().chain(changed_further(prints, own, is_marked, budget)) {
                // Several materials may share a texture.
                if images.iter().all(|known| (&known.name, &known.bytes) != (&image.name, &image.bytes)) {
                    images.push(image);
                }
            }
        }
        (changed, images)
    }
}

/// Adds the fingerprints of the exported textures to the record of an original.
pub(crate) fn with_pictures(record: &Extra, scene: &Scene, budget: &Budget) -> Extra {
    let mut record = record.clone();
    if let Extra::Map(fields) = &mut record
        && !scene.materials.is_empty()
    {
        let pictures = scene.materials.iter().map(|m| prints(m, budget)).collect();
        fields.push((PICTURES.into(), Extra::List(pictures)));
        if !scene.variants.is_empty() {
            let looks = scene.variants.iter().map(|variant| look(variant, Some)).collect();
            fields.push((LOOKS.into(), Extra::List(looks)));
        }
    }
    record
}
