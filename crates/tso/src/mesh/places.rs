//! Where in its file each field of a geometry stands.
#![allow(clippy::arithmetic_side_effects, reason = "offsets of what is in memory fit 64 bits")]

use super::model::Geometry;
use crate::common::wide;
use alloc::vec::Vec;

/// A field of a geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Field {
    /// Corner of a face.
    Face(usize, usize),
    /// One of the five numbers of a binding.
    Binding(usize, usize),
    /// The number of bindings.
    Bindings,
    /// Component of the texture coordinates of a real vertex.
    Uv(usize, usize),
    /// Weight of a blend vertex.
    Weight(usize),
    /// Target of a blend vertex.
    Target(usize),
    /// The number of all vertices.
    Total,
    /// Component of position and normal of a real vertex.
    Real(usize, usize),
    /// Component of position and normal of a blend vertex.
    Blend(usize, usize),
    /// Behind the last field.
    End,
}

/// Offsets of fields.
#[derive(Debug)]
pub(crate) enum Places {
    /// A binary file: where the number of bones stands; all else follows from the sizes.
    Binary(u64),
    /// A text: the offset of every name of a bone, and of every number from the number of faces on.
    Text(Vec<u64>, Vec<u64>),
}

impl Places {
    /// The offset of the name of every bone.
    pub(crate) fn names(&self, g: &Geometry) -> Vec<u64> {
        match self {
            Self::Binary(bones) => {
                let mut at = bones.saturating_add(4);
                let step = |name: &crate::Name| {
                    let here = at;
                    at = at.saturating_add(1).saturating_add(wide(name.bytes().len()));
                    here
                };
                g.bones.iter().map(step).collect()
            }
            Self::Text(names, _) => names.clone(),
        }
    }

    /// A finder of fields, with the sums that it needs made once.
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

/// Answers where fields stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finder<'p> {
    places: &'p Places,
    /// Where the number of faces stands in a binary file.
    start: u64,
    sizes: [u64; 4],
}

impl Finder<'_> {
    /// The offset of the first byte of `field`.
    pub(crate) fn at(&self, field: Field) -> Option<u64> {
        // All fields behind the names are 32 bits wide, or one number of the text.
        let number = self.number(field);
        match self.places {
            Places::Binary(_) => Some(self.start.saturating_add(number.saturating_mul(4))),
            Places::Text(_, numbers) => {
                usize::try_from(number).ok().and_then(|n| numbers.get(n)).or(numbers.last()).copied()
            }
        }
    }

    /// How many numbers stand between the names and `field`.
    fn number(&self, field: Field) -> u64 {
        let [faces, bindings, real, blends] = self.sizes;
        let swapped = matches!(self.places, Places::Text(..));
        let item = |table: u64, i: usize, width: u64, part: usize| {
            table.saturating_add(1 + wide(i).saturating_mul(width)).saturating_add(wide(part))
        };
        let t_bindings = 1 + faces.saturating_mul(3);
        let t_real = t_bindings.saturating_add(1 + bindings.saturating_mul(5));
        let t_blends = t_real.saturating_add(1 + real.saturating_mul(2));
        let t_total = t_blends.saturating_add(1 + blends.saturating_mul(2));
        let t_blend = t_total.saturating_add(real.saturating_mul(6));
        match field {
            Field::Face(i, part) => item(0, i, 3, part),
            Field::Bindings => t_bindings,
            Field::Binding(i, part) => item(t_bindings, i, 5, part),
            Field::Uv(i, part) => item(t_real, i, 2, part),
            // The text has the target first.
            Field::Weight(i) => item(t_blends, i, 2, usize::from(swapped)),
            Field::Target(i) => item(t_blends, i, 2, usize::from(!swapped)),
            Field::Total => t_total,
            Field::Real(i, part) => item(t_total, i, 6, part),
            Field::Blend(i, part) => item(t_blend, i, 6, part),
            Field::End => t_blend.saturating_add(1 + blends.saturating_mul(6)),
        }
    }
}
