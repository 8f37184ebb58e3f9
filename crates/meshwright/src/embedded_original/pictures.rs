//! Fingerprints of exported textures, to detect edited ones.

use super::fields::Value;
use crate::formats::further_textures;
use meshwright_core::SortedSet;
use meshwright_edit::is_palette;
use meshwright_scene::{Budget, Extra, Image, LimitExceeded, Marks, Material, Scene, Variant};
use sha2::{Digest, Sha256};

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

/// The known facts about the texture of a material of the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Print {
    /// It is unknown whether the material has a texture.
    #[default]
    Unknown,
    /// It has none.
    None,
    /// Hashes of the file, and of the pixels if it can be decoded.
    Known { file: String, pixels: Option<String> },
}

/// The known facts about the textures of a material of the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Prints {
    own: Print,
    /// The further textures: suffix, name of the image, and facts.
    further: Vec<(String, String, Print)>,
}

/// A look: its name, and the numbers of its materials in the export.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Look {
    name: String,
    materials: SortedSet<usize>,
}

impl Look {
    /// Returns the look of a variant; `number` gives the number of a material.
    fn new(variant: &Variant, number: impl Fn(usize) -> Option<usize>) -> Self {
        let materials = variant.materials.iter().filter_map(|(_, material)| number(material.0));
        Self { name: variant.name.clone(), materials: materials.collect() }
    }
}

/// The known facts about the textures and looks of an original, by material.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pictures {
    prints: Vec<Prints>,
    looks: Vec<Look>,
}

fn hex(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().map(|b| format!("{b:02x}")).collect()
}

/// Returns a hash of the size and the pixels of an image, or `None` if this build cannot decode it.
fn pixels(image: &Image, budget: &Budget) -> Option<String> {
    #[cfg(feature = "textures")]
    {
        use crate::pixels::{Allowance, Kind, decode};
        let charge = |_: u32, _: u32, bytes: u64| budget.charge("pictures", bytes);
        let allowance = Allowance { memory: budget.remaining(), charge: &charge };
        let picture = decode(&image.bytes, Kind::of_mime(image.mime), &allowance).ok()?;
        let mut hash = Sha256::new();
        [picture.width, picture.height].iter().for_each(|side| hash.update(side.to_le_bytes()));
        hash.update(picture.to_rgba().as_flattened());
        Some(hex(hash.finalize()))
    }
    #[cfg(not(feature = "textures"))]
    {
        let _ = (image, budget);
        None
    }
}

impl Print {
    fn new(image: Option<&Image>, budget: &Budget) -> Self {
        let Some(image) = image else { return Self::None };
        Self::Known { file: hex(Sha256::digest(image.bytes.as_slice())), pixels: pixels(image, budget) }
    }

    /// Returns true if an image differs from this one. An undecodable image counts as equal.
    fn differs(&self, image: &Image, budget: &Budget) -> bool {
        match self {
            Self::Unknown => false,
            Self::None => true,
            Self::Known { file, .. } if *file == hex(Sha256::digest(image.bytes.as_slice())) => false,
            Self::Known { pixels: was, .. } => {
                was.as_ref().zip(pixels(image, budget)).is_some_and(|(was, is)| *was != is)
            }
        }
    }
}

impl Prints {
    fn new(material: &Material, budget: &Budget) -> Self {
        let further = further_textures(material)
            .map(|(image, suffix)| (suffix.to_owned(), image.name.clone(), Print::new(Some(image), budget)));
        Self { own: Print::new(material.image.as_ref(), budget), further: further.collect() }
    }

