//! Pictures of an export, known again by their pixels.

use super::fields::Value;
use meshwright_edit::is_palette;
use meshwright_scene::{Budget, Extra, Image, LimitExceeded, Marks, Material, Scene};
use sha2::{Digest, Sha256};

/// The field of a record that holds them, and its fields.
const PICTURES: &str = "pictures";
const FILE: &str = "sha256";
const PIXELS: &str = "pixels";

/// The known facts about the texture of a material of the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Print {
    /// It is unknown whether the material has a texture.
    #[default]
    Unknown,
    /// It has none.
    None,
    /// Hashes of its file, and of its pixels where it can be decoded.
    Known { file: String, pixels: Option<String> },
}

/// The known facts about the textures of an original, by material.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pictures(Vec<Print>);

fn hex(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().map(|b| format!("{b:02x}")).collect()
}

/// A hash of the size and the pixels of a picture; nothing for one that this build cannot decode.
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

impl Pictures {
    /// The pictures of a scene that is exported.
    pub(super) fn new(scene: &Scene, budget: &Budget) -> Self {
        Self(scene.materials.iter().map(|m| Print::new(m.image.as_ref(), budget)).collect())
    }

    /// The pictures that were found for an original; of others nothing is known.
    pub(super) fn from_scene(scene: &Scene, budget: &Budget) -> Self {
        let print = |m: &Material| match &m.image {
            Some(image) => Print::new(Some(image), budget),
            None => Print::Unknown,
        };
        Self(scene.materials.iter().map(print).collect())
    }

    /// The pictures that a record tells of.
    pub(super) fn read(record: Value<'_>, budget: &Budget) -> Result<Self, LimitExceeded> {
        let list = record.get(PICTURES);
        budget.charge_items("pictures", list.items().count() as u64, size_of::<[Print; 4]>())?;
        let print = |item: Value<'_>| match item.get(FILE).text() {
            Some(file) => {
                let pixels = item.get(PIXELS).text().map(str::to_owned);
                Print::Known { file: file.to_owned(), pixels }
            }
            None => Print::None,
        };
        Ok(Self(list.items().map(print).collect()))
    }

    fn to_extra(&self) -> Extra {
        let text = |name: &str, value: &str| (name.to_owned(), value.into());
        let item = |print: &Print| match print {
            Print::Known { file, pixels } => {
                let pixels = pixels.as_deref().map(|pixels| text(PIXELS, pixels));
                Extra::Map(std::iter::once(text(FILE, file)).chain(pixels).collect())
            }
            Print::None | Print::Unknown => Extra::Map(Vec::new()),
        };
        Extra::List(self.0.iter().map(item).collect())
    }

    /// The materials of an edited scene whose picture is another one than that of the material of the original.
    pub(super) fn changed(
        &self,
        edited: &Scene,
        marks: &Marks,
        native: &Scene,
        budget: &Budget,
    ) -> Vec<bool> {
        let changed = |(e, own): (usize, &Material)| {
            let image = own.image.as_ref().filter(|_| !is_palette(&own.name))?;
            let mark = marks.materials.get(e).and_then(Option::as_ref).map(|mark| mark.index);
            let named = || native.materials.iter().position(|n| n.name == own.name && !n.name.is_empty());
            let print = self.0.get(mark.or_else(named)?)?;
            Some(print.differs(image, budget))
        };
        let all = edited.materials.iter().enumerate().map(changed);
        all.map(Option::unwrap_or_default).collect()
    }
}

/// A record of an original with what is known of the pictures that are exported with it.
pub(crate) fn with_pictures(record: &Extra, scene: &Scene, budget: &Budget) -> Extra {
    let mut record = record.clone();
    if let Extra::Map(fields) = &mut record
        && !scene.materials.is_empty()
    {
        fields.push((PICTURES.into(), Pictures::new(scene, budget).to_extra()));
    }
    record
}
