//! The offsets of the fields of a geometry in its file.
#![allow(clippy::arithmetic_side_effects, reason = "offsets of what is in memory fit 64 bits")]

use super::model::Geometry;
use super::record::{binding, face, pull, uv, vertex};
use crate::fields::wide;
use crate::name::Name;
use alloc::vec::Vec;
use meshwright_core::record::Field;

/// A field of a geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spot {
    /// Corner of a face.
    Face(usize, usize),
    /// Field of a binding.
    Binding(usize, Field),
    /// The number of bindings.
    Bindings,
    /// Component of the texture coordinates of a real vertex.
    Uv(usize, usize),
    /// Weight or target of a blend vertex.
    Pull(usize, Field),
    /// The number of all vertices.
    Total,
    /// Component of position or normal of a real vertex.
    Real(usize, Field, usize),
    /// Component of position or normal of a blend vertex.
    Blend(usize, Field, usize),
    /// The position after the last field.
    End,
}

/// All fields after the names are 32 bits wide, or one number of the text.
const WORD: usize = 4;

/// Returns the number of 32-bit numbers in `bytes` bytes.
const fn numbers(bytes: usize) -> u64 {
    (bytes / WORD) as u64
}

/// Offsets of fields.
#[derive(Debug)]
pub(crate) enum Places {
    /// A binary file: the offset of the number of bones. The other offsets follow from the sizes.
    Binary(u64),
    /// A text: the offset of each bone name, and of each number, beginning with the number of faces.
    Text(Vec<u64>, Vec<u64>),
}

impl Places {
    /// Returns the offset of each bone name.
    pub(crate) fn names(&self, g: &Geometry) -> Vec<u64> {
        match self {
            Self::Binary(bones) => {
                let mut at = bones.saturating_add(4);
                let step = |name: &Name| {
                    let here = at;
                    at = at.saturating_add(1).saturating_add(wide(name.bytes().len()));
                    here
                };
                g.bones.iter().map(step).collect()
            }
            Self::Text(names, _) => names.clone(),
        }
    }

    /// Makes a finder of fields, which computes the needed sums once.
    pub(crate) fn finder<'p>(&'p self, g: &Geometry) -> Finder<'p> {
        let names = g.bones.iter().fold(0_u64, |n, b| n.saturating_add(1 + wide(b.bytes().len())));
        let start = match self {
            Self::Binary(bones) => bones.saturating_add(4).saturating_add(names),
            Self::Text(..) => 0,
        };
        let sizes = [g.faces.len(), g.bindings.len(), g.real.len(), g.blends.len()].map(wide);
        Finder { places: self, start, sizes }
    }
}

/// Computes the offsets of fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finder<'p> {
    places: &'p Places,
    /// The offset of the number of faces in a binary file.
    start: u64,
    sizes: [u64; 4],
}

impl Geometry {
    /// Returns the size in a binary file, in bytes.
    #[cfg(feature = "scene")]
    pub(crate) fn size(&self) -> u64 {
        Places::Binary(0).finder(self).end()
    }
}

impl Finder<'_> {
    /// Returns the offset of the first byte of `spot`.
    pub(crate) fn offset_of(&self, spot: Spot) -> Option<u64> {
        let number = self.number(spot);
        match self.places {
            Places::Binary(_) => Some(self.start.saturating_add(number.saturating_mul(WORD as u64))),
            Places::Text(_, all) => {
                usize::try_from(number).ok().and_then(|n| all.get(n)).or(all.last()).copied()
            }
        }
    }

    /// Returns the end of a binary file.
    pub(crate) fn end(&self) -> u64 {
        self.offset_of(Spot::End).unwrap_or(0)
    }

    /// Returns the number of numbers between the names and `spot`.
    fn number(&self, spot: Spot) -> u64 {
        let [faces, bindings, real, blends] = self.sizes;
        let table =
            |start: u64, n: u64, size: usize| start.saturating_add(1 + n.saturating_mul(numbers(size)));
        let item =
            |start: u64, i: usize, size: usize, part: u64| table(start, wide(i), size).saturating_add(part);
        let t_bindings = table(0, faces, face::SIZE);
        let t_real = table(t_bindings, bindings, binding::SIZE);
        let t_blends = table(t_real, real, uv::SIZE);
        let t_total = table(t_blends, blends, pull::SIZE);
        let t_blend = t_total.saturating_add(real.saturating_mul(numbers(vertex::SIZE)));
        let component = |f: Field, c: usize| numbers(f.offset) + wide(c);
        match spot {
            Spot::Face(i, corner) => item(0, i, face::SIZE, wide(corner)),
            Spot::Bindings => t_bindings,
            Spot::Binding(i, f) => item(t_bindings, i, binding::SIZE, numbers(f.offset)),
            Spot::Uv(i, c) => item(t_real, i, uv::SIZE, wide(c)),
            Spot::Pull(i, f) => {
                let last = numbers(pull::SIZE) - 1;
                let part = numbers(f.offset);
                let swapped = matches!(self.places, Places::Text(..));
                item(t_blends, i, pull::SIZE, if swapped { last - part } else { part })
            }
            Spot::Total => t_total,
            Spot::Real(i, f, c) => item(t_total, i, vertex::SIZE, component(f, c)),
            Spot::Blend(i, f, c) => item(t_blend, i, vertex::SIZE, component(f, c)),
            Spot::End => table(t_blend, blends, vertex::SIZE),
        }
    }
}