    fn read(item: Value<'_>, budget: &Budget) -> Result<Self, LimitExceeded> {
        let print = |item: Value<'_>| match item.get(FILE).text() {
            Some(file) => {
                let pixels = item.get(PIXELS).text().map(str::to_owned);
                Print::Known { file: file.to_owned(), pixels }
            }
            None => Print::None,
        };
        let listed = item.get(FURTHER);
        budget.charge_items("pictures", listed.items().count() as u64, size_of::<[Print; 4]>())?;
        let further = |item: Value<'_>| {
            let suffix = item.get(SUFFIX).text()?.to_owned();
            Some((suffix, item.get(NAME).text()?.to_owned(), print(item)))
        };
        Ok(Self { own: print(item), further: listed.items().filter_map(further).collect() })
    }

    fn to_extra(&self) -> Extra {
        let text = |name: &str, value: &str| (name.to_owned(), value.into());
        let fields = |print: &Print| match print {
            Print::Known { file, pixels } => {
                let pixels = pixels.as_deref().map(|pixels| text(PIXELS, pixels));
                std::iter::once(text(FILE, file)).chain(pixels).collect::<Vec<_>>()
            }
            Print::None | Print::Unknown => Vec::new(),
        };
        let further = |(suffix, name, print): &(String, String, Print)| {
            let named = [text(SUFFIX, suffix), text(NAME, name)];
            Extra::Map(named.into_iter().chain(fields(print)).collect())
        };
        let mut all = fields(&self.own);
        if !self.further.is_empty() {
            all.push((FURTHER.into(), Extra::List(self.further.iter().map(further).collect())));
        }
        Extra::Map(all)
    }

    /// Returns true if the texture has the colours of a player mixed in.
    fn is_colored(&self) -> bool {
        self.further.iter().any(|(suffix, ..)| suffix.is_empty())
    }

    /// Returns the edited further textures of a material, under the names of their files. Without a mark, the
    /// material may be that of another look with the same name, so that the images need their names.
    fn changed(&self, edited: &Material, is_marked: bool, budget: &Budget) -> Vec<Image> {
        let changed = |(image, suffix): (&Image, &str)| {
            let (_, name, print) = self.further.iter().find(|(own, ..)| own == suffix)?;
            let is_it = is_marked || image.name == *name;
            (is_it && print.differs(image, budget)).then(|| {
                let mut image = image.clone();
                image.name.clone_from(name);
                image
            })
        };
        further_textures(edited).filter_map(changed).collect()
    }
}

/// Returns the number that a material of an edited scene had in the export.
fn number(marks: &Marks, edited: usize) -> Option<usize> {
    marks.materials.get(edited).and_then(Option::as_ref).map(|mark| mark.index)
}

impl Pictures {
    /// Computes the fingerprints of the textures of an exported scene.
    pub(super) fn new(scene: &Scene, budget: &Budget) -> Self {
        let prints = scene.materials.iter().map(|m| Prints::new(m, budget)).collect();
        Self { prints, looks: scene.variants.iter().map(|variant| Look::new(variant, Some)).collect() }
    }

    /// Computes the fingerprints of the textures that were found for an original. Other textures are unknown.
    pub(super) fn from_scene(scene: &Scene, budget: &Budget) -> Self {
        let print = |m: &Material| match &m.image {
            Some(_) => Prints::new(m, budget),
            None => Prints::default(),
        };
        let looks = scene.variants.iter().map(|variant| Look::new(variant, Some)).collect();
        Self { prints: scene.materials.iter().map(print).collect(), looks }
    }

