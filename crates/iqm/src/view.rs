//! Decoded views of arrays.
#![allow(clippy::arithmetic_side_effects, reason = "places in arrays that are in memory")]

use crate::model::{ArrayFormat, ArrayKind, Iqm, VertexArray};
use meshwright_core::num::F16;

impl VertexArray {
    /// Returns the bytes of a component.
    fn component(&self, vertex: usize, component: usize) -> Option<(&[u8], ArrayFormat)> {
        let width = self.format.width()? as usize;
        let components = self.components as usize;
        if component >= components {
            return None;
        }
        let at = vertex.checked_mul(components)?.checked_add(component)?.checked_mul(width)?;
        Some((self.data.get(at..at.checked_add(width)?)?, self.format))
    }

    /// Returns a component as the stored number; `None` if it does not exist.
    #[must_use]
    pub fn raw(&self, vertex: usize, component: usize) -> Option<f64> {
        let (bytes, format) = self.component(vertex, component)?;
        let one = || bytes.first().copied();
        let two = || bytes.first_chunk::<2>().copied();
        let four = || bytes.first_chunk::<4>().copied();
        Some(match format {
            ArrayFormat::I8 => one()?.cast_signed().into(),
            ArrayFormat::U8 => one()?.into(),
            ArrayFormat::I16 => i16::from_le_bytes(two()?).into(),
            ArrayFormat::U16 => u16::from_le_bytes(two()?).into(),
            ArrayFormat::I32 => i32::from_le_bytes(four()?).into(),
            ArrayFormat::U32 => u32::from_le_bytes(four()?).into(),
            ArrayFormat::HALF => F16::from_bits(u16::from_le_bytes(two()?)).decode().into(),
            ArrayFormat::FLOAT => f32::from_le_bytes(four()?).into(),
            _ => f64::from_le_bytes(*bytes.first_chunk::<8>()?),
        })
    }

    /// Returns the stored number that means 1: the largest of the format.
    pub(crate) const fn unit(&self) -> f64 {
        match self.format {
            ArrayFormat::I8 => 127.0,
            ArrayFormat::U8 => 255.0,
            ArrayFormat::I16 => 32_767.0,
            ArrayFormat::U16 => 65_535.0,
            ArrayFormat::I32 => 2_147_483_647.0,
            ArrayFormat::U32 => 4_294_967_295.0,
            _ => 1.0,
        }
    }

    /// Returns the components of a value. Integers are divided by the largest number of their format.
    /// Components that are not stored are taken from `rest`.
    #[must_use]
    pub fn floats<const N: usize>(&self, vertex: usize, rest: [f64; N]) -> [f64; N] {
        let unit = self.unit();
        core::array::from_fn(|c| match self.raw(vertex, c) {
            Some(value) => value / unit,
            None => rest.get(c).copied().unwrap_or(0.0),
        })
    }

    /// Returns the number of vertices that the array has a value for.
    #[must_use]
    pub fn len(&self) -> usize {
        let value = u64::from(self.format.width().unwrap_or(0)).saturating_mul(self.components.into());
        (self.data.len() as u64).checked_div(value).and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
    }

    /// Returns true if the array has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Iqm {
    /// Returns the four stored joints of a vertex with their weights. The weights are 0 if the file has
    /// none.
    #[must_use]
    pub fn influences(&self, vertex: usize) -> [(i64, f64); 4] {
        let (indexes, weights) = (self.array(ArrayKind::BLEND_INDEXES), self.array(ArrayKind::BLEND_WEIGHTS));
        let weights = weights.map_or([0.0; 4], |a| a.floats::<4>(vertex, [0.0; 4]));
        let mut weights = weights.into_iter();
        core::array::from_fn(|c| {
            let index = indexes.and_then(|a| a.raw(vertex, c)).unwrap_or(0.0);
            #[expect(clippy::cast_possible_truncation, reason = "whole numbers of at most 32 bits")]
            let index = index as i64;
            (index, weights.next().unwrap_or(0.0))
        })
    }
}
