//! The content of outfits and their parts.

use crate::bnd::ResourceId;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// A file by its number and type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileRef {
    /// The number of the file; 0 if there is none.
    pub file: u32,
    /// The type.
    pub kind: u32,
}

impl FileRef {
    /// Returns the reference in the form that bindings use, if there is one.
    pub fn id(self) -> Option<ResourceId> {
        (self.file != 0).then_some(ResourceId { group: 0, file: self.file, kind: self.kind })
    }
}

/// An `.apr` file of The Sims Online: an appearance, which is a set of bindings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apr {
    /// A picture of it.
    pub thumbnail: FileRef,
    /// The bindings: each is a mesh with its texture.
    pub bindings: Vec<FileRef>,
    /// Bytes after the last field, which a lenient reader keeps.
    pub trailing: Vec<u8>,
}

/// An `.oft` file of The Sims Online: an outfit, which has an appearance for every tone of skin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Oft {
    /// A word of unknown use, 1 in every file known.
    pub unknown: u32,
    /// The appearances of light, medium and dark skin.
    pub appearances: [FileRef; 3],
    /// The file of the group of hands that goes with it, 0 for none.
    pub hands: u32,
    /// The part of the character that it covers.
    pub region: Region,
    /// Bytes after the last field, which a lenient reader keeps.
    pub trailing: Vec<u8>,
}

impl Oft {
    /// Returns the number of the outfit `file`, with its type.
    pub const fn number(file: u32) -> ResourceId {
        ResourceId { group: 0, file, kind: kinds::OUTFIT }
    }
}

/// The part of a character that an outfit covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Region(pub u32);

impl Region {
    /// The head.
    pub const HEAD: Self = Self(0);
    /// The body, which has hands.
    pub const BODY: Self = Self(18);
}

/// A `.hag` file of The Sims Online: the appearances of hands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hag {
    /// The appearances by tone, side and gesture, in that order; see [`get`](Self::get).
    pub appearances: [FileRef; 18],
    /// Bytes after the last field, which a lenient reader keeps.
    pub trailing: Vec<u8>,
}

impl Hag {
    /// Returns the appearance of a hand.
    pub fn get(&self, tone: Tone, side: Side, gesture: Gesture) -> FileRef {
        let [tones, sides, gestures] = [tone as usize, side as usize, gesture as usize];
        let index = tones.saturating_mul(6).saturating_add(sides.saturating_mul(3)).saturating_add(gestures);
        self.appearances.get(index).copied().unwrap_or_default()
    }
}

/// A `.po` file of The Sims Online: an outfit that is for sale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Po {
    /// A word that programs interpret differently: FreeSO reads it as the character's gender.
    pub unknown: u32,
    /// The outfit.
    pub outfit: Option<ResourceId>,
    /// A collection.
    pub collection: Option<ResourceId>,
    /// Bytes after the last field, which a lenient reader keeps.
    pub trailing: Vec<u8>,
}

/// A `.col` file of The Sims Online: a collection of items for sale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Col {
    /// The items.
    pub items: Vec<ColItem>,
    /// Bytes after the last field, which a lenient reader keeps.
    pub trailing: Vec<u8>,
}

/// An item of a [`Col`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ColItem {
    /// The place in the collection.
    pub index: u32,
    /// The item that can be bought.
    pub purchasable: FileRef,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $what:literal { $($(#[$of:meta])* $variant:ident = $word:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$of])* $variant,)+
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$variant => $word,)+ })
            }
        }

        impl FromStr for $name {
            type Err = &'static str;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(concat!("unknown ", $what, "; known are", $(" ", $word),+)),
                }
            }
        }
    )+};
}

words! {
    /// A tone of skin.
    Tone: "tone" {
        /// Light.
        #[default]
        Light = "light",
        /// Medium.
        Medium = "medium",
        /// Dark.
        Dark = "dark",
    }
    /// A side of the character.
    Side: "side" {
        /// The right side.
        #[default]
        Right = "right",
        /// The left side.
        Left = "left",
    }
    /// The gesture of a hand.
    Gesture: "gesture" {
        /// The open hand.
        #[default]
        Idle = "idle",
        /// A closed hand.
        Fist = "fist",
        /// A pointing hand.
        Pointing = "pointing",
    }
}

/// The types of the files that records name.
pub(crate) mod kinds {
    pub(crate) const BINDING: u32 = 11;
    pub(crate) const APPEARANCE: u32 = 12;
    pub(crate) const OUTFIT: u32 = 13;
    pub(crate) const PURCHASABLE: u32 = 15;
    pub(crate) const COLLECTION: u32 = 16;
    pub(crate) const HANDS: u32 = 18;
}