    /// Reads the fingerprints from a record.
    pub(super) fn read(record: Value<'_>, budget: &Budget) -> Result<Self, LimitExceeded> {
        let list = record.get(PICTURES);
        budget.charge_items("pictures", list.items().count() as u64, size_of::<[Prints; 4]>())?;
        let prints = list.items().map(|item| Prints::read(item, budget)).collect::<Result<_, _>>()?;
        let looks = record.get(LOOKS);
        budget.charge_items("looks", looks.items().count() as u64, size_of::<[Look; 2]>())?;
        let number = |n: Value<'_>| n.as_integer().and_then(|n| usize::try_from(n).ok());
        let look = |item: Value<'_>| {
            let materials = item.get(MATERIALS);
            budget.charge_items("looks", materials.items().count() as u64, size_of::<[usize; 4]>())?;
            let name = item.get(NAME).text().unwrap_or_default().to_owned();
            Ok(Look { name, materials: materials.items().filter_map(number).collect() })
        };
        let looks = looks.items().map(look).collect::<Result<_, LimitExceeded>>()?;
        Ok(Self { prints, looks })
    }

    fn looks(&self) -> Extra {
        let number = |n: &usize| i64::try_from(*n).ok().map(Extra::Int);
        let look = |look: &Look| {
            let materials = look.materials.iter().filter_map(number).collect();
            let name = (NAME.to_owned(), look.name.as_str().into());
            Extra::Map(vec![name, (MATERIALS.to_owned(), Extra::List(materials))])
        };
        Extra::List(self.looks.iter().map(look).collect())
    }

    /// Returns the names of the looks of an edited scene that differ from those of the export. A scene without looks was
    /// not edited: many editors drop all of them.
    pub(super) fn new_looks(&self, edited: &Scene, marks: &Marks) -> Vec<String> {
        let is_known = |variant: &&Variant| {
            let look = Look::new(variant, |e| number(marks, e));
            // Tools may drop the numbers of materials.
            let same = |known: &Look| look.materials.is_empty() || look.materials == known.materials;
            self.looks.iter().any(|known| known.name == look.name && same(known))
        };
        let new = edited.variants.iter().filter(|variant| !is_known(variant));
        new.map(|variant| variant.name.clone()).collect()
    }

    /// Returns the facts about the textures of a material of an edited scene, and its number in the export.
    fn prints(&self, e: usize, own: &Material, marks: &Marks, native: &Scene) -> Option<(usize, &Prints)> {
        let named = || native.materials.iter().position(|n| n.name == own.name && !n.name.is_empty());
        let number = number(marks, e).or_else(named)?;
        self.prints.get(number).map(|prints| (number, prints))
    }

    /// Returns the edited images besides the textures of the native scene: those of materials of other looks only,
    /// further textures, and textures with the colours of a player.
    pub(super) fn changed_looks(
        &self,
        edited: &Scene,
        marks: &Marks,
        native: &Scene,
        budget: &Budget,
    ) -> Vec<Image> {
        let mut images: Vec<Image> = Vec::new();
        for (e, own) in edited.materials.iter().enumerate().filter(|(_, own)| !is_palette(&own.name)) {
            let Some((number, prints)) = self.prints(e, own, marks, native) else { continue };
            let is_other = number >= native.materials.len() || prints.is_colored();
            let image = own.image.as_ref().filter(|image| is_other && prints.own.differs(image, budget));
            let is_marked = self::number(marks, e).is_some();
            for image in image.cloned().into_iter().chain(prints.changed(own, is_marked, budget)) {
                // Several materials may share a texture.
                if images.iter().all(|known| (&known.name, &known.bytes) != (&image.name, &image.bytes)) {
                    images.push(image);
                }
            }
        }
        images
    }

    /// Returns, for each material of an edited scene, whether its texture differs from the original's.
    pub(super) fn changed(
        &self,
        edited: &Scene,
        marks: &Marks,
        native: &Scene,
        budget: &Budget,
    ) -> Vec<bool> {
        let changed = |(e, own): (usize, &Material)| {
            let image = own.image.as_ref().filter(|_| !is_palette(&own.name))?;
            let (number, prints) = self.prints(e, own, marks, native)?;
            // The material of another look has its name from a native one, and its picture from elsewhere.
            let is_native = number < native.materials.len() && !prints.is_colored();
            Some(is_native && prints.own.differs(image, budget))
        };
        let all = edited.materials.iter().enumerate().map(changed);
        all.map(Option::unwrap_or_default).collect()
    }
}

/// Adds the fingerprints of the exported textures to the record of an original.
pub(crate) fn with_pictures(record: &Extra, scene: &Scene, budget: &Budget) -> Extra {
    let mut record = record.clone();
    if let Extra::Map(fields) = &mut record
        && !scene.materials.is_empty()
    {
        let pictures = Pictures::new(scene, budget);
        fields.push((PICTURES.into(), Extra::List(pictures.prints.iter().map(Prints::to_extra).collect())));
        if !pictures.looks.is_empty() {
            fields.push((LOOKS.into(), pictures.looks()));
        }
    }
    record
}
